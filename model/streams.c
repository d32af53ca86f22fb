#include "model/streams.h"

#include "base/random.h"
#include "model/lp.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 20, STARTS = 12 };

/* Of the total weight, in the objective: among equal fits the lightest weights are chosen. */
static const double SPARSITY = 1e-4;

static double use(const double rho[STREAM_KINDS], const double lines[STREAM_KINDS])
{
    double sum = 0;
    for (int k = 0; k < STREAM_KINDS; k++) {
        sum += rho[k] * lines[k];
    }
    return sum;
}

/* The resource with the largest use. */
static int busiest(const struct stream_map *m, const double lines[STREAM_KINDS])
{
    int best = 0;
    for (int r = 1; r < m->n_resources; r++) {
        if (use(m->rho[r], lines) > use(m->rho[best], lines)) {
            best = r;
        }
    }
    return best;
}

double streams_seconds(const struct stream_map *m, const double lines[STREAM_KINDS], int *binds)
{
    for (int k = 0; k < STREAM_KINDS; k++) {
        if (lines[k] > 0 && !m->known[k]) {
            return nan("");
        }
    }
    const int r = busiest(m, lines);
    if (binds) {
        *binds = r;
    }
    return use(m->rho[r], lines);
}

void streams_of_kernel(const struct kernel *k, double lines[STREAM_KINDS])
{
    memset(lines, 0, STREAM_KINDS * sizeof *lines);
    for (int s = 0; s < k->n_streams; s++) {
        lines[k->streams[s].kind] += 1;
    }
}

/* What is fitted to: the mixes without one of them (skip < 0: all), in units of the slowest time so
 * that the program is well scaled. */
struct task {
    const struct stream_mix *mixes;
    int n, skip;
    double unit_s;
};

static double fit_error(const struct task *t, const struct stream_map *m)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->n; i++) {
        if (i != t->skip) {
            const double *lines = t->mixes[i].lines;
            sum += fabs(use(m->rho[busiest(m, lines)], lines) / t->mixes[i].seconds - 1);
            count++;
        }
    }
    return sum / count;
}

/* Columns: rho[r][k], then e[i].  Rows of mix i: one per resource (over), one for the assigned. */
static void state_mix(struct lp *p, const struct task *t, const int *assigned, int i,
                      int n_resources)
{
    const struct stream_mix *mix = &t->mixes[i];
    const double seconds = mix->seconds / t->unit_s;
    const int error = n_resources * STREAM_KINDS + i;
    const int first_row = i * (n_resources + 1);
    for (int r = 0; r <= n_resources; r++) {
        const bool under = r == n_resources;
        const int resource = under ? assigned[i] : r;
        for (int k = 0; k < STREAM_KINDS; k++) {
            if (mix->lines[k] > 0) {
                lp_coefficient(p, first_row + r, resource * STREAM_KINDS + k, mix->lines[k]);
            }
        }
        lp_coefficient(p, first_row + r, error, under ? 1 : -1);
        lp_row_bounds(p, first_row + r, under ? seconds : -HUGE_VAL, under ? HUGE_VAL : seconds);
    }
    lp_objective(p, error, 1 / seconds);
}

static bool refit(const struct task *t, const int *assigned, struct stream_map *m, struct err *e)
{
    const int n_rho = m->n_resources * STREAM_KINDS;
    struct lp *p = lp_create(t->n * (m->n_resources + 1), n_rho + t->n);
    struct lp_solution solution;
    for (int j = 0; j < n_rho; j++) {
        lp_objective(p, j, SPARSITY);
    }
    for (int i = 0; i < t->n; i++) {
        if (i != t->skip) {
            state_mix(p, t, assigned, i, m->n_resources);
        }
    }
    const bool solved = lp_solve(p, &solution, e);
    for (int j = 0; solved && j < n_rho; j++) {
        m->rho[j / STREAM_KINDS][j % STREAM_KINDS] = solution.x[j] * t->unit_s;
    }
    lp_release(p);
    return solved;
}

/* Alternates from one assignment until it repeats itself; the error never grows. */
static bool descend(const struct task *t, int *assigned, struct stream_map *m, struct err *e)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        bool changed = false;
        if (!refit(t, assigned, m, e)) {
            return false;
        }
        for (int i = 0; i < t->n; i++) {
            const int r = busiest(m, t->mixes[i].lines);
            changed |= r != assigned[i];
            assigned[i] = r;
        }
        if (!changed) {
            break;
        }
    }
    m->fit_error = fit_error(t, m);
    return true;
}

/* The best of some random starts, always the same ones, so that the same data give the same map;
 * the first of them is that of the map `near`, if there is one. */
static bool fit_resources(const struct task *t, int n_resources, int starts,
                          const struct stream_map *near, struct stream_map *out, struct err *e)
{
    struct random random = {1};
    out->fit_error = HUGE_VAL;
    for (int start = 0; start < (n_resources == 1 ? 1 : starts); start++) {
        struct stream_map m = {.n_resources = n_resources};
        int assigned[STREAM_MIXES_MAX];
        for (int i = 0; i < t->n; i++) {
            assigned[i] = start == 0 && near ? busiest(near, t->mixes[i].lines)
                                             : random_below(&random, n_resources);
        }
        if (!descend(t, assigned, &m, e)) {
            return false;
        }
        if (m.fit_error < out->fit_error) {
            memcpy(out->rho, m.rho, sizeof m.rho);
            out->n_resources = n_resources;
            out->fit_error = m.fit_error;
        }
    }
    return true;
}

static void mark_known(const struct task *t, struct stream_map *m)
{
    memset(m->known, 0, sizeof m->known);
    for (int i = 0; i < t->n; i++) {
        for (int k = 0; k < STREAM_KINDS; k++) {
            m->known[k] |= i != t->skip && t->mixes[i].lines[k] > 0;
        }
    }
}

/* Fits without each mix in turn, from the fit of all among others, and predicts it. */
static bool leave_out(const struct task *all, struct stream_map *m, struct err *e)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < all->n; i++) {
        struct task t = *all;
        struct stream_map without = {0};
        t.skip = i;
        if (!fit_resources(&t, m->n_resources, STARTS / 3, m, &without, e)) {
            return false;
        }
        mark_known(&t, &without);
        m->left_out[i] = streams_seconds(&without, t.mixes[i].lines, NULL) / t.mixes[i].seconds - 1;
        if (!isnan(m->left_out[i])) {
            sum += fabs(m->left_out[i]);
            count++;
        }
    }
    m->left_out_error = count ? sum / count : nan("");
    return true;
}

static bool check_mixes(const struct stream_mix *mixes, int n, struct err *e)
{
    if (n < STREAM_MIXES_MIN || n > STREAM_MIXES_MAX) {
        return err_set(e, ERR_MODEL, LOC_NONE,
                       "a stream mapping needs %d to %d measured mixes, not %d", STREAM_MIXES_MIN,
                       STREAM_MIXES_MAX, n);
    }
    for (int i = 0; i < n; i++) {
        double lines = 0;
        for (int k = 0; k < STREAM_KINDS; k++) {
            lines += mixes[i].lines[k];
        }
        if (!(mixes[i].seconds > 0) || isinf(mixes[i].seconds) || !(lines > 0)) {
            return err_set(e, ERR_RANGE, LOC_NONE, "mix %s has no lines or no positive time",
                           mixes[i].name);
        }
    }
    return true;
}

bool streams_fit(const struct stream_mix *mixes, int n_mixes, struct stream_map *out, struct err *e)
{
    struct task t = {.mixes = mixes, .n = n_mixes, .skip = -1};
    if (!check_mixes(mixes, n_mixes, e)) {
        return false;
    }
    for (int i = 0; i < n_mixes; i++) {
        t.unit_s = fmax(t.unit_s, mixes[i].seconds);
    }
    out->left_out_error = HUGE_VAL;
    for (int n_resources = 1; n_resources <= STREAM_RESOURCES_MAX; n_resources++) {
        struct stream_map m = {0};
        if (!fit_resources(&t, n_resources, STARTS, NULL, &m, e) || !leave_out(&t, &m, e)) {
            return false;
        }
        if (n_resources == 1 || m.left_out_error < out->left_out_error) {
            *out = m;
        }
    }
    out->n_mixes = n_mixes;
    mark_known(&t, out);
    return true;
}
