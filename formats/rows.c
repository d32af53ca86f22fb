#include "formats/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROW_BYTES_MAX ((size_t)1 << 20)
#define BUFFER_BYTES  ((size_t)1 << 16)
#define BYTES_FIRST   ((size_t)1 << 12)

struct rows {
    int file;
    const char *path;
    struct arena *arena;
    unsigned char *buffer; /* [BUFFER_BYTES] of the file */
    size_t at, end;        /* what is not taken yet */
    int error;             /* errno of reading; 0 */
    bool drained, ended;   /* no more to read; no more rows */
    unsigned line, column; /* of the next byte */
    int pushed_back;       /* a byte read too far, or EOF */

    char *bytes; /* the fields of the row in hand, each with its NUL */
    size_t len, capacity;
    int n_fields;
    size_t starts[ROWS_FIELDS_MAX]; /* in bytes, which may move as it grows */
    struct rows_field fields[ROWS_FIELDS_MAX];
};

static struct loc here(const struct rows *r)
{
    return (struct loc){r->path, r->line, r->column};
}

/* What there is by now, behind the first `kept` bytes: rows of a pipe go on as they come. */
static bool fill(struct rows *r, size_t kept)
{
    ssize_t n = 0;
    if (r->drained) {
        return false;
    }
    do {
        n = read(r->file, r->buffer + kept, BUFFER_BYTES - kept);
    } while (n < 0 && errno == EINTR);
    r->error = n < 0 ? errno : 0;
    r->drained = n <= 0;
    r->at = 0;
    r->end = kept + (n > 0 ? (size_t)n : 0);
    return !r->drained;
}

static void skip_byte_order_mark(struct rows *r)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    while (r->end < sizeof mark && fill(r, r->end)) {
    }
    r->at = r->end >= sizeof mark && memcmp(r->buffer, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

static int raw_byte(struct rows *r)
{
    return r->at < r->end || fill(r, 0) ? r->buffer[r->at++] : EOF;
}

/* The next byte, line ends as '\n' alone. */
static int next_byte(struct rows *r)
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
        r->column += (c & 0xc0) != 0x80; /* characters, not bytes, of UTF-8 */
    }
    return c;
}

static void append(struct rows *r, const void *bytes, size_t len)
{
    if (r->capacity - r->len < len) {
        const size_t capacity = 2 * (r->len + len);
        char *moved = arena_alloc(r->arena, capacity, 1);
        memcpy(moved, r->bytes, r->len);
        r->bytes = moved;
        r->capacity = capacity;
    }
    memcpy(r->bytes + r->len, bytes, len);
    r->len += len;
}

static bool keep(struct rows *r, int c, struct loc loc, struct err *e)
{
    const char byte = (char)c;
    if (c < 0x20 && c != '\t' && c != '\n') {
        return err_set(e, ERR_SYNTAX, loc, "%s 0x%02x in what should be a CSV file",
                       c == 0 ? "NUL byte" : "control character", (unsigned)c);
    }
    if (r->len >= ROW_BYTES_MAX) {
        return err_set(e, ERR_RANGE, loc, "a row longer than %zu bytes; is a quote missing?",
                       ROW_BYTES_MAX);
    }
    append(r, &byte, 1);
    return true;
}

#define EVERY_BYTE(b) (UINT64_MAX / 0xff * (b))

/* Is one of eight bytes a control character, not ASCII, a quote or `stop`?  A byte with its top bit
 * clear borrows from above when something larger is taken off (Warren, Hacker's Delight, 6-1). */
static bool is_special(uint64_t word, unsigned char stop)
{
    const uint64_t quotes = word ^ EVERY_BYTE((uint64_t)'"');
    const uint64_t stops = word ^ EVERY_BYTE((uint64_t)stop);
    const uint64_t marks =
        word | (word - EVERY_BYTE(0x20)) | (quotes - EVERY_BYTE(1)) | (stops - EVERY_BYTE(1));
    return (marks & EVERY_BYTE(0x80)) != 0;
}

static bool is_plain(unsigned char c, unsigned char stop)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != stop;
}

/* ASCII without control characters, up to a quote or `stop`, all at once: most of what there is. */
static void keep_run(struct rows *r, unsigned char stop)
{
    const size_t there = r->end - r->at;
    const size_t room =
        r->len < ROW_BYTES_MAX ? ROW_BYTES_MAX - r->len : 0; /* NULs may be beyond */
    const size_t most = there < room ? there : room;
    const unsigned char *run = r->buffer + r->at;
    size_t n = 0;
    if (r->pushed_back != EOF) {
        return;
    }
    for (uint64_t word; n + sizeof word <= most; n += sizeof word) {
        memcpy(&word, run + n, sizeof word);
        if (is_special(word, stop)) {
            break;
        }
    }
    while (n < most && is_plain(run[n], stop)) {
        n++;
    }
    append(r, run, n);
    r->at += n;
    r->column += (unsigned)n;
}

static bool ends_field(int c)
{
    return c == ',' || c == '\n' || c == EOF;
}

/* What follows an opening quote, through the closing one; "" stands for one quote. */
static bool read_quoted(struct rows *r, struct loc open, int *after, struct err *e)
{
    for (;;) {
        keep_run(r, '"');
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

static bool read_plain(struct rows *r, int c, struct loc loc, int *after, struct err *e)
{
    while (!ends_field(c)) {
        if (c == '"') {
            return err_set(e, ERR_SYNTAX, loc, "a quote inside a field; quote the whole field");
        }
        if (!keep(r, c, loc, e)) {
            return false;
        }
        keep_run(r, ',');
        loc = here(r);
        c = next_byte(r);
    }
    *after = c;
    return true;
}

static bool read_field(struct rows *r, int *after, struct err *e)
{
    struct loc loc = here(r);
    if (r->n_fields == ROWS_FIELDS_MAX) {
        return err_set(e, ERR_RANGE, loc, "more than %d columns", ROWS_FIELDS_MAX);
    }
    const int at = r->n_fields++;
    const int c = next_byte(r);
    r->starts[at] = r->len;
    r->fields[at].loc = loc;
    r->fields[at].loc.column += c == '"';
    const bool good = c == '"' ? read_quoted(r, loc, after, e) : read_plain(r, c, loc, after, e);
    r->fields[at].len = r->len - r->starts[at];
    append(r, "", 1);
    return good;
}

static bool read_row(struct rows *r, struct err *e)
{
    int after = ',';
    r->n_fields = 0;
    r->len = 0;
    while (after == ',') {
        if (!read_field(r, &after, e)) {
            return false;
        }
    }
    r->ended = after == EOF;
    for (int k = 0; k < r->n_fields; k++) {
        r->fields[k].text = r->bytes + r->starts[k];
    }
    return !r->error ||
           err_set(e, ERR_IO, (struct loc){.file = r->path}, "cannot read: %s", strerror(r->error));
}

int rows_next(struct rows *r, const struct rows_field **fields, struct err *e)
{
    *fields = r->fields;
    while (!r->ended) {
        if (!read_row(r, e)) {
            r->ended = true;
            return 0;
        }
        if (r->n_fields > 1 || r->fields[0].len > 0) {
            return r->n_fields;
        }
    }
    return 0;
}

static void release(void *object)
{
    rows_close(object);
}

void rows_close(struct rows *r)
{
    if (r && r->file > STDIN_FILENO) {
        close(r->file);
        r->file = -1;
    }
}

struct rows *rows_open(const char *path, struct arena *a, struct err *e)
{
    struct rows *r = arena_new(a, struct rows, 1);
    *r = (struct rows){.path = path, .arena = a, .line = 1, .column = 1, .pushed_back = EOF};
    r->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->file < 0) {
        err_set(e, ERR_IO, (struct loc){.file = path}, "cannot open: %s", strerror(errno));
        return NULL;
    }
    arena_on_release(a, release, r);
    r->buffer = arena_new(a, unsigned char, BUFFER_BYTES);
    r->capacity = BYTES_FIRST;
    r->bytes = arena_new(a, char, r->capacity);
    skip_byte_order_mark(r);
    return r;
}
