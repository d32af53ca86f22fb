/* choice.h - what is put over what, as several commands let one choose it: machine, kernels,
 * instruction set, threads.  The option tables stay each command's own, since what an option does
 * there is said there. */
#ifndef GAMBREL_CLI_CHOICE_H
#define GAMBREL_CLI_CHOICE_H

#include "base/err.h"

#include <stdbool.h>

struct choice {
    const char *machine;  /* -m: a file, or the name of one that comes along */
    const char *machines; /* -M: folder to find it in */
    const char *kernels;  /* -k: file */
    const char *isa;      /* -i */
    long threads;         /* -t */
};

#define CHOICE_MACHINES_OPTION                                                                     \
    {                                                                                              \
        "machines", 'M', "DIR", 0, "folder to find it in instead of the one that comes along", 0   \
    }
#define CHOICE_KERNELS_OPTION                                                                      \
    {                                                                                              \
        "kernels", 'k', "FILE", 0, "kernel descriptions instead of the ones that come along", 0    \
    }

/* False: not one of its options.  ERR_RANGE. */
bool choice_option(int key, const char *arg, struct choice *c, struct err *e);

#endif
