#include "compare/verdict.h"

#include <math.h>

const char *const verdict_names[] = {"unknown", "bound", "noisy", "misses", "violates"};

static double or_rate(double end, double rate)
{
    return isnan(end) ? rate : end;
}

struct verdict verdict_of(const struct measured *m, const struct ceiling *c)
{
    struct verdict v = {VERDICT_NONE, NAN, m->disturbed || c->disturbed};
    if (isnan(m->rate) || isnan(c->rate)) {
        return v;
    }
    v.by = fabs(1 - m->rate / c->rate);
    if (or_rate(m->low, m->rate) > or_rate(c->high, c->rate) * (1 + VERDICT_TOLERANCE)) {
        v.kind = VERDICT_VIOLATES;
    } else if (or_rate(m->high, m->rate) < or_rate(c->low, c->rate) * (1 - VERDICT_TOLERANCE)) {
        v.kind = VERDICT_MISSES;
    } else {
        v.kind = v.by <= VERDICT_NEAR ? VERDICT_BOUND : VERDICT_NOISY;
    }
    return v;
}

void verdict_short_words(const struct verdict *v, const struct ceiling *c, struct verdict_style s,
                         struct text *out)
{
    switch (v->kind) {
    case VERDICT_NONE:
        text_add(out, "%s%s%s", s.missing, c->missing[0] ? ": " : "", c->missing);
        break;
    case VERDICT_BOUND:
        text_add(out, "bound by the %s", c->binds);
        break;
    case VERDICT_NOISY:
        text_add(out, "too uncertain to tell (%s)", c->binds);
        break;
    case VERDICT_MISSES:
        text_add(out, "misses by %.0f %% (%s)", 100 * v->by, c->binds);
        break;
    case VERDICT_VIOLATES:
        text_add(out, "%s %.0f %% (%s)", s.above, 100 * v->by, c->binds);
        break;
    }
}

void verdict_words(const struct verdict *v, const struct measured *m, const struct ceiling *c,
                   struct text *out)
{
    const struct verdict_style s = {.missing = "no prediction", .above = "violates the bound by"};
    verdict_short_words(v, c, s, out);
    if (m->disturbed) {
        text_add(out, " (disturbed%s%s)", m->why[0] ? ": " : "", m->why);
    }
    if (c->disturbed) {
        text_add(out, " (the roof was disturbed)");
    }
}
