#include "cli/cli.h"

#include "base/items.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

int cli_fail(const struct err *e)
{
    char text[sizeof e->text + PATH_MAX];
    fprintf(stderr, "gambrel: error: %s\n", err_describe(e, text, sizeof text));
    return e->code == ERR_HOST ? EXIT_MACHINE : EXIT_INPUT;
}

void cli_warn(const char *text)
{
    if (*text) {
        fprintf(stderr, "gambrel: warning: %s\n", text);
    }
}

int cli_print(struct bytes data)
{
    if ((data.len && fwrite(data.data, 1, data.len, stdout) != data.len) || fflush(stdout) != 0) {
        fprintf(stderr, "gambrel: error: cannot write to standard output: %s\n", strerror(errno));
        __fpurge(stdout); /* or the same would be said again at exit */
        return EXIT_INPUT;
    }
    return EXIT_FINE;
}

bool cli_is_screen(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && !(term && strcmp(term, "dumb") == 0);
}

int cli_write(const char *path, struct bytes data)
{
    struct err e = {0};
    if (strcmp(path, "-") == 0) {
        return cli_print(data);
    }
    return file_write_whole(path, data, &e) ? EXIT_FINE : cli_fail(&e);
}

/* The folder of the running program, or "." if the system does not say.  Without /proc it is the
 * one in the name that the program was started by. */
static const char *program_folder(struct cli *c)
{
    char link[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", link, sizeof link - 1);
    const char *path = (const char *)getauxval(AT_EXECFN);
    if (len > 0) {
        link[len] = '\0';
        path = link;
    }
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? arena_copy(c->arena, path, (size_t)(slash - path)) : ".";
}

/* Without the detours, and from here where it lies below: what messages show. */
static const char *tidy_path(struct cli *c, const char *path)
{
    char real[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, real)) {
        return path;
    }
    const size_t len = getcwd(here, sizeof here) ? strlen(here) : 0;
    const bool below = len > 1 && strncmp(real, here, len) == 0 && real[len] == '/';
    return arena_format(c->arena, "%s", below ? real + len + 1 : real);
}

const char *cli_data(struct cli *c, const char *name, struct err *e)
{
    const char *chosen = getenv("GAMBREL_DATA");
    const char *program = program_folder(c);
    const char *folders[] = {
        chosen ? chosen : arena_format(c->arena, "%s/..", program),
        arena_format(c->arena, "%s/../share/gambrel", program),
        GAMBREL_PREFIX "/share/gambrel",
    };
    for (size_t i = 0; i < (chosen ? 1 : sizeof folders / sizeof *folders); i++) {
        const char *path = arena_format(c->arena, "%s/%s", folders[i], name);
        if (access(path, R_OK) == 0) {
            return tidy_path(c, path);
        }
    }
    err_set(e, ERR_IO, LOC_NONE, "%s is not in %s%s; set GAMBREL_DATA to the folder that holds it",
            name, folders[0], chosen ? "" : ", nor in " GAMBREL_PREFIX "/share/gambrel");
    return NULL;
}

struct kernels *cli_kernels(struct cli *c, const char *path, struct err *e)
{
    struct bytes input;
    const bool own = path != NULL;
    if (!own) {
        path = cli_data(c, "kernels.yaml", e);
    }
    struct kernels *k = path && file_read(path, c->arena, &input, e)
                            ? kernels_read(input, path, c->arena, e)
                            : NULL;
    if (k && own && k->n_roofs == 0) {
        const struct kernels *along = cli_kernels(c, NULL, e);
        return along && kernels_take_roofs(k, along, e) ? k : NULL;
    }
    return k;
}

struct machine *cli_machine_file(struct cli *c, const char *path, struct err *e)
{
    struct bytes input;
    return file_read(path, c->arena, &input, e) ? machine_read(input, path, c->arena, e) : NULL;
}

static bool has_suffix(const char *text, const char *suffix)
{
    const size_t len = strlen(text), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(text + len - suffix_len, suffix) == 0;
}

/* NULL: there is none. */
static const char *machine_path(struct cli *c, const char *folder, const char *name)
{
    struct err missing = {0};
    if (!folder) {
        return cli_data(c, arena_format(c->arena, "machines/%s.yaml", name), &missing);
    }
    const char *path = arena_format(c->arena, "%s/%s.yaml", folder, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

struct machine *cli_machine(struct cli *c, const char *folder, const char *name_or_path,
                            struct err *e)
{
    if (strchr(name_or_path, '/') || has_suffix(name_or_path, ".yaml")) {
        return cli_machine_file(c, name_or_path, e);
    }
    const char *path = machine_path(c, folder, name_or_path);
    if (!path) {
        const bool beside = access(name_or_path, F_OK) == 0;
        err_set(e, ERR_IO, LOC_NONE,
                "no machine is called '%.60s'%s%.60s; gambrel machine list shows them%s%.60s",
                name_or_path, folder ? " in " : "", folder ? folder : "",
                beside ? ", and a file is given as ./" : "", beside ? name_or_path : "");
        return NULL;
    }
    return cli_machine_file(c, path, e);
}

bool cli_same_isa(const struct machine *m, const char *isa, const char *whose, struct err *e)
{
    return strcmp(m->isa, isa) == 0 ||
           err_set(
               e, ERR_RANGE, (struct loc){.file = m->file},
               "this machine is %s, %s is %s; --machine=FILE, or a name of gambrel machine list",
               m->isa, whose, isa);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The .yaml files of a folder, sorted. */
static char **yaml_files(struct cli *c, const char *folder, size_t *n, struct err *e)
{
    char **paths = NULL;
    size_t capacity = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        err_set(e, ERR_IO, (struct loc){.file = folder}, "cannot read this folder: %s",
                strerror(errno));
        return NULL;
    }
    *n = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (has_suffix(entry->d_name, ".yaml")) {
            paths = arena_grow(c->arena, paths, *n, &capacity, sizeof *paths);
            paths[(*n)++] = arena_format(c->arena, "%s/%s", folder, entry->d_name);
        }
    }
    closedir(dir);
    if (!*n) {
        err_set(e, ERR_IO, (struct loc){.file = folder}, "there is no .yaml file in this folder");
        return NULL;
    }
    items_sort(paths, *n, sizeof *paths, by_name);
    return paths;
}

struct machine **cli_machines(struct cli *c, const char *folder, int *n, struct err *e)
{
    size_t n_paths = 0;
    if (!folder && !(folder = cli_data(c, "machines", e))) {
        return NULL;
    }
    char **paths = yaml_files(c, folder, &n_paths, e);
    if (!paths) {
        return NULL;
    }
    struct machine **machines = arena_new(c->arena, struct machine *, n_paths);
    for (size_t i = 0; i < n_paths; i++) {
        machines[i] = cli_machine_file(c, paths[i], e);
        if (!machines[i]) {
            return NULL;
        }
    }
    *n = (int)n_paths;
    return machines;
}

struct run *cli_run(struct cli *c, const char *path, struct err *e)
{
    struct bytes input;
    return file_read(path, c->arena, &input, e) ? run_read(input, path, c->arena, e) : NULL;
}

const char *cli_utc(struct cli *c)
{
    char text[64];
    const time_t now = time(NULL);
    struct tm fields;
    gmtime_r(&now, &fields);
    return arena_copy(c->arena, text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields));
}

bool cli_integer(const char *what, const char *text, long min, long max, long *out, struct err *e)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < min || value > max) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "%s must be a whole number from %ld to %ld, not '%s'", what, min, max, text);
    }
    *out = value;
    return true;
}
