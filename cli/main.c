#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command commands[] = {
    {"measure", "roofs and kernels of this machine, into a results file", &argp_measure,
     cmd_measure},
    {"model", "ceilings of kernels on a machine, nothing measured", &argp_model, cmd_model},
    {"compare", "results against the models: who misses, where, by how much", &argp_compare,
     cmd_compare},
    {"explain", "one kernel's ladder in words, with the change that would lift it most",
     &argp_explain, cmd_explain},
    {"machine", "detect, list, show, check, diff, begin or import machine files", &argp_machine,
     cmd_machine},
    {"infer", "a machine file from the times of blocks alone", &argp_infer, cmd_infer},
    {"kernel", "list, show or check kernels; take a loop from an object, or run it", &argp_kernel,
     cmd_kernel},
    {"blocks", "the basic blocks of programs, as CSV", &argp_blocks, cmd_blocks},
};
const int n_commands = sizeof commands / sizeof *commands;

static void usage(FILE *out)
{
    fprintf(out, "Usage: gambrel COMMAND [OPTION...]\n\n"
                 "Compares two models of a loop's speed with what the hardware does.\n\n");
    for (int i = 0; i < n_commands; i++) {
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(out,
            "\n  help      this text; help COMMAND, help --man, help --completion=bash|zsh|fish\n\n"
            "gambrel COMMAND --help lists the options of a command.\n");
}

/* NULL: there is none of that name. */
static const struct command *find_command(const char *name)
{
    for (int i = 0; i < n_commands; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int help(struct cli *c, int argc, char **argv)
{
    static const char completion[] = "--completion=";
    struct text out = {.arena = c->arena};
    const struct command *about = argc == 2 ? find_command(argv[1]) : NULL;
    if (about) {
        argp_help(about->argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK,
                  arena_format(c->arena, "gambrel %s", about->name));
    } else if (argc == 1) {
        usage(stdout);
    } else if (argc == 2 && strcmp(argv[1], "--man") == 0) {
        cli_manual(&out);
    } else if (argc == 2 && strncmp(argv[1], completion, sizeof completion - 1) == 0) {
        cli_completion(argv[1] + sizeof completion - 1, &out);
    }
    if (argc > 1 && !about && !out.len) {
        fprintf(stderr, "gambrel: error: help takes a command, --man or "
                        "--completion=bash|zsh|fish\n");
        return EXIT_INPUT;
    }
    return cli_print((struct bytes){out.data, out.len});
}

/* Out of memory ends the program: no caller can go on without what it asked for. */
void cli_out_of_memory(void *context)
{
    (void)context;
    fprintf(stderr, "gambrel: error: out of memory; GAMBREL_MEMORY_MAX raises the limit of 4 GiB, "
                    "in bytes\n");
    exit(EXIT_MACHINE);
}

static struct arena *memory(void)
{
    const char *limit = getenv("GAMBREL_MEMORY_MAX");
    struct err e = {0};
    long bytes = 4L << 30;
    if (limit && !cli_integer("GAMBREL_MEMORY_MAX", limit, 1, 1L << 50, &bytes, &e)) {
        exit(cli_fail(&e));
    }
    struct arena *a = arena_create((size_t)bytes, cli_out_of_memory, NULL);
    if (!a) {
        cli_out_of_memory(NULL);
    }
    return a;
}

/* What argp prints for --help is still to be written when it exits; a full disk must not look
 * fine. */
static void flush_output(void)
{
    if (cli_print((struct bytes){NULL, 0}) != EXIT_FINE) {
        _exit(EXIT_INPUT);
    }
}

static int run_command(struct cli *c, int argc, char **argv)
{
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(c, argc - 1, argv + 1);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("gambrel " GAMBREL_VERSION "\n");
        return cli_print((struct bytes){NULL, 0});
    }
    const struct command *command = find_command(name);
    if (command) {
        argv[1] = arena_format(c->arena, "gambrel %s", name);
        return command->run(c, argc - 1, argv + 1);
    }
    fprintf(stderr, "gambrel: error: there is no command '%s'\n\n", name);
    usage(stderr);
    return EXIT_INPUT;
}

int main(int argc, char **argv)
{
    const char *no_color = getenv("NO_COLOR"); /* counts where it is not empty: no-color.org */
    argp_err_exit_status = EXIT_INPUT;
    atexit(flush_output);
    struct cli c = {
        .arena = memory(),
        .color = cli_is_screen(STDOUT_FILENO) && !(no_color && *no_color),
    };
    int status = EXIT_INPUT;
    if (argc < 2) {
        usage(stderr);
    } else {
        status = run_command(&c, argc, argv);
    }
    arena_release(c.arena);
    return status;
}
