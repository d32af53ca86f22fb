/* noise.h - whether a case was disturbed, from what moved while it ran.
 *
 * Pure.  Each rule has a limit that is stated with it in noise.c; a case is as disturbed as its
 * worst rule, and the sentence names that rule with the number that was seen.  A number that could
 * not be read (NaN) breaks no rule.
 *
 * Units: seconds.
 */
#ifndef GAMBREL_MEASURE_NOISE_H
#define GAMBREL_MEASURE_NOISE_H

#include <stddef.h>

struct noise_seen {
    double duration_s; /* of all passes, warm-up too */
    int threads, passes;
    int timed, crowded; /* passes that count, and those of them on a crowded core (pulse.h) */
    double stolen_s, pressure_s, throttled_s;
    double waited_s;         /* of our threads on a run queue (schedstat), all threads */
    double context_switches; /* involuntary, all threads */
    double clock_spread;     /* noise_spread of the clock's readings */
    double sample_spread;    /* noise_spread of the passes */
};

#define NOISE_WHY_BYTES 160

/* Distance between the quartiles over the median: one pass that an interrupt hit does not move it,
 * passes that fall into two heaps do.  n >= 1. */
double noise_spread(const double *x, int n);

/* How far the worst rule is exceeded: above 1 the case is disturbed and `why` says by what, else
 * `why` is "". */
double noise_judge(const struct noise_seen *seen, char why[NOISE_WHY_BYTES]);

#endif
