#include "formats/measured.h"

#include "base/file.h"
#include "base/names.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "block,cycles,spread,samples,cpu\n";

struct measured {
    const char *path, *cpu;
    struct arena *arena;
    int file;
    struct measured_row **rows;
    size_t n, capacity;
    struct names names;
};

static bool fail(const struct measured *m, const char *what, struct err *e)
{
    return err_set(e, ERR_IO, (struct loc){.file = m->path}, "cannot %s: %s", what,
                   strerror(errno));
}

static void keep(struct measured *m, const struct measured_row *row)
{
    struct measured_row *copy = arena_new(m->arena, struct measured_row, 1);

    *copy = *row;
    copy->block = arena_copy(m->arena, row->block, strlen(row->block));
    m->rows = arena_grow(m->arena, m->rows, m->n, &m->capacity, sizeof(struct measured_row *));
    m->rows[m->n++] = copy;
    names_add(&m->names, NULL, copy->block, copy);
}

/* A line without its end is what a process left that was stopped while it wrote. */
static bool cut_last_line(const struct measured *m, const char *text, size_t len, struct err *e)
{
    size_t whole = len;

    while (whole > 0 && text[whole - 1] != '\n') {
        whole--;
    }
    return whole == len || ftruncate(m->file, (off_t)whole) == 0 ||
           fail(m, "take away the cut-off last line", e);
}

/* `"block",cycles,spread,samples,cpu`; a block never holds a quote. */
static bool read_line(struct measured *m, const char *line, size_t len, unsigned number,
                      struct err *e)
{
    const struct loc loc = {m->path, number, 1};
    const char *end = line + len, *quote = memchr(line + (len > 0), '"', len - (len > 0));
    const char *fields[4]; /* after the block, each at its comma */
    double values[3];
    int n = 0;

    for (const char *c = quote ? quote + 1 : end; c < end; c++) {
        if (*c == ',' && n < 4) {
            fields[n++] = c;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (n != 4 || *line != '"' ||
            !text_parse_number(fields[k] + 1, (size_t)(fields[k + 1] - fields[k] - 1),
                               &values[k])) {
            return err_set(e, ERR_SYNTAX, loc,
                           "not a measurement; a line is \"block\",cycles,spread,samples,cpu");
        }
    }
    if (!(values[0] > 0 && values[0] < 1e9 && values[1] >= 0 && values[2] >= 1 &&
          values[2] < 1e6)) {
        return err_set(e, ERR_RANGE, loc, "cycles are above 0, a spread not below, samples from 1");
    }
    const size_t cpu_len = (size_t)(end - fields[3] - 1);
    if (strlen(m->cpu) != cpu_len || memcmp(fields[3] + 1, m->cpu, cpu_len) != 0) {
        return err_set(e, ERR_SCHEMA, loc, "measured on %.*s, this is %s; name another file",
                       (int)(cpu_len < 60 ? cpu_len : 60), fields[3] + 1, m->cpu);
    }
    keep(m, &(struct measured_row){
                .block = arena_copy(m->arena, line + 1, (size_t)(quote - line - 1)),
                .cycles = values[0],
                .spread = values[1],
                .samples = (int)values[2],
            });
    return true;
}

static bool read_lines(struct measured *m, const char *text, size_t len, struct err *e)
{
    unsigned number = 1;

    if (len < sizeof header - 1 || memcmp(text, header, sizeof header - 1) != 0) {
        return err_set(e, ERR_SCHEMA, (struct loc){m->path, 1, 1},
                       "not a file of measurements, which begins with '%.*s'",
                       (int)sizeof header - 2, header);
    }
    for (size_t at = sizeof header - 1; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        if (!end) {
            break;
        }
        const size_t line = (size_t)(end - text) - at;
        if (!read_line(m, text + at, line, ++number, e)) {
            return false;
        }
        at += line + 1;
    }
    return true;
}

static void close_file(void *object)
{
    const struct measured *m = object;

    if (m->file >= 0) {
        close(m->file);
    }
}

static bool write_all(const struct measured *m, const char *text, size_t len, struct err *e)
{
    const ssize_t written = write(m->file, text, len);

    if (written == (ssize_t)len) {
        return true;
    }
    errno = written < 0 ? errno : ENOSPC;
    return fail(m, "write", e);
}

struct measured *measured_open(const char *path, const char *cpu, struct arena *a, struct err *e)
{
    struct measured *m = arena_new(a, struct measured, 1);
    struct bytes content;

    *m = (struct measured){.path = path, .cpu = cpu, .arena = a, .file = -1, .names = {.arena = a}};
    if (!path) {
        return m;
    }
    m->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    arena_on_release(a, close_file, m);
    if (m->file < 0) {
        fail(m, "open", e);
        return NULL;
    }
    if (!file_read(path, a, &content, e)) {
        return NULL;
    }
    const bool fresh =
        content.len < sizeof header - 1 && memcmp(content.data, header, content.len) == 0;
    if (!fresh) {
        return read_lines(m, content.data, content.len, e) &&
                       cut_last_line(m, content.data, content.len, e)
                   ? m
                   : NULL;
    }
    return (ftruncate(m->file, 0) == 0 || fail(m, "truncate", e)) &&
                   write_all(m, header, sizeof header - 1, e)
               ? m
               : NULL;
}

int measured_count(const struct measured *m)
{
    return (int)m->n;
}

const struct measured_row *measured_get(const struct measured *m, int k)
{
    return m->rows[k];
}

const struct measured_row *measured_find(const struct measured *m, const char *block)
{
    return names_find(&m->names, NULL, block);
}

bool measured_add(struct measured *m, const struct measured_row *row, struct err *e)
{
    char line[8192];
    const int len = snprintf(line, sizeof line, "\"%s\",%.5g,%.3g,%d,%s\n", row->block, row->cycles,
                             row->spread, row->samples, m->cpu);

    if (!(row->cycles > 0 && row->cycles < 1e9)) {
        return err_set(e, ERR_RANGE, (struct loc){.file = m->path},
                       "'%.60s' took %g cycles; above 0 is right", row->block, row->cycles);
    }
    if (len < 0 || (size_t)len >= sizeof line) {
        return err_set(e, ERR_RANGE, (struct loc){.file = m->path},
                       "a block of more than %zu bytes: '%.40s...'", sizeof line, row->block);
    }
    if (m->path && !write_all(m, line, (size_t)len, e)) {
        return false;
    }
    keep(m, row);
    return true;
}
