/* measure_blocks.h - a file of blocks, each measured as a microkernel without dependences.
 */
#ifndef GAMBREL_CLI_MEASURE_BLOCKS_H
#define GAMBREL_CLI_MEASURE_BLOCKS_H

#include "cli/cli.h"

/* Reads the CSV file of blocks at path ("-": standard input) and writes cycles, spread and samples
 * of each to output (NULL or "-": standard output), in the same order and as such a file again,
 * with names and weights where it has them, without code, since registers are others.  Blocks that
 * cannot be measured are named on stderr and left out.  Returns the exit status. */
int measure_blocks(struct cli *c, const char *path, const char *output);

#endif
