/* probe.h - measures blocks of instructions in a child process.
 *
 *     cycles = time of a block / time of one add of a chain of dependent adds, run right beside it
 *
 * A child of its own runs many blocks; what kills it (illegal instruction, bad address, arithmetic,
 * a loop that does not end) costs the block that did it, which is named, and the next child goes on
 * behind it.  Code is written before the child begins and executed by it alone.
 *
 * Where cores have two threads and somebody else has the other one, as on a shared host, a block
 * takes up to twice as long and no counter says so.  The chain of adds does not notice; a flood of
 * nops does: on a two-core guest it took 0.174 cycles an instruction or 0.25 to 0.48 (family 6
 * model 207).  Samples count only between two floods as fast as the fastest, and of them the lower
 * quartile, since what disturbs makes slower.
 *
 * Units: cycles of the core, whatever its clock does meanwhile.
 */
#ifndef GAMBREL_MEASURE_PROBE_H
#define GAMBREL_MEASURE_PROBE_H

#include "base/arena.h"
#include "base/err.h"
#include "measure/probe_code.h"

#include <stdbool.h>

#define PROBE_SAMPLES_MAX 31
#define PROBE_SAMPLES_MIN 3 /* fewer are not believed */
#define PROBE_BATCH_MAX   256

/* How a block fails that may be measured at a better time. */
#define PROBE_CROWDED "the core was never ours alone for long enough"

struct probe_settings {
    int samples;       /* of each block, 1 .. PROBE_SAMPLES_MAX */
    double cycles;     /* of one sample, about */
    double patience_s; /* CPU time that a block may wait for the core to be quiet */
    double wait_s;     /* that probe_measure_patiently goes on trying */
    double limit_s;    /* > patience_s: CPU time after which a block is said not to end */
    enum probe_values values;
};
extern const struct probe_settings probe_defaults;

struct probe_result {
    double cycles;          /* per execution of the block; NaN: failed */
    double spread;          /* half the distance of the quartiles, over the cycles */
    int n;                  /* samples */
    int readings;           /* of which this comes, probe_stable.h; 0 otherwise */
    double register_cycles; /* as of struct probe_code; 0: not known */
    const char *failed;     /* "illegal instruction", ...; NULL: measured */
};

struct probe;

/* ERR_HOST: not x86-64, or the system gives no memory to execute in.  Released with the arena. */
struct probe *probe_open(const struct probe_settings *s, struct arena *a, struct err *e);

const struct probe_settings *probe_settings_of(const struct probe *p);

/* Cycles of a nop of a flood on a core that is ours alone, as far as was seen until now; 0: nothing
 * was run. */
double probe_quietest(const struct probe *p);

/* results[n], of any number of blocks.  A block that cannot be made into a kernel fails too, with
 * the reason.  ERR_HOST: no child can be made. */
bool probe_measure(struct probe *p, const struct probe_block *blocks, int n,
                   struct probe_result *results, struct err *e);

/* The same for code that is a kernel already (probe_code.h); blocks_per_trip blocks in a trip.  The
 * code is copied. */
struct probe_kernel {
    const uint8_t *code;
    size_t len; /* <= PROBE_CODE_BYTES */
    int blocks_per_trip;
    /* uses 512-bit vectors, for which some cores slow down a while before they are ready */
    bool wide;
};
bool probe_run(struct probe *p, const struct probe_kernel *kernels, int n,
               struct probe_result *results, struct err *e);

#endif
