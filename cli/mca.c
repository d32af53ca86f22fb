#include "cli/mca.h"

#include "base/child.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block that llvm-mca refuses spoils its whole run, so runs are of a few; those of a spoilt one
 * are tried one by one. */
enum { GROUP = 64, SECONDS_MAX = 60, ALONE_SECONDS_MAX = 5, HANGING_MAX = 3 };

/* What follows `mov $SEPARATOR, %eax`, of which each block is preceded, is the block. */
#define SEPARATOR      "0xb8 0x6d 0x63 0x61 0x21\n"
#define SEPARATOR_WORD "$560030573" /* 0x2161636d */

struct job {
    const struct mca_code *codes;
    int iterations;
    const char *cpu;
    struct arena *arena;
    double *cycles;
    double seconds_max;    /* of one run */
    const char *complaint; /* what went wrong first; NULL: nothing */
    bool hangs;            /* the last run did */
};

/* A program that ends badly is no error here, but what it said is kept. */
static bool run(struct job *j, const char *const *command, const struct text *input,
                struct text *out, bool *well, struct err *e)
{
    struct text errors = {.arena = out->arena};
    struct child_end end;
    char words[CHILD_WORDS_BYTES], line[200];
    const struct child_program p = {command, {input->data, input->len}, j->seconds_max};
    if (!child_run(&p, out, &errors, &end, e)) {
        return false;
    }
    /* What llvm-mc cannot read it warns of, and leaves out. */
    const bool left_out = errors.data && strstr(errors.data, "invalid instruction encoding");
    *well = !end.timed_out && !end.signal && end.status == 0 && !left_out;
    j->hangs = end.timed_out;
    if (!j->complaint && !*well) {
        child_complaint(&errors, line, sizeof line);
        j->complaint = arena_format(j->arena, "%s%s%s%s%s", command[0], left_out ? "" : " ",
                                    left_out ? "" : child_words(&end, j->seconds_max, words),
                                    *line ? ": " : "", line);
    }
    return true;
}

static void add_bytes(const char *hex, struct text *out)
{
    text_add(out, SEPARATOR);
    for (; hex[0] && hex[1]; hex += 2) {
        text_add(out, "0x%c%c ", hex[0], hex[1]);
    }
    text_add(out, "\n");
}

/* Assembly of the blocks, each between the comments that llvm-mca wants; *well: all of it. */
static bool disassemble(struct job *j, const size_t *which, size_t n, struct text *out, bool *well,
                        struct err *e)
{
    static const char *const command[] = {"llvm-mc", "--disassemble", "--triple=x86_64-linux-gnu",
                                          "--mattr=+avx512f", NULL};
    struct text bytes = {.arena = out->arena}, assembly = bytes;
    bool open = false;
    for (size_t i = 0; i < n; i++) {
        add_bytes(j->codes[which[i]].hex, &bytes);
    }
    if (!run(j, command, &bytes, &assembly, well, e)) {
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
            const double total = strtod(at + sizeof label - 1, NULL);
            cycles[which[found]] = total > 0 && isfinite(total) ? total : (double)NAN;
        }
        found++;
    }
    for (size_t i = 0; i < n && found != n; i++) {
        cycles[which[i]] = (double)NAN;
    }
    return found == n;
}

/* *taken: all of them were predicted. */
static bool predict_group(struct job *j, const size_t *which, size_t n, bool *taken, struct err *e)
{
    struct text assembly = {.arena = j->arena}, report = {.arena = j->arena};
    char mcpu[64], iterations[32];
    snprintf(mcpu, sizeof mcpu, "--mcpu=%s", j->cpu);
    snprintf(iterations, sizeof iterations, "--iterations=%d", j->iterations);
    const char *const command[] = {
        "llvm-mca", "--mtriple=x86_64-linux-gnu", mcpu,
        iterations, "--instruction-info=0",       "--resource-pressure=0",
        NULL};
    j->seconds_max = n > 1 ? SECONDS_MAX : ALONE_SECONDS_MAX;
    if (!disassemble(j, which, n, &assembly, taken, e) ||
        (*taken && !run(j, command, &assembly, &report, taken, e))) {
        return false;
    }
    *taken = *taken && take_totals(report.data ? report.data : "", which, n, j->cycles);
    return true;
}

/* All at once, else one by one.  A tool that hangs on several of them hangs on all: no *more. */
static bool predict_some(struct job *j, const size_t *which, size_t n, bool *more, struct err *e)
{
    bool taken = true;
    int n_hanging = 0;
    if (n == 0 || !predict_group(j, which, n, &taken, e) || taken) {
        return e->code == ERR_NONE;
    }
    for (size_t k = 0; k < n && n_hanging < HANGING_MAX; k++) {
        if (!predict_group(j, &which[k], 1, &taken, e)) {
            return false;
        }
        n_hanging += j->hangs;
    }
    *more = n_hanging < HANGING_MAX;
    return true;
}

/* It is written through the job. NOLINTNEXTLINE(readability-non-const-parameter) */
bool mca_predict(const struct mca_codes *from, const char *cpu, struct arena *a, double *cycles,
                 const char **complaint, struct err *e)
{
    struct job j = {from->codes, from->iterations, cpu, a, cycles, 0, NULL, false};
    const struct mca_code *codes = from->codes;
    size_t which[GROUP], n_which = 0;
    bool more = true;
    for (size_t i = 0; i <= from->n && more; i++) {
        if (i < from->n && codes[i].hex) {
            which[n_which++] = i;
        }
        if (n_which < GROUP && i < from->n) {
            continue;
        }
        if (!predict_some(&j, which, n_which, &more, e)) {
            return false;
        }
        n_which = 0;
    }
    for (size_t i = 0; i < from->n; i++) {
        cycles[i] /= codes[i].hex ? from->iterations * codes[i].copies : 1;
    }
    *complaint = j.complaint;
    return true;
}
