/* cost.h - what a block, a kernel's body or a decoded loop costs: the sum over its instructions.
 *
 * Forms that the machine file does not know are kept by name and count and add nothing, so whoever
 * reads a sum looks at n_unknown first.  Pairs that fuse take one slot (cost_table.h):
 *
 *   - in decoded loops: neighbours that the file lists, except that a first with a memory operand
 *     relative to rip does not fuse (measured on a Zen 5 core; likewise on Intel's with an
 *     immediate);
 *   - in a kernel's body, which has counts but no order: a branch closes its loop right behind the
 *     instruction that sets its flags, which is taken to be the first of cmp, test, dec, sub, inc,
 *     add
 *     and whatever else the file lists that the body has;
 *   - in blocks: never, since nothing says what stands beside what.
 *
 * Every trip of a loop is one taken branch, except the last of an inner loop, which falls through
 * to the rest of the outer one: an iteration with an inner loop takes as many as that has trips.
 *
 * A load that crosses a cache line takes line_crossing_load_slots - 1 more slots of the load ports.
 * Crossing stores are a unit of their own, busy for line_crossing_store_cycles with each.
 *
 * Units: per iteration, or per block: instructions, uops, dispatch slots, cycles.
 */
#ifndef GAMBREL_MODEL_COST_H
#define GAMBREL_MODEL_COST_H

#include "base/text.h"
#include "code/loop.h"
#include "formats/kernels.h"
#include "model/cost_table.h"
#include "model/front.h"
#include "model/ports.h"

#include <stdbool.h>

struct cost_item {
    const struct cost_row *row;
    double count;
};

struct cost {
    struct cost_table *table;
    struct cost_item *items; /* in order of appearance; a row may come twice */
    size_t n_items, capacity;
    double *cycles; /* [n_resources], as in a row */
    int n_resources;
    double slots;
    double store_cycles; /* of the unit for crossing stores */
    double line_cycles;  /* of the L1's, which takes stores line by line: stores.h */
    struct front_bound front;
    double taken_branches; /* bodies and loops: one a trip */
    double instructions;   /* a fused pair is two, a crossing none */
    int n_unknown;         /* items */
    int n_unsound;         /* items whose count is negative or not finite */
};

struct cost cost_new(struct cost_table *t); /* of nothing */
/* Back to nothing, keeping the memory: one cost serves for millions of blocks. */
void cost_clear(struct cost *c);

void cost_add(struct cost *c, const struct cost_row *row, double count);
void cost_add_block(struct cost *c, const struct form_count *forms, int n_forms);
void cost_add_body(struct cost *c, const struct kernel_body *b); /* with its crossings */
void cost_add_loop(struct cost *c, const struct code_loop *l, double inner_trips);
/* What the order of its instructions takes; not of what stands in no loop. */
void cost_set_order(struct cost *c, const struct code_loop *l, double inner_trips);
/* A decoded instruction's row, and what an index register in its memory source adds to its
 * slots. */
void cost_add_insn(struct cost *c, const struct insn *i, double count);
/* The latter's row, or NULL. */
const struct cost_row *cost_of_index(struct cost_table *t, const struct insn *i);
/* The row of instruction i together with the next one, or NULL. */
const struct cost_row *cost_of_neighbours(struct cost_table *t, const struct code_loop *l, int i);
/* `isa`: of the body, which says how wide its loads are (avx512: 512 bits). */
void cost_add_crossings(struct cost *c, const char *isa, double loads, double stores);

/* Is any of its forms in the machine file? */
bool cost_knows_any(const struct cost *c);

/* "vpmullq zmm, zmm, zmm (2), ..." into out, equal forms added up; nothing if all are known. */
void cost_name_unknown(const struct cost *c, struct text *out);

/* What ports.h solves; its classes live in the table's arena.  COST_PORTS. */
struct ports_problem cost_problem(const struct cost *c);

#endif
