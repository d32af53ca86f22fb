#include "code/lift.h"
#include "code/markers.h"
#include "code/nest.h"
#include "tests/formats.h"

/* A vectorised loop, vmovupd, vaddpd, vmovupd over 4 doubles, then one for the rest. */
#define TWO                                                                                        \
    "31c0c5fd1004c7c5fd5804c6c5fd1104c74883c0044839d072e8c5fb1004c7c5fb5804c6c5fb1104c748ffc04839" \
    "c872e9c3"
/* test, je over an addss, jmp over ud2, dec, jne inside an outer loop. */
#define NESTED "4889d0f60407017405f30f580486eb020f0b48ffc875ec4883c64048ffc975e0c3"
/* AArch64: ldr q, ldr q with write-back, fmla v.2d, str q, add, cmp, b.ne. */
#define A64 "030080d20068e33c2104c13c20cc624e0068a33c634000917f0002eb41ffff54c0035fd6"

/* Two je to a ret, then js past it to an inc and a jump back to the head. */
#define OUT_OF_LINE "48ffc8740a4885d2740548ffc27802c39048ffc1ebea"

static const uint8_t *bytes_of(const char *hex, size_t *len, struct arena *a)
{
    struct err e = {0};
    uint8_t *code = NULL;
    code_from_hex(hex, LOC_NONE, a, &code, len, &e);
    return code;
}

static void finding(struct arena *a)
{
    static const struct {
        const char *name, *hex;
        enum code_arch arch;
        int n, most, insns, branches;
        uint64_t address;
        double vector_bytes;
    } cases[] = {
        {"vector loop and remainder", TWO, ARCH_X86_64, 2, 0, 6, 0, 0x102, 96},
        {"the inner loop, past its jump", NESTED, ARCH_X86_64, 1, 0, 6, 1, 0x103, 16},
        {"AArch64", A64, ARCH_AARCH64, 1, 0, 7, 0, 0x104, 64},
        {"closed from out of line, past a return", OUT_OF_LINE, ARCH_X86_64, 1, 0, 8, 3, 0x100, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len;
        struct nest nest = {0};
        struct err e = {0};
        const uint8_t *code = bytes_of(cases[i].hex, &len, a);
        const bool found = nest_find(code, len, 0x100, cases[i].arch, a, &nest, &e);
        if (!ok(found && nest.n == cases[i].n && nest.most == cases[i].most, "%s: %d loops %s",
                cases[i].name, nest.n, e.text)) {
            continue;
        }
        const struct nest_loop *l = &nest.loops[nest.most];
        ok(l->address == cases[i].address && l->loop.n == cases[i].insns &&
               l->n_branches == cases[i].branches && l->loop.inner_first == -1,
           "%s: at 0x%llx, %d instructions, %d branches", cases[i].name,
           (unsigned long long)l->address, l->loop.n, l->n_branches);
        is_near(l->vector_bytes, cases[i].vector_bytes, 0, "its vector work");
    }
}

static void refusals(struct arena *a)
{
    static const struct {
        const char *name, *hex, *says;
        bool range;
    } cases[] = {
        {"no loop", "90c3", "no loop: no branch goes backwards", false},
        {"a branch into an instruction", "b89090909075fac3", "no loop", false},
        {"an instruction cut off", "48ffc8c5", "not an instruction", true},
        {"a return", "48ffc8c37500", "never comes to an end", true},
        {"a jump into an instruction", "eb01b89090909048ffc8", "never comes to an end", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len;
        struct nest nest;
        struct nest_loop l;
        struct err e = {0};
        const uint8_t *code = bytes_of(cases[i].hex, &len, a);
        const bool fine = cases[i].range ? nest_range(code, len, 0x100, ARCH_X86_64, a, &l, &e)
                                         : nest_find(code, len, 0x100, ARCH_X86_64, a, &nest, &e);
        ok(!fine && strstr(e.text, cases[i].says), "%s: %s", cases[i].name, e.text);
    }
}

static void markers(struct arena *a)
{
    static const struct {
        const char *name, *hex;
        enum code_arch arch;
        bool found;
        size_t first, end;
    } cases[] = {
        {"IACA", "90bb6f00000064679048ffc875fbbbde000000646790", ARCH_X86_64, true, 9, 14},
        {"OSACA on AArch64", "e10d80d2d503201f210001cbc11b80d2d503201f", ARCH_AARCH64, true, 8, 12},
        {"nop in the order of memory", "e10d80d21f2003d5210001cbc11b80d21f2003d5", ARCH_AARCH64,
         true, 8, 12},
        {"no end", "bb6f00000064679048ffc8", ARCH_X86_64, false, 0, 0},
        {"of another machine", "bb6f000000646790bbde000000646790", ARCH_AARCH64, false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len;
        struct marked m = {0};
        const uint8_t *code = bytes_of(cases[i].hex, &len, a);
        const bool found = markers_next(code, len, cases[i].arch, 0, &m);
        ok(found == cases[i].found && m.first == cases[i].first && m.end == cases[i].end,
           "markers: %s", cases[i].name);
    }
    static const char assembly[] = "f:\n\t# LLVM-MCA-BEGIN hot\n nop # LLVM-MCA-END not alone\n"
                                   "// OSACA-END\n";
    struct text out = {.arena = a};
    ok(markers_to_labels((struct bytes){assembly, sizeof assembly - 1}, &out) == 1, "one range");
    is_text(out.data,
            "f:\n\t.type gambrel.marker.begin.1, %function\ngambrel.marker.begin.1:\n"
            " nop # LLVM-MCA-END not alone\n"
            "\t.type gambrel.marker.end.1, %function\ngambrel.marker.end.1:\n",
            "comments become labels");
}

static bool lift(const char *hex, enum code_arch arch, struct lift_wishes w, struct arena *a,
                 struct kernel *k, struct text *notes)
{
    size_t len;
    struct nest nest;
    struct err e = {0};
    const uint8_t *code = bytes_of(hex, &len, a);
    const bool fine = nest_find(code, len, 0x100, arch, a, &nest, &e) &&
                      lift_kernel(&nest.loops[nest.most], &w, a, k, notes, &e);
    return ok(fine, "lifts %s", e.text);
}

static const struct lift_wishes defaults = {.name = "k",
                                            .formula = "f",
                                            .element_bytes = (double)NAN,
                                            .elements_per_iter = (double)NAN,
                                            .align_bytes = 64};

static void lifting(struct arena *a)
{
    struct kernel k;
    struct text notes = {.arena = a};
    if (lift(TWO, ARCH_X86_64, defaults, a, &k, &notes)) {
        const struct kernel_body *b = k.bodies;
        ok(k.element_bytes == 8 && b->elements_per_iter == 4 && k.flops_per_element == 1,
           "elements from strides and flops");
        ok(k.n_streams == 2 && k.streams[0].kind == STREAM_UPDATE &&
               k.streams[1].kind == STREAM_READ,
           "streams");
        is_text(k.roof, "read_update", "the roof of that mix");
        is_text(b->isa, "avx2", "instruction set");
        ok(b->loads_per_iter == 2 && b->stores_per_iter == 1 && b->flops_per_iter == 4 &&
               b->crossing_loads_per_iter == 0,
           "loads, stores, flops");
        ok(strstr(notes.data, "[rdi + rax*8], 32 bytes an iteration, update") &&
               strstr(notes.data, "64 bytes loaded and 32 stored"),
           "strides and bytes in the notes");
    }
    struct lift_wishes w = defaults;
    w.align_bytes = 8;
    w.elements_per_iter = 2;
    if (lift(TWO, ARCH_X86_64, w, a, &k, &notes)) {
        ok(k.bodies->crossing_loads_per_iter == 2 * 3.0 / 8 && k.flops_per_element == 2,
           "alignment of 8 bytes: 3 of 8 places cross; elements as asked for");
    }
    notes.len = 0;
    if (lift(A64, ARCH_AARCH64, defaults, a, &k, &notes)) {
        ok(k.element_bytes == 8 && k.bodies->elements_per_iter == 2 &&
               strcmp(k.bodies->isa, "neon") == 0 && k.n_streams == 2,
           "AArch64, with an address that is written back");
    }
    notes.len = 0;
    if (lift(NESTED, ARCH_X86_64, defaults, a, &k, &notes)) {
        ok(k.bodies->elements_per_iter == 1 && k.element_bytes == 4 && k.n_streams == 2 &&
               strstr(notes.data, "1 conditional branch inside the loop goes the straight way on"),
           "a branch is assumed not taken, and said");
    }
    w = defaults;
    w.elements_per_iter = 0;
    struct err e = {0};
    struct nest nest;
    size_t len;
    const uint8_t *code = bytes_of(TWO, &len, a);
    ok(nest_find(code, len, 0, ARCH_X86_64, a, &nest, &e) &&
           !lift_kernel(nest.loops, &w, a, &k, &notes, &e) && e.code == ERR_RANGE,
       "no elements: %s", e.text);
}

/* What is written reads back as the same, and its code as the same loop. */
static void round_trip(struct arena *a)
{
    struct kernel k;
    struct text notes = {.arena = a};
    struct bytes yaml;
    struct err e = {0};
    struct nest_loop l;
    if (!lift(TWO, ARCH_X86_64, defaults, a, &k, &notes) ||
        !ok(kernels_write(&(struct kernels){.kernels = &k, .n_kernels = 1}, a, &yaml, &e),
            "written %s", e.text)) {
        return;
    }
    const struct kernels *back = kernels_read(yaml, "written", a, &e);
    if (!test_fine(&e, "read back")) {
        return;
    }
    const struct kernel_body *b = kernel_body(&back->kernels[0], "avx2");
    is_text(b->code, k.bodies->code, "code");
    ok(b->n_forms == k.bodies->n_forms && b->forms[3].count == 1 &&
           strcmp(b->forms[3].form, "add r64, imm") == 0,
       "forms");
    ok(nest_of_body(b, a, &l, &e) && l.loop.n == 6, "the loop again %s", e.text);
    struct bytes again;
    ok(kernels_write(back, a, &again, &e), "written again");
    test_same_bytes(yaml, again, "as before");
    struct kernel_body bad = *b;
    bad.code = "48ffc8c5";
    ok(!nest_of_body(&bad, a, &l, &e) && e.loc.line == b->loc.line, "bad code has its place: %s",
       e.text);
}

int main(void)
{
    struct arena *a = test_arena();
    finding(a);
    refusals(a);
    markers(a);
    lifting(a);
    round_trip(a);
    arena_release(a);
    return tap_done();
}
