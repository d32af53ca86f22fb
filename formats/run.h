/* run.h - the results of one run: what was measured, on what, how, and every sample.
 *
 * compare reads these types from a file and cannot tell a fresh run from a recorded one; measure
 * only writes them.  Numbers nobody knows are NaN in memory and `unknown` in the file, texts nobody
 * knows are "unknown".
 *
 * Units: seconds, Hz, bytes; work in flops or bytes as `unit` says.
 */
#ifndef GAMBREL_FORMATS_RUN_H
#define GAMBREL_FORMATS_RUN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>

enum run_kind {
    RUN_ROOF,   /* a compute or memory roof                              */
    RUN_CHAIN,  /* a point of the chain curve                            */
    RUN_SWEEP,  /* a point of the size sweep: read rate over array bytes */
    RUN_KERNEL, /* a kernel                                              */
    RUN_KINDS
};
extern const char *const run_kind_names[]; /* "roof", "chain", "sweep", "kernel", NULL */

/* What could have falsified a case; every field is the growth during the case. */
struct run_noise {
    double stolen_s;         /* /proc/stat steal over the CPUs used; NaN: cannot be read */
    double pressure_s;       /* /proc/pressure/cpu some                                  */
    double throttled_s;      /* cgroup cpu.stat                                          */
    double context_switches; /* involuntary, all threads                                 */
    double clock_spread;     /* (upper - lower quartile) / median of the clock's readings */
    double nop_cycles; /* a nop took so many, median over the passes: more than elsewhere in the
                              * run where somebody else ran on the same core */
    int discarded;     /* passes made again because a core was shared just then    */
    int repeats;       /* times the case was measured again because it was disturbed */
    bool disturbed;
    const char *why; /* "" if not disturbed */
};

struct run_case {
    enum run_kind kind;
    const char *name; /* fma_f32, triad, saxpy ... joins with kernels.yaml */
    const char *isa;
    const char *level; /* L1, L2, L3, DRAM */
    int threads;
    int chains;            /* RUN_CHAIN; else 0 */
    int round;             /* roofs: 1 before the kernels, 2 after; kernels 1 */
    const char *unit;      /* flop/s or byte/s (bytes as counted by the formula) */
    double array_bytes;    /* of all arrays and threads together */
    double work_per_pass;  /* in the unit, all threads together; NaN for recorded values */
    double bytes_per_pass; /* as counted; NaN if none */
    double *seconds;       /* [n] one timed pass each */
    double *clock_hz;      /* [n] estimated right after the pass; NaN: not known; may be NULL */
    int n;
    /* A value taken from a publication, which has no samples: n = 0. */
    double recorded_rate, recorded_cv;     /* NaN otherwise; cv NaN: not given */
    bool derived;                          /* computed from other published values */
    const char *source;                    /* where it was published; NULL for our own */
    double checksum, reference, tolerance; /* NaN for recorded values; relative tolerance */
    struct run_noise noise;
    struct loc loc;
};

struct run_cache {
    const char *name;
    double size_bytes, line_bytes, shared_by_cpus; /* NaN: unknown */
    double measured_bytes; /* capacity at which the sweep's rate falls; NaN: no knee seen */
};

struct run_host {
    const char *cpu_name, *vendor, *isa; /* isa: x86-64 or aarch64 */
    double family, model, stepping;      /* x86; NaN */
    double implementer, part;            /* AArch64 MIDR; NaN */
    const char *microcode, *hypervisor, *kernel, *os, *compiler, *flags, *governor, *huge_pages;
    const char *cpus_allowed;                                     /* list as in taskset -c: 0-3,8 */
    double cpus_online, cpus_used, threads_per_core, cgroup_cpus; /* quota; NaN: none or unknown */
    double memory_bytes, load_average;
    double clock_hz;           /* median over the run */
    double huge_page_fraction; /* of the arrays, as the kernel reports it */
    const char *counters;      /* "none: ..." or what there is */
    struct run_cache *caches;
    int n_caches;
};

/* The machine code of a loop that ran, so that it can be decoded wherever the report is made. */
struct run_loop {
    const char *name, *isa;
    const char *code; /* hexadecimal, whole function from its first byte through the return */
    double elements_per_iter;
};

struct run {
    const char *file;
    const char *command, *date, *version, *source; /* source: recorded files only; NULL */
    double reps, warmup_ms;                        /* NaN for recorded files */
    bool quick;
    struct run_host host;
    struct run_case *cases;
    int n_cases;
    struct run_loop *loops;
    int n_loops;
    const char **warnings; /* one clear sentence each */
    int n_warnings;
};

struct run *run_read(struct bytes input, const char *file, struct arena *a, struct err *e);
/* run_read of the output gives the same numbers, bit for bit. */
bool run_write(const struct run *r, struct arena *a, struct bytes *out, struct err *e);

/* work_per_pass / median seconds, or the recorded rate. */
double run_case_rate(const struct run_case *c);

#endif
