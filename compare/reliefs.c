#include "compare/reliefs.h"

#include "base/items.h"
#include "code/form.h"
#include "compare/link.h"
#include "compare/order.h"
#include "model/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const relief_where_names[] = {"code", "core", "memory"};

struct trial {
    const struct climb *now;
    struct arena *arena;
    struct reliefs out;
    size_t capacity;
};

static double top_rate(const struct climb *c)
{
    return c->ladder.rungs[RUNGS - 1].ceiling.rate;
}

static void attempt(struct trial *t, struct relief r)
{
    struct climb then;
    struct err ignored = {0};
    if (!whatif_climb(&t->now->subject, &r.change, 1, &then, &ignored)) {
        return;
    }
    r.rate = top_rate(&then);
    r.gain = r.rate / top_rate(t->now) - 1;
    r.binds = then.ladder.rungs[RUNGS - 1].ceiling.binds;
    if (isnan(r.gain)) {
        return;
    }
    t->out.list = arena_grow(t->arena, t->out.list, (size_t)t->out.n, &t->capacity, sizeof r);
    t->out.list[t->out.n++] = r;
}

/* --- rows of the core --- */

/* Does every uop of the loop that can take one of the two ports take the other one too? */
static bool alike(const struct cost *c, int p, int q)
{
    for (size_t i = 0; i < c->n_items; i++) {
        const struct cost_row *row = c->items[i].row;
        for (int u = 0; u < row->n_uops; u++) {
            if ((row->uops[u].ports >> p & 1) != (row->uops[u].ports >> q & 1)) {
                return false;
            }
        }
    }
    return true;
}

static bool used(const struct cost *c, int p)
{
    for (size_t i = 0; i < c->n_items; i++) {
        const struct cost_row *row = c->items[i].row;
        for (int u = 0; u < row->n_uops; u++) {
            if (row->uops[u].ports >> p & 1) {
                return true;
            }
        }
    }
    return false;
}

/* One port of each kind. */
static void try_ports(struct trial *t)
{
    const struct cost *cost = &t->now->mix.cost;
    const struct machine *m = t->now->subject.evidence->machine;
    for (int p = 0; p < m->n_ports; p++) {
        struct text same = {.arena = t->arena};
        bool first = used(cost, p);
        for (int q = 0; q < m->n_ports && first; q++) {
            const bool is = alike(cost, p, q);
            first = !(is && q < p);
            if (is && q != p) {
                text_add(&same, "%s%s", same.len ? ", " : " (likewise ", m->ports[q]);
            }
        }
        if (first) {
            attempt(t, (struct relief){.where = RELIEF_CORE,
                                       .what = arena_format(t->arena, "one more port like %s%s%s",
                                                            m->ports[p], same.len ? same.data : "",
                                                            same.len ? ")" : ""),
                                       .change = {CHANGE_PORT, m->ports[p], p}});
        }
    }
    for (int r = 0; m->n_ports == 0 && r < m->n_resources; r++) {
        attempt(t, (struct relief){.where = RELIEF_CORE,
                                   .what = arena_format(t->arena, "twice as much of resource %s",
                                                        m->resources[r]),
                                   .change = {CHANGE_PORT, m->resources[r], r}});
    }
}

static void try_core(struct trial *t, const char *key, double from, double to, const char *words)
{
    if (!isnan(from) && from != to) {
        attempt(t, (struct relief){
                       .where = RELIEF_CORE,
                       .what = arena_format(t->arena, "%s %g in place of %g", words, to, from),
                       .change = {CHANGE_CORE, key, to}});
    }
}

static void try_crossings(struct trial *t, const struct machine *m)
{
    const struct kernel_body *b = t->now->ran ? &t->now->ran->body : t->now->body;
    const double slots = m->line_crossing_load_slots, wide = m->line_crossing_load_slots_512;
    if (b && b->crossing_loads_per_iter > 0 && (slots > 1 || wide > 1)) {
        attempt(t, (struct relief){.where = RELIEF_CODE,
                                   .what = "no access that crosses a cache line",
                                   .change = {CHANGE_CROSSINGS, "", 0}});
    }
}

static void try_latency(struct trial *t, const char *form)
{
    const struct cost_row *row = cost_of_form(t->now->subject.evidence->costs, form);
    double most = 0;
    for (int i = 0; row->described && i < row->described->n_latencies; i++) {
        most = fmax(most, row->described->latencies[i].cycles);
    }
    if (most > 1) {
        attempt(t, (struct relief){
                       .where = RELIEF_CORE,
                       .what = arena_format(t->arena, "%s one cycle sooner (%g)", form, most - 1),
                       .change = {CHANGE_SOONER, form, 1}});
    }
}

/* --- rows of the loop --- */

static void try_forms(struct trial *t)
{
    int n;
    const struct form_count *forms = whatif_forms(&t->now->subject, &n);
    for (int i = 0; i < n; i++) {
        try_latency(t, forms[i].form);
        /* What a loop is there for cannot be left out. */
        if (!chain_link_computes(forms[i].form)) {
            attempt(t, (struct relief){.where = RELIEF_CODE,
                                       .what = arena_format(t->arena,
                                                            "to do without its %g %s, at most",
                                                            forms[i].count, forms[i].form),
                                       .change = {CHANGE_DROP, forms[i].form, 0}});
        }
    }
}

static double chains_now(const struct climb *c)
{
    return c->ran ? c->ran->counts.chains : c->body ? c->body->independent_chains : (double)NAN;
}

static void try_chains(struct trial *t)
{
    const struct evidence *ev = t->now->subject.evidence;
    const char *isa = t->now->subject.isa;
    const double now = chains_now(t->now);
    double tried = now;
    for (int i = 0; i < ev->n_chains + (ev->machine ? ev->machine->n_chain_curve : 0); i++) {
        const bool own = i < ev->n_chains;
        const struct machine_chain_point *p =
            own ? NULL : &ev->machine->chain_curve[i - ev->n_chains];
        const int chains = own ? ev->chains[i].chains : p->chains;
        if (chains > tried && same_text(own ? ev->chains[i].isa : p->isa, isa)) {
            tried = chains;
            attempt(t, (struct relief){.where = RELIEF_CODE,
                                       .what = arena_format(t->arena,
                                                            "%d independent chains in place of %g",
                                                            chains, now),
                                       .change = {CHANGE_CHAINS, "", chains}});
        }
    }
}

static void try_isas(struct trial *t)
{
    const struct kernel *k = t->now->subject.kernel;
    for (int i = 0; i < k->n_bodies; i++) {
        const char *isa = k->bodies[i].isa;
        const bool arm = same_text(t->now->subject.isa, "neon");
        if (!same_text(isa, t->now->subject.isa) && same_text(isa, "neon") == arm) {
            attempt(t, (struct relief){.where = RELIEF_CODE,
                                       .what = arena_format(t->arena, "its %s form", isa),
                                       .change = {CHANGE_ISA, isa, 0}});
        }
    }
}

/* --- all of them --- */

/* Does a rung stand on a roof or a mapping of memory? */
static bool walks_memory(const struct climb *c)
{
    const struct rung *rungs = c->ladder.rungs;
    return rungs[RUNG_STREAMS].known ||
           (rungs[RUNG_MEMORY].known && rungs[RUNG_MEMORY].own.rate < rungs[RUNG_COMPUTE].own.rate);
}

static void try_roofs(struct trial *t)
{
    const bool one = t->now->subject.threads == 1;
    attempt(t, (struct relief){.where = RELIEF_CORE,
                               .what = "a clock 10 % higher",
                               .change = {CHANGE_CLOCK,
                                          one ? "clock_hz.one_core" : "clock_hz.all_cores",
                                          1.1 * t->now->clock.hz}});
    if (walks_memory(t->now)) {
        attempt(t, (struct relief){.where = RELIEF_MEMORY,
                                   .what = arena_format(t->arena, "10 %% more of every %s roof",
                                                        t->now->subject.level),
                                   .change = {CHANGE_ROOFS, "memory", 1.1}});
    }
}

/* A relief and its place in the order of trial. */
struct ranked {
    struct relief relief;
    int tried;
};

static int by_gain(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    const double gain_a = round(a->relief.gain * 1e9), gain_b = round(b->relief.gain * 1e9);
    return gain_a < gain_b ? 1 : gain_a > gain_b ? -1 : a->tried - b->tried;
}

static void rank(struct trial *t)
{
    struct ranked *order = arena_new(t->arena, struct ranked, (size_t)t->out.n + 1);
    for (int i = 0; i < t->out.n; i++) {
        order[i] = (struct ranked){t->out.list[i], i};
    }
    items_sort(order, (size_t)t->out.n, sizeof *order, by_gain);
    for (int i = 0; i < t->out.n; i++) {
        t->out.list[i] = order[i].relief;
    }
}

struct reliefs reliefs_of(const struct climb *now)
{
    const struct evidence *ev = now->subject.evidence;
    struct trial t = {.now = now, .arena = ev->arena};
    if (isnan(top_rate(now)) || !ev->costs) {
        return t.out;
    }
    const struct machine *m = ev->machine;
    if (!*now->mix.missing) {
        try_ports(&t);
    }
    try_core(&t, "dispatch_width", m->dispatch_width, m->dispatch_width + 1, "dispatch width");
    try_core(&t, "taken_branches_per_cycle", m->taken_branches_per_cycle,
             2 * m->taken_branches_per_cycle, "taken branches a cycle,");
    try_core(&t, "rob_entries", m->rob_entries, 2 * m->rob_entries, "reorder buffer entries,");
    try_crossings(&t, m);
    try_forms(&t);
    try_chains(&t);
    try_isas(&t);
    try_roofs(&t);
    rank(&t);
    return t.out;
}

const struct relief *reliefs_best(const struct reliefs *r, enum relief_where where)
{
    for (int i = 0; i < r->n && r->list[i].gain >= RELIEF_GAIN_MIN; i++) {
        if (r->list[i].where == where) {
            return &r->list[i];
        }
    }
    return NULL;
}
