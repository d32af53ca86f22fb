/* encode.h - x86-64 forms and registers to machine code.
 *
 * The one door to Zydis' encoder.  A form is read once and tried: what encode_form accepts encodes,
 * and decodes (code/decode.h) to the same form again.  Relative branches, far pointers and prefixes
 * other than lock are not encoded.  A form does not tell the width of a gather's or scatter's
 * vector of indices; it is as many of them as there are elements of data.
 */
#ifndef GAMBREL_CODE_ENCODE_H
#define GAMBREL_CODE_ENCODE_H

#include "base/err.h"
#include "code/form.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENCODE_BYTES_MAX    15
#define ENCODE_OPERANDS_MAX 4

enum encode_kind {
    ENCODE_GENERAL, /* 0..15: rax rcx rdx rbx rsp rbp rsi rdi r8..r15; 8 bits: al, not ah */
    ENCODE_VECTOR,  /* 0..15, with EVEX 0..31 */
    ENCODE_MASK,    /* 0..7 */
    ENCODE_MEMORY,
    ENCODE_ADDRESS, /* of lea */
    ENCODE_IMMEDIATE,
    ENCODE_CL, /* the count of a shift */
};

/* What a form's vector registers are written with; the first two may not alternate in a loop. */
enum encode_class {
    ENCODE_SCALAR, /* no vector register */
    ENCODE_SSE,    /* legacy encoding: keeps what is above bit 127 */
    ENCODE_AVX,    /* VEX or EVEX: clears it */
};

struct encode_form {
    char text[FORM_SIZE]; /* normalised */
    enum encode_kind kinds[ENCODE_OPERANDS_MAX];
    int bits[ENCODE_OPERANDS_MAX]; /* of a register or of memory; 0: immediate, address, cl */
    int n_operands;
    enum encode_class class;
    bool masked;       /* has a write mask */
    bool vector_index; /* gathers or scatters: the index of its memory is a vector register */
    bool privileged;
    const char *isa_set; /* as Zydis names it: "I86", "BMI2", "AVX512F_256" */

    /* For encode.c only. */
    int mnemonic, broadcast, index_bits;
    bool zeroing, lock, evex, fourth;
};

struct encode_registers {
    uint8_t number[ENCODE_OPERANDS_MAX]; /* of each operand that is a register */
    uint8_t mask;                        /* of a masked form: 1..7 */
    uint8_t base;                        /* of memory or an address: general registers */
    int index;                           /* -1: none; a vector register where vector_index */
    int scale;
    int32_t displacement;
    int64_t immediate;
};

/* ERR_SYNTAX: no such mnemonic or operand; ERR_RANGE: not among what is encoded here. */
bool encode_form(const char *text, struct encode_form *out, struct err *e);

/* At most ENCODE_BYTES_MAX bytes.  ERR_RANGE: these registers, or this immediate, do not fit. */
bool encode_insn(const struct encode_form *f, const struct encode_registers *r,
                 uint8_t out[ENCODE_BYTES_MAX], size_t *len, struct err *e);

#endif
