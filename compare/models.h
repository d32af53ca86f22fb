/* models.h - the models that are put over a loop: each is a row of a table, a name and a function.
 *
 * A model sees the kernel, where and how it runs, and the evidence: the roofs, the code that ran,
 * the machine file.  It never sees the measurement it is compared with: there is no way to hand it
 * one.
 */
#ifndef GAMBREL_COMPARE_MODELS_H
#define GAMBREL_COMPARE_MODELS_H

#include "compare/evidence.h"

struct model_input {
    const struct kernel *kernel;
    const char *isa, *level;
    int threads;
    const struct evidence *evidence;
    const struct ceiling *before; /* by models[]: what the models before this one say */
};

/* A bound on speed with the name of what binds. */
struct ceiling {
    double rate;             /* in the kernel's unit; NaN: this model cannot tell */
    double low, high;        /* the doubt of what it stands on: a roof, the clock; NaN: not known */
    double ridge;            /* flops per byte; NaN where the model has none */
    const char *binds;       /* "DRAM triad roof", "ports FP0, FP1: ..."; "" where rate is NaN */
    const char *missing;     /* why rate is NaN; "" */
    struct loc loc;          /* where in the machine file the number stands; line 0: nowhere */
    bool disturbed;          /* the roof it stands on was */
    const struct roof *roof; /* what it stands on; NULL: no roof */
};

struct model {
    const char *name;
    const char *what; /* one line for a reader of the report */
    void (*ceiling)(const struct model_input *in, struct ceiling *out);
};

enum {
    MODEL_ROOFLINE,
    MODEL_PORTS,
    MODEL_CHAINS,
    MODEL_STREAMS,
    MODEL_ALL
}; /* places in models[] */

#define MODELS_MAX 8
extern const struct model models[];
extern const int n_models; /* <= MODELS_MAX */

struct ceiling ceiling_none(void); /* of which nothing is known */

/* Their functions, one file each. */
void compute_ceiling(const struct model_input *in,
                     struct ceiling *out); /* the roofline's flat part */
void roofline_ceiling(const struct model_input *in, struct ceiling *out);
void ports_ceiling(const struct model_input *in, struct ceiling *out);
void chains_ceiling(const struct model_input *in, struct ceiling *out);
void streams_ceiling(const struct model_input *in, struct ceiling *out);
/* The top rung of the ladder (ladder.h). */
void all_ceiling(const struct model_input *in, struct ceiling *out);

/* The clock a bound of the core is given at. */
struct chosen_clock {
    double hz, low, high; /* NaN: not known */
    const char *why;      /* "read beside its roofs", "the host's" */
};
struct chosen_clock clock_for(const struct model_input *in);

#endif
