/* kernels.h - what the loops are meant to do: kernels.yaml.
 *
 * A kernel is a loop over arrays: a formula, flops per element, how it walks its arrays and, per
 * ISA, the instructions of one iteration.  Roofs are described in the same way, in a list of their
 * own, because a roof is a loop that does nothing else.  What the file states is a promise: the
 * machine code that runs is decoded and compared with it (code/loop.h).
 *
 * A file of someone's own loops need not list roofs: then the names in `roof` and `compute_roof`
 * are those of another file, whose roofs it takes (kernels_take_roofs), and both may be left out.
 *
 * Units: bytes, flops, instructions per iteration.  One iteration is one trip of the outermost
 * loop of the code.  Where that holds an inner loop, `inner` counts one trip of it and inner_trips
 * says how many there are; `instructions` counts what is outside of it.
 */
#ifndef GAMBREL_FORMATS_KERNELS_H
#define GAMBREL_FORMATS_KERNELS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>

enum stream_kind {
    STREAM_READ,     /* each line is fetched                                           */
    STREAM_WRITE,    /* each line is written whole; fetched first where machines do so */
    STREAM_UPDATE,   /* each line is fetched and written back                          */
    STREAM_WRITE_NT, /* written past the caches                                        */
    STREAM_KINDS
};
extern const char *const stream_names[]; /* "read", "write", "update", "write_nt", NULL */

struct kernel_stream {
    const char *array;
    enum stream_kind kind;
};

struct form_count {
    const char *form; /* as written; see code/form.h */
    double count;
};

struct kernel_body {
    const char *isa; /* sse2, avx2, avx512, neon */
    double elements_per_iter;
    struct form_count *forms; /* outside the inner loop */
    int n_forms;
    struct form_count *inner;
    int n_inner;
    double inner_trips;                     /* 0: no inner loop */
    double loads_per_iter, stores_per_iter; /* instructions; NaN: not stated */
    double crossing_loads_per_iter,
        crossing_stores_per_iter; /* over 64-byte lines; 0 unless stated */
    double independent_chains;    /* of the dominant operation; NaN */
    /* `flops`: what the code executes, where that is not flops_per_element for every element: sums
     * that keep a result alive, arithmetic of a memory roof.  NaN: not stated. */
    double flops_per_iter;
    /* The machine code of one iteration in hexadecimal, from the loop's head through its last
     * branch; NULL: only the counts are known.  See nest_range in code/nest.h. */
    const char *code;
    struct loc loc;
};

struct kernel {
    const char *name, *formula;
    double element_bytes;     /* NaN for roofs that touch no array */
    double flops_per_element; /* 0 for memory roofs */
    struct kernel_stream *streams;
    int n_streams;
    const char *roof;         /* kernels: name of the memory roof whose stream mix matches */
    const char *compute_roof; /* kernels: name of the compute roof, e.g. fma_f32 */
    const char *unit;         /* flop/s or byte/s: what its rate is given in */
    double intensity;         /* flops per byte as counted; computed, NaN without bytes */
    bool hand_fixed;          /* instructions written by hand: a difference is a failure */
    struct kernel_body *bodies;
    int n_bodies;
    struct loc loc;
};

struct kernels {
    const char *file;
    struct kernel *kernels, *roofs;
    int n_kernels, n_roofs;
};

/* A stated intensity that differs from flops and streams by more than 0.5 % is ERR_RANGE. */
struct kernels *kernels_read(struct bytes input, const char *file, struct arena *a, struct err *e);

/* Gives a file that lists no roofs those of another, which go on living there.  ERR_SCHEMA: a
 * kernel names one that the other does not have. */
bool kernels_take_roofs(struct kernels *k, const struct kernels *from, struct err *e);

/* What kernels_read reads back as the same.  ERR_IO: too large. */
bool kernels_write(const struct kernels *k, struct arena *a, struct bytes *out, struct err *e);

const struct kernel *kernels_find(const struct kernels *k,
                                  const char *name); /* kernels, then roofs */
const struct kernel_body *kernel_body(const struct kernel *k, const char *isa);

/* Bytes per element that the formula names: read 1, write 1, update 2 times element_bytes. */
double kernel_bytes_counted(const struct kernel *k);
/* Bytes per element that move where a written line is fetched first: write counts 2. */
double kernel_bytes_with_fetch(const struct kernel *k);
/* Per element in the kernel's unit: flops, or bytes as counted where it computes nothing. */
double kernel_work_per_element(const struct kernel *k);

#endif
