# loops_sse2.S - the loops in SSE2, 16-byte vectors.
#
# There is no fused multiply-add: where the other instruction sets have one FMA, this has a
# multiplication and an addition, two instructions for the same two flops, and a copy because the
# multiplication overwrites its operand.  The chain curve is left out, since its points are FMAs.
#if defined(__x86_64__)

#define LOOP_PREFIX loop_sse2_
#define VEC     xmm
#define W       16
#define VMOVUPS movaps
        .macro  LEAVE_VECTORS
        .endm
#include "measure/loops_x86.inc"

# Compute roofs: one load feeds twenty multiplications and additions, into ten accumulators in turn; four
# loads an iteration.  xmm10 is the element loaded, xmm15 the constant, xmm11 to xmm14 products.
#define ACCS     EIGHT, 8, 9
#define MUL_ACCS EIGHT, 8, 9, 10, 11

        .macro  FMA_F32 k, product
        movaps  \product, xmm10
        mulps   \product, xmm15
        addps   xmm\k, \product
        .endm
        .macro  FMA_F64 k, product
        movaps  \product, xmm10
        mulpd   \product, xmm15
        addpd   xmm\k, \product
        .endm
        .macro  ADD_F32 k, product
        addps   xmm\k, xmm10
        .endm

        .macro  COMPUTE name, even, odd
        BEGIN   \name
        COEF    xmm15, 0
        LOAD_ACC ACCS
        POINTERS 1, W*4
        HEAD
        .irp    i, 0, 1, 2, 3
        movaps  xmm10, [rax + W*\i]
        .rept   2
        \even   0, xmm11
        \odd    1, xmm12
        \even   2, xmm13
        \odd    3, xmm14
        \even   4, xmm11
        \odd    5, xmm12
        \even   6, xmm13
        \odd    7, xmm14
        \even   8, xmm11
        \odd    9, xmm12
        .endr
        .endr
        NEXT    1, W*4
        STORE_ACC ACCS
        END     \name, 1
        .endm

        COMPUTE fma_f32, FMA_F32, FMA_F32
        COMPUTE fma_f64, FMA_F64, FMA_F64
        COMPUTE add_f32, ADD_F32, ADD_F32
        COMPUTE fma_add_f32, FMA_F32, ADD_F32

        # Five times each, an odd number, so that an iteration changes the signs.
        BEGIN   mul_f32
        COEF    xmm15, 0
        LOAD_ACC MUL_ACCS
        POINTERS 0
        HEAD
        .rept   5
        .irp    k, MUL_ACCS
        mulps   xmm\k, xmm15
        .endr
        .endr
        NEXT    0
        STORE_ACC MUL_ACCS
        END     mul_f32, 0

# Stream mixes.  Reads are summed as integers, which every core adds at least as fast as floats and, with
# 16-byte vectors, as fast as it loads them.

        BEGIN   read
        LOAD_ACC EIGHT
        POINTERS 1, W*16
        HEAD
        .irp    i, EIGHT
        paddd   xmm\i, [rax + W*\i]
        .endr
        .irp    i, EIGHT
        paddd   xmm\i, [rax + W*(8 + \i)]
        .endr
        NEXT    1, W*16
        STORE_ACC EIGHT
        END     read, 1

        BEGIN   read2
        LOAD_ACC EIGHT
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        paddd   xmm\i, [rax + W*\i]
        paddd   xmm\i, [rdx + W*\i]
        .endr
        NEXT    2, W*8
        STORE_ACC EIGHT
        END     read2, 2

        BEGIN   read3
        LOAD_ACC EIGHT
        POINTERS 3, W*8
        HEAD
        .irp    i, EIGHT
        paddd   xmm\i, [rax + W*\i]
        paddd   xmm\i, [rdx + W*\i]
        paddd   xmm\i, [r8 + W*\i]
        .endr
        NEXT    3, W*8
        STORE_ACC EIGHT
        END     read3, 3

        .macro  COPY name, store
        BEGIN   \name
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rax + W*\i]
        \store  [rdx + W*\i], xmm\i
        .endr
        NEXT    2, W*8
        .ifc    \store, movntps
        sfence
        .endif
        END     \name, 2
        .endm

        COPY    copy, movaps
        COPY    copy_nt, movntps

        # Array by array: two stores a cycle go to one line, or not at all.
        BEGIN   copy12
        POINTERS 3, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rax + W*\i]
        movaps  [rdx + W*\i], xmm\i
        .endr
        .irp    i, EIGHT
        movaps  [r8 + W*\i], xmm\i
        .endr
        NEXT    3, W*8
        END     copy12, 3

        BEGIN   copy31
        POINTERS 4, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rax + W*\i]
        addps   xmm\i, [rdx + W*\i]
        addps   xmm\i, [r8 + W*\i]
        movaps  [rbx + W*\i], xmm\i
        .endr
        NEXT    4, W*8
        END     copy31, 4

        .macro  TRIAD name, store
        BEGIN   \name
        COEF    xmm15, 0
        POINTERS 3, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rdx + W*\i]
        mulps   xmm\i, xmm15
        addps   xmm\i, [rax + W*\i]
        \store  [r8 + W*\i], xmm\i
        .endr
        NEXT    3, W*8
        .ifc    \store, movntps
        sfence
        .endif
        END     \name, 3
        .endm

        TRIAD   triad, movaps
        TRIAD   triad_nt, movntps

        .macro  FILL name, store
        BEGIN   \name
        COEF    xmm15, 0
        POINTERS 1, W*8
        HEAD
        .irp    i, EIGHT
        \store  [rax + W*\i], xmm15
        .endr
        NEXT    1, W*8
        .ifc    \store, movntps
        sfence
        .endif
        END     \name, 1
        .endm

        FILL    fill, movaps
        FILL    fill_nt, movntps

        BEGIN   write2
        COEF    xmm15, 0
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        movaps  [rax + W*\i], xmm15
        .endr
        .irp    i, EIGHT
        movaps  [rdx + W*\i], xmm15
        .endr
        NEXT    2, W*8
        END     write2, 2

        .macro  UPDATE array, scale
        .irp    i, EIGHT
        movaps  xmm\i, [\array + W*\i]
        mulps   xmm\i, \scale
        movaps  [\array + W*\i], xmm\i
        .endr
        .endm

        BEGIN   update
        COEF    xmm15, 0
        POINTERS 1, W*8
        HEAD
        UPDATE  rax, xmm15
        NEXT    1, W*8
        END     update, 1

        BEGIN   update2
        COEF    xmm15, 0
        POINTERS 2, W*8
        HEAD
        UPDATE  rax, xmm15
        UPDATE  rdx, xmm15
        NEXT    2, W*8
        END     update2, 2

        BEGIN   read_update
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rax + W*\i]
        pxor    xmm\i, [rdx + W*\i]
        movaps  [rdx + W*\i], xmm\i
        .endr
        NEXT    2, W*8
        END     read_update, 2

        BEGIN   write_update
        COEF    xmm15, 0
        COEF    xmm14, 1
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        movaps  [rax + W*\i], xmm15
        .endr
        UPDATE  rdx, xmm14
        NEXT    2, W*8
        END     write_update, 2

# Kernels.

        BEGIN   saxpy
        COEF    xmm15, 0
        POINTERS 2, W*8
        HEAD
        .irp    i, EIGHT
        movaps  xmm\i, [rax + W*\i]
        mulps   xmm\i, xmm15
        addps   xmm\i, [rdx + W*\i]
        movaps  [rdx + W*\i], xmm\i
        .endr
        NEXT    2, W*8
        END     saxpy, 2

        # Tap by tap over four vectors, so that the four sums are independent.
        .macro  TAP c, at, i, product
        movups  \product, [rax + W*\i + \at]
        mulps   \product, \c
        .endm
        .macro  TAP_FOUR c, at, i0, i1, i2, i3
        TAP     \c, \at, \i0, xmm4
        TAP     \c, \at, \i1, xmm5
        TAP     \c, \at, \i2, xmm6
        TAP     \c, \at, \i3, xmm7
        addps   xmm0, xmm4
        addps   xmm1, xmm5
        addps   xmm2, xmm6
        addps   xmm3, xmm7
        .endm
        .macro  STENCIL_FOUR i0, i1, i2, i3
        TAP     xmm15, -12, \i0, xmm0
        TAP     xmm15, -12, \i1, xmm1
        TAP     xmm15, -12, \i2, xmm2
        TAP     xmm15, -12, \i3, xmm3
        TAP_FOUR xmm14, -8, \i0, \i1, \i2, \i3
        TAP_FOUR xmm13, -4, \i0, \i1, \i2, \i3
        TAP_FOUR xmm12, 0, \i0, \i1, \i2, \i3
        TAP_FOUR xmm11, 4, \i0, \i1, \i2, \i3
        TAP_FOUR xmm10, 8, \i0, \i1, \i2, \i3
        TAP_FOUR xmm9, 12, \i0, \i1, \i2, \i3
        movaps  [rdx + W*\i0], xmm0
        movaps  [rdx + W*\i1], xmm1
        movaps  [rdx + W*\i2], xmm2
        movaps  [rdx + W*\i3], xmm3
        .endm

        BEGIN   stencil
        COEF    xmm15, 0
        COEF    xmm14, 1
        COEF    xmm13, 2
        COEF    xmm12, 3
        COEF    xmm11, 4
        COEF    xmm10, 5
        COEF    xmm9, 6
        POINTERS 2, W*8
        HEAD
        STENCIL_FOUR 0, 1, 2, 3
        STENCIL_FOUR 4, 5, 6, 7
        NEXT    2, W*8
        END     stencil, 2

# The degree-32 polynomial, twelve vectors at a time: p in xmm0 to 11, the coefficient in xmm12, the sum
# in xmm15.  Of x two vectors fit in registers, xmm13 and 14; the other ten are memory operands.

        .macro  HORNER_STEP at
        movss   xmm12, [r8 + \at]
        shufps  xmm12, xmm12, 0
        mulps   xmm0, xmm13
        mulps   xmm1, xmm14
        .irp    i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        mulps   xmm\i, [rax + W*\i]
        .endr
        .irp    i, EIGHT, 8, 9, 10, 11
        addps   xmm\i, xmm12
        .endr
        .endm
        .macro  SUM to, from
        addps   xmm\to, xmm\from
        .endm

        BEGIN   poly
        mov     rcx, [rdi + LOOPARGS_ACC]
        movaps  xmm15, [rcx]
        mov     r11, [rdi + LOOPARGS_COEF]
        lea     r10, [r11 + 4*33]
        POINTERS 1, W*12
        HEAD
        movss   xmm0, [r11]
        shufps  xmm0, xmm0, 0
        .irp    i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        movaps  xmm\i, xmm0
        .endr
        movaps  xmm13, [rax]
        movaps  xmm14, [rax + W]
        lea     r8, [r11 + 4]
2:
        HORNER_STEP 0
        HORNER_STEP 4
        add     r8, 8
        cmp     r8, r10
        jnz     2b
        SUM     0, 1
        SUM     2, 3
        SUM     4, 5
        SUM     6, 7
        SUM     8, 9
        SUM     10, 11
        SUM     0, 2
        SUM     4, 6
        SUM     8, 10
        SUM     0, 4
        SUM     0, 8
        SUM     15, 0
        NEXT    1, W*12
        mov     rcx, [rdi + LOOPARGS_ACC]
        movaps  [rcx], xmm15
        END     poly, 1

#endif
        .section .note.GNU-stack, "", %progbits
