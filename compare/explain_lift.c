#include "compare/cells.h"
#include "compare/explain_parts.h"
#include "compare/link.h"

#include <math.h>

static void relief_words(const struct explained *l, enum relief_where where, struct text *out)
{
    static const char *const in[] = {"in the code", "in the core", "in memory"};
    const struct relief *r = reliefs_best(&l->reliefs, where);
    if (r) {
        text_add(out, "%s%s, %s (%s %s, +%.0f %%)", out->len ? "; " : "", in[where], r->what,
                 explain_giga(r->rate, out->arena), explain_unit(l->now.subject.kernel),
                 100 * r->gain);
    }
}

void explain_lift(const struct explained *l, struct document *d)
{
    struct text words = {.arena = d->arena};
    if (l->row && explain_top(&l->now)->verdict.kind == VERDICT_VIOLATES) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT,
                     "Nothing is advised: a ceiling that is broken says nothing of what would lift "
                     "it.");
        return;
    }
    for (int where = RELIEF_CODE; where <= RELIEF_MEMORY; where++) {
        relief_words(l, (enum relief_where)where, &words);
    }
    if (l->reliefs.n) {
        document_add(d, BLOCK_ITEM, TONE_GOOD, "What would lift its ceiling of %s most: %s.",
                     explain_giga(explain_top(&l->now)->ceiling.rate, d->arena),
                     words.len ? words.data : "no single change, since several rows bind at once");
    }
}

/* Reliefs that change something as a table, the others by name. */
void explain_sensitivity(const struct explained *l, struct document *d)
{
    static const char *const titles[] = {"where", "what if there were", ">ceiling", ">gain %"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    struct text idle = {.arena = d->arena};
    for (int i = 0; i < l->reliefs.n; i++) {
        const struct relief *r = &l->reliefs.list[i];
        if (fabs(r->gain) < RELIEF_GAIN_MIN) {
            text_add(&idle, "%s%s", idle.len ? "; " : "", r->what);
            continue;
        }
        cell(t, relief_where_names[r->where]);
        cell(t, r->what);
        cell_giga(t, r->rate);
        table_cell(t, r->gain > 0 ? TONE_GOOD : TONE_PLAIN, "%+.1f", 100 * r->gain);
    }
    document_table(d, t);
    if (idle.len) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN, "Nothing is gained, by itself, from %s.",
                     idle.data);
    }
}

/* --- what if --- */

/* What the latencies allow so many chains, which the curve does not see. */
static void chains_then(const struct explained *l, struct document *d)
{
    const struct subject *before = &l->now.subject, *after = &l->then.subject;
    struct chain_link was, is;
    if (!chain_link_find(before->evidence, before->kernel, before->isa, &was) ||
        !chain_link_find(after->evidence, after->kernel, after->isa, &is)) {
        return;
    }
    const double allowed_before = chain_link_allows(&was, was.chains, was.latency);
    const double allowed_after = chain_link_allows(&is, is.chains, is.latency);
    document_add(
        d, BLOCK_ITEM, TONE_PLAIN,
        "By latency alone %g chains of %g cycles allow %.2f of the compute roof (before: %g "
        "of %g, %.2f).",
        is.chains, is.latency, allowed_after, was.chains, was.latency, allowed_before);
}

void explain_what_if(const struct explained *l, struct document *d)
{
    const char *titles[] = {
        arena_format(d->arena, "what if, %s", explain_unit(l->now.subject.kernel)),
        ">alone before",
        ">after",
        ">ceiling before",
        ">after",
        ">ratio"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int r = 0; r < RUNGS; r++) {
        const struct rung *before = &l->now.ladder.rungs[r], *after = &l->then.ladder.rungs[r];
        table_cell(t, TONE_PLAIN, "%s%s", r ? "+ " : "", rung_names[r]);
        cell_maybe(t, before->own.rate, cell_giga);
        cell_maybe(t, after->own.rate, cell_giga);
        cell_maybe(t, before->ceiling.rate, cell_giga);
        cell_maybe(t, after->ceiling.rate, cell_giga);
        cell_maybe(t, after->ceiling.rate / before->ceiling.rate, cell_ratio);
    }
    document_table(d, t);
    const struct ceiling *after = &explain_top(&l->then)->ceiling;
    document_add(d, BLOCK_ITEM, TONE_PLAIN, "What binds then: %s%s.",
                 isnan(after->rate) ? "not known: " : after->binds,
                 isnan(after->rate) ? l->then.ceilings[MODEL_ROOFLINE].missing : "");
    chains_then(l, d);
}
