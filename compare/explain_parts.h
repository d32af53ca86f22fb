/* explain_parts.h - the parts of explain_words: the loop itself, its chains, one ladder. */
#ifndef GAMBREL_COMPARE_EXPLAIN_PARTS_H
#define GAMBREL_COMPARE_EXPLAIN_PARTS_H

#include "compare/explain.h"

/* What the loop asks of the core, which no level changes. */
void explain_loop(const struct explanation *x, struct document *d);
/* Its chains: what the latencies of the machine file allow, what the measured curve says. */
void explain_chains(const struct explanation *x, struct document *d);
/* One ladder, its verdict and what would lift it. */
void explain_ladder(const struct explanation *x, const struct explained *l, struct document *d);
/* The one change of each kind that would lift its ceiling most. */
void explain_lift(const struct explained *l, struct document *d);
/* All reliefs: those that change something as a table, the others by name. */
void explain_sensitivity(const struct explained *l, struct document *d);
/* Rung by rung, before and after the changes. */
void explain_what_if(const struct explained *l, struct document *d);

/* The rung with all rows. */
const struct rung *explain_top(const struct climb *c);
/* In 1e9 of the unit, as tables say it. */
const char *explain_giga(double rate, struct arena *a);

/* " (FILE:LINE)"; "" where the line is not known. */
const char *explain_place(struct loc loc, struct arena *a);
/* "GFLOP/s" or "GB/s". */
const char *explain_unit(const struct kernel *k);

#endif
