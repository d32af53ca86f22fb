/* machine_import.h - gambrel machine import: the user's copy of another tool's file, as ours. */
#ifndef GAMBREL_CLI_MACHINE_IMPORT_H
#define GAMBREL_CLI_MACHINE_IMPORT_H

#include "cli/cli.h"

struct machine_import {
    const char *format, *arch; /* NULL: not said */
    const char *output;        /* NULL or "-": standard output */
};

enum { MACHINE_IMPORT_KEY = 320, MACHINE_IMPORT_ARCH };

#define MACHINE_IMPORT_OPTIONS                                                                     \
    {NULL, 0, NULL, 0, "import:", 3},                                                              \
        {"format",                                                                                 \
         MACHINE_IMPORT_KEY,                                                                       \
         "NAME",                                                                                   \
         0,                                                                                        \
         "osaca, uops-info, pmevo, palmed or llvm-mca (default: by the content)",                  \
         3},                                                                                       \
        {"arch",                                                                                   \
         MACHINE_IMPORT_ARCH,                                                                      \
         "NAME",                                                                                   \
         0,                                                                                        \
         "which architecture of a file that has several (uops-info), as the file spells it",       \
         3},                                                                                       \
    {                                                                                              \
        "output", 'o', "FILE", 0, "the machine file (standard output)", 3                          \
    }

/* False: not one of its options. */
bool machine_import_option(int key, const char *arg, struct machine_import *o);

int machine_import(struct cli *c, const char *path, const struct machine_import *o);

#endif
