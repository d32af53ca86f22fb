/* Chains, three ways: the cycle that the code closes, what its latency allows so many chains, and
 * what was measured of loops with so many.  The last two need not agree, and then the file's
 * latency and its pipes do not describe what holds the core back. */
#include "compare/explain_parts.h"
#include "compare/link.h"
#include "compare/order.h"

#include <math.h>
#include <string.h>

/* --- what was measured --- */

struct range {
    double low, high; /* NaN: nothing */
};

/* Of the compute roof, at all levels and thread counts. */
static struct range reached(const struct explanation *x)
{
    struct range r = {NAN, NAN};
    for (int i = 0; i < x->n_ladders; i++) {
        const struct explained *l = &x->ladders[i];
        const double part =
            l->row ? l->row->measured.rate / l->now.ladder.rungs[RUNG_COMPUTE].ceiling.rate
                   : (double)NAN;
        r.low = fmin(r.low, part);
        r.high = fmax(r.high, part);
    }
    return r;
}

struct point {
    double chains, fraction;
    bool disturbed;
};

/* What there is to be said of a loop's chains. */
struct said {
    struct chain_link link;
    struct range reached;
    struct point points[3];
    int n_points;
    double other; /* the whole latency that would explain what was measured where the file's does
                     not; 0: none */
};

/* Points of the curve that tell most of `chains`: the nearest on either side, and the last. */
static int curve_points(const struct evidence *ev, const char *isa, double chains,
                        struct point out[3])
{
    struct point below = {0}, above = {.chains = 1e9}, last = {0}; /* no loop has 1e9 chains */
    const struct machine *m = ev->machine;
    const int n_all = ev->n_chains ? ev->n_chains : m ? m->n_chain_curve : 0;
    int n = 0;
    for (int i = 0; i < n_all; i++) {
        const struct chain_point *p = ev->n_chains ? &ev->chains[i] : NULL;
        const struct machine_chain_point *q = p || !m ? NULL : &m->chain_curve[i];
        const bool fits = p   ? p->threads == 1 && same_text(p->isa, isa)
                          : q ? same_text(q->isa, isa)
                              : false;
        if (!fits) {
            continue;
        }
        const struct point at = {p ? p->chains : q->chains, p ? p->fraction : q->fraction,
                                 p && p->measured.disturbed};
        below = at.chains <= chains && at.chains > below.chains ? at : below;
        above = at.chains > chains && at.chains < above.chains ? at : above;
        last = at.chains > last.chains ? at : last;
    }
    if (below.chains > 0) {
        out[n++] = below;
    }
    if (above.chains < 1e9) {
        out[n++] = above;
    }
    if (last.chains > chains && last.chains > above.chains) {
        out[n++] = last;
    }
    return n;
}

/* --- words --- */

static void say_cycle(const struct climb *c, struct document *d)
{
    const struct chain_bound *b = &c->ran->chain;
    struct text words = {.arena = d->arena};
    if (*c->ran->chain_problem || *b->missing) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "Chains of the code: not all latencies known: %s.",
                     *c->ran->chain_problem ? c->ran->chain_problem : b->missing);
        return;
    }
    if (b->inner.n_steps && b->restart_cycles > b->cycles_per_iter) {
        chain_words(&c->ran->code, &b->inner, &words);
        document_add(d, BLOCK_ITEM, TONE_PLAIN,
                     "Slowest chain of the inner loop: %s of it, %.4g cycles for its %g trips; no "
                     "strict bound, since iterations may overlap in the reorder buffer.",
                     words.data, b->restart_cycles, c->ran->body.inner_trips);
    }
    words = (struct text){.arena = d->arena};
    if (b->carried.n_steps) {
        chain_words(&c->ran->code, &b->carried, &words);
        document_add(d, BLOCK_ITEM, TONE_PLAIN, "Slowest chain from iteration to iteration: %s.",
                     words.data);
    }
}

static const char *range_words(struct range r, struct arena *a)
{
    return isnan(r.low)            ? "-"
           : r.high - r.low < 0.01 ? arena_format(a, "%.2f", r.low)
                                   : arena_format(a, "%.2f to %.2f", r.low, r.high);
}

static double other_latency(const struct chain_link *l, struct range r)
{
    if (isnan(r.high) || r.high > 0.95 ||
        chain_link_allows(l, l->chains, l->latency) < 1.05 * r.high) {
        return 0;
    }
    const double needed = l->chains * l->cycles / r.high;
    const double whole = round(needed);
    const bool near = fabs(needed / whole - 1) < 0.05;
    return near && whole > l->latency && whole <= 2 * l->latency ? whole : 0;
}

static bool explains(const struct chain_link *l, const struct point *p, double latency)
{
    return fabs(chain_link_allows(l, p->chains, latency) - p->fraction) < 0.03;
}

static void say_other(const struct said *s, struct document *d)
{
    const struct chain_link *l = &s->link;
    const char *odd = "";
    for (int i = 0; i < s->n_points && !*odd; i++) {
        const struct point *p = &s->points[i];
        if (!explains(l, p, l->latency) && !explains(l, p, s->other)) {
            odd = arena_format(d->arena,
                               " And neither gives the %.2f of %g chains: why they are that slow "
                               "is unexplained.",
                               p->fraction, p->chains);
        }
    }
    document_add(
        d, BLOCK_ITEM, TONE_DOUBT,
        "A latency of %g would allow %g chains %.2f, which is near what was measured (%s), "
        "but the file's %g stands on: %s.%s",
        s->other, l->chains, chain_link_allows(l, l->chains, s->other),
        range_words(s->reached, d->arena), l->latency, l->source ? l->source : "no source", odd);
}

static void add_row(struct table *t, const struct said *s, double chains)
{
    table_cell(t, TONE_PLAIN, "%.2f", chain_link_allows(&s->link, chains, s->link.latency));
    table_cell(t, TONE_PLAIN, "%.2f", chain_link_allows(&s->link, chains, s->other));
}

static void chains_table(const struct said *s, const char *name, struct document *d)
{
    const char *titles[] = {"chains", arena_format(d->arena, ">latency %g (file)", s->link.latency),
                            arena_format(d->arena, ">latency %g", s->other), ">measured"};
    struct table *t = table_new(d->arena, titles, 4);
    table_cell(t, TONE_PLAIN, "%g, %s", s->link.chains, name);
    add_row(t, s, s->link.chains);
    table_cell(t, TONE_PLAIN, "%s", range_words(s->reached, d->arena));
    for (int i = 0; i < s->n_points; i++) {
        table_cell(t, TONE_PLAIN, "%g, chain curve%s", s->points[i].chains,
                   s->points[i].disturbed ? " (disturbed)" : "");
        add_row(t, s, s->points[i].chains);
        table_cell(t, TONE_PLAIN, "%.2f", s->points[i].fraction);
    }
    t->columns[2].hidden = s->other == 0;
    document_table(d, t);
}

void explain_chains(const struct explanation *x, struct document *d)
{
    const struct climb *c = &x->ladders[0].now;
    const struct kernel *k = x->wish.kernel;
    struct said s = {.reached = reached(x)};
    if (c->ran) {
        say_cycle(c, d);
    }
    if (!chain_link_find(c->subject.evidence, k, x->wish.isa, &s.link)) {
        return;
    }
    const struct chain_link *l = &s.link;
    s.n_points = curve_points(c->subject.evidence, x->wish.isa, l->chains, s.points);
    s.other = other_latency(l, s.reached);
    document_add(d, BLOCK_ITEM, TONE_PLAIN,
                 "%g chains of %s, %.3g each trip. A link waits %g cycles for the one before%s and "
                 "takes its pipes %.3g: the pipes are full from %.3g chains on. Fractions of the "
                 "%s:",
                 l->chains, l->form, l->per_chain, l->latency, explain_place(l->loc, d->arena),
                 l->cycles, l->latency / l->cycles,
                 k->compute_roof ? arena_format(d->arena, "%s roof", k->compute_roof)
                                 : "rate with full pipes");
    chains_table(&s, k->name, d);
    if (s.other > 0) {
        say_other(&s, d);
    }
}
