#include "model/chain.h"
#include "tests/latency.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

/* --- a machine that gives latencies, and one slot to everything --- */

static struct machine_uop alu[] = {{1, 1}};
static struct machine_latency one[] = {LATENCY(0, 0, 1)}, two[] = {LATENCY(0, 0, 2)},
                              three[] = {LATENCY(0, 0, 3)}, four[] = {LATENCY(0, 0, 4)},
                              load[] = {LATENCY(0, 0, 7)},
                              fma_load[] = {LATENCY(1, 1, 4), LATENCY(2, 1, 4), LATENCY(3, 1, 11)},
                              mul_load[] = {LATENCY(2, 1, 3), LATENCY(3, 1, 10)},
                              counter[] = {LATENCY(1, 1, 6)};
/* One register as both sources: not waited for, and waited for less long. */
static struct machine_latency all_ones[] = {SAME_LATENCY(2, 1, 1, 0.33), LATENCY(3, 1, 1)},
                              shift_double[] = {SAME_LATENCY(1, 1, 3, 1), LATENCY(2, 1, 3)};

#define ROW(pattern, list)                                                                         \
    {                                                                                              \
        .form = (pattern), .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true,                 \
        .latencies = (list), .n_latencies = (int)(sizeof(list) / sizeof *(list)), .loc = {         \
            "m.yaml",                                                                              \
            9,                                                                                     \
            1                                                                                      \
        }                                                                                          \
    }

static struct machine_form forms[] = {
    ROW("vmovups V, MV", load),
    ROW("vmovss xmm, m32", load),
    ROW("mov r64, m64", four),
    ROW("mov r32, imm", one),
    ROW("vfmadd231ps V, V, MV", fma_load),
    ROW("vfmadd213ps V, V, V", four),
    ROW("vaddps V, V, V", two),
    ROW("vaddps zmm{k}, zmm, zmm", two),
    ROW("vxorps V, V, V", one),
    ROW("vpcmpeqd xmm, xmm, xmm", all_ones),
    ROW("shld r64, r64, imm", shift_double),
    ROW("vmulss xmm, xmm, xmm", three),
    ROW("vmulss xmm, xmm, m32", mul_load),
    ROW("kandw k, k, k", one),
    ROW("adc r64, r64", one),
    ROW("add r64, r64", one),
    ROW("add r64, imm", one),
    ROW("inc r64", one),
    ROW("dec r64", one),
    ROW("cmp r64, r64", one),
    ROW("add m64, imm", counter),
    ROW("subs x, x, imm", one),
    ROW("fadd v.4s, v.4s, v.4s", three),
    ROW("ldr q, m128, post", load),
    {.form = "mov m64, r64", .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true},
    {.form = "vmovups MV, V", .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true},
    {.form = "vmovss m32, xmm", .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true},
    {.form = "str q, m128, post", .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true},
    {.form = "jcc rel", .uops = alu, .n_uops = 1, .slots = 1, .has_uops = true},
};
static const char *idioms[] = {"vxorps V, V, V"}, *moves[] = {"vmovaps V, V"};
static struct machine_fusion fusions[] = {
    {.first = "cmp r64, r64", .second = "jcc rel", .uops = alu, .n_uops = 1},
    {.first = "dec r64", .second = "jcc rel", .uops = alu, .n_uops = 1},
};

static struct machine test_machine(void)
{
    return (struct machine){.file = "m.yaml",
                            .ports = {"A"},
                            .n_ports = 1,
                            .dispatch_width = 8,
                            .rob_entries = 448,
                            .store_forward_cycles = 8,
                            .store_forward_256_cycles = (double)NAN,
                            .store_forward_512_cycles = (double)NAN,
                            .store_forward_renamed_cycles = (double)NAN,
                            .zero_idioms = idioms,
                            .n_zero_idioms = 1,
                            .eliminated_moves = moves,
                            .n_eliminated_moves = 1,
                            .fusions = fusions,
                            .n_fusions = 2,
                            .forms = forms,
                            .n_forms = sizeof forms / sizeof *forms};
}

/* The loop of a function that ends in a return, from its bytes. */
static bool decode(const char *hex, enum code_arch arch, struct arena *a, struct code_loop *out)
{
    uint8_t *code;
    size_t len;
    struct err e = {0};
    const bool found = code_from_hex(hex, LOC_NONE, a, &code, &len, &e) &&
                       loop_find(code, len, 0x1000, arch, a, out, &e);
    if (!found) {
        ok(false, "%s: %s", hex, e.text);
    }
    return found;
}

static struct chain_bound find(const struct code_loop *l, double trips, const struct machine *m,
                               struct arena *a)
{
    struct chain_bound c = {.missing = ""};
    struct err e = {0};
    struct cost_table *t = cost_compile(m, COST_PORTS, a, &e);
    if (!t || !chain_find(l, trips, t, &c, &e)) {
        ok(false, "no chains: %s", e.text);
    }
    return c;
}

/* --- one loop --- */

static const struct {
    const char *name;
    enum code_arch arch;
    const char *hex;
    double cycles;
    const char *words; /* NULL: not of interest */
} loops[] = {
    {"one accumulator, from a register to itself", ARCH_X86_64,
     "62f17c48100f62f27548b8064883c7404883c6404839d772e7c3", 4,
     "1 of vfmadd231ps zmm, zmm, m512 (4 cycles): 4 cycles over 1 iteration"},
    {"a zero idiom breaks the chain", ARCH_X86_64, "62f17c4857c062f17c4858c14883c7404839d772ebc3",
     1, "1 of add r64, imm (1 cycle): 1 cycle over 1 iteration"},
    {"the same form of two registers does not", ARCH_X86_64,
     "62f17c4857c262f17c4858c14883c7404839d772ebc3", 3, NULL},
    {"a compare of a register with itself waits for nothing", ARCH_X86_64,
     "c5f976c062d17c4858c04883c7404839d775edc3", 1, NULL},
    {"a double shift of one register", ARCH_X86_64, "480fa4c00348ffc975f6c3", 1, NULL},
    {"of two", ARCH_X86_64, "480fa4d80348ffc975f6c3", 3, NULL},
    {"an eliminated move adds no cycle", ARCH_X86_64,
     "62f17c4828c862f1744858c24883c7404839d772ebc3", 2,
     "1 of vmovaps zmm, zmm (0 cycles), 1 of vaddps zmm, zmm, zmm (2 cycles): 2 cycles over 1 "
     "iteration"},
    {"the carry flag, which dec leaves alone", ARCH_X86_64, "4811d84811d84d11c848ffc975f2c3", 3,
     "3 of adc r64, r64 (1 cycle): 3 cycles over 1 iteration"},
    {"a mask register", ARCH_X86_64, "c5f441cac5f441cb48ffc975f3c3", 2,
     "2 of kandw k, k, k (1 cycle): 2 cycles over 1 iteration"},
    {"a merged destination", ARCH_X86_64, "62f1744958c248ffc975f5c3", 2,
     "1 of vaddps zmm{k}, zmm, zmm (2 cycles): 2 cycles over 1 iteration"},
    {"a[i] = a[i-1] * x, through memory", ARCH_X86_64,
     "c5fa1047fcc5fa59c1c5fa11074883c7044839d772eac3", 11,
     "1 of vmovss xmm, m32 (8 cycles), 1 of vmulss xmm, xmm, xmm (3 cycles), 1 of vmovss m32, xmm "
     "(0 cycles): 11 cycles over 1 iteration"},
    {"a[i] = a[i-2] * x, by an index", ARCH_X86_64,
     "c5fa10448ff8c5fa59c1c5fa11048f48ffc14839d172e9c3", 5.5, NULL},
    {"a[i] = x * a[i-1], loaded by the multiplication", ARCH_X86_64,
     "c5f25947fcc5fa11074883c7044839d772eec3", 11, NULL},
    {"a[i] = a[i+1] * x waits for nothing", ARCH_X86_64,
     "c5fa104704c5fa59c1c5fa11074883c7044839d772eac3", 1, NULL},
    {"a scalar kept in memory", ARCH_X86_64, "c5fa1007c5fa59c1c5fa110748ffc975efc3", 11, NULL},
    {"... and overwritten by another", ARCH_X86_64, "c5fa1007c5fa59c1c5fa1107c5fa111748ffc975ebc3",
     1, NULL},
    {"another register is taken to be another place", ARCH_X86_64,
     "c5fa1046fcc5fa59c1c5fa11074883c7044883c6044839d772e6c3", 1, NULL},
    {"a pointer chased: its places cannot be compared", ARCH_X86_64,
     "488b3fc5fa1007c5fa59c1c5fa110748ffc975ecc3", 4,
     "1 of mov r64, m64 (4 cycles): 4 cycles over 1 iteration"},
    {"a counter in memory", ARCH_X86_64, "4883070148ffc975f7c3", 6,
     "1 of add m64, imm (6 cycles): 6 cycles over 1 iteration"},
    {"places at both ends of memory", ARCH_X86_64,
     "48a1000000000000009048a3000000000000007048ffc975e7c3", 1, NULL},
    {"AArch64: a post-indexed load does not delay its base", ARCH_AARCH64,
     "0004c13c21d4204e420400f1a1ffff54c0035fd6", 3,
     "1 of fadd v.4s, v.4s, v.4s (3 cycles): 3 cycles over 1 iteration"},
    {"AArch64: nor does a store", ARCH_AARCH64, "0004813c420400f1c1ffff54c0035fd6", 1, NULL},
};

static void test_loops(const struct machine *m, struct arena *a)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct code_loop l;
        if (!decode(loops[i].hex, loops[i].arch, a, &l)) {
            continue;
        }
        const struct chain_bound c = find(&l, 0, m, a);
        is_near(c.cycles_per_iter, loops[i].cycles, 1e-9, loops[i].name);
        is_text(c.missing, "", "  nothing is missing");
        ok(c.strict && c.restart_cycles == 0, "  strict");
        struct text words = {.arena = a};
        chain_words(&l, &c.carried, &words);
        if (loops[i].words) {
            is_text(words.data, loops[i].words, "  its chain");
        }
    }
}

/* Every step must wait for the one before it, and together they must be the bound. */
static void test_steps(const struct machine *m, struct arena *a)
{
    struct code_loop l;
    if (!decode("c5fa10448ff8c5fa59c1c5fa11048f48ffc14839d172e9c3", ARCH_X86_64, a, &l)) {
        return;
    }
    const struct chain_cycle c = find(&l, 0, m, a).carried;
    ok(c.n_steps == 3 && c.latency == 11 && c.distance == 2, "two iterations, 11 cycles");
    for (int i = 0; i < c.n_steps; i++) {
        const struct insn *insn = &l.insns[c.steps[i].insn];
        const struct insn *before = &l.insns[c.steps[(i + c.n_steps - 1) % c.n_steps].insn];
        bool waits = c.steps[i].reg == 0 ? insn->loads && before->stores : false;
        for (int k = 0; k < before->n_writes; k++) {
            waits |= before->writes[k] == c.steps[i].reg;
        }
        ok(waits, "%s waits for %s", insn->form, before->form);
    }
}

static void test_missing(struct arena *a)
{
    struct machine m = test_machine();
    struct code_loop l;
    if (decode("62f2fd4840c162f2dd4840dd48ffc975efc3", ARCH_X86_64, a, &l)) {
        const struct chain_bound c = find(&l, 0, &m, a);
        ok(isnan(c.cycles_per_iter), "a latency that is missing on a cycle: no bound");
        is_near(c.known_cycles_per_iter, 1, 1e-9, "  the known ones alone");
        is_text(c.missing, "vpmullq zmm, zmm, zmm", "  its name, once");
        ok(isnan(c.path.cycles) && isnan(c.overlap_cycles), "  nor a path");
    }
    m.store_forward_cycles = (double)NAN;
    if (decode("c5fa1047fcc5fa59c1c5fa11074883c7044839d772eac3", ARCH_X86_64, a, &l)) {
        const struct chain_bound c = find(&l, 0, &m, a);
        ok(isnan(c.cycles_per_iter), "unknown store forwarding: no bound");
        is_text(c.missing, "store forwarding to vmovss xmm, m32", "  its name");
    }
    if (decode("c5fa104704c5fa59c1c5fa11074883c7044839d772eac3", ARCH_X86_64, a, &l)) {
        ok(find(&l, 0, &m, a).cycles_per_iter == 1,
           "  which does not matter where no cycle has it");
    }
}

/* Measured on a Golden Cove server core: 1 cycle, of the add, but for the index: 6. */
static void test_renamed(struct arena *a)
{
    static const struct {
        const char *name, *hex;
        double plain, renamed;
    } cases[] = {
        {"a sum kept in memory", "488b074801d048890748ffc975f2c3", 9, 1},
        {"a[i] = a[i-1] + x", "488b47f84801d04889074883c70848ffc975edc3", 9, 1},
        {"... by an index", "488b44cff84801d0488904cf48ffc14839d175ecc3", 9, 9},
        {"a vector", "c5fa1007c5fa59c1c5fa110748ffc975efc3", 11, 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = test_machine();
        struct code_loop l;
        if (decode(cases[i].hex, ARCH_X86_64, a, &l)) {
            m.store_forward_renamed_cycles = (double)NAN;
            is_near(find(&l, 0, &m, a).cycles_per_iter, cases[i].plain, 1e-9, cases[i].name);
            m.store_forward_renamed_cycles = 0;
            is_near(find(&l, 0, &m, a).cycles_per_iter, cases[i].renamed, 1e-9, "  renamed");
        }
    }
}

static void test_forward_widths(struct arena *a)
{
    static const struct {
        const char *name, *hex;
        double cycles;
    } cases[] = {
        {"a sum of 128 bits kept in memory", "c5f81007c5f858c1c5f8110748ffc975efc3", 10},
        {"of 256", "c5fc1007c5fc58c1c5fc110748ffc975efc3", 11},
        {"of 512", "62f17c48100762f17c4858c162f17c48110748ffc975e9c3", 13},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = test_machine();
        struct code_loop l;
        if (decode(cases[i].hex, ARCH_X86_64, a, &l)) {
            is_near(find(&l, 0, &m, a).cycles_per_iter, 10, 1e-9, cases[i].name);
            m.store_forward_256_cycles = 9;
            m.store_forward_512_cycles = 11;
            is_near(find(&l, 0, &m, a).cycles_per_iter, cases[i].cycles, 1e-9, "  by width");
        }
    }
}

/* Measured on a Golden Cove server core: a multiplication that reads a sum takes a cycle more, also
 * for what it adds to; a sum that reads one does not. */
static void test_others_wait(struct arena *a)
{
    static const struct {
        const char *name, *hex;
        double cycles, then;
    } cases[] = {
        {"products of sums, added up", "c5ec58c3c4e27da8c848ffc975f2c3", 4, 5},
        {"sums of sums", "c5ec58c3c5f458c848ffc975f3c3", 2, 2},
    };
    struct machine_form changed[sizeof forms / sizeof *forms];
    memcpy(changed, forms, sizeof forms);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        changed[i].others_wait_cycles = strcmp(forms[i].form, "vaddps V, V, V") == 0;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = test_machine();
        struct code_loop l;
        if (decode(cases[i].hex, ARCH_X86_64, a, &l)) {
            is_near(find(&l, 0, &m, a).cycles_per_iter, cases[i].cycles, 1e-9, cases[i].name);
            m.forms = changed;
            is_near(find(&l, 0, &m, a).cycles_per_iter, cases[i].then, 1e-9, "  others wait");
        }
    }
}

/* --- an inner loop --- */

static void test_restart(const struct machine *m, struct arena *a)
{
    struct code_loop l;
    if (!decode("62f17c48100762d17c4828cfb90800000062d27d48a8ce48ffc975f562f17c48110f4883c7404839d7"
                "72d5c3",
                ARCH_X86_64, a, &l)) {
        return;
    }
    const struct chain_bound c = find(&l, 8, m, a);
    is_near(c.inner.cycles, 4, 1e-9, "eight trips of an FMA chain that starts anew: 4 a trip");
    is_near(c.restart_cycles, 32, 1e-9, "  32 if iterations cannot overlap");
    is_near(c.carried.cycles, 1, 1e-9, "  1 if nothing limits that");
    ok(!c.strict, "  so it is not strict");
    is_near(c.path.cycles, 7 + 32, 1e-9, "  39 from the load to the store");
    struct text words = {.arena = a};
    chain_words(&l, &c.path, &words);
    is_text(
        words.data,
        "1 of vmovups zmm, m512 (7 cycles), 8 of vfmadd213ps zmm, zmm, zmm (4 cycles): 39 cycles, "
        "22 iterations at once",
        "  and which way");
    /* 22 slots: six outside and two in each trip, of which cmp with jb and dec with jnz are one. */
    is_near(c.overlap_cycles, 39.0 / (1 + 21), 1e-9,
            "  at most 22 iterations in the reorder buffer");
    is_near(c.cycles_per_iter, 39.0 / 22, 1e-9, "  which is the bound");

    struct machine unknown = *m;
    unknown.rob_entries = (double)NAN;
    const struct chain_bound u = find(&l, 8, &unknown, a);
    ok(isnan(u.overlap_cycles) && u.cycles_per_iter == 1, "an unknown buffer limits nothing");
    unknown.rob_entries = 10;
    const struct chain_bound small = find(&l, 8, &unknown, a);
    is_near(small.cycles_per_iter, 39.0 / 2, 1e-9, "a small one holds two iterations in part");
}

static void test_continue(const struct machine *m, struct arena *a)
{
    static const double trips[] = {1, 8, 40, 100, 100.5, 1000, 1e6};
    struct code_loop l;
    if (!decode("62f17c481007b90800000062d27d48a8ce48ffc975f54883c7404839d772e1c3", ARCH_X86_64, a,
                &l)) {
        return;
    }
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        const struct chain_bound c = find(&l, trips[i], m, a);
        is_near(c.carried.cycles, 4 * trips[i], 1e-9, "a chain that goes on from trip to trip");
        ok(c.strict, "  is strict, %g trips", trips[i]);
    }
}

static void test_refusals(const struct machine *m, struct arena *a)
{
    static const double bad[] = {0, -1, (double)NAN, HUGE_VAL};
    struct code_loop l;
    struct err unused = {0};
    struct cost_table *t = cost_compile(m, COST_PORTS, a, &unused);
    for (size_t i = 0; decode("62f17c48100762d17c4828cfb90800000062d27d48a8ce48ffc975f562f17c48110f"
                              "4883c7404839d772d5c3",
                              ARCH_X86_64, a, &l) &&
                       i < 4;
         i++) {
        struct chain_bound c;
        struct err e = {0};
        ok(!chain_find(&l, bad[i], t, &c, &e) && e.code == ERR_RANGE, "%s", e.text);
    }
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 28, oom, NULL);
    const struct machine m = test_machine();

    test_loops(&m, a);
    test_steps(&m, a);
    test_missing(a);
    test_renamed(a);
    test_forward_widths(a);
    test_others_wait(a);
    test_restart(&m, a);
    test_continue(&m, a);
    test_refusals(&m, a);
    arena_release(a);
    return tap_done();
}
