#include "cli/choice.h"
#include "cli/cli.h"
#include "compare/documented.h"
#include "compare/explain.h"

#include <string.h>

struct options {
    const char *kernel, *run, *level;
    struct choice choice;
    bool json, sensitivity;
    struct change changes[CHANGES_MAX];
    int n_changes;
    struct arena *arena;
};

enum { KEY_SET = 256, KEY_DROP, KEY_CHAINS, KEY_VECTOR, KEY_SENSITIVITY, KEY_JSON };

static const struct argp_option option_table[] = {
    {"machine", 'm', "MACHINE", 0,
     "machine file or the name of one that comes along (default: the one that describes the run's "
     "processor, without a run this CPU)",
     0},
    CHOICE_MACHINES_OPTION,
    CHOICE_KERNELS_OPTION,
    {"isa", 'i', "ISA", 0, "this instruction set (default: the widest there is)", 0},
    {"level", 'l', "LEVEL", 0, "only this level: L1, L2, L3 or DRAM", 0},
    {"threads", 't', "N", 0, "only on so many threads (without a run: 1)", 0},
    {"set", KEY_SET, "KEY=NUMBER", 0,
     "what if: core.dispatch_width=6, clock_hz.one_core=4e9, \"FORM.latency_cycles=4\", "
     "\"FORM.slots=1\"; may be given several times",
     0},
    {"drop", KEY_DROP, "FORM", 0, "what if: instructions of this form or pattern cost nothing", 0},
    {"chains", KEY_CHAINS, "N", 0, "what if: so many independent chains", 0},
    {"vector", KEY_VECTOR, "BITS", 0, "what if: the body for vectors of 128, 256 or 512 bits", 0},
    {"sensitivity", KEY_SENSITIVITY, NULL, 0, "relieve each row in turn and rank what would help",
     0},
    {"json", KEY_JSON, NULL, 0, "the same for a program", 0},
    {0},
};

static const char *vector_isa(long bits)
{
    return bits == 128 ? "sse2" : bits == 256 ? "avx2" : bits == 512 ? "avx512" : NULL;
}

static void add_change(struct options *o, struct change c, struct argp_state *state)
{
    if (o->n_changes == CHANGES_MAX) {
        argp_error(state, "at most %d changes at a time", CHANGES_MAX);
        return;
    }
    if (c.kind == CHANGE_ISA) { /* what else changes is of that body */
        memmove(o->changes + 1, o->changes, (size_t)o->n_changes++ * sizeof *o->changes);
        o->changes[0] = c;
    } else {
        o->changes[o->n_changes++] = c;
    }
}

static void parse_change(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct change c = {0};
    struct err e = {0};
    long n = 0;
    switch (key) {
    case KEY_SET:
        whatif_parse(arg, o->arena, &c, &e);
        break;
    case KEY_DROP:
        c = (struct change){CHANGE_DROP, arg, 0};
        break;
    case KEY_CHAINS:
        cli_integer("--chains", arg, 1, 1024, &n, &e);
        c = (struct change){CHANGE_CHAINS, "", (double)n};
        break;
    default:
        if (cli_integer("--vector", arg, 128, 512, &n, &e) && !vector_isa(n)) {
            err_set(&e, ERR_RANGE, LOC_NONE, "--vector takes 128, 256 or 512, not %ld", n);
        }
        c = (struct change){CHANGE_ISA, vector_isa(n), 0};
        break;
    }
    if (e.code) {
        argp_error(state, "%s", e.text);
    }
    add_change(o, c, state);
}

static error_t parse_argument(const char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (state->arg_num == 0) {
        o->kernel = arg;
    } else if (state->arg_num == 1) {
        o->run = arg;
    } else {
        argp_error(state, "one kernel and one run at a time");
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err e = {0};
    if (choice_option(key, arg, &o->choice, &e)) {
        if (e.code) {
            argp_error(state, "%s", e.text);
        }
        return 0;
    }
    switch (key) {
    case 'l':
        o->level = arg;
        return 0;
    case KEY_SENSITIVITY:
        o->sensitivity = true;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_SET:
    case KEY_DROP:
    case KEY_CHAINS:
    case KEY_VECTOR:
        parse_change(key, arg, state);
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(arg, state);
    case ARGP_KEY_END:
        if (!o->kernel) {
            argp_error(state, "which kernel? gambrel kernel list shows them");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_explain = {
    .options = option_table,
    .parser = parse,
    .args_doc = "KERNEL [RUN.yaml]",
    .doc = "Explains the ladder of one kernel: its ceilings one by one, what binds and what that "
           "costs, what stays unexplained, and the one change that would lift the ceiling most. "
           "Exit status 1 if an undisturbed measurement lies above a bound by more than its noise.",
};

/* A measured run needs no machine: then there are roofs alone. */
static const struct comparison *join_measured(struct cli *c, const struct options *o,
                                              const struct kernels *k, struct err *e)
{
    struct machine_source from;
    const struct run *r = cli_run(c, o->run, e);
    const struct machine *m = r && machine_source_open(c, &o->choice, &from, e)
                                  ? machine_source_find(&from, &r->host, "the run", e)
                                  : NULL;
    return e->code ? NULL : comparison_join(r, k, m, c->arena);
}

static const struct comparison *join_documented(struct cli *c, const struct options *o,
                                                const struct kernels *k, struct err *e)
{
    const int threads = o->choice.threads ? (int)o->choice.threads : 1;
    const struct machine *m = choice_machine(c, &o->choice, NULL, e);
    const struct run *r = m ? documented_run(m, k, threads, c->arena, e) : NULL;
    return r ? comparison_join(r, k, m, c->arena) : NULL;
}

static const struct explanation *make(struct cli *c, const struct options *o, struct err *e)
{
    const struct kernels *k = cli_kernels(c, o->choice.kernels, e);
    const struct kernel *kernel = k ? kernels_find(k, o->kernel) : NULL;
    if (!kernel) {
        err_set(e, ERR_RANGE, (struct loc){.file = k ? k->file : NULL},
                "no kernel is called '%.60s'; gambrel kernel list shows them", o->kernel);
        return NULL;
    }
    const struct comparison *cmp = o->run ? join_measured(c, o, k, e) : join_documented(c, o, k, e);
    const struct explain_wish wish = {.kernel = kernel,
                                      .isa = o->choice.isa,
                                      .level = o->level,
                                      .threads = (int)o->choice.threads,
                                      .changes = o->changes,
                                      .n_changes = o->n_changes,
                                      .sensitivity = o->sensitivity};
    return cmp ? explain(cmp, &wish, e) : NULL;
}

int cmd_explain(struct cli *c, int argc, char **argv)
{
    struct options o = {.arena = c->arena};
    struct err e = {0};
    struct text out = {.arena = c->arena};
    argp_parse(&argp_explain, argc, argv, 0, NULL, &o);
    const struct explanation *x = make(c, &o, &e);
    if (!x) {
        return cli_fail(&e);
    }
    if (o.json) {
        explain_json(x, &out);
    } else {
        struct document d = {.arena = c->arena};
        explain_words(x, &d);
        document_terminal(&d, c->color, &out);
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : x->n_violated ? EXIT_FINDING : EXIT_FINE;
}
