# loops_avx2.S - the loops in AVX2 with FMA, 32-byte vectors.
#if defined(__x86_64__)

#define LOOP_PREFIX loop_avx2_
#define VEC  ymm
#define W    32
#define VXOR vpxor
/* Fourteen accumulators in turn, twenty after each load. */
#define ACCS   EIGHT, 8, 9, 10, 11, 12, 13
#define LOAD_0 ACCS, 0, 1, 2, 3, 4, 5
#define LOAD_1 6, 7, 8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
#define LOAD_2 12, 13, ACCS, 0, 1, 2, 3
#define LOAD_3 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
#define MUL_ACCS  EIGHT, 8, 9, 10, 11
#define MUL_TIMES 5
#define X    ymm15
#define C0   ymm14
#define C1   ymm15
#define C2   ymm13
#define C3   ymm12
#define C4   ymm11
#define C5   ymm10
#define C6   ymm9
#include "measure/loops_vex.inc"

# The degree-32 polynomial, twelve vectors at a time: p in ymm0 to 11, the coefficient in ymm12, the sum
# in ymm15.  Of x two vectors fit in registers, ymm13 and 14; the other ten are memory operands, so that
# a step of twelve FMAs makes eleven loads.

        .macro  HORNER_STEP at
        vbroadcastss ymm12, [r8 + \at]
        vfmadd213ps ymm0, ymm13, ymm12
        vfmadd213ps ymm1, ymm14, ymm12
        .irp    i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        vfmadd132ps ymm\i, ymm12, [rax + W*\i]
        .endr
        .endm
        .macro  SUM to, from
        vaddps  ymm\to, ymm\to, ymm\from
        .endm

        BEGIN   poly
        mov     rcx, [rdi + LOOPARGS_ACC]
        vmovups ymm15, [rcx]
        mov     r11, [rdi + LOOPARGS_COEF]
        lea     r10, [r11 + 4*33]
        POINTERS 1, W*12
        HEAD
        vbroadcastss ymm0, [r11]
        .irp    i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        vmovaps ymm\i, ymm0
        .endr
        vmovups ymm13, [rax]
        vmovups ymm14, [rax + W]
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
        vmovups [rcx], ymm15
        END     poly, 1

#endif
        .section .note.GNU-stack, "", %progbits
