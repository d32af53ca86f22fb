/* What was measured or published of real cores, against what their machine files predict; and every
 * machine file's dual against the closed form of its ports. */
#include "base/file.h"
#include "formats/blocks.h"
#include "model/ceiling.h"
#include "tests/tap.h"

#include <glob.h>
#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

#define ZEN5    "machines/zen5-server.yaml"
#define SKYLAKE "machines/skylake-sp.yaml"
#define M4      "machines/apple-m4-pro.yaml"

static struct cost_table *open_machine(const char *file, struct arena *a)
{
    struct bytes bytes;
    struct err e = {0};
    char text[512];
    const struct machine *m =
        file_read(file, a, &bytes, &e) ? machine_read(bytes, file, a, &e) : NULL;
    struct cost_table *t = m ? cost_compile(m, COST_PORTS, a, &e) : NULL;
    if (!t) {
        ok(false, "%s", err_describe(&e, text, sizeof text));
    }
    return t;
}

/* Zen 5: measured in a two-core KVM guest on an EPYC of family 26, cycles by a chain of dependent
 * adds, medians.  Skylake: published port mappings and rates. */
static const struct {
    const char *file, *block;
    double crossing_loads, cycles, tolerance;
    const char *source;
} blocks[] = {
    {ZEN5, "2 vfmadd231ps zmm, zmm, zmm; 2 vaddps zmm, zmm, zmm", 0, 1.005, 0.05, "measured"},
    {ZEN5, "1 vfmadd231ps ymm, ymm, ymm; 1 vaddps ymm, ymm, ymm", 0, 0.500, 0.05, "measured"},
    {ZEN5, "1 vfmadd231ps zmm, zmm, m512", 0, 0.500, 0.05, "measured"},
    {ZEN5, "2 mov r64, m64; 2 mov m64, r64", 0, 1.000, 0.05, "measured"},
    {ZEN5, "2 vmovups ymm, m256; 1 vmovups m256, ymm", 0, 1.000, 0.05, "measured"},
    {ZEN5, "1 vmovups m512, zmm", 0, 1.000, 0.05, "measured"},
    {ZEN5, "1 vmovups m128, xmm", 0, 0.500, 0.05, "measured"},
    {ZEN5, "8 mov r64, r64", 0, 1.083, 0.10, "measured; the renamer gives 7.4 a cycle"},
    {ZEN5, "7 vmovups xmm, m128; 1 vmovups m128, xmm", 1.5, 4.247, 0.05, "measured stencil"},
    {ZEN5, "7 vmovups ymm, m256; 1 vmovups m256, ymm", 3, 4.998, 0.05, "measured stencil"},
    {ZEN5, "7 vmovups zmm, m512; 1 vmovups m512, zmm", 6, 6.498, 0.05, "measured stencil"},
    {SKYLAKE, "bsr r64, r64", 0, 1, 1e-9, "PALMED, figure 1"},
    {SKYLAKE, "addss xmm, xmm", 0, 0.5, 1e-9, "PALMED, figure 1"},
    {SKYLAKE, "2 addss xmm, xmm; 1 bsr r64, r64", 0, 1.5, 1e-9, "PALMED, figure 1: IPC 2"},
    {SKYLAKE, "1 addss xmm, xmm; 2 bsr r64, r64", 0, 2, 1e-9, "PALMED, figure 1: IPC 1.5"},
    {SKYLAKE, "jmp rel", 0, 1, 1e-9, "PALMED, figure 1"},
    {SKYLAKE, "jnle rel", 0, 0.5, 1e-9, "PALMED, figure 1"},
    {SKYLAKE, "1 addss xmm, xmm; 1 jnle rel", 0, 2.0 / 3, 1e-9, "PALMED, figure 1: r016"},
    {SKYLAKE, "3 movq2dq xmm, mm", 0, 3, 1e-9, "uops.info, 7.3.3: 1*p0+1*p015, not 2*p5"},
};

static void test_blocks(struct arena *a)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct cost_table *t = open_machine(blocks[i].file, a);
        struct ceiling_bound bound = {.cycles = (double)NAN};
        struct block b;
        struct err e = {0};
        if (!t || !block_parse(blocks[i].block, LOC_NONE, a, &b, &e)) {
            ok(false, "%s: %s", blocks[i].block, e.text);
            continue;
        }
        struct cost c = cost_new(t);
        cost_add_block(&c, b.forms, b.n_forms);
        cost_add_crossings(&c, strstr(blocks[i].block, "zmm") ? "avx512" : "",
                           blocks[i].crossing_loads, 0);
        ok(ceiling_of_cost(&c, &bound, &e) && c.n_unknown == 0, "%s: every form is known",
           blocks[i].block);
        is_near(bound.cycles / blocks[i].cycles, 1, blocks[i].tolerance, blocks[i].source);
    }
}

/* Zen 5: ten nops and the pair took 1.41 cycles where they fused and 1.53 where they did not. */
static const struct {
    const char *first, *second;
    bool fuses;
} pairs[] = {
    {"lea r64, agen", "jnz rel", false}, {"mov r64, r64", "jnz rel", false},
    {"cmp r64, r64", "jnz rel", true},   {"test r64, r64", "jnz rel", true},
    {"test r64, imm", "jnz rel", true},  {"add r64, r64", "jnz rel", true},
    {"sub r64, r64", "jnz rel", true},   {"inc r64", "jo rel", true},
    {"dec r64", "jo rel", true},         {"and r64, r64", "jnz rel", true},
    {"or r64, r64", "jnz rel", true},    {"xor r64, r64", "jnz rel", true},
    {"neg r64", "jnz rel", false},       {"shl r64, imm", "jnz rel", false},
    {"cmp m64, r64", "jo rel", true},    {"cmp m64, imm", "jo rel", true},
    {"adc r64, r64", "jo rel", false},
};

static void test_pairs(struct arena *a)
{
    struct cost_table *t = open_machine(ZEN5, a);
    for (size_t i = 0; t && i < sizeof pairs / sizeof *pairs; i++) {
        ok((cost_of_pair(t, pairs[i].first, pairs[i].second) != NULL) == pairs[i].fuses,
           "%s with %s: %s", pairs[i].first, pairs[i].second,
           pairs[i].fuses ? "fuses" : "does not fuse");
    }
}

static double flops_per_cycle(struct cost_table *t, const struct kernel *k, const char *isa)
{
    const struct kernel_body *body = k ? kernel_body(k, isa) : NULL;
    struct kernel_ceiling c = {.rate = (double)NAN};
    struct err e = {0};
    if (!body) {
        return (double)NAN;
    }
    const struct kernel_ceiling_input in = {.kernel = k, .body = body, .threads = 1, .clock_hz = 1};
    return ceiling_of_kernel(t, &in, &c, &e) ? c.rate : (double)NAN;
}

/* Seven loads on three pipes, thirteen flops: 0.696 of four FMA pipes. */
static void test_stencil(struct arena *a)
{
    struct bytes bytes;
    struct err e = {0};
    struct cost_table *t = open_machine(M4, a);
    const struct kernels *k = file_read("kernels.yaml", a, &bytes, &e)
                                  ? kernels_read(bytes, "kernels.yaml", a, &e)
                                  : NULL;
    if (!t || !k) {
        ok(false, "kernels.yaml: %s", e.text);
        return;
    }
    is_near(flops_per_cycle(t, kernels_find(k, "stencil"), "neon") /
                flops_per_cycle(t, kernels_find(k, "fma_f32"), "neon"),
            13.0 / 7 * 3 / 8, 1e-9, "the stencil on an Apple M4: 0.696 of the peak");
}

/* Random forms, fused pairs, eliminated moves, crossings, and memory forms that may be composed. */
static void add_random(struct cost *c, const struct machine *m)
{
    static const char *const others[] = {"vsubps ymm, ymm, m256", "add r64, m64", "mov r64, r64",
                                         "vmaxpd zmm, zmm, m512", "imul r64, m64"};
    const double count = rand() % 3 ? 1 + rand() % 4 : rand() / (double)RAND_MAX;
    switch (rand() % 8) {
    case 0:
        cost_add_crossings(c, count < 3 ? "avx2" : "avx512", count, 0);
        break;
    case 1:
        cost_add(c, cost_of_form(c->table, others[rand() % 5]), count);
        break;
    case 2:
        if (m->n_fusions > 0) {
            const struct machine_fusion *f = &m->fusions[rand() % m->n_fusions];
            const struct cost_row *row = cost_of_pair(c->table, f->first, f->second);
            cost_add(c, row ? row : cost_of_form(c->table, f->first), count);
        }
        break;
    default:
        cost_add(c, cost_of_form(c->table, m->forms[rand() % m->n_forms].form), count);
    }
}

static int count_agreeing(struct cost_table *t, int n_blocks)
{
    struct cost c = cost_new(t);
    int agree = 0;
    for (int i = 0; i < n_blocks; i++) {
        struct ceiling_bound dual;
        struct ports_bound closed = {.cycles = (double)NAN};
        struct err e = {0};
        cost_clear(&c);
        for (int k = 1 + rand() % 8; k > 0; k--) {
            add_random(&c, cost_machine(t));
        }
        const struct ports_problem p = cost_problem(&c);
        agree += ceiling_of_cost(&c, &dual, &e) && ports_bound(&p, &closed, &e) &&
                 fabs(dual.cycles - closed.cycles) <= 1e-9 * fmax(1, closed.cycles);
    }
    return agree;
}

static void test_duals(void)
{
    enum { BLOCKS = 1000, SEED = 17 };
    glob_t files;
    if (glob("machines/*.yaml", 0, NULL, &files) != 0) {
        ok(false, "no machine files");
        return;
    }
    srand(SEED);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct arena *a = arena_create((size_t)1 << 28, oom, NULL);
        struct cost_table *t = open_machine(files.gl_pathv[i], a);
        const int agree = t ? count_agreeing(t, BLOCKS) : 0;
        ok(agree == BLOCKS, "%s: dual and closed form agree on %d of %d blocks (seed %d)",
           files.gl_pathv[i], agree, BLOCKS, SEED);
        arena_release(a);
    }
    globfree(&files);
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 28, oom, NULL);
    test_blocks(a);
    test_pairs(a);
    test_stencil(a);
    test_duals();
    arena_release(a);
    return tap_done();
}
