/* probe_path.h - the ways through an instruction: from something it reads to something it writes.
 *
 * A latency belongs to a path (Abel, Reineke, ASPLOS 2019, section 4.1: per pair of operands), and
 * flags, implicit registers, masks and the address and the value of memory count as operands.  A
 * path from memory begins at the address.  What a store only passes on arrives when a load of the
 * same place has it; a value that is changed in memory arrives there when it is stored, and comes
 * from the store before.
 */
#ifndef GAMBREL_MEASURE_PROBE_PATH_H
#define GAMBREL_MEASURE_PROBE_PATH_H

#include "measure/probe_forms.h"

#include <stdbool.h>

enum probe_place {
    PLACE_OPERAND, /* a register that the form names */
    PLACE_ADDRESS, /* the base of a memory operand; its value is read */
    PLACE_BASE,    /* of lea */
    PLACE_INDEX,
    PLACE_VALUE,   /* what memory holds */
    PLACE_GENERAL, /* a register that the form implies */
    PLACE_CARRY,
    PLACE_STATUS,
    PLACE_FIRST_VECTOR, /* xmm0, implied */
    PLACE_WRITE_MASK,
};

struct probe_end {
    enum probe_place place;
    int operand; /* 1-based as the form writes it; 0: it does not */
    int number;  /* of a PLACE_GENERAL */
};

/* What registers and memory hold; dividers of some cores take longer for full significands. */
enum probe_values { PROBE_FULL, PROBE_SHORT };

struct probe_path {
    struct probe_end from, to;
    /* every source in that file is the path's register: does it matter to idioms? */
    bool same_source;
    bool indexed; /* the address has an index register: no renaming of memory */
    enum probe_values values;
};

/* All there are, those of divisions and square roots with both kinds of values; none for what is
 * refused or moves the stack pointer.  The first of two operands comes again with the same register
 * as every source. */
#define PROBE_PATHS_MAX 64
int probe_paths(const struct probe_form *f, struct probe_path paths[PROBE_PATHS_MAX]);

/* Is it the same thing that is read and written? */
bool probe_path_returns(const struct probe_path *p);

/* A division or square root, for which values matter. */
bool probe_form_divides(const struct probe_form *f);

/* "flags", "carry", "rax", "xmm0", "mask" for an end that is not written in the form; NULL for
 * others. */
const char *probe_end_name(const struct probe_end *e);

#endif
