/* reference.h - what the arrays of a loop hold before it runs, and what must come out of it.
 *
 * A loop_state is one thread's share of one case: its slices, constants and accumulators, and how
 * far it has come.  What comes out is compared with the formula evaluated in double precision,
 * independently of the loops: every element of every output array, and the sum of the accumulators.
 *
 * Inputs are small integers that repeat with a prime period, so that sums are exact whatever the
 * vector width; outputs are filled with values that no loop writes; constants differ with the seed,
 * so that what an earlier case left behind cannot pass.  Only the polynomials round.
 *
 * Use: init by the thread that will run it (first touch); then any number of prepare (not timed)
 * and run (timed) with the same n_iter; then check.
 */
#ifndef GAMBREL_MEASURE_REFERENCE_H
#define GAMBREL_MEASURE_REFERENCE_H

#include "measure/loops.h"

#include <stdbool.h>
#include <stdint.h>

struct loop_check {
    double checksum, reference; /* sums over the outputs; may be added up over threads */
    double tolerance;           /* relative to the reference; 0: must be equal */
    uint64_t wrong_elements;    /* elements of output arrays that differ from the formula */
};

struct loop_state { /* 64-byte aligned; about 6 KiB */
    _Alignas(64) unsigned char coef[LOOP_COEF_BYTES];
    _Alignas(64) unsigned char acc[LOOP_ACC_BYTES];
    struct loop_args args;
    const struct loop *loop;
    unsigned seed;
    uint64_t iters;           /* since the arrays were filled */
    double drained;           /* sum of the accumulators of finished calls since then */
    struct loop_check before; /* of what ran before they were filled again */
};

/* Fills the slices and their pads; slices[l->n_arrays], each of `bytes` bytes (a positive multiple
 * of l->bytes_per_iter), 64-byte aligned with LOOP_PAD bytes before and after. */
void loop_state_init(struct loop_state *s, const struct loop *l, char *const slices[],
                     uint64_t bytes, unsigned seed);

/* To be called before run, with the same n_iter, outside of what is timed: where n_iter more
 * iterations could leave the range in which float32 is exact, checks and fills the arrays again.
 * n_iter must not be so large that fresh arrays leave it, see loop_iters_max. */
void loop_state_prepare(struct loop_state *s, uint64_t n_iter);

/* Runs n_iter >= 0 iterations on from where the last run stopped, in calls of at most
 * iters_per_call_max. */
void loop_state_run(struct loop_state *s, uint64_t n_iter);

/* Compares all that ran since init with the reference; true if it is right. */
bool loop_state_check(const struct loop_state *s, struct loop_check *out);

/* The most iterations one run may have on slices of this length; UINT64_MAX for most loops. */
uint64_t loop_iters_max(const struct loop *l, uint64_t bytes);

#endif
