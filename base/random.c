#include "base/random.h"

#include <math.h>

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17. */
uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_uniform(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

int random_below(struct random *r, int n)
{
    return (int)(random_uniform(r) * n);
}

/* Box and Muller, one of the pair. */
double random_normal(struct random *r)
{
    const double two_pi = 6.283185307179586;
    const double radius = sqrt(-2 * log(1 - random_uniform(r)));
    return radius * cos(two_pi * random_uniform(r));
}
