/* block_price.h - what a block takes on a machine, from its forms or from its bytes.
 *
 * Bytes show more than forms: idioms, and pairs that stand side by side and fuse.  So code is
 * priced where a block has both.
 */
#ifndef GAMBREL_COMPARE_BLOCK_PRICE_H
#define GAMBREL_COMPARE_BLOCK_PRICE_H

#include "formats/blocks.h"
#include "model/ceiling.h"

/* What all blocks so far say of the instruction set they are of. */
struct block_signs {
    bool form_known, code_fits; /* of any block: a form is known; bytes are of this machine's */
    size_t n_blocks, n_codes;
};

struct block_pricer {
    struct cost cost; /* of the block priced last */
    const struct cost_row *
        *rows; /* of a reader's distinct forms, by number; NULL: not asked for yet */
    size_t n_rows, capacity;
    struct decoder *d;     /* NULL until a block has code */
    struct decoder *other; /* of the other instruction set; NULL until it is in question */
    struct block_signs signs;
    struct arena *scratch; /* cleared with each block */
};

/* Released by block_pricer_close. */
struct block_pricer block_pricer_open(struct cost_table *t, struct arena *scratch);
void block_pricer_close(struct block_pricer *p);

/* What is unknown of a block whose bytes no decoder takes; one name for all, since a file may have
 * any number of them. */
#define BLOCK_NO_INSTRUCTION "bytes that are no instruction"

/* All blocks of one pricer are of one reader, or of none.  The bound of what is known;
 * p->cost.n_unknown says whether that is all.  ERR_SYNTAX, ERR_RANGE: what is no code in
 * hexadecimal, or code of another instruction set, with its place. */
bool block_price(struct block_pricer *p, const struct block *b, struct ceiling_bound *out,
                 struct err *e);

/* Why the machine may be none for these blocks, once all are priced: no form of theirs is known to
 * it, or their bytes are instructions of another set as well and have forms that it does not know.
 * "" where neither is so. */
const char *block_signs_doubt(const struct block_signs *s, const struct machine *m,
                              struct arena *a);

#endif
