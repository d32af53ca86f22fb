/* osaca.h - OSACA on blocks of machine code: one of the tools that may stand beside us. */
#ifndef GAMBREL_CLI_OSACA_H
#define GAMBREL_CLI_OSACA_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/* Cycles per iteration of each block as a loop; NaN where it has no code, or OSACA does not know
 * all of its instructions, fails or takes too long.  objdump turns the bytes into assembly; OSACA
 * is started anew for each block, about a second each, in a child process with a time limit.  arch:
 * one of OSACA's names, or NULL for the one that OSACA takes by itself. ERR_HOST: one of them is
 * not installed, or OSACA refuses to be called so. */
bool osaca_predict(const char *const *hex, size_t n, const char *arch, struct arena *a,
                   double *cycles, struct err *e);

#endif
