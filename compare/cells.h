/* cells.h - how the tables of a report for people say numbers: one way for each kind of quantity.
 *
 * What is not known says "unknown"; what does not exist says "-".
 */
#ifndef GAMBREL_COMPARE_CELLS_H
#define GAMBREL_COMPARE_CELLS_H

#include "compare/join.h"
#include "compare/table.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

const char *known_text(const char *text); /* "unknown" for NULL and "" */
bool is_memory_unit(const char *unit);

void cell(struct table *t, const char *text);
void cell_number(struct table *t, double value, int digits);
void cell_giga(struct table *t, double value);  /* 1e9 of the unit */
void cell_ratio(struct table *t, double value); /* two digits */
void cell_percent(struct table *t, double fraction);
void cell_bytes(struct table *t, double value);
void cell_spread(struct table *t, const struct measured *m); /* two cells: cv in percent, n */
/* A value that need not exist. */
void cell_maybe(struct table *t, double value, void (*fill)(struct table *, double));
/* A rate under the convention that lines are fetched before they are overwritten. */
void cell_with_fetch(struct table *t, const struct comparison *c, double counted,
                     double with_fetch);
void cell_remark(struct table *t, const struct measured *m, bool from_machine);

#endif
