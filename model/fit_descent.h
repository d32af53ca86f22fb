/* fit_descent.h - one fit of a resource mapping to blocks, by stochastic gradient descent.
 *
 *     t(K) = max over resources r of  sum over forms i of K_i rho[i,r]
 *     rho[i,r] = alone_i * CAP / (1 + exp(-a[i,r])),   a[i,r] = BIAS + sum over traits of i of
 *     w[trait,r]
 *     minimise   sum over blocks of weight * |t(K) / measured - 1|  +  ridge / 2 * |w|^2
 *
 * The logistic keeps 0 < rho <= what one instruction takes alone, which is what rho means; weights
 * of traits, not of forms, carry what like forms share (fit_traits.h).  The maximum is annealed
 * from a soft one, ln(sum of exp(s x)) / s with s growing; the absolute value is rounded off near
 * zero; steps are Adam's (Kingma, Ba, ICLR 2015).  The start is random; the same seed gives the
 * same map.
 *
 * Single precision: weights are good to 1e-3, the data to 1e-2.
 */
#ifndef GAMBREL_MODEL_FIT_DESCENT_H
#define GAMBREL_MODEL_FIT_DESCENT_H

#include "model/fit_traits.h"
#include "model/resources.h"

#define FIT_RESOURCES_MAX 64

struct fit_settings {
    int n_resources; /* 1 .. FIT_RESOURCES_MAX */
    double ridge;    /* in units of a block that is wrong by 100 % */
    int steps;
    int batch; /* blocks of two and more forms a step; singles are in every step */
    uint64_t seed;
};

struct fit_task {
    const struct fit_data *data;
    const struct fit_traits *traits;
    const float *weights; /* [n_blocks], on top of the blocks' own; 0 leaves a block out */
};

/* The map lives in `a`. */
struct resource_map fit_descend(const struct fit_task *t, const struct fit_settings *s,
                                struct arena *a);

/* Cycles the map gives the block. */
double fit_cycles(const struct resource_map *m, const struct fit_block *b);

#endif
