#include "base/random.h"
#include "measure/probe_latency.h"
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

/* --- what a kernel promises, read from its machine code ----------------------------------------- */

enum { LOOP_MAX = 300 };

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

static bool has(const code_reg *regs, int n, code_reg r)
{
    for (int k = 0; k < n; k++) {
        if (regs[k] == r) {
            return true;
        }
    }
    return false;
}

static bool is_flag(const struct decoder *d, code_reg r)
{
    return strstr(code_reg_name(d, r), "flag") != NULL;
}

enum touch { READS = 1, WRITES = 2, UPDATES = 4, FROM_FLAGS = 8, TO_FLAGS = 16 };

static bool touches_flag(const struct decoder *d, const code_reg *regs, int n)
{
    for (int k = 0; k < n; k++) {
        if (is_flag(d, regs[k])) {
            return true;
        }
    }
    return false;
}

/* What one instruction does to every register, in touched[], and how often it is updated. */
static void touch(const struct decoder *d, const struct insn *i, int touched[CODE_REGS_MAX],
                  int updates[CODE_REGS_MAX])
{
    const int flags = (touches_flag(d, i->reads, i->n_reads) ? FROM_FLAGS : 0) |
                      (touches_flag(d, i->writes, i->n_writes) ? TO_FLAGS : 0);

    for (int k = 0; k < i->n_reads; k++) {
        const code_reg r = i->reads[k];
        const bool updated = has(i->writes, i->n_writes, r);
        touched[r] |= updated ? UPDATES | flags : READS;
        updates[r] += updated && !has(i->reads, k, r);
    }
    for (int k = 0; k < i->n_writes; k++) {
        touched[i->writes[k]] |= has(i->reads, i->n_reads, i->writes[k]) ? 0 : WRITES;
    }
}

/* Registers are sources, results or updates, never two of these.  No instruction hands flags on, and
 * none hands to flags what it has from a register that came from flags.  Many updates are spread. */
static const char *dependence(const struct decoder *d, const struct insn *body, int n)
{
    static int touched[CODE_REGS_MAX], updates[CODE_REGS_MAX];
    int registers = 0, sum = 0, most = 0;

    memset(touched, 0, sizeof touched);
    memset(updates, 0, sizeof updates);
    for (int i = 0; i < n; i++) {
        touch(d, &body[i], touched, updates);
    }
    for (code_reg r = 1; r < CODE_REGS_MAX; r++) {
        const int t = touched[r];
        if (is_flag(d, r)) {
            if (t & UPDATES) {
                return "flags are handed on";
            }
            continue;
        }
        if ((t & UPDATES && t & (READS | WRITES)) || (t & READS && t & WRITES)) {
            return code_reg_name(d, r);
        }
        if (t & FROM_FLAGS && t & TO_FLAGS) {
            return "from flags to flags by a register";
        }
        registers += updates[r] > 0;
        sum += updates[r];
        most = updates[r] > most ? updates[r] : most;
    }
    return sum >= 100 && (registers < 4 || 2 * most > sum) ? "too few registers" : NULL;
}

static const char *memory(const struct decoder *d, const struct insn *body, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < body[i].n_mem; k++) {
            const struct insn_mem *m = &body[i].mem[k];
            const int64_t at = m->displacement;
            if (strcmp(code_reg_name(d, m->base), "r14") != 0 || m->index || at < 0 ||
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
    for (int k = 0; k < b->n_items; k++) {
        if (count_form(insns, n - 2, b->items[k].form->code.text) !=
            b->items[k].count * shape.blocks_per_trip) {
            return "other instructions than asked for";
        }
    }
    const char *wrong = dependence(f->d, insns, n - 2);
    return wrong ? wrong : memory(f->d, insns, n - 2);
}

static void test_single_forms(const struct fixture *f)
{
    int tried = 0, wrong = 0, refused = 0;

    for (int i = 0; i < f->n_forms; i++) {
        struct probe_item item = {&f->forms[i], 1};
        const struct probe_block b = {.items = &item, .n_items = 1};
        if (f->forms[i].refused) {
            refused++;
            continue;
        }
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
        if (!taken) {
            items[n++] = (struct probe_item){form, 1 + random_below(r, 4)};
        }
    }
    return n;
}

static void test_mixes(const struct fixture *f)
{
    struct random r = {7};
    int tried = 0, wrong = 0;

    while (tried < 1000) {
        struct probe_item items[16];
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
        {"adc r64, r64", "flags"},
        {"div r64", "register that cannot be chosen"},
        {"push r64", "stack pointer"},
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

/* --- chains -------------------------------------------------------------------------------------- */

/* Whether each instruction reads, as operand `from`, a register that the one before wrote as `to`. */
static bool is_chain(const struct insn *body, int n, const struct probe_chain *c)
{
    for (int i = 1; i < n; i++) {
        bool linked = false;
        for (int w = 0; w < body[i - 1].n_writes; w++) {
            for (int r = 0; r < body[i].n_reads; r++) {
                linked |= body[i - 1].write_operand[w] == c->to &&
                          body[i].read_operand[r] == c->from &&
                          body[i - 1].writes[w] == body[i].reads[r];
            }
        }
        if (!linked) {
            return false;
        }
    }
    return true;
}

static void test_chains(const struct fixture *f)
{
    static struct insn insns[LOOP_MAX];
    int tried = 0, wrong = 0;

    for (int i = 0; i < f->n_forms; i++) {
        struct probe_chain chains[PROBE_LATENCIES_MAX + 1];
        struct probe_item item = {&f->forms[i], 1};
        const int n_chains = f->forms[i].refused ? 0 : probe_latency_chains(&f->forms[i], chains);
        for (int k = 0; k < n_chains; k++) {
            uint8_t code[PROBE_CODE_BYTES];
            struct probe_code shape;
            struct err e = {0};
            const struct probe_block b = {.items = &item, .n_items = 1, .chain = chains[k]};
            const bool good = probe_code_emit(f->coder, &b, code, &shape, &e);
            const int n = good ? read_loop(f->d, code, &shape, insns) : 0;
            tried++;
            if (n < PROBE_INSNS_MIN || !is_chain(insns, n - 2, &chains[k])) {
                wrong++;
                printf("# %s, operand %d to %d: no chain %s\n", f->forms[i].code.text,
                       chains[k].from, chains[k].to, e.text);
            }
        }
    }
    ok(tried > 300 && wrong == 0, "%d chains wait in every instruction for the one before", tried);

    struct probe_chain chains[PROBE_LATENCIES_MAX + 1];
    ok(probe_latency_chains(find(f, "add m64, r64"), chains) == 0,
       "nothing is chained where no register is written");
    ok(probe_latency_chains(find(f, "add r64, r64"), chains) == 3 && chains[0].from == 1 &&
           chains[1].from == 2 && chains[1].to == 1 && chains[2].same_source,
       "an updated operand, a source, and both at once");
}

/* --- the child process --------------------------------------------------------------------------- */

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

static void test_measure(const struct fixture *f, struct probe *p)
{
    struct probe_item items[] = {{find(f, "add r64, r64"), 1}, {find(f, "div r64"), 1}};
    const struct probe_block blocks[] = {{.items = &items[0], .n_items = 1},
                                         {.items = &items[1], .n_items = 1},
                                         {.items = &items[0], .n_items = 1}};
    struct probe_result r[3];
    struct err e = {0};

    ok(probe_measure(p, blocks, 3, r, &e), "blocks are measured");
    ok(r[1].failed && strstr(r[1].failed, "div r64") && isnan(r[1].cycles),
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
    p = probe_open(&probe_defaults, f.a, &e);
    if (p) {
        test_faults(p);
        test_measure(&f, p);
    } else {
        ok(true, "no child process: %s # SKIP", e.text);
    }
    decoder_close(f.d);
    arena_release(f.a);
    return tap_done();
}
