/* canvas.h - a picture with two logarithmic axes, drawn by lines of a gnuplot script.
 *
 * Everything is placed here, in pixels with the origin at the lower left, so that labels can be
 * kept off what is drawn (place.h); gnuplot only draws.
 */
#ifndef GAMBREL_COMPARE_CANVAS_H
#define GAMBREL_COMPARE_CANVAS_H

#include "base/text.h"
#include "compare/place.h"

#include <stdbool.h>

/* The picture, the corners of its axes, and the size of its letters. */
extern const double canvas_width, canvas_height;
extern const double canvas_left, canvas_right, canvas_bottom, canvas_top;
extern const double canvas_font;

struct canvas {
    struct text *out; /* the script */
    struct place place;
    double x_low, x_high, y_low, y_high; /* log10 at the corners */
};

struct line {
    const char *name; /* in the legend */
    int dash;         /* gnuplot's dt */
    double line_width;
};

struct words {
    const char *text, *color, *align; /* canvas_left, center, canvas_right */
    double size, degrees;
    bool boxed; /* on white */
};

struct span { /* from one point to another, in pixels */
    double x0, y0, x1, y1;
};

double canvas_x(const struct canvas *c, double x);
double canvas_y(const struct canvas *c, double y);
/* Of a line along which y is proportional to x. */
double canvas_slope_degrees(const struct canvas *c);
/* Pixels that words of this size take, on average. */
double canvas_width_of(const char *words, double size);

void canvas_line(struct canvas *c, struct span at, const struct line *style, const char *color);
/* Labels keep off this line, the more the greater the weight. */
void canvas_avoid(struct canvas *c, struct span at, double weight);
void canvas_words(struct canvas *c, double x, double y, struct words w);
/* point: gnuplot's pt.  An obstacle for labels. */
void canvas_mark(struct canvas *c, double x, double y, int point, double size, const char *color);
/* What a text of this length that runs from x, y at an angle (radians) would hide; `put` makes it
 * an obstacle itself. */
double canvas_along(struct canvas *c, double x, double y, double angle, double length, bool put);

#endif
