#include "compare/drawing.h"

#include <math.h>
#include <string.h>

static const struct level_style *style_of(const char *level)
{
    for (int l = 0; l < PLOT_LEVELS; l++) {
        if (strcmp(plot_levels[l].name, level) == 0) {
            return &plot_levels[l];
        }
    }
    return &plot_levels[PLOT_LEVELS - 1];
}

/* Where a row stands: the levels of a kernel, which have one intensity, a few pixels apart, so that
 * their bars do not cover each other. */
static double row_x(const struct drawing *d, const struct row *row)
{
    const double apart = 5, middle = (PLOT_LEVELS - 1) / 2.0;
    return canvas_x(&d->canvas, row->kernel->intensity) +
           apart * ((double)(style_of(row->level) - plot_levels) - middle);
}

static void draw_bar(struct drawing *d, const struct measured *m, double x, const char *color)
{
    const struct line thin = {"", 1, 1.1};
    if (isnan(m->min) || isnan(m->max)) {
        return;
    }
    const double y0 = fmax(canvas_y(&d->canvas, m->min), canvas_bottom),
                 y1 = fmin(canvas_y(&d->canvas, m->max), canvas_top);
    canvas_line(&d->canvas, (struct span){x, y0, x, y1}, &thin, color);
    canvas_line(&d->canvas, (struct span){x - 3, y0, x + 3, y0}, &thin, color);
    canvas_line(&d->canvas, (struct span){x - 3, y1, x + 3, y1}, &thin, color);
    place_obstacle(&d->canvas.place, (struct place_box){x - 3, y0 - 1, x + 3, y1 + 1, 40});
}

/* A rung above the roofline's that changes the ceiling. */
static bool is_refined(const struct row *row, int r)
{
    return row->ladder.rungs[r].known && fabs(row->ladder.rungs[r].closes) >= 0.005;
}

static void draw_rungs(struct drawing *d, const struct row *row, double x, const char *color)
{
    for (int r = RUNG_PORTS; r < RUNGS; r++) {
        if (is_refined(row, r)) {
            const double at = canvas_y(&d->canvas, row->ladder.rungs[r].ceiling.rate),
                         y = fmin(fmax(at, canvas_bottom), canvas_top);
            canvas_line(&d->canvas, (struct span){x - 5, y, x + 5, y}, &(struct line){"", 1, 1.2},
                        color);
            place_obstacle(&d->canvas.place, (struct place_box){x - 5, y - 1, x + 5, y + 1, 15});
        }
    }
}

static void draw_kernel(struct drawing *d, const struct row *row)
{
    const struct level_style *style = style_of(row->level);
    const char *color = style->color;
    const double x = row_x(d, row), y = canvas_y(&d->canvas, row->measured.rate);
    const double bound = row->ceilings[MODEL_ROOFLINE].rate;
    if (!isnan(bound)) {
        const double at = fmin(fmax(canvas_y(&d->canvas, bound), canvas_bottom), canvas_top);
        canvas_line(&d->canvas, (struct span){x, y, x, at}, &(struct line){"", 3, 0.8}, color);
        canvas_line(&d->canvas, (struct span){x - 8, at, x + 8, at}, &(struct line){"", 1, 2.2},
                    color);
        place_obstacle(&d->canvas.place, (struct place_box){x - 8, at - 2, x + 8, at + 2, 30});
    }
    draw_rungs(d, row, x, color);
    draw_bar(d, &row->measured, x, color);
    canvas_mark(&d->canvas, x, y, style->point, 1, color);
    if (row->verdicts[MODEL_ROOFLINE].kind == VERDICT_VIOLATES) {
        canvas_mark(&d->canvas, x, y, 6, 2, plot_alarm);
    }
}

/* Rows of one kernel whose dots lie on each other share a label. */
static bool share_label(const struct drawing *d, const struct row *a, const struct row *b)
{
    return plot_drawn(d, a) && plot_drawn(d, b) && strcmp(a->name, b->name) == 0 &&
           fabs(canvas_y(&d->canvas, a->measured.rate) - canvas_y(&d->canvas, b->measured.rate)) <
               14;
}

static bool named_already(const struct drawing *d, int index)
{
    for (int i = 0; i < index; i++) {
        if (share_label(d, &d->c->rows[i], &d->c->rows[index])) {
            return true;
        }
    }
    return false;
}

/* "saxpy L1", "poly L1, L2" */
static const char *label_words(const struct drawing *d, int index, bool *alone)
{
    const struct row *row = &d->c->rows[index];
    struct text words = {.arena = d->canvas.out->arena};
    text_add(&words, "%s %s", row->name, row->level);
    *alone = true;
    for (int i = index + 1; i < d->c->n_rows; i++) {
        if (share_label(d, row, &d->c->rows[i])) {
            text_add(&words, ", %s", d->c->rows[i].level);
            *alone = false;
        }
    }
    return words.data;
}

static void name_kernel(struct drawing *d, int index)
{
    const struct row *row = &d->c->rows[index];
    const double letters = canvas_font - 1;
    struct place_spot spot;
    bool alone;
    if (named_already(d, index)) {
        return;
    }
    const char *words = label_words(d, index, &alone);
    const struct place_size size = {canvas_width_of(words, letters), 14};
    place_label(&d->canvas.place, row_x(d, row), canvas_y(&d->canvas, row->measured.rate), size,
                &spot);
    canvas_words(&d->canvas, spot.left, spot.middle,
                 (struct words){words, alone ? style_of(row->level)->color : plot_ink, "left",
                                letters, 0, true});
}

void draw_kernels(struct drawing *d)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        if (plot_drawn(d, &d->c->rows[i])) {
            draw_kernel(d, &d->c->rows[i]);
        }
    }
}

/* From the right, where dots crowd under the compute roof and names have the fewest places. */
void label_kernels(struct drawing *d)
{
    double limit = INFINITY;
    for (;;) {
        double next = 0;
        for (int i = 0; i < d->c->n_rows; i++) {
            const struct row *row = &d->c->rows[i];
            if (plot_drawn(d, row) && row->kernel->intensity < limit) {
                next = fmax(next, row->kernel->intensity);
            }
        }
        if (next <= 0) {
            return;
        }
        for (int i = 0; i < d->c->n_rows; i++) {
            if (plot_drawn(d, &d->c->rows[i]) && d->c->rows[i].kernel->intensity >= next &&
                d->c->rows[i].kernel->intensity < limit) {
                name_kernel(d, i);
            }
        }
        limit = next;
    }
}

static bool violation_seen(const struct drawing *d)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        if (plot_drawn(d, &d->c->rows[i]) &&
            d->c->rows[i].verdicts[MODEL_ROOFLINE].kind == VERDICT_VIOLATES) {
            return true;
        }
    }
    return false;
}

static bool rung_seen(const struct drawing *d)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        for (int r = RUNG_PORTS; r < RUNGS; r++) {
            if (plot_drawn(d, &d->c->rows[i]) && is_refined(&d->c->rows[i], r)) {
                return true;
            }
        }
    }
    return false;
}

static bool level_seen(const struct drawing *d, const char *level)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        if (plot_drawn(d, &d->c->rows[i]) && strcmp(d->c->rows[i].level, level) == 0) {
            return true;
        }
    }
    return false;
}

static void legend_words(struct drawing *d, double y, const char *words)
{
    canvas_words(&d->canvas, canvas_right - 132, y,
                 (struct words){words, plot_ink, "left", 11, 0, false});
    place_obstacle(&d->canvas.place,
                   (struct place_box){canvas_right - 174, y - 9, canvas_right, y + 9, 200});
}

void draw_legend(struct drawing *d)
{
    double y = canvas_bottom + 14;
    const double x = canvas_right - 156;
    canvas_mark(&d->canvas, x, y, 12, 1, plot_pale);
    legend_words(d, y, "ridge point");
    y += 17;
    canvas_line(&d->canvas, (struct span){x - 10, y, x + 10, y}, &(struct line){"", 1, 2.2},
                plot_pale);
    legend_words(d, y, "the roofline's bound");
    if (rung_seen(d)) {
        y += 17;
        canvas_line(&d->canvas, (struct span){x - 6, y, x + 6, y}, &(struct line){"", 1, 1.2},
                    plot_pale);
        legend_words(d, y, "ports, chains, streams");
    }
    if (violation_seen(d)) {
        y += 17;
        canvas_mark(&d->canvas, x, y, 6, 2, plot_alarm);
        legend_words(d, y, "above its bound");
    }
    for (int l = PLOT_LEVELS - 1; l >= 0; l--) {
        if (level_seen(d, plot_levels[l].name)) {
            y += 17;
            canvas_mark(&d->canvas, x, y, plot_levels[l].point, 1, plot_levels[l].color);
            legend_words(d, y,
                         arena_format(d->canvas.out->arena, "kernel from %s", plot_levels[l].name));
        }
    }
    for (int m = PLOT_MIXES - 1; m >= 0; m--) {
        if (plot_memory_roof(d, plot_mixes[m].name, "DRAM") ||
            plot_memory_roof(d, plot_mixes[m].name, "L1")) {
            y += 17;
            canvas_line(&d->canvas, (struct span){x - 14, y, x + 14, y}, &plot_mixes[m], plot_pale);
            legend_words(d, y, arena_format(d->canvas.out->arena, "%s roof", plot_mixes[m].name));
        }
    }
}
