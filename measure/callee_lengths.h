/* callee_lengths.h - at which lengths someone's own function is called, so that its arrays lie in a
 * level.
 *
 * Pure.  Lengths go from a third (in DRAM: half) of what fits the level up to that, as multiples of
 * a unit, the least power of two from CALLEE_UNIT_MIN to _MAX that holds an iteration.  A loop that
 * takes another number of elements at once than a power of two leaves different remainders, and one
 * that takes more than the unit, too: what these cost is in its slope.
 *
 * Units: elements (n as the function takes it).
 */
#ifndef GAMBREL_MEASURE_CALLEE_LENGTHS_H
#define GAMBREL_MEASURE_CALLEE_LENGTHS_H

#include "measure/callee.h"
#include "measure/sizes.h"

/* Fills in unit, lengths, n_lengths and mixed of a request with its args and elements_per_n.
 * `n_per_iter`: how much of n an iteration is; NaN: not known yet.  ERR_HOST: there is no such
 * level here, or the arrays do not fit. */
bool callee_lengths(const struct sizes_machine *m, enum level level, double n_per_iter,
                    struct callee_request *r, struct err *e);

#endif
