/* model_blocks.h - predictions of blocks as CSV, a line each: block, cycles, what binds, unknown
 * forms. */
#ifndef GAMBREL_CLI_MODEL_BLOCKS_H
#define GAMBREL_CLI_MODEL_BLOCKS_H

#include "cli/cli.h"
#include "formats/blocks.h"
#include "model/cost_table.h"

/* Of a file that formats/blocks.h reads, as it streams by; returns the exit status. */
int model_blocks(struct cli *c, struct cost_table *t, const char *path);

/* Of one block typed by hand; 1 if it has unknown forms. */
int model_block_csv(struct cli *c, struct cost_table *t, const char *text);
bool model_block_parse(struct cli *c, const char *text, struct block *out, struct err *e);

#endif
