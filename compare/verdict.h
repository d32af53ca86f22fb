/* verdict.h - what a measurement says of a ceiling, noise taken into account.
 *
 * Both sides have a doubt: the 95 % interval of the kernel's median, and that of the roof the
 * ceiling stands on.  Where they meet within VERDICT_TOLERANCE the ceiling binds.  A measurement
 * above it by more is a violated bound: the description is wrong, never the loop.  Below it by
 * more, the model misses something that slows the loop down.
 */
#ifndef GAMBREL_COMPARE_VERDICT_H
#define GAMBREL_COMPARE_VERDICT_H

#include "base/text.h"
#include "compare/measured.h"
#include "compare/models.h"

/* Intervals of medians do not see what moves between two cases of a run (pages, clock,
 * neighbours).  Two measurements of one roof inside one run agree within two percent: roofline
 * article, on its ten-core machine. */
#define VERDICT_TOLERANCE 0.02
/* Medians further apart than this, though their intervals meet, say nothing. */
#define VERDICT_NEAR 0.05

enum verdict_kind {
    VERDICT_NONE,     /* no ceiling, or no measurement               */
    VERDICT_BOUND,    /* as fast as the ceiling lets it              */
    VERDICT_NOISY,    /* could be, but so wide is the doubt that it could be much else */
    VERDICT_MISSES,   /* slower: the model leaves something out      */
    VERDICT_VIOLATES, /* faster: the model's description is wrong    */
};
extern const char *const verdict_names[]; /* "unknown", "bound", "noisy", "misses", "violates" */

struct verdict {
    enum verdict_kind kind;
    double by;     /* |1 - measured / ceiling|; NaN for VERDICT_NONE */
    bool doubtful; /* the measurement, or the roof behind the ceiling, was disturbed */
};

struct verdict verdict_of(const struct measured *m, const struct ceiling *c);

/* Of a ceiling alone: "bound by the DRAM triad roof", "misses by 28 % (fma_f32 roof)", "violated by
 * 17 % (DRAM triad roof)", "too uncertain to tell (...)", "no roofline: ...". */
struct verdict_style {
    const char *missing, *above; /* "no roofline", "violated by" */
};
void verdict_short_words(const struct verdict *v, const struct ceiling *c, struct verdict_style s,
                         struct text *out);
/* The same, as "no prediction" and "violates the bound by", and what makes it doubtful. */
void verdict_words(const struct verdict *v, const struct measured *m, const struct ceiling *c,
                   struct text *out);

#endif
