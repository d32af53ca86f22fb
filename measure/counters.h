/* counters.h - whether hardware counters can be used: the one door to perf_event.
 *
 * Nothing that is measured depends on them.  Where the cycle counter is there, it is a second
 * opinion on the clock that the dependent adds estimate.
 */
#ifndef GAMBREL_MEASURE_COUNTERS_H
#define GAMBREL_MEASURE_COUNTERS_H

#include "base/arena.h"

/* One line: "cycles, instructions" or "none: ..." with the reason and what to do.  With cycles, the
 * clock of this thread by counter and by dependent adds is in the line too. */
const char *counters_describe(struct arena *a);

/* The same for the error number of perf_event_open and the level of perf_event_paranoid (NaN:
 * unknown). */
const char *counters_reason(int error, double paranoid, struct arena *a);

#endif
