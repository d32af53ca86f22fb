/* kernel_from.h - someone's own loop, from an object file or assembly, as an entry of
 * kernels.yaml. */
#ifndef GAMBREL_CLI_KERNEL_FROM_H
#define GAMBREL_CLI_KERNEL_FROM_H

#include "cli/cli.h"
#include "code/lift.h"
#include "code/nest.h"
#include "code/object.h"

struct kernel_from {
    const char *symbol, *address; /* at most one of them; NULL: the markers, or the only function */
    const char *assembler;
    const char *output;
    long loop; /* from 1; 0: the one with the most vector work */
    bool list;
    struct lift_wishes wishes;
};
#define KERNEL_FROM_DEFAULT                                                                        \
    {                                                                                              \
        .assembler = "as", .output = "-", .wishes = {                                              \
            .element_bytes = (double)NAN,                                                          \
            .elements_per_iter = (double)NAN,                                                      \
            .align_bytes = 64                                                                      \
        }                                                                                          \
    }

/* Options that argp_kernel shares with the parser below; true if `key` was one of them. */
enum {
    KEY_SYMBOL = 512,
    KEY_ADDRESS,
    KEY_LOOP,
    KEY_LIST_LOOPS,
    KEY_NAME,
    KEY_FORMULA,
    KEY_ELEMENT_BYTES,
    KEY_ELEMENTS,
    KEY_ALIGNMENT,
    KEY_ASSEMBLER,
};
#define KERNEL_FROM_OPTIONS                                                                        \
    {NULL, 0, NULL, 0, "from-object and from-asm:", 2},                                            \
        {"symbol", KEY_SYMBOL, "NAME", 0, "the function whose loop it is", 2},                     \
        {"address", KEY_ADDRESS, "A-B", 0, "its code, from address A up to B, hexadecimal", 2},    \
        {"loop", KEY_LOOP, "N", 0, "the Nth innermost loop (that with most vector work)", 2},      \
        {"list-loops", KEY_LIST_LOOPS, NULL, 0, "list the innermost loops instead", 2},            \
        {"name", KEY_NAME, "NAME", 0, "of the kernel (the function's)", 2},                        \
        {"formula", KEY_FORMULA, "TEXT", 0, "of the kernel (where the code was found)", 2},        \
        {"element-bytes", KEY_ELEMENT_BYTES, "N", 0, "size of an element (from the flops)", 2},    \
        {"elements", KEY_ELEMENTS, "N", 0, "elements of an iteration (from the least stride)", 2}, \
        {"alignment", KEY_ALIGNMENT, "N", 0, "of the arrays in bytes, 1 to 64 (64)", 2},           \
        {"assembler", KEY_ASSEMBLER, "PROGRAM", 0, "that takes -o and standard input (as)", 2},    \
    {                                                                                              \
        "output", 'o', "FILE", 0, "write here instead of standard output", 2                       \
    }
bool kernel_from_option(int key, const char *arg, struct kernel_from *o, struct err *e);

struct kernel_candidate {
    struct nest_loop loop;
    const char *place; /* "loop 1 of 2 of 'f'" */
    struct object_function function;
};

/* What was found, and which of it is meant. */
struct kernel_code {
    struct kernel_candidate *all; /* [n], n >= 1 */
    int n, chosen;
    size_t capacity;
    enum code_arch arch;
};

/* Reads the file (assembles it where `assembly` says so) and finds its loop; NULL and *e. */
const struct kernel_candidate *kernel_code_find(struct cli *c, const char *path, bool assembly,
                                                const struct kernel_from *o,
                                                struct kernel_code *out, struct err *e);

/* The commands. */
int kernel_from(struct cli *c, const char *path, bool assembly, const struct kernel_from *o);

#endif
