#include "compare/cells.h"

#include <math.h>
#include <string.h>

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
    } else {
        cell_maybe(t, with_fetch, cell_giga);
    }
}

void cell_bytes(struct table *t, double value)
{
    char size[TEXT_SI_SIZE];
    cell(t, text_bytes(value, size));
}

void cell_spread(struct table *t, const struct measured *m)
{
    cell_number(t, 100 * m->cv, 1);
    if (m->n > 0) {
        table_cell(t, TONE_PLAIN, "%d", m->n);
    } else {
        cell(t, "unknown");
    }
}

void cell_percent(struct table *t, double fraction)
{
    cell_number(t, 100 * fraction, 1);
}

void cell_remark(struct table *t, const struct measured *m, bool from_machine)
{
    if (m->disturbed) {
        table_cell(t, TONE_DOUBT, "disturbed%s%s", m->why[0] ? ": " : "", m->why);
    } else if (m->other_disturbed) {
        table_cell(t, TONE_DOUBT, "other round disturbed");
    } else if (from_machine) {
        cell(t, "from the machine file");
    } else {
        cell(t, m->derived ? "derived" : "");
    }
}
