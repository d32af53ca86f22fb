#include "measure/merge.h"

#include "base/items.h"
#include "base/stats.h"
#include "measure/pulse.h"

#include <math.h>
#include <string.h>

/* One array after the other; NULL if either is missing. */
static double *joined(const double *x, int n, const double *y, int m, struct arena *a)
{
    double *both = arena_new(a, double, (size_t)n + (size_t)m);
    if (!x || !y) {
        return NULL;
    }
    items_copy(both, x, (size_t)n, sizeof *both);
    items_copy(both + n, y, (size_t)m, sizeof *both);
    return both;
}

static void add_noise(struct run_noise *sum, const struct run_noise *other)
{
    sum->stolen_s += other->stolen_s;
    sum->pressure_s += other->pressure_s;
    sum->throttled_s += other->throttled_s;
    sum->context_switches += other->context_switches;
    sum->clock_spread = fmax(sum->clock_spread, other->clock_spread);
    sum->nop_cycles = fmax(sum->nop_cycles, other->nop_cycles);
    sum->discarded += other->discarded;
    sum->repeats += other->repeats;
    if (!sum->disturbed) {
        sum->disturbed = other->disturbed;
        sum->why = other->why;
    }
}

void merge_visits(struct run_case *first, const struct run_case *second, struct arena *a)
{
    const double one = stats_median(first->seconds, first->n);
    const double two = stats_median(second->seconds, second->n);
    const double differ = fabs(one - two) / fmin(one, two);
    first->seconds = joined(first->seconds, first->n, second->seconds, second->n, a);
    first->clock_hz = joined(first->clock_hz, first->n, second->clock_hz, second->n, a);
    first->n += second->n;
    first->checksum = second->checksum;
    first->reference = second->reference;
    add_noise(&first->noise, &second->noise);
    if (!first->noise.disturbed && differ > MERGE_DIFFER) {
        first->noise.disturbed = true;
        first->noise.why = arena_format(a, "the two visits differ by %.1f %%", 1e2 * differ);
    }
}

static bool same_roof(const struct run_case *x, const struct run_case *y)
{
    return y->kind == RUN_ROOF && x->threads == y->threads && strcmp(x->name, y->name) == 0 &&
           strcmp(x->isa, y->isa) == 0 && strcmp(x->level, y->level) == 0;
}

static void mark(struct run_case *c, double differ, struct arena *a)
{
    if (!c->noise.disturbed) {
        c->noise.disturbed = true;
        c->noise.why = arena_format(a, "the two rounds differ by %.1f %%", 1e2 * differ);
    }
}

/* Both: the faster is the roof, but what does not come again within a run will not in the next. */
static void mark_differing(struct run_case *x, struct run_case *y, struct arena *a)
{
    const double one = run_case_rate(x), two = run_case_rate(y);
    const double differ = fmax(one, two) / fmin(one, two) - 1;
    if (differ > MERGE_DIFFER) {
        mark(x, differ, a);
        mark(y, differ, a);
    }
}

void merge_rounds(struct run_case *cases, int n, struct arena *a)
{
    for (int i = 0; i < n; i++) {
        for (int k = i + 1; cases[i].kind == RUN_ROOF && k < n; k++) {
            if (same_roof(&cases[i], &cases[k])) {
                mark_differing(&cases[i], &cases[k], a);
            }
        }
    }
}

void merge_shared(struct run_case *cases, int n, double quietest, struct arena *a)
{
    for (int i = 0; i < n; i++) {
        struct run_noise *noise = &cases[i].noise;
        if (!noise->disturbed && noise->nop_cycles > 0 &&
            !pulse_is_quiet(noise->nop_cycles, quietest)) {
            noise->disturbed = true;
            noise->why = arena_format(a, "its cores were shared: a nop took %.3g cycles, not %.3g",
                                      noise->nop_cycles, quietest);
        }
    }
}
