#include "code/markers.h"

#include <string.h>

struct pattern {
    size_t len;
    uint8_t bytes[8];
};

/* Begin and end of each convention. */
static const struct {
    enum code_arch arch;
    struct pattern begin, end;
} conventions[] = {
    {ARCH_X86_64,
     {8, {0xbb, 0x6f, 0, 0, 0, 0x64, 0x67, 0x90}},
     {8, {0xbb, 0xde, 0, 0, 0, 0x64, 0x67, 0x90}}},
    {ARCH_AARCH64,
     {8, {0xe1, 0x0d, 0x80, 0xd2, 0xd5, 0x03, 0x20, 0x1f}},
     {8, {0xc1, 0x1b, 0x80, 0xd2, 0xd5, 0x03, 0x20, 0x1f}}},
    {ARCH_AARCH64,
     {8, {0xe1, 0x0d, 0x80, 0xd2, 0x1f, 0x20, 0x03, 0xd5}},
     {8, {0xc1, 0x1b, 0x80, 0xd2, 0x1f, 0x20, 0x03, 0xd5}}},
};

static const uint8_t *find(const uint8_t *code, size_t len, size_t from, const struct pattern *p)
{
    return from < len ? memmem(code + from, len - from, p->bytes, p->len) : NULL;
}

bool markers_next(const uint8_t *code, size_t len, enum code_arch arch, size_t from,
                  struct marked *out)
{
    bool found = false;

    for (size_t k = 0; k < sizeof conventions / sizeof *conventions; k++) {
        if (conventions[k].arch != arch) {
            continue;
        }
        const uint8_t *begin = find(code, len, from, &conventions[k].begin);
        const size_t first = begin ? (size_t)(begin - code) + conventions[k].begin.len : len;
        const uint8_t *end = find(code, len, first, &conventions[k].end);
        if (end && (!found || first < out->first)) {
            *out = (struct marked){first, (size_t)(end - code)};
            found = true;
        }
    }
    return found;
}

/* --- comments --- */

/* What a line marks: 'b'egin, 'e'nd, or 0. */
static char marks(const char *line, size_t len)
{
    static const struct {
        const char *word;
        char what;
    } words[] = {
        {"LLVM-MCA-BEGIN", 'b'}, {"LLVM-MCA-END", 'e'}, {"OSACA-BEGIN", 'b'}, {"OSACA-END", 'e'}};
    size_t at = 0;

    while (at < len && (line[at] == ' ' || line[at] == '\t')) {
        at++;
    }
    const size_t comment = at;
    while (at < len &&
           (line[at] == '#' || line[at] == '/' || line[at] == ' ' || line[at] == '\t')) {
        at++;
    }
    for (size_t k = 0; at > comment && k < sizeof words / sizeof *words; k++) {
        const size_t n = strlen(words[k].word);
        if (len - at >= n && memcmp(line + at, words[k].word, n) == 0) {
            return words[k].what;
        }
    }
    return 0;
}

int markers_to_labels(struct bytes assembly, struct text *out)
{
    int n = 0;

    for (size_t at = 0; at < assembly.len;) {
        const char *line = assembly.data + at;
        const char *newline = memchr(line, '\n', assembly.len - at);
        const size_t len = newline ? (size_t)(newline - line) : assembly.len - at;
        const char what = marks(line, len);
        if (what && (what == 'b' || n > 0)) {
            n += what == 'b';
            const char *name = what == 'b' ? MARKERS_BEGIN : MARKERS_END;
            text_add(out, "\t.type %s%d, %%function\n%s%d:", name, n, name, n);
        } else {
            text_add_bytes(out, line, len);
        }
        text_add(out, "\n");
        at += len + 1;
    }
    return n;
}
