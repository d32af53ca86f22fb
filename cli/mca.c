#include "cli/mca.h"

#include "base/child.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block that llvm-mca refuses spoils its whole run, so runs are of a few; those of a spoilt one
 * are tried one by one. */
enum { GROUP = 64, SECONDS_MAX = 60 };

/* What follows `mov $SEPARATOR, %eax`, of which each block is preceded, is the block. */
#define SEPARATOR      "0xb8 0x6d 0x63 0x61 0x21\n"
#define SEPARATOR_WORD "$560030573" /* 0x2161636d */

static bool run(const char *const *command, const struct text *input, struct text *out,
                struct child_end *end, struct err *e)
{
    struct text errors = {.arena = out->arena};
    const struct child_program p = {command, {input->data, input->len}, SECONDS_MAX};
    return child_run(&p, out, &errors, end, e);
}

static void add_bytes(const char *hex, struct text *out)
{
    text_add(out, SEPARATOR);
    for (; hex[0] && hex[1]; hex += 2) {
        text_add(out, "0x%c%c ", hex[0], hex[1]);
    }
    text_add(out, "\n");
}

/* Assembly of the blocks, each between the comments that llvm-mca wants. */
static bool disassemble(const struct mca_code *codes, const size_t *which, size_t n,
                        struct text *out, struct err *e)
{
    static const char *const command[] = {"llvm-mc", "--disassemble", "--triple=x86_64-linux-gnu",
                                          "--mattr=+avx512f", NULL};
    struct text bytes = {.arena = out->arena}, assembly = bytes;
    struct child_end end;
    bool open = false;
    for (size_t i = 0; i < n; i++) {
        add_bytes(codes[which[i]].hex, &bytes);
    }
    if (!run(command, &bytes, &assembly, &end, e)) {
        return false;
    }
    for (const char *line = assembly.data ? assembly.data : ""; *line;) {
        const size_t len = strcspn(line, "\n");
        const bool separates = memmem(line, len, SEPARATOR_WORD, strlen(SEPARATOR_WORD)) != NULL;
        if (separates) {
            text_add(out, "%s# LLVM-MCA-BEGIN\n", open ? "# LLVM-MCA-END\n" : "");
            open = true;
        } else if (len > 0 && line[1] != '.') {
            text_add(out, "%.*s\n", (int)len, line);
        }
        line += len + (line[len] == '\n');
    }
    text_add(out, "%s", open ? "# LLVM-MCA-END\n" : "");
    return true;
}

/* Fills cycles[which[..n)] of all iterations if the run gives as many totals as there are
 * blocks. */
static bool take_totals(const char *report, const size_t *which, size_t n, double *cycles)
{
    static const char label[] = "Total Cycles:";
    size_t found = 0;
    for (const char *at = strstr(report, label); at; at = strstr(at + 1, label)) {
        if (found < n) {
            cycles[which[found]] = strtod(at + sizeof label - 1, NULL);
        }
        found++;
    }
    for (size_t i = 0; i < n && found != n; i++) {
        cycles[which[i]] = (double)NAN;
    }
    return found == n;
}

struct job {
    const struct mca_code *codes;
    int iterations;
    const char *cpu;
    struct arena *arena;
    double *cycles;
};

/* *taken: all of them were predicted. */
static bool predict_group(const struct job *j, const size_t *which, size_t n, bool *taken,
                          struct err *e)
{
    struct text assembly = {.arena = j->arena}, report = {.arena = j->arena};
    char mcpu[64], iterations[32];
    struct child_end end;
    snprintf(mcpu, sizeof mcpu, "--mcpu=%s", j->cpu);
    snprintf(iterations, sizeof iterations, "--iterations=%d", j->iterations);
    const char *const command[] = {
        "llvm-mca", "--mtriple=x86_64-linux-gnu", mcpu,
        iterations, "--instruction-info=0",       "--resource-pressure=0",
        NULL};
    if (!disassemble(j->codes, which, n, &assembly, e) ||
        !run(command, &assembly, &report, &end, e)) {
        return false;
    }
    *taken = !end.timed_out && !end.signal && end.status == 0 &&
             take_totals(report.data ? report.data : "", which, n, j->cycles);
    return true;
}

/* It is written through the job. NOLINTNEXTLINE(readability-non-const-parameter) */
bool mca_predict(const struct mca_codes *from, const char *cpu, struct arena *a, double *cycles,
                 struct err *e)
{
    const struct job j = {from->codes, from->iterations, cpu, a, cycles};
    const struct mca_code *codes = from->codes;
    const size_t n = from->n;
    size_t which[GROUP], n_which = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && codes[i].hex) {
            which[n_which++] = i;
        }
        if (n_which < GROUP && i < n) {
            continue;
        }
        bool taken = true;
        if (n_which > 0 && !predict_group(&j, which, n_which, &taken, e)) {
            return false;
        }
        for (size_t k = 0; k < n_which && !taken; k++) {
            bool alone;
            if (!predict_group(&j, &which[k], 1, &alone, e)) {
                return false;
            }
        }
        n_which = 0;
    }
    for (size_t i = 0; i < n; i++) {
        cycles[i] /= codes[i].hex ? from->iterations * codes[i].copies : 1;
    }
    return true;
}
