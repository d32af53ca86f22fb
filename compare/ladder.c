#include "compare/ladder.h"

#include <math.h>

const char *const rung_names[RUNGS] = {
    [RUNG_COMPUTE] = "compute roof",
    [RUNG_MEMORY] = "memory roof",
    [RUNG_PORTS] = "ports and front end",
};

const int rung_models[RUNGS] = {
    [RUNG_COMPUTE] = MODEL_ROOFLINE,
    [RUNG_MEMORY] = MODEL_ROOFLINE,
    [RUNG_PORTS] = MODEL_PORTS,
};

/* --- prediction --- */

static const struct ceiling *lower(const struct ceiling *a, const struct ceiling *b)
{
    return isnan(a->rate) || b->rate < a->rate ? b : a;
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
        rung->ceiling = r ? *lower(&out->rungs[r - 1].ceiling, &rung->own) : rung->own;
        rung->closes = NAN;
    }
}

/* --- judgement --- */

/* A rung is nearer than one before it by more than rounding. */
static const double nearer_by = 0.005;

static double distance(const struct measured *m, const struct rung *r)
{
    return fabs(log(m->rate / r->ceiling.rate));
}

static int explanation(const struct ladder *l, const struct measured *m)
{
    int nearest = -1;
    for (int r = 0; r < RUNGS; r++) {
        const struct rung *rung = &l->rungs[r];
        if (rung->verdict.kind == VERDICT_NONE) {
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
