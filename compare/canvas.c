#include "compare/canvas.h"

#include "compare/table.h"

#include <math.h>

const double canvas_width = 900, canvas_height = 660;
const double canvas_left = 74, canvas_right = 876, canvas_bottom = 62, canvas_top = 584;
const double canvas_font = 12;
static const double letter = 0.56; /* of the size, on average */

double canvas_x(const struct canvas *c, double x)
{
    return canvas_left +
           (log10(x) - c->x_low) / (c->x_high - c->x_low) * (canvas_right - canvas_left);
}

double canvas_y(const struct canvas *c, double y)
{
    return canvas_bottom +
           (log10(y) - c->y_low) / (c->y_high - c->y_low) * (canvas_top - canvas_bottom);
}

double canvas_slope_degrees(const struct canvas *c)
{
    const double per_decade_x = (canvas_right - canvas_left) / (c->x_high - c->x_low);
    const double per_decade_y = (canvas_top - canvas_bottom) / (c->y_high - c->y_low);
    return atan2(per_decade_y, per_decade_x) * 180 / acos(-1);
}

/* In single quotes gnuplot expands nothing, a quote is doubled; backquotes and control characters
 * have no business in a label. */
static void quoted(struct text *out, const char *words)
{
    text_add(out, "'");
    for (; *words; words++) {
        const unsigned char c = (unsigned char)*words;
        if (c >= ' ' && c != 0x7f && c != '`') {
            text_add(out, "%s%c", c == '\'' ? "'" : "", c);
        }
    }
    text_add(out, "'");
}

void canvas_line(struct canvas *c, struct span at, const struct line *style, const char *color)
{
    text_add(c->out,
             "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lw %g dt %d lc rgb '%s'\n",
             at.x0 / canvas_width, at.y0 / canvas_height, at.x1 / canvas_width,
             at.y1 / canvas_height, style->line_width, style->dash, color);
}

void canvas_avoid(struct canvas *c, struct span at, double weight)
{
    const double length = hypot(at.x1 - at.x0, at.y1 - at.y0), step = 4;
    const int n = (int)(length / step);
    for (int i = 0; i <= n; i++) {
        const double x = at.x0 + (at.x1 - at.x0) * i / fmax(n, 1);
        const double y = at.y0 + (at.y1 - at.y0) * i / fmax(n, 1);
        place_obstacle(&c->place, (struct place_box){x - 1, y - 1, x + 1, y + 1, weight});
    }
}

void canvas_words(struct canvas *c, double x, double y, struct words w)
{
    text_add(c->out, "set label ");
    quoted(c->out, w.text);
    text_add(c->out, " at screen %.5f,%.5f %s rotate by %.2f font ',%g' tc rgb '%s'%s front\n",
             x / canvas_width, y / canvas_height, w.align, w.degrees, w.size, w.color,
             w.boxed ? " boxed" : "");
}

void canvas_mark(struct canvas *c, double x, double y, int point, double size, const char *color)
{
    text_add(c->out, "set label '' at screen %.5f,%.5f point pt %d ps %g lc rgb '%s' front\n",
             x / canvas_width, y / canvas_height, point, size, color);
    place_obstacle(&c->place, (struct place_box){x - 6, y - 6, x + 6, y + 6, 50});
    /* A label close by would seem to name this mark. */
    place_obstacle(&c->place, (struct place_box){x - 18, y - 14, x + 18, y + 14, 12});
}

double canvas_width_of(const char *words, double size)
{
    return text_width(words) * size * letter;
}

double canvas_along(struct canvas *c, double x, double y, double angle, double length, bool put)
{
    double weight = 0;
    for (int step = 0; 5 * step < length; step++) {
        const double at = 5 * step;
        const double cx = x + at * cos(angle), cy = y + at * sin(angle);
        const struct place_box box = {cx - 5, cy - 6, cx + 5, cy + 6, 20};
        weight += place_weight(&c->place, &box);
        if (put) {
            place_obstacle(&c->place, box);
        }
    }
    return weight;
}
