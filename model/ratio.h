/* ratio.h - the maximum cycle ratio of a graph: over all cycles, latency around it / distance
 * around it.
 *
 *     minimise T   subject to   pi[to] - pi[from] + distance * T >= latency   for each edge,   T >=
 *     0
 *
 * The prices of the edges are a flow around the cycles that bind; their steps are read from it.
 * Edges that lie on no cycle are left out before the linear program is stated.
 * Source: Dasdan, "Experimental analysis of the fastest optimum cycle ratio and mean algorithms",
 * ACM TODAES 9(4), 2004, for the program and its dual.
 */
#ifndef GAMBREL_MODEL_RATIO_H
#define GAMBREL_MODEL_RATIO_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct ratio_edge {
    int from, to;   /* nodes, from 0 */
    double latency; /* >= 0, finite */
    int distance;   /* >= 0 */
};

struct ratio {
    double cycles; /* T; 0 where there is no cycle */
    int *steps; /* edges of one cycle that binds, in order; the head of the last is the tail of the
                      first; NULL where T is 0 */
    int n_steps;
};

/* ERR_MODEL: a cycle of distance 0 with a latency, which no T satisfies; or no certified optimum.
 * ERR_RANGE: an edge that cannot be right. */
bool ratio_max(const struct ratio_edge *edges, int n_edges, int n_nodes, struct arena *a,
               struct ratio *out, struct err *e);

/* Marks the edges that lie on some cycle: those inside a strongly connected component. */
void ratio_mark_cyclic(const struct ratio_edge *edges, int n_edges, int n_nodes, struct arena *a,
                       bool *cyclic);

#endif
