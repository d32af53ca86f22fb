#include "compare/explain.h"

#include "compare/order.h"

#include <math.h>
#include <string.h>

/* --- which ladders --- */

/* Narrow to wide. */
static int width_of(const char *isa)
{
    static const char *const isas[] = {"sse2", "avx2", "avx512"};
    int width = 0;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        width = same_text(isa, isas[i]) ? (int)i : width;
    }
    return width;
}

static bool fits(const struct explain_wish *w, const char *isa, const char *level, int threads)
{
    return (!w->isa || same_text(w->isa, isa)) && (!w->level || same_text(w->level, level)) &&
           (!w->threads || w->threads == threads);
}

static const char *widest_row(const struct comparison *c, const struct explain_wish *w)
{
    const char *widest = NULL;
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        const bool is = r->kernel == w->kernel && fits(w, r->isa, r->level, r->threads);
        if (is && (!widest || width_of(r->isa) > width_of(widest))) {
            widest = r->isa;
        }
    }
    return widest;
}

static void add_ladder(struct explanation *x, const struct row *row, const char *isa,
                       const char *level, int threads)
{
    struct explained *l = &x->ladders[x->n_ladders++];
    l->row = row;
    l->now.subject = (struct subject){.evidence = x->comparison->evidence,
                                      .kernel = x->wish.kernel,
                                      .isa = isa,
                                      .level = level,
                                      .threads = threads};
}

static void measured_ladders(struct explanation *x)
{
    const struct comparison *c = x->comparison;
    x->wish.isa = widest_row(c, &x->wish);
    for (int i = 0; i < c->n_rows && x->wish.isa; i++) {
        const struct row *r = &c->rows[i];
        if (r->kernel == x->wish.kernel && fits(&x->wish, r->isa, r->level, r->threads)) {
            add_ladder(x, r, r->isa, r->level, r->threads);
        }
    }
}

/* Of the machine alone: the widest body for which there is a compute roof, at every level that has
 * memory roofs. */
static void documented_ladders(struct explanation *x)
{
    static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};
    const struct evidence *ev = x->comparison->evidence;
    const struct kernel *k = x->wish.kernel;
    const int threads = x->wish.threads ? x->wish.threads : 1;
    const char *widest = NULL;
    for (int i = 0; i < k->n_bodies; i++) {
        const char *isa = k->bodies[i].isa;
        const bool fit =
            fits(&x->wish, isa, x->wish.level, threads) && evidence_clock(ev, isa, threads);
        widest = fit && (!widest || width_of(isa) > width_of(widest)) ? isa : widest;
    }
    x->wish.isa = widest;
    for (size_t i = 0; i < sizeof levels / sizeof *levels && widest; i++) {
        bool has_roof = i == 0;
        for (int r = 0; r < ev->n_roofs; r++) {
            has_roof |= same_text(ev->roofs[r].level, levels[i]) && ev->roofs[r].threads == threads;
        }
        if (has_roof && fits(&x->wish, widest, levels[i], threads)) {
            add_ladder(x, NULL, widest, levels[i], threads);
        }
    }
}

static bool no_ladder(const struct explanation *x, struct err *e)
{
    const struct comparison *c = x->comparison;
    const struct kernel *k = x->wish.kernel;
    struct text known = {.arena = c->evidence->arena};
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        if (r->kernel == k) {
            text_add(&known, "%s%s %s on %s", known.len ? "; " : "", r->isa, r->level,
                     threads_words(r->threads, known.arena));
        }
    }
    for (int i = 0; c->n_rows == 0 && i < k->n_bodies; i++) {
        if (evidence_clock(c->evidence, k->bodies[i].isa, x->wish.threads ? x->wish.threads : 1)) {
            text_add(&known, "%s%s L1", known.len ? "; " : "", k->bodies[i].isa);
        }
    }
    const struct loc at = {.file = c->run->file};
    if (!known.len) {
        return err_set(e, ERR_RANGE, at,
                       c->n_rows
                           ? "%s was not measured here; model --run predicts it over these roofs, "
                             "explain --machine without results over those of a machine file"
                           : "%s has no body for this machine",
                       k->name);
    }
    return err_set(e, ERR_RANGE, at, "%s is not known so; it is: %.180s", k->name, known.data);
}

/* --- all of it --- */

static bool is_violated(const struct row *row)
{
    for (int m = 0; row && m < n_models; m++) {
        if (row->verdicts[m].kind == VERDICT_VIOLATES && !row->verdicts[m].doubtful) {
            return true;
        }
    }
    return false;
}

static bool fill(struct explanation *x, struct explained *l, struct err *e)
{
    const struct subject s = l->now.subject;
    if (!whatif_climb(&s, NULL, 0, &l->now, e)) {
        return false;
    }
    if (x->wish.n_changes && !whatif_climb(&s, x->wish.changes, x->wish.n_changes, &l->then, e)) {
        return false;
    }
    l->reliefs = reliefs_of(&l->now);
    if (l->row) {
        ladder_judge(&l->now.ladder, &l->row->measured);
    }
    x->n_violated += is_violated(l->row);
    return true;
}

struct explanation *explain(const struct comparison *c, const struct explain_wish *wish,
                            struct err *e)
{
    struct arena *a = c->evidence->arena;
    struct explanation *x = arena_new(a, struct explanation, 1);
    *x = (struct explanation){.comparison = c, .wish = *wish};
    x->ladders = arena_new(a, struct explained, (size_t)c->n_rows + 4);
    if (c->n_rows) {
        measured_ladders(x);
    } else {
        documented_ladders(x);
    }
    if (x->n_ladders == 0) {
        no_ladder(x, e);
        return NULL;
    }
    for (int i = 0; i < x->n_ladders; i++) {
        if (!fill(x, &x->ladders[i], e)) {
            return NULL;
        }
    }
    return x;
}
