/* loops.h - the loops that are timed: roofs and kernels, one row per loop and ISA.
 *
 * Every loop is a function of one type.  It walks slices of up to four arrays from `offset`,
 * wrapping to the start at `bytes` without leaving the loop, so that a short array costs no
 * mispredicted exit, and a pass over a long one goes on where the last pass stopped.
 *
 * Units: bytes, iterations, elements.
 */
#ifndef GAMBREL_MEASURE_LOOPS_H
#define GAMBREL_MEASURE_LOOPS_H

#include "formats/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, vector bytes, test that CPU and OS both support it.  Widest last. */
#if defined(__x86_64__)
#define ISA_LIST(X)                                                                                \
    X(ISA_SSE2, "sse2", 16, __builtin_cpu_supports("sse2"))                                        \
    X(ISA_AVX2, "avx2", 32, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))       \
    X(ISA_AVX512, "avx512", 64, __builtin_cpu_supports("avx512f"))
#elif defined(__aarch64__)
#define ISA_LIST(X) X(ISA_NEON, "neon", 16, true)
#else
#error "gambrel measures x86-64 and AArch64"
#endif

#define ISA_ENUM(id, name, bytes, test) id,
enum isa { ISA_LIST(ISA_ENUM) ISA_COUNT };
#undef ISA_ENUM

struct isa_info {
    const char *name;
    int vector_bytes;
};
extern const struct isa_info isa_info[ISA_COUNT];
bool isa_supported(enum isa i);
enum isa isa_widest(void);
bool isa_from_name(const char *name, enum isa *out);

#define LOOP_ARRAYS_MAX 4

/* What a loop is called with; the layout is known to the assembly files. */
struct loop_args {
    uint64_t n_iter; /*  0: trips of the outermost loop, >= 1                                */
    char *array[LOOP_ARRAYS_MAX]; /*  8, 16, 24, 32: slices, 64-byte aligned, LOOP_PAD bytes of
                                   * their own before and after                                */
    uint64_t bytes;   /* 40: length of each slice; a multiple of bytes_per_iter               */
    uint64_t offset;  /* 48: where to begin, where it stopped; a multiple of bytes_per_iter   */
    const void *coef; /* 56: constants of the loop, 64-byte aligned (layout: reference.c)     */
    void *acc;        /* 64: accumulators in and out, n_acc vectors, 64-byte aligned          */
};
typedef void loop_fn(struct loop_args *args);

#define LOOP_PAD          128  /* bytes before and after a slice; of read ones, wrapped elements */
#define LOOP_BUFFER_BYTES 4096 /* what a loop with in_registers and an array walks */
#define LOOP_COEF_BYTES   4096
#define LOOP_ACC_BYTES    2048 /* 32 accumulators of 64 bytes */

/* What is computed, from arrays in this order; the last are the outputs. */
enum loop_data {
    DATA_FMA,          /* x: acc[k] += c * x                                             */
    DATA_ADD,          /* x: acc[k] += x                                                 */
    DATA_FMA_ADD,      /* x: even acc[k] += c * x, odd acc[k] += x                       */
    DATA_MUL,          /* no array: acc[k] *= -1                                         */
    DATA_CHAIN,        /* no array: acc[k] += c * x                                      */
    DATA_READ,         /* one to three: acc[k] sums the elements                         */
    DATA_READ_INT,     /* the same, the elements are int32                               */
    DATA_COPY,         /* x y, x y z: y = x, z = x                                       */
    DATA_TRIAD,        /* x y z: z = x + s * y                                           */
    DATA_SUM3,         /* x y z w: w = x + y + z                                         */
    DATA_FILL,         /* y, y z: y = s, z = s                                           */
    DATA_UPDATE,       /* y, y z: y = -1 * y, z = -1 * z                                 */
    DATA_XOR,          /* x y: y = y ^ x, the elements are int32                         */
    DATA_WRITE_UPDATE, /* y z: y = s, z = -1 * z                                         */
    DATA_SAXPY,        /* x y: y = a * x + y                                             */
    DATA_STENCIL,      /* x y: y[i] = sum of c[k] * x[i + k - 3], k = 0 .. 6             */
    DATA_POLY,         /* x: acc sums p(x), degree 32                                    */
};

enum loop_unit { UNIT_FLOPS, UNIT_BYTES }; /* what a pass's work is counted in */

struct loop {
    const char *name; /* joins with kernels.yaml */
    enum isa isa;
    enum loop_unit unit;
    enum loop_data data;
    loop_fn *run;
    int element_bytes;
    int n_arrays;            /* slices used: array[0..n_arrays); may be 0 */
    uint64_t bytes_per_iter; /* of each slice; 0 without arrays */
    double flops_per_iter, bytes_counted_per_iter;
    uint64_t iters_per_call_max; /* sums stay exact (or within 1e-4) up to here */
    int chains;                  /* the point of the chain curve this loop is; else 0 */
    int n_acc;                   /* vectors in acc */
    bool in_registers; /* a compute roof or chain point: LOOP_BUFFER_BYTES or no array is walked */
};

extern const struct loop loops_table[];
extern const int n_loops_table;

const struct loop *loop_named(const char *name, enum isa isa); /* NULL */

#endif
