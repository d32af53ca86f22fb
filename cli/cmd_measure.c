#include "cli/cli.h"
#include "cli/measure_blocks.h"
#include "measure/campaign.h"
#include "measure/host.h"
#include "measure/loops.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *output, *isa, *blocks;
    long threads, reps, warmup_ms;
    bool quick, list;
    const char **names;
    int n_names;
};

enum { KEY_WARMUP = 256, KEY_LIST, KEY_QUICK, KEY_BLOCKS };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0,
     "write the results to FILE, - for standard output "
     "(default: results/<machine>-<date>/run.yaml)",
     0},
    {"quick", KEY_QUICK, NULL, 0,
     "L1 and DRAM only, fewer passes, no waiting for quiet cores: under 10 s", 0},
    {"isa", 'i', "ISA", 0, "instruction set instead of the widest this CPU has", 0},
    {"threads", 't', "N", 0, "one thread and N instead of one and all allowed cores", 0},
    {"reps", 'r', "N", 0, "timed passes of each case (21; with --quick 7)", 0},
    {"warmup-ms", KEY_WARMUP, "MS", 0, "discarded passes of each case (100; with --quick 10)", 0},
    {"blocks", KEY_BLOCKS, "FILE", 0,
     "instead measure every block of a CSV file (- for standard input) as a loop without "
     "dependences, and write their cycles as CSV to standard output or --output",
     0},
    {"list", KEY_LIST, NULL, 0, "list instruction sets, roofs and kernels, and stop", 0},
    {0},
};

static bool integer_or_fail(struct argp_state *state, const char *what, const char *text, long min,
                            long max, long *out)
{
    struct err e = {0};
    if (!cli_integer(what, text, min, max, out, &e)) {
        argp_error(state, "%s", e.text);
        return false;
    }
    return true;
}

/* The limits are wide enough for every machine; the host refuses what it cannot do. */
enum { THREADS_MAX = 1024, REPS_MAX = 10000, WARMUP_MS_MAX = 60000 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'o':
        o->output = arg;
        return 0;
    case 'i':
        o->isa = arg;
        return 0;
    case 't':
        return integer_or_fail(state, "--threads", arg, 1, THREADS_MAX, &o->threads) ? 0 : EINVAL;
    case 'r':
        return integer_or_fail(state, "--reps", arg, 1, REPS_MAX, &o->reps) ? 0 : EINVAL;
    case KEY_WARMUP:
        return integer_or_fail(state, "--warmup-ms", arg, 0, WARMUP_MS_MAX, &o->warmup_ms) ? 0
                                                                                           : EINVAL;
    case KEY_QUICK:
        o->quick = true;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_BLOCKS:
        o->blocks = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->names = (const char **)(state->argv + state->next);
        o->n_names = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (o->blocks && (o->n_names || o->isa || o->quick || o->list)) {
            argp_error(state, "--blocks goes with --output alone");
        }
        if (o->list && o->n_names) {
            argp_error(state, "--list takes no argument, not '%s'", o->names[0]);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_measure = {
    .options = option_table,
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc =
        "Measures the roofs and kernels of this machine, or only those named (the roofs a kernel "
        "needs are to be named too), and writes one results file, whole or not at all. Prints "
        "its path.",
};

static bool from_environment(struct options *o, struct err *e)
{
    const struct {
        const char *name;
        long min, max;
        long *value;
    } table[] = {{"THREADS", 1, THREADS_MAX, &o->threads},
                 {"REPS", 1, REPS_MAX, &o->reps},
                 {"WARMUP_MS", 0, WARMUP_MS_MAX, &o->warmup_ms}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *text = getenv(table[i].name);
        if (text &&
            !cli_integer(table[i].name, text, table[i].min, table[i].max, table[i].value, e)) {
            return false;
        }
    }
    return true;
}

/* Set by Ctrl-C; the campaign looks at it between passes.  The only state of the program outside of
 * its functions, because a signal handler is given nothing. */
static volatile int stop_flag;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop_flag = 1;
}

#define CLEAR_LINE "\r\033[K"

static void show_progress(void *context, int done, int total, const char *what)
{
    (void)context;
    fprintf(stderr, CLEAR_LINE "%d/%d %s", done, total, what);
}

static int list_loops(void)
{
    for (int i = 0; i < ISA_COUNT; i++) {
        printf("%-7s %s\n", isa_info[i].name,
               !isa_supported((enum isa)i)   ? "not on this machine"
               : (enum isa)i == isa_widest() ? "default"
                                             : "available");
    }
    printf("\n%-14s %-7s %-7s %s\n", "loop", "isa", "unit", "chains");
    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *l = &loops_table[i];
        printf("%-14s %-7s %-7s ", l->name, isa_info[l->isa].name,
               l->unit == UNIT_FLOPS ? "flop/s" : "byte/s");
        printf(l->chains ? "%d\n" : "\n", l->chains);
    }
    return cli_print((struct bytes){NULL, 0});
}

static bool choose_isa(const char *name, enum isa *out, struct err *e)
{
    *out = isa_widest();
    if (!name) {
        return true;
    }
    if (!isa_from_name(name, out)) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "there is no instruction set '%s' in this build; gambrel measure --list",
                       name);
    }
    return isa_supported(*out) ||
           err_set(e, ERR_HOST, LOC_NONE, "this CPU, or its system, does not support %s", name);
}

/* Refuses a name that no loop has, before anything is measured. */
static bool names_exist(const struct options *o, enum isa isa, struct err *e)
{
    for (int i = 0; i < o->n_names; i++) {
        if (!loop_named(o->names[i], isa)) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "no loop is called '%s' for %s; gambrel measure --list shows them",
                           o->names[i], isa_info[isa].name);
        }
    }
    return true;
}

/* results/<cpu>-<date>/run.yaml: letters and digits of both, the rest as one hyphen. */
static const char *default_output(struct cli *c, const struct run *r)
{
    char slug[96];
    size_t n = 0;
    const char *name = arena_format(c->arena, "%.60s %s", r->host.cpu_name, r->date);
    for (const char *p = name; *p && n + 1 < sizeof slug; p++) {
        if (isalnum((unsigned char)*p)) {
            slug[n++] = (char)tolower((unsigned char)*p);
        } else if (n && slug[n - 1] != '-') {
            slug[n++] = '-';
        }
    }
    while (n && slug[n - 1] == '-') {
        n--;
    }
    slug[n] = '\0';
    return arena_format(c->arena, "results/%s/run.yaml", slug);
}

static const char *command_line(struct cli *c, int argc, char **argv)
{
    struct text t = {.arena = c->arena};
    for (int i = 0; i < argc; i++) {
        text_add(&t, "%s%s", i ? " " : "", argv[i]);
    }
    return t.data;
}

static const char *folder_of(struct cli *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : arena_copy(c->arena, path, (size_t)(slash - path));
}

/* Makes the folder and tries to write there, so that a run is not lost after a minute of work. */
static bool make_room(struct cli *c, const char *path, struct err *e)
{
    return strcmp(path, "-") == 0 ||
           (file_make_folder(folder_of(c, path), e) && file_can_write(path, e));
}

/* A program that was started with a signal ignored, as by nohup, is to go on ignoring it. */
static void stop_on(int signal_number)
{
    if (signal(signal_number, on_interrupt) == SIG_IGN) {
        signal(signal_number, SIG_IGN);
    }
}

static struct campaign_settings settings_of(const struct options *o, enum isa isa)
{
    return (struct campaign_settings){
        .threads = (int)o->threads,
        .reps = o->reps > 0 ? (int)o->reps
                : o->quick  ? 7
                            : 21,
        .warmup_s = (o->warmup_ms >= 0 ? (double)o->warmup_ms
                     : o->quick        ? 10
                                       : 100) *
                    1e-3,
        .spin_s = 0.3,
        .quick = o->quick,
        .isa = isa,
        .names = o->names,
        .n_names = o->n_names,
        .progress = cli_is_screen(STDERR_FILENO) ? show_progress : NULL,
        .stop = &stop_flag,
    };
}

/* What is measured, on what, and where the results go. */
struct measurement {
    enum isa isa;
    struct host *host;
    struct run run;
    const char *path; /* "-": standard output */
};

/* All that can be refused is refused here, before anything is measured. */
static bool prepare(struct cli *c, const struct options *o, struct measurement *m, struct err *e)
{
    m->host = arena_new(c->arena, struct host, 1);
    if (!choose_isa(o->isa, &m->isa, e) || !names_exist(o, m->isa, e) ||
        !host_describe(c->arena, m->host, e)) {
        return false;
    }
    m->run.host = m->host->facts;
    m->path = o->output ? o->output : default_output(c, &m->run);
    return make_room(c, m->path, e);
}

static bool measure(struct cli *c, const struct options *o, struct measurement *m, struct err *e)
{
    const struct campaign_settings s = settings_of(o, m->isa);
    m->run.reps = s.reps;
    m->run.warmup_ms = s.warmup_s * 1e3;
    m->run.quick = s.quick;
    stop_on(SIGINT);
    stop_on(SIGTERM);
    const bool measured = campaign_run(&s, m->host, c->arena, &m->run, e);
    if (s.progress) {
        fprintf(stderr, CLEAR_LINE);
    }
    if (!measured && !o->output) {
        rmdir(folder_of(c, m->path)); /* made for this run; another's is not empty */
    }
    return measured;
}

static int deliver(struct cli *c, const struct measurement *m)
{
    struct err e = {0};
    struct bytes out;
    const int status =
        run_write(&m->run, c->arena, &out, &e) ? cli_write(m->path, out) : cli_fail(&e);
    if (status) {
        return status;
    }
    for (int i = 0; i < m->run.n_warnings; i++) {
        cli_warn(m->run.warnings[i]);
    }
    if (strcmp(m->path, "-") != 0) {
        printf("%s\n", m->path);
    }
    return cli_print((struct bytes){NULL, 0});
}

int cmd_measure(struct cli *c, int argc, char **argv)
{
    struct options o = {.warmup_ms = -1};
    struct err e = {0};
    struct measurement m = {.run = {.command = command_line(c, argc, argv),
                                    .date = cli_utc(c),
                                    .version = GAMBREL_VERSION}};
    if (!from_environment(&o, &e)) {
        return cli_fail(&e);
    }
    argp_parse(&argp_measure, argc, argv, 0, NULL, &o);
    if (o.list) {
        return list_loops();
    }
    if (o.blocks) {
        return !o.output || make_room(c, o.output, &e) ? measure_blocks(c, o.blocks, o.output)
                                                       : cli_fail(&e);
    }
    return prepare(c, &o, &m, &e) && measure(c, &o, &m, &e) ? deliver(c, &m) : cli_fail(&e);
}
