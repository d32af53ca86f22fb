/* models.h - the models that are put over a loop: each is a row of a table, a name and a function.
 *
 * A model sees the kernel, where and how it runs, the roofs and the machine file.  It never sees
 * the measurement it is compared with: there is no way to hand it one.
 */
#ifndef GAMBREL_COMPARE_MODELS_H
#define GAMBREL_COMPARE_MODELS_H

#include "base/arena.h"
#include "compare/measured.h"
#include "formats/kernels.h"
#include "formats/machine.h"

struct model_input {
    const struct kernel *kernel;
    const char *isa, *level;
    int threads;
    const struct roof *roofs;              /* rate: the higher of the two medians */
    const struct measured *roofs_measured; /* [n_roofs] the doubt about each */
    int n_roofs;
    const struct machine *machine; /* NULL: no machine file */
    struct arena *arena;           /* for texts */
};

/* A bound on speed with the name of what binds. */
struct ceiling {
    double rate;         /* in the kernel's unit; NaN: this model cannot tell */
    double low, high;    /* the doubt of the roof it stands on; NaN: not known */
    double ridge;        /* flops per byte; NaN where the model has none */
    const char *binds;   /* "DRAM triad roof", "fma_f32 roof"; "" where rate is NaN */
    const char *missing; /* why rate is NaN; "" */
    bool disturbed;      /* the roof it stands on was */
};

struct model {
    const char *name;
    const char *what; /* one line for a reader of the report */
    void (*ceiling)(const struct model_input *in, struct ceiling *out);
};

#define MODELS_MAX 8
extern const struct model models[];
extern const int n_models; /* <= MODELS_MAX */

#endif
