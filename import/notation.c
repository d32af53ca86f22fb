#include "import/notation.h"

#include "code/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TEXT_SIZE    ((size_t)2 * FORM_SIZE) /* room to see that a form is too long */

const char *const notation_failures[] = {
    [NOTATION_FINE] = "",
    [NOTATION_NO_MNEMONIC] = "no instruction of this name is known",
    [NOTATION_NO_FORM] = "no instruction of this name has such operands",
    [NOTATION_SCALABLE] = "the width of its memory operand is not known",
};

/* --- kinds --------------------------------------------------------------------------------------
 */

#define KINDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define GENERAL  KINDS("r64", "r32", "r16", "r8")
#define ANY_X86  KINDS("r64", "r32", "r16", "r8", "xmm", "ymm", "zmm")
#define MEMORY   KINDS("m?")
#define VECTORS  KINDS("v.4s", "v.2d", "v.8h", "v.16b", "v.2s", "v.4h", "v.8b")
#define SCALARS  KINDS("x", "w", "d", "s", "q", "h", "b")
#define SCALABLE KINDS("z.d", "z.s", "z.h", "z.b")

/* What each tool calls its operands.  A word that ends in '#' is followed by a number or a list of
 * registers, which says no more; one that ends in '*' by anything. */
static const struct {
    enum notation_tool tool;
    const char *word;
    const char *const *kinds;
} classes[] = {
    {NOTATION_OSACA_X86, "gpr", GENERAL},
    {NOTATION_OSACA_X86, "*", ANY_X86},
    {NOTATION_OSACA_X86, "mm", KINDS("mm")},
    {NOTATION_OSACA_X86, "xmm", KINDS("xmm")},
    {NOTATION_OSACA_X86, "ymm", KINDS("ymm")},
    {NOTATION_OSACA_X86, "zmm", KINDS("zmm")},
    {NOTATION_OSACA_X86, "k", KINDS("k")},
    {NOTATION_OSACA_X86, "rax", KINDS("r64")},
    {NOTATION_OSACA_X86, "eax", KINDS("r32")},
    {NOTATION_OSACA_X86, "ax", KINDS("r16")},
    {NOTATION_OSACA_X86, "al", KINDS("r8")},
    {NOTATION_OSACA_X86, "memory", MEMORY},
    {NOTATION_OSACA_X86, "immediate", KINDS("imm")},
    {NOTATION_OSACA_X86, "identifier", KINDS("rel")},

    {NOTATION_OSACA_A64, "*", SCALARS},
    {NOTATION_OSACA_A64, "w", KINDS("w")},
    {NOTATION_OSACA_A64, "x", KINDS("x")},
    {NOTATION_OSACA_A64, "b", KINDS("b")},
    {NOTATION_OSACA_A64, "h", KINDS("h")},
    {NOTATION_OSACA_A64, "s", KINDS("s")},
    {NOTATION_OSACA_A64, "d", KINDS("d")},
    {NOTATION_OSACA_A64, "q", KINDS("q")},
    {NOTATION_OSACA_A64, "v", VECTORS},
    {NOTATION_OSACA_A64, "v.*", VECTORS},
    {NOTATION_OSACA_A64, "v.b", KINDS("v.16b", "v.8b")},
    {NOTATION_OSACA_A64, "v.h", KINDS("v.8h", "v.4h")},
    {NOTATION_OSACA_A64, "v.s", KINDS("v.4s", "v.2s")},
    {NOTATION_OSACA_A64, "v.d", KINDS("v.2d")},
    {NOTATION_OSACA_A64, "z", SCALABLE},
    {NOTATION_OSACA_A64, "z.*", SCALABLE},
    {NOTATION_OSACA_A64, "z.b", KINDS("z.b")},
    {NOTATION_OSACA_A64, "z.h", KINDS("z.h")},
    {NOTATION_OSACA_A64, "z.s", KINDS("z.s")},
    {NOTATION_OSACA_A64, "z.d", KINDS("z.d")},
    {NOTATION_OSACA_A64, "p", KINDS("p/m", "p/z", "p")},
    {NOTATION_OSACA_A64, "memory", MEMORY},
    {NOTATION_OSACA_A64, "immediate", KINDS("imm")},
    {NOTATION_OSACA_A64, "prfop", KINDS("imm")},
    {NOTATION_OSACA_A64, "identifier", KINDS("rel")},
    {NOTATION_OSACA_A64, "condition", KINDS("cond")},

    /* Type and width, or the first register of a list. */
    {NOTATION_UOPS_INFO, "imm", KINDS("imm")},
    {NOTATION_UOPS_INFO, "relbr", KINDS("rel")},
    {NOTATION_UOPS_INFO, "agen", KINDS("agen")},
    {NOTATION_UOPS_INFO, "CL", KINDS("cl", "r8")},
    {NOTATION_UOPS_INFO, "reg8", KINDS("r8")},
    {NOTATION_UOPS_INFO, "reg16", KINDS("r16")},
    {NOTATION_UOPS_INFO, "reg32", KINDS("r32")},
    {NOTATION_UOPS_INFO, "reg64", KINDS("r64")},
    {NOTATION_UOPS_INFO, "XMM#", KINDS("xmm")},
    {NOTATION_UOPS_INFO, "YMM#", KINDS("ymm")},
    {NOTATION_UOPS_INFO, "ZMM#", KINDS("zmm")},
    {NOTATION_UOPS_INFO, "MM#", KINDS("mm")},
    {NOTATION_UOPS_INFO, "K#", KINDS("k")},
    {NOTATION_UOPS_INFO, "ST#", KINDS("st")},
    {NOTATION_UOPS_INFO, "ST(#", KINDS("st")},

    {NOTATION_PMEVO, "G:8", KINDS("r8")},
    {NOTATION_PMEVO, "G:16", KINDS("r16")},
    {NOTATION_PMEVO, "G:32", KINDS("r32")},
    {NOTATION_PMEVO, "G:64", KINDS("r64")},
    {NOTATION_PMEVO, "V:64", KINDS("mm")},
    {NOTATION_PMEVO, "V:128", KINDS("xmm")},
    {NOTATION_PMEVO, "V:256", KINDS("ymm")},
    {NOTATION_PMEVO, "V:512", KINDS("zmm")},
    {NOTATION_PMEVO, "A:G:32", KINDS("w")},
    {NOTATION_PMEVO, "A:G:64", KINDS("x")},
    {NOTATION_PMEVO, "A:F:8", KINDS("b")},
    {NOTATION_PMEVO, "A:F:16", KINDS("h")},
    {NOTATION_PMEVO, "A:F:32", KINDS("s")},
    {NOTATION_PMEVO, "A:F:64", KINDS("d")},
    {NOTATION_PMEVO, "A:F:128", KINDS("q")},
    {NOTATION_PMEVO, "byte_ptr", KINDS("m8")},
    {NOTATION_PMEVO, "word_ptr", KINDS("m16")},
    {NOTATION_PMEVO, "dword_ptr", KINDS("m32")},
    {NOTATION_PMEVO, "qword_ptr", KINDS("m64")},
    {NOTATION_PMEVO, "xmmword_ptr", KINDS("m128")},
    {NOTATION_PMEVO, "ymmword_ptr", KINDS("m256")},
    {NOTATION_PMEVO, "zmmword_ptr", KINDS("m512")},
    {NOTATION_PMEVO, "address", KINDS("agen")},
    {NOTATION_PMEVO, "memory", MEMORY},
    {NOTATION_PMEVO, "immediate", KINDS("imm")},

    {NOTATION_PALMED, "GPR8*", KINDS("r8")},
    {NOTATION_PALMED, "GPR16*", KINDS("r16")},
    {NOTATION_PALMED, "GPR32*", KINDS("r32")},
    {NOTATION_PALMED, "GPR64*", KINDS("r64")},
    {NOTATION_PALMED, "ALi8", KINDS("r8")},
    {NOTATION_PALMED, "AXi16", KINDS("r16")},
    {NOTATION_PALMED, "EAXi32", KINDS("r32")},
    {NOTATION_PALMED, "RAXi64", KINDS("r64")},
    {NOTATION_PALMED, "CLi8", KINDS("cl")},
    {NOTATION_PALMED, "VR64*", KINDS("mm")},
    {NOTATION_PALMED, "VR128*", KINDS("xmm")},
    {NOTATION_PALMED, "VR256*", KINDS("ymm")},
    {NOTATION_PALMED, "VR512*", KINDS("zmm")},
    {NOTATION_PALMED, "ADDR64*", KINDS("agen")},
    {NOTATION_PALMED, "IMM*", KINDS("imm")},
    {NOTATION_PALMED, "ONE", KINDS("imm")},

    {NOTATION_TEXT, "xmm#", KINDS("xmm")},
    {NOTATION_TEXT, "ymm#", KINDS("ymm")},
    {NOTATION_TEXT, "zmm#", KINDS("zmm")},
    {NOTATION_TEXT, "mm#", KINDS("mm")},
    {NOTATION_TEXT, "st", KINDS("st")},
    {NOTATION_TEXT, "st(#", KINDS("st")},
    {NOTATION_TEXT, "cl", KINDS("cl", "r8")},
    {NOTATION_TEXT, "k#", KINDS("k")},

    {NOTATION_SHIFT, "lsl", KINDS("lsl")},
    {NOTATION_SHIFT, "lsr", KINDS("lsr")},
    {NOTATION_SHIFT, "asr", KINDS("asr")},
    {NOTATION_SHIFT, "ror", KINDS("ror")},
    {NOTATION_SHIFT, "msl", KINDS("msl")},
    {NOTATION_SHIFT, "uxtb", KINDS("uxtb")},
    {NOTATION_SHIFT, "uxth", KINDS("uxth")},
    {NOTATION_SHIFT, "uxtw", KINDS("uxtw")},
    {NOTATION_SHIFT, "uxtx", KINDS("uxtx")},
    {NOTATION_SHIFT, "sxtb", KINDS("sxtb")},
    {NOTATION_SHIFT, "sxth", KINDS("sxth")},
    {NOTATION_SHIFT, "sxtw", KINDS("sxtw")},
    {NOTATION_SHIFT, "sxtx", KINDS("sxtx")},
};

/* Whether text[0..len) is a number, perhaps followed by more registers or a bracket. */
static bool is_numbered(const char *text, size_t len)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= len &&
           (digits == len || text[digits] == ',' || text[digits] == ')');
}

static bool is_word(const char *pattern, const char *word, size_t len)
{
    const size_t n = strlen(pattern);
    const char last = n > 1 ? pattern[n - 1] : '\0';
    const size_t fixed = n - (last == '#' || (last == '*' && pattern[n - 2] != '.'));
    if (len < fixed || memcmp(pattern, word, fixed) != 0) {
        return false;
    }
    return fixed == n ? len == n : last == '*' || is_numbered(word + fixed, len - fixed);
}

const char *const *notation_kinds(enum notation_tool tool, const char *word, size_t len)
{
    for (size_t i = 0; i < COUNT(classes); i++) {
        if (classes[i].tool == tool && is_word(classes[i].word, word, len)) {
            return classes[i].kinds;
        }
    }
    return NULL;
}

static const struct {
    int bits;
    const char *const *kinds;
} widths[] = {{8, KINDS("m8")},     {16, KINDS("m16")},   {32, KINDS("m32")},
              {64, KINDS("m64")},   {80, KINDS("m80")},   {128, KINDS("m128")},
              {256, KINDS("m256")}, {512, KINDS("m512")}, {4096, KINDS("m4096")}};

const char *const *notation_memory(int bits)
{
    for (size_t i = 0; i < COUNT(widths); i++) {
        if (widths[i].bits == bits) {
            return widths[i].kinds;
        }
    }
    return NULL;
}

/* --- mnemonics ----------------------------------------------------------------------------------
 */

/* One way to read a mnemonic: what this program calls it, the width its end states (0: none), and
 * whether a predicate that was part of it is an immediate operand here. */
struct reading {
    char mnemonic[32];
    int bits;
    int source_bits; /* of the operand that is widened: movzbl; 0: none */
    bool predicate;
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void set_mnemonic(struct reading *r, const char *text, size_t len)
{
    snprintf(r->mnemonic, sizeof r->mnemonic, "%.*s", (int)len, text);
}

/* AT&T names of instructions that this program, like the manuals, calls otherwise. */
static const struct {
    const char *att, *ours;
    int source_bits;
} att_names[] = {
    {"cbtw", "cbw", 0},       {"cwtl", "cwde", 0},     {"cltq", "cdqe", 0},
    {"cwtd", "cwd", 0},       {"cltd", "cdq", 0},      {"cqto", "cqo", 0},
    {"movslq", "movsxd", 32}, {"movsbw", "movsx", 8},  {"movsbl", "movsx", 8},
    {"movsbq", "movsx", 8},   {"movswl", "movsx", 16}, {"movswq", "movsx", 16},
    {"movsb", "movsx", 8},    {"movsw", "movsx", 16},  {"movsl", "movsxd", 32},
    {"movzbw", "movzx", 8},   {"movzbl", "movzx", 8},  {"movzbq", "movzx", 8},
    {"movzwl", "movzx", 16},  {"movzwq", "movzx", 16}, {"movzb", "movzx", 8},
    {"movzw", "movzx", 16},
};

/* Widths at the end of a mnemonic; x and y are those of conversions from memory (vcvtpd2psx). */
static const struct {
    char letter;
    int bits;
} att_sizes[] = {{'b', 8}, {'w', 16}, {'l', 32}, {'q', 64}, {'x', 128}, {'y', 256}};

static int size_of(char letter)
{
    for (size_t i = 0; i < COUNT(att_sizes); i++) {
        if (att_sizes[i].letter == letter) {
            return att_sizes[i].bits;
        }
    }
    return 0;
}

static bool read_named(const char *text, struct reading *out)
{
    for (size_t i = 0; i < COUNT(att_names); i++) {
        if (strcmp(text, att_names[i].att) == 0) {
            *out = (struct reading){.source_bits = att_names[i].source_bits};
            set_mnemonic(out, att_names[i].ours, strlen(att_names[i].ours));
            out->bits =
                out->source_bits && text[5] ? size_of(text[5]) : 0; /* movzbl: of the result */
            return true;
        }
    }
    return false;
}

static bool read_sized(const char *text, struct reading *out)
{
    const size_t len = strlen(text);
    *out = (struct reading){.bits = len > 2 ? size_of(text[len - 1]) : 0};
    set_mnemonic(out, text, len - (out->bits != 0));
    return out->bits != 0;
}

static bool in_list(const char *word, size_t len, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0) {
            return true;
        }
    }
    return false;
}

/* cmpltps, vcmpneq_oqpd, vpcmpleud: compares whose predicate is an immediate in the machine
 * code. */
static bool read_predicate(const char *text, struct reading *out)
{
    static const char *const stems[] = {"vpcmp", "vcmp", "cmp"};
    static const char *const predicates[] = {
        "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
        "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
        "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
        "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us"};
    static const char *const types[] = {"ps", "pd", "ss", "sd", "ph", "sh", "b",
                                        "w",  "d",  "q",  "ub", "uw", "ud", "uq"};
    size_t s = 0;
    while (s < COUNT(stems) && !starts_with(text, stems[s])) {
        s++;
    }
    const char *rest = s < COUNT(stems) ? text + strlen(stems[s]) : "";
    const size_t len = strlen(rest);
    for (size_t type = 1; type <= 2 && type < len; type++) {
        if (in_list(rest + len - type, type, types, COUNT(types)) &&
            in_list(rest, len - type, predicates, COUNT(predicates))) {
            *out = (struct reading){.predicate = true};
            snprintf(out->mnemonic, sizeof out->mnemonic, "%s%s", stems[s], rest + len - type);
            return true;
        }
    }
    return false;
}

/* AArch64 branches without their dot, and carry clear, which as b.cc is every condition here. */
static void read_a64(const char *text, struct reading *out)
{
    static const char *const conditions[] = {"eq", "ne", "cs", "hs", "lo", "mi", "pl", "vs",
                                             "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"};
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"bcc", "b.lo"},     {"b.cc", "b.lo"},    {"b.none", "b.eq"},
                 {"b.any", "b.ne"},   {"b.nlast", "b.hs"}, {"b.last", "b.lo"},
                 {"b.first", "b.mi"}, {"b.nfrst", "b.pl"}, {"b.pmore", "b.hi"},
                 {"b.plast", "b.ls"}, {"b.tcont", "b.ge"}, {"b.tstop", "b.lt"}};
    *out = (struct reading){.bits = 0};
    set_mnemonic(out, text, strlen(text));
    for (size_t i = 0; i < COUNT(names); i++) {
        if (strcmp(text, names[i].theirs) == 0) {
            set_mnemonic(out, names[i].ours, strlen(names[i].ours));
            return;
        }
    }
    for (size_t i = 0; i < COUNT(conditions); i++) {
        if (text[0] == 'b' && strcmp(text + 1, conditions[i]) == 0) {
            snprintf(out->mnemonic, sizeof out->mnemonic, "b.%s", conditions[i]);
        }
    }
}

/* --- expansion ----------------------------------------------------------------------------------
 */

struct expansion {
    const struct notation *row;
    struct arena *arena;
    struct notation_forms *out;
    const char *prefix; /* "lock ", "rep ", "repne " or nothing */
    const struct reading *reading;
    const char *kinds[NOTATION_OPERANDS_MAX]; /* chosen, in the order of the form */
    bool known;                               /* there is an instruction of this name */
    bool scalable;
};

/* The operand that is k-th in the form. */
static const struct notation_operand *operand_at(const struct expansion *x, int k)
{
    return &x->row->operands[x->row->att ? x->row->n - 1 - k : k];
}

static bool write_form(const struct expansion *x, char text[TEXT_SIZE])
{
    int len = snprintf(text, TEXT_SIZE, "%s%s", x->prefix, x->reading->mnemonic);
    for (int k = 0; k < x->row->n + x->reading->predicate && len < FORM_SIZE; k++) {
        const char *suffix = k < x->row->n ? operand_at(x, k)->suffix : NULL;
        len += snprintf(text + len, TEXT_SIZE - (size_t)len, "%s%s%s", k ? ", " : " ",
                        k < x->row->n ? x->kinds[k] : "imm", suffix ? suffix : "");
    }
    return len < FORM_SIZE;
}

static void add_form(struct expansion *x, const char *form)
{
    struct notation_forms *o = x->out;
    o->list = arena_grow(x->arena, (void *)o->list, (size_t)o->n, &o->capacity, sizeof *o->list);
    o->list[o->n++] = arena_copy(x->arena, form, strlen(form));
}

static bool is_gather(const char *mnemonic)
{
    return strstr(mnemonic, "gather") != NULL || strstr(mnemonic, "scatter") != NULL;
}

/* A gather has its mask as a third register, or, as a scatter, behind its first operand. */
static bool is_masked_gather(const struct expansion *x)
{
    const char *suffix = x->row->n == 2 ? operand_at(x, 0)->suffix : NULL;
    return is_gather(x->reading->mnemonic) &&
           (x->row->n == 3 || (suffix && strcmp(suffix, "{k}") == 0));
}

/* Operands and instructions that code/encode.h does not do, though they are. */
static bool is_beyond_encoder(const struct expansion *x)
{
    bool beyond = is_masked_gather(x);
    for (int k = 0; k < x->row->n; k++) {
        static const char *const kinds[] = {"rel", "st", "mm", "m80", "m4096"};
        for (size_t i = 0; i < COUNT(kinds); i++) {
            beyond |= strcmp(x->kinds[k], kinds[i]) == 0;
        }
    }
    return beyond;
}

static void try_x86(struct expansion *x)
{
    char text[TEXT_SIZE], normal[FORM_SIZE];
    struct encode_form encoded;
    struct err e = {0};
    if (!write_form(x, text) || !form_normalise(text, normal)) {
        return;
    }
    const bool repeats = x->prefix[0] == 'r'; /* which the encoder leaves out */
    const bool encodes = encode_form(repeats ? strchr(normal, ' ') + 1 : normal, &encoded, &e);
    x->known |= encodes || e.code != ERR_SYNTAX;
    if (encodes || (e.code != ERR_SYNTAX && is_beyond_encoder(x))) {
        add_form(x, normal);
    }
}

/* What all elements of a gather or scatter touch, by its data register: the width of that, and half
 * of an xmm where a quadword indexes a doubleword. */
static const char *const *gather_widths(const struct expansion *x)
{
    static const char *const half[] = {"m128", "m64", NULL};
    const char *m = x->reading->mnemonic;
    for (int k = 0; k < x->row->n; k++) {
        const char *kind = operand_at(x, k)->kinds[0];
        if (strcmp(kind, "xmm") == 0) {
            return strstr(m, "qps") || strstr(m, "qd") ? half : notation_memory(128);
        }
        if (strcmp(kind, "ymm") == 0 || strcmp(kind, "zmm") == 0) {
            return notation_memory(*kind == 'y' ? 256 : 512);
        }
    }
    return notation_memory(128);
}

static int number_at(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static int general_bits(const char *kind)
{
    return *kind == 'r' && kind[1] >= '1' && kind[1] <= '8' ? number_at(kind + 1) : 0;
}

/* Whether the end of the mnemonic allows this kind: a size that is stated holds for memory and for
 * general registers that were left open. */
static bool fits_size(const struct expansion *x, int k, const char *kind, bool open)
{
    const struct reading *r = x->reading;
    const bool is_memory = form_operand_is_memory(kind);
    const int bits = is_memory ? number_at(kind + 1) : general_bits(kind);
    if (bits == 0 || (!open && !is_memory)) {
        return true;
    }
    if (r->source_bits && k == x->row->n - 1) {
        return bits == r->source_bits;
    }
    return !r->bits || bits == r->bits;
}

static void expand_x86(struct expansion *x, int k)
{
    static const char *const memory[] = {"m64",  "m32",  "m16",  "m8", "m128",
                                         "m256", "m512", "agen", NULL};
    if (k == x->row->n) {
        try_x86(x);
        return;
    }
    const char *const *kinds = operand_at(x, k)->kinds;
    if (strcmp(kinds[0], "m?") == 0) {
        kinds = is_gather(x->reading->mnemonic) ? gather_widths(x) : memory;
    }
    for (const char *const *kind = kinds; *kind; kind++) {
        if (fits_size(x, k, *kind, kinds[1] != NULL)) {
            x->kinds[k] = *kind;
            expand_x86(x, k + 1);
        }
    }
}

/* --- AArch64 ------------------------------------------------------------------------------------
 */

/* Bits of a register: q, v.4s; 0: it has no fixed width. */
static int a64_bits(const char *kind)
{
    static const char letters[] = "bhsdq";
    if (starts_with(kind, "v.")) {
        char *end;
        const long lanes = strtol(kind + 2, &end, 10);
        const char *letter = strchr(letters, *end);
        return letter && *letter ? (int)lanes * (8 << (letter - letters)) : 0;
    }
    if (kind[1]) {
        return 0;
    }
    const char *letter = strchr(letters, *kind);
    return *kind == 'w' ? 32 : *kind == 'x' ? 64 : letter ? 8 << (letter - letters) : 0;
}

static int lane_bits(const char *kind)
{
    const size_t len = strlen(kind);
    char letter[2] = {len ? kind[len - 1] : '\0'};
    return a64_bits(letter);
}

/* The width of an access: that of the mnemonic's end, or of the registers it fills. */
static int a64_access(const struct expansion *x)
{
    static const struct {
        const char *end;
        int bits;
    } ends[] = {{"psw", 64}, {"sw", 32}, {"sb", 8}, {"b", 8}, {"sh", 16}, {"h", 16}, {"prfm", 8}};
    const char *m = x->reading->mnemonic;
    const size_t len = strlen(m);
    for (size_t i = 0; i < COUNT(ends); i++) {
        const size_t n = strlen(ends[i].end);
        if (len >= n && strcmp(m + len - n, ends[i].end) == 0) {
            return ends[i].bits;
        }
    }
    const bool replicates = starts_with(m, "ld") && m[len - 1] == 'r' && len == 4;
    int bits = 0;
    for (int k = 0; k < x->row->n; k++) {
        if (strcmp(x->kinds[k], "m?") != 0) {
            bits += replicates ? lane_bits(x->kinds[k]) : a64_bits(x->kinds[k]);
        }
    }
    return bits;
}

static bool has_scalable(const struct expansion *x)
{
    bool scalable = false;
    for (int k = 0; k < x->row->n; k++) {
        scalable |= x->kinds[k][0] == 'z' || x->kinds[k][0] == 'p';
    }
    return scalable;
}

static void try_a64(struct expansion *x)
{
    char text[TEXT_SIZE], normal[FORM_SIZE], memory[16];
    const struct expansion asked = *x;
    for (int k = 0; k < x->row->n; k++) {
        if (strcmp(asked.kinds[k], "m?") == 0) {
            const int bits = has_scalable(&asked) ? 0 : a64_access(&asked);
            if (bits == 0) {
                x->scalable = true;
                return;
            }
            snprintf(memory, sizeof memory, "m%d", bits);
            x->kinds[k] = memory;
        }
    }
    if (write_form(x, text) && form_normalise(text, normal)) {
        add_form(x, normal);
    }
    memcpy(x->kinds, asked.kinds, sizeof x->kinds);
}

/* Which register kinds an open operand may be: byte lanes hold no floating-point numbers, and
 * scalars of fadd and the like are not those of add.  Loads and stores fill any. */
static bool fits_a64(const struct expansion *x, const char *kind, bool open)
{
    const char *m = x->reading->mnemonic;
    const bool moves = starts_with(m, "ld") || starts_with(m, "st") || strcmp(m, "fmov") == 0;
    const bool floats = *m == 'f', scalar = kind[0] && !kind[1];
    if (!open || moves) {
        return true;
    }
    return scalar ? strchr(floats ? "dsh" : "xw", *kind) != NULL
                  : !floats || kind[strlen(kind) - 1] != 'b';
}

/* An identifier is a condition where one is asked for; the only operand of a branch is its
 * target. */
static const char *a64_word(const struct expansion *x, int k, const char *kind)
{
    static const char *const takers[] = {"cs", "cinc", "cinv", "cneg", "ccm", "fcsel", "fccmp"};
    const char *m = x->reading->mnemonic;
    for (size_t i = 0; i < COUNT(takers) && k > 0 && strcmp(kind, "rel") == 0; i++) {
        if (starts_with(m, takers[i])) {
            return "cond";
        }
    }
    const bool branch = strcmp(m, "b") == 0 || strcmp(m, "bl") == 0 || starts_with(m, "b.");
    return branch && strcmp(kind, "imm") == 0 ? "rel" : kind;
}

static void expand_a64(struct expansion *x, int k)
{
    if (k == x->row->n) {
        try_a64(x);
        return;
    }
    const char *const *kinds = operand_at(x, k)->kinds;
    for (int before = 0; before < k; before++) {
        const char *const *theirs = operand_at(x, before)->kinds;
        if (theirs == kinds && kinds[1]) { /* the same wildcard, so the same register kind */
            x->kinds[k] = x->kinds[before];
            expand_a64(x, k + 1);
            return;
        }
    }
    for (const char *const *kind = kinds; *kind; kind++) {
        if (fits_a64(x, *kind, kinds[1] != NULL)) {
            x->kinds[k] = a64_word(x, k, *kind);
            expand_a64(x, k + 1);
        }
    }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* Splits off lock and rep, lowers the case. */
static void read_prefix(const char *text, char mnemonic[32], const char **prefix)
{
    static const char *const prefixes[] = {"lock ", "repne ", "repe ", "rep "};
    char lower[64];
    size_t n = 0;
    for (; *text && n + 1 < sizeof lower; text++) {
        const char c = *text == '\t' ? ' ' : *text;
        lower[n] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        n += c != ' ' || (n > 0 && lower[n - 1] != ' ');
    }
    lower[n] = '\0';
    const char *at = lower;
    *prefix = "";
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        if (starts_with(lower, prefixes[i])) {
            *prefix = prefixes[i];
            at = lower + strlen(prefixes[i]);
            break;
        }
    }
    snprintf(mnemonic, 32, "%.31s", at);
}

/* No row of a tool is as open as that: a few operands of a few kinds each. */
static bool is_too_open(const struct notation *n)
{
    enum { MOST = 4096, WIDTHS = 7 };
    long combinations = 1;
    for (int k = 0; k < n->n && combinations <= MOST; k++) {
        int kinds = 0;
        while (n->operands[k].kinds[kinds]) {
            kinds++;
        }
        const bool unsized = kinds > 0 && strcmp(n->operands[k].kinds[0], "m?") == 0;
        combinations *= unsized ? WIDTHS : kinds;
    }
    return combinations > MOST;
}

static enum notation_failure expand_reading(struct expansion *x, const struct reading *r)
{
    const int before = x->out->n;
    x->reading = r;
    if (x->row->arch == ARCH_AARCH64) {
        x->known = true;
        expand_a64(x, 0);
    } else {
        expand_x86(x, 0);
    }
    return x->out->n > before ? NOTATION_FINE
           : x->scalable      ? NOTATION_SCALABLE
           : x->known         ? NOTATION_NO_FORM
                              : NOTATION_NO_MNEMONIC;
}

enum notation_failure notation_expand(const struct notation *n, struct arena *a,
                                      struct notation_forms *out)
{
    static bool (*const others[])(const char *text, struct reading *out) = {read_named, read_sized,
                                                                            read_predicate};
    struct expansion x = {.row = n, .arena = a, .out = out};
    struct reading r = {.bits = 0};
    char mnemonic[32];
    read_prefix(n->mnemonic, mnemonic, &x.prefix);
    if (!*mnemonic || mnemonic[strspn(mnemonic, "abcdefghijklmnopqrstuvwxyz0123456789._")]) {
        return NOTATION_NO_MNEMONIC;
    }
    if (is_too_open(n)) {
        return NOTATION_NO_FORM;
    }
    if (n->arch == ARCH_AARCH64) {
        read_a64(mnemonic, &r);
        return expand_reading(&x, &r);
    }
    set_mnemonic(&r, mnemonic, strlen(mnemonic));
    enum notation_failure failure = expand_reading(&x, &r);
    for (size_t i = 0; failure && n->att && i < COUNT(others); i++) {
        if (others[i](mnemonic, &r)) {
            failure = expand_reading(&x, &r);
        }
    }
    return failure;
}
