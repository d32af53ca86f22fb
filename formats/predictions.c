#include "formats/predictions.h"

#include "base/text.h"
#include "formats/rows.h"

#include <math.h>
#include <string.h>

#define CYCLES_MAX 1e12

struct columns {
    int n, cycles, name; /* which field of a row; -1: no such column */
};

/* -1: there is none. */
static int column_called(const struct rows_field *header, int n, const char *name)
{
    int k = 0;
    while (k < n && strcmp(header[k].text, name) != 0) {
        k++;
    }
    return k < n ? k : -1;
}

static bool read_header(struct rows *r, const char *path, struct columns *c, struct err *e)
{
    const struct rows_field *header;
    *c = (struct columns){.n = rows_next(r, &header, e)};
    if (c->n == 0) {
        return err_set(e, ERR_SYNTAX, (struct loc){path, 1, 1}, /* if nothing else was wrong */
                       "the file is empty; a header line with the column 'cycles' is needed");
    }
    c->cycles = column_called(header, c->n, "cycles");
    c->name = column_called(header, c->n, "name");
    if (c->cycles < 0) {
        c->cycles = column_called(header, c->n, "cycles_per_block");
        c->name = c->name < 0 ? column_called(header, c->n, "block") : c->name;
    }
    return c->cycles >= 0 || err_set(e, ERR_SCHEMA, header[0].loc,
                                     "the header has no column 'cycles' or 'cycles_per_block'");
}

static bool read_cycles(const struct rows_field *field, struct prediction *out, struct err *e)
{
    out->loc = field->loc;
    out->cycles = (double)NAN;
    if (field->len == 0) {
        return true;
    }
    if (!text_parse_number(field->text, field->len, &out->cycles)) {
        return err_set(e, ERR_SCHEMA, field->loc,
                       "cycles: '%.40s' is not a number; empty where there is none", field->text);
    }
    return (out->cycles > 0 && out->cycles <= CYCLES_MAX) ||
           err_set(e, ERR_RANGE, field->loc,
                   "cycles: %.40s is out of range; more than 0, at most %g, or empty", field->text,
                   CYCLES_MAX);
}

static bool read_rows(struct rows *r, const struct columns *c, struct arena *a,
                      struct predictions *out, struct err *e)
{
    const struct rows_field *fields;
    size_t capacity = 0;
    for (int n = rows_next(r, &fields, e); n > 0; n = rows_next(r, &fields, e)) {
        if (n != c->n) {
            return err_set(e, ERR_SYNTAX, fields[0].loc,
                           "the header has %d fields, this row %d; quote a field that holds commas",
                           c->n, n);
        }
        out->rows = arena_grow(a, out->rows, out->n, &capacity, sizeof *out->rows);
        struct prediction *p = &out->rows[out->n++];
        *p = (struct prediction){0};
        if (!read_cycles(&fields[c->cycles], p, e)) {
            return false;
        }
        if (c->name >= 0) {
            p->name = arena_copy(a, fields[c->name].text, fields[c->name].len);
        }
    }
    return e->code == ERR_NONE;
}

bool predictions_read(const char *path, struct arena *a, struct predictions *out, struct err *e)
{
    struct columns c;
    struct rows *r = rows_open(path, a, e);
    *out = (struct predictions){0};
    if (!r) {
        return false;
    }
    const bool fine = read_header(r, path, &c, e) && read_rows(r, &c, a, out, e);
    out->named = fine && c.name >= 0;
    rows_close(r);
    return fine;
}
