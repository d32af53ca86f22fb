/* evidence.h - what predictions may stand on: roofs, chain points, the loops that ran, a machine
 * file.
 *
 * Made once for a run and shared by all its rows.  No measured kernel is among it, so no model can
 * see what it is compared with.
 *
 * Units: Hz, cycles per iteration, flop/s, byte/s.
 */
#ifndef GAMBREL_COMPARE_EVIDENCE_H
#define GAMBREL_COMPARE_EVIDENCE_H

#include "base/arena.h"
#include "code/loop.h"
#include "compare/measured.h"
#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/run.h"
#include "model/ceiling.h"
#include "model/chain.h"
#include "model/streams.h"

#include <stdbool.h>

/* A loop that ran: its machine code, decoded, beside what kernels.yaml promises of it. */
struct ran_loop {
    const char *name, *isa;
    const struct kernel *described;
    bool stated; /* nothing ran: the code is the one that the kernel's description carries */
    struct kernel_body body; /* as stated, but with the elements per iteration of what ran */
    struct code_loop code;
    struct loop_counts counts;
    const char *problem;     /* "" or why the code cannot be read: then nothing above is set */
    const char *differences; /* "" or promise and code, a line each */
    struct chain_bound chain;
    const char *chain_problem; /* "" or why there is none */
};

struct chain_point {
    const char *isa;
    int threads, chains;
    struct measured measured;
    double fraction; /* of the best point of the same isa and threads */
};

/* The clock of the cores while `threads` of them run loops of an instruction set. */
struct core_clock {
    const char *isa;
    int threads;
    double hz;        /* median beside the roofs; the host's where none is; NaN */
    double low, high; /* of the medians beside single roofs; both hz where there is none */
    bool beside_roofs;
    double factor; /* of all its readings: 1, but where a what-if changes the clock */
    /* What the fma_f32 roof means: its rate over the flops per cycle that the machine file gives
     * its loop.  NaN: no such roof, or the machine file does not tell. */
    double under_fma_hz;
};

/* The mapping of memory streams at one level, fitted to the run's own roofs. */
struct stream_fit {
    const char *level, *isa;
    int threads;
    struct stream_mix *mixes;
    int n_mixes;
    const char *problem; /* "" or why there is no mapping */
    struct stream_map map;
    bool disturbed; /* one of the mixes was */
};

/* Beside roofs[i]. */
struct roof_detail {
    const struct kernel *described; /* the loop that measured it; NULL: not in kernels.yaml */
    double rate_with_fetch; /* byte/s with the fetch of overwritten lines; equal to the rate where
                               none are overwritten; NaN for compute roofs */
    bool from_machine;      /* the run has no such roof: the machine file's */
};

struct evidence {
    const struct run_host *host;
    const struct kernels *kernels;
    const struct machine *machine; /* NULL: no machine file */
    struct cost_table *costs;      /* NULL: see costs_missing */
    const char *costs_missing;     /* "" or why nothing is known of the core */

    const struct roof *roofs;               /* rate: the higher of the two medians */
    const struct measured *roofs_measured;  /* [n_roofs] the doubt about each */
    const struct roof_detail *roof_details; /* [n_roofs] */
    int n_roofs;
    struct ran_loop *loops;
    int n_loops;
    struct chain_point *chains; /* ascending */
    int n_chains;
    /* What a chain is worth of those that the curve was measured with: 1, but where what-if changes
     * latencies or pipes. */
    double chain_worth;
    struct core_clock *clocks; /* one for each instruction set and thread count of the roofs */
    int n_clocks;
    struct stream_fit *streams; /* likewise, and level; not of L1, from which nothing streams */
    int n_streams;
    struct arena *arena; /* for texts */
};

/* `roofs` are those of the comparison.  Everything lives in `a` and points into run, kernels and
 * machine. */
struct evidence_roofs {
    const struct roof *roofs;
    const struct measured *measured;
    const struct roof_detail *details;
    int n;
};
struct evidence *evidence_of(const struct run *run, const struct kernels *kernels,
                             const struct machine *machine, struct evidence_roofs roofs,
                             struct arena *a);

/* NULL: the run carries no such code. */
const struct ran_loop *evidence_loop(const struct evidence *ev, const char *name, const char *isa);
/* NULL: no roof was measured so. */
const struct core_clock *evidence_clock(const struct evidence *ev, const char *isa, int threads);

/* NULL: no mix was measured so. */
const struct stream_fit *evidence_streams(const struct evidence *ev, const char *level,
                                          const char *isa, int threads);

/* The part of evidence_of that fits streams. */
void evidence_fit_streams(struct evidence *ev);

/* The ceiling of the instruction mix, of the code that ran, else of the body that kernels.yaml
 * states.  False and out->missing:
 * neither is there, or the machine file does not tell. */
bool evidence_mix(const struct evidence *ev, const struct kernel *k, const char *isa, int threads,
                  double clock_hz, struct kernel_ceiling *out);

#endif
