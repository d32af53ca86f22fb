#include "base/arena.h"
#include "tests/tap.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

/* The address sanitizer is to answer like the system when asked for more than there is. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return "allocator_may_return_null=1";
}

static void jump(void *context)
{
    longjmp(*(jmp_buf *)context, 1);
}

static void pieces(struct arena *a)
{
    bool zeroed = true, aligned = true, apart = true;
    char *before = NULL;
    for (size_t n = 1; n < 40000; n += 1 + n / 3) {
        char *piece = arena_alloc(a, n, 1);
        for (size_t i = 0; i < n; i++) {
            zeroed &= piece[i] == 0;
        }
        memset(piece, 'x', n);
        aligned &= (uintptr_t)piece % 16 == 0;
        apart &= !before || *before == 'x';
        before = piece;
    }
    ok(zeroed && aligned && apart, "pieces of all sizes are zeroed, aligned and apart");
    ok(arena_alloc(a, 0, 8) != NULL, "nothing has an address too");
}

static void growing(struct arena *a)
{
    int *numbers = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        numbers = arena_grow(a, numbers, (size_t)i, &capacity, sizeof *numbers);
        numbers[i] = i;
    }
    bool kept = capacity >= 1000;
    for (int i = 0; i < 1000; i++) {
        kept &= numbers[i] == i;
    }
    ok(kept, "a growing array keeps what it holds");
}

static void order(void *object)
{
    char *next = object;
    next[strlen(next)] = next[63]++;
}

static bool survives(size_t bytes_max, size_t n, size_t size)
{
    jmp_buf out;
    struct arena *a = arena_create(bytes_max, jump, &out);
    volatile bool survived = false;
    if (setjmp(out) == 0) {
        arena_alloc(a, n, size);
        survived = true;
    }
    arena_release(a);
    return survived;
}

static void limits(void)
{
    ok(survives(1024, 1024, 1), "all of bytes_max is there");
    ok(!survives(1024, 1025, 1), "one byte more calls oom");
    ok(!survives(1024, 2000, 1000), "a product too large calls oom");
    ok(!survives(SIZE_MAX, SIZE_MAX / 2, 4), "a product that overflows calls oom");
    ok(!survives(SIZE_MAX, SIZE_MAX, 1), "a size that overflows calls oom");
    ok(!survives(SIZE_MAX, SIZE_MAX / 4, 1), "what the system does not have calls oom");
}

int main(void)
{
    jmp_buf out;
    struct arena *a = arena_create((size_t)1 << 24, jump, &out);
    if (setjmp(out) != 0) {
        ok(false, "16 MiB suffice for this test");
        return tap_done();
    }
    pieces(a);
    growing(a);
    is_text(arena_copy(a, "abcdef", 3), "abc", "a copy ends in NUL");
    is_text(arena_copy(a, NULL, 0), "", "a copy of nothing");
    is_text(arena_format(a, "%d %s", 42, "loops"), "42 loops", "formatted text");
    arena_release(a);
    arena_release(NULL);

    char calls[64] = "";
    calls[63] = 'a';
    a = arena_create(1024, jump, &out);
    arena_on_release(a, order, calls);
    arena_on_release(a, order, calls);
    arena_release(a);
    is_text(calls, "ab", "what was registered is released, once each");

    memset(calls, 0, sizeof calls);
    calls[63] = 'a';
    a = arena_create((size_t)1 << 20, jump, &out);
    arena_on_release(a, order, calls);
    bool zeroed = true;
    for (int round = 0; round < 100; round++) { /* 100 x 600 KB of a limit of 1 MiB */
        char *piece = arena_alloc(a, 1000, 1);
        for (int i = 0; i < 1000; i++) {
            zeroed &= piece[i] == 0;
        }
        memset(piece, 'x', 1000);
        memset(arena_alloc(a, 600000, 1), 'x', 600000);
        arena_clear(a);
    }
    ok(zeroed, "what was cleared is zeroed again and counts no more");
    is_text(calls, "a", "and what was registered is released once");
    arena_release(a);

    limits();
    return tap_done();
}
