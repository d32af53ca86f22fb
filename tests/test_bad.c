/* Each file of tests/bad must be refused with the line in the file NAME.expected beside it.  The
 * word before the first '-' of a name says which reader gets the file. */
#include "code/form_list.h"
#include "formats/blocks.h"
#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/predictions.h"
#include "formats/profile.h"
#include "formats/run.h"
#include "formats/yml.h"
#include "import/import.h"
#include "tests/formats.h"

#include <glob.h>

static bool read_yml(const char *path, struct arena *a, struct err *e)
{
    return yml_read(test_file(path, a), path, a, e) != NULL;
}

static bool read_machine(const char *path, struct arena *a, struct err *e)
{
    return machine_read(test_file(path, a), path, a, e) != NULL;
}

static bool read_kernels(const char *path, struct arena *a, struct err *e)
{
    return kernels_read(test_file(path, a), path, a, e) != NULL;
}

static bool read_run(const char *path, struct arena *a, struct err *e)
{
    return run_read(test_file(path, a), path, a, e) != NULL;
}

static bool read_blocks(const char *path, struct arena *a, struct err *e)
{
    struct block b;
    struct block_reader *r = blocks_open(path, a, e);
    while (r && blocks_next(r, a, &b, e)) {
    }
    blocks_close(r);
    return e->code == ERR_NONE;
}

static bool read_predictions(const char *path, struct arena *a, struct err *e)
{
    struct predictions p;
    return predictions_read(path, a, &p, e);
}

static bool import(const char *path, const char *format, struct arena *a, struct err *e)
{
    struct imported i;
    const struct import_wish wish = {path, format, strcmp(format, "uops-info") ? NULL : "SKL",
                                     "2026-01-02"};
    return import_read(test_file(path, a), &wish, a, &i, e);
}

static bool import_osaca_file(const char *path, struct arena *a, struct err *e)
{
    return import(path, "osaca", a, e);
}

static bool import_uops_info_file(const char *path, struct arena *a, struct err *e)
{
    return import(path, "uops-info", a, e);
}

static bool import_pmevo_file(const char *path, struct arena *a, struct err *e)
{
    return import(path, "pmevo", a, e);
}

static bool import_palmed_file(const char *path, struct arena *a, struct err *e)
{
    return import(path, "palmed", a, e);
}

static bool import_llvm_mca_file(const char *path, struct arena *a, struct err *e)
{
    return import(path, "llvm-mca", a, e);
}

static bool read_form_list(const char *path, struct arena *a, struct err *e)
{
    const char *const *forms;
    int n;
    return form_list_read(test_file(path, a), path, a, &forms, &n, e);
}

static bool read_counts(const char *path, struct arena *a, struct err *e)
{
    struct profile p;
    return profile_read_counts(path, a, &p, e);
}

static bool read_perf(const char *path, struct arena *a, struct err *e)
{
    struct profile p;
    return profile_read_perf(test_file(path, a), path, a, &p, e);
}

static const struct {
    const char *prefix;
    bool (*read)(const char *path, struct arena *a, struct err *e);
} readers[] = {
    {"yml-", read_yml},
    {"machine-", read_machine},
    {"kernels-", read_kernels},
    {"run-", read_run},
    {"blocks-", read_blocks},
    {"predictions-", read_predictions},
    {"counts-", read_counts},
    {"perf-", read_perf},
    {"osaca-", import_osaca_file},
    {"uops_info-", import_uops_info_file},
    {"pmevo-", import_pmevo_file},
    {"palmed-", import_palmed_file},
    {"llvm_mca-", import_llvm_mca_file},
    {"form_list-", read_form_list},
};

static void check(const char *path)
{
    struct arena *a = test_arena();
    struct err e = {0};
    char line[512];
    const char *name = strrchr(path, '/') + 1;
    const struct bytes want = test_file(arena_format(a, "%s.expected", path), a);
    bool read = true;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (strncmp(name, readers[i].prefix, strlen(readers[i].prefix)) == 0) {
            read = readers[i].read(path, a, &e);
        }
    }
    err_describe(&e, line, sizeof line);
    const size_t len = strlen(line);
    const bool same = want.len == len + 1 && memcmp(want.data, line, len) == 0;
    if (!ok(!read && same, "%s", path)) {
        printf("#   got:  %s\n#   want: %s", read ? "no error" : line, want.data);
    }
    arena_release(a);
}

int main(void)
{
    glob_t files = {0};
    glob("tests/bad/*.yaml", 0, NULL, &files);
    glob("tests/bad/*.csv", GLOB_APPEND, NULL, &files);
    glob("tests/bad/*.json", GLOB_APPEND, NULL, &files);
    glob("tests/bad/*.xml", GLOB_APPEND, NULL, &files);
    glob("tests/bad/*.txt", GLOB_APPEND, NULL, &files);
    ok(files.gl_pathc > 100, "there are more than a hundred bad files");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        check(files.gl_pathv[i]);
    }
    globfree(&files);
    return tap_done();
}
