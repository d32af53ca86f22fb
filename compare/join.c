#include "compare/join.h"

#include "compare/order.h"
#include "compare/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void comparison_note(struct comparison *c, bool violated, const char *text)
{
    c->notes[c->n_notes++] = (struct note){text, violated};
}

const char *threads_words(int threads, struct arena *a)
{
    return arena_format(a, "%d thread%s", threads, threads == 1 ? "" : "s");
}

static void predict(const struct comparison *c, struct row *row, struct arena *a)
{
    const struct model_input in = {
        .kernel = row->kernel,
        .isa = row->isa,
        .level = row->level,
        .threads = row->threads,
        .roofs = c->roofs,
        .roofs_measured = c->roofs_measured,
        .n_roofs = c->n_roofs,
        .machine = c->machine,
        .arena = a,
    };
    for (int m = 0; m < n_models; m++) {
        row->ceilings[m] = (struct ceiling){
            .rate = NAN, .low = NAN, .high = NAN, .ridge = NAN, .binds = "", .missing = ""};
        if (row->kernel) {
            models[m].ceiling(&in, &row->ceilings[m]);
        } else {
            row->ceilings[m].missing = arena_format(a, "no description of '%s'", row->name);
        }
    }
}

static double distance(const struct row *row, int model)
{
    return fabs(log(row->measured.rate / row->ceilings[model].rate));
}

/* The first model whose ceiling lies within the measurement's noise, else the nearest one. */
static int explanation(const struct row *row)
{
    int nearest = -1;
    for (int m = 0; m < n_models; m++) {
        if (row->verdicts[m].kind == VERDICT_NONE) {
            continue;
        }
        if (row->verdicts[m].kind == VERDICT_BOUND) {
            return m;
        }
        if (nearest < 0 || distance(row, m) < distance(row, nearest)) {
            nearest = m;
        }
    }
    return nearest;
}

static void judge(struct comparison *c, struct row *row)
{
    bool violated = false;
    for (int m = 0; m < n_models; m++) {
        row->verdicts[m] = verdict_of(&row->measured, &row->ceilings[m]);
        violated |= row->verdicts[m].kind == VERDICT_VIOLATES && !row->verdicts[m].doubtful;
    }
    row->explained_by = explanation(row);
    row->unexplained = row->explained_by < 0
                           ? (double)NAN
                           : 1 - row->measured.rate / row->ceilings[row->explained_by].rate;
    c->n_violated += violated;
    c->n_disturbed += row->measured.disturbed;
}

static void derive_traffic(struct row *row)
{
    const struct kernel *k = row->kernel;
    row->traffic = row->traffic_with_fetch = NAN;
    if (!k || !(kernel_bytes_counted(k) > 0)) {
        return;
    }
    const double counted = kernel_bytes_counted(k);
    const double work = k->flops_per_element > 0 ? k->flops_per_element : counted;
    row->traffic = row->measured.rate / work * counted;
    row->traffic_with_fetch = same_text(row->level, "L1")
                                  ? row->traffic
                                  : row->measured.rate / work * kernel_bytes_with_fetch(k);
}

static double from_l1(const struct comparison *c, const struct row *row)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *other = &c->rows[i];
        if (same_text(other->level, "L1") && same_text(other->name, row->name) &&
            same_text(other->isa, row->isa) && other->threads == row->threads) {
            return other->measured.rate;
        }
    }
    return NAN;
}

static int row_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int kernel = description_order(a->kernel, a->name, b->kernel, b->name);
    if (kernel) {
        return kernel;
    }
    const int isa = strcmp(a->isa, b->isa);
    if (isa) {
        return isa;
    }
    return a->threads != b->threads ? a->threads - b->threads
                                    : level_rank(a->level) - level_rank(b->level);
}

static void join_rows(struct comparison *c, struct arena *a)
{
    const struct merged_cases m = measured_merge(c->run, RUN_KERNEL, a);
    c->rows = arena_new(a, struct row, (size_t)m.n + 1);
    c->n_rows = m.n;
    for (int i = 0; i < m.n; i++) {
        const struct run_case *rc = m.cases[i];
        c->rows[i] = (struct row){.name = rc->name,
                                  .isa = rc->isa,
                                  .level = rc->level,
                                  .unit = rc->unit,
                                  .threads = rc->threads,
                                  .kernel = kernels_find(c->kernels, rc->name),
                                  .measured = m.measured[i]};
    }
    qsort(c->rows, (size_t)c->n_rows, sizeof *c->rows, row_order);
    for (int i = 0; i < c->n_rows; i++) {
        struct row *row = &c->rows[i];
        predict(c, row, a);
        judge(c, row);
        derive_traffic(row);
        row->over_l1 =
            same_text(row->level, "L1") ? (double)NAN : row->measured.rate / from_l1(c, row);
    }
}

/* Without a memory roof at L1 only compute bounds what comes from there. */
static void note_l1(struct comparison *c)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (same_text(row->level, "L1") && row->kernel && row->kernel->roof &&
            !roof_find(c->roofs, c->n_roofs, row->kernel->roof, NULL, "L1", row->threads)) {
            comparison_note(
                c, false,
                "No memory roof was measured at L1 for some kernels: their ceiling there is the "
                "compute roof alone.");
            return;
        }
    }
}

static void note_rows(struct comparison *c, struct arena *a)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        for (int m = 0; m < n_models; m++) {
            const struct verdict *v = &row->verdicts[m];
            if (v->kind != VERDICT_VIOLATES || v->doubtful) {
                continue;
            }
            comparison_note(
                c, true,
                arena_format(a,
                             "VIOLATED BOUND: %s (%s, %s, %s) runs at %.2f times the %s "
                             "ceiling (%s): the description is wrong, not the loop.",
                             row->name, row->isa, row->level, threads_words(row->threads, a),
                             1 + v->by, models[m].name, row->ceilings[m].binds));
        }
    }
}

static void measure_accuracy(struct comparison *c, struct arena *a)
{
    double *predicted = arena_new(a, double, (size_t)c->n_rows + 1);
    double *measured = arena_new(a, double, (size_t)c->n_rows + 1);
    for (int m = 0; m < n_models; m++) {
        int n = 0;
        for (int i = 0; i < c->n_rows; i++) {
            predicted[i] = c->rows[i].ceilings[m].rate;
            measured[i] = c->rows[i].measured.rate;
        }
        c->accuracy[m] = accuracy_of(predicted, measured, c->n_rows, a);
        for (int i = 0; i < c->n_rows; i++) {
            if (!c->rows[i].verdicts[m].doubtful) {
                predicted[n] = predicted[i];
                measured[n++] = measured[i];
            }
        }
        c->accuracy_quiet[m] = accuracy_of(predicted, measured, n, a);
    }
}

/* --- the chain curve and the size sweep --- */

static int chain_order(const void *left, const void *right)
{
    const struct chain_point *a = left, *b = right;
    const int isa = strcmp(a->isa, b->isa);
    return isa ? isa : a->threads != b->threads ? a->threads - b->threads : a->chains - b->chains;
}

static void join_chains(struct comparison *c, struct arena *a)
{
    const struct merged_cases m = measured_merge(c->run, RUN_CHAIN, a);
    c->chains = arena_new(a, struct chain_point, (size_t)m.n + 1);
    c->n_chains = m.n;
    for (int i = 0; i < m.n; i++) {
        c->chains[i] = (struct chain_point){.isa = m.cases[i]->isa,
                                            .threads = m.cases[i]->threads,
                                            .chains = m.cases[i]->chains,
                                            .measured = m.measured[i]};
    }
    qsort(c->chains, (size_t)c->n_chains, sizeof *c->chains, chain_order);
    for (int i = 0; i < c->n_chains; i++) {
        double best = 0;
        for (int k = 0; k < c->n_chains; k++) {
            if (same_text(c->chains[k].isa, c->chains[i].isa) &&
                c->chains[k].threads == c->chains[i].threads) {
                best = fmax(best, c->chains[k].measured.rate);
            }
        }
        c->chains[i].fraction = c->chains[i].measured.rate / best;
    }
}

static int sweep_order(const void *left, const void *right)
{
    const struct sweep_point *a = left, *b = right;
    const double x = a->measured.array_bytes, y = b->measured.array_bytes;
    return a->threads != b->threads ? a->threads - b->threads : (x > y) - (x < y);
}

static void join_sweep(struct comparison *c, struct arena *a)
{
    const struct merged_cases m = measured_merge(c->run, RUN_SWEEP, a);
    c->sweep = arena_new(a, struct sweep_point, (size_t)m.n + 1);
    c->n_sweep = m.n;
    for (int i = 0; i < m.n; i++) {
        c->sweep[i] = (struct sweep_point){.name = m.cases[i]->name,
                                           .isa = m.cases[i]->isa,
                                           .threads = m.cases[i]->threads,
                                           .measured = m.measured[i]};
    }
    qsort(c->sweep, (size_t)c->n_sweep, sizeof *c->sweep, sweep_order);
}

struct comparison *comparison_join(const struct run *run, const struct kernels *kernels,
                                   const struct machine *machine, struct arena *a)
{
    struct comparison *c = arena_new(a, struct comparison, 1);
    c->run = run;
    c->kernels = kernels;
    c->machine = machine;
    roofs_join(c, a);
    join_rows(c, a);
    join_chains(c, a);
    join_sweep(c, a);
    roofs_decide_write_allocate(c, a);
    measure_accuracy(c, a);
    c->notes = arena_new(a, struct note, (size_t)(c->n_rows * n_models + c->n_roofs) + 2);
    note_rows(c, a);
    roofs_note(c, a);
    note_l1(c);
    return c;
}
