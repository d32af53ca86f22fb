/* probe_latency.h - how long a form's result waits for each of its operands, and what does not wait.
 *
 * Latencies are those of chains from one register operand to another of the same file, as uops.info
 * defines them; from memory, flags, or one file to another there is none here.
 *
 * Units: cycles.
 */
#ifndef GAMBREL_MEASURE_PROBE_LATENCY_H
#define GAMBREL_MEASURE_PROBE_LATENCY_H

#include "measure/probe_stable.h"

#define PROBE_LATENCIES_MAX (ENCODE_OPERANDS_MAX * ENCODE_OPERANDS_MAX)

struct probe_latency {
    int from, to; /* operands of the form, 1-based */
    double cycles;
};

struct probe_latencies {
    struct probe_latency pairs[PROBE_LATENCIES_MAX];
    int n;
    /* Its sources being one register, it does not wait for it (xor eax, eax): cycles of such a chain are
     * as if there was none.  For a move: it does not wait for its source. */
    bool idiom, eliminated_move;
};

/* The chains that tell; at most PROBE_LATENCIES_MAX + 1. */
int probe_latency_chains(const struct probe_form *f, struct probe_chain *chains);

/* Of n forms; what could not be measured is left out of pairs.  Scratch memory lives in `a`. */
bool probe_latencies(struct probe *p, const struct probe_form *const *forms, int n,
                     struct probe_latencies *out, struct arena *a, struct err *e);

#endif
