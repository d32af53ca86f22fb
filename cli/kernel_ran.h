/* kernel_ran.h - which loop of a function really runs, and the ceilings of all that runs with it.
 *
 * Single steps (measure/callee.h) say how often each instruction runs for one more n; the cost of an
 * iteration is of those, so often, with the lines that the addresses seen cross.  x86-64 only.
 *
 * Units: cycles per iteration of that loop.
 */
#ifndef GAMBREL_CLI_KERNEL_RAN_H
#define GAMBREL_CLI_KERNEL_RAN_H

#include "cli/kernel_from.h"
#include "measure/callee.h"

/* The loop that runs most, how often, and what else does. */
struct ran {
    const struct kernel_candidate *loop;
    double n_per_iter; /* how much of n one iteration is */
    double share;      /* of all instructions that run for one more n; NaN: not counted */
    struct callee_steps steps;
};

/* The loop that runs most, or, if `chosen`, the one that was chosen.  ERR_HOST: it does not run more
 * often for a larger n; what callee_count says. */
bool ran_find(struct cli *c, const struct kernel_code *code, bool chosen,
              const struct callee_request *r, struct ran *out, struct err *e);

struct ran_ladder {
    const struct machine *machine; /* NULL: none describes this CPU */
    double ports, chains, best;    /* cycles per iteration; NaN */
    const char *ports_words, *chains_words;
    const char *unknown; /* "" or names */
};

/* On out->machine, which is there; body: of the loop alone. */
bool ran_climb(struct cli *c, const struct ran *r, const struct kernel_body *body,
               struct ran_ladder *out, struct err *e);

#endif
