#include "code/encode.h"

#include "code/decode.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Register kinds of a form, with the first of 16 or more consecutive Zydis registers.  The 8-bit
 * ones are not consecutive (ah stands between bl and spl). */
static const struct register_kind {
    const char *word;
    enum encode_kind kind;
    int bits;
    ZydisRegister first;
} register_kinds[] = {
    {"r8", ENCODE_GENERAL, 8, ZYDIS_REGISTER_AL},
    {"r16", ENCODE_GENERAL, 16, ZYDIS_REGISTER_AX},
    {"r32", ENCODE_GENERAL, 32, ZYDIS_REGISTER_EAX},
    {"r64", ENCODE_GENERAL, 64, ZYDIS_REGISTER_RAX},
    {"xmm", ENCODE_VECTOR, 128, ZYDIS_REGISTER_XMM0},
    {"ymm", ENCODE_VECTOR, 256, ZYDIS_REGISTER_YMM0},
    {"zmm", ENCODE_VECTOR, 512, ZYDIS_REGISTER_ZMM0},
    {"k", ENCODE_MASK, 64, ZYDIS_REGISTER_K0},
};

static ZydisRegister register_of(enum encode_kind kind, int bits, int number)
{
    if (bits == 8) {
        return (ZydisRegister)(number < 4 ? ZYDIS_REGISTER_AL + number
                                          : ZYDIS_REGISTER_SPL + number - 4);
    }
    for (size_t k = 0; k < COUNT(register_kinds); k++) {
        if (register_kinds[k].kind == kind && register_kinds[k].bits == bits) {
            return (ZydisRegister)((int)register_kinds[k].first + number);
        }
    }
    return ZYDIS_REGISTER_NONE;
}

/* --- reading a form ------------------------------------------------------------------------------
 */

static bool read_mnemonic(const char *word, size_t len, int *mnemonic)
{
    for (int m = 1; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) {
        const char *name = ZydisMnemonicGetString((ZydisMnemonic)m);
        if (name && strlen(name) == len && memcmp(name, word, len) == 0) {
            *mnemonic = m;
            return true;
        }
    }
    return false;
}

static bool read_register(const char *word, size_t len, struct encode_form *f)
{
    for (size_t k = 0; k < COUNT(register_kinds); k++) {
        const struct register_kind *r = &register_kinds[k];
        if (strlen(r->word) == len && memcmp(r->word, word, len) == 0) {
            f->kinds[f->n_operands] = r->kind;
            f->bits[f->n_operands] = r->bits;
            return true;
        }
    }
    return false;
}

static bool read_memory(const char *word, size_t len, struct encode_form *f)
{
    char *end;
    const long bits = *word == 'm' ? strtol(word + 1, &end, 10) : 0;

    if (bits < 8 || bits > 512 || bits % 8 != 0) {
        return false;
    }
    f->kinds[f->n_operands] = ENCODE_MEMORY;
    f->bits[f->n_operands] = (int)bits;
    if (word + len - end == 4 && memcmp(end, "bcst", 4) == 0) {
        f->broadcast = 1; /* which one, the widest register says */
        end += 4;
    }
    return end == word + len;
}

static bool read_operand(const char *word, size_t len, struct encode_form *f)
{
    static const struct {
        const char *word;
        enum encode_kind kind;
    } others[] = {{"imm", ENCODE_IMMEDIATE}, {"agen", ENCODE_ADDRESS}, {"cl", ENCODE_CL}};

    for (size_t k = 0; k < COUNT(others); k++) {
        if (strlen(others[k].word) == len && memcmp(others[k].word, word, len) == 0) {
            f->kinds[f->n_operands] = others[k].kind;
            return true;
        }
    }
    return read_register(word, len, f) || read_memory(word, len, f);
}

/* Cuts {k} or {k}{z} off an operand. */
static size_t read_mask(const char *word, size_t len, struct encode_form *f)
{
    const size_t braces = strcspn(word, "{");

    if (braces >= len) {
        return len;
    }
    f->masked = true;
    f->zeroing = len - braces == 6;
    return braces;
}

static bool read_text(struct encode_form *f, struct err *e)
{
    const char *at = f->text;
    size_t len;

    f->lock = strncmp(at, "lock ", 5) == 0;
    at += f->lock ? 5 : 0;
    len = strcspn(at, " ");
    if (!read_mnemonic(at, len, &f->mnemonic)) {
        return err_set(e, ERR_SYNTAX, LOC_NONE, "no x86-64 instruction is called '%.*s'", (int)len,
                       at);
    }
    for (at += len + (at[len] == ' '); *at; at += strspn(at, ", ")) {
        len = strcspn(at, ",");
        if (f->n_operands == ENCODE_OPERANDS_MAX || !read_operand(at, read_mask(at, len, f), f)) {
            return err_set(e, ERR_RANGE, LOC_NONE, "operand '%.*s' of '%s' is not encoded here",
                           (int)len, at, f->text);
        }
        f->n_operands++;
        at += len;
    }
    return true;
}

/* --- gathers and scatters: vgatherdps, vpscatterqd ----------------------------------------------
 */

static int element_bits(const struct encode_form *f)
{
    const size_t mnemonic = strcspn(f->text, " ");
    const char last = f->text[mnemonic - 1];

    return last == 's' || (last == 'd' && f->text[mnemonic - 2] != 'p') ? 32 : 64;
}

static void read_index(struct encode_form *f)
{
    const char *gather = strstr(f->text, "gather"), *scatter = strstr(f->text, "scatter");
    const char *index = gather ? gather + 6 : scatter ? scatter + 7 : NULL;

    if (!index || f->n_operands < 2) {
        return;
    }
    const int data = f->kinds[0] == ENCODE_MEMORY ? 1 : 0;
    const int bits = f->bits[data] / element_bits(f) * (*index == 'd' ? 32 : 64);

    f->vector_index = true;
    f->index_bits = bits < 128 ? 128 : bits;
}

/* --- encoding ------------------------------------------------------------------------------------
 */

static ZydisBroadcastMode broadcast_mode(const struct encode_form *f, int element_bits)
{
    static const struct {
        int times;
        ZydisBroadcastMode mode;
    } modes[] = {{2, ZYDIS_BROADCAST_MODE_1_TO_2},
                 {4, ZYDIS_BROADCAST_MODE_1_TO_4},
                 {8, ZYDIS_BROADCAST_MODE_1_TO_8},
                 {16, ZYDIS_BROADCAST_MODE_1_TO_16},
                 {32, ZYDIS_BROADCAST_MODE_1_TO_32}};
    int widest = 0;

    for (int k = 0; k < f->n_operands; k++) {
        widest = f->kinds[k] == ENCODE_VECTOR && f->bits[k] > widest ? f->bits[k] : widest;
    }
    for (size_t k = 0; k < COUNT(modes); k++) {
        if (modes[k].times == widest / element_bits) {
            return modes[k].mode;
        }
    }
    return ZYDIS_BROADCAST_MODE_INVALID;
}

static void add_memory(const struct encode_form *f, const struct encode_registers *r, int k,
                       ZydisEncoderOperand *out)
{
    out->type = ZYDIS_OPERAND_TYPE_MEMORY;
    out->mem.base = register_of(ENCODE_GENERAL, 64, r->base);
    out->mem.index = r->index < 0      ? ZYDIS_REGISTER_NONE
                     : f->vector_index ? register_of(ENCODE_VECTOR, f->index_bits, r->index)
                                       : register_of(ENCODE_GENERAL, 64, r->index);
    out->mem.scale = r->index < 0 ? 0 : (ZyanU8)r->scale;
    out->mem.displacement = r->displacement;
    out->mem.size = (ZyanU16)(f->kinds[k] == ENCODE_ADDRESS ? 8
                              : f->vector_index             ? element_bits(f) / 8
                                                            : f->bits[k] / 8);
}

static void add_operand(const struct encode_form *f, const struct encode_registers *r, int k,
                        ZydisEncoderRequest *q)
{
    ZydisEncoderOperand *o = &q->operands[q->operand_count++];

    switch (f->kinds[k]) {
    case ENCODE_MEMORY:
    case ENCODE_ADDRESS:
        add_memory(f, r, k, o);
        break;
    case ENCODE_IMMEDIATE:
        o->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
        o->imm.s = r->immediate;
        break;
    case ENCODE_CL:
        o->type = ZYDIS_OPERAND_TYPE_REGISTER;
        o->reg.value = ZYDIS_REGISTER_CL;
        break;
    default:
        o->type = ZYDIS_OPERAND_TYPE_REGISTER;
        o->reg.value = register_of(f->kinds[k], f->bits[k], r->number[k]);
        o->reg.is4 = f->fourth && k == 3;
    }
    if (k == 0 && f->evex) { /* EVEX has a mask operand always; k0 is none */
        q->operands[q->operand_count++] = (ZydisEncoderOperand){
            .type = ZYDIS_OPERAND_TYPE_REGISTER,
            .reg = {.value = ZYDIS_REGISTER_K0 + (f->masked ? r->mask : 0)},
        };
    }
}

bool encode_insn(const struct encode_form *f, const struct encode_registers *r,
                 uint8_t out[ENCODE_BYTES_MAX], size_t *len, struct err *e)
{
    ZydisEncoderRequest q = {
        .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
        .mnemonic = (ZydisMnemonic)f->mnemonic,
        .prefixes = f->lock ? ZYDIS_ATTRIB_HAS_LOCK : 0,
        .evex = {.broadcast = (ZydisBroadcastMode)f->broadcast, .zeroing_mask = f->zeroing}};
    ZyanUSize n = ENCODE_BYTES_MAX;

    for (int k = 0; k < f->n_operands; k++) {
        add_operand(f, r, k, &q);
    }
    if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&q, out, &n))) {
        return err_set(e, ERR_RANGE, LOC_NONE, "'%s' has no encoding with these operands", f->text);
    }
    *len = n;
    return true;
}

/* --- trying a form -------------------------------------------------------------------------------
 */

static enum encode_class class_of(const struct encode_form *f, const ZydisDecodedInstruction *z)
{
    for (int k = 0; k < f->n_operands; k++) {
        if (f->kinds[k] == ENCODE_VECTOR) {
            return z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? ENCODE_SSE : ENCODE_AVX;
        }
    }
    return ENCODE_SCALAR;
}

/* What the bytes are, if they are the form. */
static bool describe(struct encode_form *f, const uint8_t *code, size_t len, struct err *e)
{
    ZydisDecoder zydis;
    ZydisDecodedInstruction z;
    struct insn insn;
    struct decoder *d = decoder_open(ARCH_X86_64, e);
    const bool same = d && decode_insn(d, code, len, 0, &insn, &(struct err){0}) &&
                      strcmp(insn.form, f->text) == 0;

    decoder_close(d);
    if (!same ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&zydis, NULL, code, len, &z))) {
        return false;
    }
    f->class = class_of(f, &z);
    f->isa_set = ZydisISASetGetString(z.meta.isa_set);
    f->privileged = (z.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0;
    return true;
}

/* An encoding is chosen by trying: the shorter VEX before EVEX, and a fourth register in the
 * immediate where it goes nowhere else. */
static bool try_encodings(struct encode_form *f, struct err *e)
{
    const struct encode_registers plain = {.number = {1, 2, 3, 5},
                                           .mask = 1,
                                           .base = 6,
                                           .index = f->vector_index ? 7 : -1,
                                           .scale = 1,
                                           .immediate = 3};
    uint8_t code[ENCODE_BYTES_MAX];

    for (int choice = 0; choice < 4; choice++) {
        size_t len = 0;
        f->evex = choice >= 2;
        f->fourth = choice % 2 == 1;
        const bool lacks_mask = f->evex && f->vector_index && !f->masked;
        if ((f->evex || !f->masked) && !lacks_mask &&
            encode_insn(f, &plain, code, &len, &(struct err){0}) && describe(f, code, len, e)) {
            return true;
        }
    }
    return err_set(e, ERR_RANGE, LOC_NONE, "'%s' has no encoding that decodes to it", f->text);
}

bool encode_form(const char *text, struct encode_form *out, struct err *e)
{
    *out = (struct encode_form){0};
    if (!form_normalise(text, out->text)) {
        return err_set(e, ERR_SYNTAX, LOC_NONE, "'%.60s' is not a form", text);
    }
    if (!read_text(out, e)) {
        return false;
    }
    if (out->broadcast) {
        for (int k = 0; k < out->n_operands; k++) {
            if (out->kinds[k] == ENCODE_MEMORY) {
                out->broadcast = (int)broadcast_mode(out, out->bits[k]);
            }
        }
    }
    read_index(out);
    return try_encodings(out, e);
}
