#include "model/cost.h"
#include "model/front.h"
#include "tests/formats.h"

/* Cycles that loops took on family 6 model 207, of which 24 stood in a row; i: vaddps ymm, ymm,
 * [rdi + rax], n: a nop; and with a pair that closes each trip, as the last n, where i is vpaddd
 * xmm, xmm, [rsi + rax], of which the ports add three a cycle. */
static const struct {
    const char *loop;
    double cycles;
} measured[] = {
    {"in", 0.520},          {"inn", 1.000},       {"innn", 1.001},       {"innnn", 1.015},
    {"innnnn", 1.335},      {"innnnnn", 1.502},   {"innnnnnn", 2.002},   {"innnnnnnn", 2.002},
    {"innnnnnnnnn", 2.018}, {"i11n", 2.336},      {"i12n", 2.502},       {"i13n", 3.003},
    {"iinn", 1.020},        {"iinnn", 1.334},     {"iinnnn", 1.523},     {"iinnnnn", 2.002},
    {"iinnnnnn", 2.002},    {"inin", 1.021},      {"ininn", 1.502},      {"ininnn", 1.502},
    {"ininnnn", 2.002},     {"iiin", 1.509},      {"iiinn", 2.008},      {"iiinnnn", 2.006},
    {"iiinnnnnn", 2.508},   {"iiiin", 2.007},     {"iiiinnn", 2.005},    {"iiiinnnn", 2.507},
    {"iiiinnnnn", 3.008},   {"iiiiin", 2.504},    {"iiiiinn", 3.006},    {"iiiiinnnnnn", 3.490},
    {"iiiiiin", 3.007},     {"iiiiiinnn", 2.990}, {"iiiiiinnnn", 3.490}, {"iiiiiinnnnn", 4.009},
};

static int uops_of(const char *loop, struct front_uop *uops)
{
    int n = 0;
    for (const char *at = loop; *at; at++) {
        char *end;
        for (long k = strtol(at, &end, 10); k > 1; k--) {
            uops[n++] = (struct front_uop){1, false};
        }
        at = end > at ? end : at;
        uops[n++] = *at == 'i' ? (struct front_uop){2, true} : (struct front_uop){1, false};
    }
    return n;
}

static void renaming(void)
{
    const struct front_rules golden_cove = {6, 3, 2}, anywhere_at_all = {6, INFINITY, INFINITY};
    struct front_uop uops[32];
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const double cycles = front_renames(uops, uops_of(measured[i].loop, uops), &golden_cove);
        is_near(cycles, measured[i].cycles, 0.05 * cycles, measured[i].loop);
    }
    ok(front_renames(uops, uops_of("nnnnnnn", uops), &golden_cove) == 7. / 6,
       "without: slots over width");
    ok(front_renames(uops, uops_of("inn", uops), &anywhere_at_all) == 2. / 3, "anywhere: likewise");
    ok(front_renames(uops, 0, &golden_cove) == 0, "nothing takes no time");
}

/* --- fetching --- */

static struct machine_uop anywhere[] = {{1, 1}};
static struct machine_form forms[] = {
    {.form = "nop", .slots = 1, .has_uops = true},
    {.form = "dec r64", .slots = 1, .has_uops = true, .uops = anywhere, .n_uops = 1},
    {.form = "jcc rel", .slots = 1, .has_uops = true, .uops = anywhere, .n_uops = 1},
};
static struct machine_fusion pair[] = {
    {.first = "dec r64", .second = "jcc rel", .uops = anywhere, .n_uops = 1}};

/* Loops of nops that end in dec and jnz, 3 and 2 bytes, measured likewise: the least that was
 * seen. */
static const struct {
    int nops, bytes, end; /* of the loop, from a line's beginning */
    double cycles;
} fetched[] = {
    {0, 0, 16, 1.00},  {5, 4, 25, 1.00},  {7, 4, 33, 1.33},   {8, 4, 37, 2.00},   {13, 4, 57, 2.34},
    {16, 4, 69, 3.01}, {4, 5, 64, 1.00},  {4, 5, 65, 2.00},   {4, 5, 66, 1.00},   {4, 5, 67, 2.00},
    {4, 5, 68, 2.00},  {4, 5, 69, 1.00},  {7, 5, 65, 2.00},   {7, 5, 69, 1.33},   {14, 3, 68, 2.50},
    {14, 3, 66, 2.67}, {11, 3, 66, 2.17}, {14, 9, 131, 3.00}, {15, 9, 140, 2.67},
};

static void fetching(struct arena *a)
{
    struct machine m = {.file = "m.yaml",
                        .dispatch_width = 6,
                        .fetch_slots = 8,
                        .indexed_operand_places = 3,
                        .indexed_operands_per_cycle = 2,
                        .ports = {"P"},
                        .n_ports = 1,
                        .fusions = pair,
                        .n_fusions = 1,
                        .forms = forms,
                        .n_forms = 3};
    struct err e = {0};
    struct cost_table *t = cost_compile(&m, COST_PORTS, a, &e);
    for (size_t i = 0; t && i < sizeof fetched / sizeof *fetched; i++) {
        struct insn insns[20];
        const struct code_loop l = {
            .insns = insns, .n = fetched[i].nops + 2, .inner_first = -1, .inner_last = -1};
        const uint64_t moved = 4096;
        memset(insns, 0, sizeof insns);
        uint64_t at = (uint64_t)(fetched[i].end - fetched[i].nops * fetched[i].bytes - 5);
        for (int k = 0; k < l.n; k++) {
            const int nops = fetched[i].nops;
            strcpy(insns[k].form, k < nops ? "nop" : k == nops ? "dec r64" : "jnz rel");
            insns[k].address = at;
            insns[k].length = k < nops ? fetched[i].bytes : k == nops ? 3 : 2;
            at += (uint64_t)insns[k].length;
        }
        const struct front_bound b = front_of_loop(t, &l, 1, &moved);
        const double cycles = fmax(b.fetch_cycles, b.rename_cycles);
        ok(fabs(cycles - fetched[i].cycles) < 0.02, "%d nops of %d bytes, end at %d: %.3f (%.2f)",
           fetched[i].nops, fetched[i].bytes, fetched[i].end, cycles, fetched[i].cycles);
        const struct front_bound nowhere = front_of_loop(t, &l, 1, NULL);
        ok(nowhere.fetch_cycles <= b.fetch_cycles && nowhere.lines == 0,
           "  less where its place is not known");
        const struct code_loop nested = {
            .insns = insns, .n = l.n, .inner_first = 0, .inner_last = l.n - 1};
        ok(front_of_loop(t, &nested, 10, NULL).fetch_cycles == 10 * nowhere.fetch_cycles,
           "  each trip of an inner loop");
    }
    m.fetch_slots = (double)NAN;
    const struct code_loop empty = {.inner_first = -1, .inner_last = -1};
    ok(front_of_loop(t, &empty, 1, NULL).fetch_cycles == 0, "no bound where the file says nothing");
}

/* --- averages --- */

/* Widths and slots that are no whole numbers are averages, of which no order can be told: they
 * bound no more than their sum does. */
static void averages(struct arena *a)
{
    static const struct {
        double width, slots, fetch_cycles, rename_cycles;
    } cases[] = {
        {5, 1, 2, 2.4}, {5.5, 1, 2, 0}, {5, 0.5, 1, 0}, {5, 1. / 3, 1, 0}, {5, 4. / 3, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine_form nop = {.form = "nop", .slots = cases[i].slots, .has_uops = true};
        struct machine m = {.file = "m.yaml",
                            .dispatch_width = cases[i].width,
                            .fetch_slots = 8,
                            .indexed_operand_places = 3,
                            .ports = {"P"},
                            .n_ports = 1,
                            .forms = &nop,
                            .n_forms = 1};
        struct err e = {0};
        struct cost_table *t = cost_compile(&m, COST_PORTS, a, &e);
        struct insn insns[12];
        const struct code_loop l = {.insns = insns, .n = 12, .inner_first = -1, .inner_last = -1};
        memset(insns, 0, sizeof insns);
        for (int k = 0; k < l.n; k++) {
            strcpy(insns[k].form, "nop");
        }
        const struct front_bound b = front_of_loop(t, &l, 1, NULL);
        ok(b.fetch_cycles == cases[i].fetch_cycles && b.rename_cycles == cases[i].rename_cycles,
           "%g slots of a width of %g: fetch %g, renaming %g", cases[i].slots, cases[i].width,
           b.fetch_cycles, b.rename_cycles);
    }
}

int main(void)
{
    struct arena *a = test_arena();
    renaming();
    fetching(a);
    averages(a);
    arena_release(a);
    return tap_done();
}
