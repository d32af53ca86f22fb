#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct intern_slot {
    uint32_t hash;
    uint32_t number; /* plus 1; 0: free */
};

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    return hash ^ hash >> 32;
}

/* Eight bytes at a time; the last eight may overlap those before them. */
static uint32_t hash_of(const char *text, size_t len)
{
    uint64_t hash = len, word = 0;
    if (len < sizeof word) {
        for (size_t i = 0; i < len; i++) {
            word = word << 8 | (unsigned char)text[i];
        }
        return (uint32_t)mixed(hash, word);
    }
    for (size_t i = 0; i + sizeof word < len; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        hash = mixed(hash, word);
    }
    memcpy(&word, text + len - sizeof word, sizeof word);
    return (uint32_t)mixed(hash, word);
}

static bool is_text(const struct intern *s, const struct intern_slot *slot, uint32_t hash,
                    const char *text, size_t len)
{
    const struct intern_text *known = &s->texts[slot->number - 1];
    return slot->hash == hash && known->len == len && memcmp(known->text, text, len) == 0;
}

/* Where the text is, or would go. */
static struct intern_slot *slot_of(const struct intern *s, uint32_t hash, const char *text,
                                   size_t len)
{
    size_t at = hash & (s->n_slots - 1);
    while (s->slots[at].number && !is_text(s, &s->slots[at], hash, text, len)) {
        at = (at + 1) & (s->n_slots - 1);
    }
    return &s->slots[at];
}

static void enlarge(struct intern *s)
{
    const struct intern old = *s;
    s->n_slots = old.n_slots ? 2 * old.n_slots : 256;
    s->slots = arena_new(s->arena, struct intern_slot, s->n_slots);
    for (size_t i = 0; i < old.n_slots; i++) {
        const struct intern_slot *from = &old.slots[i];
        if (from->number) {
            const struct intern_text *t = &s->texts[from->number - 1];
            *slot_of(s, from->hash, t->text, t->len) = *from;
        }
    }
}

size_t intern_number(struct intern *s, const char *text, size_t len)
{
    const uint32_t hash = hash_of(text, len);
    if (2 * s->n >= s->n_slots) {
        enlarge(s);
    }
    struct intern_slot *slot = slot_of(s, hash, text, len);
    if (!slot->number) {
        s->texts = arena_grow(s->arena, s->texts, s->n, &s->capacity, sizeof *s->texts);
        s->texts[s->n++] = (struct intern_text){arena_copy(s->arena, text, len), len};
        *slot = (struct intern_slot){hash, (uint32_t)s->n};
    }
    return slot->number - 1;
}
