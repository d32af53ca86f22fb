#include "compare/cells.h"

#include <math.h>
#include <string.h>

const char accuracy_legend[] =
    "Predicted against measured; x 3: three times as much. ports and chains bound the core and "
    "leave "
    "memory aside: beyond L1 they are expected far above what is measured, and \"all\" has them as "
    "one bound of several. A row without a prediction counts against coverage.";

const char *known_text(const char *text)
{
    return text && text[0] ? text : "unknown";
}

bool is_memory_unit(const char *unit)
{
    return strcmp(unit, "byte/s") == 0;
}

void cell(struct table *t, const char *text)
{
    table_cell(t, TONE_PLAIN, "%s", text);
}

void cell_number(struct table *t, double value, int digits)
{
    if (isnan(value)) {
        cell(t, "unknown");
    } else {
        table_cell(t, TONE_PLAIN, "%.*f", digits, value);
    }
}

void cell_giga(struct table *t, double value)
{
    cell_number(t, value / 1e9, value < 10e9 ? 2 : 1);
}

void cells_accuracy(struct table *t, const struct accuracy *a)
{
    table_cell(t, TONE_PLAIN, "%d of %d", a->n, a->n_measured);
    cell_percent(t, a->mape);
    cell_percent(t, a->rms);
    cell_ratio(t, a->kendall_tau);
    cell_percent(t, a->coverage);
}

void cell_maybe(struct table *t, double value, void (*fill)(struct table *, double))
{
    if (isnan(value)) {
        cell(t, "-");
    } else {
        fill(t, value);
    }
}

void cell_ratio(struct table *t, double value)
{
    cell_number(t, value, 2);
}

void cell_with_fetch(struct table *t, const struct comparison *c, double counted, double with_fetch)
{
    if (c->write_allocates == 0 && with_fetch > counted) {
        cell(t, "no fetch");
    } else if (with_fetch <= counted) {
        cell(t, "=");
    } else {
        cell_maybe(t, with_fetch, cell_giga);
    }
}

void cell_bytes(struct table *t, double value)
{
    char size[TEXT_SI_SIZE];
    cell(t, text_bytes(value, size));
}

void cell_passes(struct table *t, const struct measured *m)
{
    if (m->n > 0) {
        table_cell(t, TONE_PLAIN, "%d", m->n);
    } else {
        cell(t, "unknown");
    }
}

void cell_spread(struct table *t, const struct measured *m)
{
    cell_number(t, 100 * m->cv, 1);
    cell_passes(t, m);
}

const char *fold_spread(struct table *t)
{
    if (table_all_say(t, "cv %", "unknown")) {
        table_fold(t, "cv %");
    }
    const char *n = table_fold(t, "n");
    return !n[0]                         ? ""
           : strcmp(n, ", unknown") == 0 ? ", published values"
                                         : arena_format(t->arena, ", medians of %s passes", n + 2);
}

void cell_percent(struct table *t, double fraction)
{
    if (fraction >= 10) {
        table_cell(t, TONE_PLAIN, "x %.0f", 1 + fraction);
    } else {
        cell_number(t, 100 * fraction, 1);
    }
}

void cell_median(struct table *t, const struct measured *m)
{
    const double reach = fmax(m->high - m->rate, m->rate - m->low) / 1e9;
    const double rate = m->rate / 1e9;
    if (isnan(rate) || isnan(reach)) {
        cell_giga(t, m->rate);
    } else {
        table_cell(t, TONE_PLAIN, "%.*f +-%.*f", rate < 10 ? 2 : 1, rate, reach < 1 ? 2 : 1, reach);
    }
}

const char *disturbed_mark(struct table *t, const struct measured *m)
{
    return m->disturbed
               ? arena_format(t->arena, " %s",
                              table_footnote(t, arena_format(t->arena, "disturbed%s%s",
                                                             m->why[0] ? ": " : "", m->why)))
               : "";
}

void cell_remark(struct table *t, const struct measured *m, bool from_machine)
{
    if (m->disturbed) {
        table_cell(t, TONE_DOUBT, "%s", disturbed_mark(t, m) + 1);
    } else if (m->other_disturbed) {
        table_cell(t, TONE_DOUBT, "%s", table_footnote(t, "the other round was disturbed"));
    } else if (from_machine) {
        cell(t, table_footnote(t, "not of this run: from the machine file"));
    } else {
        cell(t,
             m->derived ? table_footnote(t, "derived: computed from other published values") : "");
    }
}
