/* probe_code.h - microkernels: a block of instructions as a loop in which nothing depends on
 * anything.
 *
 * The block is repeated to PROBE_INSNS_MIN instructions or more, its forms spread evenly, and
 * closed by a decrement and a branch, which so are at most 0.5 % of what runs and are not
 * subtracted. The order changes from repetition to repetition, so that no port or store is favoured
 * by a pattern.
 *
 * Registers are in pools: sources are never written; results are written only; an update (read and
 * written) depends on the last one in its register, and the updates of a trip are spread over all
 * registers that are left, by how long they take.  Many forms write flags and some read them, but
 * what reads flags never updates a register that goes into flags again, and what updates numbers of
 * single precision has other registers than what updates those of double.  What a form hands on
 * without a choice - flags, rax, a gather's mask - its companions (probe_forms.h) set directly
 * before it; they are part of the block, counted like every other form.  Gathers and scatters find
 * all elements in one place.
 *
 * Loads walk through the first 1536 bytes of the first page, what writes memory through the second
 * halves of all pages, both densely as compiled loops do, never across a line: no load meets a
 * store in flight or one at the same offset of another page, and stores go to one line after the
 * other.
 */
#ifndef GAMBREL_MEASURE_PROBE_CODE_H
#define GAMBREL_MEASURE_PROBE_CODE_H

#include "base/arena.h"
#include "base/err.h"
#include "measure/probe_path.h"

#include <stddef.h>
#include <stdint.h>

/* Changes with what a kernel is made of, so that results of different ones are not mixed. */
#define PROBE_KERNELS "kernels-3"

#define PROBE_INSNS_MIN    200
#define PROBE_BLOCK_MAX    64             /* instructions of one block */
#define PROBE_CODE_BYTES   ((size_t)6144) /* no kernel is longer */
#define PROBE_MEMORY_BYTES 32768
#define PROBE_PAGE_BYTES   4096
#define PROBE_PAGE_LOADS   2048 /* of a page, from its start */
#define PROBE_LOADS_BYTES  1536 /* of them without what is special, each a line: */
enum probe_special {
    PROBE_SHORT_FLOATS, /* significands of few bits, 1 to 2 */
    PROBE_SHORT_DOUBLES,
    PROBE_LARGE, /* full significands, as floats and as doubles 2 to 4 */
    PROBE_LARGE_SHORT_FLOATS,
    PROBE_LARGE_SHORT_DOUBLES,
    PROBE_ZEROS,
    PROBE_ONES /* all bits are */
};
#define PROBE_SPECIAL(which) (PROBE_LOADS_BYTES + 64 * (int)(which))

struct probe_item {
    const struct probe_form *form;
    int count;
};

struct probe_block {
    struct probe_item *items;
    int n_items;
    int registers;            /* as results or updates of each file, at most; 0: all there are */
    enum probe_values values; /* of integer divisions: a quotient of many bits or of none */
    /* Not NULL: a kernel of one form whose executions wait for each other on this path
     * (probe_path.h). */
    const struct probe_path *path;
};

/* A function of the x86-64 ABI: void (uint64_t trips, void *memory); trips >= 1, memory aligned to
 * its size. */
struct probe_code {
    size_t len;
    size_t loop_start, loop_end; /* bytes of the loop, its decrement and branch included */
    int blocks_per_trip;
    bool wide;              /* has instructions of 512 bits */
    double register_cycles; /* of a block, at least, for the updates of its busiest register */
};

struct probe_coder; /* encodes what stands around the loop and what chains are closed with */
struct probe_coder *probe_coder_new(struct arena *a, struct err *e);

/* ERR_RANGE: a refused form, forms of kinds that do not mix, too many instructions, or a register
 * that one form implies and another changes. */
bool probe_code_emit(const struct probe_coder *c, const struct probe_block *b,
                     uint8_t out[PROBE_CODE_BYTES], struct probe_code *shape, struct err *e);

/* The values the kernels load and start with. */
void probe_memory_fill(enum probe_values values, uint8_t memory[PROBE_MEMORY_BYTES]);

#endif
