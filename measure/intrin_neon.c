/* intrin_neon.c - the polynomial of loops_neon.S by intrinsics, its registers and order left to the
 * compiler. */
#include "measure/loops.h"

#if defined(__aarch64__)

#include <arm_neon.h>

extern loop_fn loop_neon_poly_intrin;

enum { LANES = 4, BLOCK = 12 * LANES, DEGREE = 32 };

/* clang-format off */
#define TWELVE(DO, c)                                                                              \
    DO(0, c) DO(1, c) DO(2, c) DO(3, c) DO(4, c) DO(5, c)                                          \
    DO(6, c) DO(7, c) DO(8, c) DO(9, c) DO(10, c) DO(11, c)
/* clang-format on */
#define LOAD(k, c)                                                                                 \
    const float32x4_t x##k = vld1q_f32(x + (size_t)LANES * (k));                                   \
    float32x4_t p##k = (c);
#define STEP(k, c) p##k = vfmaq_f32(c, p##k, x##k);
#define SUM(a, b)  vaddq_f32(a, b)

__attribute__((noinline)) void loop_neon_poly_intrin(struct loop_args *args)
{
    const float *const coef = args->coef;
    const float *const start = (const void *)args->array[0];
    const float *const end = start + args->bytes / sizeof *start;
    const float *x = start + args->offset / sizeof *start;
    const float32x4_t leading = vdupq_n_f32(coef[0]);
    float32x4_t sum = vld1q_f32(args->acc);
    for (uint64_t n = args->n_iter; n > 0; n--) {
        TWELVE(LOAD, leading)
        for (int k = 1; k < DEGREE; k += 2) {
            const float32x4_t c0 = vdupq_n_f32(coef[k]), c1 = vdupq_n_f32(coef[k + 1]);
            TWELVE(STEP, c0)
            TWELVE(STEP, c1)
        }
        const float32x4_t s0 = SUM(SUM(p0, p1), SUM(p2, p3)), s1 = SUM(SUM(p4, p5), SUM(p6, p7));
        const float32x4_t s2 = SUM(SUM(p8, p9), SUM(p10, p11));
        sum = SUM(sum, SUM(SUM(s0, s1), s2));
        x = x + BLOCK == end ? start : x + BLOCK;
    }
    vst1q_f32(args->acc, sum);
    args->offset = (uint64_t)((const char *)x - (const char *)start);
}

#endif
