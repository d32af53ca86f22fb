#include "formats/blocks.h"

#include "base/intern.h"
#include "base/items.h"
#include "base/text.h"
#include "formats/rows.h"

#include <math.h>
#include <string.h>

#define TERMS_MAX  4096 /* of one block */
#define COUNT_MAX  1e6
#define CYCLES_MAX 1e12

/* --- blocks -------------------------------------------------------------------------------------
 */

static const char *skip_blanks(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t')) {
        text++;
    }
    return text;
}

static struct loc moved(struct loc loc, size_t columns)
{
    loc.column += loc.column > 0 ? (unsigned)columns : 0;
    return loc;
}

/* The distinct forms of all blocks, and those of the block in hand. */
struct form_set {
    struct intern texts;
    struct form_place {
        size_t block; /* the last one that had it */
        size_t at;    /* its place there */
    } * places;       /* by number of the text */
    size_t n_places, places_capacity;

    size_t block; /* in hand, from 1 */
    struct form_count *forms;
    size_t *numbers;
    size_t n_forms, capacity; /* of both */
};

static void make_room(struct form_set *s)
{
    size_t capacity = s->capacity;
    s->numbers = arena_grow(s->texts.arena, s->numbers, s->n_forms, &capacity, sizeof *s->numbers);
    s->forms = arena_grow(s->texts.arena, s->forms, s->n_forms, &s->capacity, sizeof *s->forms);
}

/* Counts a form once more, as a new one or into an equal one. */
static void add_form(struct form_set *s, const char *text, size_t len, double count)
{
    const size_t number = intern_number(&s->texts, text, len);
    if (number == s->n_places) {
        s->places =
            arena_grow(s->texts.arena, s->places, number, &s->places_capacity, sizeof *s->places);
        s->places[s->n_places++] = (struct form_place){0};
    }
    struct form_place *place = &s->places[number];
    if (place->block == s->block) {
        s->forms[place->at].count += count;
        return;
    }
    if (s->n_forms == s->capacity) {
        make_room(s);
    }
    *place = (struct form_place){s->block, s->n_forms};
    s->numbers[s->n_forms] = number;
    s->forms[s->n_forms++] = (struct form_count){s->texts.texts[number].text, count};
}

/* "count form" or "form" in text[0..end). */
static bool parse_term(const char *text, const char *end, struct loc loc, struct form_set *s,
                       struct err *e)
{
    double count = 1;
    const char *word = text;
    while (word < end && *word != ' ' && *word != '\t') {
        word++;
    }
    if (text_parse_number(text, (size_t)(word - text), &count)) {
        if (!(count > 0 && count <= COUNT_MAX)) {
            return err_set(e, ERR_RANGE, loc, "a count is more than 0, at most %g, not %.*s",
                           COUNT_MAX, (int)(word - text < 40 ? word - text : 40), text);
        }
        text = skip_blanks(word, end);
    }
    if (text == end) {
        return err_set(e, ERR_SYNTAX, loc,
                       "a count without a form; write as in '2 addss xmm, xmm; 1 bsr r64, r64'");
    }
    add_form(s, text, (size_t)(end - text), count);
    return true;
}

static const char *next_semicolon(const char *text, const char *end)
{
    const char *found = memchr(text, ';', (size_t)(end - text));
    return found ? found : end;
}

/* Terms in text[0..end). */
static bool parse_terms(struct form_set *s, const char *text, const char *end, struct loc loc,
                        struct err *e)
{
    int n_terms = 0;
    s->block++;
    s->n_forms = 0;
    for (const char *term = text; term < end;) {
        const char *stop = next_semicolon(term, end);
        const char *first = skip_blanks(term, stop), *last = stop;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t')) {
            last--;
        }
        if (++n_terms > TERMS_MAX) {
            return err_set(e, ERR_RANGE, loc, "more than %d forms in one block", TERMS_MAX);
        }
        if (first < last && !parse_term(first, last, moved(loc, (size_t)(first - text)), s, e)) {
            return false;
        }
        term = stop + (stop < end);
    }
    return s->n_forms > 0 ||
           err_set(e, ERR_SYNTAX, loc,
                   "an empty block; write as in '2 addss xmm, xmm; 1 bsr r64, r64'");
}

static void take_forms(const struct form_set *s, struct arena *a, struct block *out)
{
    out->n_forms = (int)s->n_forms;
    out->forms = arena_new(a, struct form_count, s->n_forms);
    items_copy(out->forms, s->forms, s->n_forms, sizeof *s->forms);
}

static void take_numbers(const struct form_set *s, struct arena *a, struct block *out)
{
    size_t *numbers = arena_new(a, size_t, s->n_forms);
    items_copy(numbers, s->numbers, s->n_forms, sizeof *numbers);
    out->form_numbers = numbers;
}

bool block_parse(const char *text, struct loc loc, struct arena *a, struct block *out,
                 struct err *e)
{
    struct form_set s = {.texts.arena = a};
    *out = (struct block){.cycles = NAN, .weight = 1, .loc = loc};
    if (!parse_terms(&s, text, text + strlen(text), loc, e)) {
        return false;
    }
    take_forms(&s, a, out);
    return true;
}

/* --- files --------------------------------------------------------------------------------------
 */

enum column { BLOCK, CODE, CYCLES, WEIGHT, NAME, COLUMNS };
static const char *const column_names[] = {
    [BLOCK] = "block",   [CODE] = "code", [CYCLES] = "cycles",
    [WEIGHT] = "weight", [NAME] = "name", [COLUMNS] = NULL};

struct block_reader {
    struct rows *rows;
    struct form_set forms;
    int n_columns;                   /* of the header */
    int index[COLUMNS];              /* which field of a row; -1: no such column */
    const struct rows_field *fields; /* of the row in hand */
    int n_fields;
    bool row_in_hand; /* the first line was a row, not a header */
};

static bool is_code(const char *text, size_t len)
{
    return len >= 2 && len % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == len;
}

static bool read_header(struct block_reader *r, const char *path, struct err *e)
{
    r->n_columns = r->n_fields = rows_next(r->rows, &r->fields, e);
    if (r->n_fields == 0) {
        return err_set(e, ERR_SYNTAX, (struct loc){path, 1, 1}, /* if nothing else was wrong */
                       "the file is empty; a header line with the column 'block' is needed");
    }
    for (int c = 0; c < COLUMNS; c++) {
        r->index[c] = -1;
    }
    if (r->n_fields == 1 && is_code(r->fields[0].text, r->fields[0].len)) {
        r->index[CODE] = 0;
        r->row_in_hand = true;
        return true;
    }
    for (int i = 0; i < r->n_fields; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            if (strcmp(r->fields[i].text, column_names[c]) != 0) {
                continue;
            }
            if (r->index[c] >= 0) {
                return err_set(e, ERR_SCHEMA, r->fields[i].loc, "column '%s' given twice",
                               column_names[c]);
            }
            r->index[c] = i;
        }
    }
    return r->index[BLOCK] >= 0 || r->index[CODE] >= 0 ||
           err_set(
               e, ERR_SCHEMA, r->fields[0].loc,
               "the header has no column 'block' or 'code'; understood are block, code, cycles, "
               "weight, name");
}

struct block_reader *blocks_open(const char *path, struct arena *a, struct err *e)
{
    struct block_reader *r = arena_new(a, struct block_reader, 1);
    r->forms.texts.arena = a;
    r->rows = rows_open(path, a, e);
    if (!r->rows) {
        return NULL;
    }
    if (!read_header(r, path, e)) {
        rows_close(r->rows);
        return NULL;
    }
    return r;
}

/* A column's number, or `absent` where the file has no such column. */
static bool read_number(const struct block_reader *r, enum column c, double absent, double *out,
                        struct err *e)
{
    *out = absent;
    if (r->index[c] < 0) {
        return true;
    }
    const struct rows_field *field = &r->fields[r->index[c]];
    if (!text_parse_number(field->text, field->len, out)) {
        return err_set(e, ERR_SCHEMA, field->loc, "%s: '%.40s' is not a number", column_names[c],
                       field->text);
    }
    return (*out > 0 && *out <= CYCLES_MAX) ||
           err_set(e, ERR_RANGE, field->loc, "%s: %.40s is out of range; more than 0, at most %g",
                   column_names[c], field->text, CYCLES_MAX);
}

/* The text of a column, NULL where the file has no such column. */
static const char *field_text(const struct block_reader *r, enum column c, struct arena *row)
{
    const struct rows_field *field = r->index[c] >= 0 ? &r->fields[r->index[c]] : NULL;
    return field ? arena_copy(row, field->text, field->len) : NULL;
}

static bool read_block(struct block_reader *r, struct arena *row, struct block *out, struct err *e)
{
    const struct rows_field *block = &r->fields[r->index[r->index[BLOCK] >= 0 ? BLOCK : CODE]];
    *out = (struct block){.cycles = NAN, .weight = 1, .loc = block->loc};
    if (r->index[BLOCK] >= 0) {
        if (!parse_terms(&r->forms, block->text, block->text + block->len, block->loc, e)) {
            return false;
        }
        take_forms(&r->forms, row, out);
        take_numbers(&r->forms, row, out);
    }
    const bool bytes = r->index[CODE] >= 0 && (!out->n_forms || r->fields[r->index[CODE]].len > 0);
    out->code = bytes ? field_text(r, CODE, row) : NULL;
    out->code_loc = r->index[CODE] >= 0 ? r->fields[r->index[CODE]].loc : LOC_NONE;
    return true;
}

bool blocks_next(struct block_reader *r, struct arena *row, struct block *out, struct err *e)
{
    const bool in_hand = r->row_in_hand;
    r->row_in_hand = false;
    if (!in_hand) {
        r->n_fields = rows_next(r->rows, &r->fields, e);
    }
    if (r->n_fields == 0) {
        return false;
    }
    if (r->n_fields != r->n_columns) {
        return err_set(e, ERR_SYNTAX, r->fields[0].loc,
                       "the header has %d fields, this row %d; quote a field that holds commas",
                       r->n_columns, r->n_fields);
    }
    double cycles, weight;
    if (!read_number(r, CYCLES, NAN, &cycles, e) || !read_number(r, WEIGHT, 1, &weight, e) ||
        !read_block(r, row, out, e)) {
        return false;
    }
    out->cycles = cycles;
    out->weight = weight;
    out->name = field_text(r, NAME, row);
    return true;
}

void blocks_close(struct block_reader *r)
{
    if (r) {
        rows_close(r->rows);
    }
}

bool blocks_are_named(const struct block_reader *r)
{
    return r->index[NAME] >= 0;
}

bool blocks_are_weighted(const struct block_reader *r)
{
    return r->index[WEIGHT] >= 0;
}

bool blocks_are_timed(const struct block_reader *r)
{
    return r->index[CYCLES] >= 0;
}
