/* sweep.h - cache sizes from the rate at which arrays of growing size are read.
 *
 * The part that judges a curve is pure.  The curve is taken for a staircase: levels of nearly one
 * rate, the least number of them that describes the logarithms of the rates (least squares with a
 * price for each level, by dynamic programming).  Where a level falls to the next, the cache of the
 * upper one ends: its capacity is the size at which the rate passes the geometric mean of the two.
 *
 * Units: bytes, bytes/s.
 */
#ifndef GAMBREL_MEASURE_SWEEP_H
#define GAMBREL_MEASURE_SWEEP_H

#include "base/arena.h"
#include "formats/run.h"

#include <stdbool.h>

#define SWEEP_POINTS_MAX 64
#define SWEEP_KNEES_MAX  8

struct sweep_knee {
    double bytes;        /* capacity of the level that ends here */
    double above, below; /* rates of the levels before and after */
};

/* Knees of rate[n] over ascending bytes[n], n <= SWEEP_POINTS_MAX; returns how many. */
int sweep_knees(const double *bytes, const double *rate, int n,
                struct sweep_knee knees[SWEEP_KNEES_MAX]);

/* Two sizes an octave from `first` to at least `last`, each a multiple of `unit`; returns how
 * many. */
int sweep_sizes(double first, double last, double unit, double sizes[SWEEP_POINTS_MAX]);

/* What a sweep shows. */
struct sweep_seen {
    const struct sweep_knee *knees;
    int n_knees;
    bool disturbed; /* a point of it was */
};

/* Gives each cache the knee nearest to the size the system reports, within a factor of SWEEP_MATCH
 * and no knee twice; sets measured_bytes.  Adds a sentence to warnings (room for n_caches of them)
 * for each that is off by more than SWEEP_WARN, which says what sizes the arrays then have; returns
 * how many it added. */
#define SWEEP_MATCH 8.0
#define SWEEP_WARN  2.0
int sweep_compare(const struct sweep_seen *seen, struct run_cache *caches, int n_caches,
                  struct arena *a, const char **warnings);

/* Whether the two sizes of a cache are that far apart; false where either is unknown. */
bool sweep_disagrees(const struct run_cache *c);
/* Whether arrays are sized by what was measured instead of what the system reports: where the two
 * disagree, unless a point of the sweep was disturbed, which bends the curve as a cache does. */
bool sweep_moves_size(const struct run_cache *c, bool disturbed);

#endif
