/* choice.h - what is put over what, as several commands let one choose it: machine, kernels,
 * instruction set, threads.  The option tables stay each command's own, since what an option does
 * there is said there.
 *
 * The machine has one rule for all commands: the one that is named, or else the file that describes
 * the processor - of the run in hand, and without a run this CPU's.
 */
#ifndef GAMBREL_CLI_CHOICE_H
#define GAMBREL_CLI_CHOICE_H

#include "cli/cli.h"
#include "model/detect.h"

#include <stdbool.h>

struct choice {
    const char *machine;  /* -m: a file, or the name of one in the folder */
    const char *machines; /* -M: the folder; NULL: the one that comes along */
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

/* The machine that is named, or the folder in which each processor finds its own. */
struct machine_source {
    const struct machine *named; /* NULL: none is */
    const struct machine *const *all;
    int n;
};
bool machine_source_open(struct cli *c, const struct choice *o, struct machine_source *out,
                         struct err *e);
/* NULL without e->code: no file describes the processor.  ERR_RANGE: the one that is named is of
 * another instruction set than `whose` processor it is: "the run", "this CPU". */
const struct machine *machine_source_find(const struct machine_source *s, const struct run_host *h,
                                          const char *whose, struct err *e);

/* This CPU among the files of a folder (NULL: the one that comes along).  ERR_HOST, and what is
 * wrong with a file. */
struct machine_here {
    const struct run_host *host;
    struct identity who;
    struct machine_source from;
    struct detection found; /* of from.all */
};
bool machine_here_find(struct cli *c, const char *folder, struct machine_here *out, struct err *e);

/* Where there must be one: the machine that is named, whatever it is; or the one that describes the
 * run's processor, for NULL this CPU, which is told on standard error.  ERR_RANGE, ERR_HOST: no
 * file does. */
const struct machine *choice_machine(struct cli *c, const struct choice *o, const struct run *r,
                                     struct err *e);

#endif
