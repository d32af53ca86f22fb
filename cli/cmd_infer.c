#include "cli/cli.h"
#include "cli/infer_host.h"
#include "cli/infer_ports.h"
#include "cli/infer_run.h"
#include "model/fit_machine.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FROM_MAX = 256 };

struct options {
    const char *blocks, *data, *check, *output, *name, *isa, *ports, *run;
    const char *from[FROM_MAX];
    int n_from;
    long seed, resources, seconds, forms;
    bool list;
};

enum { SECONDS_MIN = 10, SECONDS_MAX = 86400, FORMS_MIN = 2, FORMS_MAX = 5000 };
enum { SECONDS_FOR_ROOFS = 60 };

#define CHECK_SHARE 0.15 /* of the time, kept for fresh blocks after the fit */

enum {
    KEY_BLOCKS = 256,
    KEY_DATA,
    KEY_CHECK,
    KEY_SECONDS,
    KEY_FORMS,
    KEY_SEED,
    KEY_RESOURCES,
    KEY_PORTS,
    KEY_RUN,
    KEY_FROM,
    KEY_LIST,
    KEY_NAME
};

static const struct argp_option option_table[] = {
    {"blocks", KEY_BLOCKS, "FILE", 0,
     "measured blocks: CSV with the columns cycles and block, - for standard input (default: "
     "blocks "
     "are measured on this machine)",
     0},
    {"data", KEY_DATA, "FILE", 0,
     "keep what is measured in FILE, and do not measure again what is in it", 0},
    {"seconds", KEY_SECONDS, "S", 0, "for measuring and fitting, about (300)", 0},
    {"forms", KEY_FORMS, "N", 0, "measure at most so many instruction forms (160)", 0},
    {"from", KEY_FROM, "FILE...", 0,
     "take the forms that are most frequent in these programs and object files, or those of a list "
     "with one a line, before the built-in ones",
     0},
    {"list", KEY_LIST, NULL, 0,
     "print the forms in the order in which they are taken, and why some cannot be measured, as "
     "CSV; measure nothing",
     0},
    {"check", KEY_CHECK, "FILE", 0,
     "write the fresh blocks measured after the fit, and what it predicts for them, to FILE", 0},
    {"output", 'o', "FILE", 0, "write the machine file to FILE (default: standard output)", 0},
    {"seed", KEY_SEED, "N", 0, "of the random starts and of which blocks are held back (1)", 0},
    {"resources", KEY_RESOURCES, "N", 0, "at most so many resources instead of a choice", 0},
    {"ports", KEY_PORTS, "MACHINE", 0,
     "name the resources by the ports of this machine (default: of the file that describes this "
     "CPU, unless blocks are given)",
     0},
    {"run", KEY_RUN, "FILE", 0,
     "take roofs, chain curve, caches and clock from a run of this CPU instead of measuring them "
     "(measured within ten seconds where blocks are measured and there is a minute or more)",
     0},
    {"name", KEY_NAME, "NAME", 0, "of the machine in the file (inferred)", 0},
    {"isa", 'i', "ISA", 0, "x86-64 or aarch64, where the mnemonics do not tell", 0},
    {0},
};

static bool is_isa(const char *text)
{
    return strcmp(text, "x86-64") == 0 || strcmp(text, "aarch64") == 0;
}

/* Options that take a text as it is. */
static const char **text_option(struct options *o, int key)
{
    switch (key) {
    case KEY_BLOCKS:
        return &o->blocks;
    case KEY_DATA:
        return &o->data;
    case KEY_CHECK:
        return &o->check;
    case KEY_RUN:
        return &o->run;
    case KEY_PORTS:
        return &o->ports;
    case KEY_NAME:
        return &o->name;
    case 'o':
        return &o->output;
    default:
        return NULL;
    }
}

static const struct number_option {
    int key;
    const char *name;
    long min, max;
    size_t offset; /* in struct options */
} number_options[] = {
    {KEY_SECONDS, "--seconds", SECONDS_MIN, SECONDS_MAX, offsetof(struct options, seconds)},
    {KEY_FORMS, "--forms", FORMS_MIN, FORMS_MAX, offsetof(struct options, forms)},
    {KEY_SEED, "--seed", 0, 1L << 53, offsetof(struct options, seed)},
    {KEY_RESOURCES, "--resources", 1, FIT_RESOURCES_MAX, offsetof(struct options, resources)},
};

static const struct number_option *number_option(int key)
{
    for (size_t i = 0; i < sizeof number_options / sizeof *number_options; i++) {
        if (number_options[i].key == key) {
            return &number_options[i];
        }
    }
    return NULL;
}

static void parse_number(struct argp_state *state, const struct number_option *n, const char *text)
{
    struct err e = {0};
    long *value = (long *)(void *)((char *)state->input + n->offset);
    if (!cli_integer(n->name, text, n->min, n->max, value, &e)) {
        argp_error(state, "%s", e.text);
    }
}

static error_t parse_from(struct argp_state *state, struct options *o, const char *arg)
{
    if (o->n_from == FROM_MAX) {
        argp_error(state, "--from: more than %d files", FROM_MAX);
        return EINVAL;
    }
    o->from[o->n_from++] = arg;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    const char **text = text_option(o, key);
    const struct number_option *number = number_option(key);
    if (text) {
        *text = arg;
        return 0;
    }
    if (number) {
        parse_number(state, number, arg);
        return 0;
    }
    switch (key) {
    case KEY_FROM:
        return parse_from(state, o, arg);
    case ARGP_KEY_ARG: /* --from A B C */
        return o->n_from ? parse_from(state, o, arg) : ARGP_ERR_UNKNOWN;
    case KEY_LIST:
        o->list = true;
        return 0;
    case 'i':
        if (!is_isa(arg)) {
            argp_error(state, "--isa is x86-64 or aarch64, not '%s'", arg);
        }
        o->isa = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->blocks && (o->data || o->check || o->n_from || o->list)) {
            argp_error(state,
                       "--data, --check, --from and --list are of what is measured here, not "
                       "of --blocks");
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
    const struct infer_host *h = context;
    fprintf(stderr, "\r\033[K%s: fit %d of %d", what, done + 1, total);
    if (h) {
        fprintf(stderr, ", at most %.0f s left", fmax(0, infer_host_seconds_left(h)));
    }
    fflush(stderr);
}

/* Fresh blocks are still to be measured. */
static bool is_short_of_time(void *context)
{
    const struct infer_host *h = context;
    return infer_host_seconds_left(h) < CHECK_SHARE * infer_host_seconds(h);
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

/* Blocks of a file, or of this machine where h is not NULL. */
static bool gather(const struct options *o, struct infer_host *h, struct fit_data *d,
                   struct fit_origin *origin, struct err *e)
{
    if (h) {
        origin->isa = INFER_HOST_ISA;
        origin->blocks = infer_host_source(h);
        return infer_host_gather(h, d, e);
    }
    origin->blocks = base_name(o->blocks);
    return fit_data_read(d, o->blocks, e) && (origin->isa = find_isa(o, d, e));
}

/* What was measured besides the blocks. */
static bool describe(struct cli *c, struct infer_host *h, struct machine *m, struct err *e)
{
    const char *values;
    infer_host_describe(h, m);
    infer_note(c, m, "date", cli_utc(c));
    infer_note(c, m, "measured", infer_host_account(h));
    infer_note(
        c, m, "latencies",
        "chains from each operand to each result, less what leads back, to 0.02 cycles; of "
        "the ways from one register file to another and back only the sum is seen: half is "
        "given to each, and least_cycles and most_cycles say what else it may be; a chain of "
        "constants added while renaming takes less than a cycle a link");
    infer_note(c, m, "quiet", infer_host_quiet(h));
    if (*infer_host_left_out(h)) {
        infer_note(c, m, "forms_left_out", infer_host_left_out(h));
    }
    if (is_short_of_time(h)) {
        infer_note(c, m, "values", "not tried: there was no time left");
        return true;
    }
    if (!infer_host_values(h, &values, e)) {
        return false;
    }
    if (values) {
        infer_note(c, m, "values", values);
    }
    return true;
}

/* What the fit is worth on blocks that it never saw, for the file and for who waits for it. */
static bool check_fresh(struct cli *c, struct infer_host *h, const char *path,
                        const struct resource_map *map, struct machine *m, struct err *e)
{
    struct text blocks = {.arena = c->arena};
    struct accuracy a;
    if (!infer_host_check(h, map, path ? &blocks : NULL, &a, e)) {
        return false;
    }
    const char *words =
        a.n == 0 ? "unknown: no fresh block could be measured, the cores were never quiet or the "
                   "time was over"
                 : arena_format(c->arena,
                                "%.2f %% mean, %.2f %% RMS of instructions a cycle, tau %.3f, on "
                                "%d blocks of 3 to 12 instructions measured after the fit",
                                100 * a.mape, 100 * a.rms, a.kendall_tau, a.n);
    infer_note(c, m, "error_on_fresh_blocks", words);
    fprintf(stderr, "gambrel: error on fresh blocks %s\n", words);
    return !path || file_write_whole(path, (struct bytes){blocks.data, blocks.len}, e);
}

static int list_forms(struct cli *c, const struct infer_forms *forms)
{
    struct text csv = {.arena = c->arena};
    infer_forms_csv(forms, &csv);
    return cli_print((struct bytes){csv.data, csv.len});
}

/* Files that are written at the end are tried before anything else takes time. */
static bool can_write(const struct options *o, struct err *e)
{
    return (strcmp(o->output, "-") == 0 || file_can_write(o->output, e)) &&
           (!o->check || file_can_write(o->check, e));
}

/* What does not come from blocks: the ports that give names, and a run. */
struct beside {
    const struct machine *ports;
    struct infer_run run;
};

static bool look_beside(struct cli *c, const struct options *o, const struct infer_host *h,
                        struct beside *b, struct err *e)
{
    const struct identity *who = h ? infer_host_identity(h) : NULL;
    b->run.why_not = h ? "not measured: less than a minute for all of it" : "not measured";
    if (!infer_ports_find(c, o->ports, h != NULL, h ? INFER_HOST_ISA : o->isa, &b->ports, e)) {
        return false;
    }
    if (o->run) {
        return infer_run_read(c, o->run, who, &b->run, e);
    }
    if (h && o->seconds >= SECONDS_FOR_ROOFS) {
        infer_run_measure(c, isatty(STDERR_FILENO), &b->run);
    }
    return true;
}

static struct machine *make_machine(struct cli *c, const struct options *o, struct infer_host *h,
                                    const struct beside *b, struct err *e)
{
    const bool terminal = isatty(STDERR_FILENO);
    const struct fit_options options = {
        .seed = (uint64_t)o->seed,
        .n_resources = (int)o->resources,
        .progress = terminal ? show_progress : NULL,
        .hurry = h ? is_short_of_time : NULL,
        .context = h,
    };
    struct fit_origin origin = {.name = o->name, .seed = options.seed};
    struct fit_data *d = fit_data_new(c->arena);
    struct fit_result result;
    if (!gather(o, h, d, &origin, e) || !fit_infer(d, &options, c->arena, &result, e)) {
        return NULL;
    }
    struct machine *m = fit_machine(d, &result, &origin, c->arena);
    if (terminal) {
        fprintf(stderr, "\r\033[K");
    }
    summarise(d, &result);
    if (h && (!describe(c, h, m, e) || !check_fresh(c, h, o->check, &result.map, m, e))) {
        return NULL;
    }
    if (h || b->run.run) {
        infer_run_describe(c, &b->run, m);
    }
    return b->ports && !infer_ports_name(c, b->ports, m, e) ? NULL : m;
}

int cmd_infer(struct cli *c, int argc, char **argv)
{
    struct options o = {.output = "-", .seed = 1, .name = "inferred", .seconds = 300, .forms = 160};
    struct err e = {0};
    struct bytes file;
    struct beside beside = {0};
    struct infer_forms forms = {0};
    argp_parse(&argp_infer, argc, argv, 0, NULL, &o);
    if (!o.blocks && !infer_forms_find(o.from, o.n_from, &forms, c->arena, &e)) {
        return cli_fail(&e);
    }
    if (o.list) {
        return list_forms(c, &forms);
    }
    const struct infer_host_options host = {.data = o.data,
                                            .seconds = (double)o.seconds,
                                            .seed = (uint64_t)o.seed,
                                            .forms = (int)o.forms,
                                            .from = &forms,
                                            .progress = isatty(STDERR_FILENO)};
    if (!can_write(&o, &e)) {
        return cli_fail(&e);
    }
    struct infer_host *h = o.blocks ? NULL : infer_host_open(&host, c->arena, &e);
    if ((!o.blocks && !h) || !look_beside(c, &o, h, &beside, &e)) {
        return cli_fail(&e);
    }
    const struct machine *m = make_machine(c, &o, h, &beside, &e);
    return m && machine_write(m, c->arena, &file, &e) ? cli_write(o.output, file) : cli_fail(&e);
}
