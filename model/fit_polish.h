/* fit_polish.h - a map made plainer and, where data are clean, exact.
 *
 * Pruning leaves out resources that hardly ever decide and weights that never matter.
 *
 * Refitting alternates: each block is assigned to the resource that is its maximum; then each
 * resource in turn is refitted by a linear program to the blocks assigned to it, least absolute
 * relative error, with a penalty where it rises above any other block and a small price on every
 * move, so that a weight no block has a say in stays where it is (at zero, where it is hardly
 * more):
 *
 *     minimise   sum over blocks of (over + under) + PRICE * sum over forms of (up + down) / alone
 *     where      sum of K_i rho[i] / measured + under - over = 1    blocks assigned to the resource
 *                sum of K_i rho[i] / measured         - over <= 1   blocks that are near it
 *                rho[i] = resting[i] + up[i] - down[i] >= 0
 *
 * A refit is kept only if the error of the whole map falls.
 */
#ifndef GAMBREL_MODEL_FIT_POLISH_H
#define GAMBREL_MODEL_FIT_POLISH_H

#include "model/fit_descent.h"

/* Sum over blocks of weight * |t / measured - 1|. */
double fit_error(const struct fit_task *t, const struct resource_map *m);

/* In place; m->n_resources may shrink. */
void fit_prune(const struct fit_task *t, struct resource_map *m, struct arena *a);

/* In place.  Programs of more than FIT_REFIT_ROWS_MAX rows are left out: they take long, and where
 * blocks are so many the descent leaves nothing to gain (10,000 blocks of Skylake: 1.32 % on unseen
 * blocks before, 1.33 % after).  Returns how many refits were kept. */
#define FIT_REFIT_ROWS_MAX 400
int fit_refit(const struct fit_task *t, struct resource_map *m, int rounds, struct arena *a);

#endif
