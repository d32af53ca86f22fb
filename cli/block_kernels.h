/* block_kernels.h - blocks of forms as microkernels: what measure --blocks runs and other tools
 * predict.
 */
#ifndef GAMBREL_CLI_BLOCK_KERNELS_H
#define GAMBREL_CLI_BLOCK_KERNELS_H

#include "base/names.h"
#include "code/decode.h"
#include "formats/blocks.h"
#include "measure/probe_code.h"

/* Forms are read once, by name; those that are none are refused with the reason. */
struct block_kernels {
    struct arena *arena;
    struct decoder *decoder;
    struct names names;
    struct probe_coder *coder; /* NULL until code is asked for */
};

/* Released by block_kernels_close.  ERR_HOST. */
bool block_kernels_open(struct block_kernels *k, struct arena *a, struct err *e);
void block_kernels_close(struct block_kernels *k);

/* In `a`.  false: a count that is not whole. */
bool block_kernels_take(struct block_kernels *k, const struct block *from, struct arena *a,
                        struct probe_block *out);

/* The loop around the block, in hexadecimal, and how many of the block a trip of it has; NULL where
 * it has no kernel, which measure --blocks says why. */
const char *block_kernels_code(struct block_kernels *k, const struct block *from, struct arena *a,
                               int *copies);

#endif
