/* pulse.h - the state of the core from a few microseconds' work: how long a cycle is, and whether
 * it is ours alone.
 *
 * Where a core has two threads and somebody else has the other one, as on a shared host, loops take
 * up to three times as long and no counter of a guest says so.  A chain of dependent adds, which
 * gives the length of a cycle, does not notice; a flood of nops does.
 *
 * Units: ticks of the counter that pulse_ticks reads, which only are compared with each other
 * (reading the time in seconds right after a vector loop was seen to be off by 0.15 microseconds);
 * cycles.
 */
#ifndef GAMBREL_MEASURE_PULSE_H
#define GAMBREL_MEASURE_PULSE_H

#include <stdbool.h>
#include <stdint.h>

struct pulse {
    double cycle_ticks; /* of one cycle */
    double crowd;       /* cycles that a nop of the flood takes */
};

/* Waits for what was begun before, and is waited for. */
uint64_t pulse_ticks(void);

/* Takes about a microsecond: family 6 model 207 runs up to 7 % slower under dense 512-bit
 * arithmetic, and is back at its old clock two to five microseconds after it, with a pause in
 * between, so that only what follows a loop at once tells the clock it ran at.  Longer where the
 * counter is coarse.  What it needs to know of this machine is to be found out once, on a core that
 * is awake. */
struct pulse_gauge {
    double overhead_ticks; /* of a measurement: the counter's reads, the exit of a loop */
    uint64_t chain_trips, flood_trips;
};
struct pulse_gauge pulse_gauge(void);
struct pulse pulse_touch(const struct pulse_gauge *g);

/* Dependent adds over seconds, the fastest of three times some twenty microseconds; for a core that
 * has been busy with nothing else. */
double pulse_clock_hz(void);

/* The crowd over some twenty microseconds, for which a neighbour may be away for one: a median, so
 * that neither an interrupt nor a clock that changes meanwhile counts. */
double pulse_crowd(const struct pulse_gauge *g);

/* Of about a millisecond: the median crowd, and whether it stays alike, as it does where nobody
 * else is, or somebody always. */
struct pulse_summary {
    double crowd;
    bool even;
};
struct pulse_summary pulse_listen(const struct pulse_gauge *g);

/* Not much more crowded than at the quietest. */
bool pulse_is_quiet(double crowd, double quietest);

#endif
