/* bench_infer - what an inference on this machine is worth: two of them, and llvm-mca beside them
 * where it is installed, on blocks that no fit has seen.  Limits that the project set itself: 150
 * forms, 4 % mean, 6 % RMS, tau 0.9; two inferences differ by 3 % on the mean.  Takes twice
 * INFER_SECONDS (150). */
#include "base/file.h"
#include "code/decode.h"
#include "compare/accuracy.h"
#include "formats/blocks.h"
#include "formats/machine.h"
#include "measure/experiment.h"

#include <Zydis/Zydis.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS_MAX = 2000, PATH = 4096, MCA_ITERATIONS = 20 };

static _Noreturn void stop(const char *why)
{
    fprintf(stderr, "bench_infer: %s\n", why);
    exit(1);
}

static _Noreturn void oom(void *context)
{
    (void)context;
    stop("out of memory");
}

static void infer(const char *program, const char *folder, int seed, char machine[PATH],
                  char check[PATH])
{
    const char *seconds = getenv("INFER_SECONDS");
    char command[4 * PATH];

    snprintf(machine, PATH, "%s/machine%d.yaml", folder, seed);
    snprintf(check, PATH, "%s/check%d.csv", folder, seed);
    snprintf(command, sizeof command, "%s infer --seconds %s --seed %d --check %s -o %s", program,
             seconds ? seconds : "150", seed, check, machine);
    if (system(command) != 0) {
        stop("gambrel infer failed");
    }
}

static struct machine *read_machine(const char *path, struct arena *a)
{
    struct bytes content;
    struct err e = {0};
    struct machine *m =
        file_read(path, a, &content, &e) ? machine_read(content, path, a, &e) : NULL;

    if (!m) {
        stop(e.text);
    }
    return m;
}

static int read_blocks(const char *path, struct arena *a, struct block blocks[BLOCKS_MAX])
{
    struct err e = {0};
    struct block_reader *r = blocks_open(path, a, &e);
    int n = 0;

    while (r && n < BLOCKS_MAX && blocks_next(r, a, &blocks[n], &e)) {
        n++;
    }
    if (e.code) {
        stop(e.text);
    }
    return n;
}

static double size_of(const struct block *b)
{
    double n = 0;

    for (int k = 0; k < b->n_forms; k++) {
        n += b->forms[k].count;
    }
    return n;
}

/* The conjunctive bound by the machine file alone; NaN where it lacks a form. */
static double predict(const struct machine *m, const struct block *b)
{
    double load[MACHINE_PORTS_MAX * 4] = {0}, most = 0;

    for (int k = 0; k < b->n_forms; k++) {
        const struct machine_form *f = NULL;
        for (int i = 0; i < m->n_forms && !f; i++) {
            f = strcmp(m->forms[i].form, b->forms[k].form) == 0 ? &m->forms[i] : NULL;
        }
        if (!f) {
            return NAN;
        }
        for (int u = 0; u < f->n_uses; u++) {
            load[f->uses[u].resource] += b->forms[k].count * f->uses[u].cycles;
        }
    }
    for (int r = 0; r < m->n_resources; r++) {
        most = fmax(most, load[r]);
    }
    return most;
}

/* --- llvm-mca: the instructions of the kernel that was measured
 * ------------------------------------ */

static void write_loop(const struct probe_coder *coder, const struct probe_block *b, int *repeats,
                       FILE *to)
{
    uint8_t code[PROBE_CODE_BYTES];
    struct probe_code shape;
    struct err e = {0};

    if (!probe_code_emit(coder, b, code, &shape, &e)) {
        stop(e.text);
    }
    *repeats = shape.blocks_per_trip;
    fprintf(to, "# LLVM-MCA-BEGIN\n");
    for (size_t at = shape.loop_start; at < shape.loop_end;) {
        ZydisDisassembledInstruction z;
        ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, 0, code + at, shape.loop_end - at, &z);
        at += z.info.length;
        if (z.info.meta.category != ZYDIS_CATEGORY_COND_BR && at + 16 < PROBE_CODE_BYTES) {
            fprintf(to, "%s\n", z.text);
        }
    }
    fprintf(to, "# LLVM-MCA-END\n");
}

/* Cycles of one block, NaN where llvm-mca does not know an instruction or the core. */
static double ask_mca(const struct probe_coder *coder, const struct probe_block *b,
                      const char *folder)
{
    char path[PATH], command[2 * PATH], line[512];
    double cycles = NAN;
    int repeats = 1;

    snprintf(path, sizeof path, "%s/block.s", folder);
    FILE *file = fopen(path, "w");
    if (!file) {
        stop("cannot write");
    }
    fprintf(file, ".intel_syntax noprefix\n");
    write_loop(coder, b, &repeats, file);
    fclose(file);
    snprintf(command, sizeof command, "llvm-mca -mcpu=native -iterations=%d %s 2>/dev/null",
             MCA_ITERATIONS, path);
    FILE *out = popen(command, "r");
    while (out && fgets(line, sizeof line, out)) {
        double total;
        if (sscanf(line, "Total Cycles: %lf", &total) == 1) {
            cycles = total / MCA_ITERATIONS / repeats;
        }
    }
    if (out) {
        pclose(out);
    }
    return cycles;
}

static void ask_mca_all(const struct block *blocks, int n, const char *folder, struct arena *a,
                        double *rates)
{
    struct err e = {0};
    struct decoder *d = decoder_open(ARCH_X86_64, &e);
    const struct probe_coder *coder = probe_coder_new(a, &e);
    int n_forms;
    const struct probe_form *forms = probe_forms_list(d, a, &n_forms, &e);

    for (int k = 0; k < n; k++) {
        struct probe_block b;
        const char *missing;
        rates[k] = NAN;
        if (experiment_block(&blocks[k], forms, n_forms, a, &b, &missing)) {
            rates[k] = size_of(&blocks[k]) / ask_mca(coder, &b, folder);
        }
    }
    decoder_close(d);
}

static void print_row(const char *name, const double *predicted, const double *measured, int n,
                      struct arena *a)
{
    const struct accuracy x = accuracy_of(predicted, measured, n, a);

    printf("%-16s %6.2f %% %6.2f %% %7.3f %6.1f %%\n", name, 100 * x.mape, 100 * x.rms,
           x.kendall_tau, 100 * x.coverage);
}

int main(int argc, char **argv)
{
    struct arena *a = arena_create((size_t)1 << 30, oom, NULL);
    const char *build = getenv("BUILD");
    const char *program =
        argc > 1 ? argv[1] : arena_format(a, "%s/gambrel", build ? build : "build");
    char folder[] = "/tmp/bench_infer.XXXXXX", paths[2][PATH], checks[2][PATH];
    static struct block blocks[BLOCKS_MAX];
    static double measured[BLOCKS_MAX], rates[3][BLOCKS_MAX];
    double apart = 0;

    if (!mkdtemp(folder)) {
        stop("no folder for temporary files");
    }
    struct machine *m[2];
    for (int k = 0; k < 2; k++) {
        infer(program, folder, k + 1, paths[k], checks[k]);
        m[k] = read_machine(paths[k], a);
    }
    const int n = read_blocks(checks[0], a, blocks);
    int both = 0;
    for (int k = 0; k < n; k++) {
        measured[k] = size_of(&blocks[k]) / blocks[k].cycles;
        for (int i = 0; i < 2; i++) {
            rates[i][k] = size_of(&blocks[k]) / predict(m[i], &blocks[k]);
        }
        if (!isnan(rates[0][k]) && !isnan(rates[1][k])) {
            apart += fabs(rates[0][k] / rates[1][k] - 1);
            both++;
        }
    }
    printf("%d forms, %d fresh blocks\n%-16s %8s %8s %7s %8s\n", m[0]->n_forms, n, "", "mean",
           "RMS", "tau", "coverage");
    print_row("gambrel, seed 1", rates[0], measured, n, a);
    print_row("gambrel, seed 2", rates[1], measured, n, a);
    if (system("llvm-mca --version >/dev/null 2>&1") == 0) {
        ask_mca_all(blocks, n, folder, a, rates[2]);
        print_row("llvm-mca", rates[2], measured, n, a);
    }
    printf("the two inferences differ by %.2f %% on the mean of %d blocks\n", 100 * apart / both,
           both);
    for (int k = 0; k < 2; k++) {
        unlink(paths[k]);
        unlink(checks[k]);
    }
    unlink(arena_format(a, "%s/block.s", folder));
    rmdir(folder);
    arena_release(a);
    return 0;
}
