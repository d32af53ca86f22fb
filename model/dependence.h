/* dependence.h - which value of a loop waits for which: a graph over its instructions.
 *
 * The nodes are values: each register, flag or mask that an instruction writes, and what it stores.
 * An edge says that one value is computed from another, after so many cycles, so many iterations
 * later.  Registers and flags are renamed, so only true dependences count, and what the decoder
 * reports as reads: merged destinations are among them.
 *
 *   - Zero idioms of the machine file depend on nothing; eliminated moves add no cycles.
 *   - A load waits for the latest store to its address, if both addresses are the same registers
 *     with
 *     displacements, and these registers change by constants only; from the store's data to the
 *     loaded value it takes store_forward_cycles (or those of its width), or
 *     store_forward_renamed_cycles where the core
 *     renames memory: both move general registers, and neither address has an index (measured on a
 *     Golden Cove server core: 0 cycles so, 5 with an index or a vector).  Accesses through
 *     different registers are taken to
 *     be independent.
 *   - An address that is written back waits for the old address alone, for one cycle unless the
 *     file
 *     gives that pair of operands (Arm's optimisation guides: base updates take one cycle).
 *
 * Units: cycles; iterations of the sequence.
 */
#ifndef GAMBREL_MODEL_DEPENDENCE_H
#define GAMBREL_MODEL_DEPENDENCE_H

#include "base/arena.h"
#include "code/loop.h"
#include "model/cost_table.h"

#define DEPENDENCE_DISTANCE_MAX 1000 /* through memory; farther ones bind nothing */

struct dependence {
    int from, to;   /* values, numbered in program order */
    double latency; /* NaN: the machine file does not say */
    int distance;
    int insn;     /* of loop->insns: the one that computes `to` */
    code_reg reg; /* through which it waits; 0: memory */
};

struct dependences {
    struct dependence *edges;
    size_t n, capacity;
    int n_values;
};

/* One iteration of the sequence is order[0..n), indices into l->insns. */
struct dependences dependences_find(const struct code_loop *l, const int *order, int n,
                                    struct cost_table *t);

#endif
