#include "code/form.h"

#include <string.h>

/* Conditions as Zydis spells them, each after its other names. */
static const struct {
    const char *other, *normal;
} x86_aliases[] = {
    {"e", "z"},   {"ne", "nz"}, {"c", "b"},   {"nae", "b"}, {"nc", "nb"},
    {"ae", "nb"}, {"na", "be"}, {"a", "nbe"}, {"nge", "l"}, {"ge", "nl"},
    {"ng", "le"}, {"g", "nle"}, {"pe", "p"},  {"po", "np"},
};
static const char *const x86_conditions[] = {"o", "no", "b", "nb", "z", "nz", "be", "nbe",
                                             "s", "ns", "p", "np", "l", "nl", "le", "nle"};
static const char *const a64_conditions[] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                             "hi", "ls", "ge", "lt", "gt", "le", "al"};
static const char *const condition_stems[] = {"j", "set", "cmov"};

/* Whole mnemonics with another name. */
static const struct {
    const char *other, *normal;
} mnemonic_aliases[] = {
    {"sal", "shl"}, {"movabs", "mov"}, {"movz", "mov"},  {"movn", "mov"},
    {"ins", "mov"}, {"b.cs", "b.hs"},  {"repz", "repe"}, {"repnz", "repne"},
};

#define WORD_SIZE 256 /* twice FORM_SIZE: a word cut off here is still too long for a form */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_prefix_word(const char *word)
{
    static const char *const words[] = {"lock", "rep", "repe", "repne", "repz", "repnz"};

    for (size_t k = 0; k < COUNT(words); k++) {
        if (strcmp(word, words[k]) == 0) {
            return true;
        }
    }
    return false;
}

/* Room for what is written, one NUL always kept. */
struct output {
    char *text;
    size_t len;
    bool fits;
};

static void put(struct output *o, const char *text, size_t len)
{
    if (o->len + len >= FORM_SIZE) {
        o->fits = false;
        return;
    }
    memcpy(o->text + o->len, text, len);
    o->len += len;
    o->text[o->len] = '\0';
}

static void put_mnemonic(struct output *o, const char *word)
{
    for (size_t k = 0; k < COUNT(mnemonic_aliases); k++) {
        if (strcmp(word, mnemonic_aliases[k].other) == 0) {
            word = mnemonic_aliases[k].normal;
        }
    }
    for (size_t s = 0; s < COUNT(condition_stems); s++) {
        const size_t stem = strlen(condition_stems[s]);
        for (size_t k = 0; k < COUNT(x86_aliases); k++) {
            if (strncmp(word, condition_stems[s], stem) == 0 &&
                strcmp(word + stem, x86_aliases[k].other) == 0) {
                put(o, condition_stems[s], stem);
                word = x86_aliases[k].normal;
            }
        }
    }
    put(o, word, strlen(word));
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* One operand in lower case but for V and MV, blanks folded; brackets and braces go, except around
 * k, z and a lane. */
static void fold_operand(const char *text, size_t len, char out[WORD_SIZE])
{
    const size_t letters = text[0] == 'M' ? 2 : 1;
    size_t n = 0;

    for (size_t k = 0; k < len && n + 4 < WORD_SIZE; k++) {
        const char c = lower(text[k]);
        const char next = k + 1 < len ? lower(text[k + 1]) : '\0';
        if (c == '{' && (next == 'k' || next == 'z')) {
            n -= n > 0 && out[n - 1] == ' ';
            out[n++] = '{';
            out[n++] = next;
            out[n++] = '}';
            k += strcspn(text + k, "},") - 1;
        } else if (c == '[' && n > 1 && out[n - 2] == '.') {
            memcpy(out + n, "[i]", 3);
            n += 3;
            k += strcspn(text + k, "],") - 1;
        } else if (!is_blank(c) && !strchr("[]{}", c)) {
            out[n++] = c;
        } else if (is_blank(c) && n && out[n - 1] != ' ') {
            out[n++] = ' ';
        }
    }
    out[n - (n && out[n - 1] == ' ')] = '\0';
    if (n >= letters && text[letters - 1] == 'V' && (!out[letters] || out[letters] == '{')) {
        memcpy(out, text, letters);
    }
}

/* Whether text is this word, or this word and a size: imm, imm8. */
static bool is_sized(const char *text, const char *word)
{
    const size_t n = strlen(word);

    return strncmp(text, word, n) == 0 && strspn(text + n, "0123456789") == strlen(text + n);
}

static void put_operand(struct output *o, const char *text, size_t len)
{
    char folded[WORD_SIZE];

    fold_operand(text, len, folded);
    char *amount = strstr(folded, " #"); /* of a shift: lsl #2 */
    if (amount) {
        *amount = '\0';
    }
    const char *word = folded;
    if (is_sized(word + (*word == '#'), "imm")) {
        word = "imm";
    } else if (is_sized(word, "rel") || strcmp(word, "label") == 0) {
        word = "rel";
    }
    o->fits = o->fits && *word;
    put(o, word, strlen(word));
}

/* Copies the next word in lower case; returns what follows it and blanks. */
static const char *next_word(const char *text, char word[WORD_SIZE])
{
    size_t n = 0;

    while (*text && !is_blank(*text)) {
        if (n + 1 < WORD_SIZE) {
            word[n++] = lower(*text);
        }
        text++;
    }
    word[n] = '\0';
    while (is_blank(*text)) {
        text++;
    }
    return text;
}

bool form_normalise(const char *text, char out[FORM_SIZE])
{
    struct output o = {.text = out, .fits = true};
    char word[WORD_SIZE];

    out[0] = '\0';
    while (is_blank(*text)) {
        text++;
    }
    while (o.fits && *text) {
        text = next_word(text, word);
        put_mnemonic(&o, word);
        if (!is_prefix_word(word) || !*text) {
            break;
        }
        put(&o, " ", 1);
    }
    for (const char *separator = " "; o.fits && *text; separator = ", ") {
        const size_t len = strcspn(text, ",");
        put(&o, separator, strlen(separator));
        put_operand(&o, text, len);
        text += len + (text[len] == ',');
        while (is_blank(*text)) {
            text++;
        }
    }
    return o.fits && o.len > 0;
}

static bool is_one_of(const char *text, size_t len, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (strlen(list[k]) == len && strncmp(text, list[k], len) == 0) {
            return true;
        }
    }
    return false;
}

static bool condition_matches(const char *pattern, size_t p_len, const char *form, size_t f_len)
{
    for (size_t s = 0; s < COUNT(condition_stems); s++) {
        const size_t stem = strlen(condition_stems[s]);
        if (p_len == stem + 2 && f_len > stem && strncmp(pattern, condition_stems[s], stem) == 0 &&
            strncmp(pattern + stem, "cc", 2) == 0 && strncmp(form, condition_stems[s], stem) == 0) {
            return is_one_of(form + stem, f_len - stem, x86_conditions, COUNT(x86_conditions));
        }
    }
    return p_len == 4 && f_len > 2 && strncmp(pattern, "b.cc", 4) == 0 &&
           strncmp(form, "b.", 2) == 0 &&
           is_one_of(form + 2, f_len - 2, a64_conditions, COUNT(a64_conditions));
}

/* The width that a V or MV stands for in this word of a form, its length in *used; 0: none. */
static int width_of(bool memory, const char *form, size_t *used)
{
    static const struct {
        const char *reg, *memory;
        int width;
    } widths[] = {{"xmm", "m128", 128}, {"ymm", "m256", 256}, {"zmm", "m512", 512}};

    for (size_t k = 0; k < COUNT(widths); k++) {
        const char *word = memory ? widths[k].memory : widths[k].reg;
        *used = strlen(word);
        if (strncmp(form, word, *used) == 0) {
            return widths[k].width;
        }
    }
    return 0;
}

/* One word of a pattern, separators and mask included, against one of a form. */
static bool word_matches(const char *pattern, size_t p_len, const char *form, size_t f_len,
                         int *width)
{
    const size_t letters = p_len >= 2 && strncmp(pattern, "MV", 2) == 0 ? 2 : pattern[0] == 'V';
    size_t used = 0;

    if (letters) {
        const int found = width_of(letters == 2, form, &used);
        if (!found || (*width && *width != found)) {
            return false;
        }
        *width = found;
    }
    return f_len >= used && p_len - letters == f_len - used &&
           strncmp(pattern + letters, form + used, f_len - used) == 0;
}

bool form_operand_is_memory(const char *operand)
{
    return strncmp(operand, "MV", 2) == 0 ||
           (operand[0] == 'm' && operand[1] >= '0' && operand[1] <= '9');
}

/* Where a pattern first differs from a form that it matches, there is a V, an MV or a cc. */
static bool may_match(const char *pattern, const char *form)
{
    while (*pattern && *pattern == *form) {
        pattern++;
        form++;
    }
    return *pattern == *form || *pattern == 'V' || *pattern == 'M' || *pattern == 'c';
}

bool form_matches(const char *pattern, const char *form)
{
    int width = 0;

    if (!may_match(pattern, form)) {
        return false;
    }
    while (*pattern && *form) {
        const size_t p_len = strcspn(pattern, " "), f_len = strcspn(form, " ");
        if (!condition_matches(pattern, p_len, form, f_len) &&
            !word_matches(pattern, p_len, form, f_len, &width)) {
            return false;
        }
        pattern += p_len + (pattern[p_len] == ' ');
        form += f_len + (form[f_len] == ' ');
    }
    return !*pattern && !*form;
}

/* What a word of a pattern becomes; a word that stands for itself stays. */
static const char *filled_word(const char *word, size_t *len, int width)
{
    static const struct {
        const char *pattern, *filled[FORM_WIDTHS];
    } words[] = {
        {"V", {"xmm", "ymm", "zmm"}},
        {"MV", {"m128", "m256", "m512"}},
        {"jcc", {"jnz", "jnz", "jnz"}},
        {"setcc", {"setnz", "setnz", "setnz"}},
        {"cmovcc", {"cmovnz", "cmovnz", "cmovnz"}},
        {"b.cc", {"b.ne", "b.ne", "b.ne"}},
    };

    for (size_t i = 0; i < COUNT(words); i++) {
        if (strlen(words[i].pattern) == *len && strncmp(word, words[i].pattern, *len) == 0) {
            *len = strlen(words[i].filled[width]);
            return words[i].filled[width];
        }
    }
    return word;
}

bool form_instance(const char *pattern, int width, char out[FORM_SIZE])
{
    size_t n = 0;

    for (const char *at = pattern; *at;) {
        size_t len = strcspn(at, " ,{");
        const size_t rest = len;
        const char *word = filled_word(at, &len, width);
        at += rest;
        const size_t between = strspn(at, " ,{");
        if (n + len + between >= FORM_SIZE) {
            return false;
        }
        memcpy(out + n, word, len);
        memcpy(out + n + len, at, between);
        n += len + between;
        at += between;
    }
    out[n] = '\0';
    return true;
}
