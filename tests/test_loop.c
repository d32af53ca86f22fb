#include "base/text.h"
#include "code/loop.h"
#include "tests/tap.h"

#include <stdlib.h>

/* mov rcx, [rdi]; 1: vmovups zmm0, [rax]; vfmadd231ps zmm1, zmm0, [rax+64]; vmovups [rdx], zmm1;
 * add rax, 128; cmp rax, rcx; jb 1b; ret */
#define SIMPLE "488b0f62f17c48100062f27d48b8480162f17c48110a4805800000004839c872e2c3"

/* test rdi, rdi; jz 3f; 1: vxorps ymm0, ymm0, ymm0; mov ecx, 20; 2: vfmadd231ps ymm0, ymm1, [rax];
 * vmulps ymm2, ymm2, ymm3; dec ecx; jnz 2b; vmovups [rdx], ymm0; dec rdi; jnz 1b; vzeroupper; ret;
 * 3: ret */
#define NESTED "4885ff7423c5fc57c0b914000000c4e275b800c5ec59d3ffc975f3c5fc110248ffcf75e1c5f877c3c3"

/* 1: ldp q0, q1, [x1], #32; fmla v2.4s, v0.4s, v31.s[0]; fmla v3.4s, v1.4s, v31.s[0];
 * stp q2, q3, [x2], #32; subs x0, x0, #1; b.ne 1b; ret */
#define ARM "2004c1ac02109f4f23109f4f420c81ac000400f161ffff54c0035fd6"

static const struct {
    const char *name, *hex;
    enum code_arch arch;
    double trips;
    const char *want; /* forms | inner forms | loads, stores, flops */
} loops[] = {
    {"one loop", SIMPLE, ARCH_X86_64, 0,
     "1 vmovups zmm, m512; 1 vfmadd231ps zmm, zmm, m512; 1 vmovups m512, zmm; 1 add r64, imm; "
     "1 cmp r64, r64; 1 jb rel; | | 2 loads, 1 stores, 32 flops"},
    {"a loop in a loop", NESTED, ARCH_X86_64, 20,
     "1 vxorps ymm, ymm, ymm; 1 mov r32, imm; 1 vmovups m256, ymm; 1 dec r64; 1 jnz rel; | "
     "1 vfmadd231ps ymm, ymm, m256; 1 vmulps ymm, ymm, ymm; 1 dec r32; 1 jnz rel; | "
     "20 loads, 1 stores, 480 flops"},
    {"trips unknown", NESTED, ARCH_X86_64, 0,
     "1 vxorps ymm, ymm, ymm; 1 mov r32, imm; 1 vmovups m256, ymm; 1 dec r64; 1 jnz rel; | "
     "1 vfmadd231ps ymm, ymm, m256; 1 vmulps ymm, ymm, ymm; 1 dec r32; 1 jnz rel; | "
     "nan loads, nan stores, nan flops"},
    {"AArch64", ARM, ARCH_AARCH64, 0,
     "1 ldp q, q, m256, post; 2 fmla v.4s, v.4s, v.s[i]; 1 stp q, q, m256, post; "
     "1 subs x, x, imm; 1 b.ne rel; | | 1 loads, 1 stores, 16 flops"},
    /* 1: dec rdi; js 2f; ret; 2: dec rsi; jnz 1b; ret */
    {"a return that the loop jumps over", "48ffcf7801c348ffce75f5c3", ARCH_X86_64, 0,
     "2 dec r64; 1 js rel; 1 ret; 1 jnz rel; | | 1 loads, 0 stores, 0 flops"},
    /* 1: dec rdi; js 1b; dec rsi; jnz 1b; ret */
    {"two ways back to one head", "48ffcf78fb48ffce75f6c3", ARCH_X86_64, 0,
     "2 dec r64; 1 js rel; 1 jnz rel; | | 0 loads, 0 stores, 0 flops"},
};

static const struct {
    const char *name, *hex;
    enum err_code code;
    const char *text;
} refused[] = {
    {"no loop", "b801000000c3", ERR_RANGE, "no loop: no branch goes backwards"},
    {"loops side by side", "48ffcf75fb48ffce75fbc3", ERR_RANGE,
     "loops at 0x100 and 0x105 are not one inside the other"},
    {"two inner loops", "9048ffcf75fb48ffce75fbebf3c3", ERR_RANGE,
     "more than one loop inside the outermost: at 0x101 and 0x106"},
    {"overlapping loops", "48ffcf48ffce75f848ffca75f6c3", ERR_RANGE,
     "loops at 0x100 and 0x103 are not one inside the other"},
    {"into an instruction", "b89090909048ffcf75f8c3", ERR_RANGE,
     "the branch at 0x108 goes into the middle of an instruction"},
    {"no return", "48ffcf75fb", ERR_RANGE, "no return within the 5 bytes of the function"},
    {"not code", "48ffcf75fb06", ERR_SYNTAX, "not an instruction at address 0x105: 06"},
};

static void out_of_memory(void *context)
{
    (void)context;
    exit(1);
}

static bool find(const char *hex, enum code_arch arch, struct arena *a, struct code_loop *out,
                 struct err *e)
{
    uint8_t *code;
    size_t len;

    return code_from_hex(hex, LOC_NONE, a, &code, &len, e) &&
           loop_find(code, len, 0x100, arch, a, out, e);
}

static const char *describe(const struct loop_counts *c, struct arena *a)
{
    struct text t = {.arena = a};

    for (int k = 0; k < c->n_forms; k++) {
        text_add(&t, "%g %s; ", c->forms[k].count, c->forms[k].form);
    }
    text_add(&t, "| ");
    for (int k = 0; k < c->n_inner; k++) {
        text_add(&t, "%g %s; ", c->inner[k].count, c->inner[k].form);
    }
    if (isnan(c->flops_per_iter)) { /* its sign is not the point */
        text_add(&t, "| nan loads, nan stores, nan flops");
    } else {
        text_add(&t, "| %g loads, %g stores, %g flops", c->loads_per_iter, c->stores_per_iter,
                 c->flops_per_iter);
    }
    return t.data;
}

static void check_found(struct arena *a)
{
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        struct code_loop l;
        struct loop_counts c;
        struct err e = {0};
        const bool fine = find(loops[k].hex, loops[k].arch, a, &l, &e) &&
                          loop_count(&l, loops[k].trips, a, &c, &e);
        is_text(fine ? describe(&c, a) : e.text, loops[k].want, loops[k].name);
    }
}

static void check_refused(struct arena *a)
{
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct code_loop l;
        struct err e = {0};
        const bool found = find(refused[k].hex, ARCH_X86_64, a, &l, &e);
        is_text(found ? "found" : e.text, refused[k].text, refused[k].name);
        ok(e.code == refused[k].code, "%s: kind of error", refused[k].name);
    }
}

static void check_trips(struct arena *a)
{
    static const double wrong[] = {-1, (double)NAN, (double)INFINITY};
    struct code_loop l;
    struct loop_counts c;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct err e = {0};
        ok(find(SIMPLE, ARCH_X86_64, a, &l, &e) && !loop_count(&l, wrong[k], a, &c, &e) &&
               e.code == ERR_RANGE,
           "%g trips are refused", wrong[k]);
    }
}

static struct form_count simple_forms[] = {
    {"vmovups V, MV", 1},  {"vmovups MV, V", 1}, {"vfmadd231ps zmm, zmm, [m512]", 1},
    {"add r64, imm32", 1}, {"cmp r64, r64", 1},  {"jcc rel", 1},
};
static struct form_count nested_forms[] = {
    {"vxorps ymm, ymm, ymm", 1},
    {"mov r32, imm", 1},
    {"vmovups m256, ymm", 1},
    {"dec r64", 1},
    {"jne rel", 1},
};
static struct form_count nested_inner[] = {
    {"vfmadd231ps ymm, ymm, m256", 1}, {"vmulps ymm, ymm, ymm", 1}, {"dec r32", 1}, {"jne rel", 1}};

/* What a comparison says of SIMPLE or NESTED against a statement. */
static const char *compared(const char *hex, const struct kernel_body *stated, double flops,
                            int *differences, struct arena *a)
{
    struct code_loop l;
    struct loop_counts c;
    struct err e = {0};
    struct text t = {.arena = a};

    *differences = -1;
    if (!find(hex, ARCH_X86_64, a, &l, &e) || !loop_count(&l, stated->inner_trips, a, &c, &e)) {
        return e.text[0] ? arena_copy(a, e.text, strlen(e.text)) : "failed";
    }
    *differences = loop_compare(stated, flops, &c, &t);
    return t.data ? t.data : "";
}

static void check_compared(struct arena *a)
{
    struct kernel_body simple = {.elements_per_iter = 16,
                                 .forms = simple_forms,
                                 .n_forms = 6,
                                 .loads_per_iter = 2,
                                 .stores_per_iter = 1,
                                 .independent_chains = 1,
                                 .flops_per_iter = (double)NAN};
    struct kernel_body nested = {.elements_per_iter = 8,
                                 .forms = nested_forms,
                                 .n_forms = 5,
                                 .inner = nested_inner,
                                 .n_inner = 4,
                                 .inner_trips = 20,
                                 .loads_per_iter = (double)NAN,
                                 .stores_per_iter = (double)NAN,
                                 .independent_chains = (double)NAN,
                                 .flops_per_iter = (double)NAN};
    int n;

    is_text(compared(SIMPLE, &simple, 2, &n, a), "", "a true statement");
    ok(n == 0, "no difference");
    is_text(compared(NESTED, &nested, 60, &n, a), "", "a true statement of a loop in a loop");
    ok(n == 0, "no difference");
    is_text(compared(NESTED, &nested, 59, &n, a), "    flops: stated 472, the code has 480\n",
            "flops");
    ok(n == 1, "one difference");
    nested.flops_per_iter = 479;
    is_text(compared(NESTED, &nested, 1, &n, a), "    flops: stated 479, the code has 480\n",
            "flops that the body states");
    nested.flops_per_iter = (double)NAN;
    is_text(*compared(SIMPLE, &nested, 60, &n, a) ? "said" : "", "said", "another loop");
    ok(n > 5, "many differences");

    simple.loads_per_iter = 3;
    simple.n_forms = 5;
    is_text(compared(SIMPLE, &simple, 2, &n, a),
            "    jb rel: not stated, the code has 1\n    loads: stated 3, the code has 2\n",
            "a form and a load too few");
    ok(n == 2, "two differences");
    simple.inner = nested_inner;
    simple.n_inner = 1;
    simple.inner_trips = 4;
    simple.n_forms = 6;
    simple.loads_per_iter = 2;
    is_text(compared(SIMPLE, &simple, 2, &n, a),
            "    inner loop, vfmadd231ps ymm, ymm, m256: stated 1, the code has 0\n"
            "    inner loop: stated 4 trips, the code has none\n",
            "an inner loop that is not there");
    nested.inner_trips = 0;
    nested.n_inner = 0;
    compared(NESTED, &nested, 60, &n, a);
    ok(n == 5, "an inner loop that is not stated: its forms and the flops");
}

static void check_crossing_compared(struct arena *a)
{
    const struct kernel_body body = {.crossing_loads_per_iter = 2, .crossing_stores_per_iter = 0};
    struct text t = {.arena = a};

    ok(loop_compare_crossing(&body, (struct loop_crossing){2, 0}, &t) == 0 && t.len == 0,
       "crossing accesses as stated");
    ok(loop_compare_crossing(&body, (struct loop_crossing){1.5, 1}, &t) == 2, "both differ");
    is_text(t.data,
            "    loads that cross a line: stated 2, the code has 1.5\n"
            "    stores that cross a line: stated 0, the code has 1\n",
            "and are named");
}

static void check_chains_and_crossing(struct arena *a)
{
    /* 1: vmovups zmm0, [rax-4]; vaddps zmm1, zmm1, [rax+60]; vaddps zmm2, zmm0, zmm2; vmovaps zmm3,
     * zmm4; vmulps zmm4, zmm3, zmm3; vmovups [rdx+64], zmm2; add rax, 64; jnz 1b; ret: zmm1, zmm2
     * and, by way of zmm3, zmm4 go round. */
    const char *hex = "62f17c481080fcffffff62f1744858883c00000062f17c4858d262f17c4828dc62f16448"
                      "59e362f17c481152014883c04075cdc3";
    struct code_loop l;
    struct loop_counts c = {0};
    struct err e = {0};

    if (ok(find(hex, ARCH_X86_64, a, &l, &e) && loop_count(&l, 0, a, &c, &e), "found: %s",
           e.text)) {
        ok(c.chains == 3, "three chains, got %d", c.chains);
        const struct loop_crossing x = loop_crossing(&l, 0, 64), half = loop_crossing(&l, 0, 96);
        ok(x.loads == 2 && x.stores == 0, "lines crossed: %g loads, %g stores", x.loads, x.stores);
        ok(half.loads == 2 && half.stores == 0.5, "half of the time at half a line: %g, %g",
           half.loads, half.stores);
    }
    ok(find(NESTED, ARCH_X86_64, a, &l, &e) && loop_count(&l, 20, a, &c, &e) && c.chains == 2,
       "the inner loop's chains: ymm0, ymm2");
    ok(find(ARM, ARCH_AARCH64, a, &l, &e) && loop_count(&l, 0, a, &c, &e) && c.chains == 2,
       "AArch64: v2, v3");
    ok(loop_crossing(&l, 0, 32).loads == 0, "a pair of 32 bytes at multiples of 32");
    ok(loop_crossing(&l, 0, 16).loads == 0.25, "a pair of 32 bytes at multiples of 16");
}

static void check_hex(struct arena *a)
{
    static const struct {
        const char *hex, *text;
        unsigned column;
    } wrong[] = {
        {"0f1", "machine code of 3 digits: two make a byte", 7},
        {"", "machine code of 0 digits: two make a byte", 7},
        {"0fxy", "'x' in machine code: only hexadecimal digits", 9},
        {"0f\n0f", "'?' in machine code: only hexadecimal digits", 9},
    };
    const struct loc loc = {.file = "f", .line = 3, .column = 7};
    uint8_t *code = NULL;
    size_t len = 0;
    struct err fine = {0};

    ok(code_from_hex("0F1e", loc, a, &code, &len, &fine) && len == 2 && code[0] == 0x0f &&
           code[1] == 0x1e,
       "hexadecimal of both cases");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct err e = {0};
        const bool read = code_from_hex(wrong[k].hex, loc, a, &code, &len, &e);
        is_text(read ? "read" : e.text, wrong[k].text, wrong[k].text);
        ok(e.code == ERR_SYNTAX && e.loc.line == 3 && e.loc.column == wrong[k].column,
           "its place is column %u", wrong[k].column);
    }
}

int main(void)
{
    struct arena *a = arena_create(1 << 22, out_of_memory, NULL);

    check_found(a);
    check_refused(a);
    check_trips(a);
    check_compared(a);
    check_chains_and_crossing(a);
    check_crossing_compared(a);
    check_hex(a);
    arena_release(a);
    return tap_done();
}
