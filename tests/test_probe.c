#include "base/random.h"
#include "base/text.h"
#include "measure/experiment.h"
#include "measure/probe_chain.h"
#include "measure/probe_latency.h"
#include "measure/probe_rows.h"
#include "tests/tap.h"

#include <stdlib.h>

static void fail_oom(void *context)
{
    (void)context;
    abort();
}

struct fixture {
    struct arena *a;
    struct decoder *d;
    struct probe_coder *coder;
    struct probe_form *forms;
    int n_forms;
};

/* --- what a kernel promises, read from its machine code
 * ----------------------------------------- */

enum { LOOP_MAX = 300, CHAINS_MIN = 3, ITEMS_MAX = 64 };

static int read_loop(struct decoder *d, const uint8_t *code, const struct probe_code *shape,
                     struct insn insns[LOOP_MAX])
{
    struct err e = {0};
    int n = 0;

    for (size_t at = shape->loop_start; at < shape->loop_end && n < LOOP_MAX;) {
        if (!decode_insn(d, code + at, shape->loop_end - at, at, &insns[n], &e)) {
            return -1;
        }
        at += (size_t)insns[n++].length;
    }
    return n;
}

/* The longest chain of instructions behind the value of each register, after the body has run once
 * more. */
static int run_chains(const struct insn *body, int n, int depth[CODE_REGS_MAX])
{
    int longest = 0;

    for (int i = 0; i < n; i++) {
        int behind = 0;
        for (int k = 0; k < body[i].n_reads; k++) {
            const int d = depth[body[i].reads[k]];
            behind = d > behind ? d : behind;
        }
        for (int k = 0; k < body[i].n_writes; k++) {
            depth[body[i].writes[k]] = behind + 1;
        }
        longest = behind + 1 > longest ? behind + 1 : longest;
    }
    return longest;
}

/* What chains grow by in a trip is a part of it; the stack pointer is renamed by itself. */
static const char *dependence(const struct decoder *d, const struct insn *body, int n)
{
    static int depth[CODE_REGS_MAX];
    static struct insn copy[LOOP_MAX];
    int longest[3];

    memcpy(copy, body, (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < copy[i].n_writes; k++) {
            if (strcmp(code_reg_name(d, copy[i].writes[k]), "rsp") == 0) {
                copy[i].writes[k] = copy[i].writes[--copy[i].n_writes];
            }
        }
    }
    memset(depth, 0, sizeof depth);
    for (int trip = 0; trip < 3; trip++) {
        longest[trip] = run_chains(copy, n, depth);
    }
    return longest[2] - longest[1] > n / CHAINS_MIN ? "too few chains" : NULL;
}

static const char *memory(const struct decoder *d, const struct insn *body, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < body[i].n_mem; k++) {
            const struct insn_mem *m = &body[i].mem[k];
            const int64_t at = m->displacement;
            if (strcmp(code_reg_name(d, m->base), "rsp") == 0) {
                continue;
            }
            if (strcmp(code_reg_name(d, m->base), "r14") != 0 || at < 0 ||
                (m->index && strcmp(code_reg_name(d, m->index), "zmm15") != 0) ||
                at + m->bytes > PROBE_MEMORY_BYTES) {
                return "an access outside of the memory";
            }
            if (at / 64 != (at + m->bytes - 1) / 64) {
                return "an access crosses a line";
            }
            if (m->write ? at % PROBE_PAGE_BYTES < PROBE_PAGE_LOADS : at >= PROBE_PAGE_LOADS) {
                return "a load may meet a store";
            }
        }
    }
    return NULL;
}

static int count_form(const struct insn *body, int n, const char *form)
{
    int count = 0;

    for (int i = 0; i < n; i++) {
        count += strcmp(body[i].form, form) == 0;
    }
    return count;
}

/* Bit 1: updated by a form of single, bit 2: by one of double precision.  Adders of some cores
 * stumble over a sum of the other kind. */
static const char *precisions(const struct insn *body, int n)
{
    static int updated[CODE_REGS_MAX];

    memset(updated, 0, sizeof updated);
    for (int i = 0; i < n; i++) {
        const char *end = body[i].form + strcspn(body[i].form, " ");
        const bool floats =
            (end[-1] == 's' || end[-1] == 'd') && (end[-2] == 's' || end[-2] == 'p');
        for (int k = 0; floats && k < body[i].n_writes; k++) {
            for (int j = 0; j < body[i].n_reads; j++) {
                const bool updates = body[i].reads[j] == body[i].writes[k] &&
                                     body[i].write_operand[k] == 1 && body[i].read_operand[j] == 1;
                updated[body[i].writes[k]] |= updates ? end[-1] == 's' ? 1 : 2 : 0;
            }
        }
    }
    for (code_reg r = 1; r < CODE_REGS_MAX; r++) {
        if (updated[r] == 3) {
            return "one register for single and double precision";
        }
    }
    return NULL;
}

/* What a trip pushed is taken back at its end. */
static bool resets_stack(const struct decoder *d, const struct insn *i)
{
    return i->n_writes == 1 && strcmp(i->form, "lea r64, agen") == 0 &&
           strcmp(code_reg_name(d, i->writes[0]), "rsp") == 0;
}

/* NULL, or what is wrong with the kernel of the block. */
static const char *inspect(const struct fixture *f, const struct probe_block *b)
{
    static struct insn insns[LOOP_MAX];
    uint8_t code[PROBE_CODE_BYTES];
    struct probe_code shape;
    struct err e = {0};

    if (!probe_code_emit(f->coder, b, code, &shape, &e)) {
        return "no kernel";
    }
    const int n = read_loop(f->d, code, &shape, insns);
    if (shape.loop_start % 64 != 0 || n < PROBE_INSNS_MIN + 2 || !insns[n - 1].conditional ||
        insns[n - 1].target != shape.loop_start || strcmp(insns[n - 2].form, "dec r64") != 0) {
        return "not the loop";
    }
    const int body = n - 2 - resets_stack(f->d, &insns[n - 3]);
    int listed = 0;
    for (int k = 0; k < b->n_items; k++) {
        listed += b->items[k].count * shape.blocks_per_trip;
        if (count_form(insns, body, b->items[k].form->code.text) !=
            b->items[k].count * shape.blocks_per_trip) {
            return "other instructions than asked for";
        }
    }
    const char *wrong =
        listed != body ? "more instructions than asked for" : dependence(f->d, insns, body);
    wrong = wrong ? wrong : precisions(insns, body);
    return wrong ? wrong : memory(f->d, insns, body);
}

static void test_single_forms(const struct fixture *f)
{
    int tried = 0, wrong = 0, refused = 0;

    for (int i = 0; i < f->n_forms; i++) {
        struct probe_block b;
        if (f->forms[i].refused) {
            refused++;
            continue;
        }
        b = experiment_alone(&f->forms[i], f->a);
        const char *why = inspect(f, &b);
        tried++;
        wrong += why != NULL;
        if (why) {
            printf("# %s: %s\n", f->forms[i].code.text, why);
        }
    }
    ok(tried > 300 && wrong == 0, "kernels of %d single forms depend on nothing (%d refused)",
       tried, refused);
}

/* Forms of the block are of its kind or of none. */
static int draw_block(const struct fixture *f, struct random *r, struct probe_item *items)
{
    const enum probe_kind kind = (enum probe_kind)(1 + random_below(r, PROBE_KINDS - 1));
    const int wanted = 2 + random_below(r, 14);
    int n = 0;

    while (n < wanted) {
        const struct probe_form *form = &f->forms[random_below(r, f->n_forms)];
        bool taken = form->refused != NULL || (form->kind != PROBE_ANY && form->kind != kind);
        for (int k = 0; k < n; k++) {
            taken |= items[k].form == form;
        }
        if (!taken && n + 1 + form->n_companions < ITEMS_MAX) {
            n = experiment_add(items, n, form, 1 + random_below(r, 4));
        }
    }
    return n;
}

static void test_mixes(const struct fixture *f)
{
    struct random r = {7};
    int tried = 0, wrong = 0;

    while (tried < 1000) {
        struct probe_item items[ITEMS_MAX];
        const struct probe_block b = {.items = items, .n_items = draw_block(f, &r, items)};
        const char *why = inspect(f, &b);
        if (why && strcmp(why, "no kernel") == 0) {
            continue; /* an implied register that another form changes */
        }
        tried++;
        wrong += why != NULL;
        if (why) {
            printf("# block of %d, first %s: %s\n", b.n_items, items[0].form->code.text, why);
        }
    }
    ok(wrong == 0, "kernels of 1000 mixes depend on nothing");
}

static const struct probe_form *find(const struct fixture *f, const char *text)
{
    for (int i = 0; i < f->n_forms; i++) {
        if (strcmp(f->forms[i].code.text, text) == 0) {
            return &f->forms[i];
        }
    }
    return NULL;
}

static void test_refusals(const struct fixture *f)
{
    static const struct {
        const char *form, *why;
    } rows[] = {
        {"xadd r64, r64", "from one register to another"},
        {"ret", "control flow"},
        {"jnz rel", "encoded"},
        {"lock add m64, r64", "stores"},
        {"cpuid", "guest"},
        {"movntps m128, xmm", "memory"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct probe_form *form = find(f, rows[k].form);
        ok(form && form->refused && strstr(form->refused, rows[k].why), "%s is refused: %s",
           rows[k].form, rows[k].why);
    }
    struct probe_item mixed[] = {{find(f, "addps xmm, xmm"), 1}, {find(f, "cqo"), 1}};
    struct probe_form avx = *mixed[0].form;
    struct probe_code shape;
    uint8_t code[PROBE_CODE_BYTES];
    struct err e = {0};
    avx.kind = PROBE_AVX;
    mixed[1].form = &avx;
    ok(!probe_code_emit(f->coder, &(struct probe_block){.items = mixed, .n_items = 2}, code, &shape,
                        &e) &&
           e.code == ERR_RANGE,
       "legacy SSE and AVX do not mix in a block");
    mixed[0].count = PROBE_BLOCK_MAX + 1;
    e = (struct err){0};
    ok(!probe_code_emit(f->coder, &(struct probe_block){.items = mixed, .n_items = 1}, code, &shape,
                        &e) &&
           e.code == ERR_RANGE,
       "a block has a size limit");
}

/* --- chains
 * -------------------------------------------------------------------------------------- */

enum { MEMORY_VALUE = CODE_REGS_MAX, PLACES };

static bool is_named(const struct decoder *d, code_reg r, const char *name)
{
    return name && strncmp(code_reg_name(d, r), name, strlen(name)) == 0;
}

/* Whether a register that an instruction touches as this operand is that end of a path. */
static bool is_end(const struct decoder *d, const struct probe_end *e, code_reg r, int operand)
{
    if (e->place == PLACE_WRITE_MASK) {
        return operand == 0 && is_named(d, r, "k6");
    }
    if (e->place == PLACE_FIRST_VECTOR) {
        return operand == 0 && is_named(d, r, "zmm0");
    }
    if (e->place == PLACE_STATUS) { /* what reads all flags reads the carry, too */
        return operand == 0 && (is_named(d, r, "flags") || is_named(d, r, "carry"));
    }
    if (e->place == PLACE_GENERAL && e->operand) {
        return is_named(d, r, "rcx");
    }
    return e->operand ? e->operand == operand : operand == 0 && is_named(d, r, probe_end_name(e));
}

/* What the instruction after those that lead to it has from the result of the one before. */
struct waits {
    bool from_end, otherwise;
};

static void pass_on(const struct insn *i, bool tainted[PLACES])
{
    bool any = false;

    for (int k = 0; k < i->n_reads; k++) {
        any |= tainted[i->reads[k]];
    }
    for (int k = 0; k < i->n_mem; k++) {
        any |= i->mem[k].read && tainted[MEMORY_VALUE];
    }
    for (int k = 0; k < i->n_writes; k++) {
        tainted[i->writes[k]] = any;
    }
}

static struct waits follow(const struct decoder *d, const struct probe_path *p,
                           const struct insn *before, int n)
{
    static bool tainted[PLACES];
    const struct insn *after = before + n;
    struct waits w = {false, false};

    memset(tainted, 0, sizeof tainted);
    for (int k = 0; k < before->n_writes; k++) {
        tainted[before->writes[k]] |=
            is_end(d, &p->to, before->writes[k], before->write_operand[k]);
    }
    tainted[MEMORY_VALUE] = p->to.place == PLACE_VALUE;
    for (int i = 1; i < n; i++) {
        pass_on(&before[i], tainted);
    }
    for (int k = 0; k < after->n_reads; k++) {
        const bool end = is_end(d, &p->from, after->reads[k], after->read_operand[k]);
        w.from_end |= tainted[after->reads[k]] && end;
        w.otherwise |= tainted[after->reads[k]] && !end;
    }
    w.from_end |= p->from.place == PLACE_VALUE && tainted[MEMORY_VALUE];
    return w;
}

/* NULL, or what is wrong with the chain of a path. */
static const char *inspect_chain(const struct fixture *f, const struct probe_form *form,
                                 const struct probe_path *p)
{
    static struct insn insns[LOOP_MAX];
    uint8_t code[PROBE_CODE_BYTES];
    struct probe_code shape;
    struct err e = {0};

    if (!probe_chain_emit(f->coder, form, p, code, &shape, &e)) {
        return "no kernel";
    }
    const int n = read_loop(f->d, code, &shape, insns) - 2;
    const int link = n / shape.blocks_per_trip;
    if (n < PROBE_CHAIN_INSNS_MIN || n % shape.blocks_per_trip != 0) {
        return "not the loop";
    }
    for (int i = link - 1; i < n; i += link) { /* the form is the last of its link */
        if (strcmp(insns[i].form, form->code.text) != 0) {
            return "another instruction than asked for";
        }
        const struct waits w =
            i + link < n ? follow(f->d, p, &insns[i], link) : (struct waits){true, false};
        if (!w.from_end) {
            return "does not wait";
        }
        if (w.otherwise && !p->same_source) {
            return "waits by another operand";
        }
    }
    return NULL;
}

static bool leads_back(const struct probe_form *form, const struct probe_path *p)
{
    const char *partners[PROBE_PARTNERS_MAX];
    return probe_chain_partners(form, p, partners) >= 0;
}

static void test_chains(const struct fixture *f)
{
    int tried = 0, wrong = 0, open = 0;

    for (int i = 0; i < f->n_forms; i++) {
        struct probe_path paths[PROBE_PATHS_MAX];
        const int n_paths = probe_paths(&f->forms[i], paths);
        for (int k = 0; k < n_paths; k++) {
            if (!leads_back(&f->forms[i], &paths[k])) {
                open++;
                continue;
            }
            const char *why = inspect_chain(f, &f->forms[i], &paths[k]);
            tried++;
            wrong += why != NULL;
            if (why) {
                printf("# %s, from %d %s to %d %s: %s\n", f->forms[i].code.text,
                       paths[k].from.operand, probe_end_name(&paths[k].from), paths[k].to.operand,
                       probe_end_name(&paths[k].to), why);
            }
        }
    }
    ok(tried > 1000 && wrong == 0 && open * 20 < tried,
       "%d chains wait in every link for the one before, on their path alone; %d have no way back",
       tried, open);
}

static const struct path_row {
    const char *form, *words; /* from>to, in order; s: again for short values, i: indexed */
} path_rows[] = {
    {"add r64, r64", "1>1 1=1 2>1 1>flags 2>flags"},
    {"mov r64, imm", ""},
    {"mov m64, r64", "2>1 2>1i"},
    {"add m64, r64", "1>1 1>1i 2>1i 1>flags 2>flags"},
    {"adc r64, imm", "1>1 carry>1 1>carry carry>carry"},
    {"mul r64", "1>rax rax>rax 1>rdx rax>rdx 1>flags rax>flags"},
    {"cqo", "rax>rdx"},
    {"setz m8", "flags>1 flags>1i"},
    {"sqrtps xmm, xmm", "2>1 2>1s"},
    {"blendvps xmm, xmm", "1>1 1=1 2>1 xmm0>1"},
    {"push r64", ""},
};

static void write_path(const struct probe_path *p, struct text *t)
{
    const char *from = probe_end_name(&p->from), *to = probe_end_name(&p->to);
    char digits[2][2] = {{(char)('0' + p->from.operand), 0}, {(char)('0' + p->to.operand), 0}};

    text_add(t, "%s%s%s%s%s%s", t->len ? " " : "", from ? from : digits[0],
             p->same_source ? "=" : ">", to ? to : digits[1], p->values == PROBE_SHORT ? "s" : "",
             p->indexed ? "i" : "");
}

static void test_paths(const struct fixture *f)
{
    for (size_t k = 0; k < sizeof path_rows / sizeof *path_rows; k++) {
        struct probe_path paths[PROBE_PATHS_MAX];
        struct text t = {.arena = f->a};
        const int n = probe_paths(find(f, path_rows[k].form), paths);
        for (int i = 0; i < n; i++) {
            write_path(&paths[i], &t);
        }
        is_text(t.len ? t.data : "", path_rows[k].words, path_rows[k].form);
    }
}

/* --- latencies from readings
 * --------------------------------------------------------------------- */

static const struct probe_latency *latency(const struct probe_latencies *l, const char *from,
                                           const char *to)
{
    for (int k = 0; k < l->n; k++) {
        const struct probe_end *a = &l->pairs[k].from, *b = &l->pairs[k].to;
        const char digits[2][2] = {{(char)('0' + a->operand), 0}, {(char)('0' + b->operand), 0}};
        if (strcmp(probe_end_name(a) ? probe_end_name(a) : digits[0], from) == 0 &&
            strcmp(probe_end_name(b) ? probe_end_name(b) : digits[1], to) == 0) {
            return &l->pairs[k];
        }
    }
    return NULL;
}

/* Each partner takes a cycle, but from and to vectors 3 in all. */
static struct probe_latencies take(const struct fixture *f, const char *form, const double *cycles)
{
    const struct probe_form *x = find(f, form);
    struct probe_cost costs[64];
    struct probe_path paths[PROBE_PATHS_MAX];
    struct probe_result results[PROBE_PATHS_MAX] = {0};
    struct probe_latencies out;
    const int n = probe_paths(x, paths);

    for (int k = 0; k < probe_aids_n; k++) {
        const bool crosses = strncmp(probe_aids[k], "movq ", 5) == 0;
        costs[k] = crosses ? (struct probe_cost){1.5, 1, 2} : (struct probe_cost){1, 1, 1};
    }
    for (int k = 0; k < n; k++) {
        results[k] = (struct probe_result){.cycles = cycles[k], .spread = 0.01, .n = 11};
        results[k].failed = cycles[k] > 0 ? NULL : PROBE_CROWDED;
    }
    probe_latencies_take(x, paths, results, n, &(struct probe_yardstick){costs, 0.17}, &out);
    return out;
}

static void test_latencies(const struct fixture *f)
{
    struct probe_latencies l = take(f, "add r64, r64", (double[]){1, 2, 1, 3, 3});
    const struct probe_latency *x = latency(&l, "2", "1"), *y = latency(&l, "1", "flags");
    ok(l.n == 4 && x && x->cycles == 1 && x->n == 11 && y && y->cycles == 1 && !l.idiom &&
           !l.independent,
       "a partner's cycles, and the copy behind it, are subtracted");
    l = take(f, "sub r64, r64", (double[]){1, 0.17, 1, 3, 3});
    ok(l.idiom && l.independent && latency(&l, "1", "1")->same_cycles == 0.17, "a zero idiom");
    l = take(f, "pcmpeqd xmm, xmm", (double[]){1, 0.34, 1});
    ok(!l.idiom && l.independent, "what does not wait for itself but executes");
    l = take(f, "movq r64, xmm", (double[]){3});
    x = latency(&l, "2", "1");
    ok(x && x->cycles == 1.5 && x->least == 1 && x->most == 2,
       "what leads back from another file is half of the sum, within bounds");
    l = take(f, "shl r64, cl", (double[]){1, 2, 1, 4, 5, 1});
    ok(!latency(&l, "flags", "1") && latency(&l, "flags", "flags"),
       "where the way back takes all of the time nothing waits");
    l = take(f, "divps xmm, xmm", (double[]){12, 9, 12, 9, 12});
    x = latency(&l, "1", "1");
    y = latency(&l, "2", "1");
    ok(x && x->cycles == 11 && x->fast_cycles == 8 && y && y->cycles == 11 && y->fast_cycles == 8,
       "slow and fast values, whichever are which");
    ok(y && y->least == 11 && y->most == 11, "bounds are those of the slow ones");
    l = take(f, "mov m64, r64", (double[]){0.5, 5});
    x = latency(&l, "2", "1");
    ok(x && x->cycles == 5 && x->direct_cycles == 0.5, "a store to the load of it, both ways");
    l = take(f, "mov r64, r64", (double[]){0.2});
    ok(l.eliminated_move, "an eliminated move");
    l = take(f, "add r64, r64", (double[]){1, 2, 0, 3, 3});
    ok(!latency(&l, "2", "1") && l.failed, "what was not measured is left out, and said");
}

/* --- as rows of a machine file
 * --------------------------------------------------------------------- */

static void test_rows(const struct fixture *f)
{
    struct machine_form form = {0};
    struct machine *m = machine_new(f->a);
    struct probe_latencies l = take(f, "lea r64, agen", (double[]){1, 2.004});

    probe_rows_describe(&l, &form, f->a);
    ok(form.n_latencies == 1 && form.latencies->cycles == 2 && form.latencies->source == 2 &&
           form.latencies->destination == 1 && isnan(form.latencies->least_cycles) &&
           isnan(form.latencies->fast_cycles) && form.latencies->n == 11,
       "the base and the index of an address are one row, of the longest; no bounds where none "
       "are");
    l = take(f, "movq r64, xmm", (double[]){3});
    probe_rows_describe(&l, &form, f->a);
    ok(form.n_latencies == 1 && form.latencies->cycles == 1.5 &&
           form.latencies->least_cycles == 1 && form.latencies->most_cycles == 2,
       "bounds where there are some");
    l = take(f, "mul r64", (double[]){4, 3, 5, 4, 4, 4});
    probe_rows_describe(&l, &form, f->a);
    ok(form.n_latencies == 6 && form.latencies[0].source == 1 && !form.latencies[0].source_name &&
           strcmp(form.latencies[0].destination_name, "rax") == 0 &&
           strcmp(form.latencies[3].source_name, "rax") == 0 &&
           strcmp(form.latencies[3].destination_name, "rdx") == 0,
       "what is not written in the form has its name");
    l = take(f, "mov m64, r64", (double[]){0.5, 5});
    probe_rows_forward(find(f, "mov m64, r64"), &l, m);
    ok(m->store_forward_cycles == 5 && m->store_forward_renamed_cycles == 0.5 && m->core_source,
       "store forwarding, with an index and without");
    l = take(f, "mov m64, r64", (double[]){4.96, 5});
    probe_rows_forward(find(f, "mov m64, r64"), &l, m);
    ok(m->store_forward_cycles == 5 && isnan(m->store_forward_renamed_cycles),
       "where it makes no difference there is one number");
}

/* --- the child process
 * --------------------------------------------------------------------------- */

static const struct faulty {
    const char *name, *failed; /* NULL: runs */
    uint8_t code[12];
    size_t len;
} kernels[] = {
    {"return", NULL, {0xc3}, 1},
    {"illegal instruction", "illegal instruction", {0x0f, 0x0b}, 2},
    {"load from 0", "bad address", {0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0xc3}, 9},
    {"return after faults", NULL, {0xc3}, 1},
    {"endless loop", "does not end", {0xeb, 0xfe}, 2},
    {"division by 0", "arithmetic fault", {0x31, 0xc9, 0xf7, 0xf1, 0xc3}, 5},
    {"breakpoint", "breakpoint", {0xcc}, 1},
    {"return at the end", NULL, {0xc3}, 1},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void test_faults(struct probe *p)
{
    struct probe_kernel run[KERNELS];
    struct probe_result results[KERNELS];
    struct err e = {0};

    for (int k = 0; k < KERNELS; k++) {
        run[k] = (struct probe_kernel){
            .code = kernels[k].code, .len = kernels[k].len, .blocks_per_trip = 1};
    }
    ok(probe_run(p, run, KERNELS, results, &e), "kernels that fault cost nobody else: %s", e.text);
    for (int k = 0; k < KERNELS; k++) {
        const char *failed = results[k].failed;
        /* On a busy machine a kernel may find no quiet moment; how long it takes is no test. */
        const bool good = kernels[k].failed ? failed && strcmp(failed, kernels[k].failed) == 0
                                            : !failed || strcmp(failed, PROBE_CROWDED) == 0;
        ok(good && (!kernels[k].failed || isnan(results[k].cycles)), "%s: %s", kernels[k].name,
           failed ? failed : "runs");
    }
}

/* --- forms that fault
 * ----------------------------------------------------------------------------- */

static const struct bad_form {
    const char *form, *failed; /* NULL: is measured, or finds no quiet moment */
} bad_forms[] = {
    {"add r64, r64", NULL},          {"ud2", "illegal instruction"},
    {"stosq", "bad address"},        /* to wherever rdi points: no memory of ours */
    {"div r64", "arithmetic fault"}, /* without what sets rax and rdx: the quotient overflows */
    {"int3", "breakpoint"},          {"nop", NULL},
};
enum { BAD_FORMS = sizeof bad_forms / sizeof *bad_forms };

static void test_bad_forms(const struct fixture *f, struct probe *p)
{
    struct probe_form forms[BAD_FORMS];
    struct probe_item items[BAD_FORMS];
    struct probe_block blocks[BAD_FORMS];
    struct probe_result r[BAD_FORMS];
    struct err e = {0};

    for (int k = 0; k < BAD_FORMS; k++) {
        ok(probe_form_read(bad_forms[k].form, f->d, &forms[k], &e), "%s is a form",
           bad_forms[k].form);
        forms[k].refused = NULL;
        forms[k].n_companions = 0;
        forms[k].implicit_writes = 0; /* or the kernel would be refused */
        items[k] = (struct probe_item){&forms[k], 1};
        blocks[k] = (struct probe_block){.items = &items[k], .n_items = 1};
    }
    ok(probe_measure_stable(p, blocks, BAD_FORMS, r, f->a, &e), "forms that fault are measured");
    for (int k = 0; k < BAD_FORMS; k++) {
        const char *failed = bad_forms[k].failed;
        ok(failed ? r[k].failed && strcmp(r[k].failed, failed) == 0
                  : !r[k].failed || probe_may_recover(&r[k]),
           "%s: %s", bad_forms[k].form, r[k].failed ? r[k].failed : "measured");
    }
}

/* A sample of seconds where a tenth of one is the limit, and the next block in its turn. */
static void test_endless_form(const struct fixture *f)
{
    struct probe_settings s = probe_defaults;
    struct probe_item item = {find(f, "add r64, r64"), 1};
    const struct probe_block blocks[] = {{.items = &item, .n_items = 1},
                                         {.items = &item, .n_items = 1}};
    struct probe_result r[2];
    struct err e = {0};

    s.cycles = 1e11;
    struct probe *p = probe_open(&s, f->a, &e);
    ok(p && probe_measure(p, blocks, 2, r, &e), "a form that takes too long is measured");
    for (int k = 0; k < 2; k++) {
        ok(r[k].failed && strcmp(r[k].failed, "does not end") == 0, "and named: %s",
           r[k].failed ? r[k].failed : "measured");
    }
}

static void test_measure(const struct fixture *f, struct probe *p)
{
    struct probe_item items[] = {{find(f, "add r64, r64"), 1}, {find(f, "xadd r64, r64"), 1}};
    const struct probe_block blocks[] = {{.items = &items[0], .n_items = 1},
                                         {.items = &items[1], .n_items = 1},
                                         {.items = &items[0], .n_items = 1}};
    struct probe_result r[3];
    struct err e = {0};

    ok(probe_measure(p, blocks, 3, r, &e), "blocks are measured");
    ok(r[1].failed && strstr(r[1].failed, "xadd r64") && isnan(r[1].cycles),
       "a block without a kernel fails alone and says why");
    ok((r[0].failed || r[0].cycles > 0) && (r[2].failed || r[2].cycles > 0),
       "those around it are measured");
}

int main(void)
{
    struct err e = {0};
    struct fixture f = {.a = arena_create((size_t)1 << 28, fail_oom, NULL)};
    struct probe *p;

    f.d = decoder_open(ARCH_X86_64, &e);
    f.coder = probe_coder_new(f.a, &e);
    f.forms = probe_forms_list(f.d, f.a, &f.n_forms, &e);
    test_single_forms(&f);
    test_mixes(&f);
    test_refusals(&f);
    test_chains(&f);
    test_paths(&f);
    test_latencies(&f);
    test_rows(&f);
    p = probe_open(&probe_defaults, f.a, &e);
    if (p) {
        test_faults(p);
        test_measure(&f, p);
        test_bad_forms(&f, p);
        test_endless_form(&f);
    } else {
        ok(true, "no child process: %s # SKIP", e.text);
    }
    decoder_close(f.d);
    arena_release(f.a);
    return tap_done();
}
