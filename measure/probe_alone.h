/* probe_alone.h - what one execution of a form takes where nothing waits: its reciprocal
 * throughput.
 *
 * As uops.info does it, sequences of 1, 2, 4 and 8 independent executions are repeated, besides one
 * with all registers: some cores are faster where few registers or many take part.  The least that
 * is reproducible counts.  What updates its registers waits for itself in the short ones, which
 * then lose.
 *
 * Units: cycles.
 */
#ifndef GAMBREL_MEASURE_PROBE_ALONE_H
#define GAMBREL_MEASURE_PROBE_ALONE_H

#include "measure/probe_stable.h"

struct probe_alone {
    struct probe_result best;
    int registers;        /* that the best sequence writes; 0: all there are */
    double all_registers; /* cycles with all of them; NaN: not measured */
};

/* The best of a block's sequences, that of all registers first; within what readings of one block
 * differ by, all registers are the better example. */
#define PROBE_SEQUENCES 5
struct probe_alone probe_alone_best(const struct probe_result results[PROBE_SEQUENCES]);

/* Blocks of one form and its companions.  A block fails if none of its sequences can be measured,
 * as the one with all registers does.  Patient (probe_stable.h). */
bool probe_measure_alone(struct probe *p, const struct probe_block *blocks, int n,
                         struct probe_alone *out, struct arena *a, struct err *e);

#endif
