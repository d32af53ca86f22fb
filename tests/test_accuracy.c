/* Kendall's tau against a count of all pairs, and the other figures on values done by hand. */
#include "compare/accuracy.h"
#include "tests/compare_fixture.h"
#include "tests/tap.h"

#include <stdint.h>

static double tau_by_pairs(const double *x, const double *y, int n)
{
    double score = 0, used_x = 0, used_y = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            const int a = (x[i] > x[k]) - (x[i] < x[k]);
            const int b = (y[i] > y[k]) - (y[i] < y[k]);
            score += a * b;
            used_x += a != 0;
            used_y += b != 0;
        }
    }
    return used_x > 0 && used_y > 0 ? score / sqrt(used_x * used_y) : (double)NAN;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

enum { N_MOST = 300 };

/* `values` distinct values: few make many ties. */
static void check_random(uint64_t seed, int n, uint64_t values, struct arena *a)
{
    double x[N_MOST], y[N_MOST];
    uint64_t state = seed;
    for (int i = 0; i < n; i++) {
        x[i] = (double)(next(&state) % values);
        y[i] = next(&state) % 3 ? x[i] : (double)(next(&state) % values);
    }
    char name[100];
    snprintf(name, sizeof name, "tau of %d pairs with %d values, seed %d", n, (int)values,
             (int)seed);
    is_near(kendall_tau_b(x, y, n, a), tau_by_pairs(x, y, n), 1e-12, name);
}

static void check_tau(struct arena *a)
{
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 16, 33, 100, N_MOST};
    static const uint64_t values[] = {1, 2, 3, 10, 1000000};
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            check_random(seed++, sizes[s], values[v], a);
        }
    }
    const double up[] = {1, 2, 3}, down[] = {3, 2, 1}, flat[] = {5, 5, 5};
    is_near(kendall_tau_b(up, up, 3, a), 1, 0, "the same order is 1");
    is_near(kendall_tau_b(up, down, 3, a), -1, 0, "the reverse is -1");
    is_near(kendall_tau_b(up, flat, 3, a), NAN, 0, "all ties say nothing");
    is_near(kendall_tau_b(up, up, 1, a), NAN, 0, "one value says nothing");
    is_near(kendall_tau_b(up, up, 0, a), NAN, 0, "no value says nothing");
}

static void check_errors(struct arena *a)
{
    const double predicted[] = {110, 80, NAN, 50, 70}, measured[] = {100, 100, 100, 0, NAN};
    const struct accuracy by_hand = accuracy_of(predicted, measured, 5, a);
    is_near(by_hand.mape, 0.15, 1e-12, "MAPE of +10 % and -20 %");
    is_near(by_hand.rms, sqrt((0.01 + 0.04) / 2), 1e-12, "RMS of them");
    is_near(by_hand.coverage, 2 / 3.0, 1e-12, "two of three measured ones are predicted");
    ok(by_hand.n == 2 && by_hand.n_measured == 3, "a measurement of 0 or NaN does not count");
    const struct accuracy none = accuracy_of(predicted, measured, 0, a);
    ok(isnan(none.mape) && isnan(none.rms) && isnan(none.kendall_tau) && isnan(none.coverage),
       "nothing gives unknown, not 0");
    const double exact[] = {1, 2, 4};
    const struct accuracy same = accuracy_of(exact, exact, 3, a);
    ok(same.mape == 0 && same.rms == 0 && same.kendall_tau == 1 && same.coverage == 1,
       "a perfect prediction");
}

int main(void)
{
    struct arena *a = fixture_arena();
    check_tau(a);
    check_errors(a);
    arena_release(a);
    return tap_done();
}
