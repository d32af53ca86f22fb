#include "cli/block_sample.h"

#include "base/items.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static struct arena *new_arena(void)
{
    struct arena *a = arena_create((size_t)1 << 32, cli_out_of_memory, NULL);
    if (!a) {
        cli_out_of_memory(NULL);
    }
    return a;
}

/* FNV-1a, then the finaliser of SplitMix64, so that all bits count when hashes are compared. */
static uint64_t hash_of(const char *text)
{
    uint64_t h = 0xcbf29ce484222325;
    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    }
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
    h = (h ^ h >> 27) * 0x94d049bb133111eb;
    return h ^ h >> 31;
}

void block_sample_open(struct block_sample *s, size_t n_wanted)
{
    *s = (struct block_sample){.arena = new_arena(),
                               .capacity = 2 * n_wanted + 16,
                               .n_wanted = n_wanted,
                               .limit = UINT64_MAX};
    s->blocks = calloc(s->capacity, sizeof *s->blocks);
    if (!s->blocks) {
        cli_out_of_memory(NULL);
    }
}

void block_sample_close(struct block_sample *s)
{
    arena_release(s->arena);
    free(s->blocks);
}

static int by_hash(const void *left, const void *right)
{
    const struct sampled_block *a = left, *b = right;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static void add_up_equals(struct block_sample *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (n > 0 && s->blocks[n - 1].hash == s->blocks[i].hash) {
            s->blocks[n - 1].weight += s->blocks[i].weight;
        } else {
            s->blocks[n++] = s->blocks[i];
        }
    }
    s->n = n;
}

static const char *copy(struct arena *a, const char *text)
{
    return arena_copy(a, text, strlen(text));
}

static void take_texts(struct sampled_block *b, struct arena *a)
{
    b->name = copy(a, b->name);
    b->code = copy(a, b->code);
    b->forms = copy(a, b->forms);
}

void block_sample_finish(struct block_sample *s)
{
    struct arena *old = s->arena;
    items_sort(s->blocks, s->n, sizeof *s->blocks, by_hash); /* of equals, any may lend its name */
    add_up_equals(s);
    if (s->n > s->n_wanted) {
        s->n = s->n_wanted;
        s->limit = s->blocks[s->n - 1].hash;
    }
    s->arena = new_arena();
    for (size_t i = 0; i < s->n; i++) {
        take_texts(&s->blocks[i], s->arena);
    }
    arena_release(old);
}

void block_sample_add(struct block_sample *s, const struct sampled_block *b)
{
    struct sampled_block copied = *b;
    copied.hash = hash_of(b->forms);
    if (copied.hash > s->limit) {
        return;
    }
    if (s->n == s->capacity) {
        block_sample_finish(s);
    }
    take_texts(&copied, s->arena);
    s->blocks[s->n++] = copied;
}
