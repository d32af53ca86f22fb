#include "compare/place.h"

#include <math.h>

static const double label_weight = 300;

void place_obstacle(struct place *p, struct place_box box)
{
    p->boxes = arena_grow(p->arena, p->boxes, p->n, &p->capacity, sizeof *p->boxes);
    p->boxes[p->n++] = box;
}

double place_weight(const struct place *p, const struct place_box *at)
{
    double weight = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct place_box *b = &p->boxes[i];
        if (b->x0 < at->x1 && at->x0 < b->x1 && b->y0 < at->y1 && at->y0 < b->y1) {
            weight += b->weight;
        }
    }
    return weight;
}

void place_label(struct place *p, double x, double y, struct place_size size,
                 struct place_spot *out)
{
    /* Offsets of the label's middle in halves of its size, and a gap in pixels on top. */
    static const struct {
        double across, up, gap_x, gap_y;
    } candidates[] = {
        {1, 0, 9, 0},      {-1, 0, -9, 0},      {1, 1, 5, 4},        {1, -1, 5, -4},
        {-1, 1, -5, 4},    {-1, -1, -5, -4},    {0, 1, 0, 9},        {0, -1, 0, -9},
        {1, 2.2, 6, 4},    {1, -2.2, 6, -4},    {-1, 2.2, -6, 4},    {-1, -2.2, -6, -4},
        {1, 0, 24, 0},     {-1, 0, -24, 0},     {1, 1, 24, 2},       {1, -1, 24, -2},
        {-1, 1, -24, 2},   {-1, -1, -24, -2},   {1, 2.2, 24, 4},     {1, -2.2, 24, -4},
        {-1, 2.2, -24, 4}, {-1, -2.2, -24, -4}, {1, 3.4, 8, 6},      {1, -3.4, 8, -6},
        {-1, 3.4, -8, 6},  {-1, -3.4, -8, -6},  {0, 2.4, 0, 9},      {0, -2.4, 0, -9},
        {1, 4.8, 12, 8},   {1, -4.8, 12, -8},   {-1, -4.8, -12, -8},
    };
    struct place_box best = {0};
    double least = INFINITY;
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        const double cx = x + candidates[i].across * size.width / 2 + candidates[i].gap_x;
        const double cy = y + candidates[i].up * size.height / 2 + candidates[i].gap_y;
        const struct place_box at = {cx - size.width / 2, cy - size.height / 2, cx + size.width / 2,
                                     cy + size.height / 2, label_weight};
        const double weight = place_weight(p, &at);
        if (weight < least) {
            least = weight;
            best = at;
        }
    }
    place_obstacle(p, best);
    *out = (struct place_spot){best.x0, (best.y0 + best.y1) / 2};
}
