#include "code/lift.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS_MAX = 64, LINE_BYTES = 64 };

/* Accesses through the same registers, so near to each other that they walk one array. */
struct array {
    const struct insn_mem *mem; /* the first of them */
    int64_t low, high;          /* displacements */
    int64_t stride;             /* bytes an iteration; 0: stands still */
    bool plain;                 /* the stride is known */
    bool read, write, past_caches;
    double element_bytes; /* as an instruction names it; NaN */
};

struct lift {
    const struct nest_loop *from;
    struct arena *arena;
    struct text *notes;
    struct array arrays[ARRAYS_MAX];
    int n;
    int gathers;
};

static bool writes(const struct insn *i, code_reg reg)
{
    for (int w = 0; w < i->n_writes; w++) {
        if (reg && i->writes[w] == reg) {
            return true;
        }
    }
    return false;
}

bool lift_step(const struct code_loop *l, code_reg reg, int64_t *step)
{
    *step = 0;
    for (int k = 0; k < l->n; k++) {
        const struct insn *i = &l->insns[k];
        if (writes(i, reg) && i->stepped != reg) {
            return false;
        }
        *step += writes(i, reg) ? i->step : 0;
    }
    return true;
}

/* --- elements --- */

/* Bytes of the elements that a mnemonic says it works on, as its last letters do on x86 and its
 * operands on AArch64; NaN: it does not say.  Of a conversion the source's, which is what it
 * loads. */
static double element_of(const char *form)
{
    static const struct {
        const char *mark;
        double bytes;
    } lanes[] = {{"v.4s", 4}, {"v.2s", 4},  {"v.2d", 8}, {"v.8h", 2},
                 {"v.4h", 2}, {"v.16b", 1}, {" s,", 4},  {" d,", 8}};
    const char *end = form + strcspn(form, " {");
    const char *cvt = strstr(form, "cvt");
    if (cvt && cvt < end) {
        const char *from = cvt + 3 + (cvt[3] == 't');
        return strncmp(from, "ps", 2) == 0 || strncmp(from, "ss", 2) == 0   ? 4
               : strncmp(from, "pd", 2) == 0 || strncmp(from, "sd", 2) == 0 ? 8
               : strncmp(from, "dq", 2) == 0                                ? 4
                                                                            : (double)NAN;
    }
    const char last = end - form >= 2 ? end[-1] : 0, before = last ? end[-2] : 0;
    const bool packed = form[0] == 'p' || strncmp(form, "vp", 2) == 0;
    const char *widens = strstr(form, "pmovzx") ? strstr(form, "pmovzx") : strstr(form, "pmovsx");
    if (widens && widens < end) { /* vpmovzxbd loads bytes */
        const char from = widens[strlen("pmovzx")];
        return from == 'b' ? 1 : from == 'w' ? 2 : 4;
    }
    if (last == 'd' && before == 'n' && strstr(form, "pand")) {
        return (double)NAN; /* bits; vpandd is the one that says */
    }
    if (packed && before != 'p') { /* vpaddd, vpminsd: integers */
        return last == 'b' ? 1 : last == 'w' ? 2 : last == 'd' ? 4 : last == 'q' ? 8 : (double)NAN;
    }
    if ((before == 'p' || before == 's') && (last == 's' || last == 'd')) {
        return last == 's' ? 4 : 8;
    }
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        if (strstr(form, lanes[k].mark)) {
            return lanes[k].bytes;
        }
    }
    return (double)NAN;
}

/* What most of the flops are done on. */
static double element_of_flops(const struct code_loop *l)
{
    double single = 0, twice = 0;
    for (int k = 0; k < l->n; k++) {
        const double bytes = element_of(l->insns[k].form);
        single += bytes == 4 ? l->insns[k].flops : 0;
        twice += bytes == 8 ? l->insns[k].flops : 0;
    }
    return single + twice > 0 ? (twice > single ? 8 : 4) : (double)NAN;
}

/* --- arrays --- */

static bool by_data(const struct insn *i)
{
    return strstr(i->form, "gather") || strstr(i->form, "scatter");
}

static bool same_walk(const struct array *a, const struct insn_mem *m)
{
    const int64_t near = llabs(a->stride) + LINE_BYTES;
    return a->mem->base == m->base && a->mem->index == m->index && a->mem->scale == m->scale &&
           a->mem->rip_relative == m->rip_relative && m->displacement >= a->low - near &&
           m->displacement <= a->high + near;
}

static struct array *array_of(struct lift *l, const struct insn_mem *m)
{
    int64_t base, index;
    for (int k = 0; k < l->n; k++) {
        if (same_walk(&l->arrays[k], m)) {
            return &l->arrays[k];
        }
    }
    if (l->n == ARRAYS_MAX) {
        return NULL;
    }
    const bool plain = lift_step(&l->from->loop, m->base, &base);
    const bool both = lift_step(&l->from->loop, m->index, &index) && plain;
    l->arrays[l->n] = (struct array){
        .mem = m,
        .low = m->displacement,
        .high = m->displacement,
        .stride = both ? base + index * m->scale : 0,
        .plain = both,
        .element_bytes = (double)NAN,
    };
    return &l->arrays[l->n++];
}

static void find_arrays(struct lift *l)
{
    for (int k = 0; k < l->from->loop.n; k++) {
        const struct insn *i = &l->from->loop.insns[k];
        l->gathers += by_data(i);
        for (int m = 0; m < i->n_mem && !by_data(i); m++) {
            const struct insn_mem *mem = &i->mem[m];
            struct array *a = mem->read || mem->write ? array_of(l, mem) : NULL;
            if (a) {
                a->low = mem->displacement < a->low ? mem->displacement : a->low;
                a->high = mem->displacement > a->high ? mem->displacement : a->high;
                a->read |= mem->read;
                a->write |= mem->write;
                a->past_caches |= mem->write && strstr(i->form, "movnt") != NULL;
                a->element_bytes = isnan(a->element_bytes) ? element_of(i->form) : a->element_bytes;
            }
        }
    }
}

static enum stream_kind kind_of(const struct array *a)
{
    return a->past_caches        ? STREAM_WRITE_NT
           : a->read && a->write ? STREAM_UPDATE
           : a->write            ? STREAM_WRITE
                                 : STREAM_READ;
}

/* "[rdi + rax*8]". */
static void say_address(const struct decoder *d, const struct insn_mem *m, struct text *out)
{
    const char *plus = "";
    text_add(out, "[");
    if (m->rip_relative) {
        text_add(out, "rip");
        plus = " + ";
    }
    if (m->base) {
        text_add(out, "%s%s", plus, code_reg_name(d, m->base));
        plus = " + ";
    }
    if (m->index) {
        text_add(out, "%s%s", plus, code_reg_name(d, m->index));
        if (m->scale != 1) {
            text_add(out, "*%d", m->scale);
        }
    }
    text_add(out, "]");
}

static void say_array(struct lift *l, const struct decoder *d, const char *name,
                      const struct array *a)
{
    text_add(l->notes, "%s: ", name);
    say_address(d, a->mem, l->notes);
    if (!a->plain) {
        text_add(l->notes, ", its stride is not plain: a register of it is computed or loaded\n");
    } else if (a->stride == 0) {
        text_add(l->notes, ", the same place in every iteration\n");
    } else {
        text_add(l->notes, ", %lld bytes an iteration, %s\n", (long long)a->stride,
                 stream_names[kind_of(a)]);
    }
}

/* Arrays that move are streams; all are named in the notes. */
static bool take_streams(struct lift *l, struct kernel *k, struct err *e)
{
    struct decoder *d = decoder_open(l->from->loop.arch, e);
    if (!d) {
        return false;
    }
    k->streams = arena_new(l->arena, struct kernel_stream, (size_t)l->n + 1);
    for (int i = 0; i < l->n; i++) {
        const struct array *a = &l->arrays[i];
        const char *name = arena_format(l->arena, "a%d", i);
        say_array(l, d, name, a);
        if (a->plain && a->stride != 0) {
            k->streams[k->n_streams++] = (struct kernel_stream){name, kind_of(a)};
        }
    }
    if (l->gathers > 0) {
        text_add(l->notes, "%d gather or scatter: its addresses come from data, no stream\n",
                 l->gathers);
    }
    decoder_close(d);
    return true;
}

/* The roof of kernels.yaml that walks as many arrays in the same ways; NULL: none does. */
static const char *matching_roof(const struct kernel *k)
{
    static const struct {
        const char *roof;
        int n[STREAM_KINDS];
    } roofs[] = {
        {"read", {[STREAM_READ] = 1}},
        {"read2", {[STREAM_READ] = 2}},
        {"read3", {[STREAM_READ] = 3}},
        {"copy", {[STREAM_READ] = 1, [STREAM_WRITE] = 1}},
        {"copy12", {[STREAM_READ] = 1, [STREAM_WRITE] = 2}},
        {"copy31", {[STREAM_READ] = 3, [STREAM_WRITE] = 1}},
        {"triad", {[STREAM_READ] = 2, [STREAM_WRITE] = 1}},
        {"fill", {[STREAM_WRITE] = 1}},
        {"write2", {[STREAM_WRITE] = 2}},
        {"update", {[STREAM_UPDATE] = 1}},
        {"update2", {[STREAM_UPDATE] = 2}},
        {"read_update", {[STREAM_READ] = 1, [STREAM_UPDATE] = 1}},
        {"write_update", {[STREAM_WRITE] = 1, [STREAM_UPDATE] = 1}},
        {"fill_nt", {[STREAM_WRITE_NT] = 1}},
        {"copy_nt", {[STREAM_READ] = 1, [STREAM_WRITE_NT] = 1}},
        {"triad_nt", {[STREAM_READ] = 2, [STREAM_WRITE_NT] = 1}},
    };
    int n[STREAM_KINDS] = {0};
    for (int i = 0; i < k->n_streams; i++) {
        n[k->streams[i].kind]++;
    }
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        if (memcmp(n, roofs[i].n, sizeof n) == 0) {
            return roofs[i].roof;
        }
    }
    return NULL;
}

/* --- numbers --- */

/* What all moving arrays hold that an instruction names the elements of; NaN: nothing, or not the
 * same. */
static double element_of_arrays(const struct lift *l)
{
    double all = (double)NAN;
    for (int i = 0; i < l->n; i++) {
        const struct array *a = &l->arrays[i];
        if (!a->plain || a->stride == 0 || isnan(a->element_bytes)) {
            continue;
        }
        if (!isnan(all) && all != a->element_bytes) {
            return (double)NAN;
        }
        all = a->element_bytes;
    }
    return all;
}

static void take_element(struct lift *l, const struct lift_wishes *w, struct kernel *k)
{
    const double flops = element_of_flops(&l->from->loop);
    const double found = isnan(flops) ? element_of_arrays(l) : flops;
    k->element_bytes = !isnan(w->element_bytes) ? w->element_bytes : !isnan(found) ? found : 4;
    text_add(l->notes, "%s: an element is %g bytes\n",
             !isnan(w->element_bytes) ? "as asked for"
             : !isnan(flops)          ? "what its flops work on"
             : !isnan(found)          ? "what its arrays are read or written as"
                                      : "assumed, no instruction says",
             k->element_bytes);
}

/* The least number of elements that a moving array passes in an iteration, of those whose elements
 * an instruction names; where none is named, of all. */
static double elements_walked(const struct lift *l, double element_bytes)
{
    double named = INFINITY, least = INFINITY;
    for (int i = 0; i < l->n; i++) {
        const struct array *a = &l->arrays[i];
        if (a->plain && a->stride != 0) {
            least = fmin(least, (double)llabs(a->stride) / element_bytes);
            named = isnan(a->element_bytes)
                        ? named
                        : fmin(named, (double)llabs(a->stride) / a->element_bytes);
        }
    }
    least = isinf(named) ? least : named;
    return isinf(least) ? (double)NAN : fmax(least, 1);
}

static bool take_elements(struct lift *l, const struct lift_wishes *w, const struct kernel *k,
                          struct kernel_body *b, struct err *e)
{
    const double walked = elements_walked(l, k->element_bytes);
    const bool asked = !isnan(w->elements_per_iter);
    b->elements_per_iter = asked ? w->elements_per_iter : !isnan(walked) ? walked : 1;
    text_add(l->notes, "%s: %g elements an iteration\n",
             asked            ? "as asked for"
             : !isnan(walked) ? "assumed from the least stride"
                              : "assumed, nothing moves by a constant",
             b->elements_per_iter);
    return (b->elements_per_iter >= 1 && b->elements_per_iter <= 1e6) ||
           err_set(e, ERR_RANGE, LOC_NONE,
                   "%g elements an iteration; from 1 to 1000000 would be right",
                   b->elements_per_iter);
}

static bool is_evex(const char *form)
{
    return strstr(form, "zmm") || strstr(form, "{k}") || strstr(form, " k,") ||
           strstr(form, "bcst");
}

/* The least of our instruction sets that has its instructions. */
static const char *isa_of(const struct code_loop *l)
{
    const char *isa = l->arch == ARCH_AARCH64 ? "neon" : "sse2";
    for (int k = 0; l->arch == ARCH_X86_64 && k < l->n; k++) {
        const char *form = l->insns[k].form;
        if (is_evex(form)) {
            return "avx512";
        }
        isa = form[0] == 'v' ? "avx2" : isa;
    }
    return isa;
}

static void take_flops(struct lift *l, double total)
{
    const struct code_loop *loop = &l->from->loop;
    text_add(l->notes, "flops counted: %g an iteration", total);
    for (int k = 0; k < loop->n; k++) {
        bool first = loop->insns[k].flops > 0;
        int alike = 0;
        for (int j = 0; j < loop->n; j++) {
            const bool same = strcmp(loop->insns[j].form, loop->insns[k].form) == 0;
            alike += same;
            first &= !(same && j < k);
        }
        if (first) {
            text_add(l->notes, ", %d %s of %g", alike, loop->insns[k].form, loop->insns[k].flops);
        }
    }
    text_add(l->notes, "\n");
}

/* By how much addresses move, as a power of two: what decides which lines they cross. */
static uint64_t common_step(const struct lift *l, unsigned align_bytes)
{
    uint64_t all = align_bytes;
    for (int i = 0; i < l->n; i++) {
        all |= l->arrays[i].plain ? (uint64_t)l->arrays[i].stride : 0;
    }
    return all & -all;
}

static void take_crossings(struct lift *l, const struct lift_wishes *w, struct kernel_body *b)
{
    const struct loop_crossing c = loop_crossing(&l->from->loop, 0, common_step(l, w->align_bytes));
    b->crossing_loads_per_iter = c.loads;
    b->crossing_stores_per_iter = c.stores;
    text_add(l->notes,
             "assumed: address registers start at multiples of %u bytes; %g loads and %g stores "
             "cross a line\n",
             w->align_bytes, c.loads, c.stores);
}

static bool take_body(struct lift *l, const struct lift_wishes *w, struct kernel *k, struct err *e)
{
    struct kernel_body *b = k->bodies;
    struct loop_counts counts;
    if (!loop_count(&l->from->loop, 0, l->arena, &counts, e) || !take_elements(l, w, k, b, e)) {
        return false;
    }
    b->isa = isa_of(&l->from->loop);
    b->forms = counts.forms;
    b->n_forms = counts.n_forms;
    b->loads_per_iter = counts.loads_per_iter;
    b->stores_per_iter = counts.stores_per_iter;
    b->flops_per_iter = counts.flops_per_iter;
    b->independent_chains = counts.chains > 0 ? counts.chains : (double)NAN;
    b->code = text_hex(l->from->code, l->from->len, l->arena);
    k->flops_per_element = b->flops_per_iter / b->elements_per_iter;
    take_crossings(l, w, b);
    take_flops(l, b->flops_per_iter);
    return true;
}

static void say_bytes(struct lift *l)
{
    double loaded = 0, stored = 0;
    for (int k = 0; k < l->from->loop.n; k++) {
        const struct insn *i = &l->from->loop.insns[k];
        for (int m = 0; m < i->n_mem; m++) {
            loaded += i->mem[m].read ? i->mem[m].bytes : 0;
            stored += i->mem[m].write ? i->mem[m].bytes : 0;
        }
    }
    text_add(l->notes, "%g bytes loaded and %g stored an iteration\n", loaded, stored);
}

/* A kernel counts an element of one size of each of its arrays; not all loops walk so. */
static void say_difference(const struct lift *l, const struct kernel *k)
{
    const double counted = kernel_bytes_counted(k) * k->bodies->elements_per_iter;
    double walked = 0;
    for (int i = 0; i < l->n; i++) {
        const struct array *a = &l->arrays[i];
        walked += (double)llabs(a->stride) * (kind_of(a) == STREAM_UPDATE ? 2 : 1);
    }
    if (fabs(walked - counted) > 1e-9 * walked) {
        text_add(l->notes,
                 "its arrays move on by %g bytes an iteration, updates twice, of which intensity "
                 "and memory roofs count %g: one element of %g bytes of each array\n",
                 walked, counted, k->element_bytes);
    }
}

static void say_calls(const struct lift *l)
{
    int n = 0;
    for (int k = 0; k < l->from->loop.n; k++) {
        n += l->from->loop.insns[k].calls;
    }
    if (n > 0) {
        text_add(l->notes, "%d call%s inside the loop: what is called is not counted\n", n,
                 n == 1 ? "" : "s");
    }
}

bool lift_kernel(const struct nest_loop *from, const struct lift_wishes *w, struct arena *a,
                 struct kernel *out, struct text *notes, struct err *e)
{
    struct lift l = {.from = from, .arena = a, .notes = notes};
    *out = (struct kernel){
        .name = w->name,
        .formula = w->formula,
        .bodies = arena_new(a, struct kernel_body, 1),
        .n_bodies = 1,
    };
    find_arrays(&l);
    take_element(&l, w, out);
    if (!take_streams(&l, out, e) || !take_body(&l, w, out, e)) {
        return false;
    }
    say_bytes(&l);
    if (from->n_branches > 0) {
        text_add(notes, "assumed: %d conditional branch%s inside the loop %s the straight way on\n",
                 from->n_branches, from->n_branches == 1 ? "" : "es",
                 from->n_branches == 1 ? "goes" : "go");
    }
    out->unit = out->flops_per_element > 0 ? "flop/s" : "byte/s";
    out->roof = matching_roof(out);
    out->compute_roof = out->element_bytes == 8 ? "fma_f64" : "fma_f32";
    const double bytes = kernel_bytes_counted(out);
    out->intensity = bytes > 0 ? out->flops_per_element / bytes : (double)NAN;
    say_difference(&l, out);
    say_calls(&l);
    return true;
}
