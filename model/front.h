/* front.h - what the order of a loop's instructions takes before any of them executes.
 *
 *   fetch     at most fetch_slots come in a cycle, and none from beyond a taken branch, so a trip
 *             takes whole cycles.  Where an instruction of the pair that closes it lies over the end
 *             of a 64-byte line, none comes from beyond a line's end either.  Other loops that lie
 *             over one may take that long, too, or not (both were seen of one loop in one run).
 *   renaming  goes in order, up to dispatch_width slots a cycle.  An operation with an indexed
 *             memory source takes indexed_operand_slots of one cycle, must be one of the first
 *             indexed_operand_places there, and no more than indexed_operands_per_cycle of them go
 *             in it; else it waits for the next.  Where the width is above 16, or the width or slots
 *             are no whole numbers, which are averages, no order can be told: no such bound.
 *
 * Found with loops of nops on family 6 model 207; bounds, like all else.  A pair that a line's end
 * parts does not fuse.
 *
 * Units: cycles per iteration; 0 where the machine file does not say.
 */
#ifndef GAMBREL_MODEL_FRONT_H
#define GAMBREL_MODEL_FRONT_H

#include <stdint.h>

struct code_loop;
struct cost_table;

struct front_bound {
    double fetch_cycles, rename_cycles;
    int lines; /* of code that a trip is fetched from, one at a time; 0: fetching may span them */
};

/* `moved`: what to add to the addresses of the loop to have those where it ran; NULL: not known. */
struct front_bound front_of_loop(struct cost_table *t, const struct code_loop *l,
                                 double inner_trips, const uint64_t *moved);

/* The parts of it, for what else has uops in order. */
struct front_uop {
    int slots;
    int indexed; /* takes its slots in one cycle, early; the others are so many uops */
};
struct front_rules {
    int width;                                /* slots a cycle, to 16 */
    double indexed_places, indexed_per_cycle; /* infinite: any */
};
double front_renames(const struct front_uop *uops, int n, const struct front_rules *rules);

#endif
