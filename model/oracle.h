/* oracle.h - a machine file that acts as hardware: block in, cycles out, with noise as one likes.
 *
 * For tests of inference, which then need no hardware and are the same every time: what was
 * inferred must predict what the hidden machine predicts.  Noise is relative, normal, independent
 * from one measurement to the next.  Control flow cannot be put into a block and is no form of an
 * oracle.
 *
 * Units: cycles per execution of the block.
 */
#ifndef GAMBREL_MODEL_ORACLE_H
#define GAMBREL_MODEL_ORACLE_H

#include "base/random.h"
#include "formats/blocks.h"
#include "model/cost.h"

struct oracle {
    struct cost cost;
    struct random random;
    double noise; /* standard deviation over the value */
};

/* Speaks for the machine's ports, or for its resources where it has no ports.  The machine and the
 * arena must outlive it.  ERR_RANGE: noise not in 0 .. 0.5; as cost_compile. */
bool oracle_open(const struct machine *m, double noise, uint64_t seed, struct arena *a,
                 struct oracle *out, struct err *e);

/* Up to n_max forms that take time on the machine and at most cycles_max of it, drawn at random,
 * each once; returns how many. */
int oracle_forms(struct oracle *o, double cycles_max, const char **forms, int n_max,
                 struct arena *a);

/* A block of `size` instructions drawn from the forms, not measured yet. */
struct block oracle_mix(struct oracle *o, const char *const *forms, int n_forms, int size,
                        struct arena *a);

/* Sets cycles: what the machine file says, and with noise.  ERR_MODEL names an unknown form. */
bool oracle_tell(struct oracle *o, struct block *b, struct err *e);
bool oracle_measure(struct oracle *o, struct block *b, struct err *e);

#endif
