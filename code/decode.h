/* decode.h - machine code to forms, with what each instruction reads and writes.
 *
 * The one door to Zydis (x86-64) and Capstone (AArch64).  Knows instructions, neither time nor
 * ports.
 */
#ifndef GAMBREL_CODE_DECODE_H
#define GAMBREL_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "code/form.h"

enum code_arch { ARCH_X86_64, ARCH_AARCH64 };

#define INSN_REGS_MAX 12
#define INSN_MEMS_MAX 2

/* A register as a dependence sees it: xmm3, ymm3 and zmm3 are one, eax and rax are one.  Flags are
 * one register each where the decoder tells them apart, else one in all. */
typedef uint16_t code_reg; /* 0: none */

struct insn_mem {
    code_reg base, index;
    int scale;
    int64_t displacement;
    int bytes; /* touched */
    bool read, write;
    bool rip_relative;
};

struct insn {
    char form[FORM_SIZE];
    uint64_t address;
    int length;
    code_reg reads[INSN_REGS_MAX], writes[INSN_REGS_MAX]; /* address registers are in reads too */
    int8_t read_operand[INSN_REGS_MAX];  /* 1-based operand a read belongs to; 0: implicit */
    int8_t write_operand[INSN_REGS_MAX];
    int n_reads, n_writes;
    struct insn_mem mem[INSN_MEMS_MAX];
    int n_mem;
    int loads, stores;    /* memory accesses, as instructions name them (a pair load is one) */
    double flops;         /* floating-point operations, lanes counted, FMA 2 */
    bool branch, conditional;
    uint64_t target;      /* of a direct branch; 0 otherwise */
    bool returns, calls;
    bool same_sources;    /* every register source is one register, as in xor eax, eax */
    bool register_move;   /* a full copy of one register into another of its kind */
};

struct decoder;

/* ERR_HOST if the library cannot be set up. */
struct decoder *decoder_open(enum code_arch arch, struct err *e);
void decoder_close(struct decoder *d);

/* One instruction at code[0..len), which runs at `address`.  ERR_SYNTAX: not an instruction. */
bool decode_insn(struct decoder *d, const uint8_t *code, size_t len, uint64_t address,
                 struct insn *out, struct err *e);

const char *code_reg_name(const struct decoder *d, code_reg r);

#endif
