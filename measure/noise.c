#include "measure/noise.h"

#include "base/stats.h"
#include "measure/proc.h"

#include <stdio.h>

/* Steal is counted in clock ticks of 10 ms, so less than two of them say nothing. */
#define STEAL_SHARE 0.02
#define STEAL_MIN_S 0.015
/* The kernel adds pressure up every two seconds, so a case may be charged what happened before it:
 * the limit is a share of the case and of one such period. */
#define PRESSURE_SHARE 0.05
#define THROTTLED_S    1e-3
#define WAIT_SHARE     0.02 /* of all threads' time */
/* Each switch spoils one pass; the median bears a few, not one in four. */
#define SWITCHES_PER_PASS 0.25
#define SWITCHES_MIN      3.0
/* Two runs are to agree within 3 %: what is less sure than 2 % within one is not undisturbed. */
#define CLOCK_SPREAD  0.02
#define SAMPLE_SPREAD 0.04
#define CROWDED_SHARE 0.25 /* the median bears fewer */

double noise_spread(const double *x, int n)
{
    return (stats_quantile(x, n, 0.75) - stats_quantile(x, n, 0.25)) / stats_median(x, n);
}

struct rule {
    double value, limit;
    double scale; /* of both, to the unit of the sentence */
    const char *what, *unit;
};

double noise_judge(const struct noise_seen *s, char why[NOISE_WHY_BYTES])
{
    const double all_s = s->duration_s * s->threads;
    const struct rule rules[] = {
        {s->throttled_s, THROTTLED_S, 1e3, "the control group's quota stopped it for", "ms"},
        {s->stolen_s, STEAL_MIN_S + STEAL_SHARE * all_s, 1e3, "the hypervisor took its CPUs for",
         "ms"},
        {s->waited_s, WAIT_SHARE * all_s, 1e3, "its threads waited for a CPU for", "ms"},
        {s->pressure_s, PRESSURE_SHARE * (s->duration_s + PROC_PRESSURE_PERIOD_S), 1e3,
         "tasks of this system waited for a CPU for", "ms"},
        {s->context_switches, s->threads * (SWITCHES_MIN + SWITCHES_PER_PASS * s->passes), 1,
         "its threads were displaced", "times"},
        {(double)s->crowded / s->timed, CROWDED_SHARE, 1e2, "its cores were shared during",
         "% of its passes"},
        {s->clock_spread, CLOCK_SPREAD, 1e2, "the clock moved by", "%"},
        {s->sample_spread, SAMPLE_SPREAD, 1e2, "the middle half of its passes differs by", "%"},
    };
    double worst = 0;
    const struct rule *broken = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const double severity = rules[i].value / rules[i].limit;
        if (severity > worst) {
            worst = severity;
            broken = &rules[i];
        }
    }
    why[0] = '\0';
    if (broken && worst > 1) {
        snprintf(why, NOISE_WHY_BYTES, "%s %.3g %s (limit %.3g)", broken->what,
                 broken->value * broken->scale, broken->unit, broken->limit * broken->scale);
    }
    return worst;
}
