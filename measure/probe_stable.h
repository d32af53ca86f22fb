/* probe_stable.h - measurements that are believed because two at different times agree.
 *
 * What disturbs a block makes it slower, never faster; so of several readings the lowest two are
 * compared.  A block is read in rounds, forwards and backwards, each round all blocks that are not
 * settled.
 */
#ifndef GAMBREL_MEASURE_PROBE_STABLE_H
#define GAMBREL_MEASURE_PROBE_STABLE_H

#include "measure/probe.h"

#define PROBE_ROUNDS_MAX 8
#define PROBE_AGREE      0.01 /* relative */

#define PROBE_UNSTABLE "no two readings agree"

/* Whether the lowest two of n readings (NaN: none) agree; their mean. */
bool probe_settled(const double *readings, int n, double *cycles);

/* As probe_measure; a block whose readings never settle fails with PROBE_UNSTABLE.  What it needs
 * meanwhile lives in `a`. */
bool probe_measure_stable(struct probe *p, const struct probe_block *blocks, int n,
                          struct probe_result *results, struct arena *a, struct err *e);

/* The same; then, for at most wait_s (probe.h), again and again what failed because cores were
 * never quiet or readings never agreed, with pauses that grow, so that whoever disturbs may have
 * gone. */
bool probe_measure_patiently(struct probe *p, const struct probe_block *blocks, int n,
                             struct probe_result *results, struct arena *a, struct err *e);

/* Whether a failed block may be measured at a better time. */
bool probe_may_recover(const struct probe_result *r);

#endif
