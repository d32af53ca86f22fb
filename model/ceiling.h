/* ceiling.h - the instruction-mix bound of a block or a kernel, with the name of what binds.
 *
 *     cycles = max(port bound, front end, taken branches, stores)               of a port mapping
 *     cycles = max over resources of the cycles they are used                   of a resource
 *     mapping
 *
 * A cost with unknown forms has no ceiling: the cycles of the known forms alone are given beside
 * it, because they are a true lower bound of the time, but they are not the prediction.
 *
 * Units: cycles per iteration, or per block; rates in the kernel's unit, all threads together.
 */
#ifndef GAMBREL_MODEL_CEILING_H
#define GAMBREL_MODEL_CEILING_H

#include "model/cost.h"

enum ceiling_binds {
    BINDS_NOTHING, /* nothing takes any time */
    BINDS_PORTS,
    BINDS_FRONT_END,
    BINDS_TAKEN_BRANCHES,
    BINDS_FETCH,    /* whole cycles of it: front.h */
    BINDS_RENAMING, /* places of indexed operands: front.h */
    BINDS_CROSSING_STORES,
    BINDS_STORES, /* lines one at a time: stores.h */
    BINDS_RESOURCE,
};

struct ceiling_bound {
    double cycles; /* of the known forms */
    enum ceiling_binds binds;
    uint32_t ports; /* BINDS_PORTS: a set that binds; of kernel_ceiling the smallest */
    double mass;    /* BINDS_PORTS: uops confined to it */
    int resource;   /* BINDS_RESOURCE; BINDS_PORTS: which of the dual, -1: none of these ports */
};

/* The fast path, by the dual: no memory.  ERR_RANGE: a negative or non-finite count. */
bool ceiling_of_cost(const struct cost *c, struct ceiling_bound *out, struct err *e);

/* "ports FP0, FP1: 20 uops on 2 ports, 16 of them from vfmadd231ps zmm, zmm, zmm". */
void ceiling_words(const struct cost *c, const struct ceiling_bound *b, struct text *out);
/* Where in the machine file the number stands that weighs most in what binds. */
struct loc ceiling_loc(const struct cost *c, const struct ceiling_bound *b);

struct kernel_ceiling_input {
    const struct kernel *kernel;
    const struct kernel_body *body; /* elements, crossings, and the counts where there is no loop */
    const struct code_loop *loop;   /* the loop that runs, decoded; NULL: what the body states */
    int threads;
    double clock_hz; /* of each thread's core; NaN: unknown */
};

struct kernel_ceiling {
    const char *model;            /* "ports" or "resources" */
    double cycles_per_iter;       /* NaN: see missing */
    double cycles_per_element;    /* NaN likewise */
    double known_cycles_per_iter; /* of the known forms alone */
    double rate;                  /* in the kernel's unit, all threads; NaN: see missing */
    const char *binds;            /* ceiling_words; "" where cycles_per_iter is NaN */
    struct loc loc;               /* ceiling_loc */
    const char *missing; /* "" or why there is no number, with the names of what is unknown */
    struct ceiling_bound bound;
    struct cost cost;
    /* COST_PORTS: port loads and prices by the LP; prices of what is no port and no front end
     * are not in it: see bound.binds */
    struct ports_bound schedule;
};

/* Texts live in the table's arena.  ERR_RANGE: as ceiling_of_cost; ERR_MODEL: as ports_schedule, or
 * dual, closed form and linear program do not agree. */
bool ceiling_of_kernel(struct cost_table *t, const struct kernel_ceiling_input *in,
                       struct kernel_ceiling *out, struct err *e);

/* The same of a block: cycles_per_iter is cycles per block, and there is no rate. */
bool ceiling_of_block(struct cost_table *t, const struct form_count *forms, int n_forms,
                      struct kernel_ceiling *out, struct err *e);

#endif
