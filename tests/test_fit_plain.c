/* Plain maps: what a descent leaves a little off becomes the fraction it comes from, if the data
 * let it. */
#include "base/random.h"
#include "model/fit_plain.h"
#include "model/fit_polish.h"
#include "tests/formats.h"

#include <math.h>
#include <string.h>

enum { FORMS = 6, RESOURCES = 4, BLOCKS = 400 };

/* A front end of four, ports A and B, both, and forms that take them; the sixth is so slow
 * that no block would show its slot. */
static const double truth[FORMS][RESOURCES] = {
    {0.25, 0, 0, 0},   {0.25, 1, 0, 0.5}, {0.25, 0, 1, 0.5},
    {0.25, 0, 0, 0.5}, {0.5, 1, 0, 1},    {0, 2.5, 0, 1.25},
};

static double true_cycles(const int counts[FORMS])
{
    double cycles = 0;
    for (int r = 0; r < RESOURCES; r++) {
        double load = 0;
        for (int i = 0; i < FORMS; i++) {
            load += counts[i] * truth[i][r];
        }
        cycles = fmax(cycles, load);
    }
    return cycles;
}

/* Every form alone, then blocks of up to three; cycles with relative noise. */
static struct fit_data *make_data(double noise, struct arena *a)
{
    static const char *const names[FORMS] = {"nop", "imul", "popcnt", "add", "sub", "div"};
    struct random random = {7};
    struct err e = {0};
    struct fit_data *d = fit_data_new(a);
    for (int b = 0; b < FORMS + BLOCKS; b++) {
        int counts[FORMS] = {0};
        struct form_count forms[FORMS];
        struct block block = {.forms = forms, .weight = 1};
        for (int k = 0; k < (b < FORMS ? 1 : 3); k++) {
            counts[b < FORMS ? b : random_below(&random, FORMS)] += 1 + random_below(&random, 8);
        }
        for (int i = 0; i < FORMS; i++) {
            if (counts[i]) {
                forms[block.n_forms++] = (struct form_count){names[i], counts[i]};
            }
        }
        block.cycles = true_cycles(counts) * (1 + noise * random_normal(&random));
        if (!fit_data_add(d, &block, &e)) {
            ok(false, "%s", e.text);
        }
    }
    return d;
}

/* The truth with its weights a little off, and what is zero hardly more. */
static struct resource_map blurred(double off, struct arena *a)
{
    struct random random = {11};
    struct resource_map m = {.n_forms = FORMS, .n_resources = RESOURCES};
    m.rho = arena_new(a, double, FORMS *RESOURCES);
    for (int k = 0; k < FORMS * RESOURCES; k++) {
        const double weight = truth[k / RESOURCES][k % RESOURCES];
        m.rho[k] = weight > 0 ? weight * (1 + off * random_normal(&random))
                              : off * random_uniform(&random) / 2;
    }
    return m;
}

static struct fit_task task_of(const struct fit_data *d, struct arena *a)
{
    float *weights = arena_new(a, float, (size_t)d->n_blocks);
    for (int b = 0; b < d->n_blocks; b++) {
        weights[b] = 1;
    }
    return (struct fit_task){.data = d, .weights = weights};
}

static double worst_weight(const struct resource_map *m)
{
    double worst = 0;
    for (int k = 0; k < m->n_forms * m->n_resources; k++) {
        worst = fmax(worst, fabs(m->rho[k] - truth[k / RESOURCES][k % RESOURCES]));
    }
    return worst;
}

static void test_recovers(double noise, struct arena *a)
{
    const struct fit_data *d = make_data(noise, a);
    const struct fit_task task = task_of(d, a);
    struct resource_map m = blurred(0.04, a);
    const struct fit_complexity before = fit_complexity_of(&m);
    ok(before.n_other == FORMS * RESOURCES && before.n_unit == 0, "every weight is a little off");
    fit_plain(&task, &m, 0.05, a);
    ok(m.n_resources == RESOURCES && worst_weight(&m) < 1e-12,
       "noise %g: the weights it came from, worst %g off", noise, worst_weight(&m));
    const struct fit_complexity after = fit_complexity_of(&m);
    ok(after.n_other == 0 && after.n_unit == 12 && after.n_fraction == 2 &&
           after.n_resources == RESOURCES,
       "%d of 1/n, %d of m/n, %d others", after.n_unit, after.n_fraction, after.n_other);
}

/* One resource more, which says what another says already. */
static void test_drops(struct arena *a)
{
    const struct fit_data *d = make_data(0.01, a);
    const struct fit_task task = task_of(d, a);
    const struct resource_map m = blurred(0.01, a);
    struct resource_map more = {.n_forms = FORMS, .n_resources = RESOURCES + 1};
    more.rho = arena_new(a, double, FORMS *(RESOURCES + 1));
    for (int i = 0; i < FORMS; i++) {
        memcpy(more.rho + i * (RESOURCES + 1), m.rho + i * RESOURCES, RESOURCES * sizeof(double));
        more.rho[i * (RESOURCES + 1) + RESOURCES] = 0.995 * m.rho[i * RESOURCES + 1];
    }
    fit_plain(&task, &more, 0.05, a);
    ok(more.n_resources == RESOURCES, "a resource that says nothing new is dropped");
}

static void test_prices(struct arena *a)
{
    const struct fit_data *d = make_data(0.02, a);
    const struct fit_task task = task_of(d, a);
    static const double prices[] = {0, 0.001, 0.1, 3, 1000};
    double error = 0;
    int weights = FORMS * RESOURCES;
    for (size_t k = 0; k < sizeof prices / sizeof *prices; k++) {
        struct resource_map m = blurred(0.04, a), again = blurred(0.04, a);
        const double start = fit_error(&task, &m);
        fit_plain(&task, &m, prices[k], a);
        fit_plain(&task, &again, prices[k], a);
        const struct fit_complexity c = fit_complexity_of(&m);
        const int n = c.n_unit + c.n_fraction + c.n_other;
        ok(k > 0 || fit_error(&task, &m) <= start, "without a price the error does not rise");
        ok(n <= weights && fit_error(&task, &m) >= error - 1e-9,
           "price %g: %d weights, error %.2f: no more weights, no less error", prices[k], n,
           fit_error(&task, &m));
        ok(memcmp(m.rho, again.rho, sizeof(double) * (size_t)(m.n_forms * m.n_resources)) == 0,
           "and the same again");
        weights = n;
        error = k == 0 ? 0 : fit_error(&task, &m);
    }
    ok(weights == 0, "at a price that no error is worth, nothing is left");
}

/* What weighs nothing has no say. */
static void test_weights(struct arena *a)
{
    const struct fit_data *d = make_data(0, a);
    struct fit_task task = task_of(d, a);
    float *weights = arena_new(a, float, (size_t)d->n_blocks);
    task.weights = weights;
    struct resource_map m = blurred(0.04, a);
    fit_plain(&task, &m, 0.05, a);
    ok(fit_complexity_of(&m).n_other == 0 && fit_complexity_of(&m).n_unit == 0,
       "without data nothing is worth its price");
}

int main(void)
{
    struct arena *a = test_arena();
    test_recovers(0, a);
    test_recovers(0.01, a);
    test_drops(a);
    test_prices(a);
    test_weights(a);
    arena_release(a);
    return tap_done();
}
