#include "compare/cells.h"
#include "compare/explain_parts.h"
#include "compare/order.h"

#include <math.h>
#include <string.h>

/* What may stay unexplained before it is said loudly, as in the report. */
static double quiet_part(const struct climb *c)
{
    return same_text(c->subject.level, "L1") ? 0.05 : 0.10;
}

const char *explain_giga(double rate, struct arena *a)
{
    return isnan(rate) ? "unknown" : arena_format(a, rate < 10e9 ? "%.2f" : "%.1f", rate / 1e9);
}

const struct rung *explain_top(const struct climb *c)
{
    return &c->ladder.rungs[RUNGS - 1];
}

/* --- the table --- */

static const char *gap_words(const struct explained *l, struct arena *a)
{
    const struct verdict *v = &l->now.ladder.rungs[RUNG_MEMORY].verdict;
    switch (v->kind) {
    case VERDICT_MISSES:
        return arena_format(a, "<- roofline: misses by %.0f %%", 100 * v->by);
    case VERDICT_VIOLATES:
        return arena_format(a, "<- roofline: VIOLATED by %.0f %%", 100 * v->by);
    case VERDICT_BOUND:
        return "<- roofline: holds";
    case VERDICT_NOISY:
        return "<- roofline: too uncertain to tell";
    default:
        return "";
    }
}

static const char *remark(const struct explained *l, int r, struct arena *a)
{
    const struct ladder *ladder = &l->now.ladder;
    const struct rung *rung = &ladder->rungs[r];
    if (!rung->known) {
        return same_text(rung->own.missing, "from L1 nothing streams") ? "from L1 nothing streams"
                                                                       : "not known, see below";
    }
    if (r == RUNG_MEMORY && l->row) {
        return gap_words(l, a);
    }
    return !l->row || ladder->explains != r      ? ""
           : rung->verdict.kind == VERDICT_BOUND ? "<- explains the measurement"
                                                 : "<- nearest to the measurement";
}

static void rung_row(struct table *t, const struct explained *l, int r)
{
    const struct rung *rung = &l->now.ladder.rungs[r];
    const bool violated = rung->verdict.kind == VERDICT_VIOLATES;
    table_cell(t, TONE_PLAIN, "%s%s", r ? "+ " : "", rung_names[r]);
    cell_maybe(t, rung->own.rate, cell_giga);
    cell_maybe(t, rung->ceiling.rate, cell_giga);
    cell_maybe(t, rung->ceiling.rate / l->now.ladder.rungs[RUNG_COMPUTE].ceiling.rate, cell_ratio);
    if (l->row && !isnan(rung->ceiling.rate)) {
        table_cell(t, violated ? TONE_BAD : TONE_PLAIN, "%.2f",
                   l->row->measured.rate / rung->ceiling.rate);
    } else {
        cell(t, "-");
    }
    if (l->row && rung->known && r > RUNG_MEMORY) {
        table_cell(t, TONE_PLAIN, "%.0f", fabs(rung->closes) < 0.005 ? 0 : 100 * rung->closes);
    } else {
        cell(t, "-");
    }
    table_cell(t, violated ? TONE_BAD : TONE_PLAIN, "%s", remark(l, r, t->arena));
}

static void ladder_table(const struct explained *l, struct document *d)
{
    const char *unit = explain_unit(l->now.subject.kernel);
    const char *titles[] = {arena_format(d->arena, "rung, %s", unit),
                            ">alone",
                            ">ceiling",
                            ">of compute",
                            ">measured",
                            ">closed",
                            ""};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int r = 0; r < RUNGS; r++) {
        rung_row(t, l, r);
    }
    t->columns[4].hidden = t->columns[5].hidden = !l->row;
    if (l->row && !isnan(l->now.ladder.unexplained)) {
        const double left = l->now.ladder.unexplained;
        cell(t, "left unexplained");
        cell(t, "");
        cell(t, "");
        cell(t, "");
        table_cell(t, fabs(left) > quiet_part(&l->now) ? TONE_BAD : TONE_PLAIN, "%.2f", left);
        cell(t, "");
        cell(t, "");
    }
    document_table(d, t);
}

/* --- verdicts --- */

static const char *blind_spot(const struct explained *l)
{
    static const char *const words[RUNGS] = {
        [RUNG_COMPUTE] = "no rung knows what slows it",
        [RUNG_MEMORY] = "no rung knows what slows it",
        [RUNG_PORTS] = "it counts flops and bytes, not the instructions they take",
        [RUNG_CHAINS] = "it takes for granted that enough operations are in flight",
        [RUNG_STREAMS] = "its memory roof is that of another mix of streams",
    };
    return words[l->now.ladder.explains];
}

static void say_roofline(const struct explained *l, struct document *d)
{
    const struct rung *r = &l->now.ladder.rungs[RUNG_MEMORY];
    if (r->verdict.kind == VERDICT_MISSES) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN, "The roofline (%s) misses by %.0f %%: %s.",
                     r->ceiling.binds, 100 * r->verdict.by, blind_spot(l));
    }
}

static void stream_words(const struct kernel *k, struct text *out)
{
    double lines[STREAM_KINDS];
    streams_of_kernel(k, lines);
    for (int i = 0; i < STREAM_KINDS; i++) {
        if (lines[i] > 0) {
            text_add(out, "%s%s %g", out->len ? ", " : "", stream_names[i], lines[i]);
        }
    }
}

/* Is there a roof of that level that moves lines of this kind? */
static bool kind_measured(const struct climb *c, enum stream_kind kind)
{
    const struct evidence *ev = c->subject.evidence;
    for (int i = 0; i < ev->n_roofs; i++) {
        const struct kernel *k = ev->roof_details[i].described;
        for (int s = 0; k && s < k->n_streams && same_text(ev->roofs[i].level, c->subject.level);
             s++) {
            if (k->streams[s].kind == kind) {
                return true;
            }
        }
    }
    return false;
}

static const char *unmeasured_words(const struct climb *c, struct arena *a)
{
    double lines[STREAM_KINDS];
    streams_of_kernel(c->subject.kernel, lines);
    for (int i = 0; i < STREAM_KINDS; i++) {
        if (lines[i] > 0 && !kind_measured(c, (enum stream_kind)i)) {
            return arena_format(a, " No roof of this run moves %s lines: measure one that does.",
                                stream_names[i]);
        }
    }
    return "";
}

/* Whose lines the matched roof moves, and whose the kernel does. */
static const char *mixes_words(const struct explanation *x, const struct climb *c, struct arena *a)
{
    const struct kernel *k = x->wish.kernel;
    const struct kernel *roof =
        k->roof ? kernels_find(x->comparison->evidence->kernels, k->roof) : NULL;
    struct text own = {.arena = a}, of_roof = {.arena = a};
    if (!roof) {
        return "";
    }
    stream_words(k, &own);
    stream_words(roof, &of_roof);
    const double counted = kernel_bytes_counted(roof) / kernel_bytes_counted(k);
    const double fetched = kernel_bytes_with_fetch(roof) / kernel_bytes_with_fetch(k);
    const char *fetch =
        x->comparison->write_allocates == 1
            ? arena_format(a,
                           "lines are fetched before they are overwritten, so the roof moves "
                           "%.2f times the bytes that the formulas say",
                           fetched / counted)
        : x->comparison->write_allocates == 0
            ? arena_format(a,
                           "this machine does not fetch lines before it overwrites them, so the "
                           "roof moves %.2f times the bytes%s",
                           counted, fabs(counted - 1) < 0.005 ? ": they do not explain it" : "")
            : "whether overwritten lines are fetched first is not known";
    return arena_format(a, " Lines of a step: %s %s; %s %s; %s.%s", k->name, own.data, roof->name,
                        of_roof.data, fetch, unmeasured_words(c, a));
}

static void say_violated(const struct explanation *x, const struct explained *l, struct document *d)
{
    for (int m = 0; m < n_models; m++) {
        const struct verdict *v = &l->row->verdicts[m];
        if (v->kind != VERDICT_VIOLATES || m == MODEL_ALL) {
            continue;
        }
        document_add(d, BLOCK_ITEM, TONE_BAD, "%s: it runs at %.2f times the %s ceiling (%s)%s.%s",
                     v->doubtful ? "Above a bound, but disturbed" : "VIOLATED BOUND", 1 + v->by,
                     models[m].name, l->row->ceilings[m].binds,
                     v->doubtful ? "" : ": the description is wrong, not the loop",
                     m == MODEL_ROOFLINE && strcmp(l->now.subject.level, "L1") != 0
                         ? mixes_words(x, &l->now, d->arena)
                         : "");
    }
}

/* Does the measurement lie where only the doubt about the ceiling could explain it? */
static bool between(double rate, const struct rung *r)
{
    return rate >= r->ceiling.low && rate <= r->ceiling.rate;
}

static void say_binding(const struct explained *l, struct document *d)
{
    const struct ladder *ladder = &l->now.ladder;
    const struct rung *r =
        l->row && ladder->explains >= 0 ? &ladder->rungs[ladder->explains] : explain_top(&l->now);
    const double rate = l->row ? l->row->measured.rate : (double)NAN;
    if (isnan(r->ceiling.rate)) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "No ceiling is known.");
        return;
    }
    document_add(d, BLOCK_ITEM, TONE_PLAIN, "What %s: %s%s.",
                 r->verdict.kind == VERDICT_VIOLATES ? "was said to bind" : "binds",
                 r->ceiling.binds, explain_place(r->ceiling.loc, d->arena));
    if (r->ceiling.low < 0.95 * r->ceiling.rate) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "That ceiling lies somewhere between %s and %s%s.",
                     explain_giga(r->ceiling.low, d->arena),
                     explain_giga(r->ceiling.rate, d->arena),
                     isnan(rate)        ? ""
                     : between(rate, r) ? ", and so does the measurement"
                                        : "; the measurement lies outside");
    }
}

/* How busy the core is at the measured rate. */
static void say_busy(const struct explained *l, struct document *d)
{
    const struct climb *c = &l->now;
    const struct machine *m = c->subject.evidence->machine;
    if (!l->row || *c->mix.missing || isnan(c->clock.hz) || !(c->mix.cycles_per_iter > 0)) {
        return;
    }
    const double bound = c->mix.rate * c->clock.hz;
    const double cycles = c->mix.cycles_per_iter * bound / l->row->measured.rate;
    document_add(d, BLOCK_ITEM, TONE_PLAIN,
                 "At the measured rate an iteration takes %.4g cycles, of which the core's bound "
                 "needs %.0f %%%s (clock %.3g GHz: %s).",
                 cycles, 100 * c->mix.cycles_per_iter / cycles,
                 isnan(m->dispatch_width)
                     ? ""
                     : arena_format(d->arena, "; the front end brings %.2g of %g slots a cycle",
                                    c->mix.cost.slots / cycles, m->dispatch_width),
                 c->clock.hz / 1e9, c->clock.why);
}

/* What would have to be otherwise to bring the ceiling down to the measurement: no explanation, but
 * what one would have to contradict. */
static const char *suspects(const struct explained *l, struct arena *a)
{
    const struct climb *c = &l->now;
    const struct machine *m = c->subject.evidence->machine;
    const double slots = l->row->measured.rate / (c->mix.rate * c->clock.hz) * c->mix.cost.slots /
                         c->mix.cycles_per_iter;
    struct text out = {.arena = a};
    if (slots > 0.6 * m->dispatch_width) {
        text_add(&out,
                 " A front end of %.1f slots a cycle would account for all of it; the file "
                 "gives %g%s.",
                 slots, m->dispatch_width, explain_place(m->dispatch_width_loc, a));
    }
    const struct change slower = {CHANGE_CORE, "line_crossing_load_slots",
                                  m->line_crossing_load_slots + 1};
    struct climb then;
    struct err ignored = {0};
    if (whatif_climb(&c->subject, &slower, 1, &then, &ignored) &&
        explain_top(&then)->ceiling.rate < 0.995 * explain_top(c)->ceiling.rate) {
        const double part = l->row->measured.rate / explain_top(&then)->ceiling.rate;
        text_add(&out,
                 " If a load that crosses a line took %g load slots, not %g, the ceiling were "
                 "%s, %s.",
                 slower.value, m->line_crossing_load_slots,
                 explain_giga(explain_top(&then)->ceiling.rate, a),
                 part > 1.02   ? "which the measurement exceeds, so it is not that"
                 : part > 0.98 ? "which would account for it"
                               : "which would account for a part");
    }
    return out.len ? out.data : "";
}

static void say_left(const struct explained *l, struct document *d)
{
    const struct climb *c = &l->now;
    const double left = c->ladder.unexplained;
    if (left > quiet_part(c)) {
        const double turns = l->row->measured.rate / c->ladder.in_turn;
        const bool may_be = between(l->row->measured.rate, &c->ladder.rungs[c->ladder.explains]);
        document_add(d, BLOCK_ITEM,
                     c->ladder.rungs[c->ladder.explains].verdict.doubtful ? TONE_DOUBT : TONE_BAD,
                     "UNEXPLAINED: %s%.0f %%%s.%s%s", may_be ? "up to " : "", 100 * left,
                     may_be ? ", or nothing if the ceiling is at the lower end of its doubt"
                            : " below the nearest ceiling",
                     fabs(turns - 1) < 0.05
                         ? " That is as slow as if core and memory took turns instead of "
                           "overlapping."
                         : "",
                     *c->mix.missing || isnan(c->clock.hz) ? "" : suspects(l, d->arena));
    }
    if (l->row->measured.disturbed) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT,
                     "The measurement was disturbed%s%s: what it leaves may be noise.",
                     l->row->measured.why[0] ? ": " : "", l->row->measured.why);
    }
}

static double slots_per_element(const struct kernel_ceiling *mix)
{
    return mix->cost.slots / mix->cycles_per_iter * mix->cycles_per_element;
}

/* Other loops of the same formula, measured at the same place. */
static void say_siblings(const struct explanation *x, const struct explained *l, struct document *d)
{
    const struct comparison *c = x->comparison;
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        struct kernel_ceiling mix;
        if (!r->kernel || r->kernel == x->wish.kernel || r->threads != l->row->threads ||
            !same_text(r->kernel->formula, x->wish.kernel->formula) ||
            !same_text(r->isa, l->row->isa) || !same_text(r->level, l->row->level)) {
            continue;
        }
        const bool known =
            !*l->now.mix.missing && evidence_mix(c->evidence, r->kernel, r->isa, 1, 1, &mix);
        document_add(d, BLOCK_ITEM, TONE_PLAIN,
                     "It runs at %.2f of the rate of %s, the same formula%s.",
                     l->row->measured.rate / r->measured.rate, r->name,
                     known ? arena_format(d->arena, ", with %.2f times the dispatch slots",
                                          slots_per_element(&l->now.mix) / slots_per_element(&mix))
                           : "");
    }
}

static void say_unknown(const struct explained *l, struct document *d)
{
    for (int r = 0; r < RUNGS; r++) {
        const struct rung *rung = &l->now.ladder.rungs[r];
        const bool same = r > 0 && rung_models[r] == rung_models[r - 1];
        if (!rung->known && !same && strcmp(rung->own.missing, "from L1 nothing streams") != 0) {
            document_add(d, BLOCK_ITEM, TONE_DOUBT, "Not known, %s: %s.", rung_names[r],
                         rung->own.missing);
        }
    }
}

/* --- all of it --- */

static const char *measured_words(const struct explained *l, struct arena *a)
{
    const struct row *row = l->row;
    if (!row) {
        return "nothing measured";
    }
    return arena_format(a, "%s %s measured (%s%s)", explain_giga(row->measured.rate, a),
                        explain_unit(row->kernel),
                        row->measured.n ? arena_format(a, "%d passes, cv %.1f %%", row->measured.n,
                                                       100 * row->measured.cv)
                        : isnan(row->measured.cv)
                            ? "published, spread not given"
                            : arena_format(a, "published, cv %.1f %%", 100 * row->measured.cv),
                        row->measured.derived ? ", derived" : "");
}

void explain_ladder(const struct explanation *x, const struct explained *l, struct document *d)
{
    const struct subject *s = &l->now.subject;
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "%s, %s, %s: %s", s->kernel->name,
                 threads_words(s->threads, d->arena), s->level, measured_words(l, d->arena));
    ladder_table(l, d);
    if (l->row) {
        say_violated(x, l, d);
        if (l->now.ladder.explains >= 0) {
            say_roofline(l, d);
        }
    }
    say_binding(l, d);
    say_busy(l, d);
    if (l->row) {
        say_left(l, d);
        say_siblings(x, l, d);
    }
    say_unknown(l, d);
    explain_lift(l, d);
    if (x->wish.sensitivity) {
        explain_sensitivity(l, d);
    }
    if (x->wish.n_changes) {
        explain_what_if(l, d);
    }
}

void explain_words(const struct explanation *x, struct document *out)
{
    const struct kernel *k = x->wish.kernel;
    document_add(out, BLOCK_TITLE, TONE_PLAIN, "%s: %s", k->name, k->formula);
    document_add(out, BLOCK_SENTENCE, TONE_PLAIN,
                 "A ladder puts one ceiling after the other over the loop. alone: of what the rung "
                 "adds; ceiling: the least of all up to it (streams take the place of the memory "
                 "roof); of compute: over the compute roof; measured: over the ceiling; closed: "
                 "points of the gap that the rung closes.");
    explain_loop(x, out);
    explain_chains(x, out);
    for (int i = 0; i < x->n_ladders; i++) {
        explain_ladder(x, &x->ladders[i], out);
    }
}
