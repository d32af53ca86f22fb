#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT   16
#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
    struct chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) char data[];
};

struct cleanup {
    struct cleanup *next;
    void (*release)(void *object);
    void *object;
};

struct arena {
    struct chunk *chunks; /* allocation goes on in the first */
    struct cleanup *cleanups;
    size_t bytes_max, bytes_left;
    arena_oom *oom;
    void *context;
};

struct arena *arena_create(size_t bytes_max, arena_oom *oom, void *context)
{
    struct arena *a = calloc(1, sizeof *a);
    if (a) {
        *a = (struct arena){
            .bytes_max = bytes_max, .bytes_left = bytes_max, .oom = oom, .context = context};
    }
    return a;
}

/* Calls the cleanups and frees every chunk but `kept`. */
static void release_chunks(struct arena *a, const struct chunk *kept)
{
    for (const struct cleanup *c = a->cleanups; c; c = c->next) {
        c->release(c->object);
    }
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        if (c != kept) {
            free(c);
        }
    }
}

void arena_release(struct arena *a)
{
    if (a) {
        release_chunks(a, NULL);
        free(a);
    }
}

void arena_clear(struct arena *a)
{
    struct chunk *kept = a->chunks; /* the one that allocation goes on in */
    release_chunks(a, kept);
    if (kept) {
        memset(kept->data, 0, kept->used);
        kept->used = 0;
        kept->next = NULL;
    }
    a->chunks = kept;
    a->cleanups = NULL;
    a->bytes_left = a->bytes_max;
}

static _Noreturn void out_of_memory(struct arena *a)
{
    for (;;) {
        a->oom(a->context); /* must not return; asked again if it does */
    }
}

/* A large piece gets a chunk of its own behind the first, so that the rest of that is not lost. */
static struct chunk *chunk_add(struct arena *a, size_t bytes)
{
    const bool own = bytes > CHUNK_BYTES / 4;
    const size_t size = own ? bytes : CHUNK_BYTES;
    struct chunk *c = size <= SIZE_MAX - sizeof *c ? calloc(1, sizeof *c + size) : NULL;
    if (!c) {
        out_of_memory(a);
    }
    c->size = size;
    struct chunk **place = own && a->chunks ? &a->chunks->next : &a->chunks;
    c->next = *place;
    *place = c;
    return c;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
    if (size != 0 && n > (SIZE_MAX - ALIGNMENT) / size) {
        out_of_memory(a);
    }
    const size_t bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > a->bytes_left) {
        out_of_memory(a);
    }
    struct chunk *c = a->chunks;
    if (!c || bytes > c->size - c->used) {
        c = chunk_add(a, bytes);
    }
    char *piece = c->data + c->used;
    c->used += bytes;
    a->bytes_left -= bytes;
    return piece;
}

char *arena_copy(struct arena *a, const char *text, size_t len)
{
    if (len == SIZE_MAX) {
        out_of_memory(a);
    }
    char *copy = arena_alloc(a, len + 1, 1);
    if (len > 0) {
        memcpy(copy, text, len);
    }
    return copy;
}

char *arena_format(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(len >= 0);
    char *text = arena_alloc(a, (size_t)len + 1, 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

void arena_on_release(struct arena *a, void (*release)(void *object), void *object)
{
    struct cleanup *c = arena_new(a, struct cleanup, 1);
    *c = (struct cleanup){.next = a->cleanups, .release = release, .object = object};
    a->cleanups = c;
}

void *arena_grow(struct arena *a, void *array, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity) {
        return array;
    }
    if (n > SIZE_MAX / 2 - 8) {
        out_of_memory(a);
    }
    const size_t larger = n < 4 ? 8 : 2 * n;
    void *moved = arena_alloc(a, larger, size);
    if (n > 0) {
        memcpy(moved, array, n * size);
    }
    *capacity = larger;
    return moved;
}
