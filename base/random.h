/* random.h - pseudo-random numbers that are the same everywhere for the same seed (SplitMix64).
 */
#ifndef GAMBREL_BASE_RANDOM_H
#define GAMBREL_BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* the seed to begin with; any */
};

uint64_t random_next(struct random *r);
double random_uniform(struct random *r);   /* in [0, 1) */
int random_below(struct random *r, int n); /* in [0, n); n > 0 */
double random_normal(struct random *r);    /* mean 0, variance 1 */

#endif
