/* nest.h - the innermost loops of any function, and a loop from a range of machine code.
 *
 * Where loop.h reads our own loop functions, which have one loop or two, this reads what compilers
 * make of anyone's: several loops, vectorised ones with remainders, blocks out of line.  An
 * innermost loop is the range from the target of a backward branch to the last branch back to it,
 * with no such range inside.
 *
 * What one iteration executes is its straight way through that range: conditional branches are not
 * taken, but for the last and where not taking them leads out of the loop, and forward jumps are
 * followed.  Blocks that are jumped over are not counted.
 */
#ifndef GAMBREL_CODE_NEST_H
#define GAMBREL_CODE_NEST_H

#include "base/arena.h"
#include "base/err.h"
#include "code/decode.h"
#include "code/loop.h"

struct nest_loop {
    uint64_t address;    /* of its head */
    const uint8_t *code; /* from the head through the last branch back, or of the range given */
    size_t len;
    struct code_loop loop; /* one iteration; it has no inner loop */
    int n_branches;        /* conditional ones on its way, but for the last */
    double vector_bytes;   /* widths of the vector registers that its instructions name, added up */
};

struct nest {
    struct nest_loop *loops; /* by address */
    int n;
    int most; /* the one with the most vector work an iteration; of equal ones the longer; the first */
};

/* ERR_RANGE: no loop; ERR_SYNTAX: bytes inside every loop that are no instruction. */
bool nest_find(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
               struct arena *a, struct nest *out, struct err *e);

/* All of code[0..len) as one iteration.  Its address shows in errors and out->address only.
 * ERR_SYNTAX: not an instruction, or cut off; ERR_RANGE: no way to its end but out of it. */
bool nest_range(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
                struct arena *a, struct nest_loop *out, struct err *e);

/* The loop that the body's `code` holds; the body must have one.  Errors point at the body. */
bool nest_of_body(const struct kernel_body *b, struct arena *a, struct nest_loop *out,
                  struct err *e);

#endif
