/* infer_run.h - roofs, chain curve, caches and clock for an inferred file: what a run measured.
 *
 * From a run file, or measured at once: every roof in L1 and DRAM and the chain curve, as measure
 * --quick does, which takes ten seconds or so.
 */
#ifndef GAMBREL_CLI_INFER_RUN_H
#define GAMBREL_CLI_INFER_RUN_H

#include "cli/cli.h"
#include "model/detect.h"

struct infer_run {
    const struct run *run; /* NULL: there is none */
    const char *source;    /* of what it says */
    const char *why_not;   /* in words, where there is none */
};

/* Reads a run file.  ERR_RANGE: it is of another CPU than `who` (NULL: any is fine); errors of
 * run_read. */
bool infer_run_read(struct cli *c, const char *path, const struct identity *who,
                    struct infer_run *out, struct err *e);

/* Measures; a machine that cannot be measured is no error, but has no run. */
void infer_run_measure(struct cli *c, bool progress, struct infer_run *out);

/* Adds what the run says, and a note of it. */
void infer_run_describe(struct cli *c, const struct infer_run *from, struct machine *m);

#endif
