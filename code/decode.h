/* decode.h - machine code to forms, with what each instruction reads and writes.
 *
 * The one door to Zydis (x86-64) and Capstone (AArch64).  Knows instructions, neither time nor
 * ports.
 *
 * A destination of which part stays as it was is a read, too: 8- and 16-bit registers, what cmov,
 * merge masks, gathers, bsf and bsr may leave alone, legacy SSE scalars (sqrtss, movss xmm, xmm),
 * flags where a part of a group changes or a count may be 0; on AArch64 accumulators, inserted
 * lanes and bits, upper-half narrowing.  A 32-bit destination and VEX or EVEX vectors clear the
 * rest; that legacy SSE keeps bits 128 and up is left out.  Which of these a core avoids, the
 * machine file says.
 */
#ifndef GAMBREL_CODE_DECODE_H
#define GAMBREL_CODE_DECODE_H

#include "base/err.h"
#include "code/form.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_arch { ARCH_X86_64, ARCH_AARCH64, ARCH_COUNT };
/* As machine files and runs have them: "x86-64", "aarch64". */
extern const char *const code_arch_names[ARCH_COUNT];

#define INSN_REGS_MAX 12
#define INSN_MEMS_MAX 2

/* A register as a dependence sees it: xmm3, ymm3 and zmm3 are one (named zmm3), eax and rax are
 * one. x86 flags are two, the carry and all others (inc leaves the carry alone); AArch64 flags are
 * one. Left out, since no loop's time depends on them: rip, segments, mxcsr, the direction flag,
 * zr. */
typedef uint16_t code_reg; /* 0: none */
#define CODE_REGS_MAX 512  /* every code_reg is below */

struct insn_mem {
    code_reg base, index;
    int scale;
    int64_t displacement;
    int bytes;        /* touched */
    bool read, write; /* neither: a prefetch */
    /* displacement counts from the end of the instruction (AArch64: its start) */
    bool rip_relative;
};

struct insn {
    char form[FORM_SIZE];
    uint64_t address;
    int length;
    code_reg reads[INSN_REGS_MAX], writes[INSN_REGS_MAX]; /* address registers are in reads too */
    int8_t read_operand[INSN_REGS_MAX]; /* 1-based operand a read belongs to, an address register's
                                          * that of the memory; 0: implicit, flags, a write mask */
    int8_t write_operand[INSN_REGS_MAX];
    int n_reads, n_writes;
    struct insn_mem mem[INSN_MEMS_MAX];
    int n_mem;
    int loads, stores; /* memory accesses, as instructions name them (a pair load is one) */
    double flops;      /* add, subtract, multiply, divide, square root 1 a lane, FMA 2; all lanes
                           * of a masked one; 0 for the rest (compares, minima, conversions,
                           * approximations, dot products, complex products) */
    bool branch, conditional;
    uint64_t target; /* of a direct branch; 0 otherwise */
    bool returns, calls;
    bool same_sources;  /* every register source is one register, as in xor eax, eax */
    bool register_move; /* a full copy of one register into another of its kind */
    /* A 64-bit register that becomes itself plus a constant: by add, sub, inc, dec, lea, or because
     * its address is written back.  0: none. */
    code_reg stepped;
    int64_t step;
};

struct decoder;

/* ERR_HOST if the library cannot be set up. */
struct decoder *decoder_open(enum code_arch arch, struct err *e);
void decoder_close(struct decoder *d);

/* One instruction at code[0..len), which runs at `address`.  ERR_SYNTAX: not an instruction. */
bool decode_insn(struct decoder *d, const uint8_t *code, size_t len, uint64_t address,
                 struct insn *out, struct err *e);

const char *code_reg_name(const struct decoder *d, code_reg r);

/* Is one of its addresses relative to where it stands? */
bool insn_addresses_rip(const struct insn *i);

/* A register of vectors and floating-point scalars (xmm to zmm; v). */
bool code_reg_is_vector(enum code_arch arch, code_reg r);

#endif
