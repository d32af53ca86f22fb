/* chain.h - the dependence bound: a loop is no faster than its slowest chain of waiting values.
 *
 *     carried   the maximum cycle ratio over the dependences of one iteration and the next: a true
 *               bound, whatever the hardware overlaps
 *     restart   where there is an inner loop: its own maximum cycle ratio times its trips.  If the
 *               chain starts anew in every iteration, iterations may overlap in the reorder buffer,
 *               and the bound is not strict
 *     overlap   how far they can: at most 1 + ceil(rob_entries / slots of an iteration) iterations
 *               are in flight at a time, so each takes at least that part of the longest path
 *               through it (the last instruction of a path must have retired before what stands a
 *               reorder buffer behind it can enter): a true bound too
 *
 * Latencies that the machine file does not give are named and never taken as 0: where one lies on a
 * cycle there is no bound, only what the known ones add up to.  An inner loop is written out trip
 * by trip; beyond CHAIN_INSNS_MAX instructions it is extrapolated from two smaller numbers of
 * trips.
 *
 * Units: cycles per iteration of the outermost loop.
 */
#ifndef GAMBREL_MODEL_CHAIN_H
#define GAMBREL_MODEL_CHAIN_H

#include "base/err.h"
#include "base/text.h"
#include "code/loop.h"
#include "model/cost_table.h"

#define CHAIN_INSNS_MAX 512

struct chain_step {
    int insn;       /* of loop->insns */
    code_reg reg;   /* through which it waits for the step before; 0: memory */
    double latency; /* cycles; NaN: not in the machine file */
    int distance;   /* iterations back (of the inner loop for chain_bound.inner) */
};

struct chain_cycle { /* or a path, whose distance is 0 */
    double cycles;   /* latency / distance, of a path its latency; 0: none */
    struct chain_step *steps;
    int n_steps;
    double latency;
    int distance;
    double in_flight; /* of a path: iterations that are on it at once; NaN: not known */
};

struct chain_bound {
    /* the true bound: the larger of carried and overlap; NaN: see missing */
    double cycles_per_iter;
    double known_cycles_per_iter; /* with unknown latencies as 0, a true but poorer bound */
    struct chain_cycle carried;
    struct chain_cycle inner; /* of the inner loop alone, per trip */
    double restart_cycles;    /* inner.cycles * trips; 0 without an inner loop; NaN */
    struct chain_cycle path;  /* the longest way through one iteration; NaN: a latency is missing */
    double in_flight;         /* iterations that are, at most; NaN: rob_entries not known */
    double overlap_cycles;    /* path / in_flight; NaN */
    bool strict;              /* no chain restarts, or restarting gains nothing */
    const char *missing;      /* "" or the latencies that are not in the machine file */
};

/* `inner_trips` is ignored without an inner loop.  Texts and steps live in the table's arena.
 * ERR_MODEL, ERR_RANGE: as ratio_max; ERR_RANGE: trips that are no positive number. */
bool chain_find(const struct code_loop *l, double inner_trips, struct cost_table *t,
                struct chain_bound *out, struct err *e);

/* "4 of vfmadd231ps zmm, zmm, zmm (4 cycles): 16 cycles over 1 iteration", or of a path ": 27
 * cycles, 24 iterations at once". */
void chain_words(const struct code_loop *l, const struct chain_cycle *c, struct text *out);

#endif
