/* documented.h - a run in which nothing was measured: what a machine file alone says of its roofs.
 *
 * The compute roofs are what the file's ports make of their loops at its clock, and say so as their
 * source.  Memory roofs are not made up: where the file carries none there are none.  A file
 * without a clock gets one of 1 GHz, and the run a warning that says so.
 */
#ifndef GAMBREL_COMPARE_DOCUMENTED_H
#define GAMBREL_COMPARE_DOCUMENTED_H

#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/run.h"

/* On `threads` cores: the clock of one core for 1, else that of all.  ERR_*: as cost_compile. */
struct run *documented_run(const struct machine *m, const struct kernels *k, int threads,
                           struct arena *a, struct err *e);

#endif
