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

/* Float32 sums of integers are exact up to 2^24.  In an iteration each accumulator takes at most
 * eight elements of at most 32 (int32 sums have more room), a chain 240 / chains times at most 3.
 * The sum of a polynomial rounds; over 4096 additions the error stays far below 1e-4. */
#define ITERS_SUM      ((1u << 24) / (8 * 32))
#define ITERS_CHAIN(n) ((1u << 24) / (240 / (n)*3))
#define ITERS_POLY     4096
#define ITERS_ANY      UINT64_MAX

/* What differs between the instruction sets: bytes of a vector; accumulators of the compute roofs
 * and of mul_f32; what sums up reads, in how many accumulators. */
enum {
#if defined(__x86_64__)
    ID_sse2 = ISA_SSE2,
    WIDTH_sse2 = 16,
    ACCS_sse2 = 10,
    MUL_ACCS_sse2 = 12,
    READ_sse2 = DATA_READ_INT,
    READ_ACCS_sse2 = 8,

    ID_avx2 = ISA_AVX2,
    WIDTH_avx2 = 32,
    ACCS_avx2 = 14,
    MUL_ACCS_avx2 = 12,
    READ_avx2 = DATA_READ,
    READ_ACCS_avx2 = 16,

    ID_avx512 = ISA_AVX512,
    WIDTH_avx512 = 64,
    ACCS_avx512 = 20,
    MUL_ACCS_avx512 = 20,
    READ_avx512 = DATA_READ,
    READ_ACCS_avx512 = 16,
#else
    ID_neon = ISA_NEON,
    WIDTH_neon = 16,
    ACCS_neon = 20,
    MUL_ACCS_neon = 20,
    READ_neon = DATA_READ_INT,
    READ_ACCS_neon = 8,
#endif
};

/* Compute roofs, four vectors loaded per iteration, each for twenty instructions:
 *   name, data, element bytes, flops per element loaded */
#define COMPUTE_LIST(X, i)                                                                         \
    X(i, fma_f32, DATA_FMA, 4, 40)                                                                 \
    X(i, fma_f64, DATA_FMA, 8, 40)                                                                 \
    X(i, add_f32, DATA_ADD, 4, 20)                                                                 \
    X(i, fma_add_f32, DATA_FMA_ADD, 4, 30)

/* Memory roofs and stream mixes of float32:
 *   name, data, arrays, vectors of each per iteration, transfers counted per element,
 * accumulators */
#define STREAM_LIST(X, i)                                                                          \
    X(i, read, READ_##i, 1, 16, 1, READ_ACCS_##i)                                                  \
    X(i, read2, READ_##i, 2, 8, 2, READ_ACCS_##i)                                                  \
    X(i, read3, READ_##i, 3, 8, 3, READ_ACCS_##i)                                                  \
    X(i, copy, DATA_COPY, 2, 8, 2, 0)                                                              \
    X(i, copy12, DATA_COPY, 3, 8, 3, 0)                                                            \
    X(i, copy31, DATA_SUM3, 4, 8, 4, 0)                                                            \
    X(i, triad, DATA_TRIAD, 3, 8, 3, 0)                                                            \
    X(i, fill, DATA_FILL, 1, 8, 1, 0)                                                              \
    X(i, write2, DATA_FILL, 2, 8, 2, 0)                                                            \
    X(i, update, DATA_UPDATE, 1, 8, 2, 0)                                                          \
    X(i, update2, DATA_UPDATE, 2, 8, 4, 0)                                                         \
    X(i, read_update, DATA_XOR, 2, 8, 3, 0)                                                        \
    X(i, write_update, DATA_WRITE_UPDATE, 2, 8, 3, 0)                                              \
    X(i, fill_nt, DATA_FILL, 1, 8, 1, 0)                                                           \
    X(i, copy_nt, DATA_COPY, 2, 8, 2, 0)                                                           \
    X(i, triad_nt, DATA_TRIAD, 3, 8, 3, 0)

/* Kernels on float32:
 *   name, function, data, arrays, vectors of each per iteration, transfers and flops per element,
 *   accumulators, most iterations per call */
#define KERNEL_LIST(X, i)                                                                          \
    X(i, saxpy, saxpy, DATA_SAXPY, 2, 8, 3, 2, 0, ITERS_ANY)                                       \
    X(i, stencil, stencil, DATA_STENCIL, 2, 8, 2, 13, 0, ITERS_ANY)                                \
    X(i, fma_stream, fma_f32, DATA_FMA, 1, 4, 1, 40, ACCS_##i, ITERS_SUM)                          \
    X(i, poly, poly, DATA_POLY, 1, 12, 1, 64, 1, ITERS_POLY)                                       \
    X(i, poly_intrin, poly_intrin, DATA_POLY, 1, 12, 1, 64, 1, ITERS_POLY)

/* The chain curve, as far as 16 and 32 registers allow: 240 FMAs an iteration. */
#define CHAIN_LIST_16(X, i) X(i, 1) X(i, 2) X(i, 4) X(i, 6) X(i, 8) X(i, 10) X(i, 12)
#define CHAIN_LIST_32(X, i) CHAIN_LIST_16(X, i) X(i, 16) X(i, 20) X(i, 24)

#define COMPUTE_DECLARE(i, f, ...)      extern loop_fn loop_##i##_##f;
#define STREAM_DECLARE(i, f, ...)       extern loop_fn loop_##i##_##f;
#define KERNEL_DECLARE(i, text, f, ...) extern loop_fn loop_##i##_##f;
#define CHAIN_DECLARE(i, n)             extern loop_fn loop_##i##_chain_##n;
#define DECLARE(i)                                                                                 \
    COMPUTE_LIST(COMPUTE_DECLARE, i)                                                               \
    extern loop_fn loop_##i##_mul_f32;                                                             \
    STREAM_LIST(STREAM_DECLARE, i)                                                                 \
    KERNEL_LIST(KERNEL_DECLARE, i)

#define COMPUTE_ROW(i, f, data_, element, flops)                                                   \
    {                                                                                              \
        .name = #f,                                                                                \
        .isa = (enum isa)ID_##i,                                                                   \
        .unit = UNIT_FLOPS,                                                                        \
        .data = (data_),                                                                           \
        .run = loop_##i##_##f,                                                                     \
        .element_bytes = (element),                                                                \
        .n_arrays = 1,                                                                             \
        .bytes_per_iter = UINT64_C(4) * WIDTH_##i,                                                 \
        .flops_per_iter = 4.0 * (flops)*WIDTH_##i / (element),                                     \
        .bytes_counted_per_iter = 4.0 * WIDTH_##i,                                                 \
        .iters_per_call_max = ITERS_SUM,                                                           \
        .n_acc = ACCS_##i,                                                                         \
        .in_registers = true,                                                                      \
    },
#define MUL_ROW(i)                                                                                 \
    {                                                                                              \
        .name = "mul_f32",                                                                         \
        .isa = (enum isa)ID_##i,                                                                   \
        .unit = UNIT_FLOPS,                                                                        \
        .data = DATA_MUL,                                                                          \
        .run = loop_##i##_mul_f32,                                                                 \
        .element_bytes = 4,                                                                        \
        .flops_per_iter = 60.0 * WIDTH_##i / 4,                                                    \
        .iters_per_call_max = ITERS_ANY,                                                           \
        .n_acc = MUL_ACCS_##i,                                                                     \
        .in_registers = true,                                                                      \
    },
#define CHAIN_ROW(i, n)                                                                            \
    {                                                                                              \
        .name = "chain_" #n,                                                                       \
        .isa = (enum isa)ID_##i,                                                                   \
        .unit = UNIT_FLOPS,                                                                        \
        .data = DATA_CHAIN,                                                                        \
        .run = loop_##i##_chain_##n,                                                               \
        .element_bytes = 4,                                                                        \
        .flops_per_iter = 2.0 * 240 * WIDTH_##i / 4,                                               \
        .iters_per_call_max = ITERS_CHAIN(n),                                                      \
        .chains = (n),                                                                             \
        .n_acc = (n),                                                                              \
        .in_registers = true,                                                                      \
    },
#define STREAM_ROW(i, f, data_, arrays, vectors, transfers, accs)                                  \
    {                                                                                              \
        .name = #f,                                                                                \
        .isa = (enum isa)ID_##i,                                                                   \
        .unit = UNIT_BYTES,                                                                        \
        .data = (enum loop_data)(data_),                                                           \
        .run = loop_##i##_##f,                                                                     \
        .element_bytes = 4,                                                                        \
        .n_arrays = (arrays),                                                                      \
        .bytes_per_iter = UINT64_C(vectors) * WIDTH_##i,                                           \
        .bytes_counted_per_iter = 1.0 * (vectors)*WIDTH_##i * (transfers),                         \
        .iters_per_call_max = (accs) ? ITERS_SUM : ITERS_ANY,                                      \
        .n_acc = (accs),                                                                           \
    },
#define KERNEL_ROW(i, text, f, data_, arrays, vectors, transfers, flops, accs, iters)              \
    {                                                                                              \
        .name = #text,                                                                             \
        .isa = (enum isa)ID_##i,                                                                   \
        .unit = UNIT_FLOPS,                                                                        \
        .data = (data_),                                                                           \
        .run = loop_##i##_##f,                                                                     \
        .element_bytes = 4,                                                                        \
        .n_arrays = (arrays),                                                                      \
        .bytes_per_iter = UINT64_C(vectors) * WIDTH_##i,                                           \
        .flops_per_iter = 1.0 * (flops) * (vectors)*WIDTH_##i / 4,                                 \
        .bytes_counted_per_iter = 1.0 * (vectors)*WIDTH_##i * (transfers),                         \
        .iters_per_call_max = (iters),                                                             \
        .n_acc = (accs),                                                                           \
    },
#define ROWS(i)                                                                                    \
    COMPUTE_LIST(COMPUTE_ROW, i)                                                                   \
    MUL_ROW(i)                                                                                     \
    STREAM_LIST(STREAM_ROW, i)                                                                     \
    KERNEL_LIST(KERNEL_ROW, i)

#if defined(__x86_64__)
DECLARE(sse2)
DECLARE(avx2)
CHAIN_LIST_16(CHAIN_DECLARE, avx2)
DECLARE(avx512)
CHAIN_LIST_32(CHAIN_DECLARE, avx512)
#else
DECLARE(neon)
CHAIN_LIST_32(CHAIN_DECLARE, neon)
#endif

/* clang-format off */
const struct loop loops_table[] = {
#if defined(__x86_64__)
    ROWS(sse2) /* has no FMA, hence no chain curve */
    ROWS(avx2)
    CHAIN_LIST_16(CHAIN_ROW, avx2)
    ROWS(avx512)
    CHAIN_LIST_32(CHAIN_ROW, avx512)
#else
    ROWS(neon)
    CHAIN_LIST_32(CHAIN_ROW, neon)
#endif
};
/* clang-format on */

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
