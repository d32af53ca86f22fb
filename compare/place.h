/* place.h - where a label may stand so that it hides nothing.
 *
 * Boxes are in pixels, y upwards.  What is drawn is put in as boxes with a weight; a label then
 * takes the first of its candidate places with the least weight under it, and becomes an obstacle
 * itself.
 */
#ifndef GAMBREL_COMPARE_PLACE_H
#define GAMBREL_COMPARE_PLACE_H

#include "base/arena.h"

struct place_box {
    double x0, y0, x1, y1, weight;
};

struct place {
    struct arena *arena;
    struct place_box *boxes;
    size_t n, capacity;
};

void place_obstacle(struct place *p, struct place_box box);
/* What a box there would hide. */
double place_weight(const struct place *p, const struct place_box *at);
/* Finds a spot for a label of this size beside the point: the middle of its left edge. */
struct place_size {
    double width, height;
};
struct place_spot {
    double left, middle;
};
void place_label(struct place *p, double x, double y, struct place_size size,
                 struct place_spot *out);

#endif
