/* roof.h - the roofline: a kernel is as fast as its compute roof or as its memory roof lets it.
 *
 *     flops/s <= min(compute roof, intensity * memory roof)
 *
 * with the memory roof of the stream mix that matches the kernel's, at the same level and thread
 * count, and intensity over the bytes that roof counts.  A kernel without flops is bound by the
 * memory roof alone, and its bound is in byte/s.  Compute roofs are looked up at L1, of the
 * kernel's own instruction set; a memory roof of another one serves where that set has none.
 * Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
 */
#ifndef GAMBREL_MODEL_ROOF_H
#define GAMBREL_MODEL_ROOF_H

#include "base/err.h"
#include "formats/kernels.h"
#include "formats/machine.h"

struct roofline {
    double bound;           /* flop/s; byte/s for a kernel without flops */
    double compute, memory; /* the two sides; INFINITY where there is none (memory at L1) */
    const struct roof *compute_roof, *memory_roof; /* memory_roof NULL: none */
    const struct roof *binds;
    double ridge; /* flops per byte where the two meet; NaN */
};

/* ERR_MODEL names the roof that is missing. */
bool roofline_bound(const struct kernel *k, const char *isa, const char *level, int threads,
                    const struct roof *roofs, int n_roofs, struct roofline *out, struct err *e);

/* Is a line fetched before it is overwritten?  Decided from the DRAM fill roof, which then moves
 * twice what it counts, beside update (the same mix, so with a fetch the fill counts about half of
 * it) or, where no update was measured, read on several threads (more than which no mix moves by
 * much): 1 yes, 0 no, -1 cannot be told.  `why` gets one clause with the numbers. */
int roof_write_allocates(const struct roof *roofs, int n_roofs, int threads, char why[200]);

#endif
