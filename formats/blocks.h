/* blocks.h - blocks of instructions: text "2 addss xmm, xmm; 1 bsr r64, r64", and CSV files of
 * them.
 *
 * A block is a multiset of forms.  The CSV has a header line; the columns understood are `block`,
 * or `code` (machine code in hexadecimal; one of the two is needed), `cycles` (measured cycles per
 * execution of the block), `weight` and `name`.  A file whose first line is nothing but hexadecimal
 * digits has no header: each of its lines is the code of a block.  Fields with commas or quotes are
 * quoted as in RFC 4180.  Files are read row by row: any number of rows in the memory of one and of
 * the distinct forms.
 */
#ifndef GAMBREL_FORMATS_BLOCKS_H
#define GAMBREL_FORMATS_BLOCKS_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/kernels.h" /* struct form_count */

#include <stdbool.h>

struct block {
    struct form_count *forms; /* as written; equal forms merged; none where only code is given */
    int n_forms;
    const size_t *form_numbers; /* which of its reader's distinct forms, from 0; NULL: of none */
    const char *code;           /* hexadecimal, not checked here; NULL: not given */
    struct loc code_loc;
    double cycles, weight; /* NaN, 1 where there is no such column */
    const char *name;      /* NULL */
    struct loc loc;
};

/* "count form; count form"; a count left out is 1. */
bool block_parse(const char *text, struct loc loc, struct arena *a, struct block *out,
                 struct err *e);

struct block_reader;
struct block_reader *blocks_open(const char *path, struct arena *a, struct err *e);
/* One more block, its forms' texts in the reader's arena, the rest in `row`; false at the end (e
 * untouched) or on error (e set). */
bool blocks_next(struct block_reader *r, struct arena *row, struct block *out, struct err *e);
void blocks_close(struct block_reader *r);

/* Has the file such a column? */
bool blocks_are_named(const struct block_reader *r);
bool blocks_are_weighted(const struct block_reader *r);
bool blocks_are_timed(const struct block_reader *r);

#endif
