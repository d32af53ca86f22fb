/* probe_rows.h - measured latencies as a machine file has them. */
#ifndef GAMBREL_MEASURE_PROBE_ROWS_H
#define GAMBREL_MEASURE_PROBE_ROWS_H

#include "formats/machine.h"
#include "measure/probe_latency.h"

/* One row for each pair of operands and names; where several paths share one (the base and the
 * index of an address) the longest stands for all.  To hundredths of a cycle, which is what chains
 * repeat to. */
void probe_rows_describe(const struct probe_latencies *from, struct machine_form *to,
                         struct arena *a);

/* From a store of a general register of 64 bits: store forwarding, with and without an index
 * register. */
void probe_rows_forward(const struct probe_form *f, const struct probe_latencies *from,
                        struct machine *m);

#endif
