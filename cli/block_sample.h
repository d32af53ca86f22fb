/* block_sample.h - some of very many blocks, each multiset of forms at most once.
 *
 * Those whose forms hash least are kept: a sample that is as good as drawn at random, since a hash
 * knows nothing of what a block does, the same every time, and in the memory of the sample.  Equal
 * blocks are one, with the sum of their weights (exact, since what is kept was kept from its first
 * time on).
 */
#ifndef GAMBREL_CLI_BLOCK_SAMPLE_H
#define GAMBREL_CLI_BLOCK_SAMPLE_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct block_sample {
    struct arena *arena; /* of the texts; another one from time to time */
    struct sampled_block {
        uint64_t hash;
        double weight;
        const char *name, *code, *forms;
    } * blocks; /* [capacity] */
    size_t n, capacity, n_wanted;
    uint64_t limit; /* what hashes more is not wanted */
};

void block_sample_open(struct block_sample *s, size_t n_wanted);
void block_sample_add(struct block_sample *s, const struct sampled_block *b);
/* The n that are left, by hash: in no order of programs. */
void block_sample_finish(struct block_sample *s);
void block_sample_close(struct block_sample *s);

#endif
