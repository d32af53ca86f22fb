/* protocol.h - how one case goes on after each pass: how many iterations, warm-up or timed, done.
 *
 * Pure: it is told how long a pass took and says what comes next, so that it is tested on made-up
 * times.  First passes find the number of iterations that takes about pass_s; passes are discarded
 * for warmup_s; then `reps` passes of one and the same length are timed.  A timed pass during which
 * somebody else ran on one of its cores is discarded and made again, up to `spare` times in all.
 *
 * Each pass is led in by iterations that are not timed: a core that was at other work since the
 * last pass takes some microseconds to be ready for wide instructions and to change its clock.
 *
 * Units: seconds, iterations.
 */
#ifndef GAMBREL_MEASURE_PROTOCOL_H
#define GAMBREL_MEASURE_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

enum protocol_phase { PROTOCOL_CALIBRATE, PROTOCOL_WARM, PROTOCOL_TIMED, PROTOCOL_DONE };

struct protocol_rules {
    double pass_s, warmup_s;
    double lead_s;         /* of each pass, before its time begins; see below */
    int reps;              /* >= 1 */
    int spare;             /* crowded passes that may be made again; >= 0 */
    uint64_t n_iter_max;   /* of one pass; >= 1 */
    uint64_t n_iter_fixed; /* 0: to be found */
};

struct protocol {
    struct protocol_rules rules;
    enum protocol_phase phase;     /* of the pass to come */
    uint64_t n_iter;               /* of the pass to come; >= 1 */
    uint64_t n_lead;               /* iterations before it; at most n_iter */
    double warmed_s, iter_s_least; /* of the warm-up */
    int warm_passes, timed;        /* passes made so far */
    int discarded, crowded;        /* crowded passes: made again; timed for want of spare ones */
};

void protocol_start(struct protocol *p, const struct protocol_rules *rules);

/* The pass that p described took `seconds`.  Returns the index of the sample it is, or -1. */
int protocol_next(struct protocol *p, double seconds, bool crowded);

#endif
