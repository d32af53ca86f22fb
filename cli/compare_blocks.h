/* compare_blocks.h - measured blocks beside machine files and other tools. */
#ifndef GAMBREL_CLI_COMPARE_BLOCKS_H
#define GAMBREL_CLI_COMPARE_BLOCKS_H

#include "cli/cli.h"
#include "compare/block_set.h"

struct compare_blocks {
    const char *blocks; /* NULL: not asked for */
    const char *machines[BLOCK_TOOLS_MAX], *predictions[BLOCK_TOOLS_MAX];
    int n_machines, n_predictions;
    const char *folder; /* of machines; NULL: the one that comes along */
    const char *mca;    /* the CPU that llvm-mca is told; NULL: it is not run */
    /* the architecture that OSACA is told, "" for its own choice; NULL: it is not run */
    const char *osaca;
    const char *heat_map;
    const char *format; /* NULL: for a terminal */
};

int compare_blocks(struct cli *c, const struct compare_blocks *o);

#endif
