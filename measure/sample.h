/* sample.h - one case: a loop at one size on so many threads, timed by the protocol.
 *
 * Every thread fills its slices, then all make passes between spinning barriers: first to find
 * their length, then discarded ones, then timed ones.  A pass lasts from the first thread's start
 * to the last one's end; right after it every thread reads its clock, and then whether its core is
 * its own (pulse.h).  What else could have disturbed the case is read before and after all passes.
 * At the end what the loop computed is compared with its reference.
 *
 * Units: seconds, bytes, iterations.
 */
#ifndef GAMBREL_MEASURE_SAMPLE_H
#define GAMBREL_MEASURE_SAMPLE_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/run.h"
#include "measure/host.h"
#include "measure/loops.h"
#include "measure/memory.h"
#include "measure/pool.h"
#include "measure/protocol.h"
#include "measure/pulse.h"

#include <stdbool.h>
#include <stdint.h>

struct sampler { /* what lives as long as the run */
    const struct host *host;
    struct pool *pool;
    int n_workers; /* of the pool that a case on one thread may run on, whichever is quietest then */
    struct memory regions[HOST_CPUS_MAX]; /* of each thread */
    int n_regions;
    const volatile int *stop; /* may be NULL */
    struct pulse_gauge gauge; /* found at the first case, as the next */
    double quietest;          /* crowd of a core that is nobody else's: the least that was seen */
};

struct sample_request {
    const struct loop *loop;
    const char *level; /* names the case in errors */
    uint64_t slice_bytes;
    int threads;
    double patience_s;           /* for cores to be nobody else's, before it begins */
    struct protocol_rules rules; /* n_iter_max is lowered to what the loop allows */
    unsigned seed;
};

/* What one thread's region must hold for this loop and slice, its state included. */
size_t sample_region_bytes(const struct loop *l, uint64_t slice_bytes);

struct sampled {
    struct run_case
        run;         /* seconds, clock_hz, n, work, bytes, checksum, reference, tolerance, noise */
    uint64_t n_iter; /* of a pass */
    double severity; /* noise_judge's */
};

/* Names, kind and the like of out->run are left as they are.
 * ERR_HOST: stopped, or the loop's result is wrong. */
bool sample_run(struct sampler *s, const struct sample_request *r, struct arena *a,
                struct sampled *out, struct err *e);

#endif
