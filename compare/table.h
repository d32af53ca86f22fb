/* table.h - a table of words, filled row by row, before anyone knows how it will be shown.
 *
 * Control characters, which may come from a file, become blanks, so that nothing a file says can
 * steer a terminal or break a row.
 */
#ifndef GAMBREL_COMPARE_TABLE_H
#define GAMBREL_COMPARE_TABLE_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum tone { TONE_PLAIN, TONE_GOOD, TONE_DOUBT, TONE_BAD };

struct cell {
    const char *text;
    enum tone tone;
    bool gap; /* a new group of rows begins here */
};

/* One remark for all rows that differ in nothing but its numbers. */
#define FOOTNOTE_NUMBERS_MAX 4
struct footnote {
    const char *text;                                             /* of the first row */
    double low[FOOTNOTE_NUMBERS_MAX], high[FOOTNOTE_NUMBERS_MAX]; /* in their order in the text */
};

struct column {
    const char *title;
    bool right; /* numbers */
    bool hidden;
};

#define TABLE_COLUMNS_MAX 32

struct table {
    struct arena *arena;
    struct column columns[TABLE_COLUMNS_MAX];
    int n_columns;
    struct cell *cells; /* n_cells, row by row */
    size_t n_cells, capacity;
    bool gap_owed;
    struct footnote *footnotes;
    size_t n_footnotes, footnotes_capacity;
};

/* Titles that begin with '>' are right-aligned (the '>' is not shown). */
struct table *table_new(struct arena *a, const char *const *titles, int n);
/* Hides the column if all its cells say the same, and gives what they say for a heading, with ", "
 * before it; "" otherwise. */
const char *table_fold(struct table *t, const char *title);
/* Whether all cells of a column, of which there are some, say this. */
bool table_all_say(const struct table *t, const char *title, const char *text);
void table_cell(struct table *t, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The next row begins a group of its own. */
void table_gap(struct table *t);
/* The mark, "[1]", of a remark that stands under the table.  Remarks that differ only in their
 * numbers share one, which then gives the range of each number. */
const char *table_footnote(struct table *t, const char *text);
/* "[1] the clock moved by 5.2 to 8.6 % (limit 5)" */
const char *table_footnote_words(const struct table *t, size_t at);
int table_rows(const struct table *t);
const struct cell *table_at(const struct table *t, int row, int column);

/* What a reader sees of text: bytes that do not continue a UTF-8 character. */
int text_width(const char *text);

/* Formats into the arena, control characters made blanks. */
char *text_clean(struct arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#endif
