#include "compare/drawing.h"

#include <math.h>
#include <string.h>

const struct level_style plot_levels[PLOT_LEVELS] = {
    {"L1", "#c2410c", 7, true},
    {"L2", "#7e22ce", 5, false},
    {"L3", "#15803d", 9, false},
    {"DRAM", "#1d4ed8", 13, true},
};

const struct line plot_mixes[PLOT_MIXES] = {
    {"read", 1, 1.3}, {"copy", 2, 1.3}, {"triad", 4, 1.3}, {"update", 1, 2.4}};

struct bundle { /* the roofs of one level, slowest first */
    const struct roof *roofs[PLOT_MIXES];
    const struct line *styles[PLOT_MIXES];
    int n;
};

static struct bundle bundle_of(const struct drawing *d, const struct level_style *level)
{
    struct bundle b = {.n = 0};
    for (int m = 0; m < PLOT_MIXES && (level->all_mixes || b.n == 0); m++) {
        const struct roof *r = plot_memory_roof(d, plot_mixes[m].name, level->name);
        if (!r) {
            continue;
        }
        int at = b.n++;
        for (; at > 0 && b.roofs[at - 1]->rate > r->rate; at--) {
            b.roofs[at] = b.roofs[at - 1];
            b.styles[at] = b.styles[at - 1];
        }
        b.roofs[at] = r;
        b.styles[at] = &plot_mixes[m];
    }
    return b;
}

/* From where it enters the picture to the highest compute roof. */
static struct span roof_span(const struct drawing *d, double rate)
{
    const double x0 = fmax(pow(10, d->canvas.x_low), pow(10, d->canvas.y_low) / rate);
    const double x1 = fmin(pow(10, d->canvas.x_high), d->ceiling / rate);
    return (struct span){canvas_x(&d->canvas, x0), canvas_y(&d->canvas, x0 * rate),
                         canvas_x(&d->canvas, x1), canvas_y(&d->canvas, x1 * rate)};
}

/* The name of the level and its mixes along the fastest roof; shorter where there is less room. */
static const char *bundle_words(const struct bundle *b, const char *level, double room,
                                struct arena *a)
{
    struct text full = {.arena = a}, names = {.arena = a};
    const double low = b->roofs[0]->rate / 1e9, high = b->roofs[b->n - 1]->rate / 1e9;
    text_add(&full, "%s GB/s: ", level);
    text_add(&names, "%s %.3g", level, low);
    if (b->n > 1) {
        text_add(&names, " to %.3g", high);
    }
    text_add(&names, " GB/s");
    for (int i = 0; i < b->n; i++) {
        text_add(&full, "%s%s %.3g", i ? ", " : "", b->roofs[i]->name, b->roofs[i]->rate / 1e9);
    }
    return canvas_width_of(full.data, 11) < room ? full.data : names.data;
}

/* Along the fastest roof, where it hides least; of equal places full labels take the lowest, the
 * others the highest. */
static void label_bundle(struct drawing *d, const struct level_style *level)
{
    const struct bundle b = bundle_of(d, level);
    if (b.n == 0 || !d->compute) {
        return;
    }
    const struct span s = roof_span(d, b.roofs[b.n - 1]->rate);
    const double degrees = canvas_slope_degrees(&d->canvas), angle = degrees * acos(-1) / 180;
    const double length = hypot(s.x1 - s.x0, s.y1 - s.y0), lead = 14, above = 10;
    const char *words = bundle_words(&b, level->name, length - 2 * lead, d->canvas.out->arena);
    const double end = canvas_width_of(words, 11);
    double least = INFINITY, x = 0, y = 0;
    const int steps = (int)fmax(0, (length - end - 2 * lead) / 6);
    for (int step = 0; step <= steps; step++) {
        const double start = lead + 6 * step;
        const double at_x = s.x0 + start * cos(angle) - above * sin(angle);
        const double at_y = s.y0 + start * sin(angle) + above * cos(angle);
        const double weight = canvas_along(&d->canvas, at_x, at_y, angle, end, false);
        if (weight < least || (weight <= least && !level->all_mixes)) {
            least = weight;
            x = at_x;
            y = at_y;
        }
    }
    canvas_words(&d->canvas, x, y, (struct words){words, level->color, "left", 11, degrees, false});
    canvas_along(&d->canvas, x, y, angle, end, true);
}

static void draw_level(struct drawing *d, const struct level_style *level)
{
    const struct bundle b = bundle_of(d, level);
    if (b.n == 0 || !d->compute) {
        return;
    }
    for (int i = 0; i < b.n; i++) {
        const struct span s = roof_span(d, b.roofs[i]->rate);
        const struct line thin = {"", 3, 1};
        canvas_line(&d->canvas, s, level->all_mixes ? b.styles[i] : &thin, level->color);
        canvas_avoid(&d->canvas, s, 1);
        canvas_mark(&d->canvas, canvas_x(&d->canvas, d->compute->rate / b.roofs[i]->rate),
                    canvas_y(&d->canvas, d->compute->rate), 12, 1, level->color);
    }
}

/* Where the roofs of a level meet the compute roof, in numbers. */
static void label_ridges(struct drawing *d, const struct level_style *level)
{
    const struct bundle b = bundle_of(d, level);
    if (b.n == 0 || !d->compute || !level->all_mixes) {
        return;
    }
    const double low = d->compute->rate / b.roofs[b.n - 1]->rate;
    const double high = d->compute->rate / b.roofs[0]->rate;
    const char *words = high > low * 1.005
                            ? arena_format(d->canvas.out->arena, "ridge %.2f to %.2f", low, high)
                            : arena_format(d->canvas.out->arena, "ridge %.2f", low);
    const struct place_size size = {canvas_width_of(words, 10), 13};
    struct place_spot spot;
    place_label(&d->canvas.place, canvas_x(&d->canvas, sqrt(low * high)),
                canvas_y(&d->canvas, d->compute->rate), size, &spot);
    canvas_words(&d->canvas, spot.left, spot.middle,
                 (struct words){words, level->color, "left", 10, 0, true});
}

/* A compute roof begins where the fastest roof of L1 meets it; without one nothing else bounds what
 * comes from L1. */
static double compute_from(const struct drawing *d, double rate)
{
    const struct bundle b = bundle_of(d, &plot_levels[0]);
    return b.n ? fmax(canvas_left, canvas_x(&d->canvas, rate / b.roofs[b.n - 1]->rate))
               : canvas_left;
}

static void draw_compute(struct drawing *d, const struct roof *r, int dash, double above)
{
    const double x0 = compute_from(d, r->rate), y = canvas_y(&d->canvas, r->rate);
    const struct span s = {x0, y, canvas_right, y};
    char rate[TEXT_SI_SIZE];
    const char *words =
        arena_format(d->canvas.out->arena, "%s %s", r->name, text_si(r->rate, "FLOP/s", rate));
    canvas_line(&d->canvas, s, &(struct line){"", dash, 1.8}, plot_ink);
    canvas_avoid(&d->canvas, s, 3);
    canvas_words(&d->canvas, canvas_right, y + above,
                 (struct words){words, plot_ink, "right", 11, 0, false});
    place_obstacle(&d->canvas.place,
                   (struct place_box){canvas_right - canvas_width_of(words, 11), y + above - 7,
                                      canvas_right, y + above + 7, 300});
}

static void draw_compute_roofs(struct drawing *d)
{
    const struct roof *second = plot_compute_roof(d, "fma_add_f32");
    if (!d->compute) {
        return;
    }
    const bool two = second && second != d->compute && second->rate > d->compute->rate * 1.02;
    const double apart =
        two ? canvas_y(&d->canvas, second->rate) - canvas_y(&d->canvas, d->compute->rate) : 100;
    draw_compute(d, d->compute, 1, apart < 20 ? -10 : 10);
    if (two) {
        draw_compute(d, second, 2, 10);
    }
}

void draw_roofs(struct drawing *d)
{
    for (int l = 0; l < PLOT_LEVELS; l++) {
        draw_level(d, &plot_levels[l]);
    }
    draw_compute_roofs(d);
}

void label_roofs(struct drawing *d)
{
    for (int l = 0; l < PLOT_LEVELS; l++) {
        label_bundle(d, &plot_levels[l]);
    }
    for (int l = 0; l < PLOT_LEVELS; l++) {
        label_ridges(d, &plot_levels[l]);
    }
}
