/* cells.h - how the tables of a report for people say numbers: one way for each kind of quantity.
 *
 * What is not known says "unknown"; what does not exist says "-".
 */
#ifndef GAMBREL_COMPARE_CELLS_H
#define GAMBREL_COMPARE_CELLS_H

#include "compare/join.h"
#include "compare/table.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

extern const char accuracy_legend[]; /* what stands above a table of accuracies */

const char *known_text(const char *text); /* "unknown" for NULL and "" */
bool is_memory_unit(const char *unit);

void cell(struct table *t, const char *text);
void cell_number(struct table *t, double value, int digits);
void cell_giga(struct table *t, double value);  /* 1e9 of the unit */
void cell_ratio(struct table *t, double value); /* two digits */
/* Percent; from a thousand on "x 15": the factor that it means. */
void cell_percent(struct table *t, double fraction);
/* "65.5 +-0.4": the median in 1e9 of the unit, and how far its 95 % interval reaches on its wider
 * side; the median alone where there are no samples to tell. */
void cell_median(struct table *t, const struct measured *m);
void cell_bytes(struct table *t, double value);
const char *disturbed_mark(struct table *t, const struct measured *m); /* " [1]"; "" */
void cell_passes(struct table *t, const struct measured *m);           /* n */
void cell_spread(struct table *t, const struct measured *m); /* two cells: cv in percent, n */
/* Folds the columns "cv %" and "n" where they say one thing throughout, for a heading: ", medians
 * of 21 passes". */
const char *fold_spread(struct table *t);
/* Five cells: rows, MAPE, RMS, tau, coverage. */
void cells_accuracy(struct table *t, const struct accuracy *a);
/* A value that need not exist. */
void cell_maybe(struct table *t, double value, void (*fill)(struct table *, double));
/* A rate under the convention that lines are fetched before they are overwritten; "=" where that is
 * what is counted. */
void cell_with_fetch(struct table *t, const struct comparison *c, double counted,
                     double with_fetch);
/* What disturbed a measurement, as the mark of a footnote; other remarks in words. */
void cell_remark(struct table *t, const struct measured *m, bool from_machine);

#endif
