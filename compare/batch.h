/* batch.h - several comparisons side by side: kernels by models for each run, and how good each
 * model is over all of them.
 */
#ifndef GAMBREL_COMPARE_BATCH_H
#define GAMBREL_COMPARE_BATCH_H

#include "compare/document.h"
#include "compare/join.h"

struct batch {
    const struct comparison *const *runs;
    int n;
    struct accuracy accuracy[MODELS_MAX];           /* by models[], over the rows of all runs */
    struct accuracies accuracy_l1, accuracy_beyond; /* over those from L1, and from further out */
    struct miss {
        const struct comparison *run;
        const struct row *row;
    } * misses; /* every row with an explanation, the largest unexplained part first */
    int n_misses;
};

struct batch batch_of(const struct comparison *const *runs, int n, struct arena *a);

/* For people. */
void batch_write(const struct batch *b, struct document *d);

#endif
