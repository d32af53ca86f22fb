/* names.h - which names were seen already: a set of texts, each within a scope.
 *
 * Keys of a map, forms of a machine file: input decides how many there are, so finding a double
 * must not take longer than reading it.
 */
#ifndef GAMBREL_BASE_NAMES_H
#define GAMBREL_BASE_NAMES_H

#include "base/arena.h"

#include <stddef.h>

struct names {
    struct arena *arena;
    struct names_slot *slots;
    size_t n, n_slots;
};

/* Remembers the name, with a value that is not NULL; or returns the value it was first added with.
 * The name is borrowed.  NULL: it is new. */
const void *names_add(struct names *s, const void *scope, const char *name, const void *value);
/* The value the name was added with, or NULL. */
const void *names_find(const struct names *s, const void *scope, const char *name);

#endif
