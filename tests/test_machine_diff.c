/* Two machine files beside each other: what is said to differ, and what is not. */
#include "compare/document.h"
#include "compare/machine_diff.h"
#include "model/cost_table.h"
#include "tests/formats.h"

#include <math.h>
#include <string.h>

#define HEAD "format: gambrel-machine-1\nname: one\nisa: x86-64\n"
#define CORE "core: {dispatch_width: 4, ports: [P0, P1], source: s}\n"
#define FORMS                                                                                      \
    "sources: {instructions: s, caches: s, roofs: s, chain_curve: s, elimination: s, fusion: s}\n" \
    "instructions:\n"                                                                              \
    "  - {form: \"add r64, r64\", uops: [1*P0|P1], latency_cycles: 1}\n"                           \
    "  - {form: \"imul r64, r64\", uops: [1*P1], latency_cycles: 3}\n"                             \
    "  - {form: \"vaddps V, V, V\", uops: [1*P0], latency_cycles: 4}\n"

static struct machine *read_text(const char *text, struct arena *a)
{
    struct err e = {0};
    struct machine *m = machine_read((struct bytes){text, strlen(text)}, "test.yaml", a, &e);
    if (!m) {
        printf("Bail out! %s\n%s\n", e.text, text);
        exit(1);
    }
    return m;
}

static struct machine_diff compare(const struct machine *left, const struct machine *right,
                                   double tolerance, struct arena *a)
{
    struct machine_diff d;
    struct err e = {0};
    const struct machine_diff_options o = {.tolerance = tolerance, .seed = 3, .n_blocks = 200};
    ok(machine_diff(left, right, &o, a, &d, &e), "compared");
    return d;
}

static const struct difference *find(const struct machine_diff *d, enum difference_kind kind,
                                     const char *what)
{
    for (size_t i = 0; i < d->n; i++) {
        if (d->list[i].kind == kind && strcmp(d->list[i].what, what) == 0) {
            return &d->list[i];
        }
    }
    return NULL;
}

/* --- one difference at a time
 * ------------------------------------------------------------------- */

static const char plain[] = HEAD CORE FORMS;

static const struct {
    const char *text; /* of the right file; the left one is plain */
    enum difference_kind kind;
    const char *what, *left, *right; /* NULL: the file does not say */
} cases[] = {
    {HEAD "core: {dispatch_width: 6, ports: [P0, P1], source: s}\n" FORMS, DIFFERENCE_FACT,
     "core.dispatch_width", "4", "6"},
    {HEAD "core: {dispatch_width: 4, rob_entries: 224, ports: [P0, P1], source: s}\n" FORMS,
     DIFFERENCE_FACT, "core.rob_entries", NULL, "224"},
    {HEAD "core: {dispatch_width: 4, ports: [P0, P1, P5], source: s}\n" FORMS, DIFFERENCE_FACT,
     "core.ports", NULL, "P5"},
    {HEAD "core: {dispatch_width: 4, ports: [P0, P1], load_ports: [P1], source: s}\n" FORMS,
     DIFFERENCE_FACT, "core.load_ports", NULL, "P1"},
    {HEAD "core: {dispatch_width: 4, ports: [P0, P1], write_allocate: false, source: s}\n" FORMS,
     DIFFERENCE_FACT, "core.write_allocate", NULL, "false"},
    {HEAD "core: {dispatch_width: 4, ports: [P0, P1], compose_memory_operands: true, source: "
          "s}\n" FORMS,
     DIFFERENCE_FACT, "core.compose_memory_operands", "false", "true"},
    {HEAD CORE "clock_hz: {one_core: 3e9, source: s}\n" FORMS, DIFFERENCE_FACT, "clock_hz.one_core",
     NULL, "3000000000"},
    {HEAD CORE "caches: [{name: L2, size_bytes: 1024}]\n" FORMS, DIFFERENCE_FACT,
     "caches.L2.size_bytes", NULL, "1024"},
    {HEAD CORE "zero_idioms: [\"vaddps V, V, V\"]\n" FORMS, DIFFERENCE_FACT, "zero_idioms", NULL,
     "vaddps V, V, V"},
    {HEAD CORE FORMS "roofs:\n  - {name: triad, isa: avx512, level: L1, threads: 2, unit: byte/s, "
                     "rate: 5e9}\n",
     DIFFERENCE_ROOF, "triad avx512 L1 2 threads, byte/s", NULL, "5000000000"},
    {HEAD CORE FORMS "chain_curve: [{isa: avx2, chains: 8, fraction: 0.5}]\n", DIFFERENCE_ROOF,
     "FMA rate of 8 chains, avx2, of that of many", NULL, "0.5"},
    {HEAD CORE FORMS "  - {form: \"popcnt r64, r64\", uops: [2*P1], latency_cycles: 3}\n",
     DIFFERENCE_FORM, "popcnt r64, r64", NULL, "2"},
};

static bool same_words(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static void test_single(struct arena *a)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct machine *left = read_text(plain, a), *right = read_text(cases[i].text, a);
        const struct machine_diff d = compare(left, right, 0, a);
        const struct difference *one = find(&d, cases[i].kind, cases[i].what);
        ok(machine_diff_found(&d) && d.n == 1 && one && same_words(one->left, cases[i].left) &&
               same_words(one->right, cases[i].right),
           "%s: the only difference of %d", cases[i].what, (int)d.n);
        const struct machine_diff back = compare(right, left, 0, a);
        one = find(&back, cases[i].kind, cases[i].what);
        ok(back.n == 1 && one && same_words(one->left, cases[i].right) &&
               same_words(one->right, cases[i].left),
           "%s: and the other way round", cases[i].what);
    }
}

/* --- the same machine in other words
 * ------------------------------------------------------------ */

/* The dual of the plain file, by hand: P0, P1, both, the front end; forms written out. */
static const char dual[] =
    HEAD "core: {dispatch_width: 4, source: s}\n"
         "sources: {resources: other, instructions: s}\n"
         "instructions:\n"
         "  - {form: \"add r64, r64\", latency_cycles: 1}\n"
         "  - {form: \"imul r64, r64\", latency_cycles: [{from: 1, to: 1, cycles: 3}]}\n"
         "resource_names: [A, B, C, D]\n"
         "resources:\n"
         "  - {form: \"add r64, r64\", uses: {C: 0.5, D: 0.25}}\n"
         "  - {form: \"imul r64, r64\", uses: {B: 1, C: 0.5, D: 0.25}}\n"
         "  - {form: \"vaddps xmm, xmm, xmm\", uses: {A: 1, C: 0.5, D: 0.25}}\n"
         "  - {form: \"vaddps ymm, ymm, ymm\", uses: {A: 1, C: 0.5, D: 0.25}}\n"
         "  - {form: \"vaddps zmm, zmm, zmm\", uses: {A: 1, C: 0.5, D: 0.25}}\n";

static void test_same(struct arena *a)
{
    const struct machine *m = read_text(plain, a);
    const struct machine_diff self = compare(m, m, 0, a);
    ok(!machine_diff_found(&self) && self.n_common == 5 && self.score.n == 200,
       "a file does not differ from itself");
    const struct machine_diff d = compare(m, read_text(dual, a), 0, a);
    ok(d.n_of_kind[DIFFERENCE_CYCLES] + d.n_of_kind[DIFFERENCE_FORM] +
               d.n_of_kind[DIFFERENCE_LATENCY] ==
           0,
       "nor does a port mapping from its dual in forms, cycles and latencies");
    ok(d.n_common == 5 && d.score.n == 200 && d.worst < 1e-9 && d.score.mape < 1e-9,
       "nor in predictions (%g)", d.worst);
    ok(d.n == 2 && find(&d, DIFFERENCE_FACT, "core.ports"), "only the ports are gone");
}

/* --- mappings that differ
 * ----------------------------------------------------------------------- */

static struct machine *with(struct arena *a, const char *add, const char *imul, const char *vaddps)
{
    return read_text(
        arena_format(a,
                     HEAD CORE
                     "sources: {instructions: s}\ninstructions:\n"
                     "  - {form: \"add r64, r64\", uops: [%s], latency_cycles: 1}\n"
                     "  - {form: \"imul r64, r64\", uops: [%s], latency_cycles: 3}\n"
                     "  - {form: \"vaddps zmm, zmm, zmm\", uops: [%s], latency_cycles: 4}\n"
                     "  - {form: \"lea r64, agen\", uops: [1*P0|P1]}\n",
                     add, imul, vaddps),
        a);
}

static void test_mappings(struct arena *a)
{
    const struct machine *m = with(a, "1*P0|P1", "1*P1", "1*P0");
    const struct machine_diff slower = compare(m, with(a, "1*P0|P1", "2*P1", "1.1*P0"), 0, a);
    ok(slower.n == 2 && strcmp(slower.list[0].what, "imul r64, r64") == 0 &&
           slower.list[0].ratio == 2 && fabs(slower.list[1].ratio - 1.1) < 1e-12,
       "cycles alone: the furthest apart first");
    ok(slower.score.n_culprits > 0 && strcmp(slower.score.culprits[0].form, "imul r64, r64") == 0 &&
           slower.score.culprits[0].bias > 0,
       "blocks with the form that doubled are the furthest apart");
    const struct machine_diff near = compare(m, with(a, "1*P0|P1", "1*P1", "1.1*P0"), 0.1, a);
    ok(near.n == 0 && !machine_diff_found(&near), "a tolerance of 10 %%");
    const struct machine_diff just = compare(m, with(a, "1*P0|P1", "1*P1", "1.1*P0"), 0.09, a);
    ok(just.n == 1 && machine_diff_found(&just), "a tolerance of 9 %%");
    /* The same cycles alone, on the other port. */
    const struct machine_diff moved = compare(m, with(a, "1*P0|P1", "1*P1", "1*P1"), 0, a);
    ok(moved.n == 0 && moved.worst > 0.3 && machine_diff_found(&moved),
       "what only shows in blocks is a difference too (%g)", moved.worst);
}

/* --- patterns
 * ----------------------------------------------------------------------------------- */

static void test_conditions(struct arena *a)
{
    static const char all[] = HEAD CORE "sources: {instructions: s}\ninstructions:\n"
                                        "  - {form: \"cmovcc r64, r64\", uops: [1*P0]}\n";
    static const char some[] = HEAD CORE "sources: {instructions: s}\ninstructions:\n"
                                         "  - {form: \"cmovb r64, r64\", uops: [1*P0]}\n"
                                         "  - {form: \"cmovbe r64, r64\", uops: [2*P0]}\n";
    const struct machine_diff d = compare(read_text(all, a), read_text(some, a), 0, a);
    ok(d.n_common == 2 && d.n == 1 && find(&d, DIFFERENCE_CYCLES, "cmovbe r64, r64"),
       "a pattern of conditions is compared with the conditions that are there");
    const struct machine_diff back = compare(read_text(some, a), read_text(all, a), 0, a);
    ok(back.n_common == 2 && back.n == 1, "from the other side too");
}

static void test_widths(struct arena *a)
{
    static const char zmm[] = HEAD CORE "sources: {instructions: s}\ninstructions:\n"
                                        "  - {form: \"vaddps zmm, zmm, zmm\", uops: [1*P0]}\n";
    const struct machine_diff d = compare(read_text(plain, a), read_text(zmm, a), 0, a);
    ok(d.n_common == 1 && d.n_of_kind[DIFFERENCE_FORM] == 4 &&
           find(&d, DIFFERENCE_FORM, "vaddps ymm, ymm, ymm") &&
           !find(&d, DIFFERENCE_FORM, "vaddps zmm, zmm, zmm"),
       "a pattern of widths is three forms");
    ok(d.n_of_kind[DIFFERENCE_LATENCY] == 0, "a latency that one file lacks is no difference");
}

static void test_latencies(struct arena *a)
{
    static const char pairs[] =
        HEAD CORE "sources: {instructions: s}\ninstructions:\n"
                  "  - {form: \"imul r64, r64\", uops: [1*P1], latency_cycles: [{from: 1, to: 1, "
                  "cycles: 3}, {from: 2, to: 1, cycles: 4}]}\n";
    const struct machine_diff d = compare(read_text(plain, a), read_text(pairs, a), 0, a);
    const struct difference *one = find(&d, DIFFERENCE_LATENCY, "imul r64, r64, operand 2 to 1");
    ok(d.n_of_kind[DIFFERENCE_LATENCY] == 1 && one && one->left_value == 3 && one->right_value == 4,
       "a plain latency holds for every pair");
}

/* --- what resources stand for
 * ------------------------------------------------------------------- */

static struct machine *meaning(struct arena *a, const char *names)
{
    return read_text(arena_format(a,
                                  HEAD "sources: {resources: s, resource_ports: s}\n"
                                       "resources:\n  - {form: nop, uses: {R0: 1, R1: 0.5}}\n%s",
                                  names),
                     a);
}

static void test_meanings(struct arena *a)
{
    const struct machine *one =
        meaning(a, "resource_ports:\n  - {resource: R0, ports: P0|P5, match: "
                   "0.9}\n  - {resource: R1, ports: P4, match: 0.75}\n");
    const struct machine *other =
        meaning(a, "resource_ports:\n  - {resource: R1, ports: P0|P5, match: "
                   "0.8}\n");
    const struct machine_diff d = compare(one, other, 0, a);
    struct document document = {.arena = a};
    struct text words = {.arena = a};
    machine_diff_words(&d, &document);
    document_terminal(&document, false, &words);
    ok(strstr(words.data, "P0|P5  R0 (0.90)  R1 (0.80)"), "resources beside each other by ports");
    ok(d.n == 1 && find(&d, DIFFERENCE_PORTS, "P4") && strstr(words.data, "P4     R1 (0.75)  -"),
       "ports that one file has no resource for are a difference");
    ok(compare(one, meaning(a, ""), 0, a).n == 0, "unless it names none at all");
}

/* --- refused, and shown
 * ------------------------------------------------------------------------- */

static void test_refused(struct arena *a)
{
    static const struct machine_diff_options bad[] = {
        {.tolerance = -0.1}, {.tolerance = NAN}, {.n_blocks = -1}, {.n_blocks = 1000001}};
    struct machine_diff d;
    const struct machine *m = read_text(plain, a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        ok(!machine_diff(m, m, &bad[i], a, &d, &e) && e.code == ERR_RANGE, "options number %d",
           (int)i);
    }
    struct err e = {0};
    ok(!machine_diff(m, read_text(HEAD, a), &(struct machine_diff_options){0}, a, &d, &e) &&
           e.code == ERR_MODEL,
       "a file without a mapping");
}

static void test_shown(struct arena *a)
{
    const struct machine *m = with(a, "1*P0|P1", "1*P1", "1*P0");
    const struct machine_diff d = compare(m, with(a, "1*P0|P1", "2*P1", "1*P0"), 0, a);
    struct document document = {.arena = a};
    struct text words = {.arena = a}, csv = {.arena = a}, json = {.arena = a};
    machine_diff_words(&d, &document);
    document_terminal(&document, false, &words);
    machine_diff_csv(&d, &csv);
    machine_diff_json(&d, &json);
    ok(strstr(words.data, "imul r64, r64  1  2     +100.0 %"), "in words");
    ok(strstr(csv.data, "cycles,\"imul r64, r64\",1,2\n"), "as CSV");
    ok(strstr(json.data, "{\"kind\": \"cycles\", \"what\": \"imul r64, r64\", \"left\": \"1\", "
                         "\"right\": \"2\", \"ratio\": 2}"),
       "as JSON");
}

int main(void)
{
    struct arena *a = test_arena();
    test_single(a);
    test_same(a);
    test_mappings(a);
    test_conditions(a);
    test_widths(a);
    test_latencies(a);
    test_meanings(a);
    test_refused(a);
    test_shown(a);
    arena_release(a);
    return tap_done();
}
