/* reliefs.h - what would lift a ceiling: every row of a ladder relieved in turn, and ranked.
 *
 * A row is relieved by a change (whatif.h): a port gets a twin, dispatch one more slot, a form one
 * cycle less of latency or no cost at all, a roof ten percent, the loop more chains or wider
 * vectors. The gain is that of the top of the ladder, the least of all rows: relieving one of two
 * rows that bind together gains nothing.
 */
#ifndef GAMBREL_COMPARE_RELIEFS_H
#define GAMBREL_COMPARE_RELIEFS_H

#include "compare/whatif.h"

/* A gain below this is none. */
#define RELIEF_GAIN_MIN 0.005

enum relief_where { RELIEF_CODE, RELIEF_CORE, RELIEF_MEMORY };
extern const char *const relief_where_names[]; /* "code", "core", "memory" */

struct relief {
    enum relief_where where;
    const char *what; /* "20 chains in place of 12" */
    struct change change;
    double rate;       /* the ceiling it would lift to */
    double gain;       /* rate over the ceiling before, less 1 */
    const char *binds; /* what binds then */
};

struct reliefs {
    struct relief *list; /* the highest gain first; equals in order of trial */
    int n;
};

/* Of a ladder without a ceiling, or without a machine file: none. */
struct reliefs reliefs_of(const struct climb *now);

/* The first of the list that gains anything; NULL. */
const struct relief *reliefs_best(const struct reliefs *r, enum relief_where where);

#endif
