#include "compare/accuracy.h"

#include "base/items.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct point {
    double x, y;
};

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_x_then_y(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    const int x = order(p->x, q->x);
    return x ? x : order(p->y, q->y);
}

static double pairs(double count)
{
    return count * (count - 1) / 2;
}

/* Pairs that agree in x, and pairs that agree in x and y; p is sorted by both. */
static void count_ties(const struct point *p, int n, double *in_x, double *in_both)
{
    int run_x = 1, run_both = 1;
    *in_x = *in_both = 0;
    for (int i = 1; i <= n; i++) {
        const bool same_x = i < n && p[i].x == p[i - 1].x;
        const bool same_both = same_x && p[i].y == p[i - 1].y;
        if (!same_x) {
            *in_x += pairs(run_x);
        }
        if (!same_both) {
            *in_both += pairs(run_both);
        }
        run_x = same_x ? run_x + 1 : 1;
        run_both = same_both ? run_both + 1 : 1;
    }
}

/* Merges y[first, middle) and y[middle, last) into `to`; returns how many exchanges of neighbours
 * that takes. */
static double merge(const double *y, int first, int middle, int last, double *to)
{
    double exchanges = 0;
    int left = first, right = middle;
    for (int k = first; k < last; k++) {
        const bool from_left = right >= last || (left < middle && y[left] <= y[right]);
        exchanges += from_left ? 0 : middle - left;
        to[k] = from_left ? y[left++] : y[right++];
    }
    return exchanges;
}

/* Sorts y[n]; the exchanges are the pairs ranked unlike. */
static double merge_sort(double *y, double *spare, int n)
{
    double exchanges = 0;
    for (int width = 1; width < n; width *= 2) {
        for (int first = 0; first < n; first += 2 * width) {
            const int middle = first + width < n ? first + width : n;
            const int last = first + 2 * width < n ? first + 2 * width : n;
            exchanges += merge(y, first, middle, last, spare);
        }
        memcpy(y, spare, (size_t)n * sizeof *y);
    }
    return exchanges;
}

static double ties_of_sorted(const double *y, int n)
{
    double ties = 0;
    int run = 1;
    for (int i = 1; i <= n; i++) {
        const bool same = i < n && y[i] == y[i - 1];
        ties += same ? 0 : pairs(run);
        run = same ? run + 1 : 1;
    }
    return ties;
}

double kendall_tau_b(const double *x, const double *y, int n, struct arena *scratch)
{
    if (n < 2) {
        return NAN;
    }
    struct point *p = arena_new(scratch, struct point, (size_t)n);
    double *ranked = arena_new(scratch, double, (size_t)n);
    double *spare = arena_new(scratch, double, (size_t)n);
    for (int i = 0; i < n; i++) {
        p[i] = (struct point){x[i], y[i]};
    }
    items_sort(p, (size_t)n, sizeof *p, by_x_then_y);
    for (int i = 0; i < n; i++) {
        ranked[i] = p[i].y;
    }
    double ties_x, ties_both;
    count_ties(p, n, &ties_x, &ties_both);
    const double discordant = merge_sort(ranked, spare, n);
    const double ties_y = ties_of_sorted(ranked, n);
    const double all = pairs(n);
    const double scale = sqrt((all - ties_x) * (all - ties_y));
    return scale > 0 ? (all - ties_x - ties_y + ties_both - 2 * discordant) / scale : (double)NAN;
}

struct accuracy accuracy_of(const double *predicted, const double *measured, int n,
                            struct arena *scratch)
{
    double *x = arena_new(scratch, double, (size_t)n), *y = arena_new(scratch, double, (size_t)n);
    double sum = 0, squares = 0;
    struct accuracy a = {0};
    for (int i = 0; i < n; i++) {
        if (!(measured[i] > 0) || isinf(measured[i])) {
            continue;
        }
        a.n_measured++;
        if (isnan(predicted[i])) {
            continue;
        }
        const double off = predicted[i] / measured[i] - 1;
        sum += fabs(off);
        squares += off * off;
        x[a.n] = predicted[i];
        y[a.n++] = measured[i];
    }
    a.mape = a.n ? sum / a.n : (double)NAN;
    a.rms = a.n ? sqrt(squares / a.n) : (double)NAN;
    a.coverage = a.n_measured ? (double)a.n / a.n_measured : (double)NAN;
    a.kendall_tau = kendall_tau_b(x, y, a.n, scratch);
    return a;
}
