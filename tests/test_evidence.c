/* What predictions stand on: the code that ran, the clock beside the roofs, the instruction mix;
 * and the article's stencil, whose seven loads bind. */
#include "base/file.h"
#include "compare/join.h"
#include "tests/compare_fixture.h"
#include "tests/latency.h"
#include "tests/tap.h"

/* A loop of one addition from memory: vaddps ymm0, ymm0, [rdi]; add rdi, 32; dec rsi; jnz; ret. */
static const char one_add[] = "c5fc58074883c72048ffce75f3c3";
/* The same with two additions. */
static const char two_adds[] = "c5fc5807c5f458084883c72048ffce75efc3";

enum { VEC = 1, LOAD = 2, ALU = 4 };
static struct machine_uop add_uops[] = {{1, VEC}, {1, LOAD}}, alu_uops[] = {{1, ALU}},
                          fma_uops[] = {{1, VEC}};
static struct machine_latency four[] = {LATENCY(0, 0, 4)}, single[] = {LATENCY(0, 0, 1)};
#define ROW(pattern, list, cycles)                                                                 \
    {                                                                                              \
        .form = (pattern), .uops = (list), .n_uops = (int)(sizeof(list) / sizeof *(list)),         \
        .has_uops = true, .slots = 1, .latencies = (cycles), .n_latencies = 1, .loc = {            \
            "m.yaml",                                                                              \
            7,                                                                                     \
            5                                                                                      \
        }                                                                                          \
    }
static struct machine_form forms[] = {
    ROW("vaddps ymm, ymm, m256", add_uops, four),
    ROW("vfmadd231ps ymm, ymm, ymm", fma_uops, four),
    ROW("add r64, imm", alu_uops, single),
    ROW("dec r64", alu_uops, single),
    ROW("jnz rel", alu_uops, single),
};

static struct machine small_machine(void)
{
    return (struct machine){.file = "m.yaml",
                            .name = "small",
                            .isa = "x86-64",
                            .dispatch_width = 8,
                            .taken_branches_per_cycle = NAN,
                            .line_crossing_load_slots = NAN,
                            .line_crossing_store_cycles = NAN,
                            .write_allocate = -1,
                            .ports = {"VEC", "LOAD", "ALU"},
                            .n_ports = 3,
                            .forms = forms,
                            .n_forms = sizeof forms / sizeof *forms};
}

static struct form_count adds[] = {
    {"vaddps ymm, ymm, m256", 1}, {"add r64, imm", 1}, {"dec r64", 1}, {"jnz rel", 1}};
static struct form_count fmas[] = {{"vfmadd231ps ymm, ymm, ymm", 10}, {"jnz rel", 1}};
static struct form_count odd[] = {{"vpmullq ymm, ymm, ymm", 2}, {"jnz rel", 1}};
static struct kernel_stream read_x[] = {{"x", STREAM_READ}};

#define BODY(list, elements)                                                                       \
    (struct kernel_body[])                                                                         \
    {                                                                                              \
        {                                                                                          \
            .isa = "avx2", .elements_per_iter = (elements), .forms = (list),                       \
            .n_forms = sizeof(list) / sizeof *(list), .loads_per_iter = NAN,                       \
            .stores_per_iter = NAN, .independent_chains = NAN, .flops_per_iter = NAN               \
        }                                                                                          \
    }

static struct kernels small_kernels(void)
{
    static struct kernel_body add_body[1], odd_body[1], fma_body[1];
    static struct kernel kernels[2], roofs[1];
    add_body[0] = BODY(adds, 8)[0];
    odd_body[0] = BODY(odd, 8)[0];
    fma_body[0] = BODY(fmas, 8)[0];
    kernels[0] = (struct kernel){.name = "sum",
                                 .formula = "s += x",
                                 .element_bytes = 4,
                                 .flops_per_element = 1,
                                 .streams = read_x,
                                 .n_streams = 1,
                                 .roof = "read",
                                 .compute_roof = "fma_f32",
                                 .unit = "flop/s",
                                 .intensity = 0.25,
                                 .hand_fixed = true,
                                 .bodies = add_body,
                                 .n_bodies = 1};
    kernels[1] = kernels[0];
    kernels[1].name = "odd";
    kernels[1].bodies = odd_body;
    roofs[0] = (struct kernel){.name = "fma_f32",
                               .formula = "a += b * c",
                               .flops_per_element = 20,
                               .unit = "flop/s",
                               .bodies = fma_body,
                               .n_bodies = 1};
    return (struct kernels){
        .file = "k.yaml", .kernels = kernels, .n_kernels = 2, .roofs = roofs, .n_roofs = 1};
}

static double seconds[] = {1, 1, 1, 1, 1, 1, 1};

static struct run_case measured_case(enum run_kind kind, const char *name, double rate,
                                     double *clock)
{
    struct run_case c = fixture_measured(fixture_recorded(kind, name, "L1", 1, rate), seconds, 7);
    c.isa = "avx2";
    c.clock_hz = clock;
    return c;
}

static const struct row *row_named(const struct comparison *c, const char *name)
{
    for (int i = 0; i < c->n_rows; i++) {
        if (strcmp(c->rows[i].name, name) == 0) {
            return &c->rows[i];
        }
    }
    return NULL;
}

static bool noted(const struct comparison *c, const char *part, bool loud)
{
    for (int i = 0; i < c->n_notes; i++) {
        if (strstr(c->notes[i].text, part) && c->notes[i].violated == loud) {
            return true;
        }
    }
    return false;
}

/* Clock 2 GHz beside the roof: ten FMAs on one pipe would make 32 GFLOP/s. */
static double roof_clock[] = {2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9};
static double other_clock[] = {9e9, 9e9, 9e9, 9e9, 9e9, 9e9, 9e9};

static const struct comparison *join(double fma_rate, double sum_rate, struct run_loop *loops,
                                     int n_loops, struct arena *a)
{
    static struct run_case cases[3];
    static struct run run;
    struct machine *m = arena_new(a, struct machine, 1);
    struct kernels *k = arena_new(a, struct kernels, 1);
    cases[0] = measured_case(RUN_ROOF, "fma_f32", fma_rate, roof_clock);
    cases[1] = measured_case(RUN_KERNEL, "sum", sum_rate, other_clock);
    cases[2] = measured_case(RUN_KERNEL, "odd", sum_rate, other_clock);
    run = fixture_run(cases, 3);
    run.loops = loops;
    run.n_loops = n_loops;
    *m = small_machine();
    *k = small_kernels();
    return comparison_join(&run, k, m, a);
}

static void check_code(struct arena *a)
{
    struct run_loop two[] = {
        {.name = "sum", .isa = "avx2", .code = two_adds, .elements_per_iter = 16}};
    struct run_loop one[] = {
        {.name = "sum", .isa = "avx2", .code = one_add, .elements_per_iter = 8}};
    struct run_loop bad[] = {{.name = "sum", .isa = "avx2", .code = "c3", .elements_per_iter = 8}};
    const struct comparison *c = join(320e9, 1e9, two, 1, a);
    const struct ran_loop *ran = evidence_loop(c->evidence, "sum", "avx2");
    ok(ran && !ran->problem[0] && strstr(ran->differences, "stated 1, the code has 2"),
       "promise and code differ");
    ok(noted(c, "CODE DIFFERS: sum (avx2)", true), "of a loop fixed by hand: loudly");
    /* Three ALU uops on one port, sixteen elements. */
    is_near(row_named(c, "sum")->ceilings[MODEL_PORTS].rate, 16 * 2e9 / 3, 1e-12,
            "the code that ran is predicted");
    c = join(320e9, 1e9, one, 1, a);
    ok(!evidence_loop(c->evidence, "sum", "avx2")->differences[0] && !noted(c, "DIFFERS", true),
       "no difference, no word");
    c = join(320e9, 1e9, NULL, 0, a);
    is_near(row_named(c, "sum")->ceilings[MODEL_PORTS].rate, 8 * 2e9 / 3, 1e-12,
            "without code what is stated");
    c = join(320e9, 1e9, bad, 1, a);
    ok(isnan(row_named(c, "sum")->ceilings[MODEL_PORTS].rate) && noted(c, "cannot be read", true),
       "unreadable code: no number, and why");
}

/* The one sum is carried from addition to addition. */
static void check_chain(struct arena *a)
{
    struct run_loop one[] = {
        {.name = "sum", .isa = "avx2", .code = one_add, .elements_per_iter = 8}};
    const struct comparison *c = join(320e9, 1e9, one, 1, a);
    const struct row *sum = row_named(c, "sum");
    is_near(sum->ceilings[MODEL_CHAINS].rate, 8 * 2e9 / 4, 1e-12, "a chain of four cycles");
    ok(strstr(sum->ceilings[MODEL_CHAINS].binds, "chain: 1 of vaddps ymm, ymm, m256 (4 cycles)"),
       "is named: %s", sum->ceilings[MODEL_CHAINS].binds);
    is_near(sum->ladder.rungs[RUNG_CHAINS].ceiling.rate, 8 * 2e9 / 4, 1e-12,
            "and is the lowest rung");
    forms[0].n_latencies = 0;
    c = join(320e9, 1e9, one, 1, a);
    forms[0].n_latencies = 1;
    ok(isnan(row_named(c, "sum")->ceilings[MODEL_CHAINS].rate), "an unknown latency: no number");
    ok(strstr(row_named(c, "sum")->ceilings[MODEL_CHAINS].missing, "vaddps ymm, ymm, m256"),
       "and which: %s", row_named(c, "sum")->ceilings[MODEL_CHAINS].missing);
}

static void check_unknown(struct arena *a)
{
    const struct comparison *c = join(320e9, 1e9, NULL, 0, a);
    struct text words = {.arena = a};
    const struct row *odd_row = row_named(c, "odd");
    ok(isnan(odd_row->ceilings[MODEL_PORTS].rate), "an unknown form: no number");
    row_words(c, odd_row, &words);
    ok(strstr(words.data, "no ports: not in the machine file: vpmullq ymm, ymm, ymm (2)"),
       "the row names it: %s", words.data);
    is_text(row_tighter(odd_row), "unknown", "and nothing is tighter");
    is_near(c->accuracy[MODEL_PORTS].coverage, 0.5, 1e-12, "it counts against coverage");
}

/* Models see no measured kernel: not its rate, not its clock. */
static void check_blind(struct arena *a)
{
    const struct comparison *slow = join(32e9, 1e9, NULL, 0, a);
    const double before = row_named(slow, "sum")->ceilings[MODEL_PORTS].rate;
    const struct comparison *fast = join(32e9, 123e9, NULL, 0, a);
    is_near(row_named(fast, "sum")->ceilings[MODEL_PORTS].rate, before, 0,
            "a faster kernel has the same ceiling");
    const struct core_clock *clock = evidence_clock(fast->evidence, "avx2", 1);
    is_near(clock->hz, 2e9, 0, "the clock is the one beside the roofs");
    ok(clock->beside_roofs, "and known to be");
}

static struct chosen_clock clock_of(const struct comparison *c, const char *kernel, int threads)
{
    const struct model_input in = {.kernel = kernels_find(c->kernels, kernel),
                                   .isa = "avx2",
                                   .level = "L1",
                                   .threads = threads,
                                   .evidence = c->evidence};
    return clock_for(&in);
}

static void check_clocks(struct arena *a)
{
    /* 20 flops and 8 elements in ten cycles: 16 flops a cycle. */
    const struct comparison *c = join(28e9, 1e9, NULL, 0, a);
    const struct core_clock *clock = evidence_clock(c->evidence, "avx2", 1);
    is_near(clock->under_fma_hz, 28e9 / 16, 1e-12, "the clock under FMA: the roof's rate over 16");
    is_near(clock_of(c, "sum", 1).hz, 2e9, 0, "the clock that was read beside its roof");
    ok(isnan(clock_of(c, "sum", 7).hz), "no roof on so many threads: no clock");
}

static void check_no_machine(struct arena *a)
{
    struct run_case cases[] = {fixture_recorded(RUN_KERNEL, "saxpy", "L1", 1, 1e9)};
    const struct run run = fixture_run(cases, 1);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    ok(isnan(c->rows[0].ceilings[MODEL_PORTS].rate), "no machine file: the ports are unknown");
    ok(noted(c, "gambrel machine new begins one", false), "and what to do is said");
}

static const struct comparison *read_article(struct arena *a, struct err *e)
{
    struct bytes run, kernels, machine;
    if (!file_read("results/apple-m4-pro-article.yaml", a, &run, e) ||
        !file_read("kernels.yaml", a, &kernels, e) ||
        !file_read("machines/apple-m4-pro.yaml", a, &machine, e)) {
        return NULL;
    }
    const struct run *r = run_read(run, "article", a, e);
    const struct kernels *k = kernels_read(kernels, "kernels.yaml", a, e);
    const struct machine *m = machine_read(machine, "m4", a, e);
    return r && k && m ? comparison_join(r, k, m, a) : NULL;
}

/* Seven loads on three load pipes while four FMA pipes could take 52 flops in 1.625 cycles. */
static void check_article(struct arena *a)
{
    struct err e = {0};
    const struct comparison *c = read_article(a, &e);
    ok(c != NULL, "the article is read: %s", e.text);
    for (int i = 0; c && i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (strcmp(row->name, "stencil") || strcmp(row->level, "L1")) {
            continue;
        }
        const double peak =
            roof_find(c->roofs, c->n_roofs, "fma_f32", "neon", "L1", row->threads)->rate;
        is_near(row->ceilings[MODEL_PORTS].rate / peak, 0.696, 1e-3,
                "stencil: the ports bound it at 0.696 of the FMA peak");
        is_text(row_tighter(row), "ports", "tighter than the roofline");
        ok(strstr(row->ceilings[MODEL_PORTS].binds, "LS1, LS2, LS3: 56 uops on 3"), "by the loads");
        ok(row->measured.rate / peak > 0.6 && row->measured.rate / peak < 0.64, "measured: 0.63");
        ok(row_explained_by(row) == MODEL_PORTS, "which explains it best");
    }
}

int main(void)
{
    struct arena *a = fixture_arena();
    check_code(a);
    check_chain(a);
    check_unknown(a);
    check_blind(a);
    check_clocks(a);
    check_no_machine(a);
    check_article(a);
    arena_release(a);
    return tap_done();
}
