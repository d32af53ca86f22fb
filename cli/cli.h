/* cli.h - what the subcommands share: the table of commands, data files, messages, exit status.
 *
 * Only this folder prints and exits.  Data go to stdout, everything else to stderr; progress only
 * to a terminal; NO_COLOR is obeyed.
 */
#ifndef GAMBREL_CLI_CLI_H
#define GAMBREL_CLI_CLI_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/run.h"

#include <argp.h>
#include <stdbool.h>

enum exit_status {
    EXIT_FINE = 0,
    EXIT_FINDING = 1, /* a bound is violated, a check failed        */
    EXIT_INPUT = 2,   /* bad usage or bad input                     */
    EXIT_MACHINE = 3, /* this machine cannot do what was asked      */
};

#define GAMBREL_VERSION "0.1.0"

struct cli {
    struct arena *arena;
    bool color; /* stdout is a screen and NO_COLOR is not set */
};

struct command {
    const char *name;
    const char *summary; /* one line, no full stop */
    const struct argp *argp;
    int (*run)(struct cli *c, int argc, char **argv); /* argv[0] is "gambrel NAME" */
};
extern const struct command commands[];
extern const int n_commands;

int cmd_measure(struct cli *c, int argc, char **argv);
int cmd_model(struct cli *c, int argc, char **argv);
int cmd_compare(struct cli *c, int argc, char **argv);
int cmd_explain(struct cli *c, int argc, char **argv);
int cmd_machine(struct cli *c, int argc, char **argv);
int cmd_kernel(struct cli *c, int argc, char **argv);
int cmd_blocks(struct cli *c, int argc, char **argv);
int cmd_infer(struct cli *c, int argc, char **argv);
extern const struct argp argp_measure, argp_model, argp_compare, argp_explain, argp_machine,
    argp_kernel, argp_infer, argp_blocks;

/* For arenas: says so and exits. */
void cli_out_of_memory(void *context);

/* Prints "gambrel: error: ..." and gives the status that belongs to the kind of error. */
int cli_fail(const struct err *e);
void cli_warn(const char *text); /* "": nothing to warn of */

/* Writes to stdout; EXIT_INPUT and a message if it cannot be written (a full disk). */
int cli_print(struct bytes data);
/* Is it a terminal that moves its cursor and knows colours? */
bool cli_is_screen(int fd);
/* The same to a file, or to stdout for "-". */
int cli_write(const char *path, struct bytes data);

/* The path of a file that comes with the program ("kernels.yaml", "machines"): under $GAMBREL_DATA,
 * beside the build, or PREFIX/share/gambrel.  ERR_IO says where it was looked for. */
const char *cli_data(struct cli *c, const char *name, struct err *e);

/* Reads the file given, or the one that comes with the program for NULL; a file without roofs gets
 * those that come along. */
struct kernels *cli_kernels(struct cli *c, const char *path, struct err *e);
struct machine *cli_machine_file(struct cli *c, const char *path, struct err *e);
/* PATH.yaml or the name of a machine in a folder (NULL: the one that comes with the program). */
struct machine *cli_machine(struct cli *c, const char *folder, const char *name_or_path,
                            struct err *e);
/* ERR_RANGE: the machine is of another architecture than what it is to be put over; "the run",
 * "this CPU". */
bool cli_same_isa(const struct machine *m, const char *isa, const char *whose, struct err *e);
/* Every machine in a folder (NULL: the one that comes with the program), sorted by file name. */
struct machine **cli_machines(struct cli *c, const char *folder, int *n, struct err *e);
struct run *cli_run(struct cli *c, const char *path, struct err *e);

/* Now, "2026-11-29T23:48:51Z". */
const char *cli_utc(struct cli *c);

/* A whole number in [min, max] from an option or an environment variable; the message names it. */
bool cli_integer(const char *what, const char *text, long min, long max, long *out, struct err *e);

/* Manual page and shell completions, from the option tables. */
void cli_manual(struct text *out);
void cli_completion(const char *shell, struct text *out); /* bash, zsh, fish */

#endif
