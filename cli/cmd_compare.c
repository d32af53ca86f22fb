#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/compare_blocks.h"
#include "compare/join.h"
#include "compare/plot.h"
#include "compare/report.h"

#include <stdio.h>
#include <string.h>

struct options {
    const char *format, *folder;
    struct choice choice;
    const char **runs;
    int n_runs;
    struct compare_blocks blocks;
};

enum {
    KEY_JSON = 256,
    KEY_CSV,
    KEY_MARKDOWN,
    KEY_FOLDER,
    KEY_BLOCKS,
    KEY_PREDICTIONS,
    KEY_WITH,
    KEY_HEAT_MAP
};

static const struct argp_option option_table[] = {
    {"format", 'f', "NAME", 0, "terminal (default), markdown, csv, json, svg or gnuplot", 0},
    {"json", KEY_JSON, NULL, 0, "the same as --format=json", 0},
    {"csv", KEY_CSV, NULL, 0, "the same as --format=csv", 0},
    {"markdown", KEY_MARKDOWN, NULL, 0, "the same as --format=markdown", 0},
    {"machine", 'm', "MACHINE", 0,
     "machine file or the name of one that comes along (default: the one that describes the run's "
     "processor; for blocks, and no other tool, this CPU)",
     0},
    CHOICE_MACHINES_OPTION,
    CHOICE_KERNELS_OPTION,
    {"folder", KEY_FOLDER, "DIR", 0,
     "write summary.md, .csv, .json and a plot per thread count to "
     "DIR, and the terminal report to standard output",
     0},
    {"isa", 'i', "ISA", 0, "svg and gnuplot: the instruction set to draw", 0},
    {"threads", 't', "N", 0, "svg and gnuplot: the thread count to draw (1)", 0},
    {NULL, 0, NULL, 0, "Blocks:", 1},
    {"blocks", KEY_BLOCKS, "FILE", 0,
     "measured blocks (CSV: cycles; block or code; name, weight) beside every --machine", 1},
    {"predictions", KEY_PREDICTIONS, "TOOL=FILE", 0,
     "what another tool predicts: CSV with cycles, by name or in the same order", 1},
    {"with", KEY_WITH, "TOOL", 0,
     "run it on the blocks' code: llvm-mca or llvm-mca=CPU (native), osaca or osaca=ARCH (its own "
     "choice)",
     1},
    {"heat-map", KEY_HEAT_MAP, "FILE", 0, "draw the first tool's errors as SVG", 1},
    {0},
};

/* "TOOL" or "TOOL=TARGET", which is what the tool is asked about. */
static bool take_tool(const char *arg, const char *tool, const char *target, const char **out)
{
    const size_t len = strlen(tool);
    if (strncmp(arg, tool, len) != 0 || (arg[len] && arg[len] != '=')) {
        return false;
    }
    *out = arg[len] ? arg + len + 1 : target;
    return true;
}

static void refuse_mixture(const struct options *o, struct argp_state *state)
{
    const struct compare_blocks *b = &o->blocks;
    if (!o->n_runs && !b->blocks) {
        argp_error(state, "which results? gambrel compare RUN.yaml...");
    }
    if (o->n_runs && b->blocks) {
        argp_error(state, "runs or --blocks: one of them at a time");
    }
    if (!b->blocks && (b->n_predictions || b->mca || b->osaca || b->heat_map)) {
        argp_error(state, "--predictions, --with and --heat-map need --blocks");
    }
}

/* Blocks are put under every machine that is named, runs under the last. */
static void add_machine(struct options *o, const char *name, struct argp_state *state)
{
    if (o->blocks.n_machines == BLOCK_TOOLS_MAX) {
        argp_error(state, "at most %d machines", BLOCK_TOOLS_MAX);
    }
    o->blocks.machines[o->blocks.n_machines++] = name;
}

/* False: not an option of blocks. */
static bool parse_blocks(int key, const char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_BLOCKS:
        o->blocks.blocks = arg;
        return true;
    case KEY_PREDICTIONS:
        if (o->blocks.n_predictions == BLOCK_TOOLS_MAX) {
            argp_error(state, "at most %d tools", BLOCK_TOOLS_MAX);
        }
        o->blocks.predictions[o->blocks.n_predictions++] = arg;
        return true;
    case KEY_WITH:
        if (!take_tool(arg, "llvm-mca", "native", &o->blocks.mca) &&
            !take_tool(arg, "osaca", "", &o->blocks.osaca)) {
            argp_error(state, "--with knows llvm-mca, llvm-mca=CPU, osaca and osaca=ARCH, not '%s'",
                       arg);
        }
        return true;
    case KEY_HEAT_MAP:
        o->blocks.heat_map = arg;
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err e = {0};
    if (key == 'm') {
        add_machine(o, arg, state);
    }
    if (choice_option(key, arg, &o->choice, &e)) {
        if (e.code) {
            argp_error(state, "%s", e.text);
        }
        return 0;
    }
    if (parse_blocks(key, arg, state)) {
        return 0;
    }
    switch (key) {
    case KEY_JSON:
    case KEY_CSV:
    case KEY_MARKDOWN:
        o->format = key == KEY_JSON ? "json" : key == KEY_CSV ? "csv" : "markdown";
        return 0;
    case 'f':
        o->format = arg;
        return 0;
    case KEY_FOLDER:
        o->folder = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->runs = (const char **)(state->argv + state->next);
        o->n_runs = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        refuse_mixture(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_compare = {
    .options = option_table,
    .parser = parse,
    .args_doc = "RUN.yaml...",
    .doc =
        "Reports measured results beside the models' predictions. Exit status 1 if an undisturbed "
        "measurement lies above a bound by more than its noise: then a description is wrong.",
};

static bool write_format(struct cli *c, const struct comparison *cmp, const struct report_format *f,
                         const struct report_options *o, const char *path, struct err *e)
{
    struct text out = {.arena = c->arena};
    if (!f->write(cmp, o, &out, e)) {
        return false;
    }
    return file_write_whole(path, (struct bytes){out.data, out.len}, e);
}

/* Every format that a file can hold; plots once for each instruction set and thread count. */
static bool write_folder(struct cli *c, const struct comparison *cmp, const char *folder,
                         struct err *e)
{
    struct plot_key keys[PLOT_KEYS_MAX];
    const int n_keys = plot_keys(cmp, keys);
    if (!file_make_folder(folder, e)) {
        return false;
    }
    for (int i = 0; i < n_report_formats; i++) {
        const struct report_format *f = &report_formats[i];
        struct report_options o = {0};
        if (strcmp(f->name, "terminal") == 0 || strcmp(f->name, "gnuplot") == 0) {
            continue;
        }
        for (int k = 0; k < (f->plot ? n_keys : 1); k++) {
            const char *path = arena_format(c->arena, "%s/summary.%s", folder, f->extension);
            if (f->plot) {
                o.plot = keys[k];
                path = arena_format(c->arena, "%s/roofline-%s-%d.%s", folder, keys[k].isa,
                                    keys[k].threads, f->extension);
            }
            if (!write_format(c, cmp, f, &o, path, e)) {
                return false;
            }
        }
    }
    return true;
}

/* Each run has a folder of its own below the one that is asked for. */
static bool write_batch_folder(struct cli *c, const struct batch *b, const char *folder,
                               struct err *e)
{
    for (int i = 0; i < b->n; i++) {
        if (!write_folder(c, b->runs[i], arena_format(c->arena, "%s/run-%d", folder, i + 1), e)) {
            return false;
        }
    }
    for (int i = 0; i < n_report_formats; i++) {
        const struct report_format *f = &report_formats[i];
        const struct report_options o = {0};
        struct text out = {.arena = c->arena};
        if (!f->write_batch || strcmp(f->name, "terminal") == 0) {
            continue;
        }
        const char *path = arena_format(c->arena, "%s/summary.%s", folder, f->extension);
        if (!f->write_batch(b, &o, &out, e) ||
            !file_write_whole(path, (struct bytes){out.data, out.len}, e)) {
            return false;
        }
    }
    return true;
}

/* The plot asked for, or the first there is. */
static bool choose_plot(const struct comparison *cmp, const struct options *o, struct plot_key *out,
                        struct err *e)
{
    struct plot_key keys[PLOT_KEYS_MAX];
    const int n = plot_keys(cmp, keys);
    for (int i = 0; i < n; i++) {
        if ((!o->choice.isa || strcmp(o->choice.isa, keys[i].isa) == 0) &&
            (!o->choice.threads || o->choice.threads == keys[i].threads)) {
            *out = keys[i];
            return true;
        }
    }
    return err_set(e, ERR_RANGE, (struct loc){.file = cmp->run->file},
                   "there is nothing to draw for this instruction set and thread count");
}

static bool report(struct cli *c, const struct comparison *cmp, const struct options *o,
                   const struct report_format *f, struct text *out, struct err *e)
{
    struct report_options ro = {.color = c->color};
    if (f->plot && !choose_plot(cmp, o, &ro.plot, e)) {
        return false;
    }
    return f->write(cmp, &ro, out, e);
}

static const struct report_format *find_format(const char *name, struct err *e)
{
    const struct report_format *f = report_format_find(name ? name : "terminal");
    if (!f) {
        err_set(e, ERR_RANGE, LOC_NONE,
                "there is no report format '%s'; terminal, markdown, csv, json, svg, gnuplot",
                name);
    }
    return f;
}

/* All runs as one report. */
static bool report_batch(struct cli *c, const struct batch *b, const struct report_format *f,
                         struct text *out, struct err *e)
{
    const struct report_options ro = {.color = c->color};
    return f->write_batch ? f->write_batch(b, &ro, out, e)
                          : err_set(e, ERR_RANGE, LOC_NONE, "%s shows one run at a time, not %d",
                                    f->name, b->n);
}

/* Reads and joins the runs; NULL and *e. */
static const struct comparison **compare_runs(struct cli *c, const struct options *o,
                                              const struct report_format *f, struct err *e)
{
    const struct comparison **runs =
        arena_new(c->arena, const struct comparison *, (size_t)o->n_runs);
    const struct kernels *k = f ? cli_kernels(c, o->choice.kernels, e) : NULL;
    struct machine_source machines;
    if (!k || !machine_source_open(c, &o->choice, &machines, e)) {
        return NULL;
    }
    for (int i = 0; i < o->n_runs; i++) {
        const struct run *r = cli_run(c, o->runs[i], e);
        const struct machine *m = r ? machine_source_find(&machines, &r->host, "the run", e) : NULL;
        if (e->code) {
            return NULL;
        }
        runs[i] = comparison_join(r, k, m, c->arena);
    }
    return runs;
}

int cmd_compare(struct cli *c, int argc, char **argv)
{
    struct options o = {0};
    struct err e = {0};
    struct text out = {.arena = c->arena};
    int n_violated = 0;
    argp_parse(&argp_compare, argc, argv, 0, NULL, &o);
    if (o.blocks.blocks) {
        o.blocks.folder = o.choice.machines;
        o.blocks.format = o.format;
        return compare_blocks(c, &o.blocks);
    }
    const struct report_format *f = find_format(o.format, &e);
    const struct comparison **runs = compare_runs(c, &o, f, &e);
    if (!runs) {
        return cli_fail(&e);
    }
    const bool one = o.n_runs == 1;
    const struct batch b = batch_of(runs, o.n_runs, c->arena);
    if (!(one ? report(c, runs[0], &o, f, &out, &e) : report_batch(c, &b, f, &out, &e))) {
        return cli_fail(&e);
    }
    for (int i = 0; i < o.n_runs; i++) {
        n_violated += runs[i]->n_violated;
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    /* After the report, which is worth reading even where no plot can be drawn. */
    if (o.folder &&
        !(one ? write_folder(c, runs[0], o.folder, &e) : write_batch_folder(c, &b, o.folder, &e))) {
        return cli_fail(&e);
    }
    return status ? status : n_violated ? EXIT_FINDING : EXIT_FINE;
}
