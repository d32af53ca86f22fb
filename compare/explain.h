/* explain.h - one kernel's ladders in words: what binds, what that costs, what would lift it.
 *
 * The numbers are those of the comparison and of what-if (whatif.h, reliefs.h); nothing is computed
 * for the words alone.
 */
#ifndef GAMBREL_COMPARE_EXPLAIN_H
#define GAMBREL_COMPARE_EXPLAIN_H

#include "compare/document.h"
#include "compare/join.h"
#include "compare/reliefs.h"

/* What to explain; NULL and 0: all there is, of the widest instruction set. */
struct explain_wish {
    const struct kernel *kernel;
    const char *isa, *level;
    int threads;
    const struct change *changes;
    int n_changes;
    bool sensitivity; /* all reliefs, not only the best */
};

struct explained {
    const struct row *row;  /* NULL: nothing was measured */
    struct climb now, then; /* then: with the changes, if there are any */
    struct reliefs reliefs;
};

struct explanation {
    const struct comparison *comparison;
    struct explain_wish wish; /* isa: the one that was chosen */
    struct explained *ladders;
    int n_ladders;
    int n_violated; /* ladders whose undisturbed measurement lies above a ceiling */
};

/* A comparison without rows is that of a machine alone (documented.h).  ERR_RANGE: no such ladder,
 * with those there are; and as whatif_climb.  Everything lives in the evidence's arena. */
struct explanation *explain(const struct comparison *c, const struct explain_wish *wish,
                            struct err *e);

void explain_words(const struct explanation *x, struct document *out);
/* Format gambrel-explain-1; what is not known is null. */
void explain_json(const struct explanation *x, struct text *out);

#endif
