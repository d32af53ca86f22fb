/* campaign.h - one whole run: which cases, in which order, with which protocol, into a struct run.
 *
 * Order: every roof, every kernel, every kernel again, every roof again, each list shuffled by a
 * fixed seed, so that a slow minute is seen as one.  doc/method.md says the protocol in full.
 */
#ifndef GAMBREL_MEASURE_CAMPAIGN_H
#define GAMBREL_MEASURE_CAMPAIGN_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/run.h"
#include "measure/host.h"
#include "measure/loops.h"

#include <stdbool.h>

struct campaign_settings {
    int threads; /* 0: one run on one thread, then one on all allowed cores; N: 1 and N */
    int reps;    /* timed passes per case: 21 */
    /* discarded passes per case: 0.1; of a mix, and of each visit to a kernel, half */
    double warmup_s;
    double spin_s; /* before the first roof: 0.3 */
    double pass_s; /* aimed at; 0: 0.0002 */
    bool quick;    /* L1 and DRAM only, no sweep, no waiting for quiet cores */
    enum isa isa;
    const char *const *names; /* only these roofs and kernels; NULL: all */
    int n_names;
    /* Called between cases; never while one is timed.  May be NULL. */
    void (*progress)(void *context, int done, int total, const char *what);
    void *context;
    const volatile int *stop; /* becomes non-zero: give up with ERR_HOST; may be NULL */
};

/* Fills cases, loops (machine code), host facts and warnings of *out.  ERR_HOST: a checksum that
 * does not match its reference, named with its case; more threads than cores; no memory. */
bool campaign_run(const struct campaign_settings *s, const struct host *h, struct arena *a,
                  struct run *out, struct err *e);

/* The cores as `threads` threads see them.  Pure. */
struct sizes_machine;
void campaign_view(const struct host *h, int threads, struct sizes_machine *out);

#endif
