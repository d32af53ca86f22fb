/* fit_plain.h - a map as plain as the data let it be: weights that are zero or simple fractions,
 * few resources.
 *
 * Each weight is what a form's uops take of a resource, so on most hardware it is a small number of
 * uops over a small number of units.  A descent knows nothing of that and leaves every weight a
 * little off; what a person wants to read is the fraction, as long as the data cannot tell the
 * difference.  So a map has a complexity, and complexity a price:
 *
 *     minimise   sum over blocks of weight * |t(K) / measured - 1|  +  price * complexity
 *     complexity = 0 for a weight of zero, 1 for 1/n, 2 for m/n, 4 for any other (n <= 8, m <= 32),
 *                  RESOURCE for each resource
 *
 * by moving one weight at a time, to zero, to near fractions, or a little up and down, while that
 * pays; a resource goes where the rest does well without it.  How high a price may be is for the
 * caller to find out on blocks that were held back.  (Tried and worse on held-out blocks of Skylake
 * and Zen+: a price that falls or rises in steps, and weights that may come back from zero.)
 *
 * Units: the price is that of a block that is wrong by 100 %.
 */
#ifndef GAMBREL_MODEL_FIT_PLAIN_H
#define GAMBREL_MODEL_FIT_PLAIN_H

#include "model/fit_descent.h"

struct fit_complexity {
    int n_resources;
    int n_unit;     /* weights of 1/n */
    int n_fraction; /* of m/n */
    int n_other;
};

struct fit_complexity fit_complexity_of(const struct resource_map *m);

/* In place, to a local optimum; m->n_resources may shrink.  price 0: only what costs no error. */
void fit_plain(const struct fit_task *t, struct resource_map *m, double price, struct arena *a);

#endif
