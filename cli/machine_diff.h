/* machine_diff.h - gambrel machine diff: two machine files beside each other. */
#ifndef GAMBREL_CLI_MACHINE_DIFF_H
#define GAMBREL_CLI_MACHINE_DIFF_H

#include "cli/cli.h"
#include "compare/machine_diff.h"

struct machine_diff_wishes {
    bool csv, json;
    bool given; /* any of them */
    struct machine_diff_options o;
};
#define MACHINE_DIFF_DEFAULT                                                                       \
    {                                                                                              \
        .o = {.seed = 1, .n_blocks = 1000 }                                                        \
    }

/* Options that argp_machine shares with the parser below; true if `key` was one of them. */
enum { KEY_DIFF_CSV = 512, KEY_DIFF_JSON, KEY_DIFF_TOLERANCE, KEY_DIFF_SEED, KEY_DIFF_BLOCKS };
#define MACHINE_DIFF_OPTIONS                                                                       \
    {NULL, 0, NULL, 0, "diff:", 2}, {"tolerance",                                                  \
                                     KEY_DIFF_TOLERANCE,                                           \
                                     "PERCENT",                                                    \
                                     0,                                                            \
                                     "numbers this near each other do not differ (0)",             \
                                     2},                                                           \
        {"blocks", KEY_DIFF_BLOCKS, "N", 0, "random blocks to predict by both (1000)", 2},         \
        {"seed", KEY_DIFF_SEED, "N", 0, "of the random blocks (1)", 2},                            \
        {"csv", KEY_DIFF_CSV, NULL, 0, "every difference, as CSV", 2},                             \
    {                                                                                              \
        "json", KEY_DIFF_JSON, NULL, 0, "the same as JSON", 2                                      \
    }
bool machine_diff_option(int key, const char *arg, struct machine_diff_wishes *o, struct err *e);

/* The command; names of a folder (NULL: the one that comes along) or files.  EXIT_FINDING if they
 * differ. */
int machine_diff_run(struct cli *c, const char *folder, const char *const *names, int n,
                     const struct machine_diff_wishes *o);

#endif
