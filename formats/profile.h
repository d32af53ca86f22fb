/* profile.h - where a program spends its time, or how often its instructions are executed, by place
 * in its code: what a profiler has written.
 *
 * A CSV file of counts has a header; the columns understood are `count` (more than 0; needed), the
 * place as one of `address` (as the ELF file has it), `offset` (in the file) and `symbol` ("f",
 * "f+0x1c"), and `file` (base name or path of the binary; needed where there are several).  A count
 * is how often the instruction at that place was executed.
 *
 * perf.data is what `perf record` writes: every sample of it, wherever in its binary it fell, is a
 * count of 1 at an offset in the file.  The format is the kernel's (tools/perf/Documentation/
 * perf.data-file-format.txt, include/uapi/linux/perf_event.h).  Read are its version 2,
 * little-endian, the samples' addresses, and the MMAP, MMAP2 and FORK records that say which file
 * was where; a mapping holds for the whole of its process, and the last one written wins.  Samples
 * outside of mapped files (the kernel, generated code) are counted.  Not read: what was written to
 * a pipe, compressed data, and events whose samples are laid out differently.
 */
#ifndef GAMBREL_FORMATS_PROFILE_H
#define GAMBREL_FORMATS_PROFILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_place { PROFILE_ADDRESS, PROFILE_OFFSET, PROFILE_SYMBOL };

struct profile_spot {
    const char *file; /* base name; NULL: of the only binary */
    enum profile_place place;
    const char *symbol; /* PROFILE_SYMBOL */
    uint64_t value;     /* address; offset in the file; behind the symbol */
    double count;
    struct loc loc; /* in the file of counts; unknown for samples */
};

struct profile {
    struct profile_spot *spots;
    size_t n, capacity;
    double elsewhere; /* samples outside of mapped files */
    int n_events;     /* perf.data: with samples of their own; 0 for counts */
};

/* ERR_SYNTAX, ERR_SCHEMA, ERR_RANGE with their place; ERR_IO. */
bool profile_read_counts(const char *path, struct arena *a, struct profile *out, struct err *e);
/* ERR_SYNTAX: no such file, or damaged; ERR_RANGE: of a kind that is not read.  The place is the
 * byte, as column of line 1. */
bool profile_read_perf(struct bytes input, const char *file, struct arena *a, struct profile *out,
                       struct err *e);

#endif
