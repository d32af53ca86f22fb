#include "measure/protocol.h"

#include <math.h>

#define N_ITER_FIRST 16
/* One step may not trust a short pass too far: a timer interrupt is as long as a small pass. */
#define GROWTH_MAX 8.0
#define ENOUGH     0.5 /* of pass_s: from there one more step lands on it */
#define SLACK      0.3 /* a warm pass this far from pass_s, relatively, sets a new length */

/* On a busy machine every one of fewer passes may have been interrupted. */
#define WARM_PASSES_MIN 3

static uint64_t clamp_iter(double n, uint64_t max)
{
    return n < 1 ? 1 : n >= (double)max ? max : (uint64_t)n;
}

static uint64_t scaled(const struct protocol *p, double factor)
{
    return clamp_iter((double)p->n_iter * factor, p->rules.n_iter_max);
}

void protocol_start(struct protocol *p, const struct protocol_rules *rules)
{
    const uint64_t fixed = rules->n_iter_fixed;
    *p = (struct protocol){
        .rules = *rules,
        .phase = fixed ? PROTOCOL_WARM : PROTOCOL_CALIBRATE,
        .n_iter = clamp_iter(fixed ? (double)fixed : N_ITER_FIRST, rules->n_iter_max),
        .n_lead = 1,
    };
}

static void calibrate(struct protocol *p, double seconds)
{
    const bool long_enough = seconds >= ENOUGH * p->rules.pass_s;
    const bool at_limit = p->n_iter == p->rules.n_iter_max;
    const double factor = seconds > 0 ? p->rules.pass_s / seconds : GROWTH_MAX;
    p->n_iter = scaled(p, fmin(factor, GROWTH_MAX));
    if (long_enough || at_limit) {
        p->phase = PROTOCOL_WARM;
    }
}

/* The first passes run on a slow clock and cold caches, and any pass may be interrupted, so the
 * fastest so far says how long a pass is.  Timing begins after a pass of the length that is
 * timed. */
static void warm(struct protocol *p, double seconds)
{
    const double iter_s = seconds / (double)p->n_iter;
    p->warmed_s += seconds;
    p->warm_passes++;
    p->iter_s_least = p->iter_s_least > 0 ? fmin(p->iter_s_least, iter_s) : iter_s;
    const double off = p->rules.pass_s / (p->iter_s_least * (double)p->n_iter);
    const uint64_t better = scaled(p, off);
    if (!p->rules.n_iter_fixed && (off > 1 + SLACK || off < 1 / (1 + SLACK)) &&
        better != p->n_iter) {
        p->n_iter = better;
    } else if (p->warmed_s >= p->rules.warmup_s &&
               (p->rules.n_iter_fixed || p->warm_passes >= WARM_PASSES_MIN)) {
        p->phase = PROTOCOL_TIMED;
    }
}

static int timed(struct protocol *p, bool crowded)
{
    if (crowded && p->discarded < p->rules.spare) {
        p->discarded++;
        return -1;
    }
    p->crowded += crowded;
    if (p->timed + 1 >= p->rules.reps) {
        p->phase = PROTOCOL_DONE;
    }
    return p->timed++;
}

static int next(struct protocol *p, double seconds, bool crowded)
{
    switch (p->phase) {
    case PROTOCOL_CALIBRATE:
        calibrate(p, seconds);
        return -1;
    case PROTOCOL_WARM:
        warm(p, seconds);
        return -1;
    case PROTOCOL_TIMED:
        return timed(p, crowded);
    case PROTOCOL_DONE:
        break;
    }
    return -1;
}

int protocol_next(struct protocol *p, double seconds, bool crowded)
{
    const int sample = next(p, seconds, crowded);
    p->n_lead = clamp_iter(p->rules.lead_s / p->rules.pass_s * (double)p->n_iter, p->n_iter);
    return sample;
}
