#include "code/loop.h"
#include "formats/machine.h"
#include "model/stores.h"
#include "tests/formats.h"

/* Stores of a trip: a letter for the place, a digit for which of those there; each trip goes on
 * where the last one ended.  Cycles that eight trips in a row took each, on family 6 model 207. */
static const struct {
    const char *stores;
    int bytes;
    double cycles;
} measured[] = {
    {"a0", 16, 0.501},       {"a0a1", 16, 1.003},       {"a0b0", 16, 1.996},
    {"a0a1b0", 16, 2.000},   {"a0b0b1", 16, 2.001},     {"a0a1b0b1", 16, 2.005},
    {"a0b0b1a1", 16, 2.502}, {"a0a1a2a3b0", 16, 3.002}, {"a0b0c0", 16, 2.994},
    {"a0b0a1b1", 16, 3.990}, {"a3a2a1a0", 16, 2.004},   {"a0", 32, 0.501},
    {"a0b0", 32, 1.994},     {"a0b0b1", 32, 1.998},     {"a0a1b0b1", 32, 2.006},
    {"a0b0b1a1", 32, 3.004}, {"a0b0a1b1", 32, 3.992},   {"a0", 8, 0.501},
    {"a0b0", 8, 1.997},      {"a0a1b0b1", 8, 2.008},    {"a0", 64, 1.006},
};

static int parse(const char *text, int bytes, struct store *stores)
{
    int n = 0, of[26] = {0};
    for (const char *at = text; *at; at += 2) {
        of[at[0] - 'a']++;
    }
    for (const char *at = text; *at; at += 2) {
        const int space = at[0] - 'a';
        stores[n++] = (struct store){(int64_t)(at[1] - '0') * bytes, (int64_t)of[space] * bytes,
                                     space, bytes};
    }
    return n;
}

static void patterns(void)
{
    struct store stores[16];
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const int n = parse(measured[i].stores, measured[i].bytes, stores);
        const double cycles = stores_cycles(stores, n, 1, 2);
        ok(fabs(cycles - measured[i].cycles) < 0.02, "%s of %d bytes: %.3f (%.3f)",
           measured[i].stores, measured[i].bytes, cycles, measured[i].cycles);
    }
    const struct store walking = {16, 32, 0, 32}, apart = {0, 128, 0, 8}, below = {-32, -32, 0, 32};
    ok(stores_cycles(&walking, 1, 1, 2) == 1.5, "every second one crosses a line (1.495)");
    ok(stores_cycles(&apart, 1, 1, 2) == 1, "a stride of two lines (0.999)");
    ok(stores_cycles(&below, 1, 1, 2) == 0.5, "downwards, below zero");
    ok(stores_cycles(NULL, 0, 1, 2) == 0, "none");
}

static void loops(void)
{
    struct insn insns[] = {
        {.form = "vmovups m256, ymm",
         .mem = {{.base = 1, .index = 3, .scale = 1, .bytes = 32, .write = true}},
         .n_mem = 1},
        {.form = "vmovups m256, ymm",
         .mem = {{.base = 2, .index = 3, .scale = 1, .bytes = 32, .write = true}},
         .n_mem = 1},
        {.form = "add r64, imm", .writes = {3}, .n_writes = 1, .stepped = 3, .step = 32},
    };
    const struct code_loop l = {.insns = insns, .n = 3, .inner_first = -1, .inner_last = -1};
    struct code_loop nested = l;
    nested.inner_first = 0;
    nested.inner_last = 2;
    struct machine m = {.store_line_cycles = 1};
    ok(stores_of_loop(&m, &l, 1) == 2, "two places");
    ok(stores_of_loop(&m, &nested, 10) == 20, "ten trips of an inner loop");
    insns[1].mem[0].base = 1;
    insns[1].mem[0].displacement = 32;
    insns[2].step = 64;
    ok(stores_of_loop(&m, &l, 1) == 1, "two in one line");
    strcpy(insns[1].form, "vscatterdps m256{k}, ymm");
    ok(stores_of_loop(&m, &l, 1) == 1, "a scatter's places are not known");
    m.store_line_cycles = (double)NAN;
    ok(stores_of_loop(&m, &l, 1) == 0, "no bound where the file says nothing");
}

int main(void)
{
    patterns();
    loops();
    return tap_done();
}
