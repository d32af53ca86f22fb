#include "formats/profile.h"

#include "base/text.h"
#include "formats/rows.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX 1e18

/* The first three in the order of enum profile_place. */
enum column { ADDRESS, OFFSET, SYMBOL, COUNT, BINARY, COLUMNS };
static const char *const column_names[COLUMNS] = {[ADDRESS] = "address",
                                                  [OFFSET] = "offset",
                                                  [SYMBOL] = "symbol",
                                                  [COUNT] = "count",
                                                  [BINARY] = "file"};

struct table {
    int index[COLUMNS]; /* which field of a row; -1: no such column */
    int n_fields;
    enum profile_place place;
};

static bool take_column(struct table *t, const struct rows_field *field, int at, struct err *e)
{
    for (int c = 0; c < COLUMNS; c++) {
        if (strcmp(field->text, column_names[c]) != 0) {
            continue;
        }
        if (t->index[c] >= 0) {
            return err_set(e, ERR_SCHEMA, field->loc, "column '%s' given twice", column_names[c]);
        }
        t->index[c] = at;
    }
    return true;
}

static bool read_header(struct rows *r, const char *path, struct table *t, struct err *e)
{
    const struct rows_field *fields;
    int n_places = 0;
    t->n_fields = rows_next(r, &fields, e);
    for (int c = 0; c < COLUMNS; c++) {
        t->index[c] = -1;
    }
    for (int i = 0; i < t->n_fields; i++) {
        if (!take_column(t, &fields[i], i, e)) {
            return false;
        }
    }
    for (int c = ADDRESS; c <= SYMBOL; c++) {
        n_places += t->index[c] >= 0;
        t->place = t->index[c] >= 0 ? (enum profile_place)c : t->place;
    }
    return (t->index[COUNT] >= 0 && n_places == 1) ||
           err_set(e, ERR_SCHEMA, (struct loc){path, 1, 1},
                   "a header is needed with 'count' and one of 'address', 'offset' and 'symbol'; "
                   "'file' is understood, too");
}

/* "4096" or "0x1000", no more than 64 bits. */
static bool read_place(const char *text, uint64_t *out)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const uint64_t base = hex ? 16 : 10;
    text += hex ? 2 : 0;
    *out = 0;
    for (const char *c = text; *c; c++) {
        static const char digits[] = "0123456789abcdef";
        const char lower = *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c;
        const char *digit = strchr(digits, lower);
        if (!digit || (uint64_t)(digit - digits) >= base || *out > UINT64_MAX / base - 1) {
            return false;
        }
        *out = *out * base + (uint64_t)(digit - digits);
    }
    return *text != '\0';
}

/* "f" or "f+0x1c": the last plus parts them, since C++ has names with some. */
static bool read_symbol(const struct rows_field *field, struct arena *a, struct profile_spot *s)
{
    const char *plus = strrchr(field->text, '+');
    const bool behind = plus && read_place(plus + 1, &s->value);
    const size_t len = behind ? (size_t)(plus - field->text) : field->len;
    s->symbol = arena_copy(a, field->text, len);
    return len > 0;
}

static const char *base_name(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return arena_copy(a, name, strlen(name));
}

static bool read_spot(const struct table *t, const struct rows_field *fields, struct arena *a,
                      struct profile_spot *s, struct err *e)
{
    const struct rows_field *place = &fields[t->index[t->place]];
    const struct rows_field *count = &fields[t->index[COUNT]];
    *s = (struct profile_spot){.place = t->place, .loc = place->loc};
    if (t->index[BINARY] >= 0) {
        s->file = base_name(fields[t->index[BINARY]].text, a);
    }
    if (t->place == PROFILE_SYMBOL ? !read_symbol(place, a, s)
                                   : !read_place(place->text, &s->value)) {
        return err_set(e, ERR_SCHEMA, place->loc, "'%.40s' is no %s, such as %s", place->text,
                       column_names[t->place],
                       t->place == PROFILE_SYMBOL ? "main+0x1c" : "0x1000 or 4096");
    }
    if (!text_parse_number(count->text, count->len, &s->count)) {
        return err_set(e, ERR_SCHEMA, count->loc, "count: '%.40s' is not a number", count->text);
    }
    return (s->count > 0 && s->count <= COUNT_MAX) ||
           err_set(e, ERR_RANGE, count->loc,
                   "count: %.40s is out of range; more than 0, at most %g", count->text, COUNT_MAX);
}

static bool read_spots(struct rows *r, const struct table *t, struct arena *a, struct profile *out,
                       struct err *e)
{
    const struct rows_field *fields;
    for (int n; (n = rows_next(r, &fields, e)) > 0;) {
        out->spots = arena_grow(a, out->spots, out->n, &out->capacity, sizeof *out->spots);
        if (n != t->n_fields) {
            return err_set(e, ERR_SYNTAX, fields[0].loc, "the header has %d fields, this row %d",
                           t->n_fields, n);
        }
        if (!read_spot(t, fields, a, &out->spots[out->n++], e)) {
            return false;
        }
    }
    return e->code == ERR_NONE;
}

bool profile_read_counts(const char *path, struct arena *a, struct profile *out, struct err *e)
{
    struct table t = {0};
    struct rows *r = rows_open(path, a, e);
    *out = (struct profile){0};
    const bool good = r && read_header(r, path, &t, e) && read_spots(r, &t, a, out, e);
    rows_close(r);
    return good;
}
