/* probe_latency.h - how long a form's results wait for what it reads, and what does not wait.
 *
 * Each path of a form (probe_path.h) is measured as a chain (probe_chain.h), less its partners.
 * Partners within one register file are measured alone.  Of those that cross from one file to
 * another and back only the sum can be seen: no program goes one way without coming back, so any
 * split predicts the same. Half is given to each way here, and the bounds say what the other splits
 * would give, each way taking a cycle at least.
 *
 * Units: cycles.
 */
#ifndef GAMBREL_MEASURE_PROBE_LATENCY_H
#define GAMBREL_MEASURE_PROBE_LATENCY_H

#include "measure/probe_stable.h"

struct probe_latency {
    struct probe_end from, to;
    double cycles;
    double least, most; /* == cycles where nothing had to be split */
    /* of a division or square root, for values with short significands; or NaN */
    double fast_cycles;
    double same_cycles;   /* with one register as every source in that file; NaN: not measured */
    double direct_cycles; /* to memory at an address without an index register; or NaN */
    double spread;        /* half the distance of the quartiles over what was measured */
    int n;                /* samples */
};

struct probe_latencies {
    struct probe_latency pairs[PROBE_PATHS_MAX];
    int n;
    /* Its sources being one register, it does not wait for it (xor eax, eax) ... */
    bool independent;
    bool idiom;           /* ... and takes no longer than a nop: nothing is executed */
    bool eliminated_move; /* it does not wait for its source */
    const char *failed;   /* why a path has no number, the first of them; NULL: all have */
};

/* Of n forms; what could not be measured is left out of pairs.  Patient (probe_stable.h).  Scratch
 * memory lives in `a`. */
bool probe_latencies(struct probe *p, const struct probe_form *const *forms, int n,
                     struct probe_latencies *out, struct arena *a, struct err *e);

/* What readings are compared with. */
struct probe_cost {
    double cycles, least, most; /* NaN: not known */
};
struct probe_yardstick {
    struct probe_cost *costs; /* of probe_aids, in order */
    double nop_cycles;        /* NaN: not known */
};

/* The latencies of one form from the readings of its n paths. */
void probe_latencies_take(const struct probe_form *f, const struct probe_path *paths,
                          const struct probe_result *results, int n,
                          const struct probe_yardstick *y, struct probe_latencies *out);

#endif
