/* arena.h - memory that is taken piece by piece and given back at once.
 *
 * What is read from a file lives in an arena and dies with it.  Allocation never returns NULL: past
 * bytes_max, or when the system has no more, the arena calls its oom function, which must not
 * return (cli/ prints and exits, tests jump).  Memory is zeroed and aligned to 16 bytes.
 */
#ifndef GAMBREL_BASE_ARENA_H
#define GAMBREL_BASE_ARENA_H

#include <stddef.h>

struct arena;

/* Called when memory runs out; must not return. */
typedef void arena_oom(void *context);

/* NULL only when the system cannot give even the arena itself. */
struct arena *arena_create(size_t bytes_max, arena_oom *oom, void *context);
void arena_release(struct arena *a); /* NULL is fine */
void arena_clear(struct arena *a);   /* as new, but keeps a chunk: for work done row by row */

void *arena_alloc(struct arena *a, size_t n, size_t size);

/* A NUL-terminated copy of text[0..len). */
char *arena_copy(struct arena *a, const char *text, size_t len);
char *arena_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls release(object) when the arena is released, the last registered first: for what a library
 * allocates by itself, so that an oom that jumps leaks nothing. */
void arena_on_release(struct arena *a, void (*release)(void *object), void *object);

#define arena_new(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))

/* Room for one more in a growing array: returns an array of capacity >= n + 1 whose first n
 * elements of `size` bytes are those of `array`.  *capacity is updated. */
void *arena_grow(struct arena *a, void *array, size_t n, size_t *capacity, size_t size);

#endif
