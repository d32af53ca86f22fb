/* whatif.h - the ladder of one kernel if something about the machine or the loop were different.
 *
 * A change alters a copy of the description, and every rung is solved again.  Nothing is measured
 * anew, so what was measured is carried over as follows:
 *
 *   - a compute roof is a loop too: its rate moves as the machine file's bound of that loop moves;
 *   - clocks stay what they were, whatever is done to ports and latencies; a changed clock moves
 *     the
 *     compute roofs with it and leaves memory alone;
 *   - the mapping of streams stays as it was;
 *   - an instruction set with which no roof was measured takes the clock of the one before, and its
 *     compute roof times the ratio that the machine file gives their loops;
 *   - the chain curve is read as a curve over chains / (latency * pipes) of the operation that the
 *     chains are made of: at half the latency a chain is worth two of those measured.
 *
 * Units: Hz, cycles, slots, flop/s, byte/s.
 */
#ifndef GAMBREL_COMPARE_WHATIF_H
#define GAMBREL_COMPARE_WHATIF_H

#include "compare/evidence.h"
#include "compare/ladder.h"

enum change_kind {
    CHANGE_CORE,      /* name: a number of the core, see whatif_keys; value: the new one */
    CHANGE_CLOCK,     /* value: Hz; applies to one thread or to several, as `name` says */
    CHANGE_LATENCY,   /* name: a form; value: cycles from any operand to any */
    CHANGE_SOONER,    /* name: a form; value: cycles less of each of its latencies, not below 1 */
    CHANGE_SLOTS,     /* name: a form; value: dispatch slots */
    CHANGE_DROP,      /* name: a form or pattern that costs nothing any more */
    CHANGE_CHAINS,    /* value: independent chains */
    CHANGE_ISA,       /* name: the body of this instruction set */
    CHANGE_PORT,      /* value: the number of a port that gets a twin */
    CHANGE_CROSSINGS, /* accesses that cross a line take no more than others */
    CHANGE_ROOFS,     /* name: "compute" or "memory"; value: factor on every such roof */
};

struct change {
    enum change_kind kind;
    const char *name;
    double value;
};

#define CHANGES_MAX 16

/* What is explained. */
struct subject {
    const struct evidence *evidence;
    const struct kernel *kernel;
    const char *isa, *level;
    int threads;
};

/* Its ladder, and what the rungs stand on. */
struct climb {
    struct subject subject; /* after the changes */
    struct ceiling ceilings[MODELS_MAX];
    struct ladder ladder;
    struct kernel_ceiling mix;      /* per Hz: rate is that at a clock of 1 Hz; mix.missing */
    const struct ran_loop *ran;     /* NULL: no code is known */
    const struct kernel_body *body; /* NULL: kernels.yaml states none */
    struct chosen_clock clock;
};

/* KEY=VALUE as --set takes it: core.NAME, clock_hz.one_core, clock_hz.all_cores,
 * FORM.latency_cycles, FORM.slots.  ERR_SYNTAX, ERR_RANGE: with what can be set. */
bool whatif_parse(const char *text, struct arena *a, struct change *out, struct err *e);

/* ERR_RANGE: a change that changes nothing, because no instruction of the loop is of that form or
 * there is no such body; ERR_MODEL: no machine file; and what cost_compile refuses.  No changes:
 * the ladder as it is. */
bool whatif_climb(const struct subject *s, const struct change *changes, int n_changes,
                  struct climb *out, struct err *e);

/* The forms of the loop, normalised, each once, with their count in an iteration. */
struct form_count *whatif_forms(const struct subject *s, int *n);

#endif
