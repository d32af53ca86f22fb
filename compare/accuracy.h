/* accuracy.h - how well predictions agree with measurements, over many loops or blocks.
 *
 *     MAPE  mean of |predicted / measured - 1|
 *     RMS   root of the mean of (predicted / measured - 1)^2
 *     tau   Kendall's tau-b: the share of pairs ranked alike minus those ranked unlike, ties
 *           accounted for on both sides
 *
 * A pair is left out where the prediction is NaN (it counts against coverage) or where the
 * measurement is not a positive number (there is nothing to be right about).
 */
#ifndef GAMBREL_COMPARE_ACCURACY_H
#define GAMBREL_COMPARE_ACCURACY_H

#include "base/arena.h"

struct accuracy {
    double mape, rms;   /* fractions; NaN for n = 0 */
    double kendall_tau; /* -1 to 1; NaN where either side is all ties or n < 2 */
    double coverage;    /* predicted / measured, counts; NaN where nothing was measured */
    int n;              /* predicted and measured */
    int n_measured;
};

/* `scratch` holds copies of both vectors. */
struct accuracy accuracy_of(const double *predicted, const double *measured, int n,
                            struct arena *scratch);

/* O(n log n).  No NaN in x or y.  Source: W. R. Knight, "A computer method for calculating
 * Kendall's tau with ungrouped data", JASA 61, 1966. */
double kendall_tau_b(const double *x, const double *y, int n, struct arena *scratch);

#endif
