#include "compare/measured.h"

#include "base/stats.h"
#include "compare/order.h"

#include <math.h>

static void from_samples(const struct run_case *c, struct measured *m)
{
    const struct summary s = summary_of(c->seconds, c->n);
    m->low = c->work_per_pass / s.median_high;
    m->high = c->work_per_pass / s.median_low;
    m->min = c->work_per_pass / s.max;
    m->max = c->work_per_pass / s.min;
    m->cv = s.cv;
    m->clock_hz = c->clock_hz ? stats_median(c->clock_hz, c->n) : (double)NAN;
}

struct measured measured_of(const struct run_case *c)
{
    struct measured m = {
        .rate = run_case_rate(c),
        .low = NAN,
        .high = NAN,
        .min = NAN,
        .max = NAN,
        .cv = c->recorded_cv,
        .n = c->n,
        .other = NAN,
        .clock_hz = NAN,
        .array_bytes = c->array_bytes,
        .disturbed = c->noise.disturbed,
        .why = c->noise.why ? c->noise.why : "",
        .derived = c->derived,
        .source = c->source,
    };
    if (c->n > 0) {
        from_samples(c, &m);
    } else if (!isnan(m.cv)) {
        m.low = m.rate * (1 - m.cv);
        m.high = m.rate * (1 + m.cv);
    }
    return m;
}

struct measured measured_higher(struct measured a, struct measured b)
{
    struct measured *higher = b.rate > a.rate ? &b : &a;
    const struct measured *lower = higher == &b ? &a : &b;
    if (isnan(higher->other) || lower->rate < higher->other) {
        higher->other = lower->rate;
        higher->other_disturbed = lower->disturbed;
    }
    return *higher;
}

static bool same_case(const struct run_case *a, const struct run_case *b)
{
    return a->kind == b->kind && a->threads == b->threads && a->chains == b->chains &&
           same_text(a->name, b->name) && same_text(a->isa, b->isa) &&
           same_text(a->level, b->level) &&
           (a->kind != RUN_SWEEP || a->array_bytes == b->array_bytes);
}

struct merged_cases measured_merge(const struct run *run, enum run_kind kind, struct arena *a)
{
    struct merged_cases m = {
        .cases = arena_new(a, const struct run_case *, (size_t)run->n_cases + 1),
        .measured = arena_new(a, struct measured, (size_t)run->n_cases + 1),
    };
    for (int i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (c->kind != kind) {
            continue;
        }
        int k = 0;
        while (k < m.n && !same_case(m.cases[k], c)) {
            k++;
        }
        if (k < m.n) {
            m.measured[k] = measured_higher(m.measured[k], measured_of(c));
        } else {
            m.cases[m.n] = c;
            m.measured[m.n++] = measured_of(c);
        }
    }
    return m;
}
