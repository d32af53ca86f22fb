/* stats.h - what a set of samples says.  The median is the statistic; the rest is its doubt.
 */
#ifndef GAMBREL_BASE_STATS_H
#define GAMBREL_BASE_STATS_H

#include <stddef.h>

struct summary {
    int n;
    double median, min, max;
    double cv; /* standard deviation (n - 1) over mean; 0 for n = 1, NaN for n = 0 */
    /* A 95 % interval of the median by order statistics (binomial, no normality assumed); equal to
     * min and max where n < 6. */
    double median_low, median_high;
};

/* Summary of x[n]; x is not changed.  n = 0 gives NaN everywhere. */
struct summary summary_of(const double *x, int n);

double stats_median(const double *x, int n); /* NaN for n = 0 */

/* The p-quantile, 0 <= p <= 1, linear between order statistics (Hyndman and Fan's type 7); NaN for
 * n = 0. */
double stats_quantile(const double *x, int n, double p);

#endif
