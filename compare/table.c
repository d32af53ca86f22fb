#include "compare/table.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table *table_new(struct arena *a, const char *const *titles, int n)
{
    struct table *t = arena_new(a, struct table, 1);
    t->arena = a;
    t->n_columns = n < TABLE_COLUMNS_MAX ? n : TABLE_COLUMNS_MAX;
    for (int i = 0; i < t->n_columns; i++) {
        const bool right = titles[i][0] == '>';
        t->columns[i] = (struct column){.title = titles[i] + right, .right = right};
    }
    return t;
}

static int column_named(const struct table *t, const char *title)
{
    int column = 0;
    while (column < t->n_columns && strcmp(t->columns[column].title, title) != 0) {
        column++;
    }
    return column;
}

bool table_all_say(const struct table *t, const char *title, const char *text)
{
    const int column = column_named(t, title);
    bool all = column < t->n_columns && table_rows(t) > 0;
    for (int r = 0; all && r < table_rows(t); r++) {
        all = strcmp(table_at(t, r, column)->text, text) == 0;
    }
    return all;
}

const char *table_fold(struct table *t, const char *title)
{
    const int column = column_named(t, title);
    if (column == t->n_columns || table_rows(t) == 0) {
        return "";
    }
    const char *first = table_at(t, 0, column)->text;
    if (!table_all_say(t, title, first)) {
        return "";
    }
    t->columns[column].hidden = true;
    return arena_format(t->arena, ", %s", first);
}

char *text_clean(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t size = len > 0 ? (size_t)len + 1 : 1;
    char *text = arena_alloc(a, size, 1);
    vsnprintf(text, size, format, args);
    for (char *p = text; *p; p++) {
        *p = (unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p;
    }
    return text;
}

void table_cell(struct table *t, enum tone tone, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = text_clean(t->arena, format, args);
    va_end(args);
    t->cells = arena_grow(t->arena, t->cells, t->n_cells, &t->capacity, sizeof *t->cells);
    t->cells[t->n_cells++] = (struct cell){text, tone, t->gap_owed};
    t->gap_owed = false;
}

void table_gap(struct table *t)
{
    t->gap_owed = t->n_cells > 0;
}

/* --- footnotes --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next number at or after `p`, not one inside of a word; NULL: none. */
static const char *number_in(const char *p, const char *text)
{
    while (*p && !(is_digit(*p) && (p == text || strchr(" (", p[-1])))) {
        p++;
    }
    return *p ? p : NULL;
}

/* Whether two texts differ in nothing but numbers, at most FOOTNOTE_NUMBERS_MAX of them. */
static bool alike(const char *a, const char *b)
{
    const char *from_a = a, *from_b = b;
    for (int i = 0;; i++) {
        const char *x = number_in(from_a, a), *y = number_in(from_b, b);
        if (!x || !y || i == FOOTNOTE_NUMBERS_MAX) {
            return strcmp(from_a, from_b) == 0;
        }
        if (x - from_a != y - from_b || strncmp(from_a, from_b, (size_t)(x - from_a)) != 0) {
            return false;
        }
        char *end;
        strtod(x, &end);
        from_a = end;
        strtod(y, &end);
        from_b = end;
    }
}

static void widen(struct footnote *f, const char *text, bool first)
{
    const char *p = text;
    for (int i = 0; i < FOOTNOTE_NUMBERS_MAX && (p = number_in(p, text)); i++) {
        char *end;
        const double value = strtod(p, &end);
        f->low[i] = first || value < f->low[i] ? value : f->low[i];
        f->high[i] = first || value > f->high[i] ? value : f->high[i];
        p = end;
    }
}

const char *table_footnote(struct table *t, const char *text)
{
    size_t i = 0;
    while (i < t->n_footnotes && !alike(t->footnotes[i].text, text)) {
        i++;
    }
    if (i == t->n_footnotes) {
        t->footnotes = arena_grow(t->arena, t->footnotes, t->n_footnotes, &t->footnotes_capacity,
                                  sizeof *t->footnotes);
        t->footnotes[t->n_footnotes++] = (struct footnote){.text = text};
        widen(&t->footnotes[i], text, true);
    }
    widen(&t->footnotes[i], text, false);
    return arena_format(t->arena, "[%zu]", i + 1);
}

const char *table_footnote_words(const struct table *t, size_t at)
{
    const struct footnote *f = &t->footnotes[at];
    struct text words = {.arena = t->arena};
    const char *from = f->text, *p;
    text_add(&words, "[%zu] ", at + 1);
    for (int i = 0; i < FOOTNOTE_NUMBERS_MAX && (p = number_in(from, f->text)); i++) {
        char *end;
        strtod(p, &end);
        /* A thousand milliseconds and more are seconds. */
        const bool seconds = strncmp(end, " ms", 3) == 0 && f->high[i] >= 1000;
        const double unit = seconds ? 1000 : 1;
        text_add(&words, "%.*s%.4g", (int)(p - from), from, f->low[i] / unit);
        if (f->high[i] > f->low[i]) {
            text_add(&words, " to %.4g", f->high[i] / unit);
        }
        text_add(&words, "%s", seconds ? " s" : "");
        from = seconds ? end + 3 : end;
    }
    text_add(&words, "%s", from);
    return words.data;
}

int table_rows(const struct table *t)
{
    return (int)(t->n_cells / (size_t)t->n_columns);
}

const struct cell *table_at(const struct table *t, int row, int column)
{
    return &t->cells[row * t->n_columns + column];
}

int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}
