#include "formats/blocks.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TERMS_MAX     4096 /* of one block */
#define ROW_BYTES_MAX ((size_t)1 << 20)
#define FIELDS_MAX    64 /* of one row */
#define COUNT_MAX     1e6
#define CYCLES_MAX    1e12

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

/* Counts a form once more, as a new one or into an equal one. */
static void add_form(struct block *b, const char *form, double count)
{
    for (int i = 0; i < b->n_forms; i++) {
        if (strcmp(b->forms[i].form, form) == 0) {
            b->forms[i].count += count;
            return;
        }
    }
    b->forms[b->n_forms++] = (struct form_count){form, count};
}

/* "count form" or "form" in text[0..end). */
static bool parse_term(const char *text, const char *end, struct loc loc, struct arena *a,
                       struct block *out, struct err *e)
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
    add_form(out, arena_copy(a, text, (size_t)(end - text)), count);
    return true;
}

bool block_parse(const char *text, struct loc loc, struct arena *a, struct block *out,
                 struct err *e)
{
    int n_terms = 1;
    for (const char *c = text; *c; c++) {
        n_terms += *c == ';';
    }
    if (n_terms > TERMS_MAX) {
        return err_set(e, ERR_RANGE, loc, "more than %d forms in one block", TERMS_MAX);
    }
    *out = (struct block){.cycles = NAN, .weight = 1, .loc = loc};
    out->forms = arena_new(a, struct form_count, (size_t)n_terms);
    for (const char *term = text; *term;) {
        const char *stop = term + strcspn(term, ";");
        const char *first = skip_blanks(term, stop), *last = stop;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t')) {
            last--;
        }
        if (first < last &&
            !parse_term(first, last, moved(loc, (size_t)(first - text)), a, out, e)) {
            return false;
        }
        term = *stop ? stop + 1 : stop;
    }
    return out->n_forms > 0 ||
           err_set(e, ERR_SYNTAX, loc,
                   "an empty block; write as in '2 addss xmm, xmm; 1 bsr r64, r64'");
}

/* --- rows of a CSV file -------------------------------------------------------------------------
 */

enum column { BLOCK, CODE, CYCLES, WEIGHT, NAME, COLUMNS };
static const char *const column_names[] = {
    [BLOCK] = "block",   [CODE] = "code", [CYCLES] = "cycles",
    [WEIGHT] = "weight", [NAME] = "name", [COLUMNS] = NULL};

struct block_reader {
    FILE *file;
    const char *path;
    struct arena *arena;
    unsigned line, column;  /* of the next byte */
    unsigned char start[3]; /* of the file: where a byte order mark would be */
    size_t n_start, at;
    int pushed_back;         /* a byte read too far, or EOF */
    int n_columns;           /* of the header */
    int index[COLUMNS];      /* which field of a row; -1: no such column */
    bool ended, row_in_hand; /* the first line was a row, not a header */

    char *bytes; /* the fields of the row in hand, each with its NUL */
    size_t len, capacity;
    int n_fields;
    struct csv_field {
        size_t start, len;
        struct loc loc;
    } fields[FIELDS_MAX];
};

static struct loc here(const struct block_reader *r)
{
    return (struct loc){r->path, r->line, r->column};
}

static int raw_byte(struct block_reader *r)
{
    return r->at < r->n_start ? r->start[r->at++] : getc_unlocked(r->file);
}

/* The next byte, line ends as '\n' alone. */
static int next_byte(struct block_reader *r)
{
    int c = r->pushed_back;
    r->pushed_back = EOF;
    if (c == EOF) {
        c = raw_byte(r);
    }
    if (c == '\r') {
        c = raw_byte(r);
        if (c != '\n') {
            r->pushed_back = c;
            c = '\n';
        }
    }
    if (c == '\n') {
        r->line++;
        r->column = 1;
    } else if (c != EOF) {
        r->column += (c & 0xc0) != 0x80;
    }
    return c;
}

static void append(struct block_reader *r, int c)
{
    r->bytes = arena_grow(r->arena, r->bytes, r->len, &r->capacity, 1);
    r->bytes[r->len++] = (char)c;
}

static bool keep(struct block_reader *r, int c, struct loc loc, struct err *e)
{
    if (c < 0x20 && c != '\t' && c != '\n') {
        return err_set(e, ERR_SYNTAX, loc, "%s 0x%02x in what should be a CSV file",
                       c == 0 ? "NUL byte" : "control character", (unsigned)c);
    }
    if (r->len >= ROW_BYTES_MAX) {
        return err_set(e, ERR_RANGE, loc, "a row longer than %zu bytes; is a quote missing?",
                       ROW_BYTES_MAX);
    }
    append(r, c);
    return true;
}

static bool ends_field(int c)
{
    return c == ',' || c == '\n' || c == EOF;
}

/* What follows an opening quote, through the closing one; "" stands for one quote. */
static bool read_quoted(struct block_reader *r, struct loc open, int *after, struct err *e)
{
    for (;;) {
        struct loc loc = here(r);
        int c = next_byte(r);
        if (c == '"') {
            loc = here(r);
            *after = c = next_byte(r);
            if (ends_field(c)) {
                return true;
            }
            if (c != '"') {
                return err_set(e, ERR_SYNTAX, loc,
                               "text after a closing quote; write \"\" for a quote inside");
            }
        }
        if (c == EOF) {
            return err_set(e, ERR_SYNTAX, open, "the quote opened here is never closed");
        }
        if (!keep(r, c, loc, e)) {
            return false;
        }
    }
}

static bool read_plain(struct block_reader *r, int c, struct loc loc, int *after, struct err *e)
{
    while (!ends_field(c)) {
        if (c == '"') {
            return err_set(e, ERR_SYNTAX, loc, "a quote inside a field; quote the whole field");
        }
        if (!keep(r, c, loc, e)) {
            return false;
        }
        loc = here(r);
        c = next_byte(r);
    }
    *after = c;
    return true;
}

static bool read_field(struct block_reader *r, int *after, struct err *e)
{
    const struct loc loc = here(r);
    if (r->n_fields == FIELDS_MAX) {
        return err_set(e, ERR_RANGE, loc, "more than %d columns", FIELDS_MAX);
    }
    struct csv_field *field = &r->fields[r->n_fields++];
    *field = (struct csv_field){.start = r->len, .loc = loc};
    const int c = next_byte(r);
    field->loc.column += c == '"'; /* where its text begins */
    const bool good = c == '"' ? read_quoted(r, loc, after, e) : read_plain(r, c, loc, after, e);
    field->len = r->len - field->start;
    append(r, '\0');
    return good;
}

/* The fields of one more row; false at the end of the file and on error.  Empty lines are no rows. */
static bool read_row(struct block_reader *r, struct err *e)
{
    do {
        int after = ',';
        r->n_fields = 0;
        r->len = 0;
        while (after == ',') {
            if (!read_field(r, &after, e)) {
                return false;
            }
        }
        if (ferror(r->file)) {
            return err_set(e, ERR_IO, (struct loc){.file = r->path}, "cannot read: %s",
                           strerror(errno));
        }
        r->ended = after == EOF;
    } while (r->n_fields == 1 && r->fields[0].len == 0 && !r->ended);
    return r->n_fields > 1 || r->fields[0].len > 0;
}

static bool is_code(const char *text, size_t len)
{
    return len >= 2 && len % 2 == 0 && strspn(text, "0123456789abcdefABCDEF") == len;
}

static bool read_header(struct block_reader *r, struct err *e)
{
    if (!read_row(r, e)) {
        return err_set(e, ERR_SYNTAX, (struct loc){r->path, 1, 1}, /* if nothing else was wrong */
                       "the file is empty; a header line with the column 'block' is needed");
    }
    for (int c = 0; c < COLUMNS; c++) {
        r->index[c] = -1;
    }
    r->n_columns = r->n_fields;
    if (r->n_fields == 1 && is_code(r->bytes, r->fields[0].len)) {
        r->index[CODE] = 0;
        r->row_in_hand = true;
        return true;
    }
    for (int i = 0; i < r->n_fields; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            if (strcmp(r->bytes + r->fields[i].start, column_names[c]) != 0) {
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

static void reader_release(void *object)
{
    struct block_reader *r = object;
    if (r->file && r->file != stdin) {
        fclose(r->file);
    }
    r->file = NULL;
}

static void skip_byte_order_mark(struct block_reader *r)
{
    r->n_start = fread(r->start, 1, sizeof r->start, r->file);
    if (r->n_start == 3 && memcmp(r->start, "\xef\xbb\xbf", 3) == 0) {
        r->at = 3;
    }
}

struct block_reader *blocks_open(const char *path, struct arena *a, struct err *e)
{
    struct block_reader *r = arena_new(a, struct block_reader, 1);
    *r =
        (struct block_reader){.path = path, .arena = a, .line = 1, .column = 1, .pushed_back = EOF};
    arena_on_release(a, reader_release, r);
    r->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!r->file) {
        err_set(e, ERR_IO, (struct loc){.file = path}, "cannot open: %s", strerror(errno));
        return NULL;
    }
    skip_byte_order_mark(r);
    if (!read_header(r, e)) {
        reader_release(r);
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
    const struct csv_field *field = &r->fields[r->index[c]];
    const char *text = r->bytes + field->start;
    if (!text_parse_number(text, field->len, out)) {
        return err_set(e, ERR_SCHEMA, field->loc, "%s: '%.40s' is not a number", column_names[c],
                       text);
    }
    return (*out > 0 && *out <= CYCLES_MAX) ||
           err_set(e, ERR_RANGE, field->loc, "%s: %.40s is out of range; more than 0, at most %g",
                   column_names[c], text, CYCLES_MAX);
}

/* The text of a column, NULL where the file has no such column. */
static const char *field_text(const struct block_reader *r, enum column c, struct arena *row)
{
    const struct csv_field *field = r->index[c] >= 0 ? &r->fields[r->index[c]] : NULL;
    return field ? arena_copy(row, r->bytes + field->start, field->len) : NULL;
}

static bool read_block(const struct block_reader *r, struct arena *row, struct block *out,
                       struct err *e)
{
    const struct csv_field *block = &r->fields[r->index[r->index[BLOCK] >= 0 ? BLOCK : CODE]];
    *out = (struct block){.loc = block->loc};
    if (r->index[BLOCK] >= 0 && !block_parse(r->bytes + block->start, block->loc, row, out, e)) {
        return false;
    }
    out->code = field_text(r, CODE, row);
    out->code_loc = r->index[CODE] >= 0 ? r->fields[r->index[CODE]].loc : LOC_NONE;
    return true;
}

bool blocks_next(struct block_reader *r, struct arena *row, struct block *out, struct err *e)
{
    const bool in_hand = r->row_in_hand;
    r->row_in_hand = false;
    if (!in_hand && (r->ended || !read_row(r, e))) {
        r->ended = true;
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
        reader_release(r);
    }
}
