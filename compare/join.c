#include "compare/join.h"

#include "model/roof.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two measurements of one roof that differ by more than this are worth a sentence. */
static const double rounds_apart = 0.05;

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_case(const struct run_case *a, const struct run_case *b)
{
    return a->kind == b->kind && a->threads == b->threads && a->chains == b->chains &&
           same(a->name, b->name) && same(a->isa, b->isa) && same(a->level, b->level) &&
           (a->kind != RUN_SWEEP || a->array_bytes == b->array_bytes);
}

/* The best round of each case of one kind: cases[] are the first of their rounds. */
struct merged {
    const struct run_case **cases;
    struct measured *measured;
    int n;
};

static struct merged merge_rounds(const struct run *run, enum run_kind kind, struct arena *a)
{
    struct merged m = {
        .cases = arena_new(a, const struct run_case *, (size_t)run->n_cases + 1),
        .measured = arena_new(a, struct measured, (size_t)run->n_cases + 1),
    };
    for (int i = 0; i < run->n_cases; i++) {
        const struct run_case *c = &run->cases[i];
        if (c->kind != kind) {
            continue;
        }
        int k = 0;
        while (k < m.n && !same_case(m.cases[k], c)) {
            k++;
        }
        if (k < m.n) {
            m.measured[k] = measured_higher(m.measured[k], measured_of(c));
        } else {
            m.cases[m.n] = c;
            m.measured[m.n++] = measured_of(c);
        }
    }
    return m;
}

static void note(struct comparison *c, bool violated, const char *text)
{
    c->notes[c->n_notes++] = (struct note){text, violated};
}

static const char *threads_words(int threads, struct arena *a)
{
    return arena_format(a, "%d thread%s", threads, threads == 1 ? "" : "s");
}

static int level_rank(const char *level)
{
    static const char *const outwards[] = {"L1", "L2", "L3", "L4", "DRAM"};
    int rank = 0;
    while (rank < 5 && !same(outwards[rank], level)) {
        rank++;
    }
    return rank;
}

/* As in kernels.yaml; what is not described comes last, by name. */
static int by_description(const struct kernel *a, const char *a_name, const struct kernel *b,
                          const char *b_name)
{
    if (a && b) {
        return (a > b) - (a < b);
    }
    return a ? -1 : b ? 1 : strcmp(a_name, b_name);
}

/* --- roofs --- */

static double rate_with_fetch(const struct kernel *described, double rate)
{
    const double counted = described ? kernel_bytes_counted(described) : (double)NAN;
    return counted > 0 ? rate * kernel_bytes_with_fetch(described) / counted : (double)NAN;
}

/* One roof with all that belongs to it, while they are put in order. */
struct joined_roof {
    struct roof roof;
    struct measured measured;
    struct roof_detail detail;
};

static bool is_memory(const struct roof *r)
{
    return same(r->unit, "byte/s");
}

static struct joined_roof joined(const struct comparison *c, struct roof roof,
                                 struct measured measured, bool from_machine)
{
    const struct kernel *described = kernels_find(c->kernels, roof.name);
    return (struct joined_roof){.roof = roof,
                                .measured = measured,
                                .detail = {
                                    .described = described,
                                    .rate_with_fetch = is_memory(&roof)
                                                           ? rate_with_fetch(described, roof.rate)
                                                           : (double)NAN,
                                    .from_machine = from_machine,
                                }};
}

static struct joined_roof measured_roof(const struct comparison *c, const struct run_case *rc,
                                        const struct measured *m)
{
    const struct roof roof = {
        .name = rc->name,
        .isa = rc->isa,
        .level = rc->level,
        .unit = rc->unit,
        .threads = rc->threads,
        .rate = m->rate,
        .cv = m->cv,
        .n = m->n,
        .other = m->other,
        .disturbed = m->disturbed,
        .source = m->source,
        .loc = rc->loc,
    };
    return joined(c, roof, *m, false);
}

static struct joined_roof machine_roof(const struct comparison *c, const struct roof *r)
{
    const struct measured m = {
        .rate = r->rate,
        .low = NAN,
        .high = NAN,
        .min = NAN,
        .max = NAN,
        .cv = r->cv,
        .n = r->n,
        .other = r->other,
        .clock_hz = NAN,
        .array_bytes = NAN,
        .disturbed = r->disturbed,
        .why = "",
        .source = r->source ? r->source : c->machine->file,
    };
    return joined(c, *r, m, true);
}

static int roof_order(const void *left, const void *right)
{
    const struct joined_roof *a = left, *b = right;
    const int ranks[][2] = {
        {is_memory(&a->roof), is_memory(&b->roof)},
        {a->roof.threads, b->roof.threads},
        {level_rank(a->roof.level), level_rank(b->roof.level)},
    };
    for (int i = 0; i < 3; i++) {
        if (ranks[i][0] != ranks[i][1]) {
            return ranks[i][0] - ranks[i][1];
        }
    }
    const int isa = strcmp(a->roof.isa, b->roof.isa);
    return isa ? isa
               : by_description(a->detail.described, a->roof.name, b->detail.described,
                                b->roof.name);
}

static void join_roofs(struct comparison *c, struct arena *a)
{
    const struct merged m = merge_rounds(c->run, RUN_ROOF, a);
    const int of_machine = c->machine ? c->machine->n_roofs : 0;
    const size_t most = (size_t)(m.n + of_machine) + 1;
    struct joined_roof *list = arena_new(a, struct joined_roof, most);
    for (int i = 0; i < m.n; i++) {
        list[c->n_roofs++] = measured_roof(c, m.cases[i], &m.measured[i]);
    }
    for (int i = 0; i < of_machine; i++) {
        const struct roof *r = &c->machine->roofs[i];
        bool known = false;
        for (int k = 0; k < m.n && !known; k++) {
            known = roof_find(&list[k].roof, 1, r->name, r->isa, r->level, r->threads) != NULL;
        }
        if (!known) {
            list[c->n_roofs++] = machine_roof(c, r);
        }
    }
    qsort(list, (size_t)c->n_roofs, sizeof *list, roof_order);
    c->roofs = arena_new(a, struct roof, most);
    c->roofs_measured = arena_new(a, struct measured, most);
    c->roof_details = arena_new(a, struct roof_detail, most);
    for (int i = 0; i < c->n_roofs; i++) {
        c->roofs[i] = list[i].roof;
        c->roofs_measured[i] = list[i].measured;
        c->roof_details[i] = list[i].detail;
    }
}

static void note_roofs(struct comparison *c, struct arena *a)
{
    int from_machine = 0;
    for (int i = 0; i < c->n_roofs; i++) {
        const struct roof *r = &c->roofs[i];
        from_machine += c->roof_details[i].from_machine;
        if (r->other < r->rate * (1 - rounds_apart)) {
            note(c, false,
                 arena_format(a,
                              "The two measurements of the %s roof (%s, %s, %s) differ by "
                              "%.0f %%; the higher one is the roof.",
                              r->name, r->isa, r->level, threads_words(r->threads, a),
                              100 * (1 - r->other / r->rate)));
        }
    }
    if (from_machine) {
        note(c, false,
             arena_format(a, "%d roof%s come%s from %s: this run did not measure them.",
                          from_machine, from_machine == 1 ? "" : "s", from_machine == 1 ? "s" : "",
                          c->machine->file));
    }
}

/* The most threads below `threads` that a roof was measured on; 0: none. */
static int fewer_threads(const struct comparison *c, int threads)
{
    int most = 0;
    for (int i = 0; i < c->n_roofs; i++) {
        if (c->roofs[i].threads < threads && c->roofs[i].threads > most) {
            most = c->roofs[i].threads;
        }
    }
    return most;
}

/* From the most threads down: there the memory binds, not one core's misses in flight. */
static void decide_write_allocate(struct comparison *c, struct arena *a)
{
    char why[200] = "no roof was measured";
    c->write_allocates = -1;
    c->write_allocates_why = NULL;
    for (int threads = fewer_threads(c, INT_MAX); threads > 0 && c->write_allocates < 0;
         threads = fewer_threads(c, threads)) {
        c->write_allocates = roof_write_allocates(c->roofs, c->n_roofs, threads, why);
        if (c->write_allocates >= 0 || !c->write_allocates_why) {
            c->write_allocates_why = arena_format(a, "%s", why);
        }
    }
    if (c->write_allocates < 0 && c->machine && c->machine->write_allocate >= 0) {
        c->write_allocates = c->machine->write_allocate;
        c->write_allocates_why = arena_format(a, "%s says so", c->machine->file);
    }
    if (!c->write_allocates_why) {
        c->write_allocates_why = arena_format(a, "%s", why);
    }
}

/* --- rows --- */

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
            row->ceilings[m].missing =
                arena_format(a, "'%s' is not in %s", row->name, c->kernels->file);
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
    row->traffic_with_fetch = row->measured.rate / work * kernel_bytes_with_fetch(k);
}

static double from_l1(const struct comparison *c, const struct row *row)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *other = &c->rows[i];
        if (same(other->level, "L1") && same(other->name, row->name) &&
            same(other->isa, row->isa) && other->threads == row->threads) {
            return other->measured.rate;
        }
    }
    return NAN;
}

static int row_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int kernel = by_description(a->kernel, a->name, b->kernel, b->name);
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
    const struct merged m = merge_rounds(c->run, RUN_KERNEL, a);
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
        row->over_l1 = same(row->level, "L1") ? (double)NAN : row->measured.rate / from_l1(c, row);
    }
}

/* Without a memory roof at L1 only compute bounds what comes from there. */
static void note_l1(struct comparison *c)
{
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (same(row->level, "L1") && row->kernel && row->kernel->roof &&
            !roof_find(c->roofs, c->n_roofs, row->kernel->roof, NULL, "L1", row->threads)) {
            note(c, false,
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
            note(c, true,
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
        for (int i = 0; i < c->n_rows; i++) {
            predicted[i] = c->rows[i].ceilings[m].rate;
            measured[i] = c->rows[i].measured.rate;
        }
        c->accuracy[m] = accuracy_of(predicted, measured, c->n_rows, a);
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
    const struct merged m = merge_rounds(c->run, RUN_CHAIN, a);
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
            if (same(c->chains[k].isa, c->chains[i].isa) &&
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
    const struct merged m = merge_rounds(c->run, RUN_SWEEP, a);
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
    join_roofs(c, a);
    join_rows(c, a);
    join_chains(c, a);
    join_sweep(c, a);
    decide_write_allocate(c, a);
    measure_accuracy(c, a);
    c->notes = arena_new(a, struct note, (size_t)(c->n_rows * n_models + c->n_roofs) + 2);
    note_rows(c, a);
    note_roofs(c, a);
    note_l1(c);
    return c;
}
