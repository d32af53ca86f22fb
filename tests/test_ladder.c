/* Ladders of hand-built runs: what each rung says, which one explains, what is left. */
#include "compare/join.h"
#include "tests/compare_fixture.h"
#include "tests/tap.h"

/* One core's mixes from DRAM where a line read takes 1 ns, written 2, updated 2.5, added up. */
static const struct {
    const char *name;
    double lines, nanoseconds; /* counted lines of a step, and its time */
} mixes[] = {
    {"read", 1, 1}, {"copy", 2, 3}, {"triad", 3, 4}, {"fill", 1, 2}, {"update", 2, 2.5},
};
enum { N_MIXES = sizeof mixes / sizeof *mixes };

static int add_mixes(struct run_case *cases, int n)
{
    for (int i = 0; i < n; i++) {
        cases[i] = fixture_recorded(RUN_ROOF, mixes[i].name, "DRAM", 1,
                                    64 * mixes[i].lines / (1e-9 * mixes[i].nanoseconds));
    }
    return n;
}

static const struct row *only_row(struct run_case *cases, int n, struct arena *a)
{
    struct run *run = arena_new(a, struct run, 1);
    *run = fixture_run(cases, n);
    const struct comparison *c = comparison_join(run, fixture_kernels(), NULL, a);
    return &c->rows[0];
}

/* saxpy reads a line and updates one: 3.5 ns for 16 elements of 2 flops. */
static void check_streams(struct arena *a)
{
    struct run_case cases[N_MIXES + 2];
    int n = add_mixes(cases, N_MIXES);
    cases[n++] = fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9);
    cases[n++] = fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 32 / 3.5e-9);
    const struct row *row = only_row(cases, n, a);
    const struct ladder *l = &row->ladder;
    is_near(row->ceilings[MODEL_STREAMS].rate, 32 / 3.5e-9, 1e-6,
            "streams: read and update add up");
    is_near(l->rungs[RUNG_MEMORY].ceiling.rate, 64e9 * 3 / 4 / 6, 1e-9,
            "the roofline is the triad's");
    ok(l->rungs[RUNG_STREAMS].ceiling.rate > l->rungs[RUNG_MEMORY].ceiling.rate,
       "the mapping takes the place of the matched roof, and lies above it");
    ok(row_explained_by(row) == MODEL_STREAMS, "and explains what the roofline misses");
    is_near(l->unexplained + 1, 1, 1e-6, "wholly");
    is_near(row->ceilings[MODEL_ALL].rate, 32 / 3.5e-9, 1e-6, "all: the top rung");
    ok(row->verdicts[MODEL_ROOFLINE].kind == VERDICT_VIOLATES,
       "the roofline is violated all the same");
    is_near(l->in_turn, 1 / (1 / 100e9 + 3.5e-9 / 32), 1e-6, "in turn: both times added");
    ok(strstr(row->ceilings[MODEL_STREAMS].binds, "if its kinds add up, which no mix measured"),
       "no mix held both kinds, which is said");
}

static void check_too_few(struct arena *a)
{
    struct run_case cases[N_MIXES + 1];
    int n = add_mixes(cases, 4);
    cases[n++] = fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 1e9);
    const struct row *row = only_row(cases, n, a);
    ok(isnan(row->ceilings[MODEL_STREAMS].rate) && row->ceilings[MODEL_STREAMS].missing[0],
       "four mixes are too few: %s", row->ceilings[MODEL_STREAMS].missing);
}

/* The kernels are never among the fitted. */
static void check_blind(struct arena *a)
{
    struct run_case cases[N_MIXES + 2];
    int n = add_mixes(cases, N_MIXES);
    cases[n++] = fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9);
    cases[n++] = fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 1e9);
    const double slow = only_row(cases, n, a)->ceilings[MODEL_ALL].rate;
    cases[n - 1].recorded_rate = 77e9;
    is_near(only_row(cases, n, a)->ceilings[MODEL_ALL].rate, slow, 0,
            "no ceiling moves with the measured kernel");
}

static struct kernel_body twelve_chains[] = {{.isa = "neon",
                                              .elements_per_iter = 16,
                                              .loads_per_iter = NAN,
                                              .stores_per_iter = NAN,
                                              .independent_chains = 12,
                                              .flops_per_iter = NAN}};

/* poly as in the article's shape: twelve chains, and a curve with points at `at` chains. */
static const struct row *with_curve(const int *at, const double *rates, int n, double measured,
                                    struct arena *a)
{
    struct run_case *cases = arena_new(a, struct run_case, 8);
    struct kernels *k = arena_new(a, struct kernels, 1);
    struct kernel *poly = arena_new(a, struct kernel, 1);
    struct run *run = arena_new(a, struct run, 1);
    int n_cases = 0;
    *k = *fixture_kernels();
    *poly = *kernels_find(k, "poly");
    poly->bodies = twelve_chains;
    poly->n_bodies = 1;
    k->kernels = poly;
    k->n_kernels = 1;
    cases[n_cases++] = fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9);
    cases[n_cases++] = fixture_recorded(RUN_KERNEL, "poly", "L1", 1, measured);
    for (int i = 0; i < n; i++) {
        cases[n_cases] = fixture_recorded(RUN_CHAIN, "chain", "L1", 1, rates[i]);
        cases[n_cases++].chains = at[i];
    }
    *run = fixture_run(cases, n_cases);
    return &comparison_join(run, k, NULL, a)->rows[0];
}

static void check_curve(struct arena *a)
{
    const int around[] = {8, 16}, above[] = {16, 20}, below[] = {4, 8}, one[] = {16};
    const double rising[] = {60e9, 100e9}, article[] = {90e9, 100e9};
    const struct row *row = with_curve(around, rising, 2, 80e9, a);
    const struct ceiling *chains = &row->ceilings[MODEL_CHAINS];
    is_near(chains->rate, 80e9, 1e-12, "between two points: the line through them");
    ok(row_explained_by(row) == MODEL_CHAINS, "it explains");
    is_near(row->ladder.rungs[RUNG_CHAINS].closes, 0.2, 1e-12, "and closes twenty points");
    ok(strstr(chains->binds, "measured chain curve, this run's: 12 chains"), "named as measured");

    row = with_curve(above, article, 2, 72e9, a);
    chains = &row->ceilings[MODEL_CHAINS];
    is_near(chains->rate, 80e9, 1e-12, "below the lowest point: at most the extended line");
    is_near(chains->low, 67.5e9, 1e-12, "at least the line through the origin");
    ok(row->ladder.rungs[RUNG_CHAINS].verdict.kind == VERDICT_NOISY,
       "0.72 lies between: it cannot be told");
    is_near(with_curve(below, rising, 2, 80e9, a)->ceilings[MODEL_CHAINS].rate, 100e9, 1e-12,
            "beyond the highest point: no slower");
    ok(isnan(with_curve(one, article, 1, 80e9, a)->ceilings[MODEL_CHAINS].rate),
       "one point is no curve");
}

/* What lies on the compute roof far above its memory roof has broken the roofline: the memory rung
 * stands, and every text names the roof whose number it gives. */
static void check_broken_roofline(struct arena *a)
{
    struct run_case cases[] = {
        fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 5e9),
        fixture_recorded(RUN_ROOF, "triad", "DRAM", 1, 12e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 4.95e9),
    };
    const struct row *row = only_row(cases, 3, a);
    const struct ceiling *roofline = &row->ceilings[MODEL_ROOFLINE];
    is_near(roofline->rate, 2e9, 1e-12, "the roofline is the memory roof's");
    ok(roofline->roof && strcmp(roofline->roof->name, "triad") == 0 &&
           strcmp(roofline->binds, "DRAM triad roof") == 0,
       "and names it");
    ok(row->ladder.explains == RUNG_MEMORY, "the compute roof above it explains nothing");
    ok(strcmp(row_explanation(row)->ceiling.binds, roofline->binds) == 0,
       "what binds is the roof of the roofline's number");
    is_near(row->ladder.unexplained, 1 - 4.95e9 / roofline->rate, 1e-12,
            "what is left is left of that number");
}

/* The first rung that is reached explains, however many more lie within its reach. */
static void check_first(struct arena *a)
{
    struct run_case cases[] = {
        fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9),
        fixture_recorded(RUN_ROOF, "read", "DRAM", 1, 10e9),
        fixture_recorded(RUN_KERNEL, "poly", "DRAM", 1, 99e9),
    };
    const struct row *row = only_row(cases, 3, a);
    ok(row->ladder.explains == RUNG_COMPUTE && row_explained_by(row) == MODEL_ROOFLINE,
       "the compute roof explains");
    ok(!row->ladder.rungs[RUNG_PORTS].known && row->ladder.rungs[RUNG_PORTS].own.missing[0],
       "a rung of which nothing is known says why: %s", row->ladder.rungs[RUNG_PORTS].own.missing);
    is_near(row->ladder.rungs[RUNG_STREAMS].ceiling.rate, 100e9, 1e-12,
            "and stays where the one below is");
    ok(isnan(row->ladder.in_turn), "nothing in turn without streams");
}

int main(void)
{
    struct arena *a = fixture_arena();
    check_streams(a);
    check_too_few(a);
    check_blind(a);
    check_curve(a);
    check_first(a);
    check_broken_roofline(a);
    arena_release(a);
    return tap_done();
}
