/* What a run says of its machine, as a machine file has it. */
#include "compare/measured.h"
#include "compare/run_machine.h"
#include "model/check.h"
#include "tests/formats.h"
#include "tests/same.h"

#include <math.h>

static const char path[] = "tests/recorded/x86-guest.yaml";

static struct run *read_run(struct arena *a)
{
    struct err e = {0};
    struct run *r = run_read(test_file(path, a), path, a, &e);
    if (!r) {
        printf("Bail out! %s\n", e.text);
        exit(1);
    }
    return r;
}

static struct machine *bare(struct arena *a)
{
    struct machine *m = machine_new(a);
    m->name = "bare";
    m->isa = "x86-64";
    return m;
}

static void test_roofs(const struct run *r, const struct machine *m, struct arena *a)
{
    const struct merged_cases roofs = measured_merge(r, RUN_ROOF, a);
    int same = 0;
    for (int i = 0; i < roofs.n; i++) {
        const struct run_case *c = roofs.cases[i];
        const struct roof *found =
            roof_find(m->roofs, m->n_roofs, c->name, c->isa, c->level, c->threads);
        double least = HUGE_VAL;
        for (int k = 0; k < r->n_cases; k++) {
            const struct run_case *other = &r->cases[k];
            const bool of_it = other->kind == RUN_ROOF && strcmp(other->name, c->name) == 0 &&
                               strcmp(other->isa, c->isa) == 0 &&
                               strcmp(other->level, c->level) == 0 && other->threads == c->threads;
            least = of_it && found ? fmin(least, found->rate / run_case_rate(other)) : least;
        }
        same += found && fabs(least - 1) < 1e-12 && strcmp(found->unit, c->unit) == 0 &&
                found->n == c->n && found->disturbed == roofs.measured[i].disturbed;
    }
    ok(roofs.n > 5 && m->n_roofs == roofs.n && same == roofs.n,
       "%d of %d roofs, each the higher of its rounds", same, roofs.n);
}

static void test_chains(const struct machine *m)
{
    double best = 0;
    bool rising = m->n_chain_curve > 0;
    for (int i = 0; i < m->n_chain_curve; i++) {
        best = fmax(best, m->chain_curve[i].fraction);
        rising &= i == 0 || m->chain_curve[i].chains > m->chain_curve[i - 1].chains ||
                  strcmp(m->chain_curve[i].isa, m->chain_curve[i - 1].isa) != 0;
    }
    ok(best == 1 && rising, "the chain curve in order, its best point 1 (%d points)",
       m->n_chain_curve);
}

static void test_whole(struct arena *a)
{
    const struct run *r = read_run(a);
    struct machine *m = bare(a);
    struct err e = {0};
    struct bytes text;
    run_describe_machine(r, "a run", m, a);
    test_roofs(r, m, a);
    test_chains(m);
    ok(m->n_matches == 1 && strcmp(m->matches->vendor, r->host.vendor) == 0 &&
           (double)m->matches->family == r->host.family &&
           (double)m->matches->model_first == r->host.model &&
           (double)m->matches->model_last == r->host.model,
       "which CPU it is");
    ok(m->n_caches == r->host.n_caches && m->caches[0].size_bytes == r->host.caches[0].size_bytes,
       "its caches");
    ok(fabs(m->clock_one_core_hz / r->host.clock_hz - 1) < 1e-3, "its clock");
    ok(machine_write(m, a, &text, &e), "written %s", e.text);
    const struct machine *back = machine_read(text, "written.yaml", a, &e);
    ok(back && same_machine(m, back), "and read back %s", e.text);
    ok(back && machine_check(back, a).n_errors == 0, "nothing in it contradicts itself");
}

static void test_keeps(struct arena *a)
{
    const struct run *r = read_run(a);
    struct machine *m = bare(a);
    struct machine_match match = {"Other", 1, 2, 3, -1, -1};
    struct roof roof = {.name = "triad", .isa = "sse2", .level = "L1", .unit = "byte/s"};
    m->matches = &match;
    m->roofs = &roof;
    m->n_matches = m->n_roofs = 1;
    m->clock_source = "known";
    m->clock_one_core_hz = 1e9;
    run_describe_machine(r, "a run", m, a);
    ok(m->n_matches == 1 && strcmp(m->matches->vendor, "Other") == 0 && m->n_roofs == 1 &&
           m->clock_one_core_hz == 1e9 && m->n_chain_curve > 0,
       "what the machine has already stays");
}

/* A recorded host that says little. */
static void test_unknown(struct arena *a)
{
    struct run *r = read_run(a);
    struct machine *m = bare(a);
    r->host.family = r->host.clock_hz = (double)NAN;
    r->host.caches[0].shared_by_cpus = (double)NAN;
    r->n_cases = 0;
    run_describe_machine(r, "a run", m, a);
    ok(m->n_matches == 0 && isnan(m->clock_one_core_hz) && !m->clock_source && m->n_roofs == 0 &&
           m->n_chain_curve == 0 && isnan(m->caches[0].shared_by_cores),
       "what the run does not know stays unknown");
}

int main(void)
{
    struct arena *a = test_arena();
    test_whole(a);
    test_keeps(a);
    test_unknown(a);
    arena_release(a);
    return tap_done();
}
