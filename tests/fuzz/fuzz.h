/* fuzz.h - what every fuzz target of a reader demands: it reads, or it says where and why not. */
#ifndef GAMBREL_TESTS_FUZZ_FUZZ_H
#define GAMBREL_TESTS_FUZZ_FUZZ_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_BYTES_MAX ((size_t)1 << 27) /* an input of a few KiB that needs more is a finding */

static inline void fuzz_no_memory(void *context)
{
    (void)context;
    abort();
}

static inline struct arena *fuzz_arena(void)
{
    return arena_create(FUZZ_BYTES_MAX, fuzz_no_memory, NULL);
}

static inline void fuzz_demand(bool property)
{
    if (!property) {
        abort();
    }
}

static inline void fuzz_check(bool read, const struct err *e)
{
    fuzz_demand(read == (e->code == ERR_NONE));
    if (!read) {
        fuzz_demand(e->text[0] != '\0' && !strchr(e->text, '\n'));
        fuzz_demand(e->code == ERR_IO || (e->loc.file && e->loc.line > 0 && e->loc.column > 0));
    }
}

/* For readers that take a path: a file in memory that holds the input, -1 if there is none to be
 * had. */
#define FUZZ_PATH_BYTES 32

static inline int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_BYTES])
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return -1;
    }
    snprintf(path, FUZZ_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

static inline struct bytes fuzz_bytes(const uint8_t *data, size_t size)
{
    return (struct bytes){(const char *)data, size};
}

#endif
