/* kernel_run.h - someone's own loop measured, beside the ceilings of the code that ran. */
#ifndef GAMBREL_CLI_KERNEL_RUN_H
#define GAMBREL_CLI_KERNEL_RUN_H

#include "cli/choice.h"
#include "cli/kernel_from.h"

struct kernel_run {
    const char *args, *levels, *linker;
    struct choice choice; /* of the machine */
    long rounds, timeout_s, elements_per_n;
    bool csv;
};
#define KERNEL_RUN_DEFAULT                                                                         \
    {                                                                                              \
        .args = "double*, double*", .levels = "L1,DRAM", .linker = "cc", .rounds = 101,            \
        .timeout_s = 60, .elements_per_n = 1                                                       \
    }

enum {
    KEY_ARGS = 600,
    KEY_LEVELS,
    KEY_LINKER,
    KEY_ROUNDS,
    KEY_TIMEOUT,
    KEY_ELEMENTS_PER_N,
    KEY_RUN_CSV,
};
#define KERNEL_RUN_OPTIONS                                                                         \
    {NULL, 0, NULL, 0, "run:", 3},                                                                 \
        {"args",                                                                                   \
         KEY_ARGS,                                                                                 \
         "TYPES",                                                                                  \
         0,                                                                                        \
         "what f takes after n: float*, double*, int32*, int64*, uint8*, float, double "           \
         "(double*, double*)",                                                                     \
         3},                                                                                       \
        {"levels",                                                                                 \
         KEY_LEVELS,                                                                               \
         "LIST",                                                                                   \
         0,                                                                                        \
         "of L1, L2, L3, DRAM, or none to measure nothing (L1,DRAM)",                              \
         3},                                                                                       \
        {"machine", 'm', "MACHINE", 0, "whose ceilings (the one that describes this CPU)", 3},     \
        {"machines", 'M', "DIR", 0, "folder to find it in", 3},                                    \
        {"elements-per-n", KEY_ELEMENTS_PER_N, "N", 0, "of each array for one more n (1)", 3},     \
        {"rounds", KEY_ROUNDS, "N", 0, "good timings of every length (101)", 3},                   \
        {"timeout", KEY_TIMEOUT, "SECONDS", 0, "after which it is stopped (60)", 3},               \
        {"linker", KEY_LINKER, "PROGRAM", 0, "that makes a shared object of it (cc)", 3},          \
    {                                                                                              \
        "csv", KEY_RUN_CSV, NULL, 0, "comma-separated values instead of text", 3                   \
    }
bool kernel_run_option(int key, const char *arg, struct kernel_run *o, struct err *e);

int kernel_run(struct cli *c, const char *path, const struct kernel_from *from,
               const struct kernel_run *o);

#endif
