/* fit_data.h - measured blocks as a fit sees them: forms by number, blocks as lists of (form,
 * count).
 *
 * Forms are known by their normal spelling (code/form.h).  A block with one form measures that form
 * alone; what is alone in no block is bounded by what it is part of, since a block takes at least
 * as long as any part of it: t(K) >= K_i t_i.
 *
 * Units: cycles per execution of the block, cycles per instruction.
 */
#ifndef GAMBREL_MODEL_FIT_DATA_H
#define GAMBREL_MODEL_FIT_DATA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "formats/blocks.h"

#include <stdbool.h>
#include <stdint.h>

struct fit_item {
    int form;
    float count;
};

struct fit_block {
    const struct fit_item *items;
    int n_items;
    double cycles; /* measured; > 0 */
    double weight; /* >= 0; of its error in the fit */
    uint64_t key;  /* the same for the same multiset of forms, whatever the order */
};

struct fit_form {
    const char *name;
    double alone;    /* cycles of one instruction with nothing else, measured or bounded */
    int times_alone; /* blocks that measured it alone; 0: alone is a bound               */
    int blocks_with; /* blocks of two and more forms that hold it                        */
};

struct fit_data {
    struct arena *arena;
    struct fit_form *forms;
    int n_forms;
    struct fit_block *blocks;
    int n_blocks;
    struct names *names; /* private: numbers of forms */
    size_t forms_capacity, blocks_capacity;
};

#define FIT_FORMS_MAX  20000
#define FIT_BLOCKS_MAX 2000000

struct fit_data *fit_data_new(struct arena *a);

/* ERR_RANGE: no cycles, or not in 1e-6 to 1e12, a block without instructions, too many; ERR_SYNTAX:
 * a form that has no normal spelling. */
bool fit_data_add(struct fit_data *d, const struct block *b, struct err *e);

/* Every block of a CSV file.  ERR_RANGE: there is none; errors of blocks_next too. */
bool fit_data_read(struct fit_data *d, const char *path, struct err *e);

/* Number of the form, in any spelling; -1: no block has it. */
int fit_data_form(const struct fit_data *d, const char *form);

/* Whether the block measures one form alone. */
static inline bool fit_block_single(const struct fit_block *b)
{
    return b->n_items == 1;
}

#endif
