#include "model/ratio.h"

#include "model/lp.h"

#include <math.h>
#include <string.h>

static bool check_edges(const struct ratio_edge *edges, int n_edges, int n_nodes, struct err *e)
{
    for (int k = 0; k < n_edges; k++) {
        const struct ratio_edge d = edges[k];
        const bool placed = d.from >= 0 && d.from < n_nodes && d.to >= 0 && d.to < n_nodes;
        if (!placed || !(d.latency >= 0) || isinf(d.latency) || d.distance < 0) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "dependence %d from %d to %d of %d has latency %g and distance %d", k,
                           d.from, d.to, n_nodes, d.latency, d.distance);
        }
    }
    return true;
}

/* One sweep: drops the edges whose tail nothing leads to, or whose head leads nowhere. */
static bool drop_dead_ends(const struct ratio_edge *edges, int n_edges, int *in, int *out,
                           bool *cyclic)
{
    bool dropped = false;
    for (int k = 0; k < n_edges; k++) {
        if (cyclic[k] && (in[edges[k].from] == 0 || out[edges[k].to] == 0)) {
            cyclic[k] = false;
            in[edges[k].to]--;
            out[edges[k].from]--;
            dropped = true;
        }
    }
    return dropped;
}

void ratio_mark_cyclic(const struct ratio_edge *edges, int n_edges, int n_nodes, struct arena *a,
                       bool *cyclic)
{
    int *in = arena_new(a, int, (size_t)n_nodes), *out = arena_new(a, int, (size_t)n_nodes);

    for (int k = 0; k < n_edges; k++) {
        cyclic[k] = true;
        in[edges[k].to]++;
        out[edges[k].from]++;
    }
    while (drop_dead_ends(edges, n_edges, in, out, cyclic)) {
    }
}

/* Rows are the edges, in order; columns are the nodes, then T. */
static struct lp *state(const struct ratio_edge *edges, int n_edges, int n_nodes,
                        const bool *cyclic)
{
    struct lp *lp = lp_create(n_edges, n_nodes + 1);
    for (int i = 0; i < n_nodes; i++) {
        lp_column_bounds(lp, i, -HUGE_VAL, HUGE_VAL);
    }
    lp_objective(lp, n_nodes, 1);
    for (int k = 0; k < n_edges; k++) {
        const struct ratio_edge d = edges[k];
        if (!cyclic[k]) {
            continue;
        }
        lp_row_bounds(lp, k, d.latency, HUGE_VAL);
        lp_coefficient(lp, k, n_nodes, d.distance);
        if (d.from != d.to) {
            lp_coefficient(lp, k, d.to, 1);
            lp_coefficient(lp, k, d.from, -1);
        }
    }
    return lp;
}

/* The priced edge out of a node that carries most. */
static int dearest_from(const struct ratio_edge *edges, int n_edges, const double *prices, int node)
{
    int best = -1;
    for (int k = 0; k < n_edges; k++) {
        if (edges[k].from == node && prices[k] > (best < 0 ? LP_TOLERANCE : prices[best])) {
            best = k;
        }
    }
    return best;
}

/* Walks along priced edges, of which every node that has one in has one out, until a node comes
 * back: from there on the walk is a cycle.  `seen` is the step at which a node was left, + 1. */
static void follow(const struct ratio_edge *edges, int n_edges, const double *prices, int *seen,
                   struct ratio *out)
{
    int edge = 0;
    for (int k = 1; k < n_edges; k++) {
        edge = prices[k] > prices[edge] ? k : edge;
    }
    int n = 0;
    while (edge >= 0 && seen[edges[edge].from] == 0) {
        out->steps[n++] = edge;
        seen[edges[edge].from] = n;
        edge = dearest_from(edges, n_edges, prices, edges[edge].to);
    }
    const int first = edge < 0 ? n : seen[edges[edge].from] - 1;
    out->n_steps = n - first;
    memmove(out->steps, out->steps + first, (size_t)out->n_steps * sizeof *out->steps);
}

bool ratio_max(const struct ratio_edge *edges, int n_edges, int n_nodes, struct arena *a,
               struct ratio *out, struct err *e)
{
    struct lp_solution solution;

    if (!check_edges(edges, n_edges, n_nodes, e)) {
        return false;
    }
    bool *cyclic = arena_new(a, bool, (size_t)n_edges);
    ratio_mark_cyclic(edges, n_edges, n_nodes, a, cyclic);
    struct lp *lp = state(edges, n_edges, n_nodes, cyclic);
    const bool solved = lp_solve(lp, &solution, e);
    if (solved) {
        *out = (struct ratio){.cycles = solution.objective};
        if (out->cycles > 0) {
            out->steps = arena_new(a, int, (size_t)n_nodes);
            follow(edges, n_edges, solution.prices, arena_new(a, int, (size_t)n_nodes), out);
        }
    }
    lp_release(lp);
    return solved;
}
