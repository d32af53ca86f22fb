/* host.h - the machine this process may use: the one door to hwloc.
 *
 * What counts is what the process is allowed: affinity, cgroup quota, memory limit; not what the
 * box has.  What the system does not tell is unknown (NaN, "unknown"), never guessed.
 */
#ifndef GAMBREL_MEASURE_HOST_H
#define GAMBREL_MEASURE_HOST_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/run.h"
#include "measure/cgroup.h"

#define HOST_CPUS_MAX     1024
#define HOST_LEVELS_MAX   3
#define HOST_WARNINGS_MAX 8

/* One level of data caches as the CPUs in `cpus` see it. */
struct host_level {
    double bytes;                /* of one instance; NaN: unknown */
    int instance[HOST_CPUS_MAX]; /* which instance cpus[i] uses; -1: unknown */
};

struct host {
    struct run_host facts;
    int cpus[HOST_CPUS_MAX]; /* one logical CPU per allowed core, fast cores only, to pin to */
    int n_cpus;              /* >= 1; already cut down to the cgroup quota */
    double l1_bytes, l2_bytes, last_level_bytes; /* data caches one core sees; NaN */
    const char *last_level;                      /* "L1", "L2", "L3"; "unknown" */
    struct host_level levels[HOST_LEVELS_MAX];   /* L1, L2, L3 */
    int numa_nodes;
    double memory_usable_bytes; /* least of free memory and cgroup limit; NaN: unknown */
    const char *warnings[HOST_WARNINGS_MAX];
    int n_warnings;
    const char *root; /* where /proc is, for host_noise_read */
    struct cgroup cgroup;
};

/* Where the description comes from, so that other machines can be described from recordings. */
struct host_source {
    const char *root;     /* the folder that stands for "/"; "" */
    const char *topology; /* a file of hwloc's XML; NULL: this machine */
    const char *cpus;     /* the allowed CPUs as a list; NULL: what sched_getaffinity says */
};

/* ERR_HOST: hwloc fails, or no CPU is left to run on. */
bool host_describe(struct arena *a, struct host *out, struct err *e);
bool host_describe_from(const struct host_source *source, struct arena *a, struct host *out,
                        struct err *e);

/* How many of cpus[0..threads) share one instance of this level at most (>= 1), and how many
 * instances they reach together (>= 1). */
int host_level_sharers(const struct host_level *l, int threads);
int host_level_instances(const struct host_level *l, int threads);

/* Counters that move while a case runs on cpus[0..threads); see run_noise.  NaN: cannot be read. */
struct host_noise {
    double stolen_s, pressure_s, throttled_s;
};
void host_noise_read(const struct host *h, int first, int n, struct host_noise *out);

#endif
