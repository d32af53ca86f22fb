#include "code/form_list.h"

#include "code/encode.h"

#include <string.h>

struct list {
    struct arena *arena;
    const char **forms;
    int n;
    size_t capacity;
};

static bool refuse(const char *line, size_t len, struct loc loc, struct err *e)
{
    char shown[41];
    size_t n = 0;

    for (; n < len && n < sizeof shown - 1; n++) {
        shown[n] = line[n] >= ' ' && line[n] <= '~' ? line[n] : '?';
    }
    shown[n] = '\0';
    return err_set(e, ERR_SYNTAX, loc, "'%s' is not a form, as: add r64, imm", shown);
}

static bool take_line(struct list *l, const char *line, size_t len, struct loc loc, struct err *e)
{
    char text[FORM_SIZE], form[FORM_SIZE];
    struct encode_form encoded;
    struct err why = {0};

    while (len > 0 && strchr(" \t\r", line[len - 1])) {
        len--;
    }
    if (len == 0 || *line == '#') {
        return true;
    }
    if (len >= sizeof text || memchr(line, '\0', len)) {
        return refuse(line, len, loc, e);
    }
    memcpy(text, line, len);
    text[len] = '\0';
    /* Operands that are not encoded here are a form's own affair: it is refused later, by name. */
    if (!form_normalise(text, form) ||
        (!encode_form(form, &encoded, &why) && why.code == ERR_SYNTAX)) {
        return refuse(line, len, loc, e);
    }
    l->forms = arena_grow(l->arena, l->forms, (size_t)l->n, &l->capacity, sizeof *l->forms);
    l->forms[l->n++] = arena_copy(l->arena, form, strlen(form));
    return true;
}

bool form_list_read(struct bytes input, const char *file, struct arena *a,
                    const char *const **forms, int *n, struct err *e)
{
    struct list l = {.arena = a};
    size_t at = 0;

    for (unsigned line = 1; at < input.len; line++) {
        const char *end = memchr(input.data + at, '\n', input.len - at);
        const size_t len = end ? (size_t)(end - input.data) - at : input.len - at;
        const struct loc loc = {.file = file, .line = line, .column = 1};
        if (!take_line(&l, input.data + at, len, loc, e)) {
            return false;
        }
        at += len + 1;
    }
    *forms = l.forms;
    *n = l.n;
    return l.n > 0 || err_set(e, ERR_RANGE, (struct loc){.file = file, .line = 1, .column = 1},
                              "no form in this list");
}
