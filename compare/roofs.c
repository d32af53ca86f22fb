#include "compare/roofs.h"

#include "base/items.h"
#include "compare/order.h"
#include "model/roof.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two measurements of one roof that differ by more than this are worth a sentence. */
static const double rounds_apart = 0.05;

/* What comes from L1 is there already: nothing is fetched. */
static double rate_with_fetch(const struct kernel *described, const char *level, double rate)
{
    if (same_text(level, "L1")) {
        return rate;
    }
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
    return same_text(r->unit, "byte/s");
}

static struct joined_roof joined(const struct comparison *c, struct roof roof,
                                 struct measured measured, bool from_machine)
{
    const struct kernel *described = kernels_find(c->kernels, roof.name);
    return (struct joined_roof){
        .roof = roof,
        .measured = measured,
        .detail = {
            .described = described,
            .rate_with_fetch =
                is_memory(&roof) ? rate_with_fetch(described, roof.level, roof.rate) : (double)NAN,
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
        .source = r->source ? r->source : c->machine->name,
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
               : description_order(a->detail.described, a->roof.name, b->detail.described,
                                   b->roof.name);
}

void roofs_join(struct comparison *c, struct arena *a)
{
    const struct merged_cases m = measured_merge(c->run, RUN_ROOF, a);
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
    items_sort(list, (size_t)c->n_roofs, sizeof *list, roof_order);
    c->roofs = arena_new(a, struct roof, most);
    c->roofs_measured = arena_new(a, struct measured, most);
    c->roof_details = arena_new(a, struct roof_detail, most);
    for (int i = 0; i < c->n_roofs; i++) {
        c->roofs[i] = list[i].roof;
        c->roofs_measured[i] = list[i].measured;
        c->roof_details[i] = list[i].detail;
    }
}

static void note_rounds(struct comparison *c, struct arena *a)
{
    const struct roof *worst = NULL;
    int n = 0;
    for (int i = 0; i < c->n_roofs; i++) {
        const struct roof *r = &c->roofs[i];
        n += r->other < r->rate * (1 - rounds_apart);
        if (!isnan(r->other) && (!worst || r->other / r->rate < worst->other / worst->rate)) {
            worst = r;
        }
    }
    if (worst && n > 0) {
        comparison_note(
            c, false,
            arena_format(a,
                         "The two measurements of %d roof%s differ by more than %.0f %% (%s, %s, "
                         "%s, %s: by %.0f %%); the higher one is the roof.",
                         n, n == 1 ? "" : "s", 100 * rounds_apart, worst->name, worst->isa,
                         worst->level, threads_words(worst->threads, a),
                         100 * (1 - worst->other / worst->rate)));
    }
}

void roofs_note(struct comparison *c, struct arena *a)
{
    int from_machine = 0;
    for (int i = 0; i < c->n_roofs; i++) {
        from_machine += c->roof_details[i].from_machine;
    }
    note_rounds(c, a);
    if (from_machine) {
        comparison_note(c, false,
                        arena_format(a,
                                     "%d roof%s from the file of %s: this run did not measure %s.",
                                     from_machine, from_machine == 1 ? " comes" : "s come",
                                     c->machine->name, from_machine == 1 ? "it" : "them"));
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

/* From the most threads down, because there the memory binds and not one core's misses in
 * flight. */
static int decide(const struct comparison *c, const struct roof *roofs, int n, char why[200])
{
    int answer = -1;
    char first[200] = "no roof was measured";
    const int most = fewer_threads(c, INT_MAX);
    for (int threads = most; threads > 0 && answer < 0; threads = fewer_threads(c, threads)) {
        answer = roof_write_allocates(roofs, n, threads, why);
        if (threads == most) {
            memcpy(first, why, sizeof first);
        }
    }
    if (answer < 0) {
        memcpy(why, first, sizeof first);
    }
    return answer;
}

/* By undisturbed roofs, else by all. */
void roofs_decide_write_allocate(struct comparison *c, struct arena *a)
{
    struct roof *quiet = arena_new(a, struct roof, (size_t)c->n_roofs + 1);
    int n = 0;
    char why[200];
    for (int i = 0; i < c->n_roofs; i++) {
        if (!c->roofs[i].disturbed) {
            quiet[n++] = c->roofs[i];
        }
    }
    c->write_allocates = decide(c, quiet, n, why);
    const char *doubt = "";
    if (c->write_allocates < 0 && n < c->n_roofs) {
        c->write_allocates = decide(c, c->roofs, c->n_roofs, why);
        doubt = c->write_allocates < 0 ? "" : " (both disturbed or one of them)";
    }
    c->write_allocates_why = arena_format(a, "%s%s", why, doubt);
    if (c->write_allocates < 0 && c->machine && c->machine->write_allocate >= 0) {
        c->write_allocates = c->machine->write_allocate;
        c->write_allocates_why = arena_format(a, "the file of %s says so", c->machine->name);
    }
}
