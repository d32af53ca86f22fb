/* plan.h - which cases a run has, and in which order.
 *
 * Pure.  Every roof, every kernel, every kernel again, every roof again, each list shuffled by a
 * fixed seed: a slow minute then hits many cases once instead of one case always, and shows as a
 * difference between the two rounds.  The chain curve and further stream mixes are measured once,
 * among the first roofs.  A quick run has L1 and DRAM only, and visits DRAM once, because filling
 * arrays far larger than the caches takes most of such a case.
 */
#ifndef GAMBREL_MEASURE_PLAN_H
#define GAMBREL_MEASURE_PLAN_H

#include "base/arena.h"
#include "formats/run.h"
#include "measure/loops.h"
#include "measure/sizes.h"

#include <stdbool.h>
#include <stdint.h>

enum plan_class {
    PLAN_COMPUTE, /* a compute roof                                   */
    PLAN_CHAIN,   /* a point of the chain curve                       */
    PLAN_MEMORY,  /* a memory roof                                    */
    PLAN_MIX,     /* a further mix of streams: L3 and DRAM only       */
    PLAN_KERNEL,
    PLAN_CLASSES
};
enum plan_class plan_classify(const struct loop *l);

struct plan_item {
    const struct loop *loop;
    enum plan_class class;
    enum level level;
    int threads;
    int round, rounds; /* 1 of 1, 1 of 2, 2 of 2 */
};

struct plan_request {
    const struct loop *loops; /* the whole table */
    int n_loops;
    enum isa isa;
    const char *const *names; /* only these; n_names 0: all */
    int n_names;
    bool quick;
    int threads[2]; /* 1 and, where there are more, all; else 0 */
    /* level_there[k][l]: level l can be measured with threads[k] */
    bool level_there[2][LEVEL_COUNT];
};

struct plan {
    struct plan_item *items;
    int n;
};
void plan_make(const struct plan_request *r, struct arena *a, struct plan *out);

/* A permutation of 0..n-1 that depends on the seed alone. */
void plan_shuffle(int *order, int n, uint64_t seed);

#endif
