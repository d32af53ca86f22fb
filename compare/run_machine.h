/* run_machine.h - what a run says of its machine, as a machine file has it.
 *
 * Identity, clock and caches as the host tells them, roofs (the higher of two rounds, the other
 * beside it), the chain curve as fractions of its best point.  What the machine has already stays;
 * what the run does not know stays unknown.
 */
#ifndef GAMBREL_COMPARE_RUN_MACHINE_H
#define GAMBREL_COMPARE_RUN_MACHINE_H

#include "formats/machine.h"
#include "formats/run.h"

/* `source` is that of all that is added. */
void run_describe_machine(const struct run *r, const char *source, struct machine *m,
                          struct arena *a);

#endif
