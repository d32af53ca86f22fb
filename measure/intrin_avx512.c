/* intrin_avx512.c - the polynomial of loops_avx512.S by intrinsics, its registers and order left to
 * the compiler. */
#include "measure/loops.h"

#if defined(__x86_64__)

#include <immintrin.h>

extern loop_fn loop_avx512_poly_intrin;

enum { LANES = 16, BLOCK = 12 * LANES, DEGREE = 32 };

/* clang-format off */
#define TWELVE(DO, c)                                                                              \
    DO(0, c) DO(1, c) DO(2, c) DO(3, c) DO(4, c) DO(5, c)                                          \
    DO(6, c) DO(7, c) DO(8, c) DO(9, c) DO(10, c) DO(11, c)
/* clang-format on */
#define LOAD(k, c)                                                                                 \
    const __m512 x##k = _mm512_loadu_ps(x + (size_t)LANES * (k));                                  \
    __m512 p##k = (c);
#define STEP(k, c) p##k = _mm512_fmadd_ps(p##k, x##k, c);
#define SUM(a, b)  _mm512_add_ps(a, b)

__attribute__((target("avx512f"), noinline)) void loop_avx512_poly_intrin(struct loop_args *args)
{
    const float *const coef = args->coef;
    const float *const start = (const void *)args->array[0];
    const float *const end = start + args->bytes / sizeof *start;
    const float *x = start + args->offset / sizeof *start;
    const __m512 leading = _mm512_set1_ps(coef[0]);
    __m512 sum = _mm512_loadu_ps(args->acc);
    for (uint64_t n = args->n_iter; n > 0; n--) {
        TWELVE(LOAD, leading)
        for (int k = 1; k < DEGREE; k += 2) {
            const __m512 c0 = _mm512_set1_ps(coef[k]), c1 = _mm512_set1_ps(coef[k + 1]);
            TWELVE(STEP, c0)
            TWELVE(STEP, c1)
        }
        const __m512 s0 = SUM(SUM(p0, p1), SUM(p2, p3)), s1 = SUM(SUM(p4, p5), SUM(p6, p7));
        const __m512 s2 = SUM(SUM(p8, p9), SUM(p10, p11));
        sum = SUM(sum, SUM(SUM(s0, s1), s2));
        x = x + BLOCK == end ? start : x + BLOCK;
    }
    _mm512_storeu_ps(args->acc, sum);
    args->offset = (uint64_t)((const char *)x - (const char *)start);
}

#endif
