#include "model/ceiling.h"
#include "tests/machine_row.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

/* A core like Zen 5's: two vector loads a cycle, FMA on two pipes, add on two more. */
enum { FP0 = 1, FP1 = 2, FP2 = 4, FP3 = 8, LD0 = 16, LD1 = 32, ST = 64, ALU0 = 128, ALU1 = 256 };
enum { FMA = FP0 | FP1, ADD = FP2 | FP3, LD = LD0 | LD1, ALU = ALU0 | ALU1 };

static struct machine_uop multiply[] = {{1, FMA}}, add[] = {{1, ADD}},
                          fma_load[] = {{1, FMA}, {1, LD}}, add_load[] = {{1, ADD}, {1, LD}},
                          load[] = {{1, LD}}, store[] = {{1, ST}}, alu[] = {{1, ALU}};
static struct machine_use uses[] = {{0, 0.5}, {1, 0.25}};

static struct machine_form forms[] = {
    ROW("vfmadd231ps V, V, V", multiply, 10),
    ROW("vfmadd231ps V, V, MV", fma_load, 11),
    ROW("vaddps V, V, V", add, 12),
    ROW("vaddps V, V, MV", add_load, 13),
    ROW("vmulps V, V, V", multiply, 14),
    ROW("vmovups V, MV", load, 15),
    ROW("vmovups MV, V", store, 16),
    ROW("add r64, imm", alu, 17),
    ROW("cmp r64, r64", alu, 18),
    ROW("jcc rel", alu, 19),
    {.form = "paddd xmm, xmm", .uses = uses, .n_uses = 2, .loc = {"m.yaml", 20, 5}},
};
static struct machine_fusion fusions[] = {
    {.first = "cmp r64, r64",
     .second = "jcc rel",
     .uops = alu,
     .n_uops = 1,
     .loc = {"m.yaml", 30, 5}},
};
static const char *resources[] = {"R0", "R1"};

static struct machine test_machine(void)
{
    return (struct machine){
        .file = "m.yaml",
        .dispatch_width = 8,
        .dispatch_width_loc = {"m.yaml", 6, 3},
        .taken_branches_per_cycle = (double)NAN,
        .ports = {"FP0", "FP1", "FP2", "FP3", "LD0", "LD1", "ST", "ALU0", "ALU1"},
        .n_ports = 9,
        .load_ports = LD,
        .line_crossing_load_slots = 2,
        .line_crossing_store_cycles = 2,
        .fusions = fusions,
        .n_fusions = 1,
        .resources = resources,
        .n_resources = 2,
        .forms = forms,
        .n_forms = sizeof forms / sizeof *forms,
    };
}

/* The 7-point stencil on one vector: six neighbours and the middle loaded, and one vector
 * stored. */
static struct form_count stencil[] = {
    {"vmovups V, MV", 1}, /* replaced by the width */
    {"vaddps V, V, MV", 5}, {"vfmadd231ps V, V, MV", 1}, {"vmulps V, V, V", 1},
    {"vmovups MV, V", 1},   {"add r64, imm", 1},         {"cmp r64, r64", 1},
    {"jb rel", 1},
};

static const struct kernel kernel_of_flops = {
    .name = "stencil", .unit = "flop/s", .element_bytes = 4, .flops_per_element = 13};

/* V and MV of the stencil written out for a width. */
static void write_out(const struct form_count *from, int n, const char *v, const char *mv,
                      struct arena *a, struct form_count *to)
{
    for (int i = 0; i < n; i++) {
        struct text form = {.arena = a};
        for (const char *at = from[i].form; *at; at++) {
            const bool memory = at[0] == 'M' && at[1] == 'V';
            if (memory || *at == 'V') {
                text_add(&form, "%s", memory ? mv : v);
                at += memory;
            } else {
                text_add(&form, "%c", *at);
            }
        }
        to[i] = (struct form_count){form.data, from[i].count};
    }
}

/* Measured on a Zen 5 server core: 4.247, 4.998 and 6.498 cycles a vector, which is (7 loads and
 * those of them that cross a line once more) over two load slots. */
static void test_stencil(struct cost_table *t)
{
    static const struct {
        const char *v, *mv;
        double elements, crossing, cycles;
        unsigned line; /* 13: most loads are of adds from memory; 0: most are second halves */
    } widths[] = {{"xmm", "m128", 4, 1.5, 4.25, 13},
                  {"ymm", "m256", 8, 3, 5, 13},
                  {"zmm", "m512", 16, 6, 6.5, 0}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        enum { N = sizeof stencil / sizeof *stencil };
        struct form_count body_forms[N];
        write_out(stencil, N, widths[i].v, widths[i].mv, cost_arena(t), body_forms);
        const struct kernel_body body = {.isa = "avx2",
                                         .forms = body_forms,
                                         .n_forms = N,
                                         .elements_per_iter = widths[i].elements,
                                         .crossing_loads_per_iter = widths[i].crossing};
        const struct kernel_ceiling_input in = {
            .kernel = &kernel_of_flops, .body = &body, .threads = 2, .clock_hz = 4e9};
        struct kernel_ceiling c = {0};
        struct err e = {0};
        ok(ceiling_of_kernel(t, &in, &c, &e), "stencil, %s %s", widths[i].v, e.text);
        is_near(c.cycles_per_iter, widths[i].cycles, 1e-12, "  cycles");
        is_near(c.cycles_per_element, widths[i].cycles / widths[i].elements, 1e-12,
                "  per element");
        is_near(c.rate, 13 * widths[i].elements / widths[i].cycles * 4e9 * 2, 1e-12, "  flop/s");
        is_near(c.schedule.cycles, widths[i].cycles, 1e-9, "  the LP says the same");
        is_near(c.schedule.port_load[4], widths[i].cycles, 1e-9, "  a load port is full");
        is_near(c.schedule.port_price[4] + c.schedule.port_price[5], 1, 1e-9,
                "  and all that costs");
        ok(c.loc.line == widths[i].line, "  because of line %u", c.loc.line);
        is_text(c.missing, "", "  nothing is missing");
        if (i == 1) {
            is_text(c.binds, "ports LD0, LD1: 10 uops on 2, 5 of them from vaddps ymm, ymm, m256",
                    "  what binds");
        }
    }
}

/* --- everything that can bind --- */

static const struct {
    const char *name;
    struct form_count forms[5];
    double crossing_stores, taken_per_cycle, width;
    double cycles;
    const char *binds;
    unsigned line;
} bindings[] = {
    {"ports",
     {{"vfmadd231ps zmm, zmm, zmm", 6}, {"vmovups zmm, m512", 2}},
     0,
     1,
     8,
     3,
     "ports FP0, FP1: 6 uops on 2, 6 of them from vfmadd231ps zmm, zmm, zmm",
     10},
    {"one port",
     {{"vmovups m512, zmm", 2}, {"vmovups zmm, m512", 2}},
     0,
     1,
     8,
     2,
     "port ST: 2 uops on 1, 2 of them from vmovups m512, zmm",
     16},
    {"the front end",
     {{"vfmadd231ps zmm, zmm, m512", 2}, {"vaddps zmm, zmm, zmm", 2}, {"add r64, imm", 2}},
     0,
     1,
     2,
     3,
     "front end: 6 slots at 2 a cycle",
     6},
    {"taken branches",
     {{"cmp r64, r64", 1}, {"jb rel", 1}},
     0,
     0.5,
     8,
     2,
     "taken branches: 1 at 0.5 a cycle",
     0},
    {"crossing stores",
     {{"vmovups m512, zmm", 2}},
     2,
     1,
     8,
     4,
     "stores that cross a line: 4 cycles",
     0},
    {"nothing", {{0}}, 0, (double)NAN, (double)NAN, 0, "nothing", 0},
};

static int count_forms(const struct form_count *list)
{
    int n = 0;
    while (n < 5 && list[n].form) {
        n++;
    }
    return n;
}

static void test_bindings(struct arena *a)
{
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        struct machine m = test_machine();
        struct err e = {0};
        m.dispatch_width = bindings[i].width;
        m.taken_branches_per_cycle = bindings[i].taken_per_cycle;
        struct form_count forms_here[5];
        memcpy(forms_here, bindings[i].forms, sizeof forms_here);
        const struct kernel_body body = {.isa = "avx2",
                                         .forms = forms_here,
                                         .n_forms = count_forms(forms_here),
                                         .crossing_stores_per_iter = bindings[i].crossing_stores};
        struct cost c = cost_new(cost_compile(&m, COST_PORTS, a, &e));
        struct ceiling_bound b = {.cycles = -1};
        struct text words = {.arena = a};

        cost_add_body(&c, &body);
        ok(ceiling_of_cost(&c, &b, &e), "%s %s", bindings[i].name, e.text);
        is_near(b.cycles, bindings[i].cycles, 1e-12, "  cycles");
        ceiling_words(&c, &b, &words);
        is_text(words.data, bindings[i].binds, "  what binds");
        ok(ceiling_loc(&c, &b).line == bindings[i].line, "  line %u", ceiling_loc(&c, &b).line);
    }
}

/* --- no number --- */

static void test_missing(struct cost_table *t)
{
    static struct form_count some[] = {{"vaddps zmm, zmm, zmm", 4}, {"vpmullq zmm, zmm, zmm", 2}};
    struct kernel_body body = {.isa = "avx2", .forms = some, .n_forms = 2, .elements_per_iter = 16};
    struct kernel_ceiling_input in = {
        .kernel = &kernel_of_flops, .body = &body, .threads = 1, .clock_hz = 4e9};
    struct kernel_ceiling c = {0};
    struct err e = {0};

    ok(ceiling_of_kernel(t, &in, &c, &e), "an unknown form is no failure %s", e.text);
    ok(isnan(c.rate) && isnan(c.cycles_per_iter), "  but there is no number");
    is_text(c.missing, "not in the machine file: vpmullq zmm, zmm, zmm (2)", "  and a reason");
    is_near(c.known_cycles_per_iter, 2, 1e-12, "  the known part is kept");

    body.n_forms = 1;
    in.clock_hz = (double)NAN;
    ok(ceiling_of_kernel(t, &in, &c, &e) && isnan(c.rate) && c.cycles_per_iter == 2,
       "without a clock there are cycles, and no rate");
    is_text(c.missing, "the clock is not known", "  which is said");
}

static void test_resources(const struct machine *m, struct arena *a)
{
    static struct form_count some[] = {{"paddd xmm, xmm", 8}};
    const struct kernel_body body = {
        .isa = "avx2", .forms = some, .n_forms = 1, .elements_per_iter = 4};
    const struct kernel_ceiling_input in = {
        .kernel = &kernel_of_flops, .body = &body, .threads = 1, .clock_hz = 1e9};
    struct kernel_ceiling c = {0};
    struct err e = {0};
    struct cost_table *t = cost_compile(m, COST_RESOURCES, a, &e);

    ok(t && ceiling_of_kernel(t, &in, &c, &e), "resources %s", e.text);
    is_near(c.cycles_per_iter, 4, 1e-12, "  cycles");
    is_text(c.binds, "resource R0: 4 of 4 cycles from paddd xmm, xmm", "  what binds");
    is_text(c.model, "resources", "  the model says its name");
    ok(c.loc.line == 20, "  and its line");
}

/* A decoded loop is taken as it is; the body gives what the code does not show. */
static void test_loop(struct cost_table *t)
{
    static struct insn insns[] = {{.form = "vmovups zmm, m512"},
                                  {.form = "vmovups m512, zmm"},
                                  {.form = "add r64, imm"},
                                  {.form = "cmp r64, r64"},
                                  {.form = "jb rel"}};
    static struct form_count stated[] = {{"vaddps zmm, zmm, zmm", 100}};
    const struct code_loop loop = {.insns = insns, .n = 5, .inner_first = -1, .inner_last = -1};
    const struct kernel_body body = {.isa = "avx2",
                                     .forms = stated,
                                     .n_forms = 1,
                                     .elements_per_iter = 16,
                                     .crossing_loads_per_iter = 4};
    const struct kernel_ceiling_input in = {
        .kernel = &kernel_of_flops, .body = &body, .loop = &loop, .threads = 1, .clock_hz = 1e9};
    struct kernel_ceiling c = {0};
    struct err e = {0};
    ok(ceiling_of_kernel(t, &in, &c, &e), "a decoded loop %s", e.text);
    is_near(c.cycles_per_iter, 2.5, 1e-12, "  goes before what the body states");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 24, oom, NULL);
    const struct machine m = test_machine();
    struct err e = {0};
    struct cost_table *t = cost_compile(&m, COST_PORTS, a, &e);

    ok(t != NULL, "the test machine compiles %s", e.text);
    test_stencil(t);
    test_bindings(a);
    test_missing(t);
    test_resources(&m, a);
    test_loop(t);
    arena_release(a);
    return tap_done();
}
