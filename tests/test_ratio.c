#include "model/ratio.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

enum { EDGES_MAX = 40, NODES_MAX = 12 };

struct graph {
    struct ratio_edge edges[EDGES_MAX];
    int n_edges, n_nodes;
};

/* Latency and distance around the steps; false if they are no cycle. */
static bool is_cycle(const struct graph *g, const struct ratio *r, double *latency, int *distance)
{
    *latency = 0;
    *distance = 0;
    for (int i = 0; i < r->n_steps; i++) {
        const struct ratio_edge *edge = &g->edges[r->steps[i]];
        if (edge->to != g->edges[r->steps[(i + 1) % r->n_steps]].from) {
            return false;
        }
        *latency += edge->latency;
        *distance += edge->distance;
    }
    return r->n_steps > 0;
}

/* --- by hand --- */

static const struct {
    const char *name;
    struct graph g;
    double cycles;
    int n_steps;
} cases[] = {
    {"one accumulator", {{{0, 0, 4, 1}}, 1, 1}, 4, 1},
    {"two instructions in a chain", {{{0, 1, 4, 0}, {1, 0, 3, 1}}, 2, 2}, 7, 2},
    {"a chain over two iterations", {{{0, 1, 4, 1}, {1, 0, 3, 1}}, 2, 2}, 3.5, 2},
    {"the slower of two cycles", {{{0, 0, 4, 1}, {1, 2, 2, 0}, {2, 1, 3, 1}}, 3, 3}, 5, 2},
    {"a long way round against a short one",
     {{{0, 1, 9, 1}, {1, 0, 0, 1}, {0, 0, 4, 1}}, 3, 2},
     4.5,
     2},
    {"no cycle", {{{0, 1, 4, 0}, {0, 2, 4, 1}}, 2, 3}, 0, 0},
    {"no edge", {{{0}}, 0, 3}, 0, 0},
    {"a cycle without latency", {{{0, 0, 0, 1}}, 1, 1}, 0, 0},
    {"tails that hang from a cycle and lead into one",
     {{{0, 1, 50, 0}, {1, 1, 2, 1}, {1, 2, 50, 0}, {2, 3, 50, 1}}, 4, 4},
     2,
     1},
};

static void test_cases(struct arena *a)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct graph *g = &cases[i].g;
        struct ratio r = {.cycles = -1};
        struct err e = {0};
        double latency;
        int distance;
        ok(ratio_max(g->edges, g->n_edges, g->n_nodes, a, &r, &e), "%s %s", cases[i].name, e.text);
        is_near(r.cycles, cases[i].cycles, 1e-9, "  ratio");
        ok(r.n_steps == cases[i].n_steps &&
               (r.n_steps == 0 || is_cycle(g, &r, &latency, &distance)),
           "  %d steps", r.n_steps);
    }
}

static void test_refusals(struct arena *a)
{
    static const struct {
        const char *name;
        struct ratio_edge edge;
        enum err_code code;
    } bad[] = {
        {"an instruction that waits for itself", {0, 0, 1, 0}, ERR_MODEL},
        {"a node past the last", {0, 2, 1, 1}, ERR_RANGE},
        {"a negative node", {-1, 0, 1, 1}, ERR_RANGE},
        {"a NaN latency", {0, 0, (double)NAN, 1}, ERR_RANGE},
        {"a negative latency", {0, 0, -1, 1}, ERR_RANGE},
        {"a negative distance", {0, 0, 1, -1}, ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ratio r;
        struct err e = {0};
        ok(!ratio_max(&bad[i].edge, 1, 2, a, &r, &e) && e.code == bad[i].code, "%s: %s",
           bad[i].name, e.text);
    }
}

/* An edge from one cycle to another lies on none. */
static void test_cyclic(struct arena *a)
{
    static const struct ratio_edge edges[] = {{0, 1, 1, 0}, {1, 0, 1, 1}, {1, 2, 9, 0},
                                              {2, 2, 1, 1}, {2, 3, 1, 0}, {4, 0, 1, 0},
                                              {3, 5, 1, 0}, {5, 3, 1, 1}};
    static const bool on_cycle[] = {true, true, false, true, false, false, true, true};
    bool cyclic[8];
    int right = 0;
    ratio_mark_cyclic(edges, 8, 6, a, cyclic);
    for (int k = 0; k < 8; k++) {
        right += cyclic[k] == on_cycle[k];
    }
    ok(right == 8, "edges between cycles and at their ends lie on none: %d of 8 right", right);
}

/* --- against bisection with Bellman and Ford's test for a positive cycle --- */

static bool has_positive_cycle(const struct graph *g, double cycles)
{
    double longest[NODES_MAX] = {0};
    bool changed = true;
    for (int round = 0; round <= g->n_nodes && changed; round++) {
        changed = false;
        for (int k = 0; k < g->n_edges; k++) {
            const struct ratio_edge *edge = &g->edges[k];
            const double via = longest[edge->from] + edge->latency - cycles * edge->distance;
            if (via > longest[edge->to] + 1e-12) {
                longest[edge->to] = via;
                changed = true;
            }
        }
    }
    return changed;
}

static double by_bisection(const struct graph *g)
{
    double low = 0, high = 1000;
    if (!has_positive_cycle(g, 0)) {
        return 0;
    }
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(has_positive_cycle(g, middle) ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

static int below(int n)
{
    return rand() % n;
}

/* As loops give them: an edge to a later instruction may have any distance, one to an earlier or to
 * the same instruction spans at least one iteration. */
static void draw(struct graph *g)
{
    g->n_nodes = 1 + below(NODES_MAX);
    g->n_edges = below(EDGES_MAX + 1);
    for (int k = 0; k < g->n_edges; k++) {
        const int from = below(g->n_nodes), to = below(g->n_nodes);
        const int least = to > from ? 0 : 1;
        g->edges[k] = (struct ratio_edge){from, to, below(3) ? below(12) : below(100) / 7.0,
                                          least + (below(4) == 0 ? below(4) : 0)};
    }
}

static void test_random(void)
{
    enum { GRAPHS = 5000, SEED = 4242 };
    int agree = 0, named = 0;

    srand(SEED);
    for (int i = 0; i < GRAPHS; i++) {
        struct arena *a = arena_create((size_t)1 << 22, oom, NULL);
        struct graph g;
        struct ratio r = {.cycles = (double)NAN};
        struct err e = {0};
        double latency = 0;
        int distance = 0;
        draw(&g);
        const bool solved = ratio_max(g.edges, g.n_edges, g.n_nodes, a, &r, &e);
        const double expected = by_bisection(&g);
        agree += solved && fabs(r.cycles - expected) <= 1e-8 * fmax(1, expected);
        named += solved && (r.cycles == 0 || (is_cycle(&g, &r, &latency, &distance) &&
                                              fabs(latency - r.cycles * distance) <= 1e-7));
        arena_release(a);
    }
    ok(agree == GRAPHS, "%d of %d random graphs as by bisection (seed %d)", agree, GRAPHS, SEED);
    ok(named == GRAPHS, "%d of %d name a cycle that binds", named, GRAPHS);
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 22, oom, NULL);
    test_cases(a);
    test_refusals(a);
    test_cyclic(a);
    arena_release(a);
    test_random();
    return tap_done();
}
