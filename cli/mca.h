/* mca.h - llvm-mca on blocks of machine code: one of the tools that may stand beside us. */
#ifndef GAMBREL_CLI_MCA_H
#define GAMBREL_CLI_MCA_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

struct mca_codes {
    const struct mca_code {
        const char *hex; /* NULL: none */
        int copies;      /* of the block in it */
    } * codes;
    size_t n;
    int iterations; /* of each code */
};

/* Cycles per execution of each block; NaN where it has no code, or llvm-mca refuses it or part of
 * it.  llvm-mc turns the bytes into assembly first; both run in child processes with a time limit.
 * *complaint: what they said of the first that went wrong; NULL: of none.  ERR_HOST: one of them is
 * not installed. */
bool mca_predict(const struct mca_codes *from, const char *cpu, struct arena *a, double *cycles,
                 const char **complaint, struct err *e);

#endif
