/* Format gambrel-explain-1.  Base units; what is not known is null. */
#include "compare/explain.h"
#include "compare/json.h"

#include <math.h>

static void add_place(struct text *out, struct loc loc)
{
    json_string(out, "file", loc.line ? loc.file : NULL);
    json_number(out, "line", loc.line ? loc.line : (double)NAN);
}

static void add_rung(struct text *out, const struct explained *l, int r, bool changed)
{
    const struct rung *rung = &l->now.ladder.rungs[r];
    json_string(out, "rung", rung_names[r]);
    json_number(out, "alone", rung->own.rate);
    json_number(out, "ceiling", rung->ceiling.rate);
    json_number(out, "low", rung->ceiling.low);
    json_number(out, "high", rung->ceiling.high);
    json_number(out, "measured_over",
                l->row ? l->row->measured.rate / rung->ceiling.rate : (double)NAN);
    json_number(out, "closes", l->row ? rung->closes : (double)NAN);
    json_string(out, "verdict", l->row ? verdict_names[rung->verdict.kind] : NULL);
    json_string(out, "binds", rung->own.binds[0] ? rung->own.binds : NULL);
    json_string(out, "missing", rung->own.missing[0] ? rung->own.missing : NULL);
    add_place(out, rung->own.loc);
    if (changed) {
        json_number(out, "what_if", l->then.ladder.rungs[r].ceiling.rate);
    }
    text_add(out, "}");
}

static void add_reliefs(struct text *out, const struct reliefs *r)
{
    json_key(out, "reliefs");
    text_add(out, "[");
    for (int i = 0; i < r->n; i++) {
        json_element(out, i);
        json_string(out, "where", relief_where_names[r->list[i].where]);
        json_string(out, "what", r->list[i].what);
        json_number(out, "ceiling", r->list[i].rate);
        json_number(out, "gain", r->list[i].gain);
        json_string(out, "binds", r->list[i].binds);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_ladder(struct text *out, const struct explanation *x, const struct explained *l)
{
    const struct subject *s = &l->now.subject;
    const struct ladder *ladder = &l->now.ladder;
    json_string(out, "level", s->level);
    json_number(out, "threads", s->threads);
    json_string(out, "unit", s->kernel->unit);
    json_number(out, "measured", l->row ? l->row->measured.rate : (double)NAN);
    json_number(out, "cv", l->row ? l->row->measured.cv : (double)NAN);
    json_boolean(out, "disturbed", l->row && l->row->measured.disturbed);
    json_number(out, "clock_hz", l->now.clock.hz);
    json_number(out, "core_cycles_per_iter", l->now.mix.cycles_per_iter);
    json_string(out, "explained_by",
                l->row && ladder->explains >= 0 ? rung_names[ladder->explains] : NULL);
    json_number(out, "unexplained", l->row ? ladder->unexplained : (double)NAN);
    json_key(out, "rungs");
    text_add(out, "[");
    for (int r = 0; r < RUNGS; r++) {
        json_element(out, r);
        add_rung(out, l, r, x->wish.n_changes > 0);
    }
    text_add(out, "]");
    add_reliefs(out, &l->reliefs);
    text_add(out, "}");
}

void explain_json(const struct explanation *x, struct text *out)
{
    const struct machine *m = x->comparison->machine;
    text_add(out, "{");
    json_string(out, "format", "gambrel-explain-1");
    json_string(out, "kernel", x->wish.kernel->name);
    json_string(out, "formula", x->wish.kernel->formula);
    json_string(out, "isa", x->wish.isa);
    json_string(out, "machine", m ? m->name : NULL);
    json_string(out, "run", x->comparison->run->file);
    json_key(out, "ladders");
    text_add(out, "[");
    for (int i = 0; i < x->n_ladders; i++) {
        json_element(out, i);
        add_ladder(out, x, &x->ladders[i]);
    }
    text_add(out, "]}\n");
}
