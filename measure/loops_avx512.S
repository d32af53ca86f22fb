# loops_avx512.S - the loops in AVX-512F, 64-byte vectors.
#if defined(__x86_64__)

#define LOOP_PREFIX loop_avx512_
#define VEC  zmm
#define W    64
#define VXOR vpxord
#define ACCS   EIGHT, HIGH, 16, 17, 18, 19
#define LOAD_0 ACCS
#define LOAD_1 ACCS
#define LOAD_2 ACCS
#define LOAD_3 ACCS
#define MUL_ACCS  ACCS
#define MUL_TIMES 3
#define X    zmm23
#define C0   zmm24
#define C1   zmm25
#define C2   zmm26
#define C3   zmm27
#define C4   zmm28
#define C5   zmm29
#define C6   zmm30
#include "measure/loops_vex.inc"

        CHAIN   16, EIGHT, HIGH
        CHAIN   20, ACCS
        CHAIN   24, ACCS, 20, 21, 22, 23

# The degree-32 polynomial, twelve vectors at a time: p in zmm0 to 11, x in zmm12 to 23, the leading
# coefficient in zmm24, the sum in zmm25.  The inner loop makes 16 trips of two Horner steps.

        .macro  HORNER p, x, c
        vfmadd213ps zmm\p, zmm\x, \c
        .endm
        .macro  HORNER_STEP c, at
        vbroadcastss \c, [r8 + \at]
        HORNER  0, 12, \c
        HORNER  1, 13, \c
        HORNER  2, 14, \c
        HORNER  3, 15, \c
        HORNER  4, 16, \c
        HORNER  5, 17, \c
        HORNER  6, 18, \c
        HORNER  7, 19, \c
        HORNER  8, 20, \c
        HORNER  9, 21, \c
        HORNER  10, 22, \c
        HORNER  11, 23, \c
        .endm
        .macro  SUM to, from
        vaddps  zmm\to, zmm\to, zmm\from
        .endm

        BEGIN   poly
        mov     rcx, [rdi + LOOPARGS_ACC]
        vmovups zmm25, [rcx]
        mov     r11, [rdi + LOOPARGS_COEF]
        vbroadcastss zmm24, [r11]
        add     r11, 4
        lea     r10, [r11 + 4*32]
        POINTERS 1, W*12
        HEAD
        .irp    i, EIGHT, 8, 9, 10, 11
        vmovaps zmm\i, zmm24
        .endr
        vmovups zmm12, [rax]
        vmovups zmm13, [rax + W]
        vmovups zmm14, [rax + W*2]
        vmovups zmm15, [rax + W*3]
        vmovups zmm16, [rax + W*4]
        vmovups zmm17, [rax + W*5]
        vmovups zmm18, [rax + W*6]
        vmovups zmm19, [rax + W*7]
        vmovups zmm20, [rax + W*8]
        vmovups zmm21, [rax + W*9]
        vmovups zmm22, [rax + W*10]
        vmovups zmm23, [rax + W*11]
        mov     r8, r11
2:
        HORNER_STEP zmm26, 0
        HORNER_STEP zmm27, 4
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
        SUM     25, 0
        NEXT    1, W*12
        mov     rcx, [rdi + LOOPARGS_ACC]
        vmovups [rcx], zmm25
        END     poly, 1

#endif
        .section .note.GNU-stack, "", %progbits
