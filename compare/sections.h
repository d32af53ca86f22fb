/* sections.h - the sections of a report for people, in its order. */
#ifndef GAMBREL_COMPARE_SECTIONS_H
#define GAMBREL_COMPARE_SECTIONS_H

#include "compare/cells.h"
#include "compare/document.h"

/* What ran where, in two lines; section_machine has it whole. */
void section_header(const struct comparison *c, struct document *d);
void section_machine(const struct comparison *c, struct document *d);
void section_warnings(const struct comparison *c, struct document *d);
void section_compute_roofs(const struct comparison *c, struct document *d);
void section_memory_roofs(const struct comparison *c, struct document *d);
void section_kernels(const struct comparison *c, struct document *d);
void section_ladder(const struct comparison *c, struct document *d);
void section_streams(const struct comparison *c, struct document *d);
void section_further_mixes(const struct comparison *c, struct document *d);
void section_mix(const struct comparison *c, struct document *d);
void section_traffic(const struct comparison *c, struct document *d);
void section_models(const struct comparison *c, struct document *d);
void section_chains(const struct comparison *c, struct document *d);
void section_caches(const struct comparison *c, struct document *d);
void section_sweep(const struct comparison *c, struct document *d);

/* What may stay unexplained before a row says so loudly: five percent from L1, ten from further
 * out, where neighbours share what is measured. */
double quiet_part(const struct row *row);

#endif
