/* host.h - the machine this process may use: the one door to hwloc.
 *
 * What counts is what the process is allowed: affinity, cgroup quota, memory limit; not what the box
 * has.  What the system does not tell is unknown (NaN, "unknown"), never guessed.
 */
#ifndef GAMBREL_MEASURE_HOST_H
#define GAMBREL_MEASURE_HOST_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/run.h"

#define HOST_CPUS_MAX 1024

struct host {
    struct run_host facts;
    int cpus[HOST_CPUS_MAX]; /* one logical CPU per allowed core, fast cores only, to pin to */
    int n_cpus;              /* >= 1; already cut down to the cgroup quota */
    double l1_bytes, l2_bytes, last_level_bytes; /* data caches one core sees; NaN */
    const char *last_level;  /* "L2", "L3" */
    double memory_usable_bytes; /* least of free memory and cgroup limit */
    const char *warnings[8];
    int n_warnings;
};

bool host_describe(struct arena *a, struct host *out, struct err *e);

/* Counters that move while a case runs; see run_noise.  Fields that cannot be read are NaN. */
struct host_noise {
    double stolen_s, pressure_s, throttled_s;
};
void host_noise_read(const struct host *h, struct host_noise *out);

#endif
