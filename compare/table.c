#include "compare/table.h"

#include <stdio.h>
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

const char *table_fold(struct table *t, const char *title)
{
    int column = 0;
    while (column < t->n_columns && strcmp(t->columns[column].title, title) != 0) {
        column++;
    }
    if (column == t->n_columns || table_rows(t) == 0) {
        return "";
    }
    const char *first = table_at(t, 0, column)->text;
    for (int r = 1; r < table_rows(t); r++) {
        if (strcmp(table_at(t, r, column)->text, first) != 0) {
            return "";
        }
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
    t->cells[t->n_cells++] = (struct cell){text, tone};
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
