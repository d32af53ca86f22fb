#include "compare/plot.h"

#include "compare/gnuplot.h"
#include "compare/place.h"
#include "compare/table.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* The picture in pixels, origin at the lower left; the axes' corners. */
static const double width = 900, height = 660;
static const double left = 74, right = 876, bottom = 62, top = 584;
static const double font = 12, letter = 0.56; /* of the font size, on average */
static const double gnuplot_seconds_max = 20;

static const struct level_style {
    const char *name, *color;
    bool all_mixes; /* else one thin line, so that the picture stays readable */
} levels[] = {
    {"L1", "#c2410c", true},
    {"L2", "#a16207", false},
    {"L3", "#0f766e", false},
    {"DRAM", "#1d4ed8", true},
};

static const struct mix_style {
    const char *name;
    int dash;
    double line_width;
} mixes[] = {{"read", 1, 1.3}, {"copy", 2, 1.3}, {"triad", 4, 1.3}, {"update", 1, 2.4}};

static const char ink[] = "#1f2937", pale[] = "#6b7280", rule[] = "#e5e7eb", alarm[] = "#dc2626";

struct drawing {
    const struct comparison *c;
    const struct plot_key *key;
    struct text *out;
    struct place place;
    double x_low, x_high, y_low, y_high; /* log10 at the corners */
    const struct roof *compute;          /* what ridge points are given against; NULL */
    double ceiling;                      /* the highest compute roof drawn */
};

/* --- coordinates --- */

static double px(const struct drawing *d, double intensity)
{
    return left + (log10(intensity) - d->x_low) / (d->x_high - d->x_low) * (right - left);
}

static double py(const struct drawing *d, double rate)
{
    return bottom + (log10(rate) - d->y_low) / (d->y_high - d->y_low) * (top - bottom);
}

/* Of a line along which rate is proportional to intensity. */
static double slope_degrees(const struct drawing *d)
{
    const double per_decade_x = (right - left) / (d->x_high - d->x_low);
    const double per_decade_y = (top - bottom) / (d->y_high - d->y_low);
    return atan2(per_decade_y, per_decade_x) * 180 / acos(-1);
}

/* --- what gnuplot is told --- */

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

static void stroke(struct drawing *d, double x0, double y0, double x1, double y1,
                   const struct mix_style *style, const char *color)
{
    text_add(d->out,
             "set arrow from screen %.5f,%.5f to screen %.5f,%.5f nohead lw %g dt %d lc rgb '%s'\n",
             x0 / width, y0 / height, x1 / width, y1 / height, style->line_width, style->dash,
             color);
}

struct words {
    const char *text, *color, *align; /* left, center, right */
    double size, degrees;
    bool boxed; /* on white */
};

static void write_words(struct drawing *d, double x, double y, struct words w)
{
    text_add(d->out, "set label ");
    quoted(d->out, w.text);
    text_add(d->out, " at screen %.5f,%.5f %s rotate by %.2f font ',%g' tc rgb '%s'%s front\n",
             x / width, y / height, w.align, w.degrees, w.size, w.color, w.boxed ? " boxed" : "");
}

static void mark(struct drawing *d, double x, double y, int point, double size, const char *color)
{
    text_add(d->out, "set label '' at screen %.5f,%.5f point pt %d ps %g lc rgb '%s' front\n",
             x / width, y / height, point, size, color);
    place_obstacle(&d->place, (struct place_box){x - 6, y - 6, x + 6, y + 6, 50});
}

static double words_width(const char *words, double size)
{
    return text_width(words) * size * letter;
}

/* --- what is drawn --- */

static const struct roof *compute_roof(const struct drawing *d, const char *name)
{
    return roof_find(d->c->roofs, d->c->n_roofs, name, d->key->isa, "L1", d->key->threads);
}

static const struct roof *memory_roof(const struct drawing *d, const char *name, const char *level)
{
    const struct roof *r =
        roof_find(d->c->roofs, d->c->n_roofs, name, d->key->isa, level, d->key->threads);
    return r && strcmp(r->unit, "byte/s") == 0 ? r : NULL;
}

static bool drawn(const struct drawing *d, const struct row *row)
{
    return row->kernel && row->kernel->intensity > 0 && row->measured.rate > 0 &&
           row->threads == d->key->threads && strcmp(row->isa, d->key->isa) == 0;
}

/* The compute roof of the first kernel drawn, and a second ceiling where adds have pipes of their
 * own. */
static void choose_ceilings(struct drawing *d)
{
    for (int i = 0; i < d->c->n_rows && !d->compute; i++) {
        const struct row *row = &d->c->rows[i];
        if (drawn(d, row) && row->kernel->compute_roof) {
            d->compute = compute_roof(d, row->kernel->compute_roof);
        }
    }
    if (!d->compute) {
        d->compute = compute_roof(d, "fma_f32");
    }
    const struct roof *second = compute_roof(d, "fma_add_f32");
    d->ceiling = d->compute ? d->compute->rate : 0;
    d->ceiling = second ? fmax(d->ceiling, second->rate) : d->ceiling;
}

static void choose_axes(struct drawing *d)
{
    double x0 = 1, x1 = 1, y0 = d->ceiling > 0 ? d->ceiling : 1e15, y1 = d->ceiling;
    for (int i = 0; i < d->c->n_rows; i++) {
        const struct row *row = &d->c->rows[i];
        if (drawn(d, row)) {
            x0 = fmin(x0, row->kernel->intensity);
            x1 = fmax(x1, row->kernel->intensity);
            y0 = fmin(y0, row->measured.rate);
            y1 = fmax(y1, row->measured.rate);
        }
    }
    double ridge = 0, slowest = INFINITY;
    for (int m = 0; m < COUNT(mixes); m++) {
        const struct roof *r = memory_roof(d, mixes[m].name, "DRAM");
        if (r) {
            ridge = fmax(ridge, d->ceiling / r->rate);
            slowest = fmin(slowest, r->rate);
        }
    }
    x0 /= 3;
    x1 = fmax(x1 * 5, ridge * 6);
    y0 = fmin(y0 * 0.7, slowest * x0 * 0.8);
    d->x_low = log10(x0);
    d->x_high = log10(x1);
    d->y_low = log10(y0);
    d->y_high = log10(y1 * 2);
}

static void write_head(struct drawing *d)
{
    const struct run *r = d->c->run;
    struct text title = {.arena = d->out->arena}, under = {.arena = d->out->arena};
    char clock[TEXT_SI_SIZE], reps[TEXT_NUMBER_SIZE];
    text_add(d->out,
             "set terminal svg noenhanced size %g,%g font 'DejaVu Sans,Verdana,sans-serif,%g' "
             "background rgb 'white'\n"
             "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
             "set bmargin at screen %.5f\nset tmargin at screen %.5f\n"
             "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
             "set border 3 lw 0.8 lc rgb '%s'\nset tics nomirror scale 0.5 textcolor rgb '%s'\n"
             "set style textbox opaque noborder margins 0.4,0.4\nunset key\n",
             width, height, font, left / width, right / width, bottom / height, top / height,
             pow(10, d->x_low), pow(10, d->x_high), pow(10, d->y_low), pow(10, d->y_high), pale,
             ink);
    text_add(&title, "%s, %s, %d thread%s", r->host.cpu_name, d->key->isa, d->key->threads,
             d->key->threads == 1 ? "" : "s");
    text_add(&under, "clock %s; ", text_si(r->host.clock_hz, "Hz", clock));
    if (r->source) {
        text_add(&under, "published values, %s", r->source);
    } else {
        text_add(&under, "median of %s passes a dot, bars from the slowest to the fastest; %s",
                 report_number(r->reps, reps), r->date);
    }
    write_words(d, left, height - 28, (struct words){title.data, ink, "left", 17, 0, false});
    write_words(d, left, height - 50, (struct words){under.data, pale, "left", 11, 0, false});
}

static void write_tics(struct drawing *d)
{
    static const double steps[] = {1, 2, 5};
    const char *between = "";
    text_add(d->out, "set grid ytics back lt 1 lw 0.5 lc rgb '%s'\nset ytics (", rule);
    for (int decade = (int)floor(d->y_low); decade <= (int)ceil(d->y_high); decade++) {
        for (int s = 0; s < COUNT(steps); s++) {
            const double rate = steps[s] * pow(10, decade);
            if (log10(rate) >= d->y_low && log10(rate) <= d->y_high) {
                text_add(d->out, "%s'%g' %g", between, rate / 1e9, rate);
                between = ", ";
            }
        }
    }
    between = "";
    text_add(d->out, ")\nset xtics (");
    for (int power = -20; power <= 30; power++) {
        const double intensity = pow(2, power);
        if (log10(intensity) >= d->x_low && log10(intensity) <= d->x_high) {
            text_add(d->out, power < 0 ? "%s'1/%g' %g" : "%s'%g' %g", between,
                     power < 0 ? 1 / intensity : intensity, intensity);
            between = ", ";
        }
    }
    text_add(d->out, ")\n");
    write_words(d, (left + right) / 2, 20,
                (struct words){"flops per counted byte", ink, "center", font, 0, false});
    write_words(d, 20, (bottom + top) / 2,
                (struct words){"GFLOP/s", ink, "center", font, 90, false});
}

/* --- memory roofs --- */

struct bundle { /* the roofs of one level, slowest first */
    const struct roof *roofs[COUNT(mixes)];
    const struct mix_style *styles[COUNT(mixes)];
    int n;
};

static struct bundle bundle_of(const struct drawing *d, const struct level_style *level)
{
    struct bundle b = {.n = 0};
    for (int m = 0; m < COUNT(mixes) && (level->all_mixes || b.n == 0); m++) {
        const struct roof *r = memory_roof(d, mixes[m].name, level->name);
        if (!r) {
            continue;
        }
        int at = b.n++;
        for (; at > 0 && b.roofs[at - 1]->rate > r->rate; at--) {
            b.roofs[at] = b.roofs[at - 1];
            b.styles[at] = b.styles[at - 1];
        }
        b.roofs[at] = r;
        b.styles[at] = &mixes[m];
    }
    return b;
}

struct span { /* of a line in pixels */
    double x0, y0, x1, y1;
};

/* From where it enters the picture to the highest compute roof. */
static struct span roof_span(const struct drawing *d, double rate)
{
    const double x0 = fmax(pow(10, d->x_low), pow(10, d->y_low) / rate);
    const double x1 = fmin(pow(10, d->x_high), d->ceiling / rate);
    return (struct span){px(d, x0), py(d, x0 * rate), px(d, x1), py(d, x1 * rate)};
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
    return words_width(full.data, 11) < room ? full.data : names.data;
}

/* Boxes of text that runs along a line from x, y; either weighed or put down as obstacles. */
static double along(struct drawing *d, double x, double y, double angle, double length, bool put)
{
    double weight = 0;
    for (double at = 0; at < length; at += 5) {
        const double cx = x + at * cos(angle), cy = y + at * sin(angle);
        const struct place_box box = {cx - 5, cy - 6, cx + 5, cy + 6, 20};
        weight += place_weight(&d->place, &box);
        if (put) {
            place_obstacle(&d->place, box);
        }
    }
    return weight;
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
    const double degrees = slope_degrees(d), angle = degrees * acos(-1) / 180;
    const double length = hypot(s.x1 - s.x0, s.y1 - s.y0), lead = 14, above = 10;
    const char *words = bundle_words(&b, level->name, length - 2 * lead, d->out->arena);
    const double end = words_width(words, 11);
    double least = INFINITY, x = 0, y = 0;
    for (double start = lead; start <= fmax(lead, length - end - lead); start += 6) {
        const double at_x = s.x0 + start * cos(angle) - above * sin(angle);
        const double at_y = s.y0 + start * sin(angle) + above * cos(angle);
        const double weight = along(d, at_x, at_y, angle, end, false);
        if (weight < least || (weight <= least && !level->all_mixes)) {
            least = weight;
            x = at_x;
            y = at_y;
        }
    }
    write_words(d, x, y, (struct words){words, level->color, "left", 11, degrees, false});
    along(d, x, y, angle, end, true);
}

static void draw_level(struct drawing *d, const struct level_style *level)
{
    const struct bundle b = bundle_of(d, level);
    if (b.n == 0 || !d->compute) {
        return;
    }
    for (int i = 0; i < b.n; i++) {
        const struct span s = roof_span(d, b.roofs[i]->rate);
        const struct mix_style thin = {"", 3, 1};
        stroke(d, s.x0, s.y0, s.x1, s.y1, level->all_mixes ? b.styles[i] : &thin, level->color);
        place_line(&d->place, s.x0, s.y0, s.x1, s.y1, 1);
        mark(d, px(d, d->compute->rate / b.roofs[i]->rate), py(d, d->compute->rate), 12, 1,
             level->color);
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
                            ? arena_format(d->out->arena, "ridge %.2f to %.2f", low, high)
                            : arena_format(d->out->arena, "ridge %.2f", low);
    double x, y;
    place_label(&d->place, px(d, sqrt(low * high)), py(d, d->compute->rate), words_width(words, 10),
                13, &x, &y);
    write_words(d, x, y, (struct words){words, level->color, "left", 10, 0, true});
}

/* --- compute roofs --- */

/* A compute roof begins where the fastest roof of L1 meets it; without one nothing else bounds what
 * comes from L1. */
static double compute_from(const struct drawing *d, double rate)
{
    const struct bundle b = bundle_of(d, &levels[0]);
    return b.n ? fmax(left, px(d, rate / b.roofs[b.n - 1]->rate)) : left;
}

static void draw_compute(struct drawing *d, const struct roof *r, int dash, double above)
{
    const double x0 = compute_from(d, r->rate), y = py(d, r->rate);
    char rate[TEXT_SI_SIZE];
    const char *words =
        arena_format(d->out->arena, "%s %s", r->name, text_si(r->rate, "FLOP/s", rate));
    stroke(d, x0, y, right, y, &(struct mix_style){"", dash, 1.8}, ink);
    place_line(&d->place, x0, y, right, y, 3);
    write_words(d, right, y + above, (struct words){words, ink, "right", 11, 0, false});
    place_obstacle(&d->place, (struct place_box){right - words_width(words, 11), y + above - 7,
                                                 right, y + above + 7, 50});
}

static void draw_compute_roofs(struct drawing *d)
{
    const struct roof *second = compute_roof(d, "fma_add_f32");
    if (!d->compute) {
        return;
    }
    const bool two = second && second != d->compute && second->rate > d->compute->rate * 1.02;
    const double apart = two ? py(d, second->rate) - py(d, d->compute->rate) : 100;
    draw_compute(d, d->compute, 1, apart < 20 ? -10 : 10);
    if (two) {
        draw_compute(d, second, 2, 10);
    }
}

/* --- kernels --- */

static const struct level_style *style_of(const char *level)
{
    for (int l = 0; l < COUNT(levels); l++) {
        if (strcmp(levels[l].name, level) == 0) {
            return &levels[l];
        }
    }
    return &levels[COUNT(levels) - 1];
}

static void draw_bar(struct drawing *d, const struct measured *m, double x, const char *color)
{
    const struct mix_style thin = {"", 1, 1.1};
    if (isnan(m->min) || isnan(m->max)) {
        return;
    }
    const double y0 = fmax(py(d, m->min), bottom), y1 = fmin(py(d, m->max), top);
    stroke(d, x, y0, x, y1, &thin, color);
    stroke(d, x - 4, y0, x + 4, y0, &thin, color);
    stroke(d, x - 4, y1, x + 4, y1, &thin, color);
}

static void draw_kernel(struct drawing *d, const struct row *row)
{
    const char *color = style_of(row->level)->color;
    const double x = px(d, row->kernel->intensity), y = py(d, row->measured.rate);
    const double bound = row->ceilings[0].rate;
    if (!isnan(bound)) {
        const double at = fmin(fmax(py(d, bound), bottom), top);
        stroke(d, x, y, x, at, &(struct mix_style){"", 3, 0.8}, color);
        stroke(d, x - 8, at, x + 8, at, &(struct mix_style){"", 1, 2.2}, color);
        place_obstacle(&d->place, (struct place_box){x - 8, at - 2, x + 8, at + 2, 30});
    }
    draw_bar(d, &row->measured, x, color);
    mark(d, x, y, 7, 1, color);
    if (row->verdicts[0].kind == VERDICT_VIOLATES) {
        mark(d, x, y, 6, 2, alarm);
    }
}

/* One name serves all levels whose dots lie on each other. */
static bool named_already(const struct drawing *d, int index)
{
    const struct row *row = &d->c->rows[index];
    for (int i = 0; i < index; i++) {
        const struct row *before = &d->c->rows[i];
        if (drawn(d, before) && strcmp(before->name, row->name) == 0 &&
            fabs(py(d, before->measured.rate) - py(d, row->measured.rate)) < 14) {
            return true;
        }
    }
    return false;
}

static void name_kernel(struct drawing *d, int index)
{
    const struct row *row = &d->c->rows[index];
    double x, y;
    if (named_already(d, index)) {
        return;
    }
    place_label(&d->place, px(d, row->kernel->intensity), py(d, row->measured.rate),
                words_width(row->name, font), 15, &x, &y);
    write_words(d, x, y, (struct words){row->name, ink, "left", font, 0, true});
}

/* --- legend --- */

static bool violation_seen(const struct drawing *d)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        if (drawn(d, &d->c->rows[i]) && d->c->rows[i].verdicts[0].kind == VERDICT_VIOLATES) {
            return true;
        }
    }
    return false;
}

static bool level_seen(const struct drawing *d, const char *level)
{
    for (int i = 0; i < d->c->n_rows; i++) {
        if (drawn(d, &d->c->rows[i]) && strcmp(d->c->rows[i].level, level) == 0) {
            return true;
        }
    }
    return false;
}

static void legend_words(struct drawing *d, double y, const char *words)
{
    write_words(d, right - 118, y, (struct words){words, ink, "left", 11, 0, false});
    place_obstacle(&d->place, (struct place_box){right - 160, y - 9, right, y + 9, 200});
}

static void write_legend(struct drawing *d)
{
    double y = bottom + 14;
    const double x = right - 142;
    mark(d, x, y, 12, 1, pale);
    legend_words(d, y, "ridge point");
    y += 17;
    stroke(d, x - 10, y, x + 10, y, &(struct mix_style){"", 1, 2.2}, pale);
    legend_words(d, y, "the roofline's bound");
    if (violation_seen(d)) {
        y += 17;
        mark(d, x, y, 6, 2, alarm);
        legend_words(d, y, "above its bound");
    }
    for (int l = COUNT(levels) - 1; l >= 0; l--) {
        if (level_seen(d, levels[l].name)) {
            y += 17;
            mark(d, x, y, 7, 1, levels[l].color);
            legend_words(d, y, arena_format(d->out->arena, "kernel from %s", levels[l].name));
        }
    }
    for (int m = COUNT(mixes) - 1; m >= 0; m--) {
        if (memory_roof(d, mixes[m].name, "DRAM") || memory_roof(d, mixes[m].name, "L1")) {
            y += 17;
            stroke(d, x - 14, y, x + 14, y, &mixes[m], pale);
            legend_words(d, y, arena_format(d->out->arena, "%s roof", mixes[m].name));
        }
    }
}

/* --- the whole --- */

int plot_keys(const struct comparison *c, struct plot_key keys[PLOT_KEYS_MAX])
{
    int n = 0;
    for (int i = 0; i < c->n_rows && n < PLOT_KEYS_MAX; i++) {
        const struct row *row = &c->rows[i];
        int at = 0;
        while (at < n && !(keys[at].threads == row->threads && !strcmp(keys[at].isa, row->isa))) {
            at++;
        }
        if (at == n && row->kernel && row->kernel->intensity > 0) {
            keys[n++] = (struct plot_key){row->isa, row->threads};
        }
    }
    return n;
}

bool plot_script(const struct comparison *c, const struct plot_key *key, struct text *out,
                 struct err *e)
{
    struct drawing d = {.c = c, .key = key, .out = out, .place = {.arena = out->arena}};
    int kernels = 0;
    for (int i = 0; i < c->n_rows; i++) {
        kernels += drawn(&d, &c->rows[i]);
    }
    choose_ceilings(&d);
    if (!d.compute && kernels == 0) {
        return err_set(e, ERR_MODEL, LOC_NONE,
                       "nothing to draw for %s on %d thread%s: no compute roof and no kernel",
                       key->isa, key->threads, key->threads == 1 ? "" : "s");
    }
    choose_axes(&d);
    write_head(&d);
    write_tics(&d);
    write_legend(&d);
    for (int l = 0; l < COUNT(levels); l++) {
        draw_level(&d, &levels[l]);
    }
    draw_compute_roofs(&d);
    for (int i = 0; i < c->n_rows; i++) {
        if (drawn(&d, &c->rows[i])) {
            draw_kernel(&d, &c->rows[i]);
        }
    }
    for (int l = 0; l < COUNT(levels); l++) {
        label_bundle(&d, &levels[l]);
    }
    for (int l = 0; l < COUNT(levels); l++) {
        label_ridges(&d, &levels[l]);
    }
    for (int i = 0; i < c->n_rows; i++) {
        if (drawn(&d, &c->rows[i])) {
            name_kernel(&d, i);
        }
    }
    text_add(out, "plot 1/0 notitle\n");
    return true;
}

bool report_gnuplot(const struct comparison *c, const struct report_options *o, struct text *out,
                    struct err *e)
{
    struct plot_key keys[PLOT_KEYS_MAX];
    if (o->plot.isa) {
        return plot_script(c, &o->plot, out, e);
    }
    if (plot_keys(c, keys) == 0) {
        return err_set(e, ERR_MODEL, LOC_NONE, "nothing to draw: the run has no kernel with flops");
    }
    return plot_script(c, &keys[0], out, e);
}

bool report_svg(const struct comparison *c, const struct report_options *o, struct text *out,
                struct err *e)
{
    struct text script = {.arena = out->arena};
    return report_gnuplot(c, o, &script, e) &&
           gnuplot_run((struct bytes){script.data, script.len}, gnuplot_seconds_max, out, e);
}
