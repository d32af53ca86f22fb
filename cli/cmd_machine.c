#include "cli/choice.h"
#include "cli/machine_diff.h"
#include "cli/machine_import.h"
#include "formats/yml.h"
#include "measure/host.h"
#include "model/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct options {
    char *folder; /* as argp hands it out */
    struct machine_import import;
    const char **words;
    int n_words;
    struct machine_diff_wishes diff;
};

static const struct argp_option option_table[] = {
    {"machines", 'M', "DIR", 0, "folder of machine files instead of the one that comes along", 0},
    MACHINE_DIFF_OPTIONS,
    MACHINE_IMPORT_OPTIONS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'M':
        o->folder = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->words = (const char **)(state->argv + state->next);
        o->n_words = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        break;
    }
    struct err e = {0};
    if (!machine_import_option(key, arg, &o->import) &&
        !machine_diff_option(key, arg, &o->diff, &e)) {
        return ARGP_ERR_UNKNOWN;
    }
    if (e.code) {
        argp_error(state, "%s", e.text);
    }
    return 0;
}

const struct argp argp_machine = {
    .options = option_table,
    .parser = parse,
    .args_doc =
        "detect | list | show MACHINE... | check [MACHINE...] | diff A B | new | import FILE",
    .doc =
        "Files that describe machines.\n"
        "  detect: the file that describes this CPU\n"
        "  list: every file in a line\n"
        "  show: one in full, as it was understood\n"
        "  check: every inconsistency with its line; exit status 1 if there is an error\n"
        "  diff: what two files say differently, and by how much their predictions differ; exit "
        "status 1 if anything does, as of diff(1)\n"
        "  new: a skeleton filled with what this host tells, to standard output\n"
        "  import: your copy of an OSACA machine file, the XML of uops.info, PMEvo's or PALMED's "
        "mapping, or llvm-mca -json -instruction-tables, as a machine file; what could not be "
        "brought over is listed with its place",
};

static int detect(struct cli *c, const struct options *o)
{
    struct err e = {0};
    char words[IDENTITY_SIZE];
    struct machine_here here;
    if (!machine_here_find(c, o->folder, &here, &e)) {
        return cli_fail(&e);
    }
    const struct machine *const *machines = here.from.all;
    const struct detection d = here.found;
    identity_words(&here.who, words);
    if (d.match < 0) {
        fprintf(stderr,
                "gambrel: no machine file describes %s (%s).%s%s\n"
                "gambrel machine new > NAME.yaml begins one; doc/adding-a-machine.md goes on.\n",
                here.host->cpu_name, words, d.nearest < 0 ? "" : " The nearest is ",
                d.nearest < 0 ? "" : machines[d.nearest]->name);
        return EXIT_MACHINE;
    }
    if (d.rival >= 0) {
        fprintf(stderr, "gambrel: warning: %s matches as closely: %s\n", machines[d.rival]->name,
                machines[d.rival]->file);
    }
    printf("%s  %s  (%s)\n", machines[d.match]->name, machines[d.match]->file, words);
    return cli_print((struct bytes){NULL, 0});
}

static int list(struct cli *c, const struct options *o)
{
    struct err e = {0};
    struct text out = {.arena = c->arena};
    int n;
    struct machine **machines = cli_machines(c, o->folder, &n, &e);
    if (!machines) {
        return cli_fail(&e);
    }
    text_add(&out, "%-18s %-8s %5s %5s %5s  %s\n", "machine", "isa", "ports", "width", "forms",
             "what");
    for (int i = 0; i < n; i++) {
        const struct machine *m = machines[i];
        char width[TEXT_NUMBER_SIZE];
        text_add(&out, "%-18s %-8s %5d %5s %5d  %s\n", m->name, m->isa, m->n_ports,
                 text_number(m->dispatch_width, width), m->n_forms,
                 m->description ? m->description : "");
    }
    return cli_print((struct bytes){out.data, out.len});
}

static int show(struct cli *c, const struct options *o)
{
    struct err e = {0};
    if (o->n_words < 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "show needs the name of a machine; gambrel machine list");
        return cli_fail(&e);
    }
    for (int i = 1; i < o->n_words; i++) {
        struct bytes out;
        const struct machine *m = cli_machine(c, o->folder, o->words[i], &e);
        if (!m || !machine_write(m, c->arena, &out, &e)) {
            return cli_fail(&e);
        }
        const int status = cli_print(out);
        if (status) {
            return status;
        }
    }
    return EXIT_FINE;
}

static void check_one(struct cli *c, const struct machine *m, struct text *out, int *n_errors)
{
    static const char *const levels[] = {[FINDING_ERROR] = "error", [FINDING_REMARK] = "remark"};
    const struct findings f = machine_check(m, c->arena);
    text_add(out, "%s: %d error%s, %zu remark%s\n", m->name, f.n_errors, f.n_errors == 1 ? "" : "s",
             f.n - (size_t)f.n_errors, f.n - (size_t)f.n_errors == 1 ? "" : "s");
    for (size_t i = 0; i < f.n; i++) {
        const struct loc at = f.list[i].loc;
        text_add(out, "  %s:", at.file ? at.file : m->file);
        if (at.line) {
            text_add(out, "%u:%u:", at.line, at.column);
        }
        text_add(out, " %s: %s\n", levels[f.list[i].level], f.list[i].text);
    }
    *n_errors += f.n_errors;
}

static int check(struct cli *c, const struct options *o)
{
    struct err e = {0};
    struct text out = {.arena = c->arena};
    int n = o->n_words - 1, n_errors = 0;
    struct machine **machines = n ? NULL : cli_machines(c, o->folder, &n, &e);
    for (int i = 0; i < n && !e.code; i++) {
        const struct machine *m =
            machines ? machines[i] : cli_machine(c, o->folder, o->words[1 + i], &e);
        if (m) {
            check_one(c, m, &out, &n_errors);
        }
    }
    if (e.code) {
        return cli_fail(&e);
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : n_errors ? EXIT_FINDING : EXIT_FINE;
}

static void new_match(const struct run_host *h, struct text *out)
{
    if (!isnan(h->family) && !isnan(h->model)) {
        text_add(out, "match: {vendor: %s, family: %.0f, models: [%.0f, %.0f]}\n",
                 yml_quoted(out->arena, h->vendor), h->family, h->model, h->model);
    } else if (!isnan(h->implementer)) {
        text_add(out, "match: {implementer: 0x%lx, part: 0x%lx}\n", (unsigned long)h->implementer,
                 (unsigned long)h->part);
    } else {
        text_add(out, "# match: this system does not tell vendor, family and model\n");
    }
}

static void new_caches(const struct run_host *h, struct text *out)
{
    text_add(out, h->n_caches ? "caches:\n" : "# caches: this system tells none\n");
    for (int i = 0; i < h->n_caches; i++) {
        const struct run_cache *cache = &h->caches[i];
        char number[TEXT_NUMBER_SIZE];
        text_add(out, "  - {name: %s, size_bytes: %s", cache->name,
                 text_number(cache->size_bytes, number));
        if (!isnan(cache->line_bytes)) {
            text_add(out, ", line_bytes: %s", text_number(cache->line_bytes, number));
        }
        text_add(out, ", source: this system}\n");
    }
}

/* What the host tells is filled in; what only a manual or a measurement tells is a comment that
 * says what belongs there.  The result loads as it is. */
static int begin_new(struct cli *c)
{
    struct err e = {0};
    struct text out = {.arena = c->arena};
    struct host *h = arena_new(c->arena, struct host, 1);
    if (!host_describe(c->arena, h, &e)) {
        return cli_fail(&e);
    }
    const bool x86 = strcmp(h->facts.isa, "x86-64") == 0;
    text_add(&out,
             "format: gambrel-machine-1\nname: new-machine            # change me\nisa: %s\n"
             "description: %s\n",
             h->facts.isa, yml_quoted(c->arena, h->facts.cpu_name));
    new_match(&h->facts, &out);
    text_add(
        &out,
        "# clock_hz: {one_core: 4.2e9, all_cores: 3.9e9, source: gambrel measure on this host}\n");
    new_caches(&h->facts, &out);
    text_add(
        &out,
        "core:\n"
        "  # Uops that enter the back end in a cycle, and the ports that execute them.\n"
        "  # dispatch_width: 6\n"
        "  # rob_entries: 512\n"
        "  ports: [P0]                 # every port; divider units are ports too\n"
        "  # load_ports: [P2, P3]      # where a load over two lines takes a second slot\n"
        "  # line_crossing_load_slots: 2\n"
        "  source: say where these come from\n"
        "# Same-register forms that execute nowhere, and moves that do not.\n"
        "# zero_idioms: [%s]\n# eliminated_moves: [%s]\n"
        "instructions:\n"
        "  # uops: COUNT*PORT|PORT, one text for each kind of uop; latency from source to result.\n"
        "  - {form: \"%s\", uops: [1*P0], latency_cycles: 1, source: say where it comes from}\n",
        x86 ? "\"vxorps V, V, V\"" : "\"eor v.16b, v.16b, v.16b\"",
        x86 ? "\"mov r64, r64\"" : "\"mov v.16b, v.16b\"", x86 ? "add r64, r64" : "add x, x, x");
    return cli_print((struct bytes){out.data, out.len});
}

static int import(struct cli *c, const struct options *o)
{
    struct err e = {0};
    if (o->n_words != 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "import takes one file, or - for standard input");
        return cli_fail(&e);
    }
    return machine_import(c, o->words[1], &o->import);
}

int cmd_machine(struct cli *c, int argc, char **argv)
{
    struct options o = {.diff = MACHINE_DIFF_DEFAULT};
    struct err e = {0};
    argp_parse(&argp_machine, argc, argv, 0, NULL, &o);
    const char *verb = o.words[0];
    if (strcmp(verb, "diff") == 0) {
        return machine_diff_run(c, o.folder, o.words + 1, o.n_words - 1, &o.diff);
    }
    if (o.diff.given) {
        err_set(&e, ERR_RANGE, LOC_NONE,
                "--csv, --json, --tolerance, --seed and --blocks are of "
                "machine diff");
        return cli_fail(&e);
    }
    const bool alone =
        strcmp(verb, "detect") == 0 || strcmp(verb, "list") == 0 || strcmp(verb, "new") == 0;
    if (alone && o.n_words > 1) {
        err_set(&e, ERR_RANGE, LOC_NONE, "%s takes no argument, not '%.60s'", verb, o.words[1]);
        return cli_fail(&e);
    }
    if (strcmp(verb, "detect") == 0) {
        return detect(c, &o);
    }
    if (strcmp(verb, "list") == 0) {
        return list(c, &o);
    }
    if (strcmp(verb, "show") == 0) {
        return show(c, &o);
    }
    if (strcmp(verb, "check") == 0) {
        return check(c, &o);
    }
    if (strcmp(verb, "new") == 0) {
        return begin_new(c);
    }
    if (strcmp(verb, "import") == 0) {
        return import(c, &o);
    }
    err_set(&e, ERR_RANGE, LOC_NONE,
            "machine knows detect, list, show, check, diff, new and import, not '%s'", verb);
    return cli_fail(&e);
}
