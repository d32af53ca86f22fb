#include "cli/kernel_from.h"

#include "base/child.h"
#include "code/markers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASSEMBLER_SECONDS_MAX = 60, NAMES_SHOWN_MAX = 12 };

bool kernel_from_option(int key, const char *arg, struct kernel_from *o, struct err *e)
{
    long n = 0;
    switch (key) {
    case KEY_SYMBOL:
        o->symbol = arg;
        return true;
    case KEY_ADDRESS:
        o->address = arg;
        return true;
    case KEY_LOOP:
        return cli_integer("--loop", arg, 1, 10000, &o->loop, e) || true;
    case KEY_LIST_LOOPS:
        o->list = true;
        return true;
    case KEY_NAME:
        o->wishes.name = arg;
        return true;
    case KEY_FORMULA:
        o->wishes.formula = arg;
        return true;
    case KEY_ELEMENT_BYTES:
        o->wishes.element_bytes = cli_integer("--element-bytes", arg, 1, 64, &n, e) ? (double)n : 1;
        return true;
    case KEY_ELEMENTS:
        o->wishes.elements_per_iter =
            cli_integer("--elements", arg, 1, 1000000, &n, e) ? (double)n : 1;
        return true;
    case KEY_ALIGNMENT:
        if (cli_integer("--alignment", arg, 1, 64, &n, e) && (n & (n - 1)) != 0) {
            err_set(e, ERR_RANGE, LOC_NONE, "--alignment must be a power of two, not %ld", n);
        }
        o->wishes.align_bytes = (unsigned)n;
        return true;
    case KEY_ASSEMBLER:
        o->assembler = arg;
        return true;
    case 'o':
        o->output = arg;
        return true;
    default:
        return false;
    }
}

/* --- assembly --- */

/* Runs the assembler on text; the object it writes goes through a file that is removed at once. */
static bool assemble(struct cli *c, struct bytes text, const char *file,
                     const struct kernel_from *o, struct bytes *object, struct err *e)
{
    const char *path = file_temporary(c->arena, e);
    struct text out = {.arena = c->arena}, errors = out;
    struct child_end end;
    char words[CHILD_WORDS_BYTES], line[160];

    if (!path) {
        return false;
    }
    const char *command[] = {o->assembler, "-o", path, "-", NULL};
    const struct child_program as = {command, text, ASSEMBLER_SECONDS_MAX};
    bool fine = child_run(&as, &out, &errors, &end, e);
    if (fine && (end.timed_out || end.signal || end.status)) {
        const char *said = strstr(errors.data ? errors.data : "", "Error");
        errors.data = said ? (char *)(uintptr_t)said : errors.data;
        child_complaint(&errors, line, sizeof line);
        fine = err_set(e, ERR_SYNTAX, (struct loc){.file = file}, "%s cannot assemble it (%s): %s",
                       o->assembler, child_words(&end, ASSEMBLER_SECONDS_MAX, words), line);
    }
    fine = fine && file_read(path, c->arena, object, e);
    unlink(path);
    return fine;
}

/* --- candidates --- */

static void add_loop(struct cli *c, struct kernel_code *k, const struct nest_loop *loop,
                     const struct object_function *f, const char *place)
{
    k->all = arena_grow(c->arena, k->all, (size_t)k->n, &k->capacity, sizeof *k->all);
    k->all[k->n++] = (struct kernel_candidate){*loop, place, *f};
}

static bool add_function(struct cli *c, const struct object_function *f, struct kernel_code *k,
                         struct err *e)
{
    struct nest nest;
    if (!nest_find(f->code, f->len, f->address, k->arch, c->arena, &nest, e)) {
        return false;
    }
    k->chosen = k->n + nest.most;
    for (int i = 0; i < nest.n; i++) {
        add_loop(c, k, &nest.loops[i], f,
                 arena_format(c->arena, "loop %d of %d of '%s'", i + 1, nest.n, f->name));
    }
    return true;
}

static bool add_range(struct cli *c, const struct object_function *f, struct marked at,
                      const char *how, struct kernel_code *k, struct err *e)
{
    struct nest_loop loop;
    if (!nest_range(f->code + at.first, at.end - at.first, f->address + at.first, k->arch, c->arena,
                    &loop, e)) {
        return false;
    }
    add_loop(c, k, &loop, f, arena_format(c->arena, "%s in '%s'", how, f->name));
    return true;
}

static bool is_label(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* The function, without those that stand for markers, that holds the code of another symbol. */
static const struct object_function *function_around(const struct object *o,
                                                     const struct object_function *label)
{
    const struct object_function *found = label;
    for (int i = 0; i < o->n; i++) {
        const struct object_function *f = &o->functions[i];
        if (!is_label(f->name, MARKERS_BEGIN) && !is_label(f->name, MARKERS_END) &&
            f->code <= label->code && label->code < f->code + f->len) {
            found = f;
        }
    }
    return found;
}

/* Ranges between labels that stand for comments. */
static bool add_labels(struct cli *c, const struct object *o, struct kernel_code *k, struct err *e)
{
    for (int i = 0; i < o->n; i++) {
        const struct object_function *begin = &o->functions[i];
        if (!is_label(begin->name, MARKERS_BEGIN)) {
            continue;
        }
        const char *number = begin->name + strlen(MARKERS_BEGIN);
        const struct object_function *end =
            object_find(o, arena_format(c->arena, MARKERS_END "%s", number));
        if (!end || end->code <= begin->code) {
            return err_set(e, ERR_SYNTAX, LOC_NONE, "the marked range number %s has no end",
                           number);
        }
        struct object_function f = *begin;
        f.name = function_around(o, begin)->name;
        const struct marked at = {0, (size_t)(end->code - begin->code)};
        if (!add_range(c, &f, at, "between comments", k, e)) {
            return false;
        }
    }
    return true;
}

static bool add_markers(struct cli *c, const struct object *o, struct kernel_code *k, struct err *e)
{
    for (int i = 0; i < o->n; i++) {
        const struct object_function *f = &o->functions[i];
        struct marked at = {0};
        while (markers_next(f->code, f->len, o->arch, at.end, &at)) {
            if (!add_range(c, f, at, "between markers", k, e)) {
                return false;
            }
        }
    }
    return add_labels(c, o, k, e);
}

/* "0x40-0x7c": inside one function. */
static bool add_address(struct cli *c, const struct object *o, const char *text,
                        struct kernel_code *k, struct err *e)
{
    char *end = NULL;
    const uint64_t first = strtoull(text, &end, 16);
    const uint64_t last = end && *end == '-' ? strtoull(end + 1, &end, 16) : 0;
    if (!end || *end || last <= first) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "--address: '%s' is no range; 0x40-0x7c would be right", text);
    }
    for (int i = 0; i < o->n; i++) {
        const struct object_function *f = &o->functions[i];
        if (first >= f->address && last <= f->address + f->len) {
            return add_range(
                c, f, (struct marked){(size_t)(first - f->address), (size_t)(last - f->address)},
                "a range", k, e);
        }
    }
    return err_set(e, ERR_RANGE, LOC_NONE, "--address: no function holds all of %s", text);
}

static void name_functions(const struct object *o, struct text *out)
{
    for (int i = 0; o->functions && i < o->n && i < NAMES_SHOWN_MAX; i++) {
        text_add(out, "%s%s", i ? ", " : "", o->functions[i].name);
    }
    text_add(out, "%s", o->n > NAMES_SHOWN_MAX ? ", ..." : "");
}

static bool add_symbol(struct cli *c, const struct object *o, const char *name,
                       struct kernel_code *k, struct err *e)
{
    struct text names = {.arena = c->arena};
    const struct object_function *f = name ? object_find(o, name) : NULL;
    if (!name && o->n == 1) {
        f = &o->functions[0];
    }
    if (f) {
        return add_function(c, f, k, e);
    }
    name_functions(o, &names);
    return name ? err_set(e, ERR_RANGE, LOC_NONE, "no function '%.60s'; there are %s", name,
                          names.data)
                : err_set(e, ERR_RANGE, LOC_NONE,
                          "which function? --symbol with one of %s; or markers around the loop",
                          names.data);
}

const struct kernel_candidate *kernel_code_find(struct cli *c, const char *path, bool assembly,
                                                const struct kernel_from *o,
                                                struct kernel_code *out, struct err *e)
{
    struct bytes input;
    struct object object;
    struct err inner = {0};
    *out = (struct kernel_code){0};
    if (!file_read(path, c->arena, &input, e)) {
        return NULL;
    }
    if (assembly) {
        struct text marked = {.arena = c->arena};
        markers_to_labels(input, &marked);
        if (!assemble(c, (struct bytes){marked.data, marked.len}, path, o, &input, e)) {
            return NULL;
        }
    }
    if (!object_read(input, path, c->arena, &object, e)) {
        return NULL;
    }
    out->arch = object.arch;
    bool fine = o->address  ? add_address(c, &object, o->address, out, &inner)
                : o->symbol ? add_symbol(c, &object, o->symbol, out, &inner)
                            : add_markers(c, &object, out, &inner);
    fine = fine && (out->n > 0 || add_symbol(c, &object, NULL, out, &inner));
    if (fine && (!out->all || o->loop > out->n)) {
        fine = err_set(&inner, ERR_RANGE, LOC_NONE, "--loop %ld: there are %d", o->loop, out->n);
    }
    out->chosen = o->loop > 0 ? (int)o->loop - 1 : out->chosen;
    if (!fine) {
        err_set(e, inner.code, (struct loc){.file = path}, "%s", inner.text);
    }
    return fine ? &out->all[out->chosen] : NULL;
}

/* --- commands --- */

static int list_loops(const struct kernel_code *k, struct cli *c)
{
    struct text out = {.arena = c->arena};
    for (int i = 0; i < k->n; i++) {
        const struct nest_loop *l = &k->all[i].loop;
        text_add(&out, "%3d%s 0x%llx-0x%llx  %3d instructions, %g bytes of vectors  %s\n", i + 1,
                 i == k->chosen ? "*" : " ", (unsigned long long)l->address,
                 (unsigned long long)l->address + l->len, l->loop.n, l->vector_bytes,
                 k->all[i].place);
    }
    return cli_print((struct bytes){out.data, out.len});
}

static void add_comments(const struct text *notes, struct text *out)
{
    for (const char *line = notes->data ? notes->data : ""; *line;) {
        const size_t len = strcspn(line, "\n");
        text_add(out, "# %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

int kernel_from(struct cli *c, const char *path, bool assembly, const struct kernel_from *o)
{
    struct err e = {0};
    struct kernel_code code;
    struct kernel kernel;
    struct bytes yaml;
    struct text notes = {.arena = c->arena}, out = {.arena = c->arena};

    const struct kernel_candidate *found = kernel_code_find(c, path, assembly, o, &code, &e);
    if (!found) {
        return cli_fail(&e);
    }
    if (o->list) {
        return list_loops(&code, c);
    }
    struct lift_wishes wishes = o->wishes;
    wishes.name = wishes.name ? wishes.name : found->function.name;
    wishes.formula = wishes.formula ? wishes.formula
                                    : arena_format(c->arena, "%s of %s, at 0x%llx", found->place,
                                                   path, (unsigned long long)found->loop.address);
    const struct kernels all = {.kernels = &kernel, .n_kernels = 1};
    if (!lift_kernel(&found->loop, &wishes, c->arena, &kernel, &notes, &e) ||
        !kernels_write(&all, c->arena, &yaml, &e)) {
        return cli_fail(&e);
    }
    text_add(&out,
             "# %s, read from machine code.  What the code does not say is assumed, and said.\n",
             wishes.name);
    add_comments(&notes, &out);
    text_add_bytes(&out, yaml.data, yaml.len);
    return cli_write(o->output, (struct bytes){out.data, out.len});
}
