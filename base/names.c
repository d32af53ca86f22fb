#include "base/names.h"

#include <stdint.h>
#include <string.h>

struct names_slot {
    const void *scope, *value; /* value NULL: free */
    const char *name;
};

/* FNV-1a, 64 bit (Fowler, Noll, Vo), started from the scope. */
static uint64_t hash(const void *scope, const char *name)
{
    uint64_t h = 0xcbf29ce484222325 ^ (uint64_t)(uintptr_t)scope;
    for (; *name; name++) {
        h = (h ^ (unsigned char)*name) * 0x100000001b3;
    }
    return h ^ h >> 29;
}

/* Where the name is, or would go. */
static struct names_slot *place_of(const struct names *s, const void *scope, const char *name)
{
    size_t i = (size_t)hash(scope, name) & (s->n_slots - 1);
    while (s->slots[i].value && !(s->slots[i].scope == scope && !strcmp(s->slots[i].name, name))) {
        i = (i + 1) & (s->n_slots - 1);
    }
    return &s->slots[i];
}

static void enlarge(struct names *s)
{
    const struct names old = *s;
    s->n_slots = old.n_slots ? 2 * old.n_slots : 64;
    s->slots = arena_new(s->arena, struct names_slot, s->n_slots);
    for (size_t i = 0; i < old.n_slots; i++) {
        if (old.slots[i].value) {
            *place_of(s, old.slots[i].scope, old.slots[i].name) = old.slots[i];
        }
    }
}

const void *names_add(struct names *s, const void *scope, const char *name, const void *value)
{
    if (2 * s->n >= s->n_slots) {
        enlarge(s);
    }
    struct names_slot *slot = place_of(s, scope, name);
    if (!slot->value) {
        *slot = (struct names_slot){.scope = scope, .name = name, .value = value};
        s->n++;
        return NULL;
    }
    return slot->value;
}

const void *names_find(const struct names *s, const void *scope, const char *name)
{
    return s->n_slots ? place_of(s, scope, name)->value : NULL;
}
