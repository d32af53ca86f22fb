/* A run beside its kernels: which roof, which row, what follows from both. */
#include "compare/join.h"
#include "tests/compare_fixture.h"
#include "tests/tap.h"

static const struct row *row_of(const struct comparison *c, const char *name, const char *level,
                                int threads)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        if (strcmp(r->name, name) == 0 && strcmp(r->level, level) == 0 && r->threads == threads) {
            return r;
        }
    }
    return NULL;
}

static const struct roof *dram_roof(const struct comparison *c, const char *name, int threads)
{
    return roof_find(c->roofs, c->n_roofs, name, "neon", "DRAM", threads);
}

static bool noted(const struct comparison *c, const char *part)
{
    for (int i = 0; i < c->n_notes; i++) {
        if (strstr(c->notes[i].text, part)) {
            return true;
        }
    }
    return false;
}

static void check_recorded(struct arena *a)
{
    struct run_case cases[] = {
        fixture_recorded(RUN_KERNEL, "stencil", "DRAM", 1, 80.5e9),
        fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 143.7e9),
        fixture_recorded(RUN_ROOF, "triad", "DRAM", 1, 125.1e9),
        fixture_recorded(RUN_ROOF, "copy", "DRAM", 1, 123.3e9),
        fixture_recorded(RUN_ROOF, "read", "DRAM", 10, 246.3e9),
        fixture_recorded(RUN_ROOF, "fill", "DRAM", 10, 199.4e9),
        fixture_recorded(RUN_ROOF, "fill", "DRAM", 10, 253.3e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 24.3e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "L1", 1, 43.4e9),
        fixture_recorded(RUN_KERNEL, "poly", "L2", 1, 100e9),
        fixture_recorded(RUN_KERNEL, "mystery", "L1", 1, 100e9),
    };
    const struct run run = fixture_run(cases, sizeof cases / sizeof cases[0]);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    const struct row *saxpy = row_of(c, "saxpy", "DRAM", 1);

    ok(c->n_roofs == 5 && c->n_rows == 5, "two rounds of a roof are one roof");
    is_near(dram_roof(c, "fill", 10)->rate, 253.3e9, 0, "the higher round is the roof");
    is_near(dram_roof(c, "fill", 10)->other, 199.4e9, 0, "the lower one stands beside it");
    ok(noted(c, "of 1 roof differ by more than 5 % (fill, neon, DRAM, 10 threads: by 21 %)"),
       "two measurements that differ are noted");
    ok(c->write_allocates == 0, "no fetch: %s", c->write_allocates_why);

    is_near(saxpy->ceilings[0].rate, 20.85e9, 1e-12, "saxpy: 125.1 GB/s over 6 bytes a flop");
    is_text(saxpy->ceilings[0].binds, "DRAM triad roof", "saxpy: what binds");
    ok(saxpy->verdicts[0].kind == VERDICT_VIOLATES, "saxpy violates it");
    is_near(saxpy->verdicts[0].by, 0.1655, 1e-3, "saxpy: by 17 %");
    is_near(saxpy->over_l1, 0.56, 1e-3, "saxpy: 0.56 of its rate from L1");
    is_near(saxpy->traffic, 145.8e9, 1e-12, "saxpy: 145.8 GB/s");
    is_near(saxpy->traffic_with_fetch, 145.8e9, 1e-12, "an update fetches nothing more");
    is_near(row_of(c, "stencil", "DRAM", 1)->traffic_with_fetch, 80.5e9 / 13 * 12, 1e-12,
            "a write does");
    is_text(row_of(c, "saxpy", "L1", 1)->ceilings[0].binds, "fma_f32 roof",
            "L1 without a memory roof: compute");
    ok(isnan(row_of(c, "saxpy", "L1", 1)->over_l1), "an L1 row is not compared with itself");
    ok(c->n_violated == 1 && noted(c, "VIOLATED BOUND: saxpy"), "the violation is counted, noted");

    const struct row *poly = row_of(c, "poly", "L2", 1), *mystery = row_of(c, "mystery", "L1", 1);
    is_text(poly->ceilings[0].missing, "no read roof at L2 on 1 thread", "a roof that is missing");
    is_text(mystery->ceilings[0].missing, "kernels.yaml does not describe it", "no description");
    ok(row_explained_by(poly) == -1 && isnan(poly->ladder.unexplained),
       "no ceiling, no explanation");
    is_near(c->accuracy[0].coverage, 0.6, 1e-12, "both count against coverage");
    ok(c->accuracy[0].n == 3, "three rows are predicted");

    is_text(c->rows[0].name, "saxpy", "rows in the order of kernels.yaml");
    is_text(c->rows[0].level, "L1", "levels outwards");
    is_text(c->rows[4].name, "mystery", "what is not described comes last");
}

static void check_samples(struct arena *a)
{
    double slow[] = {1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25};
    double fast[] = {0.99, 1.0, 1.0, 1.0, 1.0, 1.0, 1.01};
    double noisy[] = {0.5, 0.8, 0.9, 1.0, 1.1, 1.3, 2.0};
    double clock[] = {3e9, 4e9, 4e9, 4e9, 4e9, 4e9, 5e9};
    struct run_case cases[] = {
        fixture_measured(fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9), slow, 7),
        fixture_measured(fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9), fast, 7),
        fixture_measured(fixture_recorded(RUN_KERNEL, "poly", "L1", 1, 110e9), noisy, 7),
        fixture_measured(fixture_recorded(RUN_KERNEL, "saxpy", "L1", 1, 110e9), fast, 7),
    };
    cases[1].clock_hz = clock;
    cases[1].noise.disturbed = true;
    cases[1].noise.why = "a neighbour";
    const struct run run = fixture_run(cases, sizeof cases / sizeof cases[0]);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    const struct measured *roof = &c->roofs_measured[0];

    is_near(roof->rate, 100e9, 1e-12, "the median pass is the rate");
    is_near(roof->other, 80e9, 1e-12, "the slow round is the other");
    is_near(roof->max, 100e9 / 0.99, 1e-12, "the fastest pass");
    is_near(roof->min, 100e9 / 1.01, 1e-12, "the slowest pass");
    is_near(roof->clock_hz, 4e9, 0, "the clock beside it");
    ok(roof->n == 7 && roof->disturbed && c->roofs[0].disturbed, "its passes, its disturbance");
    ok(roof->low <= roof->rate && roof->rate <= roof->high, "its interval holds it");

    const struct row *poly = row_of(c, "poly", "L1", 1), *saxpy = row_of(c, "saxpy", "L1", 1);
    ok(poly->verdicts[0].kind == VERDICT_NOISY, "10 %% above within its noise is no violation");
    ok(saxpy->verdicts[0].kind == VERDICT_VIOLATES && saxpy->verdicts[0].doubtful,
       "10 %% above without noise is one, in doubt because the roof was disturbed");
    ok(c->n_violated == 0, "what is doubtful is not counted as violated");
    ok(c->accuracy[0].n == 2 && c->accuracy_quiet[0].n == 0,
       "nor does it count among the undisturbed rows");
}

static void check_chains_and_sweep(struct arena *a)
{
    struct run_case cases[] = {
        fixture_recorded(RUN_CHAIN, "fma_chain", "L1", 1, 100e9),
        fixture_recorded(RUN_CHAIN, "fma_chain", "L1", 1, 25e9),
        fixture_recorded(RUN_SWEEP, "read", "DRAM", 1, 40e9),
        fixture_recorded(RUN_SWEEP, "read", "L1", 1, 400e9),
        fixture_recorded(RUN_SWEEP, "read", "L1", 1, 390e9),
    };
    cases[0].chains = 12;
    cases[1].chains = 2;
    cases[2].array_bytes = 1 << 26;
    cases[3].array_bytes = cases[4].array_bytes = 1 << 14;
    const struct run run = fixture_run(cases, sizeof cases / sizeof cases[0]);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    ok(c->evidence->n_chains == 2 && c->evidence->chains[0].chains == 2, "chains ascend");
    is_near(c->evidence->chains[0].fraction, 0.25, 1e-12, "as a fraction of the best");
    ok(c->n_sweep == 2 && c->sweep[0].measured.array_bytes < c->sweep[1].measured.array_bytes,
       "sizes ascend");
    ok(c->n_rows == 0 && c->write_allocates == -1 && c->write_allocates_why[0],
       "without roofs nothing is known, and why");
}

static void check_machine_roofs(struct arena *a)
{
    struct run_case cases[] = {
        fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 2e9),
    };
    struct roof of_machine[] = {
        {.name = "fma_f32",
         .isa = "neon",
         .level = "L1",
         .unit = "flop/s",
         .threads = 1,
         .rate = 1e9,
         .cv = NAN,
         .other = NAN},
        {.name = "triad",
         .isa = "neon",
         .level = "DRAM",
         .unit = "byte/s",
         .threads = 1,
         .rate = 12e9,
         .cv = NAN,
         .other = NAN},
    };
    const struct machine machine = {
        .name = "m", .roofs = of_machine, .n_roofs = 2, .write_allocate = 1};
    const struct run run = fixture_run(cases, 2);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), &machine, a);
    ok(c->n_roofs == 2, "a roof the run has is not taken from the machine file");
    is_near(c->roofs[0].rate, 100e9, 0, "the run's own stays");
    ok(c->roof_details[1].from_machine, "the missing one is the machine file's");
    is_near(c->rows[0].ceilings[0].rate, 2e9, 1e-12, "and bounds the kernel");
    ok(noted(c, "1 roof comes from the file of m: this run did not measure it."), "which is noted");
    ok(c->write_allocates == 1, "the machine file says whether lines are fetched");
}

int main(void)
{
    struct arena *a = fixture_arena();
    check_recorded(a);
    check_samples(a);
    check_chains_and_sweep(a);
    check_machine_roofs(a);
    arena_release(a);
    return tap_done();
}
