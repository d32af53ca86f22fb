/* drawing.h - the parts of a roofline plot; plot.c puts them together.
 */
#ifndef GAMBREL_COMPARE_DRAWING_H
#define GAMBREL_COMPARE_DRAWING_H

#include "compare/canvas.h"
#include "compare/report.h"

struct drawing {
    const struct comparison *c;
    const struct plot_key *key;
    struct canvas canvas;       /* x: flops per counted byte, y: flop/s */
    const struct roof *compute; /* what ridge points are given against; NULL */
    double ceiling;             /* the highest compute roof drawn */
};

struct level_style {
    const char *name, *color;
    int point;      /* gnuplot's pt: colours alone are not for everyone */
    bool all_mixes; /* else one thin line, so that the picture stays readable */
};

enum { PLOT_LEVELS = 4, PLOT_MIXES = 4 };
extern const struct level_style plot_levels[PLOT_LEVELS]; /* outwards */
extern const struct line plot_mixes[PLOT_MIXES];          /* named as the roofs */
extern const char plot_ink[], plot_pale[], plot_alarm[];

/* NULL: not measured for this plot. */
const struct roof *plot_compute_roof(const struct drawing *d, const char *name);
const struct roof *plot_memory_roof(const struct drawing *d, const char *name, const char *level);
bool plot_drawn(const struct drawing *d, const struct row *row);

/* Lines and ridge points; labels come after the kernels' dots, so that they keep off them. */
void draw_roofs(struct drawing *d);
void label_roofs(struct drawing *d);
void draw_kernels(struct drawing *d);
void label_kernels(struct drawing *d);
void draw_legend(struct drawing *d);

#endif
