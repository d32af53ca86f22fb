/* What kernels.yaml states of each loop, against the machine code of that loop.
 *
 * Without arguments: the loops linked into this program, also those the CPU cannot run.  With
 * OBJECT and ISA: functions loop_ISA_NAME of an object file, which may be for another machine.  A
 * difference fails where the loop is fixed by hand; what a compiler made of intrinsics is only
 * reported.
 */
#include "base/text.h"
#include "code/loop.h"
#include "code/object.h"
#include "formats/kernels.h"
#include "measure/loops.h"
#include "tests/tap.h"

#include <stdlib.h>

#define FUNCTION_BYTES_MAX 8192 /* decoding stops at the return */

struct machine_code {
    const uint8_t *bytes;
    size_t len;
    enum code_arch arch;
};

static void out_of_memory(void *context)
{
    (void)context;
    exit(1);
}

static void diagnose(const char *lines)
{
    for (const char *line = lines; line && *line;) {
        const size_t len = strcspn(line, "\n");
        printf("# %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void check(const struct kernel *k, const struct kernel_body *body, struct machine_code code,
                  struct arena *a)
{
    struct code_loop loop;
    struct loop_counts counts;
    struct err e = {0};
    struct text differences = {.arena = a};
    const double step = k->element_bytes > 0 ? body->elements_per_iter * k->element_bytes : 0;

    if (!loop_find(code.bytes, code.len, 0, code.arch, a, &loop, &e) ||
        !loop_count(&loop, body->inner_trips, a, &counts, &e)) {
        ok(!k->hand_fixed, "%s %s: %s", k->name, body->isa, e.text);
        return;
    }
    int n = loop_compare(body, k->flops_per_element, &counts, &differences);
    if (k->hand_fixed) { /* elsewhere accesses to the stack cannot be told from the arrays' */
        n += loop_compare_crossing(body, loop_crossing(&loop, body->inner_trips, (uint64_t)step),
                                   &differences);
    }
    ok(n == 0 || !k->hand_fixed, "%s %s is what it is said to be", k->name, body->isa);
    diagnose(differences.data);
}

/* Every loop of this build has a description, every description of its ISAs a loop. */
static void check_linked(const struct kernels *kernels, struct arena *a)
{
#if defined(__x86_64__)
    const enum code_arch arch = ARCH_X86_64;
#else
    const enum code_arch arch = ARCH_AARCH64;
#endif

    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *l = &loops_table[i];
        const struct kernel *k = kernels_find(kernels, l->name);
        const struct kernel_body *body = k ? kernel_body(k, isa_info[l->isa].name) : NULL;
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)l->run;
        ok(body != NULL, "%s %s is described", l->name, isa_info[l->isa].name);
        if (body) {
            check(k, body, (struct machine_code){bytes, FUNCTION_BYTES_MAX, arch}, a);
        }
    }
}

static void check_has_loop(const struct kernel *k)
{
    for (int b = 0; b < k->n_bodies; b++) {
        enum isa isa;
        if (isa_from_name(k->bodies[b].isa, &isa)) {
            ok(loop_named(k->name, isa) != NULL, "%s %s has a loop", k->name, k->bodies[b].isa);
        }
    }
}

static void check_in_object(const struct kernel *k, const char *isa, const struct object *o,
                            struct arena *a)
{
    const struct kernel_body *body = kernel_body(k, isa);

    if (!body) {
        return;
    }
    const struct object_function *f = object_find(o, arena_format(a, "loop_%s_%s", isa, k->name));
    if (!f && k->compute_roof) { /* fma_stream is its roof's own function */
        f = object_find(o, arena_format(a, "loop_%s_%s", isa, k->compute_roof));
    }
    ok(f != NULL, "%s %s has a function", k->name, isa);
    if (f) {
        check(k, body, (struct machine_code){f->code, f->len, o->arch}, a);
    }
}

static bool read_kernels(const struct kernels **k, struct arena *a, struct err *e)
{
    struct bytes yaml;

    *k = file_read("kernels.yaml", a, &yaml, e) ? kernels_read(yaml, "kernels.yaml", a, e) : NULL;
    return *k != NULL;
}

static bool read_object(const char *path, struct arena *a, struct object *o, struct err *e)
{
    struct bytes elf;

    return file_read(path, a, &elf, e) && object_read(elf, path, a, o, e);
}

int main(int argc, char **argv)
{
    struct arena *a = arena_create((size_t)1 << 30, out_of_memory, NULL);
    struct err e = {0};
    struct object o;
    const struct kernels *k;
    const bool linked = argc < 3;
    char said[512];

    if (!read_kernels(&k, a, &e) || (!linked && !read_object(argv[1], a, &o, &e))) {
        ok(false, "%s", err_describe(&e, said, sizeof said));
        return tap_done();
    }
    if (linked) {
        check_linked(k, a);
    }
    for (int i = 0; i < k->n_roofs + k->n_kernels; i++) {
        const struct kernel *row = i < k->n_roofs ? &k->roofs[i] : &k->kernels[i - k->n_roofs];
        if (linked) {
            check_has_loop(row);
        } else {
            check_in_object(row, argv[2], &o, a);
        }
    }
    arena_release(a);
    return tap_done();
}
