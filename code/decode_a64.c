/* decode_a64.c - the door to Capstone: one AArch64 instruction to its form and what it touches.
 *
 * Capstone 4.0.2 says little of which operands are read or written, nothing of what a load touches,
 * and its operand details disagree with the text for several aliases.  So only the text is taken
 * from it, and one table of rules by mnemonic says the rest (Arm ARM DDI 0487, chapters C6 and C7).
 * It knows Armv8.0: the atomics of 8.1, dot products and SVE are not instructions to it.
 */
#include "code/decode_parts.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REG_X0 = 1, REG_SP = REG_X0 + 31, REG_V0, REG_NZCV = REG_V0 + 32 };

enum trait {
    NO_DEST = 1 << 0,   /* every register operand is a source                         */
    TWO_DESTS = 1 << 1, /* the first two are destinations                             */
    KEEPS = 1 << 3,     /* the destination is read too: accumulated or inserted into  */
    FLAGS_IN = 1 << 4,
    FLAGS_OUT = 1 << 5,
    LOAD = 1 << 6,
    STORE = 1 << 7,
    BRANCH = 1 << 8,
    CONDITION = 1 << 9,
    CALL = 1 << 10,
    RETURN = 1 << 11,
    FLOP = 1 << 12,       /* one operation a lane  */
    FLOP2 = 1 << 13,      /* two: multiply and add */
    STATUS = 1 << 14,     /* the first operand of a store is its success, a destination */
    HINT = 1 << 15,       /* names memory that no value comes from */
    ONE_ELEMENT = 1 << 16 /* a load of one element for all lanes   */
};

/* Every rule whose text matches adds its traits. */
static const struct rule {
    const char *text;
    enum how { IS, BEGINS, ENDS, HAS } how;
    unsigned traits;
} rules[] = {
    {"ld", BEGINS, LOAD},
    {"st", BEGINS, STORE | NO_DEST},
    {"ldp", BEGINS, TWO_DESTS},
    {"ldnp", IS, TWO_DESTS},
    {"ldxp", IS, TWO_DESTS},
    {"ldaxp", IS, TWO_DESTS},
    {"ld1r", IS, ONE_ELEMENT},
    {"ld2r", IS, ONE_ELEMENT},
    {"ld3r", IS, ONE_ELEMENT},
    {"ld4r", IS, ONE_ELEMENT},
    {"stx", BEGINS, STATUS},
    {"stlx", BEGINS, STATUS},
    {"prfm", IS, NO_DEST | HINT},
    {"prfum", IS, NO_DEST | HINT},

    {"b", IS, BRANCH | NO_DEST},
    {"b.", BEGINS, BRANCH | CONDITION | NO_DEST | FLAGS_IN},
    {"br", IS, BRANCH | NO_DEST},
    {"cbz", IS, BRANCH | CONDITION | NO_DEST},
    {"cbnz", IS, BRANCH | CONDITION | NO_DEST},
    {"tbz", IS, BRANCH | CONDITION | NO_DEST},
    {"tbnz", IS, BRANCH | CONDITION | NO_DEST},
    {"bl", IS, CALL | NO_DEST},
    {"blr", IS, CALL | NO_DEST},
    {"ret", IS, RETURN | NO_DEST},
    {"retaa", IS, RETURN | NO_DEST},
    {"retab", IS, RETURN | NO_DEST},
    {"msr", IS, NO_DEST},

    {"cmp", IS, NO_DEST | FLAGS_OUT},
    {"cmn", IS, NO_DEST | FLAGS_OUT},
    {"tst", IS, NO_DEST | FLAGS_OUT},
    {"fcmp", IS, NO_DEST | FLAGS_OUT},
    {"fcmpe", IS, NO_DEST | FLAGS_OUT},
    {"ccmp", IS, NO_DEST | FLAGS_IN | FLAGS_OUT},
    {"ccmn", IS, NO_DEST | FLAGS_IN | FLAGS_OUT},
    {"fccmp", IS, NO_DEST | FLAGS_IN | FLAGS_OUT},
    {"fccmpe", IS, NO_DEST | FLAGS_IN | FLAGS_OUT},
    {"adds", IS, FLAGS_OUT},
    {"subs", IS, FLAGS_OUT},
    {"ands", IS, FLAGS_OUT},
    {"bics", IS, FLAGS_OUT},
    {"negs", IS, FLAGS_OUT},
    {"adcs", IS, FLAGS_IN | FLAGS_OUT},
    {"sbcs", IS, FLAGS_IN | FLAGS_OUT},
    {"ngcs", IS, FLAGS_IN | FLAGS_OUT},
    {"adc", IS, FLAGS_IN},
    {"sbc", IS, FLAGS_IN},
    {"ngc", IS, FLAGS_IN},
    {"csel", IS, FLAGS_IN},
    {"csinc", IS, FLAGS_IN},
    {"csinv", IS, FLAGS_IN},
    {"csneg", IS, FLAGS_IN},
    {"cset", IS, FLAGS_IN},
    {"csetm", IS, FLAGS_IN},
    {"cinc", IS, FLAGS_IN},
    {"cinv", IS, FLAGS_IN},
    {"cneg", IS, FLAGS_IN},
    {"fcsel", IS, FLAGS_IN},

    {"mla", HAS, KEEPS}, /* fmla, smlal, sqrdmlah, fcmla */
    {"mls", HAS, KEEPS},
    {"n2", ENDS, KEEPS}, /* xtn2, addhn2: into the upper half */
    {"sra", ENDS, KEEPS},
    {"aba", HAS, KEEPS}, /* saba, uabal */
    {"adalp", ENDS, KEEPS},
    {"suqadd", IS, KEEPS},
    {"usqadd", IS, KEEPS},
    {"bsl", IS, KEEPS},
    {"bit", IS, KEEPS},
    {"bif", IS, KEEPS},
    {"sli", IS, KEEPS},
    {"sri", IS, KEEPS},
    {"tbx", IS, KEEPS},
    {"movk", IS, KEEPS},
    {"bfi", IS, KEEPS},
    {"bfc", IS, KEEPS},
    {"bfxil", IS, KEEPS},
    {"bfm", IS, KEEPS},
    {"aese", IS, KEEPS},
    {"aesd", IS, KEEPS},
    {"sha256", BEGINS, KEEPS},
    {"sha1c", IS, KEEPS},
    {"sha1m", IS, KEEPS},
    {"sha1p", IS, KEEPS},
    {"sha1su", BEGINS, KEEPS},

    {"fadd", IS, FLOP},
    {"faddp", IS, FLOP},
    {"fsub", IS, FLOP},
    {"fabd", IS, FLOP},
    {"fmul", IS, FLOP},
    {"fmulx", IS, FLOP},
    {"fnmul", IS, FLOP},
    {"fdiv", IS, FLOP},
    {"fsqrt", IS, FLOP},
    {"fcadd", IS, FLOP},
    {"fmla", BEGINS, FLOP2}, /* and fmlal */
    {"fmls", BEGINS, FLOP2},
    {"fcmla", IS, FLOP2},
    {"fmadd", IS, FLOP2},
    {"fmsub", IS, FLOP2},
    {"fnmadd", IS, FLOP2},
    {"fnmsub", IS, FLOP2},
};

static bool ends(const char *text, const char *suffix)
{
    const size_t n = strlen(text), k = strlen(suffix);

    return n >= k && strcmp(text + n - k, suffix) == 0;
}

static unsigned traits_of(const char *mnemonic)
{
    unsigned traits = 0;

    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        const char *text = rules[k].text;
        const bool match = rules[k].how == IS       ? strcmp(mnemonic, text) == 0
                           : rules[k].how == BEGINS ? strncmp(mnemonic, text, strlen(text)) == 0
                           : rules[k].how == ENDS   ? ends(mnemonic, text)
                                                    : strstr(mnemonic, text) != NULL;
        traits |= match ? rules[k].traits : 0;
    }
    return traits;
}

#define OPERANDS_MAX 8
#define TOKEN_SIZE   48

enum operand_class { OPERAND_REG, OPERAND_MEM, OPERAND_NUMBER, OPERAND_WORD };

struct operand {
    enum operand_class is;
    char kind[12]; /* register: w, q, v.4s, v.s[i]; word: as printed */
    code_reg reg;  /* 0 for the zero register */
    int bits;      /* of the register, or of the lane that is named */
    int element_bits, lanes;
    bool lane;
    uint64_t number;
    struct insn_mem mem;
    bool writeback;
};

struct a64 {
    const char *mnemonic;
    unsigned traits;
    struct operand op[OPERANDS_MAX];
    int n;
};

static int element_bits(char letter)
{
    static const struct {
        char letter;
        int bits;
    } elements[] = {{'b', 8}, {'h', 16}, {'s', 32}, {'w', 32}, {'d', 64}, {'x', 64}, {'q', 128}};

    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
        if (elements[k].letter == letter) {
            return elements[k].bits;
        }
    }
    return 0;
}

/* "4s", "16b", "s[1]" after the dot of a vector register. */
static bool parse_arrangement(const char *text, struct operand *o)
{
    char *end;
    const unsigned long lanes = strtoul(text, &end, 10);

    o->element_bits = element_bits(*end);
    if (!o->element_bits || lanes > 16 || (end[1] && end[1] != '[')) {
        return false;
    }
    o->lane = end[1] == '[' || lanes == 0;
    o->lanes = o->lane ? 1 : (int)lanes;
    o->bits = o->element_bits * o->lanes;
    snprintf(o->kind, sizeof o->kind, o->lane ? "v.%.*s[i]" : "v.%.*s", (int)(end - text) + 1,
             text);
    return true;
}

static bool parse_named_register(const char *text, struct operand *o)
{
    static const struct {
        const char *text;
        char kind;
        code_reg reg;
        int bits;
    } named[] = {
        {"sp", 'x', REG_SP, 64}, {"wsp", 'w', REG_SP, 32},     {"xzr", 'x', 0, 64},
        {"wzr", 'w', 0, 32},     {"fp", 'x', REG_X0 + 29, 64}, {"lr", 'x', REG_X0 + 30, 64},
    };

    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        if (strcmp(text, named[k].text) == 0) {
            *o = (struct operand){.is = OPERAND_REG, .reg = named[k].reg, .bits = named[k].bits};
            o->kind[0] = named[k].kind;
            return true;
        }
    }
    return false;
}

static bool parse_register(const char *text, struct operand *o)
{
    char *end;

    if (parse_named_register(text, o)) {
        return true;
    }
    *o = (struct operand){.is = OPERAND_REG, .lanes = 1};
    if (!text[0] || !strchr("wxbhsdqv", text[0]) || text[1] < '0' || text[1] > '9') {
        return false;
    }
    const unsigned long n = strtoul(text + 1, &end, 10);
    const bool general = text[0] == 'w' || text[0] == 'x';
    if (n > (general ? 30 : 31)) {
        return false;
    }
    o->reg = (code_reg)((general ? REG_X0 : REG_V0) + n);
    if (text[0] == 'v' && *end == '.') {
        return parse_arrangement(end + 1, o);
    }
    o->kind[0] = text[0];
    o->bits = text[0] == 'v' ? 128 : element_bits(text[0]);
    return *end == '\0';
}

static bool parse_number(const char *text, uint64_t *out)
{
    char *end;

    text += *text == '#';
    *out = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    return end != text; /* "0.5" of fmov is an immediate too; its value is of no use */
}

/* Copies the next piece of a comma-separated list, without blanks around it; brackets hold together
 * what is inside.  Returns where the next one begins, NULL at the end. */
static const char *next_piece(const char *text, char out[TOKEN_SIZE])
{
    int depth = 0;
    size_t len = 0;

    text += strspn(text, " ");
    if (!*text) {
        return NULL;
    }
    for (; *text && (*text != ',' || depth > 0); text++) {
        depth += (*text == '[' || *text == '{') - (*text == ']' || *text == '}');
        if (len + 1 < TOKEN_SIZE) {
            out[len++] = *text;
        }
    }
    while (len && out[len - 1] == ' ') {
        len--;
    }
    out[len] = '\0';
    return *text ? text + 1 : text;
}

/* "[x0, x1, lsl #4]", "[x0, #16]!" */
static void parse_memory(const char *text, struct operand *o)
{
    char inside[TOKEN_SIZE], piece[TOKEN_SIZE];
    const size_t len = strcspn(text + 1, "]");
    struct operand r;
    uint64_t number;

    *o = (struct operand){.is = OPERAND_MEM};
    o->writeback = text[len + 1] == ']' && text[len + 2] == '!';
    memcpy(inside, text + 1, len);
    inside[len] = '\0';
    const char *rest = next_piece(inside, piece);
    if (rest && parse_register(piece, &r)) {
        o->mem.base = r.reg;
    }
    while (rest && (rest = next_piece(rest, piece))) {
        const char *amount = strchr(piece, '#');
        if (parse_register(piece, &r)) {
            o->mem.index = r.reg;
            o->mem.scale = 1;
        } else if (piece[0] == '#' && parse_number(piece, &number)) {
            o->mem.displacement = (int64_t)number;
        } else if (amount && parse_number(amount, &number) && number < 8) {
            o->mem.scale = 1 << number;
        }
    }
}

/* "{v0.4s, v1.4s}" and "{v0.s, v1.s}[1]" become one operand a register. */
static void parse_list(const char *text, struct a64 *a)
{
    char inside[TOKEN_SIZE], piece[TOKEN_SIZE];
    const size_t len = strcspn(text + 1, "}");

    memcpy(inside, text + 1, len);
    inside[len] = '\0';
    for (const char *rest = inside; a->n < OPERANDS_MAX && (rest = next_piece(rest, piece));) {
        a->n += parse_register(piece, &a->op[a->n]);
    }
}

static void parse_operand(const char *piece, struct a64 *a)
{
    struct operand *o = &a->op[a->n];

    if (piece[0] == '{') {
        parse_list(piece, a);
        return;
    }
    if (piece[0] == '[') {
        parse_memory(piece, o);
    } else if (!parse_register(piece, o)) {
        *o = (struct operand){0};
        o->is = piece[0] == '#' && parse_number(piece, &o->number) ? OPERAND_NUMBER : OPERAND_WORD;
        snprintf(o->kind, sizeof o->kind, "%.*s", (int)strcspn(piece, " "), piece);
    }
    a->n++;
}

static void parse_instruction(const cs_insn *c, struct a64 *a)
{
    char piece[TOKEN_SIZE];

    *a = (struct a64){.mnemonic = c->mnemonic, .traits = traits_of(c->mnemonic)};
    for (const char *rest = c->op_str;
         a->n < OPERANDS_MAX && (rest = next_piece(rest, piece)) != NULL;) {
        parse_operand(piece, a);
    }
    if (a->n > 1 && a->op[0].lanes > 1 && a->op[1].is == OPERAND_NUMBER &&
        (strcmp(a->mnemonic, "orr") == 0 || strcmp(a->mnemonic, "bic") == 0)) {
        a->traits |= KEEPS; /* a number is combined with the destination itself */
    }
}

/* Index of the operand that is memory, a literal's address too; n where there is none. */
static int memory_at(const struct a64 *a)
{
    for (int k = 0; k < a->n; k++) {
        if (a->op[k].is == OPERAND_MEM ||
            ((a->traits & (LOAD | HINT)) && k == a->n - 1 && a->op[k].is == OPERAND_NUMBER)) {
            return k;
        }
    }
    return a->n;
}

/* Bits that a load or store touches: the data registers', or what the mnemonic narrows them to. */
static int memory_bits(const struct a64 *a, int at)
{
    const int narrow = ends(a->mnemonic, "b")    ? 8
                       : ends(a->mnemonic, "h")  ? 16
                       : ends(a->mnemonic, "sw") ? 32
                                                 : 0;
    int bits = 0;

    if (a->traits & HINT) {
        return 8;
    }
    for (int k = a->traits & STATUS ? 1 : 0; k < at; k++) {
        bits += narrow ? narrow : a->traits & ONE_ELEMENT ? a->op[k].element_bits : a->op[k].bits;
    }
    return bits;
}

static const char *word_kind(const char *word)
{
    static const char *const conditions[] = {"eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl", "vs",
                                             "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};
    static const char *const shifts[] = {"lsl",  "lsr",  "asr",  "ror",  "msl",  "uxtb", "uxth",
                                         "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"};

    for (size_t k = 0; k < sizeof conditions / sizeof *conditions; k++) {
        if (strcmp(word, conditions[k]) == 0) {
            return "cond";
        }
    }
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) {
        if (strcmp(word, shifts[k]) == 0) {
            return word;
        }
    }
    return "imm"; /* kinds of barrier and prefetch, system registers: encoded numbers */
}

/* Newer Capstones and everybody else print the alias where 4.0.2 prints the instruction. */
static const char *spelling(const char *mnemonic)
{
    return strcmp(mnemonic, "movz") == 0 || strcmp(mnemonic, "movn") == 0 ||
                   strcmp(mnemonic, "ins") == 0
               ? "mov"
               : mnemonic;
}

static void write_form(const struct a64 *a, int at, struct insn *out)
{
    insn_form_add(out, spelling(a->mnemonic));
    for (int k = 0; k < a->n && k <= at; k++) {
        const struct operand *o = &a->op[k];
        const bool target = (a->traits & (BRANCH | CALL)) && k == a->n - 1;

        insn_form_add(out, k ? ", " : " ");
        if (k == at) {
            insn_form_add_memory(out, (unsigned)memory_bits(a, at));
        } else if (o->is == OPERAND_REG) {
            insn_form_add(out, o->kind);
        } else if (o->is == OPERAND_NUMBER) {
            insn_form_add(out, target ? "rel" : "imm");
        } else {
            insn_form_add(out, word_kind(o->kind));
        }
    }
    if (at < a->n && (a->op[at].writeback || at + 1 < a->n)) {
        insn_form_add(out, a->op[at].writeback ? ", pre" : ", post");
    }
}

/* How many of the first operands are written. */
static int destinations(const struct a64 *a, int at)
{
    const bool list =
        strncmp(a->mnemonic, "ld", 2) == 0 && a->mnemonic[2] >= '1' && a->mnemonic[2] <= '4';

    return list                    ? at
           : a->traits & STATUS    ? 1
           : a->traits & NO_DEST   ? 0
           : a->traits & TWO_DESTS ? 2
                                   : 1;
}

static void take_registers(const struct a64 *a, int at, struct insn *out)
{
    const int n_written = destinations(a, at);

    for (int k = 0; k < a->n; k++) {
        const struct operand *o = &a->op[k];
        const bool written = k < n_written;
        if (o->is != OPERAND_REG) {
            continue;
        }
        /* A lane that is written is inserted: the other lanes stay. */
        if (!written || (a->traits & KEEPS) || o->lane) {
            insn_reads(out, o->reg, (k < at ? k : at) + 1);
        }
        if (written) {
            insn_writes(out, o->reg, k + 1);
        }
    }
    if (a->traits & FLAGS_IN) {
        insn_reads(out, REG_NZCV, 0);
    }
    if (a->traits & FLAGS_OUT) {
        insn_writes(out, REG_NZCV, 0);
    }
    if (a->traits & CALL) {
        insn_writes(out, REG_X0 + 30, 0);
    }
    if ((a->traits & RETURN) && a->n == 0) {
        insn_reads(out, REG_X0 + 30, 0);
    }
}

static void take_memory(const struct a64 *a, int at, struct insn *out)
{
    struct insn_mem *m = at < a->n ? insn_mem_next(out) : NULL;

    if (!m) {
        return;
    }
    *m = a->op[at].mem;
    m->bytes = memory_bits(a, at) / 8;
    m->read = (a->traits & LOAD) != 0;
    m->write = (a->traits & STORE) != 0;
    if (a->op[at].is == OPERAND_NUMBER) {
        m->rip_relative = true;
        m->displacement = (int64_t)(a->op[at].number - out->address);
    }
    insn_reads(out, m->base, at + 1);
    insn_reads(out, m->index, at + 1);
    if (a->op[at].writeback || at + 1 < a->n) {
        insn_writes(out, m->base, at + 1);
    }
    out->loads = m->read;
    out->stores = m->write;
}

static void take_branch(const struct a64 *a, struct insn *out)
{
    out->branch = (a->traits & BRANCH) != 0;
    out->conditional = (a->traits & CONDITION) != 0;
    out->calls = (a->traits & CALL) != 0;
    out->returns = (a->traits & RETURN) != 0;
    if ((a->traits & (BRANCH | CALL)) && a->n && a->op[a->n - 1].is == OPERAND_NUMBER) {
        out->target = a->op[a->n - 1].number;
    }
}

static bool same_sources(const struct a64 *a, int at)
{
    const struct operand *source = NULL;
    const int n_written = destinations(a, at);
    int n = 0;

    for (int k = 0; k < a->n; k++) {
        const struct operand *o = &a->op[k];
        if (o->is == OPERAND_MEM || o->lane) {
            return false;
        }
        if (o->is != OPERAND_REG || !o->reg || (k < n_written && !(a->traits & KEEPS))) {
            continue;
        }
        if (n++ && (o->reg != source->reg || strcmp(o->kind, source->kind) != 0)) {
            return false;
        }
        source = o;
    }
    return n >= 2;
}

static bool register_move(const struct a64 *a)
{
    return strcmp(a->mnemonic, "mov") == 0 && a->n == 2 && a->op[0].is == OPERAND_REG &&
           a->op[1].is == OPERAND_REG && a->op[0].reg && a->op[1].reg && !a->op[0].lane &&
           strcmp(a->op[0].kind, a->op[1].kind) == 0 && strcmp(a->op[0].kind, "v.8b") != 0;
}

static void take_step(const struct a64 *a, int at, struct insn *out)
{
    const bool add = strncmp(a->mnemonic, "add", 3) == 0, sub = strncmp(a->mnemonic, "sub", 3) == 0;
    const struct operand *by = &a->op[2];

    if (at < a->n && a->op[at].writeback) {
        out->stepped = a->op[at].mem.base;
        out->step = a->op[at].mem.displacement;
    } else if (at + 1 < a->n && a->op[at + 1].is == OPERAND_NUMBER) {
        out->stepped = a->op[at].mem.base;
        out->step = (int64_t)a->op[at + 1].number;
    } else if ((add || sub) && a->n == 3 && by->is == OPERAND_NUMBER && a->op[0].bits == 64 &&
               a->op[0].reg == a->op[1].reg) {
        out->stepped = a->op[0].reg;
        out->step = add ? (int64_t)by->number : -(int64_t)by->number;
    }
}

static bool decode(void *state, const uint8_t *code, size_t len, uint64_t address, struct insn *out)
{
    cs_insn *c = NULL;
    struct a64 a;
    const csh handle = *(const csh *)state;

    if (cs_disasm(handle, code, len < 4 ? len : 4, address, 1, &c) != 1) {
        return false;
    }
    parse_instruction(c, &a);
    const int at = memory_at(&a);
    out->length = c->size;
    write_form(&a, at, out);
    take_registers(&a, at, out);
    take_memory(&a, at, out);
    take_branch(&a, out);
    out->flops = a.op[0].lanes * (a.traits & FLOP2 ? 2.0 : a.traits & FLOP ? 1.0 : 0.0);
    out->same_sources = same_sources(&a, at);
    out->register_move = register_move(&a);
    take_step(&a, at, out);
    cs_free(c, 1);
    return true;
}

static void *open_capstone(void)
{
    csh *handle = malloc(sizeof *handle);

    if (handle && cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle) != CS_ERR_OK) {
        free(handle);
        return NULL;
    }
    return handle;
}

static void close_capstone(void *state)
{
    cs_close(state);
    free(state);
}

static const char *reg_name(code_reg r)
{
    static const char *const names[] = {
        "none", "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",
        "x10",  "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20",
        "x21",  "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
        "v0",   "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",  "v8",  "v9",  "v10",
        "v11",  "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22",  "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "flags",
    };

    return r < sizeof names / sizeof *names ? names[r] : "none";
}

static bool is_vector(code_reg r)
{
    return r >= REG_V0 && r < REG_NZCV;
}

const struct decode_backend decode_a64 = {.open = open_capstone,
                                          .close = close_capstone,
                                          .insn = decode,
                                          .reg_name = reg_name,
                                          .is_vector = is_vector};
