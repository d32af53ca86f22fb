/* measured.h - what one measured case says: its rate, and the doubt about it.
 *
 * Units: flop/s or byte/s, as the case says.
 */
#ifndef GAMBREL_COMPARE_MEASURED_H
#define GAMBREL_COMPARE_MEASURED_H

#include "base/arena.h"
#include "formats/run.h"

#include <stdbool.h>

struct measured {
    double rate;      /* of the median pass */
    double low, high; /* 95 % interval of that median; NaN where there are no samples to tell */
    double min, max;  /* slowest and fastest pass; NaN likewise */
    double cv;        /* NaN: not known */
    int n;            /* passes; 0: a published value */
    double other;     /* the median of the other round; NaN where there was one round only */
    bool other_disturbed;
    double clock_hz; /* median beside the passes; NaN */
    double array_bytes;
    bool disturbed;
    const char *why;    /* what disturbed it; "" */
    bool derived;       /* computed from other published values */
    const char *source; /* NULL: measured by this program */
};

/* A published value with a cv gets that cv on either side as its interval. */
struct measured measured_of(const struct run_case *c);

/* Of two rounds of one case the one with the higher median, the lower beside it as `other`. */
struct measured measured_higher(struct measured a, struct measured b);

/* The cases of one kind, rounds put together: measured[i] is the higher round of cases[i]. */
struct merged_cases {
    const struct run_case **cases; /* the first round of each */
    struct measured *measured;
    int n;
};
struct merged_cases measured_merge(const struct run *run, enum run_kind kind, struct arena *a);

#endif
