#include "model/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 5, OPERAND_SIZE = 24 };

struct parsed {
    char mnemonic[FORM_SIZE];
    char operand[OPERANDS_MAX][OPERAND_SIZE];
    int n;
};

static bool parse(const char *form, struct parsed *out)
{
    const size_t mnemonic = strcspn(form, " ");
    if (mnemonic >= FORM_SIZE || form[mnemonic] == '\0') {
        return false;
    }
    *out = (struct parsed){0};
    memcpy(out->mnemonic, form, mnemonic);
    for (const char *at = form + mnemonic + 1;; at++) {
        at += strspn(at, " ");
        const size_t len = strcspn(at, ",");
        if (out->n == OPERANDS_MAX || len == 0 || len >= OPERAND_SIZE) {
            return false;
        }
        memcpy(out->operand[out->n++], at, len);
        at += len;
        if (*at == '\0') {
            return true;
        }
    }
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Forms whose memory operand is not a source that a plain load could feed, or that are loads. */
static bool is_excluded(const char *mnemonic)
{
    static const char *const starts[] = {"mov", "vmov", "ld", "vld", "vbroadcast", "prefetch"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (starts_with(mnemonic, starts[i])) {
            return true;
        }
    }
    return strstr(mnemonic, "gather") != NULL;
}

/* Index of the one memory operand that is only read, or -1. */
static int memory_source(const struct parsed *p)
{
    int found = -1;
    for (int i = 0; i < p->n; i++) {
        if (form_operand_is_memory(p->operand[i])) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    const bool only_compares = strcmp(p->mnemonic, "cmp") == 0 || strcmp(p->mnemonic, "test") == 0;
    return found == 0 && !only_compares ? -1 : found;
}

/* "xmm", "ymm" or "zmm" if some operand is a vector register, else NULL. */
static const char *vector_kind(const struct parsed *p)
{
    static const char *const kinds[] = {"xmm", "ymm", "zmm"};
    for (int i = p->n - 1; i >= 0; i--) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (starts_with(p->operand[i], kinds[k])) {
                return kinds[k];
            }
        }
    }
    return NULL;
}

/* What is loaded: into which register kind, and by which mnemonics. */
static const struct load {
    const char *memory;
    bool vector;
    const char *kind; /* NULL: the vector kind that the form has */
    const char *mnemonics[10];
} loads[] = {
    {"m512",
     true,
     "zmm",
     {"vmovups", "vmovaps", "vmovupd", "vmovapd", "vmovdqu64", "vmovdqa64", "vmovdqu32",
      "vmovdqa32"}},
    {"m256", true, "ymm", {"vmovups", "vmovaps", "vmovupd", "vmovapd", "vmovdqu", "vmovdqa"}},
    {"m128",
     true,
     "xmm",
     {"vmovups", "vmovaps", "vmovupd", "vmovapd", "vmovdqu", "vmovdqa", "movups", "movaps",
      "movdqu", "movdqa"}},
    {"m64", true, "xmm", {"vmovsd", "movsd", "vmovq", "movq"}},
    {"m32", true, "xmm", {"vmovss", "movss", "vmovd", "movd"}},
    {"m64bcst", true, NULL, {"vbroadcastsd", "vpbroadcastq"}},
    {"m32bcst", true, NULL, {"vbroadcastss", "vpbroadcastd"}},
    {"m64", false, "r64", {"mov"}},
    {"m32", false, "r32", {"mov"}},
    {"m16", false, "r16", {"mov"}},
    {"m8", false, "r8", {"mov"}},
};

static const struct load *find_load(const char *memory, bool vector)
{
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (loads[i].vector == vector && strcmp(loads[i].memory, memory) == 0) {
            return &loads[i];
        }
    }
    return NULL;
}

static void write_registers(const struct parsed *p, int replaced, const char *kind, char *out)
{
    int len = snprintf(out, FORM_SIZE, "%s", p->mnemonic);
    for (int i = 0; i < p->n && len < FORM_SIZE; i++) {
        len += snprintf(out + len, (size_t)(FORM_SIZE - len), "%s%s", i == 0 ? " " : ", ",
                        i == replaced ? kind : p->operand[i]);
    }
}

bool compose_take_apart(const char *form, struct compose_parts *out)
{
    struct parsed p;

    if (!parse(form, &p) || is_excluded(p.mnemonic)) {
        return false;
    }
    const int source = memory_source(&p);
    const char *vector = vector_kind(&p);
    const struct load *load = source < 0 ? NULL : find_load(p.operand[source], vector != NULL);
    if (!load) {
        return false;
    }
    const char *kind = load->kind ? load->kind : vector;
    out->operand = source + 1;
    out->n_loads = 0;
    write_registers(&p, source, kind, out->registers);
    for (int i = 0; i < 10 && load->mnemonics[i]; i++) {
        snprintf(out->loads[out->n_loads++], FORM_SIZE, "%s %s, %.*s", load->mnemonics[i], kind,
                 (int)strcspn(p.operand[source], "b"), p.operand[source]);
    }
    return true;
}
