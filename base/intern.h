/* intern.h - each distinct text once, with a number from 0: what is known of a text is then an
 * index.
 *
 * For texts that come again and again, such as the forms of a million blocks.  It never forgets:
 * memory is that of the distinct texts.
 */
#ifndef GAMBREL_BASE_INTERN_H
#define GAMBREL_BASE_INTERN_H

#include "base/arena.h"

#include <stddef.h>

struct intern {
    struct arena *arena;
    struct intern_slot *slots; /* open addressing; a power of two of them */
    size_t n_slots;
    struct intern_text {
        const char *text; /* NUL-terminated */
        size_t len;
    } * texts; /* by number */
    size_t n, capacity;
};

/* The number of text[0..len), which is new to the set if it equals n. */
size_t intern_number(struct intern *s, const char *text, size_t len);

#endif
