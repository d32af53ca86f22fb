#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* IEEE 754 doubles sort like integers once negative ones are mirrored. */
static uint64_t sort_key(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double from_sort_key(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The k-th smallest, k from 0, by bisection over the keys: needs no copy, hence no memory. */
static double kth_smallest(const double *x, int n, int k)
{
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        int below = 0;
        for (int i = 0; i < n; i++) {
            below += sort_key(x[i]) <= middle;
        }
        if (below > k) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return from_sort_key(low);
}

static int has_nan(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) {
            return 1;
        }
    }
    return 0;
}

double stats_median(const double *x, int n)
{
    if (n <= 0 || has_nan(x, n)) {
        return NAN;
    }
    const double upper = kth_smallest(x, n, n / 2);
    return n % 2 ? upper : kth_smallest(x, n, n / 2 - 1) / 2 + upper / 2;
}

double stats_quantile(const double *x, int n, double p)
{
    if (n <= 0 || has_nan(x, n)) {
        return NAN;
    }
    const double at = p * (n - 1);
    const int below = (int)at;
    const double low = kth_smallest(x, n, below);
    return below + 1 < n ? low + (at - below) * (kth_smallest(x, n, below + 1) - low) : low;
}

/* Rank k (from 0) such that [x(k), x(n-1-k)] holds the median with at least 95 %: the largest k
 * with P(B <= k) <= 0.025, B binomial (n, 1/2).  Source: Conover, Practical Nonparametric
 * Statistics, confidence interval for a quantile. */
static int interval_rank(int n)
{
    int k = 0;
    double tail = 0, log_term = -n * log(2);
    for (int i = 0; i < n / 2; i++) {
        tail += exp(log_term);
        if (tail > 0.025) {
            break;
        }
        k = i;
        log_term += log((double)(n - i) / (i + 1));
    }
    return k;
}

static double variation(const double *x, int n)
{
    if (n < 2) {
        return 0;
    }
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        mean += x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
    }
    return squares == 0 ? 0 : sqrt(squares / (n - 1)) / fabs(mean);
}

struct summary summary_of(const double *x, int n)
{
    if (n <= 0 || has_nan(x, n)) {
        return (struct summary){n > 0 ? n : 0, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    const int k = interval_rank(n);
    return (struct summary){
        .n = n,
        .median = stats_median(x, n),
        .min = kth_smallest(x, n, 0),
        .max = kth_smallest(x, n, n - 1),
        .cv = variation(x, n),
        .median_low = kth_smallest(x, n, k),
        .median_high = kth_smallest(x, n, n - 1 - k),
    };
}
