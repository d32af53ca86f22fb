#include "compare/sections.h"

#include <math.h>
#include <string.h>

void section_compute_roofs(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"roof",  "isa", ">threads",     ">GFLOP/s",
                                         ">cv %", ">n",  ">other round", "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_roofs; i++) {
        const struct roof *r = &c->roofs[i];
        if (is_memory_unit(r->unit)) {
            continue;
        }
        cell(t, r->name);
        cell(t, r->isa);
        table_cell(t, TONE_PLAIN, "%d", r->threads);
        cell_giga(t, r->rate);
        cell_spread(t, &c->roofs_measured[i]);
        cell_maybe(t, r->other, cell_giga);
        cell_remark(t, &c->roofs_measured[i], c->roof_details[i].from_machine);
    }
    if (table_rows(t) > 0) {
        const char *isa = table_fold(t, "isa");
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Compute roofs%s%s", isa, fold_spread(t));
        document_table(d, t);
    }
}

/* The compute roof that ridge points are given against: that of the first kernel which has one. */
static const char *ridge_roof(const struct comparison *c)
{
    for (int i = 0; i < c->n_rows; i++) {
        if (c->rows[i].kernel && c->rows[i].kernel->compute_roof) {
            return c->rows[i].kernel->compute_roof;
        }
    }
    return NULL;
}

static double ridge_of(const struct comparison *c, const struct roof *r, const char *compute)
{
    const struct roof *top =
        compute ? roof_find(c->roofs, c->n_roofs, compute, r->isa, "L1", r->threads) : NULL;
    return top ? top->rate / r->rate : (double)NAN;
}

static void memory_roof_row(const struct comparison *c, int i, const char *compute, struct table *t)
{
    const struct roof *r = &c->roofs[i];
    cell(t, r->name);
    cell(t, r->isa);
    cell(t, r->level);
    table_cell(t, TONE_PLAIN, "%d", r->threads);
    cell_bytes(t, c->roofs_measured[i].array_bytes);
    cell_giga(t, r->rate);
    cell_with_fetch(t, c, r->rate, c->roof_details[i].rate_with_fetch);
    cell_spread(t, &c->roofs_measured[i]);
    cell_maybe(t, r->other, cell_giga);
    cell_maybe(t, ridge_of(c, r, compute), cell_ratio);
    cell_remark(t, &c->roofs_measured[i], c->roof_details[i].from_machine);
}

static void write_conventions(const struct comparison *c, const char *compute, struct document *d)
{
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "GB/s: bytes as the formula names them, and with the fetch of lines that are "
                 "overwritten (= none is). Does this machine fetch them? %s: %s.",
                 c->write_allocates < 0 ? "Unknown"
                 : c->write_allocates   ? "Yes"
                                        : "No",
                 c->write_allocates_why);
    if (compute) {
        document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                     "ridge: flops per counted byte where the roof meets the %s roof.", compute);
    }
}

/* Mixes that serve the mapping of streams and no kernel of the run. */
static bool is_further(const struct comparison *c, const struct roof *r)
{
    static const char *const main_mixes[] = {"read",   "copy",    "triad",  "fill",
                                             "update", "fill_nt", "copy_nt"};
    for (int i = 0; i < COUNT(main_mixes); i++) {
        if (strcmp(r->name, main_mixes[i]) == 0) {
            return false;
        }
    }
    for (int i = 0; i < c->n_rows; i++) {
        const struct kernel *k = c->rows[i].kernel;
        if (k && k->roof && strcmp(k->roof, r->name) == 0) {
            return false;
        }
    }
    return true;
}

/* A group of rows for each level and thread count. */
static struct table *memory_table(const struct comparison *c, bool further, const char *compute,
                                  struct document *d)
{
    static const char *const titles[] = {"roof",    "isa",          "level",       ">threads",
                                         ">arrays", ">as counted",  ">with fetch", ">cv %",
                                         ">n",      ">other round", ">ridge",      "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    const struct roof *before = NULL;
    for (int i = 0; i < c->n_roofs; i++) {
        const struct roof *r = &c->roofs[i];
        if (!is_memory_unit(r->unit) || is_further(c, r) != further) {
            continue;
        }
        if (before && (before->threads != r->threads || strcmp(before->level, r->level) != 0)) {
            table_gap(t);
        }
        memory_roof_row(c, i, compute, t);
        before = r;
    }
    return t;
}

void section_memory_roofs(const struct comparison *c, struct document *d)
{
    const char *compute = ridge_roof(c);
    struct table *t = memory_table(c, false, compute, d);
    if (table_rows(t) > 0) {
        const char *isa = table_fold(t, "isa");
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Memory roofs%s%s", isa, fold_spread(t));
        write_conventions(c, compute, d);
        document_table(d, t);
    }
}

void section_further_mixes(const struct comparison *c, struct document *d)
{
    struct table *t = memory_table(c, true, ridge_roof(c), d);
    if (table_rows(t) > 0) {
        const char *isa = table_fold(t, "isa");
        document_add(d, BLOCK_HEADING, TONE_PLAIN,
                     "Further mixes, for the mapping of streams alone%s%s", isa, fold_spread(t));
        document_table(d, t);
    }
}
