#include "measure/sweep.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>

/* A level costs as much as two points that are 15 % off: smaller steps are not worth one. */
#define LEVEL_PRICE (2 * 0.15 * 0.15)
/* Falling less than this is no end of a cache but noise, or pages and ways running short. */
#define FALL_MIN 0.20
/* A level of one point lies on the way down from the level before to the one after. */
#define POINTS_MIN 2

struct stairs {
    int first[SWEEP_POINTS_MAX + 1]; /* of each level; first[n] = number of points */
    double rate[SWEEP_POINTS_MAX];   /* geometric mean of each level */
    int n;
};

/* Squared deviation of y[first..last] from its mean. */
static double deviation(const double *y, int first, int last)
{
    double sum = 0, squares = 0;
    for (int i = first; i <= last; i++) {
        sum += y[i];
    }
    const double mean = sum / (last - first + 1);
    for (int i = first; i <= last; i++) {
        squares += (y[i] - mean) * (y[i] - mean);
    }
    return squares;
}

/* cost[j] = min over i < j of cost[i] + price + deviation(i .. j-1) */
static void fit_stairs(const double *y, int n, struct stairs *s)
{
    double cost[SWEEP_POINTS_MAX + 1] = {0};
    int from[SWEEP_POINTS_MAX + 1] = {0};
    for (int j = 1; j <= n; j++) {
        cost[j] = (double)INFINITY;
        for (int i = 0; i < j; i++) {
            const double c = cost[i] + LEVEL_PRICE + deviation(y, i, j - 1);
            if (c < cost[j]) {
                cost[j] = c;
                from[j] = i;
            }
        }
    }
    int backward[SWEEP_POINTS_MAX + 1];
    s->n = 0;
    for (int j = n; j > 0; j = from[j]) {
        backward[s->n++] = from[j];
    }
    for (int k = 0; k < s->n; k++) {
        s->first[k] = backward[s->n - 1 - k];
    }
    s->first[s->n] = n;
}

static double level_rate(const double *y, int first, int end)
{
    double sum = 0;
    for (int i = first; i < end; i++) {
        sum += y[i];
    }
    return exp(sum / (end - first));
}

/* The size at which the falling rate passes `middle`, between points from..to, on straight lines
 * over the logarithms. */
static double crossing(const double *bytes, const double *rate, int from, int to, double middle)
{
    for (int i = from; i < to; i++) {
        if (rate[i] >= middle && rate[i + 1] < middle) {
            const double part = log(rate[i] / middle) / log(rate[i] / rate[i + 1]);
            return bytes[i] * pow(bytes[i + 1] / bytes[i], part);
        }
    }
    return bytes[from];
}

int sweep_knees(const double *bytes, const double *rate, int n,
                struct sweep_knee knees[SWEEP_KNEES_MAX])
{
    assert(n <= SWEEP_POINTS_MAX);
    double y[SWEEP_POINTS_MAX];
    struct stairs s;
    int n_knees = 0;
    for (int i = 0; i < n; i++) {
        y[i] = log(rate[i]);
    }
    fit_stairs(y, n, &s);
    for (int upper = 0; upper < s.n && n_knees < SWEEP_KNEES_MAX;) {
        int lower = upper + 1;
        while (lower < s.n - 1 && s.first[lower + 1] - s.first[lower] < POINTS_MIN) {
            lower++;
        }
        if (lower >= s.n) {
            break;
        }
        const double above = level_rate(y, s.first[upper], s.first[upper + 1]);
        const double below = level_rate(y, s.first[lower], s.first[lower + 1]);
        if (below < (1 - FALL_MIN) * above) {
            const double at =
                crossing(bytes, rate, s.first[upper + 1] - 1, s.first[lower], sqrt(above * below));
            knees[n_knees++] = (struct sweep_knee){at, above, below};
        }
        upper = lower;
    }
    return n_knees;
}

int sweep_sizes(double first, double last, double unit, double sizes[SWEEP_POINTS_MAX])
{
    int n = 0;
    do {
        sizes[n] = fmax(1, round(first * pow(2, 0.5 * n) / unit)) * unit;
    } while (sizes[n++] < last && n < SWEEP_POINTS_MAX);
    return n;
}

static int nearest_knee(const struct sweep_knee *knees, int n, const bool *taken, double bytes)
{
    int best = -1;
    for (int i = 0; i < n; i++) {
        const double off = fabs(log(knees[i].bytes / bytes));
        if (!taken[i] && off <= log(SWEEP_MATCH) &&
            (best < 0 || off < fabs(log(knees[best].bytes / bytes)))) {
            best = i;
        }
    }
    return best;
}

bool sweep_disagrees(const struct run_cache *c)
{
    return fabs(log(c->measured_bytes / c->size_bytes)) > log(SWEEP_WARN);
}

bool sweep_moves_size(const struct run_cache *c, bool disturbed)
{
    return !disturbed && sweep_disagrees(c);
}

int sweep_compare(const struct sweep_seen *seen, struct run_cache *caches, int n_caches,
                  struct arena *a, const char **warnings)
{
    bool taken[SWEEP_KNEES_MAX] = {false};
    int n = 0;
    for (int i = 0; i < n_caches; i++) {
        struct run_cache *c = &caches[i];
        const int k = nearest_knee(seen->knees, seen->n_knees, taken, c->size_bytes);
        if (k < 0) {
            continue;
        }
        taken[k] = true;
        c->measured_bytes = seen->knees[k].bytes;
        if (sweep_disagrees(c)) {
            char said[TEXT_SI_SIZE], found[TEXT_SI_SIZE];
            warnings[n++] = arena_format(
                a,
                "the system reports %s of %s, but reads slow down past "
                "%s%s: arrays for %s are sized "
                "by what %s, those for DRAM lie beyond both",
                c->name, text_bytes(c->size_bytes, said), text_bytes(c->measured_bytes, found),
                seen->disturbed ? " in a sweep that was disturbed" : "", c->name,
                seen->disturbed ? "the system reports" : "was measured");
        }
    }
    return n;
}
