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

/* --- strongly connected components (Tarjan, SIAM J. Comput. 1(2), 1972), without recursion --- */

struct search {
    const struct ratio_edge *edges;
    int *next;      /* [edges] the next edge out of the same node, -1 at the end */
    int *cursor;    /* [nodes] the edge to look at next */
    int *number;    /* [nodes] in order of discovery, from 1; 0: not seen */
    int *low;       /* [nodes] the least number that is reached without leaving the component */
    int *component; /* [nodes] -1: not known yet */
    int *path, n_path, *open, n_open, n_seen, n_components;
};

static void discover(struct search *s, int node)
{
    s->number[node] = s->low[node] = ++s->n_seen;
    s->path[s->n_path++] = node;
    s->open[s->n_open++] = node;
}

/* All below the last node of the path is known: its component, if it is the root of one, is what
 * lies on top of the open nodes. */
static void leave(struct search *s)
{
    const int node = s->path[--s->n_path];
    if (s->n_path > 0) {
        int *low = &s->low[s->path[s->n_path - 1]];
        *low = s->low[node] < *low ? s->low[node] : *low;
    }
    if (s->low[node] == s->number[node]) {
        int member;
        do {
            member = s->open[--s->n_open];
            s->component[member] = s->n_components;
        } while (member != node);
        s->n_components++;
    }
}

static void explore(struct search *s, int root)
{
    discover(s, root);
    while (s->n_path > 0) {
        const int node = s->path[s->n_path - 1], edge = s->cursor[node];
        if (edge < 0) {
            leave(s);
            continue;
        }
        const int to = s->edges[edge].to;
        s->cursor[node] = s->next[edge];
        if (s->number[to] == 0) {
            discover(s, to);
        } else if (s->component[to] < 0 && s->number[to] < s->low[node]) {
            s->low[node] = s->number[to];
        }
    }
}

void ratio_mark_cyclic(const struct ratio_edge *edges, int n_edges, int n_nodes, struct arena *a,
                       bool *cyclic)
{
    const size_t n = (size_t)n_nodes;
    struct search s = {.edges = edges,
                       .next = arena_new(a, int, (size_t)n_edges),
                       .cursor = arena_new(a, int, n),
                       .number = arena_new(a, int, n),
                       .low = arena_new(a, int, n),
                       .component = arena_new(a, int, n),
                       .path = arena_new(a, int, n),
                       .open = arena_new(a, int, n)};
    for (int i = 0; i < n_nodes; i++) {
        s.cursor[i] = s.component[i] = -1;
    }
    for (int k = 0; k < n_edges; k++) {
        s.next[k] = s.cursor[edges[k].from];
        s.cursor[edges[k].from] = k;
    }
    for (int i = 0; i < n_nodes; i++) {
        if (s.number[i] == 0) {
            explore(&s, i);
        }
    }
    for (int k = 0; k < n_edges; k++) {
        cyclic[k] = s.component[edges[k].from] == s.component[edges[k].to];
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
