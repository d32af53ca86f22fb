/* lift.h - a loop of machine code as a kernel: what can be read from it, and what had to be
 * assumed.
 *
 * Read from the code: forms and counts, loads, stores, flops, chains, and for each array it walks
 * (each address whose registers move by constants) the stride and whether it is read, written or
 * updated. Not in the code: what an element is, where arrays begin within a cache line, which of
 * two ways a branch goes.  These are asked for, have defaults, and are said in the notes.
 *
 * Units: bytes, elements, flops per iteration.
 */
#ifndef GAMBREL_CODE_LIFT_H
#define GAMBREL_CODE_LIFT_H

#include "base/text.h"
#include "code/nest.h"
#include "formats/kernels.h"

struct lift_wishes {
    const char *name, *formula;
    double element_bytes;     /* NaN: of most flops, else of all arrays, else 4 */
    double elements_per_iter; /* NaN: the least stride over its element's size */
    unsigned align_bytes;     /* arrays begin at multiples of it: 1 to 64, a power of two */
};

/* One kernel with one body, its texts in the arena.  `notes` gets a line for each thing that was
 * read or assumed, without comment signs.  ERR_RANGE: elements that cannot be right. */
bool lift_kernel(const struct nest_loop *l, const struct lift_wishes *w, struct arena *a,
                 struct kernel *out, struct text *notes, struct err *e);

/* How far a register moves in an iteration, if everything that writes it adds a constant to it. */
bool lift_step(const struct code_loop *l, code_reg reg, int64_t *step);

#endif
