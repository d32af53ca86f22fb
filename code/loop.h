/* loop.h - the loop inside a function's machine code, and what one iteration of it holds.
 *
 * A loop is the range from the target of a backward branch to that branch.  The outermost loop of
 * the function is the iteration (several branches back to one head are one loop); at most one loop
 * inside it is recognised (its trip count cannot be read from the code and is given).  Instructions
 * before and after are not counted.
 */
#ifndef GAMBREL_CODE_LOOP_H
#define GAMBREL_CODE_LOOP_H

#include "base/arena.h"
#include "base/err.h"
#include "code/decode.h"
#include "formats/kernels.h"

struct code_loop {
    enum code_arch arch;
    struct insn *insns; /* the outermost loop's, in order, the inner one's among them */
    int n;
    int inner_first, inner_last; /* index range of the inner loop; -1, -1: none */
};

/* Reads the function at code[0..len) through its first return that no loop jumps over. ERR_SYNTAX:
 * undecodable bytes; ERR_RANGE: no loop, more than one inner loop, loops side by side or
 * overlapping, a branch into the middle of an instruction, no return. */
bool loop_find(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
               struct arena *a, struct code_loop *out, struct err *e);

/* Counts per iteration, the inner loop's trips multiplied in; forms in order of appearance.  Trips
 * are ignored where there is no inner loop; where there is one and they are 0 (not known), what it
 * loads, stores or computes makes these totals NaN.  ERR_RANGE: negative, NaN or infinite trips. */
struct loop_counts {
    struct form_count *forms; /* outside the inner loop, per iteration      */
    int n_forms;
    struct form_count *inner; /* one trip of the inner loop                 */
    int n_inner;
    double loads_per_iter, stores_per_iter, flops_per_iter; /* all trips    */
    int chains; /* vector registers that a trip of the innermost loop hands on to the next */
};
bool loop_count(const struct code_loop *l, double inner_trips, struct arena *a,
                struct loop_counts *out, struct err *e);

/* Accesses per iteration, of all trips, that cross a 64-byte line where every base and index
 * register is as likely at any multiple of `step_bytes` past a line's start (what one iteration
 * moves them by; 0: always at a line's start). */
struct loop_crossing {
    double loads, stores;
};
struct loop_crossing loop_crossing(const struct code_loop *l, double inner_trips,
                                   uint64_t step_bytes);

/* Compares promise and code: one indented line of text per difference added to `out` (untouched
 * when equal); returns the number of differences.  Stated forms may be patterns. */
struct text;
int loop_compare(const struct kernel_body *stated, double flops_per_element,
                 const struct loop_counts *found, struct text *out);

/* The same for line-crossing accesses, which need a step to be counted. */
int loop_compare_crossing(const struct kernel_body *stated, struct loop_crossing found,
                          struct text *out);

/* "0f1e..." to bytes; ERR_SYNTAX with the place for odd or foreign characters. */
bool code_from_hex(const char *hex, struct loc loc, struct arena *a, uint8_t **code, size_t *len,
                   struct err *e);

#endif
