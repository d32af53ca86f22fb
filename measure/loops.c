#include "measure/loops.h"

#include <string.h>

#define ISA_ROW(id, text, bytes, test) [id] = {.name = (text), .vector_bytes = (bytes)},
const struct isa_info isa_info[ISA_COUNT] = {ISA_LIST(ISA_ROW)};

bool isa_supported(enum isa i)
{
#define ISA_CASE(id, text, bytes, test)                                                            \
    case id:                                                                                       \
        return test;
    switch (i) {
        ISA_LIST(ISA_CASE)
    case ISA_COUNT:
        break;
    }
    return false;
}

enum isa isa_widest(void)
{
    int i = ISA_COUNT - 1;
    while (i > 0 && !isa_supported((enum isa)i)) {
        i--;
    }
    return (enum isa)i;
}

bool isa_from_name(const char *name, enum isa *out)
{
    for (int i = 0; i < ISA_COUNT; i++) {
        if (strcmp(isa_info[i].name, name) == 0) {
            *out = (enum isa)i;
            return true;
        }
    }
    return false;
}

/* Float32 sums of integers are exact up to 2^24.  A compute roof adds four elements of at most 32 to
 * each accumulator in an iteration, a chain 240 / chains times at most 3; int32 sums of up to six
 * such elements have more room.  A polynomial's sum rounds, and 4096 additions stay far below 1e-4. */
#define ITERS_COMPUTE  ((1u << 24) / (4 * 32))
#define ITERS_CHAIN(n) ((1u << 24) / (240 / (n)*3))
#define ITERS_READ     (1u << 23)
#define ITERS_POLY     4096
#define ITERS_ANY      UINT64_MAX

/* Compute roofs.  p: prefix of the function, w: bytes of a vector, n: accumulators.
 *   name, data, element bytes, flops of all accumulators for one element loaded */
#define COMPUTE_LIST(X, p, id, w, n)                                                               \
    X(p, id, w, n, fma_f32, DATA_FMA, 4, 2 * (n))                                                  \
    X(p, id, w, n, fma_f64, DATA_FMA, 8, 2 * (n))                                                  \
    X(p, id, w, n, add_f32, DATA_ADD, 4, (n))                                                      \
    X(p, id, w, n, fma_add_f32, DATA_FMA_ADD, 4, 3 * (n) / 2)

/* Memory roofs and stream mixes of float32.
 *   name, data, arrays, vectors of each per iteration, transfers counted per element, accumulators */
#define STREAM_LIST(X, p, id, w)                                                                   \
    X(p, id, w, read, DATA_READ, 1, 16, 1, 8)                                                      \
    X(p, id, w, read2, DATA_READ, 2, 8, 2, 8)                                                      \
    X(p, id, w, read3, DATA_READ, 3, 8, 3, 8)                                                      \
    X(p, id, w, copy, DATA_COPY, 2, 8, 2, 0)                                                       \
    X(p, id, w, copy12, DATA_COPY, 3, 8, 3, 0)                                                     \
    X(p, id, w, copy31, DATA_SUM3, 4, 8, 4, 0)                                                     \
    X(p, id, w, triad, DATA_TRIAD, 3, 8, 3, 0)                                                     \
    X(p, id, w, fill, DATA_FILL, 1, 8, 1, 0)                                                       \
    X(p, id, w, write2, DATA_FILL, 2, 8, 2, 0)                                                     \
    X(p, id, w, update, DATA_UPDATE, 1, 8, 2, 0)                                                   \
    X(p, id, w, update2, DATA_UPDATE, 2, 8, 4, 0)                                                  \
    X(p, id, w, read_update, DATA_XOR, 2, 8, 3, 0)                                                 \
    X(p, id, w, write_update, DATA_WRITE_UPDATE, 2, 8, 3, 0)                                       \
    X(p, id, w, fill_nt, DATA_FILL, 1, 8, 1, 0)                                                    \
    X(p, id, w, copy_nt, DATA_COPY, 2, 8, 2, 0)                                                    \
    X(p, id, w, triad_nt, DATA_TRIAD, 3, 8, 3, 0)

/* Kernels on float32.
 *   name, function, data, arrays, vectors of each per iteration, transfers and flops per element,
 *   accumulators, most iterations per call */
#define KERNEL_LIST(X, p, id, w, n)                                                                \
    X(p, id, w, saxpy, saxpy, DATA_SAXPY, 2, 8, 3, 2, 0, ITERS_ANY)                                \
    X(p, id, w, stencil, stencil, DATA_STENCIL, 2, 8, 2, 13, 0, ITERS_ANY)                         \
    X(p, id, w, fma_stream, fma_f32, DATA_FMA, 1, 4, 1, 2 * (n), n, ITERS_COMPUTE)                 \
    X(p, id, w, poly, poly, DATA_POLY, 1, 12, 1, 64, 1, ITERS_POLY)                                \
    X(p, id, w, poly_intrin, poly_intrin, DATA_POLY, 1, 12, 1, 64, 1, ITERS_POLY)

/* The chain curve: 240 FMAs an iteration. */
#define CHAIN_LIST(X, p, id, w)                                                                    \
    X(p, id, w, 1)                                                                                 \
    X(p, id, w, 2)                                                                                 \
    X(p, id, w, 4)                                                                                 \
    X(p, id, w, 6)                                                                                 \
    X(p, id, w, 8)                                                                                 \
    X(p, id, w, 10)                                                                                \
    X(p, id, w, 12)
#define CHAIN_LIST_32_REGISTERS(X, p, id, w)                                                       \
    CHAIN_LIST(X, p, id, w)                                                                        \
    X(p, id, w, 16)                                                                                \
    X(p, id, w, 20)                                                                                \
    X(p, id, w, 24)

#define COMPUTE_DECLARE(p, id, w, n, f, ...)    extern loop_fn p##f;
#define STREAM_DECLARE(p, id, w, f, ...)        extern loop_fn p##f;
#define KERNEL_DECLARE(p, id, w, name_, f, ...) extern loop_fn p##f;
#define CHAIN_DECLARE(p, id, w, n)              extern loop_fn p##chain_##n;
#define DECLARE(p, id, w, n)                                                                       \
    COMPUTE_LIST(COMPUTE_DECLARE, p, id, w, n)                                                     \
    extern loop_fn p##mul_f32;                                                                     \
    STREAM_LIST(STREAM_DECLARE, p, id, w)                                                          \
    KERNEL_LIST(KERNEL_DECLARE, p, id, w, n)

#define COMPUTE_ROW(p, id, w, n, f, data_, element, flops)                                         \
    {                                                                                              \
        .name = #f,                                                                                \
        .isa = (id),                                                                               \
        .unit = UNIT_FLOPS,                                                                        \
        .data = (data_),                                                                           \
        .run = p##f,                                                                               \
        .element_bytes = (element),                                                                \
        .n_arrays = 1,                                                                             \
        .bytes_per_iter = 4 * (w),                                                                 \
        .flops_per_iter = 4.0 * (flops) * (w) / (element),                                         \
        .bytes_counted_per_iter = 4 * (w),                                                         \
        .iters_per_call_max = ITERS_COMPUTE,                                                       \
        .n_acc = (n),                                                                              \
        .in_registers = true,                                                                      \
    },
#define MUL_ROW(p, id, w, n)                                                                       \
    {                                                                                              \
        .name = "mul_f32",                                                                         \
        .isa = (id),                                                                               \
        .unit = UNIT_FLOPS,                                                                        \
        .data = DATA_MUL,                                                                          \
        .run = p##mul_f32,                                                                         \
        .element_bytes = 4,                                                                        \
        .flops_per_iter = 3.0 * (n) * (w) / 4,                                                     \
        .iters_per_call_max = ITERS_ANY,                                                           \
        .n_acc = (n),                                                                              \
        .in_registers = true,                                                                      \
    },
#define CHAIN_ROW(p, id, w, n)                                                                     \
    {                                                                                              \
        .name = "chain_" #n,                                                                       \
        .isa = (id),                                                                               \
        .unit = UNIT_FLOPS,                                                                        \
        .data = DATA_CHAIN,                                                                        \
        .run = p##chain_##n,                                                                       \
        .element_bytes = 4,                                                                        \
        .flops_per_iter = 2.0 * 240 * (w) / 4,                                                     \
        .iters_per_call_max = ITERS_CHAIN(n),                                                      \
        .chains = (n),                                                                             \
        .n_acc = (n),                                                                              \
        .in_registers = true,                                                                      \
    },
#define STREAM_ROW(p, id, w, f, data_, arrays, vectors, transfers, accs)                           \
    {                                                                                              \
        .name = #f,                                                                                \
        .isa = (id),                                                                               \
        .unit = UNIT_BYTES,                                                                        \
        .data = (data_),                                                                           \
        .run = p##f,                                                                               \
        .element_bytes = 4,                                                                        \
        .n_arrays = (arrays),                                                                      \
        .bytes_per_iter = (vectors) * (w),                                                         \
        .bytes_counted_per_iter = (vectors) * (w) * (transfers),                                   \
        .iters_per_call_max = (accs) ? ITERS_READ : ITERS_ANY,                                     \
        .n_acc = (accs),                                                                           \
    },
#define KERNEL_ROW(p, id, w, name_, f, data_, arrays, vectors, transfers, flops, accs, iters)      \
    {                                                                                              \
        .name = #name_,                                                                            \
        .isa = (id),                                                                               \
        .unit = UNIT_FLOPS,                                                                        \
        .data = (data_),                                                                           \
        .run = p##f,                                                                               \
        .element_bytes = 4,                                                                        \
        .n_arrays = (arrays),                                                                      \
        .bytes_per_iter = (vectors) * (w),                                                         \
        .flops_per_iter = (flops) * (vectors) * (w) / 4.0,                                         \
        .bytes_counted_per_iter = (vectors) * (w) * (transfers),                                   \
        .iters_per_call_max = (iters),                                                             \
        .n_acc = (accs),                                                                           \
    },
#define ROWS(p, id, w, n)                                                                          \
    COMPUTE_LIST(COMPUTE_ROW, p, id, w, n)                                                         \
    MUL_ROW(p, id, w, n)                                                                           \
    STREAM_LIST(STREAM_ROW, p, id, w)                                                              \
    KERNEL_LIST(KERNEL_ROW, p, id, w, n)

#if defined(__x86_64__)
DECLARE(loop_sse2_, ISA_SSE2, 16, 10)
DECLARE(loop_avx2_, ISA_AVX2, 32, 14)
CHAIN_LIST(CHAIN_DECLARE, loop_avx2_, ISA_AVX2, 32)
DECLARE(loop_avx512_, ISA_AVX512, 64, 20)
CHAIN_LIST_32_REGISTERS(CHAIN_DECLARE, loop_avx512_, ISA_AVX512, 64)

const struct loop loops_table[] = {
    ROWS(loop_sse2_, ISA_SSE2, 16, 10) ROWS(loop_avx2_, ISA_AVX2, 32, 14)
        CHAIN_LIST(CHAIN_ROW, loop_avx2_, ISA_AVX2, 32) ROWS(loop_avx512_, ISA_AVX512, 64, 20)
            CHAIN_LIST_32_REGISTERS(CHAIN_ROW, loop_avx512_, ISA_AVX512, 64)};
#else
DECLARE(loop_neon_, ISA_NEON, 16, 20)
CHAIN_LIST_32_REGISTERS(CHAIN_DECLARE, loop_neon_, ISA_NEON, 16)

const struct loop loops_table[] = {ROWS(loop_neon_, ISA_NEON, 16, 20) CHAIN_LIST_32_REGISTERS(
    CHAIN_ROW, loop_neon_, ISA_NEON, 16)};
#endif

const int n_loops_table = (int)(sizeof loops_table / sizeof *loops_table);

const struct loop *loop_named(const char *name, enum isa isa)
{
    for (int i = 0; i < n_loops_table; i++) {
        if (loops_table[i].isa == isa && strcmp(loops_table[i].name, name) == 0) {
            return &loops_table[i];
        }
    }
    return NULL;
}
