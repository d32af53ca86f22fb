/* link.h - the operation that a loop's chains are made of.
 *
 * With code it is the form that takes most of the way round the innermost loop.  Without, it is the
 * floating-point operation of which a trip has most; then the longest of its latencies from a
 * register serves, since the chain may go through any of them.
 *
 * Units: cycles.
 */
#ifndef GAMBREL_COMPARE_LINK_H
#define GAMBREL_COMPARE_LINK_H

#include "compare/evidence.h"

struct chain_link {
    const char *form;
    double per_chain; /* of it in one trip on one chain */
    double latency;
    double cycles; /* that its pipes are taken by one: the pipes are full from latency / cycles
                      chains on */
    double chains;
    struct loc loc;     /* in the machine file */
    const char *source; /* NULL: none given */
};

/* False: no chains are known, or nothing waits for anything that the machine file describes. */
bool chain_link_find(const struct evidence *ev, const struct kernel *k, const char *isa,
                     struct chain_link *out);

/* Is it floating-point arithmetic, by its mnemonic?  `form` is normalised. */
bool chain_link_computes(const char *form);

/* The part of the rate with full pipes that so many chains reach at this latency, ideally. */
double chain_link_allows(const struct chain_link *l, double chains, double latency);

#endif
