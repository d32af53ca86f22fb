/* pulse.h - the state of the core from a few microseconds' work: how long a cycle is, and whether it is ours alone.
 *
 * Where a core has two threads and somebody else has the other one, as on a shared host, loops take up
 * to three times as long and no counter of a guest says so.  A chain of dependent adds, which gives the
 * length of a cycle, does not notice; a flood of nops does.
 *
 * Units: ticks of the counter that pulse_ticks reads, which only are compared with each other (reading the
 * time in seconds right after a vector loop was seen to be off by 0.15 microseconds); cycles.
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

struct pulse pulse_feel(void);

/* The same in a tenth of the time, less what measuring nothing takes, which is to be found out once. */
double pulse_overhead_ticks(void); /* of a measurement: the counter's reads, the exit of a loop */
struct pulse pulse_touch(double overhead_ticks);

/* Of about a millisecond of pulses: the median crowd, and whether they are alike, as they are where nobody
 * else is, or somebody always. */
struct pulse_summary {
    double crowd;
    bool even;
};
struct pulse_summary pulse_listen(void);

/* Neither much more crowded than at the quietest nor impossibly less. */
bool pulse_is_quiet(struct pulse p, double quietest);

#endif
