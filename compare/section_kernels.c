#include "compare/sections.h"

#include <math.h>
#include <string.h>

static const enum tone verdict_tones[] = {
    [VERDICT_NONE] = TONE_DOUBT,   [VERDICT_BOUND] = TONE_GOOD,   [VERDICT_NOISY] = TONE_DOUBT,
    [VERDICT_MISSES] = TONE_PLAIN, [VERDICT_VIOLATES] = TONE_BAD,
};

/* The two models of which the other rungs are refinements: roofline and ports. */
enum { N_SIDE_BY_SIDE = MODEL_PORTS + 1 };

static void cell_verdict(struct table *t, const struct comparison *c, const struct row *row)
{
    const struct rung *r = row_explanation(row);
    const struct verdict *v = r ? &r->verdict : &row->verdicts[MODEL_ROOFLINE];
    struct text words = {.arena = t->arena};
    row_words(c, row, &words);
    table_cell(t, v->doubtful ? TONE_DOUBT : verdict_tones[v->kind], "%s%s", words.data,
               row->measured.derived ? " (derived)" : "");
}

static void kernel_row(const struct comparison *c, const struct row *row, struct table *t)
{
    cell(t, row->name);
    cell(t, row->isa);
    table_cell(t, TONE_PLAIN, "%d", row->threads);
    cell(t, row->level);
    cell_giga(t, row->measured.rate);
    cell(t, is_memory_unit(row->unit) ? "GB/s" : "GFLOP/s");
    cell_spread(t, &row->measured);
    for (int m = 0; m < N_SIDE_BY_SIDE; m++) {
        cell_giga(t, row->ceilings[m].rate);
        cell_number(t, row->measured.rate / row->ceilings[m].rate, 2);
    }
    cell(t, row_tighter(row));
    cell_maybe(t, row->over_l1, cell_ratio);
    cell_verdict(t, c, row);
}

static struct table *kernel_table(struct arena *a)
{
    static const char *const before[] = {"kernel",    "isa",  ">threads", "level",
                                         ">measured", "unit", ">cv %",    ">n"};
    static const char *const after[] = {"tighter", ">of L1", "verdict"};
    const char *titles[COUNT(before) + 2 * N_SIDE_BY_SIDE + COUNT(after)];
    int n = 0;
    for (int i = 0; i < COUNT(before); i++) {
        titles[n++] = before[i];
    }
    for (int m = 0; m < N_SIDE_BY_SIDE; m++) {
        titles[n++] = arena_format(a, ">%s", models[m].name);
        titles[n++] = ">ratio";
    }
    for (int i = 0; i < COUNT(after); i++) {
        titles[n++] = after[i];
    }
    return table_new(a, titles, n);
}

void section_kernels(const struct comparison *c, struct document *d)
{
    struct table *t = kernel_table(d->arena);
    for (int i = 0; i < c->n_rows; i++) {
        kernel_row(c, &c->rows[i], t);
    }
    const char *isa = table_fold(t, "isa");
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Kernels%s%s", isa, table_fold(t, "unit"));
    if (c->n_rows == 0) {
        document_add(d, BLOCK_SENTENCE, TONE_DOUBT, "The run measured no kernel.");
        return;
    }
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "Medians; ratio: measured over the ceiling before it; tighter: which of the two "
                 "ceilings is lower; of L1: over the same kernel from L1.");
    document_table(d, t);
}

void section_traffic(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",     "isa",     ">threads",    "level",
                                         ">flop/byte", ">arrays", ">as counted", ">with fetch"};
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
        cell_giga(t, row->traffic);
        cell_with_fetch(t, c, row->traffic, row->traffic_with_fetch);
    }
    if (table_rows(t) > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Traffic%s", table_fold(t, "isa"));
        document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                     "GB/s that the measured rates mean, as the formula counts them and with the "
                     "fetch of overwritten lines.");
        document_table(d, t);
    }
}

static void model_row(struct table *t, const char *name, const struct accuracy *a, const char *what)
{
    cell(t, name);
    table_cell(t, TONE_PLAIN, "%d of %d", a->n, a->n_measured);
    cell_percent(t, a->mape);
    cell_percent(t, a->rms);
    cell_ratio(t, a->kendall_tau);
    cell_percent(t, a->coverage);
    cell(t, what);
}

void section_models(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"model",        ">rows",       ">MAPE %",   ">RMS %",
                                         ">Kendall tau", ">coverage %", "what it is"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int m = 0; m < n_models; m++) {
        model_row(t, models[m].name, &c->accuracy[m], models[m].what);
        if (c->accuracy_quiet[m].n_measured < c->accuracy[m].n_measured) {
            model_row(t, "", &c->accuracy_quiet[m], "undisturbed rows only");
        }
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "How good the models are");
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "Predicted against measured; a row without a prediction counts against coverage.");
    document_table(d, t);
}
