#include "model/fit_plain.h"

#include <math.h>
#include <string.h>

#define UNITS_MAX      8
#define UOPS_MAX       32
#define OF_UNIT        1.0
#define OF_FRACTION    2.0
#define OF_OTHER       4.0
#define OF_RESOURCE    20.0
#define SAME           1e-9 /* relative: a weight this near a fraction is that fraction */
#define SWEEPS_MAX     4
#define CANDIDATES_MAX 40
#define ENOUGH         1e-9 /* of the objective: a smaller gain is none */

/* What is kept of a block, so that a move of one weight is priced without looking at the others. */
struct state {
    double error;         /* weighted */
    double first, second; /* highest loads, and of which resource the first is */
    int top;
};

struct membership {
    int block;
    float count;
};

struct plain {
    const struct fit_data *d;
    const double *weight; /* [n_blocks] */
    struct resource_map *m;
    double price;
    double *load; /* [n_blocks][n_resources] */
    struct state *states;
    struct membership *members; /* of the blocks of form i: from begin[i] to begin[i + 1] */
    int *begin;
    double enough;
};

/* --- complexity ---------------------------------------------------------------------------------
 */

/* Smallest n with weight = m / n; 0: none. */
static int units_of(double weight, int *uops)
{
    for (int n = 1; n <= UNITS_MAX; n++) {
        const double m = rint(weight * n);
        if (m >= 1 && m <= UOPS_MAX && fabs(weight * n - m) <= SAME * m) {
            *uops = (int)m;
            return n;
        }
    }
    return 0;
}

static double complexity_of_weight(double weight)
{
    int uops;
    if (weight == 0) {
        return 0;
    }
    return !units_of(weight, &uops) ? OF_OTHER : uops == 1 ? OF_UNIT : OF_FRACTION;
}

struct fit_complexity fit_complexity_of(const struct resource_map *m)
{
    struct fit_complexity c = {.n_resources = m->n_resources};
    for (int k = 0; k < m->n_forms * m->n_resources; k++) {
        const double complexity = complexity_of_weight(m->rho[k]);
        c.n_unit += complexity == OF_UNIT;
        c.n_fraction += complexity == OF_FRACTION;
        c.n_other += complexity == OF_OTHER;
    }
    return c;
}

/* --- state --------------------------------------------------------------------------------------
 */

static double error_at(const struct plain *p, int b, double cycles)
{
    return p->weight[b] * fabs(cycles / p->d->blocks[b].cycles - 1);
}

static void look_at(struct plain *p, int b)
{
    const double *load = p->load + (size_t)b * (size_t)p->m->n_resources;
    struct state s = {.top = -1};
    for (int r = 0; r < p->m->n_resources; r++) {
        if (load[r] > s.first) {
            s = (struct state){0, load[r], s.first, r};
        } else if (load[r] > s.second) {
            s.second = load[r];
        }
    }
    s.error = error_at(p, b, s.first);
    p->states[b] = s;
}

static void look_at_all(struct plain *p)
{
    const int n = p->m->n_resources;
    double sum = 0;
    for (int b = 0; b < p->d->n_blocks; b++) {
        const struct fit_block *block = &p->d->blocks[b];
        double *load = p->load + (size_t)b * (size_t)n;
        memset(load, 0, sizeof *load * (size_t)n);
        for (int k = 0; k < block->n_items; k++) {
            for (int r = 0; r < n; r++) {
                load[r] += (double)block->items[k].count * p->m->rho[block->items[k].form * n + r];
            }
        }
        look_at(p, b);
        sum += p->states[b].error;
    }
    p->enough = ENOUGH * (1 + sum);
}

static void list_members(struct plain *p, struct arena *a)
{
    const struct fit_data *d = p->d;
    p->begin = arena_new(a, int, (size_t)d->n_forms + 2);
    int *next = p->begin + 1; /* while filling: where the next block of form i goes */
    int n = 0;
    for (int b = 0; b < d->n_blocks; b++) {
        for (int k = 0; k < d->blocks[b].n_items && p->weight[b] > 0; k++) {
            next[d->blocks[b].items[k].form + 1]++;
            n++;
        }
    }
    for (int i = 0; i < d->n_forms; i++) {
        next[i + 1] += next[i];
    }
    p->members = arena_new(a, struct membership, (size_t)n);
    for (int b = 0; b < d->n_blocks; b++) {
        for (int k = 0; k < d->blocks[b].n_items && p->weight[b] > 0; k++) {
            const struct fit_item *item = &d->blocks[b].items[k];
            p->members[next[item->form]++] = (struct membership){b, item->count};
        }
    }
}

/* --- moves --------------------------------------------------------------------------------------
 */

/* How much the error rises if the form's weight on the resource changes by so much. */
static double rise_of_move(const struct plain *p, int form, int r, double change)
{
    double rise = 0;
    for (int k = p->begin[form]; k < p->begin[form + 1]; k++) {
        const int b = p->members[k].block;
        const struct state *s = &p->states[b];
        const double others = s->top == r ? s->second : s->first;
        const double load =
            p->load[b * p->m->n_resources + r] + (double)p->members[k].count * change;
        rise += error_at(p, b, fmax(load, others)) - s->error;
    }
    return rise;
}

static void move(struct plain *p, int form, int r, double to)
{
    double *weight = &p->m->rho[form * p->m->n_resources + r];
    const double change = to - *weight;
    for (int k = p->begin[form]; k < p->begin[form + 1]; k++) {
        p->load[p->members[k].block * p->m->n_resources + r] +=
            (double)p->members[k].count * change;
        look_at(p, p->members[k].block);
    }
    *weight = to;
}

static int candidates_for(double weight, double out[CANDIDATES_MAX])
{
    static const double factors[] = {0.92, 0.98, 0.995, 1.005, 1.02, 1.08};
    int n = 0;
    out[n++] = 0;
    for (int units = 1; units <= UNITS_MAX; units++) {
        for (int more = -1; more <= 1; more++) {
            const double uops = rint(weight * units) + more;
            if (uops >= 1 && uops <= UOPS_MAX) {
                out[n++] = uops / units;
            }
        }
    }
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        out[n++] = weight * factors[k];
    }
    return n;
}

static bool improve_weight(struct plain *p, int form, int r)
{
    const double weight = p->m->rho[form * p->m->n_resources + r];
    const double complexity = complexity_of_weight(weight);
    double candidates[CANDIDATES_MAX], best = weight, least = -p->enough;
    if (weight == 0) {
        return false; /* nor does it come back: that would find what noise looks like */
    }
    const int n = candidates_for(weight, candidates);
    for (int k = 0; k < n; k++) {
        const double change = rise_of_move(p, form, r, candidates[k] - weight) +
                              p->price * (complexity_of_weight(candidates[k]) - complexity);
        best = change < least ? candidates[k] : best;
        least = fmin(least, change);
    }
    if (best != weight) {
        move(p, form, r, best);
    }
    return best != weight;
}

static void improve_weights(struct plain *p)
{
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS_MAX && moved; sweep++) {
        moved = false;
        for (int i = 0; i < p->m->n_forms; i++) {
            for (int r = 0; r < p->m->n_resources; r++) {
                moved |= improve_weight(p, i, r);
            }
        }
    }
}

/* --- resources ----------------------------------------------------------------------------------
 */

static double change_without(const struct plain *p, int r)
{
    double change = -p->price * OF_RESOURCE;
    for (int b = 0; b < p->d->n_blocks; b++) {
        const struct state *s = &p->states[b];
        change += s->top == r ? error_at(p, b, s->second) - s->error : 0;
    }
    for (int i = 0; i < p->m->n_forms; i++) {
        change -= p->price * complexity_of_weight(p->m->rho[i * p->m->n_resources + r]);
    }
    return change;
}

static bool drop_one(struct plain *p)
{
    struct resource_map *m = p->m;
    int dropped = -1;
    double least = -p->enough;
    for (int r = 0; r < m->n_resources && m->n_resources > 1; r++) {
        const double change = change_without(p, r);
        dropped = change < least ? r : dropped;
        least = fmin(least, change);
    }
    if (dropped >= 0) {
        resources_drop(m, dropped);
        look_at_all(p);
    }
    return dropped >= 0;
}

void fit_plain(const struct fit_task *t, struct resource_map *m, double price, struct arena *a)
{
    const struct fit_data *d = t->data;
    struct plain p = {.d = d, .m = m, .price = price};
    double *weight = arena_new(a, double, (size_t)d->n_blocks);
    for (int b = 0; b < d->n_blocks; b++) {
        weight[b] = (double)t->weights[b] * d->blocks[b].weight;
    }
    p.weight = weight;
    p.load = arena_new(a, double, (size_t)d->n_blocks *(size_t)m->n_resources);
    p.states = arena_new(a, struct state, (size_t)d->n_blocks);
    list_members(&p, a);
    look_at_all(&p);
    do {
        improve_weights(&p);
    } while (drop_one(&p));
}
