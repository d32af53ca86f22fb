#include "cli/machine_diff.h"

#include "compare/document.h"

#include <string.h>

#define SEED_MAX   (1L << 53)
#define BLOCKS_MAX 1000000

static bool take_percent(const char *arg, double *out, struct err *e)
{
    double percent;
    if (!text_parse_number(arg, strlen(arg), &percent) || percent < 0 || percent > 1000) {
        return err_set(e, ERR_RANGE, LOC_NONE, "--tolerance is a number of percent, not '%.40s'",
                       arg);
    }
    *out = percent / 100;
    return true;
}

static bool take(int key, const char *arg, struct machine_diff_wishes *o, struct err *e)
{
    long number = 0;
    switch (key) {
    case KEY_DIFF_CSV:
        return o->csv = true;
    case KEY_DIFF_JSON:
        return o->json = true;
    case KEY_DIFF_TOLERANCE:
        take_percent(arg, &o->o.tolerance, e);
        return true;
    case KEY_DIFF_SEED:
        cli_integer("--seed", arg, 0, SEED_MAX, &number, e);
        o->o.seed = (uint64_t)number;
        return true;
    case KEY_DIFF_BLOCKS:
        cli_integer("--blocks", arg, 0, BLOCKS_MAX, &number, e);
        o->o.n_blocks = (int)number;
        return true;
    default:
        return false;
    }
}

bool machine_diff_option(int key, const char *arg, struct machine_diff_wishes *o, struct err *e)
{
    const bool taken = take(key, arg, o, e);
    o->given |= taken;
    return taken;
}

int machine_diff_run(struct cli *c, const char *folder, const char *const *names, int n,
                     const struct machine_diff_wishes *o)
{
    struct err e = {0};
    struct machine_diff d;
    struct text out = {.arena = c->arena};
    const struct machine *m[2] = {NULL, NULL};
    if (n != 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "diff needs two machines, by name or as files");
        return cli_fail(&e);
    }
    for (int i = 0; i < 2 && !e.code; i++) {
        m[i] = cli_machine(c, folder, names[i], &e);
    }
    if (e.code || !machine_diff(m[0], m[1], &o->o, c->arena, &d, &e)) {
        return cli_fail(&e);
    }
    if (o->json) {
        machine_diff_json(&d, &out);
    } else if (o->csv) {
        machine_diff_csv(&d, &out);
    } else {
        struct document document = {.arena = c->arena};
        machine_diff_words(&d, &document);
        document_terminal(&document, c->color, &out);
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : machine_diff_found(&d) ? EXIT_FINDING : EXIT_FINE;
}
