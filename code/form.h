/* form.h - the name of an instruction and its operand kinds, and patterns over such names.
 *
 * A form is a mnemonic and operand kinds in Intel (x86) or Arm order, lower case:
 *     vfmadd231ps zmm, zmm, m512      add r64, imm       jnz rel        vaddps zmm, zmm, m32bcst
 *     vmovups zmm{k}{z}, m512         fmla v.4s, v.4s, v.4s      ldr q, m128      b.ne rel x86
 * kinds: r8 r16 r32 r64, mm xmm ymm zmm k st, m8..m512 (bits; a gather or scatter: all it touches),
 * mNNbcst, agen (lea), imm, rel; cl where a shift takes it.  A write mask follows the first operand
 * as {k} or {k}{z}.  Other implicit operands are not written, nor those of a long nop. AArch64
 * kinds: w x (also sp, zr), b h s d q, v.4s and so on (lane: v.s[i]), mNN for what a load or store
 * touches in bits, imm (also barrier kinds, prefetch operations, system registers), rel, cond.
 * Lists are written without braces (`ld1 v.4s, v.4s, m256`).  A base that is written back adds a
 * word: `ldr q, m128, post`, `ldr q, m128, pre`; a shifted or extended register its kind: `add x,
 * x, x, lsl`.  How an address is made is not part of a form.
 *
 * Several spellings name one form (jne, jnz); form_normalise gives the one this program uses, which
 * for conditions is the decoder's (jnz, jnb, jnbe, jnle, b.hs, b.lo ...).  Case is lowered; imm8,
 * imm32, #imm become imm; rel8, label become rel; [m512] becomes m512; v.s[2] becomes v.s[i]; the
 * amount of a shift is dropped; white space is folded.
 *
 * A pattern is a form in which some words stand for several: V is one of xmm, ymm, zmm, and the
 * same one throughout, with MV for memory of that width (m128, m256, m512); jcc, setcc, cmovcc,
 * b.cc stand for every condition (which is why carry clear is b.lo).  V and MV are upper case.
 */
#ifndef GAMBREL_CODE_FORM_H
#define GAMBREL_CODE_FORM_H

#include <stdbool.h>

#define FORM_SIZE 128 /* longest form or pattern, with its NUL */

/* Writes the normal spelling of text; false if it is longer than FORM_SIZE - 1, or it or one of its
 * operands is empty. */
bool form_normalise(const char *text, char out[FORM_SIZE]);

/* Whether an operand of a normalised form, which may be followed by others, is memory: m64,
 * m32bcst, or MV in a pattern. */
bool form_operand_is_memory(const char *operand);

/* Both normalised. */
bool form_matches(const char *pattern, const char *form);

/* A form that the pattern matches: of width 0 to 2 (xmm, ymm, zmm) where that is left open, and of
 * the condition "not zero", since a pattern takes one condition or all.  False: too long. */
#define FORM_WIDTHS 3
bool form_instance(const char *pattern, int width, char out[FORM_SIZE]);

#endif
