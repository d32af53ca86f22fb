#include "compare/document.h"

#include <string.h>

static void add(struct document *d, struct document_block block)
{
    d->blocks = arena_grow(d->arena, d->blocks, d->n, &d->capacity, sizeof *d->blocks);
    d->blocks[d->n++] = block;
}

void document_add(struct document *d, enum block_kind kind, enum tone tone, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = text_clean(d->arena, format, args);
    va_end(args);
    add(d, (struct document_block){.kind = kind, .cell = {.text = text, .tone = tone}});
}

void document_table(struct document *d, const struct table *t)
{
    if (table_rows(t) > 0) {
        add(d, (struct document_block){.kind = BLOCK_TABLE, .table = t});
    }
}

static int column_width(const struct table *t, int column)
{
    int width = text_width(t->columns[column].title);
    for (int r = 0; r < table_rows(t); r++) {
        const int cell = text_width(table_at(t, r, column)->text);
        width = cell > width ? cell : width;
    }
    return width;
}

static void pad(struct text *out, int n)
{
    text_add(out, "%*s", n > 0 ? n : 0, "");
}

/* --- terminal --- */

static const char *const tone_codes[] = {
    [TONE_PLAIN] = "",
    [TONE_GOOD] = "\033[32m",
    [TONE_DOUBT] = "\033[33m",
    [TONE_BAD] = "\033[1;31m",
};
static const char bold[] = "\033[1m", faint[] = "\033[2m", normal[] = "\033[0m";

static void colored(struct text *out, const char *code, const char *words, bool color)
{
    const bool on = color && code[0] && words[0];
    text_add(out, "%s%s%s", on ? code : "", words, on ? normal : "");
}

/* Lines of tables and of sentences, in columns. */
enum { TABLE_WIDTH = 114, SENTENCE_WIDTH = 98, CELL_WIDTH_LEAST = 24 };

/* Words from column `start` on, folded at `limit`, the lines after the first indented as far. */
static void folded(const char *words, int start, int limit, struct text *out)
{
    int column = start;
    for (bool first = true; *words; first = false) {
        const size_t len = strcspn(words, " ");
        char *word = arena_copy(out->arena, words, len);
        if (!first && column + 1 + text_width(word) > limit) {
            text_add(out, "\n%*s", start, "");
            column = start;
        } else if (!first) {
            text_add(out, " ");
            column++;
        }
        text_add(out, "%s", word);
        column += text_width(word);
        words += len + strspn(words + len, " ");
    }
}

/* The last column that is shown, and where it begins. */
struct last_column {
    int index, start;
};

static struct last_column last_of(const struct table *t, const int *widths)
{
    struct last_column last = {-1, 0};
    int at = 2;
    for (int c = 0; c < t->n_columns; c++) {
        if (!t->columns[c].hidden) {
            last = (struct last_column){c, at};
            at += widths[c] + 2;
        }
    }
    return last;
}

/* One line of cells, the last one folded where it is words; blanks at the end of a line are not
 * written. */
static void terminal_row(const struct table *t, const int *widths, int row, bool color,
                         struct text *out)
{
    const struct last_column last = last_of(t, widths);
    const bool fold = last.start + CELL_WIDTH_LEAST < TABLE_WIDTH;
    int owed = 2;
    for (int c = 0; c < t->n_columns; c++) {
        if (t->columns[c].hidden) {
            continue;
        }
        const struct cell title = {.text = t->columns[c].title};
        const struct cell *cell = row < 0 ? &title : table_at(t, row, c);
        const int spare = widths[c] - text_width(cell->text);
        owed += t->columns[c].right ? spare : 0;
        if (cell->text[0]) {
            pad(out, owed);
            struct text words = {.arena = out->arena};
            if (c == last.index && fold && !t->columns[c].right) {
                folded(cell->text, last.start, TABLE_WIDTH, &words);
            }
            colored(out, row < 0 ? faint : tone_codes[cell->tone],
                    words.len ? words.data : cell->text, color);
            owed = 0;
        } else {
            owed += text_width(cell->text);
        }
        owed += 2 + (t->columns[c].right ? 0 : spare);
    }
    text_add(out, "\n");
}

static void terminal_words(const struct cell *cell, const char *lead, bool color, struct text *out)
{
    text_add(out, "%s%s", lead, color ? tone_codes[cell->tone] : "");
    folded(cell->text, (int)strlen(lead), SENTENCE_WIDTH, out);
    text_add(out, "%s\n", color && tone_codes[cell->tone][0] ? normal : "");
}

static void terminal_table(const struct table *t, bool color, struct text *out)
{
    int widths[TABLE_COLUMNS_MAX];
    bool titles = false;
    for (int c = 0; c < t->n_columns; c++) {
        widths[c] = column_width(t, c);
        titles |= t->columns[c].title[0] != 0;
    }
    for (int r = titles ? -1 : 0; r < table_rows(t); r++) {
        text_add(out, "%s", r > 0 && table_at(t, r, 0)->gap ? "\n" : "");
        terminal_row(t, widths, r, color, out);
    }
    for (size_t i = 0; i < t->n_footnotes; i++) {
        terminal_words(&(struct cell){.text = table_footnote_words(t, i)}, "  ", color, out);
    }
}

void document_terminal(const struct document *d, bool color, struct text *out)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct document_block *b = &d->blocks[i];
        switch (b->kind) {
        case BLOCK_TITLE:
            colored(out, bold, b->cell.text, color);
            text_add(out, "\n\n");
            break;
        case BLOCK_HEADING:
            text_add(out, "\n");
            colored(out, bold, b->cell.text, color);
            text_add(out, "\n");
            break;
        case BLOCK_SENTENCE:
            terminal_words(&b->cell, "  ", color, out);
            break;
        case BLOCK_ITEM:
            terminal_words(&b->cell, "  - ", color, out);
            break;
        case BLOCK_TABLE:
            terminal_table(b->table, color, out);
            break;
        }
    }
}

/* --- Markdown --- */

/* What would be read as markup is escaped; an underscore inside a word is not. */
static void markdown_words(const char *words, struct text *out)
{
    for (const char *p = words; *p; p++) {
        text_add(out, "%s%c", strchr("|\\`*<[", *p) ? "\\" : "", *p);
    }
}

/* A cell as Markdown writes it. */
static const char *markdown_text(const struct cell *cell, struct arena *a)
{
    struct text words = {.arena = a};
    const char *mark = cell->tone == TONE_BAD ? "**" : "";
    text_add(&words, "%s", mark);
    markdown_words(cell->text, &words);
    text_add(&words, "%s", mark);
    return words.data;
}

static void markdown_cell(const char *words, const struct column *column, int width,
                          struct text *out)
{
    const int spare = width - text_width(words);
    text_add(out, " ");
    pad(out, column->right ? spare : 0);
    text_add(out, "%s", words);
    pad(out, column->right ? 0 : spare);
    text_add(out, " |");
}

static int markdown_width(const struct table *t, int column, struct arena *a)
{
    int width = text_width(t->columns[column].title);
    for (int r = 0; r < table_rows(t); r++) {
        const int cell = text_width(markdown_text(table_at(t, r, column), a));
        width = cell > width ? cell : width;
    }
    return width > 3 ? width : 3;
}

static void markdown_rule(const struct table *t, const int *widths, struct text *out)
{
    text_add(out, "|");
    for (int c = 0; c < t->n_columns; c++) {
        if (t->columns[c].hidden) {
            continue;
        }
        text_add(out, " ");
        for (int k = 0; k < widths[c] - t->columns[c].right; k++) {
            text_add(out, "-");
        }
        text_add(out, "%s |", t->columns[c].right ? ":" : "");
    }
    text_add(out, "\n");
}

static void markdown_table(const struct table *t, struct text *out)
{
    int widths[TABLE_COLUMNS_MAX];
    for (int c = 0; c < t->n_columns; c++) {
        widths[c] = markdown_width(t, c, out->arena);
    }
    for (int r = -1; r < table_rows(t); r++) {
        text_add(out, "|");
        for (int c = 0; c < t->n_columns; c++) {
            const char *words =
                r < 0 ? t->columns[c].title : markdown_text(table_at(t, r, c), out->arena);
            if (!t->columns[c].hidden) {
                markdown_cell(words, &t->columns[c], widths[c], out);
            }
        }
        text_add(out, "\n");
        if (r < 0) {
            markdown_rule(t, widths, out);
        }
    }
    for (size_t i = 0; i < t->n_footnotes; i++) {
        text_add(out, "%s", i ? "\\\n" : "\n");
        markdown_words(table_footnote_words(t, i), out);
    }
    text_add(out, "%s", t->n_footnotes ? "\n" : "");
}

void document_markdown(const struct document *d, struct text *out)
{
    static const char *const leads[] = {
        [BLOCK_TITLE] = "# ", [BLOCK_HEADING] = "## ", [BLOCK_SENTENCE] = "",
        [BLOCK_ITEM] = "- ",  [BLOCK_TABLE] = "",
    };
    for (size_t i = 0; i < d->n; i++) {
        const struct document_block *b = &d->blocks[i];
        const bool list_goes_on = i > 0 && b->kind == BLOCK_ITEM && b[-1].kind == BLOCK_ITEM;
        text_add(out, "%s%s", i > 0 && !list_goes_on ? "\n" : "", leads[b->kind]);
        if (b->kind == BLOCK_TABLE) {
            markdown_table(b->table, out);
            continue;
        }
        const bool loud = b->cell.tone == TONE_BAD;
        text_add(out, "%s", loud ? "**" : "");
        markdown_words(b->cell.text, out);
        text_add(out, "%s\n", loud ? "**" : "");
    }
}
