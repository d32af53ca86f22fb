#include "compare/sections.h"

#include <math.h>
#include <string.h>

static const enum tone verdict_tones[] = {
    [VERDICT_NONE] = TONE_DOUBT,   [VERDICT_BOUND] = TONE_GOOD,   [VERDICT_NOISY] = TONE_DOUBT,
    [VERDICT_MISSES] = TONE_PLAIN, [VERDICT_VIOLATES] = TONE_BAD,
};

/* The two models of which the other rungs are refinements: roofline and ports. */
enum { N_SIDE_BY_SIDE = MODEL_PORTS + 1 };

/* What explains what the roofline misses. */
static void ladder_says(const struct row *row, struct text *out)
{
    static const char *const subjects[RUNGS] = {
        [RUNG_PORTS] = "ports", [RUNG_CHAINS] = "chains", [RUNG_STREAMS] = "streams"};
    const enum verdict_kind roofline = row->verdicts[MODEL_ROOFLINE].kind;
    const struct rung *r = row_explanation(row);
    if (!r || roofline == VERDICT_BOUND) {
        return;
    }
    const char *who = subjects[row->ladder.explains];
    const double left = row->ladder.unexplained;
    const bool much_left = fabs(left) > quiet_part(row);
    if (!who) {
        text_add(out, "%s", roofline == VERDICT_MISSES && much_left ? "; nothing explains" : "");
    } else if (r->verdict.kind == VERDICT_BOUND) {
        text_add(out, "; %s explain", who);
    } else if (r->verdict.kind == VERDICT_NOISY) {
        text_add(out, "; %s may explain", who);
    } else {
        text_add(out, "; %s %s %.0f %%", who,
                 !much_left ? "explain all but"
                 : left > 0 ? "leave"
                            : "exceeded by",
                 100 * fabs(left));
    }
}

static void cell_verdict(struct table *t, const struct comparison *c, const struct row *row)
{
    const struct verdict *v = &row->verdicts[MODEL_ROOFLINE];
    const struct verdict_style style = {.missing = "no roofline", .above = "violated by"};
    const struct ceiling *ports = &row->ceilings[MODEL_PORTS];
    const struct rung *r = row_explanation(row);
    struct text words = {.arena = t->arena};
    verdict_short_words(v, &row->ceilings[MODEL_ROOFLINE], style, &words);
    ladder_says(row, &words);
    if (row->kernel && c->evidence->costs && ports->missing[0]) {
        text_add(&words, " %s",
                 table_footnote(t, arena_format(t->arena, "no ports: %s", ports->missing)));
    }
    text_add(&words, "%s", disturbed_mark(t, &row->measured));
    if (row->ceilings[MODEL_ROOFLINE].disturbed || (r && r->ceiling.disturbed)) {
        text_add(&words, " %s", table_footnote(t, "the roof was disturbed"));
    }
    if (row->measured.derived) {
        text_add(&words, " %s", table_footnote(t, "derived: computed from other published values"));
    }
    table_cell(t, v->doubtful ? TONE_DOUBT : verdict_tones[v->kind], "%s", words.data);
}

/* A ceiling in 1e9 of the unit, with a star if it is the tighter one, and the ratio to it. */
static void cell_ceiling(struct table *t, const struct row *row, int model)
{
    const double rate = row->ceilings[model].rate;
    const char *tighter = row_tighter(row);
    if (isnan(rate)) {
        cell(t, "-");
        cell(t, "-");
        return;
    }
    const bool star = strcmp(tighter, models[model].name) == 0 || strcmp(tighter, "both") == 0;
    table_cell(t, TONE_PLAIN, "%.*f%s", rate < 10e9 ? 2 : 1, rate / 1e9, star ? "*" : " ");
    cell_number(t, row->measured.rate / rate, 2);
}

static void kernel_row(const struct comparison *c, const struct row *row, struct table *t)
{
    cell(t, row->name);
    cell(t, row->isa);
    table_cell(t, TONE_PLAIN, "%d", row->threads);
    cell(t, row->level);
    cell_median(t, &row->measured);
    cell(t, is_memory_unit(row->unit) ? "GB/s" : "GFLOP/s");
    cell_passes(t, &row->measured);
    for (int m = 0; m < N_SIDE_BY_SIDE; m++) {
        cell_ceiling(t, row, m);
    }
    cell_verdict(t, c, row);
}

void section_kernels(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",    "isa",    ">thr",   "level",
                                         ">measured", "unit",   ">n",     ">roofline",
                                         ">ratio",    ">ports", ">ratio", "verdict"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_rows; i++) {
        if (i > 0 && strcmp(c->rows[i].name, c->rows[i - 1].name) != 0) {
            table_gap(t);
        }
        kernel_row(c, &c->rows[i], t);
    }
    const char *isa = table_fold(t, "isa"), *unit = table_fold(t, "unit");
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Kernels%s%s%s", isa, unit, fold_spread(t));
    if (c->n_rows == 0) {
        document_add(d, BLOCK_SENTENCE, TONE_DOUBT, "The run measured no kernel.");
        return;
    }
    document_add(
        d, BLOCK_SENTENCE, TONE_PLAIN,
        "measured: the median, +- how far its 95 %% interval reaches; roofline, ports: what "
        "these models allow, * the tighter one; ratio: measured over it; verdict: by "
        "how much the roofline misses, the roof that binds it, and which rung of the ladder "
        "explains it, or leaves how much; thr: threads.");
    document_table(d, t);
}

/* How a kernel's streams compare with those of the roof it is held against. */
static const char *mix_words(const struct comparison *c, const struct row *row, struct arena *a)
{
    return arena_format(a, "%s %s", row_same_mix(c, row) ? "same" : "nearest", row->kernel->roof);
}

void section_traffic(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",      "isa",       ">threads", "level",
                                         ">flop/byte",  ">arrays",   "mix",      ">as counted",
                                         ">with fetch", ">over L1's"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (isnan(row->traffic)) {
            continue;
        }
        cell(t, row->name);
        cell(t, row->isa);
        table_cell(t, TONE_PLAIN, "%d", row->threads);
        cell(t, row->level);
        table_cell(t, TONE_PLAIN, "%.4g", row->kernel->intensity);
        cell_bytes(t, row->measured.array_bytes);
        cell(t, row->kernel->roof ? mix_words(c, row, d->arena) : "-");
        cell_giga(t, row->traffic);
        cell_with_fetch(t, c, row->traffic, row->traffic_with_fetch);
        cell_maybe(t, row->over_l1, cell_ratio);
    }
    if (table_rows(t) > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Traffic%s", table_fold(t, "isa"));
        document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                     "GB/s that the measured rates mean, as the formula counts them and with the "
                     "fetch of overwritten lines where that is more; mix: the memory roof it is "
                     "held against, and whether that walks the same streams; over L1's: over the "
                     "rate of the same kernel from L1.");
        document_table(d, t);
    }
}

static void model_row(struct table *t, const char *name, const char *from, const struct accuracy *a)
{
    cell(t, name);
    cell(t, from);
    cells_accuracy(t, a);
}

/* One model: all rows of a level, and the quiet ones where that is not all of them. */
static void model_rows(struct table *t, int m, const char *from, const struct accuracies *all,
                       const struct accuracies *quiet, bool first)
{
    if (all->of[m].n_measured > 0) {
        model_row(t, first ? models[m].name : "", from, &all->of[m]);
    }
    if (quiet->of[m].n_measured > 0 && quiet->of[m].n_measured < all->of[m].n_measured) {
        model_row(t, "", arena_format(t->arena, "%s, undisturbed", from), &quiet->of[m]);
    }
}

/* Which of the two models that are put side by side is nearer where memory has no say. */
static void compare_at_l1(const struct comparison *c, struct document *d)
{
    const double roofline = c->accuracy_l1.of[MODEL_ROOFLINE].mape,
                 ports = c->accuracy_l1.of[MODEL_PORTS].mape;
    if (isnan(roofline) || isnan(ports)) {
        return;
    }
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "At L1, where nothing waits for memory further out, the roofline misses by %.0f "
                 "%% in the mean and "
                 "ports by %.0f %%: %s.",
                 100 * roofline, 100 * ports,
                 ports < roofline   ? "ports predict better"
                 : roofline < ports ? "the roofline predicts better"
                                    : "they predict alike");
}

void section_models(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"model",  "rows from",    ">rows",      ">MAPE %",
                                         ">RMS %", ">Kendall tau", ">coverage %"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "How good the models are");
    compare_at_l1(c, d);
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN, "%s", accuracy_legend);
    for (int m = 0; m < n_models; m++) {
        table_gap(t);
        model_rows(t, m, "L1", &c->accuracy_l1, &c->accuracy_l1_quiet, true);
        model_rows(t, m, "beyond L1", &c->accuracy_beyond, &c->accuracy_beyond_quiet,
                   c->accuracy_l1.of[m].n_measured == 0);
    }
    document_table(d, t);
    for (int m = 0; m < n_models; m++) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN, "%s: %s", models[m].name, models[m].what);
    }
}
