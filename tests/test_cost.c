#include "model/cost.h"
#include "tests/machine_row.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

/* --- a machine made for the test: ports A0 A1 (integer), V0 V1 (vector), L0 L1 (load), S (store)
 * --- */

enum {
    A0 = 1,
    A1 = 2,
    V0 = 4,
    V1 = 8,
    L0 = 16,
    L1 = 32,
    S = 64,
    A = A0 | A1,
    V = V0 | V1,
    L = L0 | L1
};

static struct machine_uop on_a[] = {{1, A}}, on_a0[] = {{1, A0}}, on_v[] = {{1, V}},
                          on_v0[] = {{1, V0}}, on_l[] = {{1, L}}, on_s[] = {{1, S}},
                          on_v1[] = {{1, V1}}, on_al[] = {{1, A}, {1, L}},
                          divider[] = {{1, V0}, {4.5, V1}};
static struct machine_use uses_r0[] = {{0, 0.5}}, uses_both[] = {{0, 0.25}, {1, 1}};

static struct machine_form forms[] = {
    ROW("vaddps V, V, V", on_v, 10),
    ROW("vaddps zmm, zmm, zmm", on_v0, 11),
    ROW("vaddps V, V, MV", on_v1, 12),
    ROW("vmulps V, V, V", on_v, 13),
    ROW("vmovups V, MV", on_l, 14),
    ROW("vmovups MV, V", on_s, 15),
    ROW("vdivps V, V, V", divider, 16),
    ROW("vpxord V, V, V", on_v, 17),
    ROW("vmovaps V, V", on_v, 18),
    ROW("add r64, r64", on_a, 20),
    ROW("add r64, imm", on_a, 21),
    ROW("cmp r64, r64", on_a, 22),
    ROW("cmp r64, imm", on_a, 23),
    ROW("dec r64", on_a, 24),
    ROW("jcc rel", on_a0, 25),
    ROW("jb rel", on_a, 26),
    ROW("mov r64, m64", on_l, 27),
    ROW("cmp r64, m64", on_al, 28),
    {.form = "paddd xmm, xmm", .uses = uses_r0, .n_uses = 1, .loc = {"m.yaml", 30, 1}},
    {.form = "pmulld xmm, xmm", .uses = uses_both, .n_uses = 2, .loc = {"m.yaml", 31, 1}},
};
static const char *idioms[] = {"vpxord V, V, V"}, *moves[] = {"vmovaps V, V", "mov r64, r64"};
static const char *resources[] = {"R0", "R1"};
static struct machine_fusion fusions[] = {
    {.first = "cmp r64, r64",
     .second = "jcc rel",
     .uops = on_a0,
     .n_uops = 1,
     .loc = {"m.yaml", 40, 1}},
    {.first = "dec r64", .second = "jnz rel", .uops = on_a0, .n_uops = 1, .loc = {"m.yaml", 41, 1}},
    {.first = "add r64, imm",
     .second = "jcc rel",
     .uops = on_a0,
     .n_uops = 1,
     .loc = {"m.yaml", 42, 1}},
    {.first = "cmp r64, m64",
     .second = "jcc rel",
     .uops = on_al,
     .n_uops = 2,
     .loc = {"m.yaml", 43, 1}},
};

static struct machine test_machine(void)
{
    return (struct machine){
        .file = "m.yaml",
        .dispatch_width = 6,
        .dispatch_width_loc = {"m.yaml", 5, 3},
        .ports = {"A0", "A1", "V0", "V1", "L0", "L1", "S"},
        .n_ports = 7,
        .load_ports = L,
        .line_crossing_load_slots = 2,
        .line_crossing_store_cycles = 3,
        .taken_branches_per_cycle = 1,
        .zero_idioms = idioms,
        .n_zero_idioms = 1,
        .eliminated_moves = moves,
        .n_eliminated_moves = 2,
        .fusions = fusions,
        .n_fusions = 4,
        .resources = resources,
        .n_resources = 2,
        .forms = forms,
        .n_forms = sizeof forms / sizeof *forms,
    };
}

static struct cost_table *compile(const struct machine *m, enum cost_view view, struct arena *a)
{
    struct err e = {0};
    struct cost_table *t = cost_compile(m, view, a, &e);
    ok(t != NULL, "the test machine compiles %s", e.text);
    return t;
}

/* --- rows --- */

static const struct {
    const char *form;
    enum cost_kind kind;
    unsigned line;  /* 0: not of interest */
    uint32_t ports; /* of all uops together */
    double slots;
} rows[] = {
    {"vaddps ymm, ymm, ymm", COST_FORM, 10, V, 1},
    {"VADDPS  zmm,zmm,zmm", COST_FORM, 11, V0, 1},
    {"vaddps xmm, xmm, m128", COST_FORM, 12, V1, 1},
    {"vaddps ymm, ymm, [m256]", COST_FORM, 12, V1, 1},
    {"vaddps xmm, xmm, m256", COST_UNKNOWN, 0, 0, 0},
    {"jne rel", COST_FORM, 25, A0, 1},
    {"jc rel", COST_FORM, 26, A, 1},
    {"vdivps zmm, zmm, zmm", COST_FORM, 16, V, 1},
    {"vmovaps zmm, zmm", COST_ELIMINATED, 18, 0, 1},
    {"mov r64, r64", COST_ELIMINATED, 0, 0, 1},
    {"vpxord zmm, zmm, zmm", COST_FORM, 17, V, 1},
    {"vmulps ymm, ymm, m256", COST_UNKNOWN, 0, 0, 0},
    {"paddd xmm, xmm", COST_UNKNOWN, 0, 0, 0},
    {"vpmullq zmm, zmm, zmm", COST_UNKNOWN, 0, 0, 0},
    {"", COST_UNKNOWN, 0, 0, 0},
};

static uint32_t ports_of(const struct cost_row *row)
{
    uint32_t ports = 0;
    for (int u = 0; u < row->n_uops; u++) {
        ports |= row->uops[u].ports;
    }
    return ports;
}

static void test_rows(struct cost_table *t)
{
    for (int round = 1; round <= 2; round++) { /* found, then remembered */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const struct cost_row *row = cost_of_form(t, rows[i].form);
            ok(row->kind == rows[i].kind && (rows[i].line == 0 || row->loc.line == rows[i].line) &&
                   ports_of(row) == rows[i].ports && row->slots == rows[i].slots,
               "'%s' (round %d): kind %d, line %u, ports 0x%x", rows[i].form, round, row->kind,
               row->loc.line, ports_of(row));
        }
    }
}

static void test_many_forms(struct cost_table *t)
{
    bool unknown = true, known = true;
    for (int i = 0; i < 5000; i++) {
        char form[FORM_SIZE];
        snprintf(form, sizeof form, "made%d r64, r64", i);
        unknown &= cost_of_form(t, form)->kind == COST_UNKNOWN;
        known &= cost_of_form(t, "add r64, r64")->loc.line == 20;
    }
    ok(unknown && known, "the table grows with the forms it is asked for");
}

static void test_insns(struct cost_table *t)
{
    const struct insn same = {.form = "vpxord zmm, zmm, zmm", .same_sources = true};
    const struct insn other = {.form = "vpxord zmm, zmm, zmm"};
    const struct insn add = {.form = "vaddps zmm, zmm, zmm", .same_sources = true};
    const struct insn move = {.form = "vmovaps zmm, zmm", .register_move = true};
    const struct insn masked = {.form = "vmovaps zmm, zmm"};

    ok(cost_of_insn(t, &same)->kind == COST_ZERO_IDIOM, "a zero idiom");
    ok(cost_of_insn(t, &same)->n_uops == 0 && cost_of_insn(t, &same)->slots == 1,
       "  takes a slot and no port");
    ok(cost_of_insn(t, &other)->kind == COST_FORM, "other registers are no zero idiom");
    ok(cost_of_insn(t, &add)->kind == COST_FORM, "nor is another form with equal registers");
    ok(cost_of_insn(t, &move)->kind == COST_ELIMINATED, "a move is eliminated");
    ok(cost_of_insn(t, &masked)->kind == COST_FORM, "what is no full copy is not");
}

static void test_compose(struct arena *a)
{
    struct machine m = test_machine();
    m.compose_memory_operands = true;
    struct cost_table *t = compile(&m, COST_PORTS, a);
    const struct cost_row *row = cost_of_form(t, "vmulps ymm, ymm, m256");

    ok(row->kind == COST_COMPOSED && ports_of(row) == (V | L) && row->n_uops == 2 &&
           row->slots == 1 && row->load_operand == 3,
       "a form the file lacks is composed where the file says so");
    ok(row->load && row->load->loc.line == 14 && row->described->loc.line == 13,
       "  of its register form and the load");
    ok(cost_of_form(t, "vaddps ymm, ymm, m256")->kind == COST_FORM,
       "a listed form is not composed");
    ok(cost_of_form(t, "vmulps zmm, zmm, m32bcst")->kind == COST_UNKNOWN,
       "nor one whose load the file lacks");
    ok(cost_of_form(t, "vsubps zmm, zmm, m512")->kind == COST_UNKNOWN,
       "nor one whose register form it lacks");
}

/* --- refusals --- */

static void test_conflicts(struct arena *a)
{
    static const struct {
        const char *one, *other;
        bool conflict;
    } pairs[] = {
        {"vaddps V, V, V", "vaddps V, V, V", true},
        {"add r64, imm", "add r64, imm8", true},
        {"jcc rel", "jcc rel", true},
        {"jne rel", "jnz rel", true},
        {"vaddps V, V, V", "vaddps V, V, MV", false},
        {"vaddps V, V, V", "vaddps zmm, zmm, zmm", false},
        {"jcc rel", "jnz rel", false},
        {"add r64, r64", "add r32, r32", false},
        {"vsubps V, V, V", "vaddps V, V, V", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct machine_form two[] = {ROW(pairs[i].one, on_a, 7), ROW(pairs[i].other, on_v, 9)};
        struct machine m = test_machine();
        m.forms = two;
        m.n_forms = 2;
        struct err e = {0};
        const bool compiled = cost_compile(&m, COST_PORTS, a, &e) != NULL;
        ok(compiled != pairs[i].conflict, "'%s' and '%s'%s%s", pairs[i].one, pairs[i].other,
           compiled ? " go together" : ": ", e.text);
        ok(compiled || (e.code == ERR_SCHEMA && e.loc.line == 9), "  with the place");
    }
}

static void test_views(struct arena *a)
{
    struct machine m = test_machine();
    static struct machine_form used[] = {{.form = "nop", .uses = uses_r0, .n_uses = 1}};
    struct machine inferred = m;
    inferred.forms = used;
    inferred.n_forms = 1;
    ok(cost_view_of(&m) == COST_PORTS && cost_view_of(&inferred) == COST_RESOURCES,
       "forms without uops are described by resources, though the file names ports");
    struct err e = {0}, e2 = {0};
    m.n_ports = 0;
    ok(!cost_compile(&m, COST_PORTS, a, &e) && e.code == ERR_MODEL, "no ports: %s", e.text);
    m.n_resources = 0;
    ok(!cost_compile(&m, COST_RESOURCES, a, &e2) && e2.code == ERR_MODEL, "no resources: %s",
       e2.text);
}

/* --- sums --- */

static double mass_on(const struct cost *c, uint32_t ports)
{
    const struct ports_problem p = cost_problem(c);
    for (int i = 0; i < p.n_classes; i++) {
        if (p.classes[i].ports == ports) {
            return p.classes[i].count;
        }
    }
    return 0;
}

static void is_cost(const struct cost *c, const char *name, double instructions, double slots)
{
    ok(fabs(c->instructions - instructions) < 1e-12 && fabs(c->slots - slots) < 1e-12,
       "%s: %g instructions, %g slots", name, c->instructions, c->slots);
}

static void test_block(struct cost_table *t)
{
    const struct form_count block[] = {{"vaddps ymm, ymm, ymm", 2},
                                       {"vmulps xmm, xmm, xmm", 1},
                                       {"vdivps ymm, ymm, ymm", 2},
                                       {"cmp r64, r64", 1},
                                       {"jnz rel", 1},
                                       {"vpmullq zmm, zmm, zmm", 2},
                                       {"vpmullq  zmm,zmm,zmm", 0.5},
                                       {"foo", 1}};
    struct cost c = cost_new(t);
    cost_add_block(&c, block, sizeof block / sizeof *block);
    is_cost(&c, "a block, in which nothing fuses", 10.5, 7);
    ok(mass_on(&c, V) == 3 && mass_on(&c, V0) == 2 && mass_on(&c, V1) == 9 && mass_on(&c, A) == 1 &&
           mass_on(&c, A0) == 1,
       "  uops by port set");
    struct text names = {.arena = cost_arena(t)};
    cost_name_unknown(&c, &names);
    ok(c.n_unknown == 3, "  unknown forms are counted");
    is_text(names.data, "vpmullq zmm, zmm, zmm (2.5), foo (1)", "  and named");

    cost_clear(&c);
    is_cost(&c, "a cleared cost", 0, 0);
    cost_add_block(&c, block, 1);
    ok(c.n_unknown == 0 && mass_on(&c, V) == 2 && cost_problem(&c).n_classes == 1,
       "  serves for the next block");
}

static void test_body(struct cost_table *t)
{
    struct form_count outer[] = {
        {"vmovups zmm, m512", 2}, {"add r64, imm", 3}, {"cmp r64, r64", 1}, {"jb rel", 1}};
    struct form_count inner[] = {{"vmulps zmm, zmm, zmm", 4}, {"dec r64", 1}, {"jne rel", 1}};
    struct kernel_body body = {.isa = "avx2", .forms = outer, .n_forms = 4};
    struct cost c = cost_new(t);

    cost_add_body(&c, &body);
    is_cost(&c, "a body: cmp and jb fuse, not add and jb", 7, 6);
    ok(mass_on(&c, A0) == 1 && mass_on(&c, A) == 3 && mass_on(&c, L) == 2, "  uops by port set");
    ok(c.taken_branches == 1, "  one taken branch");

    cost_clear(&c);
    body.inner = inner;
    body.n_inner = 3;
    body.inner_trips = 10;
    body.crossing_loads_per_iter = 1.5;
    body.crossing_stores_per_iter = 0.5;
    cost_add_body(&c, &body);
    is_cost(&c, "a body with an inner loop of ten trips", 67, 56);
    ok(mass_on(&c, A0) == 11 && mass_on(&c, V) == 40, "  uops by port set");
    ok(mass_on(&c, L) == 3.5, "  crossing loads take load slots again: %g", mass_on(&c, L));
    ok(c.store_cycles == 1.5, "  crossing stores their unit");
    ok(c.taken_branches == 10, "  ten taken branches");
}

static void test_loop(struct cost_table *t)
{
    struct insn insns[] = {
        {.form = "vpxord zmm, zmm, zmm", .same_sources = true},
        {.form = "vmovups zmm, m512"},
        {.form = "vmulps zmm, zmm, zmm"}, /* inner */
        {.form = "dec r64"},
        {.form = "jnz rel", .branch = true},
        {.form = "cmp r64, m64", .n_mem = 1, .mem = {{.rip_relative = true}}},
        {.form = "jnz rel", .branch = true},
        {.form = "cmp r64, r64"},
        {.form = "add r64, imm"},
        {.form = "jb rel", .branch = true},
    };
    const struct code_loop loop = {.insns = insns, .n = 10, .inner_first = 2, .inner_last = 4};
    struct cost c = cost_new(t);
    cost_add_loop(&c, &loop, 5);
    is_cost(&c, "a decoded loop", 7 + 3 * 5, 6 + 2 * 5);
    /* dec+jnz five times and add+jb are on A0, the jnz behind the rip-relative cmp on A0 alone */
    ok(mass_on(&c, A0) == 7 && mass_on(&c, A) == 2 && mass_on(&c, L) == 2 && mass_on(&c, V) == 5,
       "  neighbours fuse, but for a first that addresses rip");
    ok(c.taken_branches == 5, "  taken branches");

    struct insn straddle[] = {
        {.form = "dec r64"}, {.form = "jnz rel"}, {.form = "add r64, imm"}, {.form = "jb rel"}};
    const struct code_loop odd = {.insns = straddle, .n = 4, .inner_first = 1, .inner_last = 1};
    cost_clear(&c);
    cost_add_loop(&c, &odd, 3);
    is_cost(&c, "no pair across the border of the inner loop", 3 + 3, 2 + 3);
}

static void test_resources(const struct machine *m, struct arena *a)
{
    struct cost_table *t = compile(m, COST_RESOURCES, a);
    const struct form_count block[] = {
        {"paddd xmm, xmm", 4}, {"pmulld xmm, xmm", 2}, {"add r64, r64", 1}};
    struct cost c = cost_new(t);
    cost_add_block(&c, block, 3);
    cost_add_crossings(&c, "avx2", 1, 0);
    ok(c.cycles[0] == 2.5 && c.cycles[1] == 2, "resources: cycles of use");
    ok(c.n_unknown == 2, "  a form with ports alone is unknown, so is a crossing");
    cost_clear(&c);
    ok(c.cycles[0] == 0 && c.cycles[1] == 0, "  cleared");
}

static void test_unknown_crossings(struct arena *a)
{
    struct machine m = test_machine();
    m.load_ports = 0;
    m.line_crossing_store_cycles = (double)NAN;
    struct cost c = cost_new(compile(&m, COST_PORTS, a));
    cost_add_crossings(&c, "avx2", 2, 1);
    struct text names = {.arena = a};
    cost_name_unknown(&c, &names);
    is_text(names.data, "load that crosses a line (2), store that crosses a line (1)",
            "crossings that the file does not price are unknown");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 26, oom, NULL);
    const struct machine m = test_machine();
    struct cost_table *t = compile(&m, COST_PORTS, a);

    test_rows(t);
    test_insns(t);
    test_many_forms(t);
    test_compose(a);
    test_conflicts(a);
    test_views(a);
    test_block(t);
    test_body(t);
    test_loop(t);
    test_resources(&m, a);
    test_unknown_crossings(a);
    arena_release(a);
    return tap_done();
}
