#include "compare/plot.h"

#include "compare/drawing.h"
#include "compare/gnuplot.h"

#include <math.h>
#include <string.h>

static const double gnuplot_seconds_max = 20;

const char plot_ink[] = "#1f2937", plot_pale[] = "#6b7280", plot_alarm[] = "#dc2626";
static const char rule[] = "#e5e7eb";

const struct roof *plot_compute_roof(const struct drawing *d, const char *name)
{
    return roof_find(d->c->roofs, d->c->n_roofs, name, d->key->isa, "L1", d->key->threads);
}

const struct roof *plot_memory_roof(const struct drawing *d, const char *name, const char *level)
{
    const struct roof *r =
        roof_find(d->c->roofs, d->c->n_roofs, name, d->key->isa, level, d->key->threads);
    return r && strcmp(r->unit, "byte/s") == 0 ? r : NULL;
}

bool plot_drawn(const struct drawing *d, const struct row *row)
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
        if (plot_drawn(d, row) && row->kernel->compute_roof) {
            d->compute = plot_compute_roof(d, row->kernel->compute_roof);
        }
    }
    if (!d->compute) {
        d->compute = plot_compute_roof(d, "fma_f32");
    }
    const struct roof *second = plot_compute_roof(d, "fma_add_f32");
    d->ceiling = d->compute ? d->compute->rate : 0;
    d->ceiling = second ? fmax(d->ceiling, second->rate) : d->ceiling;
}

static void choose_axes(struct drawing *d)
{
    double x0 = 1, x1 = 1, y0 = d->ceiling > 0 ? d->ceiling : 1e15, y1 = d->ceiling;
    for (int i = 0; i < d->c->n_rows; i++) {
        const struct row *row = &d->c->rows[i];
        if (plot_drawn(d, row)) {
            x0 = fmin(x0, row->kernel->intensity);
            x1 = fmax(x1, row->kernel->intensity);
            y0 = fmin(y0, row->measured.rate);
            y1 = fmax(y1, row->measured.rate);
        }
    }
    double ridge = 0, slowest = INFINITY;
    for (int m = 0; m < PLOT_MIXES; m++) {
        const struct roof *r = plot_memory_roof(d, plot_mixes[m].name, "DRAM");
        if (r) {
            ridge = fmax(ridge, d->ceiling / r->rate);
            slowest = fmin(slowest, r->rate);
        }
    }
    x0 /= 3;
    x1 = fmax(x1 * 5, ridge * 6);
    y0 = fmin(y0 * 0.7, slowest * x0 * 0.8);
    d->canvas.x_low = log10(x0);
    d->canvas.x_high = log10(x1);
    d->canvas.y_low = log10(y0);
    d->canvas.y_high = log10(y1 * 2);
}

static void write_head(struct drawing *d)
{
    const struct run *r = d->c->run;
    struct text title = {.arena = d->canvas.out->arena}, under = {.arena = d->canvas.out->arena};
    char clock[TEXT_SI_SIZE], reps[TEXT_NUMBER_SIZE];
    text_add(d->canvas.out,
             "set terminal svg noenhanced size %g,%g font 'DejaVu Sans,Verdana,sans-serif,%g' "
             "background rgb 'white'\n"
             "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
             "set bmargin at screen %.5f\nset tmargin at screen %.5f\n"
             "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
             "set border 3 lw 0.8 lc rgb '%s'\nset tics nomirror scale 0.5 textcolor rgb '%s'\n"
             "set style textbox opaque noborder margins 0.4,0.4\nunset key\n",
             canvas_width, canvas_height, canvas_font, canvas_left / canvas_width,
             canvas_right / canvas_width, canvas_bottom / canvas_height, canvas_top / canvas_height,
             pow(10, d->canvas.x_low), pow(10, d->canvas.x_high), pow(10, d->canvas.y_low),
             pow(10, d->canvas.y_high), plot_pale, plot_ink);
    text_add(&title, "%s, %s, %d thread%s", r->host.cpu_name, d->key->isa, d->key->threads,
             d->key->threads == 1 ? "" : "s");
    text_add(&under, "clock %s; ", text_si(r->host.clock_hz, "Hz", clock));
    if (r->source) {
        text_add(&under, "published values, %s", r->source);
    } else {
        text_add(&under, "median of %s passes a dot, bars from the slowest to the fastest; %s",
                 report_number(r->reps, reps), r->date);
    }
    canvas_words(&d->canvas, canvas_left, canvas_height - 28,
                 (struct words){title.data, plot_ink, "left", 17, 0, false});
    canvas_words(&d->canvas, canvas_left, canvas_height - 50,
                 (struct words){under.data, plot_pale, "left", 11, 0, false});
}

static void write_tics(struct drawing *d)
{
    static const double steps[3] = {1, 2, 5};
    const char *between = "";
    text_add(d->canvas.out, "set grid ytics back lt 1 lw 0.5 lc rgb '%s'\nset ytics (", rule);
    for (int decade = (int)floor(d->canvas.y_low); decade <= (int)ceil(d->canvas.y_high);
         decade++) {
        for (int s = 0; s < 3; s++) {
            const double rate = steps[s] * pow(10, decade);
            if (log10(rate) >= d->canvas.y_low && log10(rate) <= d->canvas.y_high) {
                text_add(d->canvas.out, "%s'%g' %g", between, rate / 1e9, rate);
                between = ", ";
            }
        }
    }
    between = "";
    text_add(d->canvas.out, ")\nset xtics (");
    for (int power = -20; power <= 30; power++) {
        const double intensity = pow(2, power);
        if (log10(intensity) >= d->canvas.x_low && log10(intensity) <= d->canvas.x_high) {
            text_add(d->canvas.out, power < 0 ? "%s'1/%g' %g" : "%s'%g' %g", between,
                     power < 0 ? 1 / intensity : intensity, intensity);
            between = ", ";
        }
    }
    text_add(d->canvas.out, ")\n");
    canvas_words(&d->canvas, (canvas_left + canvas_right) / 2, 20,
                 (struct words){"flops per counted byte; the levels of a kernel side by side",
                                plot_ink, "center", canvas_font, 0, false});
    canvas_words(&d->canvas, 20, (canvas_bottom + canvas_top) / 2,
                 (struct words){"GFLOP/s", plot_ink, "center", canvas_font, 90, false});
}

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
    struct drawing d = {.c = c, .key = key, .canvas = {.out = out, .place = {.arena = out->arena}}};
    int kernels = 0;
    for (int i = 0; i < c->n_rows; i++) {
        kernels += plot_drawn(&d, &c->rows[i]);
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
    draw_legend(&d);
    draw_roofs(&d);
    draw_kernels(&d);
    label_roofs(&d);
    label_kernels(&d);
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
