/* Rows as they were written come back, however they fall on the reader's pieces of the file. */
#include "base/random.h"
#include "base/text.h"
#include "formats/rows.h"
#include "tests/formats.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 3000, FIELDS = 5, LEN_MAX = 200 };

static const char *file_of(const struct text *t, char path[32])
{
    const int fd = memfd_create("rows", MFD_CLOEXEC);
    if (fd < 0 || write(fd, t->data, t->len) != (ssize_t)t->len) {
        printf("Bail out! no memory file\n");
        exit(1);
    }
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return path;
}

struct written {
    const char *text;
    unsigned line, column;
};

/* Letters, and now and then what needs quotes or takes two bytes. */
static const char *draw(struct random *r, struct arena *a)
{
    static const char *const rare[] = {",", "\"", "\n", "\xc3\xa9", "\t", "\x7f"};
    struct text t = {.arena = a};
    text_add_text(&t, "");
    for (int i = random_below(r, LEN_MAX); i > 0; i--) {
        text_add_text(&t, random_below(r, 30) ? "x" : rare[random_below(r, 6)]);
    }
    return t.data;
}

/* Writes a field; *line and *column, of the next byte, are kept up. */
static struct written put(struct text *t, const char *field, unsigned *line, unsigned *column)
{
    const bool quoted = strpbrk(field, ",\"\n") != NULL;
    const struct written w = {field, *line, *column + quoted};
    *column += quoted;
    text_add_text(t, quoted ? "\"" : "");
    for (; *field; field++) {
        text_add_text(t, *field == '"' ? "\"" : "");
        text_add_bytes(t, field, 1);
        *column += (unsigned)(*field == '"') + ((*field & 0xc0) != 0x80);
        if (*field == '\n') {
            ++*line;
            *column = 1;
        }
    }
    text_add_text(t, quoted ? "\"" : "");
    *column += quoted;
    return w;
}

static bool same(const struct rows_field *got, const struct written *want)
{
    return strcmp(got->text, want->text) == 0 && got->len == strlen(want->text) &&
           got->loc.line == want->line && got->loc.column == want->column;
}

static void as_written(const char *line_end, struct arena *a)
{
    struct random r = {7};
    struct text t = {.arena = a};
    struct err e = {0};
    struct written *want = arena_new(a, struct written, ROWS * FIELDS);
    unsigned line = 1;
    char path[32];
    for (int i = 0; i < ROWS; i++) {
        unsigned column = 1;
        for (int k = 0; k < FIELDS; k++) {
            want[i * FIELDS + k] = put(&t, k ? draw(&r, a) : "first", &line, &column);
            text_add_text(&t, k + 1 < FIELDS ? "," : line_end);
            column++;
        }
        line++;
    }
    struct rows *rows = rows_open(file_of(&t, path), a, &e);
    const struct rows_field *fields = NULL;
    int n = 0, wrong = 0;
    while (rows && rows_next(rows, &fields, &e) == FIELDS) {
        for (int k = 0; k < FIELDS; k++) {
            wrong += n >= ROWS || !same(&fields[k], &want[n * FIELDS + k]);
        }
        n++;
    }
    ok(n == ROWS && wrong == 0, "%d rows of %zu bytes come back with their places", ROWS, t.len);
    ok(rows && rows_next(rows, &fields, &e) == 0, "there is no more");
    test_fine(&e, "and no error");
    rows_close(rows);
}

/* A pipe that gives a byte at a time, with a byte order mark. */
static void in_drops(struct arena *a)
{
    static const char text[] = "\xef\xbb\xbfone,two\r\nthree,\"fo\"\"ur\"\r";
    int ends[2];
    char path[32];
    struct err e = {0};
    const struct rows_field *fields = NULL;
    if (pipe(ends) != 0) {
        printf("Bail out! no pipe\n");
        exit(1);
    }
    if (fork() == 0) {
        for (size_t i = 0; i + 1 < sizeof text; i++) {
            usleep(1000);
            if (write(ends[1], text + i, 1) != 1) {
                _exit(1);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    struct rows *rows = rows_open(path, a, &e);
    ok(rows && rows_next(rows, &fields, &e) == 2 && strcmp(fields[0].text, "one") == 0,
       "a byte order mark that comes in drops is skipped");
    ok(rows && rows_next(rows, &fields, &e) == 2 && strcmp(fields[1].text, "fo\"ur") == 0,
       "so is a row");
    ok(rows && rows_next(rows, &fields, &e) == 0, "the end");
    test_fine(&e, "is no error");
    rows_close(rows);
    rows_close(NULL);
}

/* --- too long --- */

/* Fields of these lengths in one row, of which the last are quoted. */
static void limit(size_t plain, int n_quoted, size_t quoted, int want, struct arena *a)
{
    struct text t = {.arena = a};
    struct err e = {0};
    char path[32];
    char *letters = arena_alloc(a, plain + quoted, 1);
    memset(letters, 'x', plain + quoted);
    text_add_bytes(&t, letters, plain);
    for (int k = 0; k < n_quoted; k++) {
        text_add_text(&t, ",\"");
        text_add_bytes(&t, letters, quoted);
        text_add_text(&t, "\"");
    }
    text_add_text(&t, "\n");
    struct rows *rows = rows_open(file_of(&t, path), a, &e);
    const struct rows_field *fields = NULL;
    const int got = rows ? rows_next(rows, &fields, &e) : -1;
    ok(got == want && (got > 0) == (e.code == ERR_NONE), "%zu bytes and %d times %zu: %d fields",
       plain, n_quoted, quoted, got);
    rows_close(rows);
}

int main(void)
{
    struct arena *a = test_arena();
    as_written("\n", a);
    as_written("\r\n", a);
    in_drops(a);
    limit((size_t)1 << 20, 0, 0, 1, a);
    limit(((size_t)1 << 20) + 1, 0, 0, 0, a);
    limit((size_t)1 << 20, 1, 100, 0, a);
    limit((size_t)1 << 20, 63, 60000, 0, a);
    limit(1 << 19, 1, 1 << 18, 2, a);
    limit(1 << 19, 2, 1 << 18, 0, a);
    arena_release(a);
    return tap_done();
}
