#include "cli/cli.h"
#include "model/fit_machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *blocks, *output, *name, *isa;
    long seed, resources;
};

enum { KEY_BLOCKS = 256, KEY_SEED, KEY_RESOURCES, KEY_NAME };

static const struct argp_option option_table[] = {
    {"blocks", KEY_BLOCKS, "FILE", 0,
     "measured blocks: CSV with the columns cycles and block, - for standard input (needed)", 0},
    {"output", 'o', "FILE", 0, "write the machine file to FILE (default: standard output)", 0},
    {"seed", KEY_SEED, "N", 0, "of the random starts and of which blocks are held back (1)", 0},
    {"resources", KEY_RESOURCES, "N", 0, "at most so many resources instead of a choice", 0},
    {"name", KEY_NAME, "NAME", 0, "of the machine in the file (inferred)", 0},
    {"isa", 'i', "ISA", 0, "x86-64 or aarch64, where the mnemonics do not tell", 0},
    {0},
};

static bool is_isa(const char *text)
{
    return strcmp(text, "x86-64") == 0 || strcmp(text, "aarch64") == 0;
}

static error_t parse_number(struct argp_state *state, const char *what, const char *text, long min,
                            long max, long *out)
{
    struct err e = {0};
    if (!cli_integer(what, text, min, max, out, &e)) {
        argp_error(state, "%s", e.text);
        return EINVAL;
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_BLOCKS:
        o->blocks = arg;
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case KEY_SEED:
        return parse_number(state, "--seed", arg, 0, 1L << 53, &o->seed);
    case KEY_RESOURCES:
        return parse_number(state, "--resources", arg, 1, FIT_RESOURCES_MAX, &o->resources);
    case KEY_NAME:
        o->name = arg;
        return 0;
    case 'i':
        if (!is_isa(arg)) {
            argp_error(state, "--isa is x86-64 or aarch64, not '%s'", arg);
        }
        o->isa = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->blocks) {
            argp_error(state, "which blocks? --blocks=FILE");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_infer = {
    .options = option_table,
    .parser = parse,
    .doc =
        "Infers a machine file from the times of blocks alone: a mapping from instructions to "
        "abstract resources. Some blocks are held back to choose by and some to report the error "
        "on; the file says how it was made and how sure each form is.",
};

static void show_progress(void *context, int done, int total, const char *what)
{
    (void)context;
    fprintf(stderr, "\r%s: fit %d of %d   ", what, done + 1, total);
    fflush(stderr);
}

/* What a person wants to know at once; the file says it all. */
static void summarise(const struct fit_data *d, const struct fit_result *r)
{
    fprintf(stderr, "gambrel: %d forms on %d resources", d->n_forms, r->map.n_resources);
    if (isnan(r->check_mape)) {
        fprintf(stderr, "; error unknown, too few blocks to hold any back\n");
    } else {
        fprintf(stderr, "; error on %d held-out blocks %.2f %% (95 %% interval %.2f to %.2f)\n",
                r->n_check, 100 * r->check_mape, 100 * r->check_low, 100 * r->check_high);
    }
    if (r->n_bad > 0) {
        fprintf(stderr, "gambrel: %d forms fit badly; the file marks them\n", r->n_bad);
    }
}

static const char *find_isa(const struct options *o, const struct fit_data *d, struct err *e)
{
    const char *isa = o->isa ? o->isa : fit_isa(d);
    if (!isa) {
        err_set(e, ERR_SCHEMA, (struct loc){.file = o->blocks},
                "the mnemonics do not tell the instruction set; say --isa=x86-64 or aarch64");
    }
    return isa;
}

/* The name without its folders: a machine file says nothing of the place it was made at. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int cmd_infer(struct cli *c, int argc, char **argv)
{
    struct options o = {.output = "-", .seed = 1, .name = "inferred"};
    struct err e = {0};
    struct fit_result result;
    struct bytes file;
    argp_parse(&argp_infer, argc, argv, 0, NULL, &o);
    struct fit_data *d = fit_data_new(c->arena);
    const bool terminal = isatty(STDERR_FILENO);
    const struct fit_options options = {
        .seed = (uint64_t)o.seed,
        .n_resources = (int)o.resources,
        .progress = terminal ? show_progress : NULL,
    };
    struct fit_origin origin = {.name = o.name, .seed = options.seed};
    origin.blocks = base_name(o.blocks);
    if (!fit_data_read(d, o.blocks, &e) || !(origin.isa = find_isa(&o, d, &e)) ||
        !fit_infer(d, &options, c->arena, &result, &e) ||
        !machine_write(fit_machine(d, &result, &origin, c->arena), c->arena, &file, &e)) {
        return cli_fail(&e);
    }
    if (terminal) {
        fprintf(stderr, "\r%40s\r", "");
    }
    summarise(d, &result);
    return cli_write(o.output, file);
}
