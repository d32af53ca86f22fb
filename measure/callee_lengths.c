#include "measure/callee_lengths.h"

#include <math.h>

enum { UNITS_MIN = 3, UNITS_LEAST = 2, LENGTHS = 6, LENGTHS_DRAM = 3 };

/* The end of a loop of so many trips is predicted if each call has as many (model 207 learns about
 * 128), and of so many and more never; between them it depends. */
enum { TRIPS_LEARNT = 120, TRIPS_UNKNOWABLE = 256 };

/* The part of the lengths from *least to *most units where ends are predicted alike, if there is
 * one. */
static bool predicted_alike(double trips_per_unit, double *least, double *most)
{
    const double learnt = floor(TRIPS_LEARNT / trips_per_unit);
    const double unknowable = ceil(TRIPS_UNKNOWABLE / trips_per_unit);
    if (learnt >= UNITS_MIN) {
        *most = fmin(*most, learnt);
        *least = fmax(floor(*most / 3), UNITS_LEAST);
        return true;
    }
    *least = unknowable < *most ? fmax(*least, unknowable) : *least;
    return false;
}

static void space_lengths(struct callee_request *r, double least, double most, int wanted)
{
    r->n_lengths = 0;
    for (int i = 0; i < wanted; i++) {
        const double u = floor(least + (most - least) * i / (wanted - 1));
        const size_t n = (size_t)u * r->unit;
        if (r->n_lengths == 0 || n > r->lengths[r->n_lengths - 1]) {
            r->lengths[r->n_lengths++] = n;
        }
    }
}

/* How many units of each array the level has room for.  Of the L1 a quarter is used, not the half
 * that our own loops fill, if that is enough: where another thread has the core's other half, it
 * has half of its caches, too, and that shows in no pulse. */
static double room(enum level level, double size, double unit_bytes)
{
    const double quarter = floor(size / 2 / unit_bytes);
    return level == LEVEL_L1 && quarter >= UNITS_MIN ? quarter : floor(size / unit_bytes);
}

/* As long as the iteration is not known a large one, so that a loop which takes many elements at
 * once runs at all; smaller where that has no room. */
static size_t choose_unit(double n_per_iter, enum level level, double size, double bytes)
{
    size_t unit = isnan(n_per_iter) ? CALLEE_UNIT_MAX : CALLEE_UNIT_MIN;
    while ((double)unit < n_per_iter && unit < CALLEE_UNIT_MAX) {
        unit *= 2;
    }
    while (room(level, size, bytes * (double)unit) < UNITS_MIN && unit > CALLEE_UNIT_MIN) {
        unit /= 2;
    }
    return unit;
}

bool callee_lengths(const struct sizes_machine *m, enum level level, double n_per_iter,
                    struct callee_request *r, struct err *e)
{
    const int arrays = r->args.n_arrays > 0 ? r->args.n_arrays : 1;
    const double size = sizes_of_thread(m, level, arrays);
    const double bytes = r->args.n_arrays > 0 ? callee_bytes(&r->args, r->elements_per_n, 1) : 8;
    r->unit = choose_unit(n_per_iter, level, size, bytes);
    double units = room(level, size, bytes * (double)r->unit);
    double least = fmax(floor(units / (level == LEVEL_DRAM ? 2 : 3)), UNITS_LEAST);
    if (!(units >= UNITS_MIN)) {
        return err_set(e, ERR_HOST, LOC_NONE,
                       size > 0 ? "the arrays do not fit %s: one more n takes %g bytes"
                                : "there is no %s here, or its size is not known",
                       level_names[level], bytes);
    }
    r->mixed = !(level == LEVEL_L1 && !isnan(n_per_iter) &&
                 predicted_alike((double)r->unit / n_per_iter, &least, &units));
    space_lengths(r, least, units, level == LEVEL_DRAM ? LENGTHS_DRAM : LENGTHS);
    return true;
}
