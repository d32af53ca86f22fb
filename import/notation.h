/* notation.h - how other tools spell instructions, turned into forms of this program (code/form.h).
 *
 * An operand of another tool's row is the set of kinds it may be: `gpr` is r64, r32, r16 or r8, a
 * memory operand without a width is of any.  A row stands for every form of those that exists: on
 * x86-64 the encoder says which do (code/encode.h); on AArch64, for which there is none, wildcards
 * of one kind are the same throughout a row, and the width of memory follows from the mnemonic and
 * its registers.  What the encoder does not do (branches, x87 and MMX registers, gathers) is taken
 * as it is spelled where the mnemonic exists.
 *
 * AT&T spellings, which OSACA and llvm-mca use: operands in reverse, sizes at the end of mnemonics
 * (addq, movzbl), predicates inside them (vcmpltps).
 */
#ifndef GAMBREL_IMPORT_NOTATION_H
#define GAMBREL_IMPORT_NOTATION_H

#include "base/arena.h"
#include "code/decode.h"

#include <stdbool.h>
#include <stddef.h>

#define NOTATION_OPERANDS_MAX 6

enum notation_tool {
    NOTATION_OSACA_X86,
    NOTATION_OSACA_A64,
    NOTATION_UOPS_INFO,
    NOTATION_PMEVO,
    NOTATION_PALMED,
    NOTATION_TEXT,  /* names of registers in assembly text */
    NOTATION_SHIFT, /* shifts and extensions of AArch64 */
};

struct notation_operand {
    const char *const *kinds; /* NULL-terminated; "m?": memory of a width that is not said */
    const char *suffix;       /* behind the kind: "{k}", ", post"; NULL: nothing */
};

struct notation {
    enum code_arch arch;
    bool att;             /* AT&T: the last operand is the first of the form */
    const char *mnemonic; /* any case; lock, rep and repne may precede it */
    struct notation_operand operands[NOTATION_OPERANDS_MAX];
    int n;
};

/* Why a row stands for no form; the texts are for people. */
enum notation_failure {
    NOTATION_FINE,
    NOTATION_NO_MNEMONIC,
    NOTATION_NO_FORM,
    NOTATION_SCALABLE,
};
extern const char *const notation_failures[];

struct notation_forms {
    const char **list; /* normalised */
    int n;
    size_t capacity;
};

/* The kinds that a tool's word for an operand stands for, or NULL: not known. */
const char *const *notation_kinds(enum notation_tool tool, const char *word, size_t len);
/* Memory of so many bits, or NULL: none has that width. */
const char *const *notation_memory(int bits);

/* Adds every form the row stands for; anything but NOTATION_FINE adds none. */
enum notation_failure notation_expand(const struct notation *n, struct arena *a,
                                      struct notation_forms *out);

/* One line of assembly, AT&T for x86-64; false: an operand is not known, which *operand begins. */
bool notation_read(const char *text, enum code_arch arch, struct arena *a, struct notation *out,
                   const char **operand);

#endif
