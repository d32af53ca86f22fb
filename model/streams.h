/* streams.h - memory streams as a resource mapping: t(K) = max over r of sum over kinds k of K_k
 * rho[r,k].
 *
 * A mix of streams moves K_k lines of each kind (read, write, update, write_nt) per step.  Its time
 * per step is the largest use of any of a few abstract resources, as for instructions
 * (resources.h): one resource makes streams additive, more let them overlap.  The weights are
 * fitted to measured mixes; the kernels that are predicted are never among them.
 *
 * Fit: alternate between giving each mix to the resource that is its maximum and a linear program
 *     minimise sum of e_i / t_i   subject to   e_i >= rho_r . K_i - t_i          for every r
 *                                              e_i >= t_i - rho_a(i) . K_i       a(i) the assigned
 * from several starts; the number of resources is the one with the least leave-one-out error.
 *
 * Units: seconds per step; a step is one line of LINE_BYTES of every array.
 */
#ifndef GAMBREL_MODEL_STREAMS_H
#define GAMBREL_MODEL_STREAMS_H

#include "base/err.h"
#include "formats/kernels.h"

#include <stdbool.h>

#define STREAM_LINE_BYTES    64
#define STREAM_RESOURCES_MAX 3
#define STREAM_MIXES_MAX     64
#define STREAM_MIXES_MIN     5 /* fewer cannot tell the weights apart */

struct stream_mix {
    const char *name;
    double lines[STREAM_KINDS];
    double seconds; /* per step, > 0 */
};

struct stream_map {
    int n_resources;
    double rho[STREAM_RESOURCES_MAX][STREAM_KINDS]; /* seconds per line */
    bool known[STREAM_KINDS]; /* kinds that some mix held; others cannot be predicted */
    double fit_error;         /* mean of |predicted - measured| / measured over the mixes */
    int n_mixes;
    double left_out[STREAM_MIXES_MAX]; /* signed relative error of each mix when left out; NaN
                                            where no other mix holds one of its kinds */
    double left_out_error;             /* mean of their magnitudes */
};

/* ERR_MODEL: fewer than STREAM_MIXES_MIN mixes, or no certified optimum.  ERR_RANGE: a time that is
 * not positive, a mix without lines. */
bool streams_fit(const struct stream_mix *mixes, int n_mixes, struct stream_map *out,
                 struct err *e);

/* Seconds per step; NaN if the mix holds a kind that no fitted mix held.  *binds: the resource. */
double streams_seconds(const struct stream_map *m, const double lines[STREAM_KINDS], int *binds);

/* Lines of each kind per step of a kernel. */
void streams_of_kernel(const struct kernel *k, double lines[STREAM_KINDS]);

#endif
