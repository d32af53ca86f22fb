/* latency.h - cycles from a source operand of an instruction to one of its destinations.
 *
 * As uops.info defines them: per pair of operands (Abel, Reineke, ASPLOS 2019, section 5.2).  A
 * memory source counts from its address.  Operands count from 1 as the form writes them; 0 is what
 * it does not write: flags, masks, implicit registers.  A file may name which of these a row is of;
 * they are not told apart here, and the least of equally good rows stands for all, since a chain is
 * a lower bound.
 *
 * Units: cycles; NaN where the machine file does not say, which is never the same as 0.
 */
#ifndef GAMBREL_MODEL_LATENCY_H
#define GAMBREL_MODEL_LATENCY_H

#include "model/cost_table.h"

/* The row of the file that is most specific for the pair; a row that names a source but not this
 * destination serves for implicit destinations.  Eliminated moves take 0; composed forms add the
 * load to the path through memory. */
double latency_of(const struct cost_row *row, int source, int destination);

/* What the file says of exactly this pair. */
double latency_of_pair(const struct cost_row *row, int source, int destination);

/* With one register as every source, where the file says that it differs; NaN. */
double latency_of_same(const struct cost_row *row);

/* From the value in a memory source, not its address, to a destination: the latency of the memory
 * operand less that of the load alone. */
double latency_past_load(struct cost_table *t, const struct cost_row *row, int source,
                         int destination);

/* Position of the memory operand in a normalised form; 0 if none is written. */
int latency_memory_operand(const char *form);

#endif
