/* formats.h - what the tests of readers and writers share. */
#ifndef GAMBREL_TESTS_FORMATS_H
#define GAMBREL_TESTS_FORMATS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "tests/tap.h"

#include <stdlib.h>

static inline void test_no_memory(void *context)
{
    (void)context;
    fputs("Bail out! out of memory\n", stdout);
    exit(1);
}

static inline struct arena *test_arena(void)
{
    return arena_create((size_t)1 << 30, test_no_memory, NULL);
}

/* A file that the test cannot do without. */
static inline struct bytes test_file(const char *path, struct arena *a)
{
    struct err e = {0};
    struct bytes content = {0};
    if (!file_read(path, a, &content, &e)) {
        printf("Bail out! %s: %s\n", path, e.text);
        exit(1);
    }
    return content;
}

/* Passes where there is no error; else shows it. */
static inline bool test_fine(const struct err *e, const char *name)
{
    char line[512];
    const bool fine = e->code == ERR_NONE;
    ok(fine, "%s", name);
    if (!fine) {
        printf("# %s\n", err_describe(e, line, sizeof line));
    }
    return fine;
}

static inline bool test_same_bytes(struct bytes a, struct bytes b, const char *name)
{
    return ok(a.len == b.len && memcmp(a.data, b.data, a.len) == 0, "%s", name);
}

#endif
