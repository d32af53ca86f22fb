#include "import/notation.h"

#include <ctype.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A piece of the line. */
struct piece {
    const char *text;
    size_t len;
};

static bool is(struct piece p, const char *word)
{
    return strlen(word) == p.len && memcmp(word, p.text, p.len) == 0;
}

static bool begins(struct piece p, const char *word)
{
    return strlen(word) <= p.len && memcmp(word, p.text, strlen(word)) == 0;
}

static struct piece trim(struct piece p)
{
    while (p.len && isspace((unsigned char)*p.text)) {
        p.text++;
        p.len--;
    }
    while (p.len && isspace((unsigned char)p.text[p.len - 1])) {
        p.len--;
    }
    return p;
}

/* The text up to the next comma that is in no bracket; *rest is what follows it. */
static struct piece next_operand(struct piece *rest)
{
    int depth = 0;
    size_t k = 0;
    for (; k < rest->len; k++) {
        const char c = rest->text[k];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == ',' && depth == 0) {
            break;
        }
    }
    const struct piece found = {rest->text, k};
    const size_t used = k < rest->len ? k + 1 : k;
    rest->text += used;
    rest->len -= used;
    return trim(found);
}

static const char *const *one_kind(struct arena *a, const char *kind, size_t len)
{
    const char **kinds = arena_new(a, const char *, 2);
    kinds[0] = arena_copy(a, kind, len);
    return kinds;
}

/* --- x86-64 -------------------------------------------------------------------------------------
 */

/* rax, r8d, sil: the width of a general register, or 0. */
static int general_bits(struct piece p)
{
    static const char *const low[] = {"al",  "bl",  "cl", "dl", "sil", "dil",
                                      "bpl", "spl", "ah", "bh", "ch",  "dh"};
    static const char *const names[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    if (p.len > 1 && *p.text == 'r' && isdigit((unsigned char)p.text[1])) {
        const char last = p.text[p.len - 1];
        return last == 'd' ? 32 : last == 'w' ? 16 : last == 'b' ? 8 : 64;
    }
    for (size_t i = 0; i < COUNT(low); i++) {
        if (is(p, low[i])) {
            return 8;
        }
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct piece tail = {p.text + 1, p.len ? p.len - 1 : 0};
        if (is(p, names[i])) {
            return 16;
        }
        if (is(tail, names[i]) && (*p.text == 'r' || *p.text == 'e')) {
            return *p.text == 'r' ? 64 : 32;
        }
    }
    return 0;
}

static const char *const *x86_register(struct piece p, struct arena *a)
{
    const char *const *kinds = notation_kinds(NOTATION_TEXT, p.text, p.len);
    const int bits = kinds ? 0 : general_bits(p);
    if (bits) {
        const char *kind = arena_format(a, "r%d", bits);
        kinds = one_kind(a, kind, strlen(kind));
    }
    return kinds;
}

/* Cuts "{%k1} {z}" or "{1to8}" off an operand. */
static struct piece cut_braces(struct piece p, struct piece *braces)
{
    const char *at = p.len ? memchr(p.text, '{', p.len) : NULL;
    const size_t len = at ? (size_t)(at - p.text) : p.len;
    *braces = (struct piece){p.text + len, p.len - len};
    return trim((struct piece){p.text, len});
}

static bool is_branch(const char *mnemonic)
{
    return mnemonic[0] == 'j' || strncmp(mnemonic, "call", 4) == 0 ||
           strncmp(mnemonic, "loop", 4) == 0;
}

static bool read_x86(struct piece p, const char *mnemonic, struct arena *a,
                     struct notation_operand *out)
{
    static const char *const memory[] = {"m?", NULL}, *const immediate[] = {"imm", NULL},
                             *const target[] = {"rel", NULL},
                             *const broadcast[] = {"m32bcst", "m64bcst", NULL};
    struct piece braces;
    p = cut_braces(p, &braces);
    if (begins(p, "*")) {
        p = (struct piece){p.text + 1, p.len - 1};
    }
    const bool segment = begins(p, "%") && memchr(p.text, ':', p.len);
    if (begins(p, "$")) {
        out->kinds = immediate;
    } else if (begins(p, "%") && !segment) {
        out->kinds = x86_register((struct piece){p.text + 1, p.len - 1}, a);
    } else if (is_branch(mnemonic) && p.len && !memchr(p.text, '(', p.len)) {
        out->kinds = target;
    } else if (p.len) {
        out->kinds = begins(braces, "{1to") ? broadcast : memory;
    }
    if (begins(braces, "{%k")) {
        out->suffix = memmem(braces.text, braces.len, "{z}", 3) ? "{k}{z}" : "{k}";
    }
    return out->kinds != NULL;
}

/* --- AArch64 ------------------------------------------------------------------------------------
 */

static bool is_a64_condition(struct piece p)
{
    static const char *const names[] = {"eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs",
                                        "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (is(p, names[i])) {
            return true;
        }
    }
    return false;
}

/* x12, v3.4s, v2.s[1], p0/m: its kind is the name without its number. */
static const char *const *a64_register(struct piece p, struct arena *a)
{
    static const struct {
        const char *name, *kind;
    } special[] = {{"sp", "x"}, {"xzr", "x"}, {"wsp", "w"}, {"wzr", "w"}};
    for (size_t i = 0; i < COUNT(special); i++) {
        if (is(p, special[i].name)) {
            return one_kind(a, special[i].kind, 1);
        }
    }
    size_t digits = 1;
    while (digits < p.len && isdigit((unsigned char)p.text[digits])) {
        digits++;
    }
    const bool whole = digits == p.len || p.text[digits] == '.' || p.text[digits] == '/';
    if (p.len < 2 || !strchr("xwbhsdqvzp", *p.text) || digits == 1 || !whole) {
        return NULL;
    }
    const char *kind = arena_format(a, "%c%.*s", *p.text, (int)(p.len - digits), p.text + digits);
    return one_kind(a, kind, strlen(kind));
}

static bool read_a64(struct piece p, const char *mnemonic, struct arena *a,
                     struct notation_operand *out)
{
    static const char *const memory[] = {"m?", NULL}, *const immediate[] = {"imm", NULL},
                             *const target[] = {"rel", NULL}, *const condition[] = {"cond", NULL};
    if (begins(p, "[")) {
        out->kinds = memory;
        out->suffix = p.text[p.len - 1] == '!' ? ", pre" : NULL;
        return true;
    }
    size_t word = 0; /* of a shift, without its amount */
    while (word < p.len && isalpha((unsigned char)p.text[word])) {
        word++;
    }
    out->kinds = notation_kinds(NOTATION_SHIFT, p.text, word);
    if (out->kinds) {
        return true;
    }
    if (p.len && (*p.text == '#' || *p.text == '-' || isdigit((unsigned char)*p.text))) {
        out->kinds = immediate;
        return true;
    }
    out->kinds = is_a64_condition(p) ? condition : a64_register(p, a);
    if (!out->kinds && strncmp(mnemonic, "prf", 3) == 0) {
        out->kinds = immediate;
    }
    if (!out->kinds && p.len &&
        (mnemonic[0] == 'b' || mnemonic[0] == 'c' || mnemonic[0] == 't' ||
         strncmp(mnemonic, "adr", 3) == 0)) {
        out->kinds = target;
    }
    return out->kinds != NULL;
}

/* A register list is its registers; what follows memory is how its base moves on. */
static bool add_a64(struct piece p, struct arena *a, struct notation *out)
{
    if (begins(p, "{")) {
        p = (struct piece){p.text + 1, p.len - 1};
    }
    if (p.len && p.text[p.len - 1] == '}') {
        p.len--;
    }
    struct notation_operand *last = out->n ? &out->operands[out->n - 1] : NULL;
    if (last && strcmp(last->kinds[0], "m?") == 0) {
        last->suffix = ", post";
        return true;
    }
    return out->n < NOTATION_OPERANDS_MAX &&
           read_a64(trim(p), out->mnemonic, a, &out->operands[out->n++]);
}

/* --- a line -------------------------------------------------------------------------------------
 */

/* The mnemonic with the prefixes before it. */
static struct piece cut_mnemonic(struct piece *line)
{
    static const char *const prefixes[] = {"lock", "rep", "repe", "repne", "repz", "repnz"};
    size_t end = 0;
    for (bool again = true; again;) {
        again = false;
        const size_t start = end;
        while (end < line->len && !isspace((unsigned char)line->text[end])) {
            end++;
        }
        for (size_t i = 0; i < COUNT(prefixes); i++) {
            again |= is((struct piece){line->text + start, end - start}, prefixes[i]);
        }
        while (again && end < line->len && isspace((unsigned char)line->text[end])) {
            end++;
        }
        again = again && end < line->len;
    }
    const struct piece mnemonic = {line->text, end};
    *line = trim((struct piece){line->text + end, line->len - end});
    return mnemonic;
}

bool notation_read(const char *text, enum code_arch arch, struct arena *a, struct notation *out,
                   const char **operand)
{
    struct piece rest = trim((struct piece){text, strlen(text)});
    const struct piece mnemonic = cut_mnemonic(&rest);
    *out = (struct notation){.arch = arch, .att = arch == ARCH_X86_64};
    out->mnemonic = arena_copy(a, mnemonic.text, mnemonic.len);
    while (rest.len) {
        const struct piece p = next_operand(&rest);
        *operand = p.text;
        const bool known = arch == ARCH_AARCH64
                               ? add_a64(p, a, out)
                               : out->n < NOTATION_OPERANDS_MAX &&
                                     read_x86(p, out->mnemonic, a, &out->operands[out->n++]);
        if (!known) {
            return false;
        }
    }
    return true;
}
