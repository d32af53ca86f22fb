#include "model/chain.h"

#include "base/items.h"
#include "model/cost.h"
#include "model/dependence.h"
#include "model/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trips from which a longer inner loop is extrapolated, if they fit; less otherwise. */
enum { TRIPS_FEW = 8, TRIPS_MORE = 16 };

/* One iteration written out: indices into the loop's instructions. */
struct sequence {
    int *order;
    int n;
};

/* What one sequence says. */
struct reading {
    struct chain_cycle cycle;
    struct chain_cycle path; /* NaN: a latency is missing */
    bool missing;            /* ... on a cycle */
};

struct context {
    const struct code_loop *loop;
    struct cost_table *table;
    struct arena *arena;
    struct text missing;
};

static bool has_inner(const struct code_loop *l)
{
    return l->inner_first >= 0;
}

static int inner_length(const struct code_loop *l)
{
    return has_inner(l) ? l->inner_last - l->inner_first + 1 : 0;
}

static struct sequence write_out(const struct context *c, int trips)
{
    const struct code_loop *l = c->loop;
    const int inner = inner_length(l);
    struct sequence s = {arena_new(c->arena, int, (size_t)(l->n + inner * trips)), 0};
    for (int i = 0; i < l->n; i++) {
        const bool starts_inner = has_inner(l) && i == l->inner_first;
        for (int k = 0; starts_inner && k < inner * (trips - 1); k++) {
            s.order[s.n++] = i + k % inner;
        }
        s.order[s.n++] = i;
    }
    return s;
}

static struct sequence inner_alone(const struct context *c)
{
    const int n = inner_length(c->loop);
    struct sequence s = {arena_new(c->arena, int, (size_t)n), n};
    for (int k = 0; k < n; k++) {
        s.order[k] = c->loop->inner_first + k;
    }
    return s;
}

/* --- what is missing --- */

static void name_missing(struct context *c, const struct dependence *d)
{
    const char *form = d->reg == 0 ? "store forwarding to " : "";
    const char *insn = c->loop->insns[d->insn].form;
    char name[2 * FORM_SIZE];
    snprintf(name, sizeof name, "%s%s", form, insn);
    if (!c->missing.data || !strstr(c->missing.data, name)) {
        text_add(&c->missing, "%s%s", c->missing.len > 0 ? ", " : "", name);
    }
}

/* The edges as ratio.h wants them, unknown latencies as 0; those on cycles are named. */
static struct ratio_edge *known_edges(struct context *c, const struct dependences *d, bool *missing)
{
    struct ratio_edge *edges = arena_new(c->arena, struct ratio_edge, d->n);
    bool *cyclic = arena_new(c->arena, bool, d->n);

    for (size_t k = 0; k < d->n; k++) {
        const struct dependence *from = &d->edges[k];
        edges[k] = (struct ratio_edge){from->from, from->to,
                                       isnan(from->latency) ? 0 : from->latency, from->distance};
    }
    ratio_mark_cyclic(edges, (int)d->n, d->n_values, c->arena, cyclic);
    *missing = false;
    for (size_t k = 0; k < d->n; k++) {
        if (cyclic[k] && isnan(d->edges[k].latency)) {
            name_missing(c, &d->edges[k]);
            *missing = true;
        }
    }
    return edges;
}

/* --- cycles and paths --- */

static struct chain_cycle take_steps(const struct context *c, const struct dependences *d,
                                     const int *edges, int n)
{
    struct chain_cycle cycle = {.n_steps = n,
                                .steps = arena_new(c->arena, struct chain_step, (size_t)n)};
    for (int i = 0; i < n; i++) {
        const struct dependence *edge = &d->edges[edges[i]];
        cycle.steps[i] = (struct chain_step){edge->insn, edge->reg, edge->latency, edge->distance};
        cycle.latency += isnan(edge->latency) ? 0 : edge->latency;
        cycle.distance += edge->distance;
    }
    return cycle;
}

/* Steps in program order, from the instruction that comes first. */
static struct chain_cycle describe(const struct context *c, const struct dependences *d,
                                   const struct ratio *r)
{
    int first = 0;
    for (int i = 1; i < r->n_steps; i++) {
        first = d->edges[r->steps[i]].to < d->edges[r->steps[first]].to ? i : first;
    }
    int *ordered = arena_new(c->arena, int, (size_t)r->n_steps);
    for (int i = 0; i < r->n_steps; i++) {
        ordered[i] = r->steps[(first + i) % r->n_steps];
    }
    struct chain_cycle cycle = take_steps(c, d, ordered, r->n_steps);
    cycle.cycles = r->cycles;
    return cycle;
}

static int by_target(const void *a, const void *b)
{
    const struct dependence *one = a, *other = b;
    return (one->to > other->to) - (one->to < other->to);
}

/* The edges of the slowest way to a value, from its first to its last. */
static struct chain_cycle walk_back(const struct context *c, const struct dependences *d,
                                    const int *slowest, int value)
{
    int *edges = arena_new(c->arena, int, (size_t)d->n_values + 1);
    int n = 0;
    for (int k = slowest[value]; k >= 0;
         k = d->edges[k].distance == 0 ? slowest[d->edges[k].from] : -1) {
        edges[n++] = k;
    }
    for (int i = 0; i < n / 2; i++) {
        const int swapped = edges[i];
        edges[i] = edges[n - 1 - i];
        edges[n - 1 - i] = swapped;
    }
    struct chain_cycle path = take_steps(c, d, edges, n);
    path.cycles = path.latency;
    path.distance = 0;
    return path;
}

/* The longest way through one iteration, all that comes from iterations before at hand when it
 * starts.  Within an iteration values depend on values with smaller numbers only.  Sorts d. */
static struct chain_cycle longest_path(const struct context *c, struct dependences *d)
{
    double *ready = arena_new(c->arena, double, (size_t)d->n_values + 1);
    int *slowest = arena_new(c->arena, int, (size_t)d->n_values + 1);
    int last = 0;

    items_sort(d->edges, d->n, sizeof *d->edges, by_target);
    slowest[0] = -1;
    for (int v = 0; v < d->n_values; v++) {
        slowest[v] = -1;
    }
    for (size_t k = 0; k < d->n; k++) {
        const struct dependence *edge = &d->edges[k];
        const double done = edge->latency + (edge->distance == 0 ? ready[edge->from] : 0);
        if (isnan(edge->latency)) {
            return (struct chain_cycle){.cycles = nan("")};
        }
        if (slowest[edge->to] < 0 || done > ready[edge->to]) {
            slowest[edge->to] = (int)k;
            ready[edge->to] = done;
        }
        last = ready[edge->to] > ready[last] ? edge->to : last;
    }
    return walk_back(c, d, slowest, last);
}

static bool read_sequence(struct context *c, struct sequence s, struct reading *out, struct err *e)
{
    struct ratio ratio;
    struct dependences d = dependences_find(c->loop, s.order, s.n, c->table);
    const struct ratio_edge *edges = known_edges(c, &d, &out->missing);

    if (!ratio_max(edges, (int)d.n, d.n_values, c->arena, &ratio, e)) {
        return false;
    }
    out->cycle = describe(c, &d, &ratio);
    out->path = longest_path(c, &d);
    return true;
}

/* --- an iteration with many trips --- */

/* Both numbers grow by the same amount with every further trip once the slowest way has settled. */
static double extrapolate(double few, double more, double trips)
{
    return more + (more - few) / (TRIPS_MORE - TRIPS_FEW) * (trips - TRIPS_MORE);
}

static bool read_iteration(struct context *c, double trips, struct reading *out, struct err *e)
{
    const double length = c->loop->n + inner_length(c->loop) * (trips - 1);
    struct reading few;

    if (!has_inner(c->loop)) {
        return read_sequence(c, write_out(c, 1), out, e);
    }
    if (trips == floor(trips) && length <= CHAIN_INSNS_MAX) {
        return read_sequence(c, write_out(c, (int)trips), out, e);
    }
    if (!read_sequence(c, write_out(c, TRIPS_FEW), &few, e) ||
        !read_sequence(c, write_out(c, TRIPS_MORE), out, e)) {
        return false;
    }
    out->cycle.cycles = extrapolate(few.cycle.cycles, out->cycle.cycles, trips);
    out->path.cycles = extrapolate(few.path.cycles, out->path.cycles, trips);
    return true;
}

/* Dispatch slots of one iteration, of which an unknown form takes at least one. */
static double slots_of(const struct code_loop *l, double trips, struct cost_table *t)
{
    struct cost c = cost_new(t);
    cost_add_loop(&c, l, trips);
    double slots = c.slots;
    for (size_t i = 0; i < c.n_items; i++) {
        const bool priced =
            cost_table_view(t) == COST_PORTS && c.items[i].row->kind != COST_UNKNOWN;
        slots += priced ? 0 : c.items[i].count;
    }
    return slots;
}

bool chain_find(const struct code_loop *l, double inner_trips, struct cost_table *t,
                struct chain_bound *out, struct err *e)
{
    struct context c = {l, t, cost_arena(t), {.arena = cost_arena(t)}};
    struct reading whole, inner = {0};
    const double trips = has_inner(l) ? inner_trips : 1;

    if (!(trips > 0) || isinf(trips)) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "the inner loop makes %g trips; right would be a positive number", trips);
    }
    if (!read_iteration(&c, trips, &whole, e) ||
        (has_inner(l) && !read_sequence(&c, inner_alone(&c), &inner, e))) {
        return false;
    }
    const double in_flight = 1 + ceil(cost_machine(t)->rob_entries / slots_of(l, trips, t));
    *out = (struct chain_bound){
        .carried = whole.cycle,
        .inner = inner.cycle,
        .restart_cycles = inner.missing ? nan("") : inner.cycle.cycles * (has_inner(l) ? trips : 0),
        .path = whole.path,
        .in_flight = in_flight,
        .overlap_cycles = whole.path.cycles / in_flight,
        .missing = c.missing.data ? c.missing.data : "",
    };
    out->path.in_flight = in_flight;
    out->strict = out->restart_cycles <= out->carried.cycles * (1 + 1e-9);
    out->known_cycles_per_iter = fmax(out->carried.cycles, out->overlap_cycles); /* past NaN */
    out->cycles_per_iter = whole.missing ? nan("") : out->known_cycles_per_iter;
    return true;
}

/* --- words --- */

/* Steps of one form and latency are counted together, in the order of their first. */
void chain_words(const struct code_loop *l, const struct chain_cycle *c, struct text *out)
{
    const char *separator = "";
    if (c->n_steps == 0) {
        text_add(out, "no chain");
        return;
    }
    for (int i = 0; i < c->n_steps; i++) {
        const struct chain_step *step = &c->steps[i];
        int alike = 0;
        bool first = true;
        for (int k = 0; k < c->n_steps; k++) {
            const bool same =
                c->steps[k].latency == step->latency &&
                strcmp(l->insns[c->steps[k].insn].form, l->insns[step->insn].form) == 0;
            alike += same;
            first &= !(same && k < i);
        }
        if (first) {
            text_add(out, "%s%d of %s (%g %s)", separator, alike, l->insns[step->insn].form,
                     step->latency, step->latency == 1 ? "cycle" : "cycles");
            separator = ", ";
        }
    }
    text_add(out, ": %g %s", c->latency, c->latency == 1 ? "cycle" : "cycles");
    if (c->distance > 0) {
        text_add(out, " over %d %s", c->distance, c->distance == 1 ? "iteration" : "iterations");
    } else if (c->in_flight > 0) {
        text_add(out, ", %g iterations at once", c->in_flight);
    }
}
