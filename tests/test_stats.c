#include "base/stats.h"
#include "tests/tap.h"

static void fill(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = (i * 7919) % n; /* 0 .. n-1 in another order where n and 7919 are coprime */
    }
}

/* Ranks (from 1) of the 95 % interval of a median: Conover's table A3, and n < 6 by definition. */
static void intervals(void)
{
    static const struct {
        int n, low, high;
    } cases[] = {{1, 1, 1},   {5, 1, 5},   {6, 1, 6},    {8, 1, 8},    {9, 2, 8},
                 {15, 4, 12}, {21, 6, 16}, {30, 10, 21}, {100, 40, 61}};
    double x[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill(x, cases[i].n);
        const struct summary s = summary_of(x, cases[i].n);
        ok(s.median_low == cases[i].low - 1 && s.median_high == cases[i].high - 1,
           "interval of %d samples is ranks %d to %d", cases[i].n, cases[i].low, cases[i].high);
    }
}

int main(void)
{
    const double even[] = {4, -1, 3, 2}, one[] = {7}, same[] = {2, 2, 2}, bad[] = {1, NAN, 3};
    is_near(stats_median(even, 4), 2.5, 0, "median of an even number");
    is_near(stats_median(one, 1), 7, 0, "median of one");
    ok(isnan(stats_median(even, 0)), "median of nothing is unknown");
    ok(isnan(stats_median(bad, 3)), "median of an unknown is unknown");

    const double four[] = {40, 10, 30, 20}; /* type 7 of these as R's quantile() gives it */
    is_near(stats_quantile(four, 4, 0.25), 17.5, 1e-12, "lower quartile between two samples");
    is_near(stats_quantile(four, 4, 0.75), 32.5, 1e-12, "upper quartile between two samples");
    ok(stats_quantile(four, 4, 0) == 10 && stats_quantile(four, 4, 1) == 40,
       "the ends are samples");
    is_near(stats_quantile(one, 1, 0.25), 7, 0, "quantile of one");
    ok(isnan(stats_quantile(even, 0, 0.5)) && isnan(stats_quantile(bad, 3, 0.5)),
       "quantile of nothing or of an unknown is unknown");

    struct summary s = summary_of(even, 4);
    ok(s.n == 4 && s.min == -1 && s.max == 4, "n, min and max");
    is_near(s.cv, sqrt(14.0 / 3) / 2, 1e-12, "cv is standard deviation (n - 1) over mean");
    ok(even[0] == 4 && even[1] == -1, "samples stay as they were");
    ok(summary_of(one, 1).cv == 0 && summary_of(same, 3).cv == 0, "cv of one and of equals is 0");
    s = summary_of(one, 0);
    ok(s.n == 0 && isnan(s.median) && isnan(s.min) && isnan(s.max) && isnan(s.cv) &&
           isnan(s.median_low) && isnan(s.median_high),
       "nothing gives NaN everywhere");

    static double large[100001];
    fill(large, 100001);
    s = summary_of(large, 100001);
    is_near(s.median, 50000, 0, "median of 100001");
    ok(s.median_low > 49600 && s.median_low < 49800 && s.median_high == 100000 - s.median_low,
       "its interval is narrow and symmetric");
    intervals();
    return tap_done();
}
