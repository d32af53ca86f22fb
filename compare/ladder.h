/* ladder.h - the ceilings of one kernel in order of refinement, each the least of all rows so far.
 *
 *     compute roof, + memory roof, + ports and front end, + chains, + streams
 *
 * The first two are the roofline, and unknown unless it is known.  The streams rung puts the
 * mapping of memory streams in the place of the matched memory roof, which it refines, so it alone
 * may lie above the rung below it.  A rung of which nothing is known says why and stays where the
 * one below is.
 *
 * The first rung that the measurement reaches explains it, else the nearest one; what is left is
 * unexplained.  Built from ceilings alone; the measurement only judges what was built before.
 */
#ifndef GAMBREL_COMPARE_LADDER_H
#define GAMBREL_COMPARE_LADDER_H

#include "compare/models.h"
#include "compare/verdict.h"

enum { RUNG_COMPUTE, RUNG_MEMORY, RUNG_PORTS, RUNG_CHAINS, RUNG_STREAMS, RUNGS };

struct rung {
    struct ceiling own;     /* of what this rung adds, alone */
    struct ceiling ceiling; /* of everything up to this rung */
    bool known;             /* own.rate is */
    struct verdict verdict;
    double closes; /* of measured / ceiling: this rung's less the one's below; NaN for the first */
};

struct ladder {
    struct rung rungs[RUNGS];
    int explains;       /* the rung; -1: no ceiling at all, or nothing measured */
    double unexplained; /* 1 - measured / its ceiling; NaN */
    /* The rate if what the core does and what memory does took turns instead of overlapping: no
     * bound, but where some loops that fill both are found.  NaN: one side is not known. */
    double in_turn;
};

extern const char *const rung_names[RUNGS]; /* "compute roof", "memory roof", ... */
extern const int rung_models[RUNGS];        /* the place in models[] that a rung belongs to */

/* `ceilings` by models[]; only those of rung_models are read. */
void ladder_build(const struct model_input *in, const struct ceiling *ceilings, struct ladder *out);

void ladder_judge(struct ladder *l, const struct measured *m);

#endif
