#include "compare/join.h"

#include "base/items.h"
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

const struct rung *row_explanation(const struct row *row)
{
    return row->ladder.explains < 0 ? NULL : &row->ladder.rungs[row->ladder.explains];
}

int row_explained_by(const struct row *row)
{
    return row->ladder.explains < 0 ? -1 : rung_models[row->ladder.explains];
}

void row_words(const struct comparison *c, const struct row *row, struct text *out)
{
    const struct rung *r = row_explanation(row);
    const struct ceiling *roofline = &row->ceilings[MODEL_ROOFLINE];
    const struct ceiling *ports = &row->ceilings[MODEL_PORTS];
    if (!r) {
        verdict_words(&row->verdicts[MODEL_ROOFLINE], &row->measured, roofline, out);
    } else {
        verdict_words(&r->verdict, &row->measured, &r->ceiling, out);
    }
    if (r && roofline->missing[0]) {
        text_add(out, "; no roofline: %s", roofline->missing);
    }
    if (row->kernel && c->evidence->costs && ports->missing[0]) {
        text_add(out, "; no ports: %s", ports->missing);
    }
}

const char *row_tighter(const struct row *row)
{
    const double roofline = row->ceilings[MODEL_ROOFLINE].rate,
                 ports = row->ceilings[MODEL_PORTS].rate;
    if (isnan(roofline) || isnan(ports)) {
        return "unknown";
    }
    return fabs(ports / roofline - 1) <= VERDICT_TOLERANCE ? "both"
           : ports < roofline                              ? models[MODEL_PORTS].name
                                                           : models[MODEL_ROOFLINE].name;
}

static void predict(const struct comparison *c, struct row *row, struct arena *a)
{
    const struct model_input in = {
        .kernel = row->kernel,
        .isa = row->isa,
        .level = row->level,
        .threads = row->threads,
        .evidence = c->evidence,
        .before = row->ceilings,
    };
    for (int m = 0; m < n_models; m++) {
        row->ceilings[m] = ceiling_none();
        if (row->kernel) {
            models[m].ceiling(&in, &row->ceilings[m]);
        } else {
            row->ceilings[m].missing = arena_format(a, "%s does not describe it", c->kernels->file);
        }
    }
    row->ladder = (struct ladder){.explains = -1, .unexplained = NAN, .in_turn = NAN};
    if (row->kernel) {
        ladder_build(&in, row->ceilings, &row->ladder);
    }
}

static void judge(struct comparison *c, struct row *row)
{
    bool violated = false;
    for (int m = 0; m < n_models; m++) {
        row->verdicts[m] = verdict_of(&row->measured, &row->ceilings[m]);
        violated |= row->verdicts[m].kind == VERDICT_VIOLATES && !row->verdicts[m].doubtful;
    }
    if (row->kernel) {
        ladder_judge(&row->ladder, &row->measured);
    }
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
    const double work = kernel_work_per_element(k);
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
    items_sort(c->rows, (size_t)c->n_rows, sizeof *c->rows, row_order);
    for (int i = 0; i < c->n_rows; i++) {
        struct row *row = &c->rows[i];
        predict(c, row, a);
        judge(c, row);
        derive_traffic(row);
        row->over_l1 =
            same_text(row->level, "L1") ? (double)NAN : row->measured.rate / from_l1(c, row);
    }
}

const char *differences_words(const char *lines, struct arena *a)
{
    struct text words = {.arena = a};
    while (*lines) {
        lines += strspn(lines, " \n");
        const size_t len = strcspn(lines, "\n");
        if (len) {
            text_add(&words, "%s%.*s", words.len ? "; " : "", (int)len, lines);
        }
        lines += len;
    }
    return words.len ? words.data : "";
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

/* Promise and code differ: a failure where the loop is fixed by hand, a remark where it is left to
 * the compiler. */
static void note_code(struct comparison *c, bool fixed_by_hand, struct arena *a)
{
    for (int i = 0; i < c->evidence->n_loops; i++) {
        const struct ran_loop *l = &c->evidence->loops[i];
        const bool by_hand = l->described && l->described->hand_fixed;
        if (by_hand != fixed_by_hand) {
            continue;
        }
        if (l->problem[0]) {
            comparison_note(c, by_hand,
                            arena_format(a, "%s (%s): %s", l->name, l->isa, l->problem));
        } else if (l->differences[0] && by_hand) {
            comparison_note(c, true,
                            arena_format(a,
                                         "CODE DIFFERS: %s (%s): the code that ran is not what %s "
                                         "states: %s. The report uses the code.",
                                         l->name, l->isa, c->kernels->file,
                                         differences_words(l->differences, a)));
        } else if (l->differences[0]) {
            comparison_note(c, false,
                            arena_format(a,
                                         "%s (%s): the compiler made other instructions of it than "
                                         "%s states; the report uses those that ran, see the "
                                         "instruction mix.",
                                         l->name, l->isa, c->kernels->file));
        }
    }
}

static void note_machine(struct comparison *c, struct arena *a)
{
    if (!c->evidence->costs) {
        comparison_note(
            c, false,
            arena_format(a,
                         "Nothing is known of the core, so only the roofline is predicted: %s. "
                         "--machine=NAME takes a file of gambrel machine list; gambrel machine "
                         "new begins one, and doc/adding-a-machine.md goes on.",
                         c->evidence->costs_missing));
    }
}

/* --- violated bounds --- */

struct stream_counts {
    int of[STREAM_KINDS];
};

static struct stream_counts streams_of(const struct kernel *k)
{
    struct stream_counts n = {{0}};
    for (int i = 0; k && i < k->n_streams; i++) {
        n.of[k->streams[i].kind]++;
    }
    return n;
}

bool row_same_mix(const struct comparison *c, const struct row *row)
{
    const struct kernel *roof =
        row->kernel->roof ? kernels_find(c->kernels, row->kernel->roof) : NULL;
    const struct stream_counts mine = streams_of(row->kernel), its = streams_of(roof);
    return roof && memcmp(&mine, &its, sizeof mine) == 0;
}

/* Why a roofline may lie too low, where that can be told; "". */
static const char *likely_cause(const struct comparison *c, const struct row *row, struct arena *a)
{
    const struct ceiling *ceiling = &row->ceilings[MODEL_ROOFLINE];
    if (!ceiling->roof || strcmp(ceiling->roof->unit, "byte/s") != 0) {
        return "";
    }
    if (row_same_mix(c, row)) {
        return " The roof's mix is the same, so the roof was measured too low, or the loop moves "
               "less than its formula says.";
    }
    const struct stream_counts mine = streams_of(row->kernel),
                               its = streams_of(kernels_find(c->kernels, row->kernel->roof));
    const bool in_place = mine.of[STREAM_UPDATE] > its.of[STREAM_UPDATE] &&
                          mine.of[STREAM_WRITE] < its.of[STREAM_WRITE];
    const struct rung *why = row_explanation(row);
    const bool streams = why && row->ladder.explains == RUNG_STREAMS;
    return arena_format(a, " Likely cause: the %s's mix differs%s%s.", ceiling->binds,
                        in_place ? ": the loop updates in place where the roof writes fetched lines"
                                 : "",
                        !streams                             ? ""
                        : why->verdict.kind == VERDICT_BOUND ? "; the streams rung predicts it"
                                                             : "; the streams rung comes nearest");
}

static void note_rows(struct comparison *c, struct arena *a)
{
    struct text disturbed = {.arena = a};
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        for (int m = 0; m < MODEL_ALL; m++) { /* which is one of the others */
            const struct verdict *v = &row->verdicts[m];
            if (v->kind != VERDICT_VIOLATES) {
                continue;
            }
            const char *what =
                arena_format(a, "%s (%s, %s, %s) runs at %.2f times the %s ceiling (%s)", row->name,
                             row->isa, row->level, threads_words(row->threads, a), 1 + v->by,
                             models[m].name, row->ceilings[m].binds);
            if (v->doubtful) {
                text_add(&disturbed, "%s%s", disturbed.len ? "; " : "", what);
                continue;
            }
            comparison_note(
                c, true,
                arena_format(a, "VIOLATED BOUND: %s: the description is wrong, not the loop.%s",
                             what, m == MODEL_ROOFLINE ? likely_cause(c, row, a) : ""));
        }
    }
    if (disturbed.len) {
        comparison_note(
            c, false,
            arena_format(a, "Disturbed, above the bound, so no finding: %s.", disturbed.data));
    }
}

bool row_is_from(const struct row *row, enum rows_from from)
{
    return from == FROM_ANYWHERE || same_text(row->level, "L1") == (from == FROM_L1);
}

static void accuracy_over(const struct comparison *c, enum rows_from from, bool quiet,
                          struct accuracy out[MODELS_MAX], struct arena *a)
{
    double *predicted = arena_new(a, double, (size_t)c->n_rows + 1);
    double *measured = arena_new(a, double, (size_t)c->n_rows + 1);
    for (int m = 0; m < n_models; m++) {
        int n = 0;
        for (int i = 0; i < c->n_rows; i++) {
            if (row_is_from(&c->rows[i], from) && !(quiet && c->rows[i].verdicts[m].doubtful)) {
                predicted[n] = c->rows[i].ceilings[m].rate;
                measured[n++] = c->rows[i].measured.rate;
            }
        }
        out[m] = accuracy_of(predicted, measured, n, a);
    }
}

static void measure_accuracy(struct comparison *c, struct arena *a)
{
    accuracy_over(c, FROM_ANYWHERE, false, c->accuracy, a);
    accuracy_over(c, FROM_ANYWHERE, true, c->accuracy_quiet, a);
    accuracy_over(c, FROM_L1, false, c->accuracy_l1.of, a);
    accuracy_over(c, FROM_L1, true, c->accuracy_l1_quiet.of, a);
    accuracy_over(c, FROM_BEYOND, false, c->accuracy_beyond.of, a);
    accuracy_over(c, FROM_BEYOND, true, c->accuracy_beyond_quiet.of, a);
}

/* --- the size sweep --- */

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
    items_sort(c->sweep, (size_t)c->n_sweep, sizeof *c->sweep, sweep_order);
}

struct comparison *comparison_join(const struct run *run, const struct kernels *kernels,
                                   const struct machine *machine, struct arena *a)
{
    struct comparison *c = arena_new(a, struct comparison, 1);
    c->run = run;
    c->kernels = kernels;
    c->machine = machine;
    roofs_join(c, a);
    c->evidence = evidence_of(
        run, kernels, machine,
        (struct evidence_roofs){c->roofs, c->roofs_measured, c->roof_details, c->n_roofs}, a);
    join_rows(c, a);
    join_sweep(c, a);
    roofs_decide_write_allocate(c, a);
    measure_accuracy(c, a);
    c->notes = arena_new(a, struct note,
                         (size_t)(c->n_rows * n_models + c->n_roofs + c->evidence->n_loops) + 4);
    note_rows(c, a);
    note_code(c, true, a);
    note_machine(c, a);
    roofs_note(c, a);
    note_l1(c);
    note_code(c, false, a);
    return c;
}
