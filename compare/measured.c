#include "compare/measured.h"

#include "base/stats.h"

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
    const double other = b.rate > a.rate ? a.rate : b.rate;
    higher->other = isnan(higher->other) ? other : fmin(higher->other, other);
    return *higher;
}
