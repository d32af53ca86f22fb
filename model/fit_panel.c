#include "model/fit_panel.h"

#include "base/items.h"

#include <math.h>
#include <string.h>

double fit_panel_cycles(const struct fit_panel *p, const struct fit_block *b, double *spread)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < p->n_members; k++) {
        const double cycles = fit_cycles(&p->members[k], b);
        sum += cycles;
        squares += cycles * cycles;
    }
    const double mean = sum / p->n_members;
    if (spread) {
        *spread = sqrt(fmax(0, squares / p->n_members - mean * mean)) / mean;
    }
    return mean;
}

struct fit_block fit_panel_block(const struct fit_panel *p, const struct fit_data *d, int form,
                                 struct random *r, struct arena *a)
{
    const struct fit_block *like = &d->blocks[random_below(r, d->n_blocks)];
    for (int tries = 0; fit_block_single(like) && tries < 100; tries++) {
        like = &d->blocks[random_below(r, d->n_blocks)];
    }
    struct fit_item *items = arena_new(a, struct fit_item, (size_t)like->n_items);
    for (int k = 0; k < like->n_items; k++) {
        const int drawn = k == 0 && form >= 0 ? form : random_below(r, d->n_forms);
        items[k] = (struct fit_item){drawn, like->items[k].count};
    }
    struct fit_block made = {.items = items, .n_items = like->n_items, .weight = 1};
    made.cycles = fit_panel_cycles(p, &made, NULL);
    return made;
}

struct fit_task fit_panel_widen(const struct fit_panel *p, const struct fit_task *t, uint64_t seed,
                                int n, struct arena *a)
{
    const struct fit_data *d = t->data;
    struct random random = {seed};
    struct fit_data *wide = arena_new(a, struct fit_data, 1);
    float *weights = arena_new(a, float, (size_t)(d->n_blocks + n));
    *wide = *d;
    wide->blocks = arena_new(a, struct fit_block, (size_t)(d->n_blocks + n));
    items_copy(wide->blocks, d->blocks, (size_t)d->n_blocks, sizeof *d->blocks);
    items_copy(weights, t->weights, (size_t)d->n_blocks, sizeof *weights);
    for (int k = 0; k < n; k++) {
        wide->blocks[d->n_blocks + k] = fit_panel_block(p, d, -1, &random, a);
        weights[d->n_blocks + k] = 1;
    }
    wide->n_blocks += n;
    return (struct fit_task){wide, t->traits, weights};
}
