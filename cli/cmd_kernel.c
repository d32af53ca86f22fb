#include "cli/cli.h"
#include "cli/kernel_from.h"
#include "cli/kernel_run.h"
#include "code/loop.h"
#include "measure/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct options {
    const char *file, *isa;
    const char **words;
    int n_words;
    struct kernel_from from;
    struct kernel_run run;
};

static const struct argp_option option_table[] = {
    {"kernels", 'k', "FILE", 0, "kernel descriptions instead of the ones that come along", 0},
    {"isa", 'i', "ISA", 0, "only this instruction set", 0},
    KERNEL_FROM_OPTIONS,
    KERNEL_RUN_OPTIONS,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err e = {0};
    if (kernel_from_option(key, arg, &o->from, &e) || kernel_run_option(key, arg, &o->run, &e)) {
        if (e.code) {
            argp_error(state, "%s", e.text);
        }
        return 0;
    }
    switch (key) {
    case 'k':
        o->file = arg;
        return 0;
    case 'i':
        o->isa = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->words = (const char **)(state->argv + state->next);
        o->n_words = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_kernel = {
    .options = option_table,
    .parser = parse,
    .args_doc = "list | show NAME... | check [NAME...]\nfrom-object FILE\nfrom-asm FILE.s\nrun "
                "OBJECT --symbol NAME",
    .doc =
        "list: every kernel and roof in a line. show: one in full. check: decodes the machine "
        "code of every loop in this program and compares it with what the file promises; exit "
        "status 1 if a loop written by hand differs. from-object: a loop of compiled code as an "
        "entry of a kernel file, to give to model: the innermost loop of a function, what IACA's, "
        "OSACA's or llvm-mca's markers enclose, or a range of addresses. from-asm: the same from "
        "assembly, which the system's assembler reads. run: calls the function void f(size_t n, "
        "...) of an object file in a child process and prints what one iteration takes beside the "
        "ceilings of the loop that runs.",
};

static void list_kernels(const struct kernel *kernels, int n, struct text *out)
{
    for (int i = 0; i < n; i++) {
        const struct kernel *k = &kernels[i];
        char intensity[TEXT_NUMBER_SIZE];
        if (isnan(k->intensity)) {
            snprintf(intensity, sizeof intensity, "-");
        } else {
            snprintf(intensity, sizeof intensity, "%.4g", k->intensity);
        }
        text_add(out, "%-14s %-7s %9s  %s\n", k->name, k->unit, intensity, k->formula);
    }
}

static int list(struct cli *c, const struct kernels *k)
{
    struct text out = {.arena = c->arena};
    text_add(&out, "%-14s %-7s %9s  %s\n", "kernel", "unit", "flop/byte", "formula");
    list_kernels(k->kernels, k->n_kernels, &out);
    text_add(&out, "\n%-14s %-7s %9s  %s\n", "roof", "unit", "flop/byte", "formula");
    list_kernels(k->roofs, k->n_roofs, &out);
    return cli_print((struct bytes){out.data, out.len});
}

static void show_body(const struct kernel_body *b, struct text *out)
{
    text_add(out, "\n  %s: %g elements per iteration, %g loads, %g stores", b->isa,
             b->elements_per_iter, b->loads_per_iter, b->stores_per_iter);
    if (b->crossing_loads_per_iter > 0) {
        text_add(out, ", %g loads cross a line", b->crossing_loads_per_iter);
    }
    text_add(out, "\n");
    for (int i = 0; i < b->n_forms; i++) {
        text_add(out, "    %6g  %s\n", b->forms[i].count, b->forms[i].form);
    }
    if (b->n_inner) {
        text_add(out, "    inner loop, %g trips of\n", b->inner_trips);
    }
    for (int i = 0; i < b->n_inner; i++) {
        text_add(out, "    %6g  %s\n", b->inner[i].count, b->inner[i].form);
    }
}

static const struct kernel *find(const struct kernels *k, const char *name, struct err *e)
{
    const struct kernel *found = kernels_find(k, name);
    if (!found) {
        err_set(e, ERR_RANGE, (struct loc){.file = k->file},
                "no kernel or roof is called '%s'; gambrel kernel list shows them", name);
    }
    return found;
}

static int show(struct cli *c, const struct kernels *k, const struct options *o)
{
    struct text out = {.arena = c->arena};
    struct err e = {0};
    if (o->n_words < 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "show needs the name of a kernel; gambrel kernel list");
        return cli_fail(&e);
    }
    for (int i = 1; i < o->n_words; i++) {
        const struct kernel *kernel = find(k, o->words[i], &e);
        if (!kernel) {
            return cli_fail(&e);
        }
        text_add(&out, "%s%s: %s\n", i > 1 ? "\n" : "", kernel->name, kernel->formula);
        text_add(&out, "  %g flops", kernel->flops_per_element);
        if (kernel->n_streams) {
            text_add(&out, " and %g bytes an element (%g with the fetch of written lines)",
                     kernel_bytes_counted(kernel), kernel_bytes_with_fetch(kernel));
        }
        text_add(&out, "\n");
        for (int s = 0; s < kernel->n_streams; s++) {
            text_add(&out, "  %s: %s\n", kernel->streams[s].array,
                     stream_names[kernel->streams[s].kind]);
        }
        if (o->isa && !kernel_body(kernel, o->isa)) {
            err_set(&e, ERR_RANGE, kernel->loc, "%s has no body for %s", kernel->name, o->isa);
            return cli_fail(&e);
        }
        for (int b = 0; b < kernel->n_bodies; b++) {
            if (!o->isa || strcmp(o->isa, kernel->bodies[b].isa) == 0) {
                show_body(&kernel->bodies[b], &out);
            }
        }
    }
    return cli_print((struct bytes){out.data, out.len});
}

/* The most bytes a loop function can take; the decoder stops at its return. */
enum { FUNCTION_BYTES_MAX = 8192 };

static enum code_arch build_arch(void)
{
#if defined(__x86_64__)
    return ARCH_X86_64;
#else
    return ARCH_AARCH64;
#endif
}

/* Differences between the promise and the code of one loop; -1 and *e if it cannot be read. */
static int check_loop(struct cli *c, const struct kernel *k, const struct loop *l, struct text *out,
                      struct err *e)
{
    const struct kernel_body *body = kernel_body(k, isa_info[l->isa].name);
    struct code_loop code;
    struct loop_counts counts;
    if (!body) {
        text_add(out, "    %s describes no body for %s\n", k->name, isa_info[l->isa].name);
        return 1;
    }
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)l->run;
    if (!loop_find(bytes, FUNCTION_BYTES_MAX, (uint64_t)(uintptr_t)bytes, build_arch(), c->arena,
                   &code, e) ||
        !loop_count(&code, body->inner_trips, c->arena, &counts, e)) {
        return -1;
    }
    const struct loop_crossing crossing =
        loop_crossing(&code, body->inner_trips, l->bytes_per_iter);
    return loop_compare(body, k->flops_per_element, &counts, out) +
           loop_compare_crossing(body, crossing, out);
}

static bool wanted(const struct options *o, const struct loop *l)
{
    bool named = o->n_words == 1;
    for (int i = 1; i < o->n_words; i++) {
        named |= strcmp(o->words[i], l->name) == 0;
    }
    return named && (!o->isa || strcmp(o->isa, isa_info[l->isa].name) == 0);
}

static int check(struct cli *c, const struct kernels *k, const struct options *o)
{
    struct text out = {.arena = c->arena};
    struct err e = {0};
    int failed = 0, checked = 0;
    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *l = &loops_table[i];
        if (!wanted(o, l)) {
            continue;
        }
        struct text differences = {.arena = c->arena};
        const struct kernel *kernel = find(k, l->name, &e);
        const int n = kernel ? check_loop(c, kernel, l, &differences, &e) : -1;
        if (n < 0) {
            return cli_fail(&e);
        }
        text_add(&out, "%-14s %-7s %s\n", l->name, isa_info[l->isa].name,
                 !n                   ? "as promised"
                 : kernel->hand_fixed ? "DIFFERS"
                                      : "differs (left to the compiler)");
        text_add(&out, "%s", n ? differences.data : "");
        failed += n && kernel->hand_fixed;
        checked++;
    }
    if (!checked) {
        err_set(&e, ERR_RANGE, LOC_NONE,
                "no loop of this program is %s%.60s%s%.20s; gambrel measure --list shows them",
                o->n_words > 1 ? "called " : "", o->n_words > 1 ? o->words[1] : "",
                o->isa ? (o->n_words > 1 ? " for " : "for ") : "", o->isa ? o->isa : "");
        return cli_fail(&e);
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : failed ? EXIT_FINDING : EXIT_FINE;
}

static int from(struct cli *c, const struct options *o, bool assembly)
{
    struct err e = {0};
    if (o->n_words != 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "%s needs one file", o->words[0]);
        return cli_fail(&e);
    }
    return kernel_from(c, o->words[1], assembly, &o->from);
}

static int run(struct cli *c, const struct options *o)
{
    struct err e = {0};
    if (o->n_words != 2) {
        err_set(&e, ERR_RANGE, LOC_NONE, "run needs one object file");
        return cli_fail(&e);
    }
    return kernel_run(c, o->words[1], &o->from, &o->run);
}

int cmd_kernel(struct cli *c, int argc, char **argv)
{
    struct options o = {.from = KERNEL_FROM_DEFAULT, .run = KERNEL_RUN_DEFAULT};
    struct err e = {0};
    argp_parse(&argp_kernel, argc, argv, 0, NULL, &o);
    const bool assembly = strcmp(o.words[0], "from-asm") == 0;
    if (assembly || strcmp(o.words[0], "from-object") == 0) {
        return from(c, &o, assembly);
    }
    if (strcmp(o.words[0], "run") == 0) {
        return run(c, &o);
    }
    const struct kernels *k = cli_kernels(c, o.file, &e);
    if (!k) {
        return cli_fail(&e);
    }
    if (strcmp(o.words[0], "list") == 0) {
        if (o.n_words > 1) {
            err_set(&e, ERR_RANGE, LOC_NONE, "list takes no argument, not '%.60s'", o.words[1]);
            return cli_fail(&e);
        }
        return list(c, k);
    }
    if (strcmp(o.words[0], "show") == 0) {
        return show(c, k, &o);
    }
    if (strcmp(o.words[0], "check") == 0) {
        return check(c, k, &o);
    }
    err_set(&e, ERR_RANGE, LOC_NONE,
            "kernel knows list, show, check, from-object, from-asm and run, not '%s'", o.words[0]);
    return cli_fail(&e);
}
