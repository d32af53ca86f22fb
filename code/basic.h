/* basic.h - basic blocks of machine code, and blocks of bytes as forms.
 *
 * A basic block runs from where a branch may lead, or from behind one, to the next such place;
 * calls and returns end it, too.  Control flow itself is left out, as in PALMED's evaluation, since
 * a block is measured and predicted as a multiset of what computes.
 */
#ifndef GAMBREL_CODE_BASIC_H
#define GAMBREL_CODE_BASIC_H

#include "base/arena.h"
#include "base/err.h"
#include "code/decode.h"
#include "formats/kernels.h"

struct basic_block {
    uint64_t address;
    const uint8_t *code;
    size_t len;  /* without the branch at its end */
    size_t span; /* with it */
    int n_insns; /* >= 1 */
    int depth;   /* of loops around it: ranges from a backward branch's target to that branch */
};

/* How often a block runs as far as its place in the code tells: 10 times for each of up to six
 * loops around it. */
double basic_weight(int depth);

/* Of one section or function, by address; bytes that are no instruction end a block.  Loops longer
 * than BASIC_LOOP_MAX instructions are not believed: in code without symbols they are calls between
 * functions. */
#define BASIC_LOOP_MAX 4096
bool basic_blocks(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
                  struct arena *a, struct basic_block **out, int *n, struct err *e);

/* The instructions of code[0..len), which must end with one: at most BASIC_INSNS_MAX.  ERR_SYNTAX
 * with the place in the code, ERR_RANGE: too many. */
#define BASIC_INSNS_MAX 4096
bool basic_decode(struct decoder *d, const uint8_t *code, size_t len, struct arena *a,
                  struct insn **insns, int *n, struct err *e);

/* Equal forms together, in order of appearance; they borrow the instructions' text. */
int basic_forms(const struct insn *insns, int n, struct form_count *out);

#endif
