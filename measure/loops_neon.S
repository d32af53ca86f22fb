# loops_neon.S - the loops in NEON (Advanced SIMD), 16-byte vectors.
#
# Registers: x0 args; x1 iterations left; x2 the last position of array 0; x3 to x6 positions and x9 to x12
# starts of arrays 0 to 3.  x2 points to constants and accumulators before and after.
# Layout of struct loop_args: loops.h.
#if defined(__aarch64__)

        .text

#define EIGHT 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH  8, 9, 10, 11, 12, 13, 14, 15
#define ACCS  EIGHT, HIGH, 16, 17, 18, 19
#define W     16

#define ARGS_N      0
#define ARGS_ARRAY  8
#define ARGS_BYTES  40
#define ARGS_OFFSET 48
#define ARGS_COEF   56
#define ARGS_ACC    64

        .macro  BEGIN name
        .p2align 6
        .globl  loop_neon_\name
        .type   loop_neon_\name, %function
loop_neon_\name:
        .endm

        # The caller owns the low halves of v8 to v15.
        .macro  SAVE_VECTORS
        stp     d8, d9, [sp, -64]!
        stp     d10, d11, [sp, 16]
        stp     d12, d13, [sp, 32]
        stp     d14, d15, [sp, 48]
        .endm
        .macro  RESTORE_VECTORS
        ldp     d10, d11, [sp, 16]
        ldp     d12, d13, [sp, 32]
        ldp     d14, d15, [sp, 48]
        ldp     d8, d9, [sp], 64
        .endm

        # q register = constant number `at`, each of which fills 64 bytes.
        .macro  COEF reg, at
        ldr     x2, [x0, ARGS_COEF]
        ldr     q\reg, [x2, 64*\at]
        .endm

        .macro  LOAD_ACC regs:vararg
        ldr     x2, [x0, ARGS_ACC]
        .irp    k, \regs
        ldr     q\k, [x2, W*\k]
        .endr
        .endm

        .macro  STORE_ACC regs:vararg
        ldr     x2, [x0, ARGS_ACC]
        .irp    k, \regs
        str     q\k, [x2, W*\k]
        .endr
        .endm

        .macro  POINTER n, position, start
        ldr     \start, [x0, ARGS_ARRAY + 8*\n]
        ldr     \position, [x0, ARGS_OFFSET]
        add     \position, \position, \start
        .endm

        # `step` bytes of each array per iteration.
        .macro  POINTERS arrays, step
        ldr     x1, [x0, ARGS_N]
        .if     \arrays >= 1
        POINTER 0, x3, x9
        ldr     x2, [x0, ARGS_BYTES]
        add     x2, x2, x9
        sub     x2, x2, \step
        .endif
        .if     \arrays >= 2
        POINTER 1, x4, x10
        .endif
        .if     \arrays >= 3
        POINTER 2, x5, x11
        .endif
        .if     \arrays >= 4
        POINTER 3, x6, x12
        .endif
        .endm

        .macro  HEAD
        .p2align 6
1:
        .endm

        # The position is compared before it moves on: cmp beside add, then csel.
        .macro  NEXT arrays, step
        .if     \arrays >= 1
        cmp     x3, x2
        add     x3, x3, \step
        csel    x3, x9, x3, hs
        .endif
        .if     \arrays >= 2
        add     x4, x4, \step
        csel    x4, x10, x4, hs
        .endif
        .if     \arrays >= 3
        add     x5, x5, \step
        csel    x5, x11, x5, hs
        .endif
        .if     \arrays >= 4
        add     x6, x6, \step
        csel    x6, x12, x6, hs
        .endif
        subs    x1, x1, 1
        b.ne    1b
        .endm

        .macro  END name, arrays
        .if     \arrays >= 1
        sub     x3, x3, x9
        str     x3, [x0, ARGS_OFFSET]
        .endif
        ret
        .size   loop_neon_\name, . - loop_neon_\name
        .endm

# Compute roofs: one load feeds twenty accumulators, four loads an iteration.  fma_stream is the same
# function; its slice is an array where the roof's is a buffer.  v23 is the element loaded, v24 the
# constant.

        .macro  FMA_F32 k
        fmla    v\k\().4s, v24.4s, v23.4s
        .endm
        .macro  FMA_F64 k
        fmla    v\k\().2d, v24.2d, v23.2d
        .endm
        .macro  MUL_F32 k, c
        fmul    v\k\().4s, v\k\().4s, v\c\().4s
        .endm
        .macro  ADD_F32 k
        fadd    v\k\().4s, v\k\().4s, v23.4s
        .endm

        # Every other accumulator takes the `even`, the others the `odd` operation.
        .macro  COMPUTE name, even, odd
        BEGIN   \name
        SAVE_VECTORS
        COEF    24, 0
        LOAD_ACC ACCS
        POINTERS 1, W*4
        HEAD
        .irp    i, 0, 1, 2, 3
        ldr     q23, [x3, W*\i]
        .irp    k, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18
        \even   \k
        .endr
        .irp    k, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19
        \odd    \k
        .endr
        .endr
        NEXT    1, W*4
        STORE_ACC ACCS
        RESTORE_VECTORS
        END     \name, 1
        .endm

        COMPUTE fma_f32, FMA_F32, FMA_F32
        COMPUTE fma_f64, FMA_F64, FMA_F64
        COMPUTE add_f32, ADD_F32, ADD_F32
        COMPUTE fma_add_f32, FMA_F32, ADD_F32

        # Three times each, an odd number, so that an iteration changes the signs.
        BEGIN   mul_f32
        SAVE_VECTORS
        COEF    24, 0
        LOAD_ACC ACCS
        POINTERS 0
        HEAD
        .rept   3
        .irp    k, ACCS
        MUL_F32 \k, 24
        .endr
        .endr
        NEXT    0
        STORE_ACC ACCS
        RESTORE_VECTORS
        END     mul_f32, 0

# The chain curve: 240 FMAs an iteration, whatever the number of chains.

        .macro  CHAIN_FMA k
        fmla    v\k\().4s, v30.4s, v31.4s
        .endm
        .macro  CHAIN n, accs:vararg
        BEGIN   chain_\n
        SAVE_VECTORS
        COEF    30, 0
        COEF    31, 1
        LOAD_ACC \accs
        POINTERS 0
        HEAD
        .rept   240/\n
        .irp    k, \accs
        CHAIN_FMA \k
        .endr
        .endr
        NEXT    0
        STORE_ACC \accs
        RESTORE_VECTORS
        END     chain_\n, 0
        .endm

        CHAIN   1, 0
        CHAIN   2, 0, 1
        CHAIN   4, 0, 1, 2, 3
        CHAIN   6, 0, 1, 2, 3, 4, 5
        CHAIN   8, EIGHT
        CHAIN   10, EIGHT, 8, 9
        CHAIN   12, EIGHT, 8, 9, 10, 11
        CHAIN   16, EIGHT, HIGH
        CHAIN   20, ACCS
        CHAIN   24, ACCS, 20, 21, 22, 23

# Stream mixes, by pairs of registers as compilers do.  Reads are summed as integers, whose additions take
# two cycles or less where those of floats take up to nine.  Elements are loaded into v16 to v31, so that
# the caller's v8 to v15 stay untouched.

        .macro  READ array, at
        ldp     q16, q17, [\array, \at]
        ldp     q18, q19, [\array, \at + 32]
        ldp     q20, q21, [\array, \at + 64]
        ldp     q22, q23, [\array, \at + 96]
        add     v0.4s, v0.4s, v16.4s
        add     v1.4s, v1.4s, v17.4s
        add     v2.4s, v2.4s, v18.4s
        add     v3.4s, v3.4s, v19.4s
        add     v4.4s, v4.4s, v20.4s
        add     v5.4s, v5.4s, v21.4s
        add     v6.4s, v6.4s, v22.4s
        add     v7.4s, v7.4s, v23.4s
        .endm

        BEGIN   read
        LOAD_ACC EIGHT
        POINTERS 1, W*16
        HEAD
        READ    x3, 0
        READ    x3, W*8
        NEXT    1, W*16
        STORE_ACC EIGHT
        END     read, 1

        BEGIN   read2
        LOAD_ACC EIGHT
        POINTERS 2, W*8
        HEAD
        READ    x3, 0
        READ    x4, 0
        NEXT    2, W*8
        STORE_ACC EIGHT
        END     read2, 2

        BEGIN   read3
        LOAD_ACC EIGHT
        POINTERS 3, W*8
        HEAD
        READ    x3, 0
        READ    x4, 0
        READ    x5, 0
        NEXT    3, W*8
        STORE_ACC EIGHT
        END     read3, 3

        .macro  LOAD_EIGHT array
        ldp     q16, q17, [\array]
        ldp     q18, q19, [\array, 32]
        ldp     q20, q21, [\array, 64]
        ldp     q22, q23, [\array, 96]
        .endm
        .macro  LOAD_EIGHT_MORE array
        ldp     q24, q25, [\array]
        ldp     q26, q27, [\array, 32]
        ldp     q28, q29, [\array, 64]
        ldp     q30, q31, [\array, 96]
        .endm
        .macro  STORE_EIGHT store, array
        \store  q16, q17, [\array]
        \store  q18, q19, [\array, 32]
        \store  q20, q21, [\array, 64]
        \store  q22, q23, [\array, 96]
        .endm
        .macro  FILL_EIGHT store, array
        \store  q0, q0, [\array]
        \store  q0, q0, [\array, 32]
        \store  q0, q0, [\array, 64]
        \store  q0, q0, [\array, 96]
        .endm
        # The eight vectors loaded = themselves, operation, the eight more.
        .macro  COMBINE operation, lanes
        \operation v16.\lanes, v16.\lanes, v24.\lanes
        \operation v17.\lanes, v17.\lanes, v25.\lanes
        \operation v18.\lanes, v18.\lanes, v26.\lanes
        \operation v19.\lanes, v19.\lanes, v27.\lanes
        \operation v20.\lanes, v20.\lanes, v28.\lanes
        \operation v21.\lanes, v21.\lanes, v29.\lanes
        \operation v22.\lanes, v22.\lanes, v30.\lanes
        \operation v23.\lanes, v23.\lanes, v31.\lanes
        .endm

        .macro  COPY name, store
        BEGIN   \name
        POINTERS 2, W*8
        HEAD
        LOAD_EIGHT x3
        STORE_EIGHT \store, x4
        NEXT    2, W*8
        END     \name, 2
        .endm

        COPY    copy, stp
        COPY    copy_nt, stnp

        BEGIN   copy12
        POINTERS 3, W*8
        HEAD
        LOAD_EIGHT x3
        STORE_EIGHT stp, x4
        STORE_EIGHT stp, x5
        NEXT    3, W*8
        END     copy12, 3

        BEGIN   copy31
        POINTERS 4, W*8
        HEAD
        LOAD_EIGHT x3
        LOAD_EIGHT_MORE x4
        COMBINE fadd, 4s
        LOAD_EIGHT_MORE x5
        COMBINE fadd, 4s
        STORE_EIGHT stp, x6
        NEXT    4, W*8
        END     copy31, 4

        .macro  TRIAD name, store
        BEGIN   \name
        COEF    0, 0
        POINTERS 3, W*8
        HEAD
        LOAD_EIGHT x3
        LOAD_EIGHT_MORE x4
        fmla    v16.4s, v0.4s, v24.4s
        fmla    v17.4s, v0.4s, v25.4s
        fmla    v18.4s, v0.4s, v26.4s
        fmla    v19.4s, v0.4s, v27.4s
        fmla    v20.4s, v0.4s, v28.4s
        fmla    v21.4s, v0.4s, v29.4s
        fmla    v22.4s, v0.4s, v30.4s
        fmla    v23.4s, v0.4s, v31.4s
        STORE_EIGHT \store, x5
        NEXT    3, W*8
        END     \name, 3
        .endm

        TRIAD   triad, stp
        TRIAD   triad_nt, stnp

        .macro  FILL name, store
        BEGIN   \name
        COEF    0, 0
        POINTERS 1, W*8
        HEAD
        FILL_EIGHT \store, x3
        NEXT    1, W*8
        END     \name, 1
        .endm

        FILL    fill, stp
        FILL    fill_nt, stnp

        BEGIN   write2
        COEF    0, 0
        POINTERS 2, W*8
        HEAD
        FILL_EIGHT stp, x3
        FILL_EIGHT stp, x4
        NEXT    2, W*8
        END     write2, 2

        .macro  UPDATE array, scale
        LOAD_EIGHT \array
        .irp    k, 16, 17, 18, 19, 20, 21, 22, 23
        MUL_F32 \k, \scale
        .endr
        STORE_EIGHT stp, \array
        .endm

        BEGIN   update
        COEF    0, 0
        POINTERS 1, W*8
        HEAD
        UPDATE  x3, 0
        NEXT    1, W*8
        END     update, 1

        BEGIN   update2
        COEF    0, 0
        POINTERS 2, W*8
        HEAD
        UPDATE  x3, 0
        UPDATE  x4, 0
        NEXT    2, W*8
        END     update2, 2

        BEGIN   read_update
        POINTERS 2, W*8
        HEAD
        LOAD_EIGHT x4
        LOAD_EIGHT_MORE x3
        COMBINE eor, 16b
        STORE_EIGHT stp, x4
        NEXT    2, W*8
        END     read_update, 2

        BEGIN   write_update
        COEF    0, 0
        COEF    1, 1
        POINTERS 2, W*8
        HEAD
        FILL_EIGHT stp, x3
        UPDATE  x4, 1
        NEXT    2, W*8
        END     write_update, 2

# Kernels.

        BEGIN   saxpy
        COEF    0, 0
        POINTERS 2, W*8
        HEAD
        LOAD_EIGHT x4
        LOAD_EIGHT_MORE x3
        fmla    v16.4s, v0.4s, v24.4s
        fmla    v17.4s, v0.4s, v25.4s
        fmla    v18.4s, v0.4s, v26.4s
        fmla    v19.4s, v0.4s, v27.4s
        fmla    v20.4s, v0.4s, v28.4s
        fmla    v21.4s, v0.4s, v29.4s
        fmla    v22.4s, v0.4s, v30.4s
        fmla    v23.4s, v0.4s, v31.4s
        STORE_EIGHT stp, x4
        NEXT    2, W*8
        END     saxpy, 2

        # Tap by tap over eight vectors, so that the eight sums, v16 to v23, are independent.
        .macro  TAP operation, c, at
        ldur    q24, [x3, \at]
        ldur    q25, [x3, \at + W]
        ldur    q26, [x3, \at + W*2]
        ldur    q27, [x3, \at + W*3]
        ldur    q28, [x3, \at + W*4]
        ldur    q29, [x3, \at + W*5]
        ldur    q30, [x3, \at + W*6]
        ldur    q31, [x3, \at + W*7]
        \operation v16.4s, v\c\().4s, v24.4s
        \operation v17.4s, v\c\().4s, v25.4s
        \operation v18.4s, v\c\().4s, v26.4s
        \operation v19.4s, v\c\().4s, v27.4s
        \operation v20.4s, v\c\().4s, v28.4s
        \operation v21.4s, v\c\().4s, v29.4s
        \operation v22.4s, v\c\().4s, v30.4s
        \operation v23.4s, v\c\().4s, v31.4s
        .endm

        BEGIN   stencil
        .irp    k, 0, 1, 2, 3, 4, 5, 6
        COEF    \k, \k
        .endr
        POINTERS 2, W*8
        HEAD
        TAP     fmul, 0, -12
        TAP     fmla, 1, -8
        TAP     fmla, 2, -4
        TAP     fmla, 3, 0
        TAP     fmla, 4, 4
        TAP     fmla, 5, 8
        TAP     fmla, 6, 12
        STORE_EIGHT stp, x4
        NEXT    2, W*8
        END     stencil, 2

# The degree-32 polynomial, twelve vectors at a time.  fmla adds into its addend, so a step copies the
# coefficient and adds p * x to it: chain k moves from v(k+1) to v(k) in the first step of a trip and back
# in the second, with one register to spare.  x is in v13 to v24, coefficients in v25 and v26, the leading
# one in v27, the sum in v28.

        .macro  COPY_VECTOR to, from
        mov     v\to\().16b, v\from\().16b
        .endm
        .macro  HORNER to, from, x, c
        COPY_VECTOR \to, \c
        fmla    v\to\().4s, v\from\().4s, v\x\().4s
        .endm
        .macro  SUM to, from
        fadd    v\to\().4s, v\to\().4s, v\from\().4s
        .endm

        BEGIN   poly
        SAVE_VECTORS
        ldr     x2, [x0, ARGS_ACC]
        ldr     q28, [x2]
        ldr     x8, [x0, ARGS_COEF]
        ld1r    {v27.4s}, [x8], 4
        add     x13, x8, 4*32
        POINTERS 1, W*12
        HEAD
        ldp     q13, q14, [x3]
        ldp     q15, q16, [x3, 32]
        ldp     q17, q18, [x3, 64]
        ldp     q19, q20, [x3, 96]
        ldp     q21, q22, [x3, 128]
        ldp     q23, q24, [x3, 160]
        .irp    k, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        COPY_VECTOR \k, 27
        .endr
        mov     x7, x8
2:
        ld1r    {v25.4s}, [x7], 4
        ld1r    {v26.4s}, [x7], 4
        HORNER  0, 1, 13, 25
        HORNER  1, 2, 14, 25
        HORNER  2, 3, 15, 25
        HORNER  3, 4, 16, 25
        HORNER  4, 5, 17, 25
        HORNER  5, 6, 18, 25
        HORNER  6, 7, 19, 25
        HORNER  7, 8, 20, 25
        HORNER  8, 9, 21, 25
        HORNER  9, 10, 22, 25
        HORNER  10, 11, 23, 25
        HORNER  11, 12, 24, 25
        HORNER  12, 11, 24, 26
        HORNER  11, 10, 23, 26
        HORNER  10, 9, 22, 26
        HORNER  9, 8, 21, 26
        HORNER  8, 7, 20, 26
        HORNER  7, 6, 19, 26
        HORNER  6, 5, 18, 26
        HORNER  5, 4, 17, 26
        HORNER  4, 3, 16, 26
        HORNER  3, 2, 15, 26
        HORNER  2, 1, 14, 26
        HORNER  1, 0, 13, 26
        cmp     x7, x13
        b.ne    2b
        SUM     1, 2
        SUM     3, 4
        SUM     5, 6
        SUM     7, 8
        SUM     9, 10
        SUM     11, 12
        SUM     1, 3
        SUM     5, 7
        SUM     9, 11
        SUM     1, 5
        SUM     1, 9
        SUM     28, 1
        NEXT    1, W*12
        ldr     x2, [x0, ARGS_ACC]
        str     q28, [x2]
        RESTORE_VECTORS
        END     poly, 1

#endif
        .section .note.GNU-stack, "", %progbits
