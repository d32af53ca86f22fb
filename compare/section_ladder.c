#include "compare/sections.h"

#include <math.h>
#include <string.h>

double quiet_part(const struct row *row)
{
    return strcmp(row->level, "L1") == 0 ? 0.05 : 0.10;
}

/* Measured over the ceiling up to this rung; "=" where the rung changes nothing. */
static void cell_rung(struct table *t, const struct row *row, int r)
{
    const struct rung *rung = &row->ladder.rungs[r];
    const double ratio = row->measured.rate / rung->ceiling.rate;
    if (!rung->known) {
        cell(t, r == RUNG_STREAMS && strcmp(row->level, "L1") == 0 ? "-" : "?");
    } else if (r > 0 && fabs(rung->closes) < 0.005) {
        cell(t, "=");
    } else {
        table_cell(t, rung->verdict.kind == VERDICT_VIOLATES ? TONE_BAD : TONE_PLAIN, "%.2f",
                   ratio);
    }
}

/* The points of the roofline's gap that the rungs above it close. */
static void cell_closes(struct table *t, const struct row *row)
{
    const struct rung *why = row_explanation(row), *roofline = &row->ladder.rungs[RUNG_MEMORY];
    const double gap = 1 - row->measured.rate / roofline->ceiling.rate;
    if (!why || row->ladder.explains <= RUNG_MEMORY || !roofline->known || gap < 0) {
        cell(t, "-");
        return;
    }
    table_cell(t, TONE_PLAIN, "%.0f of %.0f", 100 * (gap - row->ladder.unexplained), 100 * gap);
}

static void cell_unexplained(struct table *t, const struct row *row)
{
    const double left = row->ladder.unexplained;
    const double of_turns = row->measured.rate / row->ladder.in_turn;
    if (isnan(left)) {
        cell(t, "unknown");
        return;
    }
    const enum tone tone = left < -quiet_part(row)        ? TONE_BAD
                           : fabs(left) > quiet_part(row) ? TONE_DOUBT
                                                          : TONE_PLAIN;
    const bool turns = left > quiet_part(row) && fabs(of_turns - 1) < 0.05;
    table_cell(t, tone, "%.2f%s%s", left, turns ? " " : "",
               turns ? table_footnote(t, "as if core and memory took turns") : "");
}

static const char *const rung_titles[RUNGS] = {
    [RUNG_COMPUTE] = "compute", [RUNG_MEMORY] = "memory",   [RUNG_PORTS] = "ports",
    [RUNG_CHAINS] = "chains",   [RUNG_STREAMS] = "streams",
};

static void ladder_row(const struct row *row, struct table *t)
{
    const struct rung *why = row_explanation(row);
    cell(t, row->name);
    cell(t, row->isa);
    table_cell(t, TONE_PLAIN, "%d", row->threads);
    cell(t, row->level);
    for (int r = 0; r < RUNGS; r++) {
        cell_rung(t, row, r);
    }
    cell(t, why ? rung_titles[row->ladder.explains] : "nothing");
    cell_closes(t, row);
    cell_maybe(t, row->measured.rate / row->ladder.in_turn, cell_ratio);
    cell_unexplained(t, row);
}

void section_ladder(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",  "isa",      ">thr",    "level",    ">compute",
                                         ">memory", ">ports",   ">chains", ">streams", "explained",
                                         ">closes", ">in turn", "left"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_rows; i++) {
        if (i > 0 && strcmp(c->rows[i].name, c->rows[i - 1].name) != 0) {
            table_gap(t);
        }
        if (c->rows[i].kernel) {
            ladder_row(&c->rows[i], t);
        }
    }
    if (table_rows(t) == 0) {
        return;
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Ladders%s", table_fold(t, "isa"));
    document_add(
        d, BLOCK_SENTENCE, TONE_PLAIN,
        "Measured over the ceiling of each rung, which is the least of all up to it; = no "
        "change, ? not known. The memory rung ends the roofline; streams put their mapping "
        "in its place. explained: by the first rung that the measurement reaches, else the "
        "nearest; closes: points of the roofline's gap that the explaining rung and "
        "those before it close; in turn: measured over what core and memory would make of "
        "it one after the other, which is no bound; left: what is left unexplained; thr: threads.");
    document_table(d, t);
}

static void stream_row(const struct stream_fit *f, int resource, struct table *t)
{
    cell(t, f->level);
    cell(t, f->isa);
    table_cell(t, TONE_PLAIN, "%d", f->threads);
    table_cell(t, TONE_PLAIN, "%d", resource + 1);
    for (int k = 0; k < STREAM_KINDS; k++) {
        cell_maybe(t, f->map.known[k] ? 1e9 * f->map.rho[resource][k] : (double)NAN, cell_ratio);
    }
    table_cell(t, TONE_PLAIN, "%d", f->n_mixes);
    cell_percent(t, f->map.fit_error);
    cell_percent(t, f->map.left_out_error);
    cell(t, f->disturbed ? table_footnote(t, "a mix it was fitted to was disturbed") : "");
}

/* The error of every mix when the mapping is fitted to the others. */
static void left_out_row(const struct stream_fit *f, struct table *t)
{
    struct text errors = {.arena = t->arena};
    for (int i = 0; i < f->n_mixes; i++) {
        text_add(&errors, "%s%s ", i ? ", " : "", f->mixes[i].name);
        if (isnan(f->map.left_out[i])) {
            text_add(&errors, "unknown");
        } else {
            text_add(&errors, "%+.0f", 100 * f->map.left_out[i]);
        }
    }
    cell(t, f->level);
    cell(t, f->isa);
    table_cell(t, TONE_PLAIN, "%d", f->threads);
    cell(t, errors.len ? errors.data : "");
}

void section_streams(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"level",  "isa",          ">threads",    ">resource",
                                         ">read",  ">write",       ">update",     ">write_nt",
                                         ">mixes", ">fit error %", ">left out %", "remark"};
    static const char *const error_titles[] = {"level", "isa", ">threads", "each mix left out, %"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    struct table *errors = table_new(d->arena, error_titles, COUNT(error_titles));
    for (int i = 0; i < c->evidence->n_streams; i++) {
        const struct stream_fit *f = &c->evidence->streams[i];
        table_gap(t);
        for (int r = 0; !*f->problem && r < f->map.n_resources; r++) {
            stream_row(f, r, t);
        }
        if (!*f->problem) {
            left_out_row(f, errors);
        }
    }
    if (table_rows(t) == 0) {
        return;
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Memory streams%s", table_fold(t, "isa"));
    document_add(
        d, BLOCK_SENTENCE, TONE_PLAIN,
        "Nanoseconds that a line of each kind takes of each resource, fitted to the roofs' "
        "mixes and to no kernel; a loop takes as long as the resource it uses most. left "
        "out: mean error of a mix when the mapping is fitted to the others.");
    document_table(d, t);
    table_fold(errors, "isa");
    document_table(d, errors);
}
