#include "model/fit_polish.h"

#include "model/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative rise of the error that a plainer map may cost. */
#define TOLERATED_RESOURCE 2e-4
#define TOLERATED_WEIGHTS  0.01

#define NEAR   0.8  /* of the measured cycles: a resource this close is kept from rising */
#define PRICE  1e-4 /* of moving a weight by all of the form's time alone */
#define HARDLY 0.05 /* of the time alone, or of a cycle */

static double load_of(const struct resource_map *m, const struct fit_block *b, int r)
{
    double load = 0;
    for (int k = 0; k < b->n_items; k++) {
        load += (double)b->items[k].count * m->rho[b->items[k].form * m->n_resources + r];
    }
    return load;
}

static double block_weight(const struct fit_task *t, int b)
{
    return (double)t->weights[b] * t->data->blocks[b].weight;
}

double fit_error(const struct fit_task *t, const struct resource_map *m)
{
    const struct fit_data *d = t->data;
    double sum = 0;
    for (int b = 0; b < d->n_blocks; b++) {
        if (t->weights[b] > 0) {
            const double relative = fit_cycles(m, &d->blocks[b]) / d->blocks[b].cycles - 1;
            sum += block_weight(t, b) * fabs(relative);
        }
    }
    return sum;
}

/* --- pruning ------------------------------------------------------------------------------------
 */

struct two_highest {
    int top;
    double first, second;
};

static struct two_highest highest(const struct resource_map *m, const struct fit_block *b)
{
    struct two_highest h = {.top = -1};
    for (int r = 0; r < m->n_resources; r++) {
        const double load = load_of(m, b, r);
        if (load > h.first) {
            h = (struct two_highest){r, load, h.first};
        } else if (load > h.second) {
            h.second = load;
        }
    }
    return h;
}

/* The resource whose loss costs least, and how much the error rises without it. */
static int least_needed(const struct fit_task *t, const struct resource_map *m, double *rise)
{
    const struct fit_data *d = t->data;
    double cost[FIT_RESOURCES_MAX] = {0};
    for (int b = 0; b < d->n_blocks; b++) {
        const double measured = d->blocks[b].cycles;
        const struct two_highest h = highest(m, &d->blocks[b]);
        if (t->weights[b] > 0 && h.top >= 0) {
            cost[h.top] +=
                block_weight(t, b) * (fabs(h.second / measured - 1) - fabs(h.first / measured - 1));
        }
    }
    int least = 0;
    for (int r = 1; r < m->n_resources; r++) {
        least = cost[r] < cost[least] ? r : least;
    }
    *rise = cost[least];
    return least;
}

/* Drops weights below a part of the time alone, but of a cycle at most: what a long form takes of
 * a resource in passing may be all that a short one has. */
static bool drop_small_weights(const struct fit_task *t, struct resource_map *m, double part,
                               double error_max, struct arena *a)
{
    const size_t n = (size_t)m->n_forms * (size_t)m->n_resources;
    struct resource_map plainer = *m;
    plainer.rho = arena_new(a, double, n);
    for (size_t k = 0; k < n; k++) {
        const double alone = t->data->forms[k / (size_t)m->n_resources].alone;
        plainer.rho[k] = m->rho[k] < part * fmin(alone, 1) ? 0 : m->rho[k];
    }
    if (fit_error(t, &plainer) > error_max) {
        return false;
    }
    memcpy(m->rho, plainer.rho, n * sizeof *m->rho);
    return true;
}

void fit_prune(const struct fit_task *t, struct resource_map *m, struct arena *a)
{
    static const double parts[] = {0.16, 0.08, 0.04, 0.02, 0.01, 0.005};
    const double tolerated = TOLERATED_RESOURCE * fit_error(t, m);
    double rise;
    int least = least_needed(t, m, &rise);
    while (m->n_resources > 1 && rise <= tolerated) {
        resources_drop(m, least);
        least = least_needed(t, m, &rise);
    }
    const double error_max = (1 + TOLERATED_WEIGHTS) * fit_error(t, m);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (drop_small_weights(t, m, parts[k], error_max, a)) {
            return;
        }
    }
}

/* --- refitting ----------------------------------------------------------------------------------
 */

struct refit {
    const struct fit_task *task;
    const int *top; /* [n_blocks] resource each block is assigned to */
    int resource;
    int *row, n_rows; /* blocks of the program */
    int *column;      /* [n_forms] of the form's weight; -1: in no row */
    int n_columns;
};

static void choose_rows(struct refit *f, const struct resource_map *m)
{
    f->n_rows = f->n_columns = 0;
    for (int i = 0; i < m->n_forms; i++) {
        f->column[i] = -1;
    }
    for (int b = 0; b < f->task->data->n_blocks; b++) {
        const struct fit_block *block = &f->task->data->blocks[b];
        const bool near = load_of(m, block, f->resource) >= NEAR * block->cycles;
        if (f->task->weights[b] > 0 && (f->top[b] == f->resource || near)) {
            f->row[f->n_rows++] = b;
            for (int k = 0; k < block->n_items; k++) {
                int *column = &f->column[block->items[k].form];
                *column = *column < 0 ? f->n_columns++ : *column;
            }
        }
    }
}

/* Where a weight stays if no block has a say: where it is, or zero if it is hardly there. */
static double resting(const struct refit *f, const struct resource_map *m, int form)
{
    const double weight = m->rho[form * m->n_resources + f->resource];
    return weight < HARDLY * fmin(f->task->data->forms[form].alone, 1) ? 0 : weight;
}

/* Columns: for each form how far its weight goes up and down from where it rests, then over and
 * under of each row. */
static struct lp *program(const struct refit *f, const struct resource_map *m)
{
    struct lp *p = lp_create(f->n_rows, 2 * f->n_columns + 2 * f->n_rows);
    for (int i = 0; i < f->task->data->n_forms; i++) {
        if (f->column[i] >= 0) {
            const int up = 2 * f->column[i], down = up + 1;
            lp_objective(p, up, PRICE / f->task->data->forms[i].alone);
            lp_objective(p, down, PRICE / f->task->data->forms[i].alone);
            lp_column_bounds(p, down, 0, resting(f, m, i));
        }
    }
    for (int k = 0; k < f->n_rows; k++) {
        const struct fit_block *b = &f->task->data->blocks[f->row[k]];
        const double weight = block_weight(f->task, f->row[k]);
        const int over = 2 * f->n_columns + 2 * k, under = over + 1;
        const bool assigned = f->top[f->row[k]] == f->resource;
        double rests = 0;
        for (int j = 0; j < b->n_items; j++) {
            const int form = b->items[j].form, up = 2 * f->column[form], down = up + 1;
            const double times = (double)b->items[j].count / b->cycles;
            lp_coefficient(p, k, up, times);
            lp_coefficient(p, k, down, -times);
            rests += times * resting(f, m, form);
        }
        lp_coefficient(p, k, over, -1);
        lp_coefficient(p, k, under, 1);
        lp_row_bounds(p, k, assigned ? 1 - rests : -HUGE_VAL, 1 - rests);
        lp_objective(p, over, weight);
        lp_objective(p, under, assigned ? weight : 0);
    }
    return p;
}

/* The map with the resource's weights from the program; false if that has no certified optimum. */
static bool solve(const struct refit *f, const struct resource_map *m, struct resource_map *out)
{
    struct lp *p = program(f, m);
    struct lp_solution solution;
    struct err ignored = {0};
    const bool solved = lp_solve(p, &solution, &ignored);
    if (solved) {
        memcpy(out->rho, m->rho, sizeof *m->rho * (size_t)(m->n_forms * m->n_resources));
        for (int i = 0; i < m->n_forms; i++) {
            if (f->column[i] >= 0) {
                const int up = 2 * f->column[i], down = up + 1;
                out->rho[i * m->n_resources + f->resource] =
                    fmax(0, resting(f, m, i) + solution.x[up] - solution.x[down]);
            }
        }
    }
    lp_release(p);
    return solved;
}

int fit_refit(const struct fit_task *t, struct resource_map *m, int rounds, struct arena *a)
{
    const struct fit_data *d = t->data;
    int *top = arena_new(a, int, (size_t)d->n_blocks);
    struct refit f = {.task = t, .top = top};
    struct resource_map next = *m;
    double error = fit_error(t, m);
    int kept = 0, before = -1;

    next.rho = arena_new(a, double, (size_t)m->n_forms *(size_t)m->n_resources);
    f.row = arena_new(a, int, (size_t)d->n_blocks);
    f.column = arena_new(a, int, (size_t)d->n_forms);
    for (int round = 0; round < rounds && kept != before; round++) {
        before = kept;
        for (f.resource = 0; f.resource < m->n_resources; f.resource++) {
            for (int b = 0; b < d->n_blocks; b++) {
                top[b] = highest(m, &d->blocks[b]).top;
            }
            choose_rows(&f, m);
            if (!f.n_rows || f.n_rows > FIT_REFIT_ROWS_MAX || !solve(&f, m, &next)) {
                continue;
            }
            const double changed = fit_error(t, &next);
            if (changed < error) {
                error = changed;
                memcpy(m->rho, next.rho, sizeof *m->rho * (size_t)(m->n_forms * m->n_resources));
                kept++;
            }
        }
    }
    return kept;
}
