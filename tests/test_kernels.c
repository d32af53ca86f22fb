#include "formats/kernels.h"
#include "tests/formats.h"

#include <string.h>

static void bytes_moved(void)
{
    static const struct {
        struct kernel_stream streams[3];
        int n;
        double counted, with_fetch;
    } cases[] = {
        {{{"x", STREAM_READ}}, 1, 4, 4},
        {{{"x", STREAM_WRITE}}, 1, 4, 8},
        {{{"x", STREAM_UPDATE}}, 1, 8, 8},
        {{{"x", STREAM_WRITE_NT}}, 1, 4, 4},
        {{{"x", STREAM_READ}, {"y", STREAM_UPDATE}}, 2, 12, 12},
        {{{"x", STREAM_READ}, {"y", STREAM_READ}, {"z", STREAM_WRITE}}, 3, 12, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel_stream streams[3];
        memcpy(streams, cases[i].streams, sizeof streams);
        const struct kernel k = {.element_bytes = 4, .streams = streams, .n_streams = cases[i].n};
        ok(kernel_bytes_counted(&k) == cases[i].counted &&
               kernel_bytes_with_fetch(&k) == cases[i].with_fetch,
           "mix %zu moves %g bytes, %g with fetches", i, cases[i].counted, cases[i].with_fetch);
    }
    const struct kernel none = {.element_bytes = (double)NAN};
    ok(kernel_bytes_counted(&none) == 0, "no streams move nothing");
}

static void saxpy(const struct kernel *k)
{
    is_text(k->formula, "y[i] = a*x[i] + y[i]", "formula");
    ok(k->n_streams == 2 && k->streams[1].kind == STREAM_UPDATE, "streams in order");
    is_near(k->intensity, 2.0 / 12, 1e-15, "intensity is computed, not the rounded one stated");
    ok(k->hand_fixed && k->n_bodies == 2 && k->loc.line == 19, "the rest, and its place");
    const struct kernel_body *b = kernel_body(k, "avx512");
    ok(b && b->n_forms == 3 && b->forms[1].count == 4 && b->n_inner == 1 && b->inner_trips == 32,
       "body with an inner loop");
    is_text(b->forms[0].form, "vmovups zmm, m512", "form as written");
    ok(b->loads_per_iter == 8 && b->crossing_loads_per_iter == 0.5 && b->independent_chains == 16 &&
           b->flops_per_iter == 130,
       "what is stated");
    b = kernel_body(k, "avx2");
    ok(b && isnan(b->loads_per_iter) && b->crossing_loads_per_iter == 0 && b->inner_trips == 0 &&
           isnan(b->independent_chains) && isnan(b->flops_per_iter),
       "what is not");
    ok(!kernel_body(k, "neon"), "no body for another isa");
}

/* A file of someone's own loops lists no roofs. */
static void test_take_roofs(const struct kernels *from, struct arena *a)
{
    static const char path[] = "own.yaml";
    static const char text[] = "format: gambrel-kernels-1\nkernels:\n- name: mine\n"
                               "  formula: x\n  element_bytes: 4\n  flops_per_element: 1\n"
                               "  unit: flop/s\n  streams: {x: read}\n  roof: %s\n"
                               "  body: {avx2: {elements_per_iter: 8, instructions: {nop: 1}}}\n";
    static const char *const roofs[] = {"triad", "nosuch"};
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        const char *own = arena_format(a, text, roofs[i]);
        struct kernels *k = kernels_read((struct bytes){(char *)own, strlen(own)}, path, a, &e);
        if (!test_fine(&e, "a file without roofs is read")) {
            continue;
        }
        const bool good = kernels_take_roofs(k, from, &e);
        ok(good == (i == 0), "%s: %s", roofs[i], good ? "taken" : e.text);
        ok(i == 1 || (k->n_roofs == 2 && kernels_find(k, "triad") == &from->roofs[1]),
           "the roofs of another file are its own");
        ok(i == 0 || e.loc.line == 3, "the kernel that names no roof is told by its line");
    }
}

int main(void)
{
    struct arena *a = test_arena();
    struct err e = {0};
    const char *path = "tests/corpus/kernels/whole.yaml";
    const struct kernels *k = kernels_read(test_file(path, a), path, a, &e);
    if (test_fine(&e, "kernels are read")) {
        ok(k->n_kernels == 1 && k->n_roofs == 2, "one kernel, two roofs");
        saxpy(&k->kernels[0]);
        ok(kernels_find(k, "saxpy") == &k->kernels[0] && kernels_find(k, "triad") == &k->roofs[1] &&
               !kernels_find(k, "poly"),
           "found by name among both");
        ok(isnan(k->roofs[0].intensity) && isnan(k->roofs[0].element_bytes) && !k->roofs[0].roof,
           "a compute roof has no bytes");
    }
    if (k) {
        test_take_roofs(k, a);
    }
    bytes_moved();
    arena_release(a);
    return tap_done();
}
