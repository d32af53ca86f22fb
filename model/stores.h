/* stores.h - the cycles that a loop's stores take the L1: each one line at a time.
 *
 * Stores reach the cache in order.  Two that follow each other and lie in one line go together
 * (family 6 model 207: with a and b in different places a0 a1 b0 b1 takes 2 cycles, a0 b0 a1 b1 4);
 * one that crosses a line takes line_crossing_store_cycles, alone.
 *
 * Units: bytes; cycles per iteration.
 */
#ifndef GAMBREL_MODEL_STORES_H
#define GAMBREL_MODEL_STORES_H

#include <stdint.h>

struct code_loop;
struct machine;

struct store {
    int64_t at, step; /* in the first iteration, and how far it moves in each; 0: not known */
    int space;        /* stores of different spaces never share a line */
    int bytes;
};

double stores_cycles(const struct store *s, int n, double line_cycles, double crossing_cycles);

/* Of a loop, or of its inner one's trips: spaces by base and index register, which stand at the
 * beginning of a line (what crosses one is asked for elsewhere).  0: the machine file does not
 * say. */
double stores_of_loop(const struct machine *m, const struct code_loop *l, double inner_trips);

#endif
