/* decode_parts.h - what decode.c and the two decoders behind it share; not for others.
 *
 * Each decoder fills a zeroed insn; these helpers keep its arrays within bounds.
 */
#ifndef GAMBREL_CODE_DECODE_PARTS_H
#define GAMBREL_CODE_DECODE_PARTS_H

#include "code/decode.h"

struct decode_backend {
    void *(*open)(void); /* NULL: the library cannot be set up */
    void (*close)(void *state);
    bool (*insn)(void *state, const uint8_t *code, size_t len, uint64_t address, struct insn *out);
    const char *(*reg_name)(code_reg r);
    bool (*is_vector)(code_reg r);
};

extern const struct decode_backend decode_x86, decode_a64;

/* operand: 1-based as written in the form, 0 for an implicit one.  A register that is there for the
 * same operand already, or none, is not added. */
void insn_reads(struct insn *i, code_reg r, int operand);
void insn_writes(struct insn *i, code_reg r, int operand);

/* The next memory operand, or NULL where there are two already. */
struct insn_mem *insn_mem_next(struct insn *i);

/* Appends to the form; what does not fit is cut off (no instruction needs as much). */
void insn_form_add(struct insn *i, const char *text);
/* The same of "m256": memory of so many bits. */
void insn_form_add_memory(struct insn *i, unsigned bits);

#endif
