#include "compare/ladder.h"

#include <math.h>

const char *const rung_names[RUNGS] = {
    [RUNG_COMPUTE] = "compute roof",      [RUNG_MEMORY] = "memory roof",
    [RUNG_PORTS] = "ports and front end", [RUNG_CHAINS] = "chains",
    [RUNG_STREAMS] = "streams",
};

const int rung_models[RUNGS] = {
    [RUNG_COMPUTE] = MODEL_ROOFLINE, [RUNG_MEMORY] = MODEL_ROOFLINE, [RUNG_PORTS] = MODEL_PORTS,
    [RUNG_CHAINS] = MODEL_CHAINS,    [RUNG_STREAMS] = MODEL_STREAMS,
};

/* --- prediction --- */

/* The lower of the two; NaN is no ceiling. */
static const struct ceiling *lower(const struct ceiling *a, const struct ceiling *b)
{
    return isnan(a->rate) || b->rate < a->rate ? b : a;
}

/* What bounds the core: everything but memory. */
static const struct ceiling *of_core(const struct ladder *l)
{
    return lower(lower(&l->rungs[RUNG_COMPUTE].own, &l->rungs[RUNG_PORTS].own),
                 &l->rungs[RUNG_CHAINS].own);
}

/* The mapping takes the place of the memory roof. */
static const struct ceiling *up_to(const struct ladder *l, int r)
{
    if (r == RUNG_COMPUTE) {
        return &l->rungs[r].own;
    }
    if (r == RUNG_STREAMS && l->rungs[r].known) {
        return lower(of_core(l), &l->rungs[r].own);
    }
    return lower(&l->rungs[r - 1].ceiling, &l->rungs[r].own);
}

void ladder_build(const struct model_input *in, const struct ceiling *ceilings, struct ladder *out)
{
    *out = (struct ladder){.explains = -1, .unexplained = NAN};
    for (int r = 0; r < RUNGS; r++) {
        struct rung *rung = &out->rungs[r];
        rung->own = ceilings[rung_models[r]];
        if (r == RUNG_COMPUTE && !isnan(rung->own.rate)) {
            rung->own = ceiling_none();
            compute_ceiling(in, &rung->own);
        }
        rung->known = !isnan(rung->own.rate);
        rung->closes = NAN;
    }
    for (int r = 0; r < RUNGS; r++) {
        out->rungs[r].ceiling = *up_to(out, r);
    }
    out->in_turn = 1 / (1 / of_core(out)->rate + 1 / out->rungs[RUNG_STREAMS].own.rate);
}

void all_ceiling(const struct model_input *in, struct ceiling *out)
{
    struct ladder l;
    ladder_build(in, in->before, &l);
    *out = l.rungs[RUNGS - 1].ceiling;
}

/* --- judgement --- */

/* A rung is nearer than one before it by more than rounding. */
static const double nearer_by = 0.005;

static double distance(const struct measured *m, const struct rung *r)
{
    return fabs(log(m->rate / r->ceiling.rate));
}

/* The compute roof above a memory roof is not the roofline: a loop that lies on it has
 * broken the roofline, which is no explanation. */
static bool is_passed(const struct ladder *l, int r)
{
    const double memory = l->rungs[RUNG_MEMORY].ceiling.rate;
    return r == RUNG_COMPUTE && memory < l->rungs[r].ceiling.rate * (1 - nearer_by);
}

static int explanation(const struct ladder *l, const struct measured *m)
{
    int nearest = -1;
    for (int r = 0; r < RUNGS; r++) {
        const struct rung *rung = &l->rungs[r];
        if (rung->verdict.kind == VERDICT_NONE || is_passed(l, r)) {
            continue;
        }
        if (rung->verdict.kind == VERDICT_BOUND) {
            return r;
        }
        if (nearest < 0 || distance(m, rung) < distance(m, &l->rungs[nearest]) - nearer_by) {
            nearest = r;
        }
    }
    return nearest;
}

void ladder_judge(struct ladder *l, const struct measured *m)
{
    for (int r = 0; r < RUNGS; r++) {
        struct rung *rung = &l->rungs[r];
        rung->verdict = verdict_of(m, &rung->ceiling);
        if (r > 0) {
            rung->closes = m->rate / rung->ceiling.rate - m->rate / l->rungs[r - 1].ceiling.rate;
        }
    }
    l->explains = explanation(l, m);
    l->unexplained =
        l->explains < 0 ? (double)NAN : 1 - m->rate / l->rungs[l->explains].ceiling.rate;
}
