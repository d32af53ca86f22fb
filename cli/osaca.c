#include "cli/osaca.h"

#include "base/child.h"
#include "compare/osaca_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SECONDS_MAX = 60,
    NOPS = 16,
    USAGE_STATUS = 2 /* of a Python program that is called wrongly */
};

/* --- assembly --- */

struct listing {
    struct text bytes;
    size_t *start;      /* [n + 1] of each block, in the bytes */
    size_t *end;        /* [n] the rest are nops, so that what is cut off reaches into no block */
    struct text *lines; /* [n] its assembly; without data where it is no code */
    bool *bad, *ended;  /* [n] has bytes that are no instruction; an instruction ends with it */
};

static int digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0';
}

static void collect_bytes(const char *const *hex, size_t n, struct listing *l)
{
    for (size_t i = 0; i < n; i++) {
        l->start[i] = l->bytes.len;
        for (const char *at = hex[i] ? hex[i] : ""; at[0] && at[1]; at += 2) {
            const char byte = (char)(digit(at[0]) * 16 + digit(at[1]));
            text_add_bytes(&l->bytes, &byte, 1);
        }
        l->end[i] = l->bytes.len;
        for (int k = 0; k < NOPS && l->end[i] > l->start[i]; k++) {
            text_add_bytes(&l->bytes, "\x90", 1);
        }
    }
    l->start[n] = l->bytes.len;
}

/* "   d:\tmovl   $0x1,(%rax)  # comment": the instruction goes to the block its address is in. */
static void add_line(struct listing *l, size_t n, size_t *block, const char *line, size_t len)
{
    char *end;
    const size_t address = strtoul(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != '\t') {
        return;
    }
    const char *text = end + 2;
    size_t text_len = (size_t)(line + len - text);
    const char *comment = memchr(text, '#', text_len);
    text_len = comment ? (size_t)(comment - text) : text_len;
    while (*block < n && l->start[*block + 1] <= address) {
        ++*block;
    }
    if (*block == n) {
        return;
    }
    l->ended[*block] |= address == l->end[*block];
    if (address < l->end[*block]) {
        l->bad[*block] |= memmem(text, text_len, "(bad)", 5) != NULL;
        text_add(&l->lines[*block], "%.*s\n", (int)text_len, text);
    }
}

static bool disassemble(struct listing *l, size_t n, struct arena *a, struct err *e)
{
    struct text out = {.arena = a}, errors = {.arena = a};
    struct child_end end;
    char words[CHILD_WORDS_BYTES];
    const char *path = file_temporary(a, e);
    if (!path) {
        return false;
    }
    const char *const command[] = {
        "objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", path, NULL};
    const struct child_program p = {command, {NULL, 0}, SECONDS_MAX};
    bool fine = file_write_whole(path, (struct bytes){l->bytes.data, l->bytes.len}, e) &&
                child_run(&p, &out, &errors, &end, e);
    if (fine && (end.timed_out || end.signal || end.status)) {
        fine = err_set(e, ERR_HOST, LOC_NONE, "objdump %s", child_words(&end, SECONDS_MAX, words));
    }
    unlink(path);
    size_t block = 0;
    for (const char *line = fine && out.data ? out.data : ""; *line;) {
        const size_t len = strcspn(line, "\n");
        add_line(l, n, &block, line, len);
        line += len + (line[len] == '\n');
    }
    return fine;
}

/* --- OSACA --- */

/* A usage message ends in what is wrong. */
static bool refuse(const struct text *errors, struct err *e)
{
    const char *said = errors->data ? errors->data : "";
    const char *error = strstr(said, "error: ");
    said = error ? error + strlen("error: ") : said;
    return err_set(e, ERR_HOST, LOC_NONE, "osaca refuses: %.*s", (int)strcspn(said, "\n"), said);
}

/* One block, written to the file at `path`. */
static bool predict(const char *assembly, const char *arch, const char *path, double *cycles,
                    struct arena *a, struct err *e)
{
    struct text out = {.arena = a}, errors = {.arena = a};
    struct child_end end;
    const char *const command[] = {"osaca", arch ? "--arch" : path, arch, path, NULL};
    const struct child_program p = {command, {NULL, 0}, SECONDS_MAX};
    if (!file_write_whole(path, (struct bytes){assembly, strlen(assembly)}, e) ||
        !child_run(&p, &out, &errors, &end, e)) {
        return false;
    }
    if (!end.timed_out && !end.signal && end.status == USAGE_STATUS) {
        return refuse(&errors, e);
    }
    if (!end.timed_out && !end.signal && end.status == 0 && out.data) {
        *cycles = osaca_report_cycles(out.data);
    }
    return true;
}

bool osaca_predict(const char *const *hex, size_t n, const char *arch, struct arena *a,
                   double *cycles, struct err *e)
{
    struct listing l = {.bytes = {.arena = a}};
    l.start = arena_new(a, size_t, n + 1);
    l.lines = arena_new(a, struct text, n + 1);
    l.end = arena_new(a, size_t, n + 1);
    l.bad = arena_new(a, bool, n + 1);
    l.ended = arena_new(a, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        l.lines[i].arena = a;
    }
    collect_bytes(hex, n, &l);
    if (l.bytes.len == 0) {
        return true;
    }
    const char *path = disassemble(&l, n, a, e) ? file_temporary(a, e) : NULL;
    for (size_t i = 0; i < n && path; i++) {
        if (l.lines[i].data && l.ended[i] && !l.bad[i] &&
            !predict(l.lines[i].data, arch, path, &cycles[i], a, e)) {
            break;
        }
    }
    if (path) {
        unlink(path);
    }
    return e->code == ERR_NONE;
}
