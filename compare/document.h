/* document.h - a report for people as headings, sentences, items and tables, and how a terminal and
 * Markdown show them.
 */
#ifndef GAMBREL_COMPARE_DOCUMENT_H
#define GAMBREL_COMPARE_DOCUMENT_H

#include "base/text.h"
#include "compare/table.h"

enum block_kind { BLOCK_TITLE, BLOCK_HEADING, BLOCK_SENTENCE, BLOCK_ITEM, BLOCK_TABLE };

struct document_block {
    enum block_kind kind;
    struct cell cell;          /* all but tables */
    const struct table *table; /* BLOCK_TABLE */
};

struct document {
    struct arena *arena;
    struct document_block *blocks;
    size_t n, capacity;
};

void document_add(struct document *d, enum block_kind kind, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void document_table(struct document *d, const struct table *t); /* nothing for no rows */

void document_terminal(const struct document *d, bool color, struct text *out);
void document_markdown(const struct document *d, struct text *out);

#endif
