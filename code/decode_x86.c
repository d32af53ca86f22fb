/* decode_x86.c - the door to Zydis: one x86-64 instruction to its form and what it touches.
 *
 * Zydis' operand actions are the source of reads and writes; what they do not say (partial
 * registers, flags in groups, gathers' widths) is added here.
 */
#include "code/decode_parts.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

/* Flags are renamed as two groups: the carry, and PF AF ZF SF OF.  The direction flag never changes
 * in a loop and is left out. */
#define CARRY ((ZydisAccessedFlagsMask)ZYDIS_CPUFLAG_CF)
#define STATUS                                                                                     \
    ((ZydisAccessedFlagsMask)(ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |             \
                              ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF))
enum { REG_CARRY = ZYDIS_REGISTER_MAX_VALUE + 1, REG_STATUS };
_Static_assert(REG_STATUS < CODE_REGS_MAX, "every register below CODE_REGS_MAX");

static const struct flag_group {
    code_reg reg;
    ZydisAccessedFlagsMask mask;
} flag_groups[] = {{REG_CARRY, CARRY}, {REG_STATUS, STATUS}};

/* One decoded instruction, as handed around below. */
struct x86 {
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    int number[ZYDIS_MAX_OPERAND_COUNT]; /* 1-based operand of the form; 0: not written in it */
};

static bool reads(const ZydisDecodedOperand *o)
{
    return (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
}

static bool writes(const ZydisDecodedOperand *o)
{
    return (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

static bool is_vector(ZydisRegisterClass c)
{
    return c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
}

/* The register whose renaming decides, or 0 for those that carry no dependence here (rip, segments,
 * control registers; k0 as a write mask means no mask). */
static code_reg dependence_reg(ZydisRegister r)
{
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return (code_reg)ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
    case ZYDIS_REGCLASS_TMM:
    case ZYDIS_REGCLASS_MASK:
        return (code_reg)r;
    default:
        return 0;
    }
}

/* Narrowing conversions and movq write 64 bits of an xmm register and clear the rest of it. */
static bool clears_upper_half(ZydisMnemonic m)
{
    return m == ZYDIS_MNEMONIC_MOVQ || m == ZYDIS_MNEMONIC_CVTPD2PS ||
           m == ZYDIS_MNEMONIC_CVTPD2DQ || m == ZYDIS_MNEMONIC_CVTTPD2DQ;
}

/* True where part of the old value of a written register stays, so that the write waits for it. */
static bool keeps_old_value(const struct x86 *x, int k)
{
    const ZydisDecodedOperand *o = &x->op[k];
    const ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);

    if (o->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) { /* cmov, merge-masking, gathers */
        return true;
    }
    if (c == ZYDIS_REGCLASS_GPR8 || c == ZYDIS_REGCLASS_GPR16) {
        return true;
    }
    if (x->z.mnemonic == ZYDIS_MNEMONIC_BSF || x->z.mnemonic == ZYDIS_MNEMONIC_BSR) {
        return true; /* a zero source leaves the destination as it was */
    }
    /* Legacy SSE leaves the elements alone that it does not compute: sqrtss, movss xmm, xmm. */
    return c == ZYDIS_REGCLASS_XMM && x->z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
           o->size < 128 && !clears_upper_half(x->z.mnemonic);
}

static void take_register(const struct x86 *x, int k, struct insn *out)
{
    const ZydisDecodedOperand *o = &x->op[k];
    const code_reg r = dependence_reg(o->reg.value);
    const bool is_mask = o->encoding == ZYDIS_OPERAND_ENCODING_MASK;
    const int n = o->attributes & ZYDIS_OATTRIB_IS_MULTISOURCE4 ? 4 : 1;

    if (!r || (is_mask && o->reg.value == ZYDIS_REGISTER_K0)) {
        return;
    }
    if (reads(o) || (writes(o) && keeps_old_value(x, k))) {
        for (int j = 0; j < n; j++) {
            insn_reads(out, (code_reg)(r + j), x->number[k]);
        }
    }
    if (writes(o)) {
        insn_writes(out, r, x->number[k]);
    }
}

/* Bits that a memory operand touches.  Zydis gives one element of a gather or scatter; all of them
 * together are as wide as its data register. */
static unsigned mem_bits(const struct x86 *x, const ZydisDecodedOperand *o)
{
    for (int k = 0; o->mem.type == ZYDIS_MEMOP_TYPE_VSIB && k < x->z.operand_count_visible; k++) {
        if (x->op[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            is_vector(ZydisRegisterGetClass(x->op[k].reg.value))) {
            return x->op[k].size;
        }
    }
    return o->size;
}

static bool is_nop(const ZydisDecodedInstruction *z)
{
    return z->meta.category == ZYDIS_CATEGORY_NOP || z->meta.category == ZYDIS_CATEGORY_WIDENOP;
}

/* A prefetch computes an address, but no value comes from there. */
static bool is_prefetch(const ZydisDecodedInstruction *z)
{
    return z->meta.category == ZYDIS_CATEGORY_PREFETCH ||
           z->meta.category == ZYDIS_CATEGORY_PREFETCHWT1;
}

static void take_memory(const struct x86 *x, int k, struct insn *out)
{
    const ZydisDecodedOperand *o = &x->op[k];

    insn_reads(out, dependence_reg(o->mem.base), x->number[k]);
    insn_reads(out, dependence_reg(o->mem.index), x->number[k]);
    if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        return;
    }
    struct insn_mem *m = insn_mem_next(out);
    if (!m) {
        return;
    }
    *m = (struct insn_mem){
        .base = dependence_reg(o->mem.base),
        .index = dependence_reg(o->mem.index),
        .scale = o->mem.scale,
        .displacement = o->mem.disp.has_displacement ? o->mem.disp.value : 0,
        .bytes = (int)(mem_bits(x, o) / 8),
        .read = reads(o) && !is_prefetch(&x->z),
        .write = writes(o) && !is_prefetch(&x->z),
        .rip_relative = o->mem.base == ZYDIS_REGISTER_RIP,
    };
    out->loads += m->read;
    out->stores += m->write;
}

static void take_flags(const struct x86 *x, struct insn *out)
{
    const ZydisAccessedFlags *f = x->z.cpu_flags;
    bool conditional = false; /* a shift by cl == 0 leaves the flags as they were */

    if (!f) {
        return;
    }
    for (int k = 0; k < x->z.operand_count; k++) {
        conditional |= x->op[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                       ZydisRegisterGetClass(x->op[k].reg.value) == ZYDIS_REGCLASS_FLAGS &&
                       (x->op[k].actions & ZYDIS_OPERAND_ACTION_CONDWRITE);
    }
    for (size_t g = 0; g < sizeof flag_groups / sizeof *flag_groups; g++) {
        const ZydisAccessedFlagsMask mask = flag_groups[g].mask;
        const ZydisAccessedFlagsMask set = (f->modified | f->set_0 | f->set_1) & mask;
        /* Where only part of a group changes, the rest is merged in; "undefined" beside a change
         * is a change, but alone it is in practice none (bt, rol). */
        const bool partial = set && ((set | f->undefined) & mask) != mask;

        if ((f->tested & mask) || (set && (partial || conditional))) {
            insn_reads(out, flag_groups[g].reg, 0);
        }
        if (set) {
            insn_writes(out, flag_groups[g].reg, 0);
        }
    }
}

static const char *register_kind(const ZydisDecodedOperand *o)
{
    static const char *const kinds[ZYDIS_REGCLASS_MAX_VALUE + 1] = {
        [ZYDIS_REGCLASS_GPR8] = "r8",      [ZYDIS_REGCLASS_GPR16] = "r16",
        [ZYDIS_REGCLASS_GPR32] = "r32",    [ZYDIS_REGCLASS_GPR64] = "r64",
        [ZYDIS_REGCLASS_X87] = "st",       [ZYDIS_REGCLASS_MMX] = "mm",
        [ZYDIS_REGCLASS_XMM] = "xmm",      [ZYDIS_REGCLASS_YMM] = "ymm",
        [ZYDIS_REGCLASS_ZMM] = "zmm",      [ZYDIS_REGCLASS_TMM] = "tmm",
        [ZYDIS_REGCLASS_SEGMENT] = "sreg", [ZYDIS_REGCLASS_CONTROL] = "cr",
        [ZYDIS_REGCLASS_DEBUG] = "dr",     [ZYDIS_REGCLASS_MASK] = "k",
        [ZYDIS_REGCLASS_BOUND] = "bnd",
    };
    const char *kind = kinds[ZydisRegisterGetClass(o->reg.value)];

    if (o->reg.value == ZYDIS_REGISTER_CL && o->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT) {
        return "cl";
    }
    return kind ? kind : "reg";
}

static void write_operand(const struct x86 *x, const ZydisDecodedOperand *o, struct insn *out)
{
    const bool broadcast =
        x->z.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID && !x->z.avx.broadcast.is_static;

    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        insn_form_add(out, register_kind(o));
    } else if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        insn_form_add(out, o->imm.is_relative ? "rel" : "imm");
    } else if (o->type == ZYDIS_OPERAND_TYPE_POINTER) {
        insn_form_add(out, "ptr");
    } else if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        insn_form_add(out, "agen");
    } else {
        insn_form_add_memory(out, mem_bits(x, o));
        insn_form_add(out, broadcast ? "bcst" : "");
    }
}

static void write_prefixes(const ZydisDecodedInstruction *z, struct insn *out)
{
    static const struct {
        ZydisInstructionAttributes attribute;
        const char *name;
    } prefixes[] = {
        {ZYDIS_ATTRIB_HAS_LOCK, "lock "},
        {ZYDIS_ATTRIB_HAS_REP, "rep "},
        {ZYDIS_ATTRIB_HAS_REPE, "repe "},
        {ZYDIS_ATTRIB_HAS_REPNE, "repne "},
    };

    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        insn_form_add(out, z->attributes & prefixes[k].attribute ? prefixes[k].name : "");
    }
}

/* The form, numbering its operands on the way. */
static void write_form(struct x86 *x, struct insn *out)
{
    const ZydisMaskMode mode = x->z.avx.mask.mode;
    const bool masked = mode > ZYDIS_MASK_MODE_DISABLED && x->z.avx.mask.reg != ZYDIS_REGISTER_K0;
    const bool zeroing = mode == ZYDIS_MASK_MODE_ZEROING || mode == ZYDIS_MASK_MODE_CONTROL_ZEROING;
    int n = 0;

    write_prefixes(&x->z, out);
    insn_form_add(out, ZydisMnemonicGetString(x->z.mnemonic));
    if (x->z.mnemonic == ZYDIS_MNEMONIC_NOP) {
        return; /* the operands of the long ones only fill bytes */
    }
    for (int k = 0; k < x->z.operand_count_visible; k++) {
        const ZydisDecodedOperand *o = &x->op[k];
        if (o->encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            continue;
        }
        x->number[k] = ++n;
        insn_form_add(out, n == 1 ? " " : ", ");
        write_operand(x, o, out);
        if (n == 1 && masked) { /* a compare into a mask register has no {z} of its own */
            const bool to_mask = o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                                 ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_MASK;
            insn_form_add(out, zeroing && !to_mask ? "{k}{z}" : "{k}");
        }
    }
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ps, sd and so on: packed or scalar, of single, double or half precision. */
static bool is_float_element(const char *suffix)
{
    return (suffix[0] == 'p' || suffix[0] == 's') &&
           (suffix[1] == 's' || suffix[1] == 'd' || suffix[1] == 'h');
}

/* Operations per lane of an SSE or AVX mnemonic whose element suffix begins at *suffix; else 0. */
static double flops_per_lane(const char *mnemonic, const char **suffix)
{
    static const struct {
        const char *stem;
        double flops;
    } stems[] = {
        {"addsub", 1}, {"add", 1},  {"sub", 1},   {"mul", 1},   {"div", 1},    {"sqrt", 1},
        {"hadd", 1},   {"hsub", 1}, {"fmadd", 2}, {"fmsub", 2}, {"fnmadd", 2}, {"fnmsub", 2},
    };
    const char *m = mnemonic + (mnemonic[0] == 'v');
    const size_t len = strlen(m);

    if (len < 2 || !is_float_element(m + len - 2)) {
        return 0; /* at once: most instructions */
    }
    *suffix = m + len - 2;
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        const size_t stem = strlen(stems[k].stem);
        /* A stem is followed by the element, an FMA by its operand order too; the complex products
         * of half precision (vfmaddcph) are not counted. */
        if (starts(m, stems[k].stem) &&
            (len == stem + 2 || (stems[k].flops > 1 && len > stem + 2)) && m[len - 3] != 'c') {
            return stems[k].flops;
        }
    }
    return 0;
}

static double x87_flops(const char *mnemonic)
{
    static const char *const arithmetic[] = {"fadd",  "fsub",  "fmul",  "fdiv", "fsqrt",
                                             "fiadd", "fisub", "fimul", "fidiv"};

    for (size_t k = 0; k < sizeof arithmetic / sizeof *arithmetic; k++) {
        if (starts(mnemonic, arithmetic[k])) {
            return 1;
        }
    }
    return 0;
}

/* Elements in the widest vector register of the form: all of them, whatever a mask selects. */
static double lanes(const struct x86 *x, const char *suffix)
{
    const int element = suffix[1] == 's' ? 32 : suffix[1] == 'd' ? 64 : 16;
    int bits = 0;

    if (suffix[0] == 's') {
        return 1;
    }
    for (int k = 0; k < x->z.operand_count_visible; k++) {
        const ZydisRegisterClass c = x->op[k].type == ZYDIS_OPERAND_TYPE_REGISTER
                                         ? ZydisRegisterGetClass(x->op[k].reg.value)
                                         : ZYDIS_REGCLASS_INVALID;
        const int width = c == ZYDIS_REGCLASS_XMM   ? 128
                          : c == ZYDIS_REGCLASS_YMM ? 256
                          : c == ZYDIS_REGCLASS_ZMM ? 512
                                                    : 0;
        bits = width > bits ? width : bits;
    }
    return (double)bits / element;
}

static double flops(const struct x86 *x)
{
    const char *mnemonic = ZydisMnemonicGetString(x->z.mnemonic);
    const char *suffix = "  ";

    if (x->z.meta.category == ZYDIS_CATEGORY_X87_ALU) {
        return x87_flops(mnemonic);
    }
    const double per_lane = flops_per_lane(mnemonic, &suffix);
    return per_lane > 0 ? per_lane * lanes(x, suffix) : 0;
}

static void take_branch(const struct x86 *x, uint64_t address, struct insn *out)
{
    const ZydisInstructionCategory c = x->z.meta.category;

    out->returns = c == ZYDIS_CATEGORY_RET;
    out->calls = c == ZYDIS_CATEGORY_CALL;
    out->conditional = c == ZYDIS_CATEGORY_COND_BR;
    out->branch = out->conditional || c == ZYDIS_CATEGORY_UNCOND_BR;
    if ((out->branch || out->calls) && x->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        x->op[0].imm.is_relative) {
        out->target = address + x->z.length + x->op[0].imm.value.u;
    }
}

/* Two or more register sources, all of them one register in name and width, and no memory. */
static bool same_sources(const struct x86 *x)
{
    ZydisRegister source = ZYDIS_REGISTER_NONE;
    int n = 0;

    for (int k = 0; k < x->z.operand_count; k++) {
        const ZydisDecodedOperand *o = &x->op[k];
        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            return false;
        }
        if (o->type != ZYDIS_OPERAND_TYPE_REGISTER || !reads(o) || !dependence_reg(o->reg.value) ||
            (o->encoding == ZYDIS_OPERAND_ENCODING_MASK && o->reg.value == ZYDIS_REGISTER_K0)) {
            continue;
        }
        if (n++ && o->reg.value != source) {
            return false;
        }
        source = o->reg.value;
    }
    return n >= 2;
}

static bool is_move(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU:
    case ZYDIS_MNEMONIC_VMOVDQA32:
    case ZYDIS_MNEMONIC_VMOVDQA64:
    case ZYDIS_MNEMONIC_VMOVDQU8:
    case ZYDIS_MNEMONIC_VMOVDQU16:
    case ZYDIS_MNEMONIC_VMOVDQU32:
    case ZYDIS_MNEMONIC_VMOVDQU64:
    case ZYDIS_MNEMONIC_KMOVQ:
        return true;
    default:
        return false;
    }
}

static bool register_move(const struct x86 *x)
{
    const ZydisDecodedOperand *from = NULL, *to = NULL;

    if (!is_move(x->z.mnemonic)) {
        return false;
    }
    for (int k = 0; k < x->z.operand_count_visible; k++) {
        if (x->number[k] == 0 ? x->op[k].reg.value != ZYDIS_REGISTER_K0
                              : x->op[k].type != ZYDIS_OPERAND_TYPE_REGISTER) {
            return false; /* masked, or memory, or an immediate */
        }
        to = x->number[k] == 1 ? &x->op[k] : to;
        from = x->number[k] == 2 ? &x->op[k] : from;
    }
    if (!from || !to) {
        return false;
    }
    const ZydisRegisterClass c = ZydisRegisterGetClass(to->reg.value);
    return c == ZydisRegisterGetClass(from->reg.value) &&
           (c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64 || is_vector(c) ||
            c == ZYDIS_REGCLASS_MASK);
}

static void take_step(const struct x86 *x, struct insn *out)
{
    const ZydisDecodedOperand *to = &x->op[0], *by = &x->op[1];
    const bool constant =
        x->z.operand_count_visible == 2 && by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    const bool lea = x->z.mnemonic == ZYDIS_MNEMONIC_LEA && by->mem.base == to->reg.value &&
                     by->mem.index == ZYDIS_REGISTER_NONE;
    int64_t step;

    if (to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
        ZydisRegisterGetClass(to->reg.value) != ZYDIS_REGCLASS_GPR64) {
        return;
    }
    if (x->z.mnemonic == ZYDIS_MNEMONIC_ADD && constant) {
        step = by->imm.value.s;
    } else if (x->z.mnemonic == ZYDIS_MNEMONIC_SUB && constant) {
        step = by->imm.value.s == INT64_MIN ? INT64_MIN : -by->imm.value.s;
    } else if (x->z.mnemonic == ZYDIS_MNEMONIC_INC || x->z.mnemonic == ZYDIS_MNEMONIC_DEC) {
        step = x->z.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1;
    } else if (lea) {
        step = by->mem.disp.has_displacement ? by->mem.disp.value : 0;
    } else {
        return;
    }
    out->stepped = dependence_reg(to->reg.value);
    out->step = step;
}

static bool decode(void *state, const uint8_t *code, size_t len, uint64_t address, struct insn *out)
{
    struct x86 x = {0};

    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(state, code, len, &x.z, x.op))) {
        return false;
    }
    out->length = x.z.length;
    write_form(&x, out);
    if (is_nop(&x.z)) {
        return true;
    }
    for (int k = 0; k < x.z.operand_count; k++) {
        if (x.op[k].type == ZYDIS_OPERAND_TYPE_REGISTER) {
            take_register(&x, k, out);
        } else if (x.op[k].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            take_memory(&x, k, out);
        }
    }
    take_flags(&x, out);
    take_branch(&x, address, out);
    out->flops = flops(&x);
    out->same_sources = same_sources(&x);
    out->register_move = register_move(&x);
    take_step(&x, out);
    return true;
}

static void *open_zydis(void)
{
    ZydisDecoder *d = malloc(sizeof *d);

    if (d && !ZYAN_SUCCESS(ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))) {
        free(d);
        return NULL;
    }
    return d;
}

static const char *reg_name(code_reg r)
{
    if (r == REG_CARRY) {
        return "carry flag";
    }
    if (r == REG_STATUS) {
        return "flags";
    }
    const char *name = r ? ZydisRegisterGetString((ZydisRegister)r) : NULL;
    return name ? name : "none";
}

static bool is_vector_reg(code_reg r)
{
    return r < REG_CARRY && is_vector(ZydisRegisterGetClass((ZydisRegister)r));
}

const struct decode_backend decode_x86 = {.open = open_zydis,
                                          .close = free,
                                          .insn = decode,
                                          .reg_name = reg_name,
                                          .is_vector = is_vector_reg};
