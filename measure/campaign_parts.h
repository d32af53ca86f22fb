/* campaign_parts.h - what the files of the campaign share; nobody else includes it.
 *
 * campaign.c        threads, levels, memory, the order of stages, what stands beside the cases
 * campaign_cases.c  stage by stage, one case after the other: repeats, visits
 * campaign_sweep.c  the size sweep, and what follows from it
 * campaign_code.c   the machine code of the loops that ran
 */
#ifndef GAMBREL_MEASURE_CAMPAIGN_PARTS_H
#define GAMBREL_MEASURE_CAMPAIGN_PARTS_H

#include "measure/campaign.h"
#include "measure/plan.h"
#include "measure/sample.h"
#include "measure/sizes.h"

struct campaign {
    const struct campaign_settings *settings;
    const struct host *host;
    struct arena *arena;
    struct sampler sampler;
    struct sizes_machine views[2]; /* of one thread, of all */
    int threads[2];                /* 1, and all where that is more; else 0 */
    struct plan plan;
    struct run *run;
    uint64_t *n_iter; /* of run->cases */
    size_t cases_capacity, loops_capacity, warnings_capacity;
    unsigned seed;
    struct err *e;
};

void campaign_warn(struct campaign *c, const char *text);

/* Bytes of one slice where a loop is measured at a level; 0 for a loop without arrays. */
uint64_t campaign_slice(const struct campaign *c, const struct loop *l, enum level level,
                        int threads);

/* Maps the region of a thread, or a larger one instead of a smaller one. */
bool campaign_region(struct campaign *c, int thread, size_t bytes);

/* A case of which only its names are set. */
struct sampled campaign_blank(const struct loop *l, enum run_kind kind, const char *level,
                              int round);
/* Once, with data of its own.  out: its names are set. */
bool campaign_measure(struct campaign *c, const struct sample_request *request,
                      struct sampled *out);
void campaign_add(struct campaign *c, const struct sampled *made);

/* All threads at once, for spin_s: idle cores wake up and raise their clocks. */
void campaign_spin(struct campaign *c);
bool campaign_cases(struct campaign *c); /* the whole plan */
bool campaign_sweep(struct campaign *c); /* before the plan is made; a quick run skips it */
bool campaign_code(struct campaign *c);

#endif
