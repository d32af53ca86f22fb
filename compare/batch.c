#include "compare/batch.h"

#include "base/items.h"
#include "compare/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Worst misses that are shown. */
enum { MISSES_SHOWN = 10 };

static int total_rows(const struct comparison *const *runs, int n)
{
    int rows = 0;
    for (int i = 0; i < n; i++) {
        rows += runs[i]->n_rows;
    }
    return rows;
}

/* The rows of all runs, one after the other. */
struct all_rows {
    const struct row **rows;
    int n;
};

static struct all_rows all_rows_of(const struct batch *b, struct arena *a)
{
    const size_t most = (size_t)total_rows(b->runs, b->n) + 1;
    struct all_rows all = {.rows = arena_new(a, const struct row *, most)};
    for (int i = 0; i < b->n; i++) {
        for (int r = 0; r < b->runs[i]->n_rows; r++) {
            all.rows[all.n++] = &b->runs[i]->rows[r];
        }
    }
    return all;
}

static void measure(const struct all_rows *all, enum rows_from from,
                    struct accuracy out[MODELS_MAX], struct arena *a)
{
    double *predicted = arena_new(a, double, (size_t)all->n + 1);
    double *measured = arena_new(a, double, (size_t)all->n + 1);
    for (int m = 0; m < n_models; m++) {
        int k = 0;
        for (int i = 0; i < all->n; i++) {
            if (row_is_from(all->rows[i], from)) {
                predicted[k] = all->rows[i]->ceilings[m].rate;
                measured[k++] = all->rows[i]->measured.rate;
            }
        }
        out[m] = accuracy_of(predicted, measured, k, a);
    }
}

static int by_size(const void *left, const void *right)
{
    const struct miss *a = left, *b = right;
    const double x = fabs(a->row->ladder.unexplained), y = fabs(b->row->ladder.unexplained);
    return (x < y) - (x > y);
}

struct batch batch_of(const struct comparison *const *runs, int n, struct arena *a)
{
    struct batch b = {.runs = runs, .n = n};
    const struct all_rows all = all_rows_of(&b, a);
    measure(&all, FROM_ANYWHERE, b.accuracy, a);
    measure(&all, FROM_L1, b.accuracy_l1.of, a);
    measure(&all, FROM_BEYOND, b.accuracy_beyond.of, a);
    b.misses = arena_new(a, struct miss, (size_t)all.n + 1);
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < runs[i]->n_rows; r++) {
            if (row_explanation(&runs[i]->rows[r])) {
                b.misses[b.n_misses++] = (struct miss){runs[i], &runs[i]->rows[r]};
            }
        }
    }
    items_sort(b.misses, (size_t)b.n_misses, sizeof *b.misses, by_size);
    return b;
}

/* --- for people --- */

static const char *machine_words(const struct comparison *c)
{
    return c->machine ? c->machine->name : "none";
}

static void write_runs(const struct batch *b, struct document *d)
{
    static const char *const titles[] = {"run",   "CPU",       "machine file",
                                         ">rows", ">violated", ">disturbed"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < b->n; i++) {
        const struct comparison *c = b->runs[i];
        cell(t, c->run->file);
        cell(t, known_text(c->run->host.cpu_name));
        cell(t, machine_words(c));
        table_cell(t, TONE_PLAIN, "%d", c->n_rows);
        table_cell(t, c->n_violated ? TONE_BAD : TONE_PLAIN, "%d", c->n_violated);
        table_cell(t, c->n_disturbed ? TONE_DOUBT : TONE_PLAIN, "%d", c->n_disturbed);
    }
    document_table(d, t);
}

static void accuracy_row(struct table *t, const char *run, int m, const char *from,
                         const struct accuracy *a)
{
    cell(t, run);
    cell(t, models[m].name);
    cell(t, from);
    cells_accuracy(t, a);
}

/* Each model over the rows of one run, or of all. */
static void accuracy_rows(struct table *t, const char *run, const struct accuracies *l1,
                          const struct accuracies *beyond)
{
    table_gap(t);
    for (int m = 0; m < n_models; m++) {
        accuracy_row(t, m ? "" : run, m, "L1", &l1->of[m]);
        accuracy_row(t, "", m, "beyond L1", &beyond->of[m]);
    }
}

static void write_accuracy(const struct batch *b, struct document *d)
{
    static const char *const titles[] = {"run",     "model",  "rows from",    ">rows",
                                         ">MAPE %", ">RMS %", ">Kendall tau", ">coverage %"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    accuracy_rows(t, "all", &b->accuracy_l1, &b->accuracy_beyond);
    for (int i = 0; i < b->n; i++) {
        const struct comparison *c = b->runs[i];
        accuracy_rows(t, c->run->file, &c->accuracy_l1, &c->accuracy_beyond);
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "How good the models are");
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN, "%s", accuracy_legend);
    document_table(d, t);
}

static void matrix_row(const struct row *row, struct table *t)
{
    cell(t, row->name);
    cell(t, row->isa);
    table_cell(t, TONE_PLAIN, "%d", row->threads);
    cell(t, row->level);
    cell_giga(t, row->measured.rate);
    cell(t, is_memory_unit(row->unit) ? "GB/s" : "GFLOP/s");
    for (int m = 0; m < n_models; m++) {
        const double ratio = row->measured.rate / row->ceilings[m].rate;
        table_cell(t, row->verdicts[m].kind == VERDICT_VIOLATES ? TONE_BAD : TONE_PLAIN,
                   isnan(ratio) ? "?" : "%.2f", ratio);
    }
    cell(t, row_explanation(row) ? rung_names[row->ladder.explains] : "nothing");
    cell_number(t, row->ladder.unexplained, 2);
}

static void write_matrix(const struct comparison *c, struct document *d)
{
    static const char *const before[] = {"kernel", "isa", ">threads", "level", ">measured", "unit"};
    const char *titles[COUNT(before) + MODELS_MAX + 2];
    int n = 0;
    for (int i = 0; i < COUNT(before); i++) {
        titles[n++] = before[i];
    }
    for (int m = 0; m < n_models; m++) {
        titles[n++] = arena_format(d->arena, ">%s", models[m].name);
    }
    titles[n++] = "explained";
    titles[n++] = ">unexplained";
    struct table *t = table_new(d->arena, titles, n);
    for (int i = 0; i < c->n_rows; i++) {
        matrix_row(&c->rows[i], t);
    }
    const char *isa = table_fold(t, "isa");
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "%s on %s%s%s", c->run->file, machine_words(c), isa,
                 table_fold(t, "unit"));
    document_table(d, t);
}

static void write_misses(const struct batch *b, struct document *d)
{
    static const char *const titles[] = {"run",   "kernel",       "isa",   ">threads",
                                         "level", ">unexplained", "reason"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < b->n_misses && i < MISSES_SHOWN; i++) {
        const struct miss *m = &b->misses[i];
        struct text words = {.arena = d->arena};
        row_words(m->run, m->row, &words);
        cell(t, m->run->run->file);
        cell(t, m->row->name);
        cell(t, m->row->isa);
        table_cell(t, TONE_PLAIN, "%d", m->row->threads);
        cell(t, m->row->level);
        cell_number(t, m->row->ladder.unexplained, 2);
        cell(t, words.data);
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Worst misses");
    document_table(d, t);
}

void batch_write(const struct batch *b, struct document *d)
{
    document_add(d, BLOCK_TITLE, TONE_PLAIN, "gambrel: %d runs", b->n);
    write_runs(b, d);
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->runs[i]->n_notes; k++) {
            if (b->runs[i]->notes[k].violated) {
                document_add(d, BLOCK_ITEM, TONE_BAD, "%s: %s", b->runs[i]->run->file,
                             b->runs[i]->notes[k].text);
            }
        }
    }
    write_accuracy(b, d);
    write_misses(b, d);
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Kernels by models");
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "Measured over the ceiling of each model; ? no prediction.");
    for (int i = 0; i < b->n; i++) {
        write_matrix(b->runs[i], d);
    }
}
