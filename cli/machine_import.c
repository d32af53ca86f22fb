#include "cli/machine_import.h"

#include "import/import.h"

#include <stdio.h>
#include <time.h>

bool machine_import_option(int key, const char *arg, struct machine_import *o)
{
    switch (key) {
    case MACHINE_IMPORT_KEY:
        o->format = arg;
        return true;
    case MACHINE_IMPORT_ARCH:
        o->arch = arg;
        return true;
    case 'o':
        o->output = arg;
        return true;
    default:
        return false;
    }
}

/* The day in UTC; a date that only tells when must not fail. */
static const char *today(struct cli *c)
{
    char text[32];
    struct tm fields;
    const time_t now = time(NULL);
    if (!gmtime_r(&now, &fields)) {
        return "unknown";
    }
    return arena_copy(c->arena, text, strftime(text, sizeof text, "%Y-%m-%d", &fields));
}

int machine_import(struct cli *c, const char *path, const struct machine_import *o)
{
    struct err e = {0};
    struct bytes input;
    struct imported i;
    struct text out = {.arena = c->arena}, summary = {.arena = c->arena};
    const char *output = o->output ? o->output : "-";
    const struct import_wish wish = {path, o->format, o->arch, today(c)};
    if (!file_read_most(path, IMPORT_BYTES_MAX, c->arena, &input, &e) ||
        !import_read(input, &wish, c->arena, &i, &e) || !import_write(&i, c->arena, &out, &e)) {
        return cli_fail(&e);
    }
    const int status = cli_write(output, (struct bytes){out.data, out.len});
    if (status == EXIT_FINE) {
        import_summary(&i, &summary);
        fprintf(stderr, "%s", summary.data);
    }
    return status;
}
