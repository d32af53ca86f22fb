#include "measure/probe_chain.h"

#include "measure/probe_frame.h"

#include <string.h>

/* --- forms around the measured one
 * ----------------------------------------------------------------
 */

enum vector_aid { FROM_VECTOR, TO_VECTOR, COPY_VECTOR, MAX_FLOAT, MAX_DOUBLE, VECTOR_AIDS };

static const char *const vector_aids[VECTOR_AIDS][PROBE_KINDS] = {
    [FROM_VECTOR] = {NULL, "movq r64, xmm", "vmovq r64, xmm", "vmovq r64, xmm"},
    [TO_VECTOR] = {NULL, "movq xmm, r64", "vmovq xmm, r64", "vmovq xmm, r64"},
    [COPY_VECTOR] = {NULL, "movshdup xmm, xmm", "vmovshdup ymm, ymm", "vmovshdup zmm, zmm"},
    [MAX_FLOAT] = {NULL, "maxps xmm, xmm", "vmaxps ymm, ymm, ymm", "vmaxps zmm, zmm, zmm"},
    [MAX_DOUBLE] = {NULL, "maxpd xmm, xmm", "vmaxpd ymm, ymm, ymm", "vmaxpd zmm, zmm, zmm"},
};

/* What gives back a value that was stored, by the file it was stored from. */
static const struct reload {
    enum encode_kind kind;
    int bits;
    enum probe_kind least, most;
    const char *form;
} reloads[] = {
    {ENCODE_GENERAL, 8, PROBE_ANY, PROBE_AVX512, "movzx r32, m8"},
    {ENCODE_GENERAL, 16, PROBE_ANY, PROBE_AVX512, "movzx r32, m16"},
    {ENCODE_GENERAL, 32, PROBE_ANY, PROBE_AVX512, "mov r32, m32"},
    {ENCODE_GENERAL, 64, PROBE_ANY, PROBE_AVX512, "mov r64, m64"},
    {ENCODE_VECTOR, 32, PROBE_SSE, PROBE_SSE, "movss xmm, m32"},
    {ENCODE_VECTOR, 64, PROBE_SSE, PROBE_SSE, "movsd xmm, m64"},
    {ENCODE_VECTOR, 128, PROBE_SSE, PROBE_SSE, "movups xmm, m128"},
    {ENCODE_VECTOR, 32, PROBE_AVX, PROBE_AVX512, "vmovss xmm, m32"},
    {ENCODE_VECTOR, 64, PROBE_AVX, PROBE_AVX512, "vmovsd xmm, m64"},
    {ENCODE_VECTOR, 128, PROBE_AVX, PROBE_AVX512, "vmovups xmm, m128"},
    {ENCODE_VECTOR, 256, PROBE_AVX, PROBE_AVX512, "vmovups ymm, m256"},
    {ENCODE_VECTOR, 512, PROBE_AVX512, PROBE_AVX512, "vmovups zmm, m512"},
    {ENCODE_MASK, 16, PROBE_AVX512, PROBE_AVX512, "kmovw k, m16"},
};
#define RELOADS ((int)(sizeof reloads / sizeof *reloads))

const char *const probe_aids[] = {
    "movsxd r64, r32",      "xor r64, r64",         "and r64, r64",         "or r64, r64",
    "cmp r64, r64",         "cmovz r64, r64",       "cmovb r64, r64",       "mov r64, r64",
    "mov r64, imm",         "kmovw k, r32",         "kmovw r32, k",         "knotw k, k",
    "movq r64, xmm",        "movq xmm, r64",        "movshdup xmm, xmm",    "maxps xmm, xmm",
    "maxpd xmm, xmm",       "vmovq r64, xmm",       "vmovq xmm, r64",       "vmovshdup ymm, ymm",
    "vmovshdup zmm, zmm",   "vmaxps ymm, ymm, ymm", "vmaxpd ymm, ymm, ymm", "vmaxps zmm, zmm, zmm",
    "vmaxpd zmm, zmm, zmm", "movzx r32, m8",        "movzx r32, m16",       "mov r32, m32",
    "mov r64, m64",         "movss xmm, m32",       "movsd xmm, m64",       "movups xmm, m128",
    "vmovss xmm, m32",      "vmovsd xmm, m64",      "vmovups xmm, m128",    "vmovups ymm, m256",
    "vmovups zmm, m512",    "kmovw k, m16",         "mov m8, r8",           "mov m16, r16",
    "mov m32, r32",         "mov m64, r64",
};
const int probe_aids_n = sizeof probe_aids / sizeof *probe_aids;

/* --- registers: the same numbers in every file
 * --------------------------------------------------- */

enum {
    BASE = 3, /* a copy of the memory's address, for paths that begin there */
    LINK =
        6, /* what goes from one execution to the next; not rbp, which as a base has a displacement */
    OTHER = 5, /* the same where two take turns */
    SCRATCH = 7,
    SOURCES = 8, /* three, never written */
    ZERO = 11,
    VALUE = 12,
    JUNK = 13, /* written only, or set before each link */
};
enum { MASK_SOURCES = 1, MASK_WRITE = 3, MASK_JUNK = 4 };

#define READ_AT  256
#define WRITE_AT (PROBE_PAGE_LOADS + 256)
#define PLACES   16 /* lines from there on */

/* Values of a division that takes long, and of one that does not; no quotient overflows at any
 * width, signed or not, also by a number in memory (probe_memory_fill). */
static const struct {
    int64_t high, low, divisor;
} division[] = {[PROBE_FULL] = {0x1ad423c51ad423c5, 0x75e6e44fccdd12ff, 0x6b5a96b36b5a96b3},
                [PROBE_SHORT] = {0, 7, 3}};

/* --- where a path begins and ends ----------------------------------------------------------------
 */

enum file { GENERAL, VECTOR, MASK, STATUS, CARRY, ADDRESS, MEMORY };

struct spot {
    enum file file;
    int number;
    bool fixed; /* the form leaves no choice */
};

static enum file file_of(enum encode_kind kind)
{
    return kind == ENCODE_VECTOR ? VECTOR : kind == ENCODE_MASK ? MASK : GENERAL;
}

static struct spot spot_of(const struct probe_form *f, const struct probe_end *e)
{
    switch (e->place) {
    case PLACE_OPERAND:
        return (struct spot){file_of(f->code.kinds[e->operand - 1]), LINK, false};
    case PLACE_BASE:
    case PLACE_INDEX:
        return (struct spot){GENERAL, LINK, false};
    case PLACE_WRITE_MASK:
        return (struct spot){MASK, LINK, false};
    case PLACE_GENERAL:
        return (struct spot){GENERAL, e->number, true};
    case PLACE_FIRST_VECTOR:
        return (struct spot){VECTOR, 0, true};
    case PLACE_STATUS:
        return (struct spot){STATUS, 0, true};
    case PLACE_CARRY:
        return (struct spot){CARRY, 0, true};
    case PLACE_ADDRESS:
        return (struct spot){ADDRESS, BASE, true};
    default:
        return (struct spot){MEMORY, 0, true};
    }
}

struct step {
    const char *aid; /* NULL: the measured form */
    struct encode_registers r;
    bool partner; /* on the path */
};

#define STEPS_MAX 20
struct link {
    const struct probe_form *f;
    const struct probe_path *path;
    struct spot from, to;
    bool alternates; /* the next link has LINK and OTHER the other way round */
    bool impossible;
    struct step steps[STEPS_MAX];
    int n_steps;
};

static void place_ends(struct link *l)
{
    const struct probe_path *p = l->path;

    l->from = spot_of(l->f, &p->from);
    l->to = spot_of(l->f, &p->to);
    const bool free = !l->from.fixed && !l->to.fixed && l->from.file == l->to.file;
    if (!free || probe_path_returns(p) || p->same_source || p->from.place != PLACE_OPERAND) {
        return;
    }
    /* A move of a register to itself is no such move, and what updates is no source of itself. */
    l->to.number = OTHER;
    l->alternates = !probe_form_divides(l->f);
}

/* --- what leads back
 * -------------------------------------------------------------------------------
 */

static struct encode_registers registers(int first, int second, int third)
{
    return (struct encode_registers){.number = {(uint8_t)first, (uint8_t)second, (uint8_t)third},
                                     .base = REG_MEMORY,
                                     .index = -1,
                                     .scale = 1};
}

static void add(struct link *l, const char *aid, struct encode_registers r, bool partner)
{
    l->impossible |= l->n_steps == STEPS_MAX || (partner && !aid);
    if (!l->impossible) {
        l->steps[l->n_steps++] = (struct step){aid, r, partner};
    }
}

static void lead(struct link *l, const char *aid, int to, int from)
{
    add(l, aid, registers(to, from, from), true);
}

static const char *vector_aid(const struct link *l, enum vector_aid aid)
{
    return vector_aids[aid][l->f->kind];
}

static const char *find_reload(const struct link *l, enum encode_kind kind, int bits)
{
    for (int k = 0; k < RELOADS; k++) {
        const struct reload *r = &reloads[k];
        if (r->kind == kind && r->bits == bits && r->least <= l->f->kind && l->f->kind <= r->most) {
            return r->form;
        }
    }
    return NULL;
}

/* From memory to a register: the path's source where it is in a file that has such loads. */
static int lead_from_memory(struct link *l)
{
    static const enum encode_kind kinds[] = {
        [GENERAL] = ENCODE_GENERAL, [VECTOR] = ENCODE_VECTOR, [MASK] = ENCODE_MASK};
    const int bits = l->f->code.bits[l->path->to.operand - 1];
    struct encode_registers r = registers(l->from.number, 0, 0);
    const char *aid = l->from.file <= MASK ? find_reload(l, kinds[l->from.file], bits) : NULL;

    r.displacement = WRITE_AT;
    r.index = l->path->indexed ? ZERO : -1;
    if (aid) {
        add(l, aid, r, true);
        return -1;
    }
    r.number[0] = SCRATCH;
    add(l, find_reload(l, ENCODE_GENERAL, bits > 64 ? 64 : bits), r, true);
    return SCRATCH;
}

/* Does the form write the register that its path begins with?  Then that is a second way round. */
static bool writes_beginning(const struct link *l)
{
    const struct probe_end *from = &l->path->from;

    return from->place == PLACE_OPERAND ? l->f->roles[from->operand - 1] == PROBE_UPDATE
                                        : l->from.fixed;
}

/* The general register that has the result; -1: the path is closed already. */
static int lead_out(struct link *l)
{
    const int into = l->from.file == GENERAL && !writes_beginning(l) ? l->from.number : SCRATCH;

    switch (l->to.file) {
    case GENERAL:
        return l->to.number;
    case VECTOR:
        lead(l, vector_aid(l, FROM_VECTOR), into, l->to.number);
        return into;
    case MASK:
        lead(l, "kmovw r32, k", into, l->to.number);
        return into;
    case STATUS:
        lead(l, "cmovz r64, r64", into, SOURCES);
        return into;
    case CARRY:
        lead(l, "cmovb r64, r64", into, SOURCES);
        return into;
    default:
        return lead_from_memory(l);
    }
}

static void lead_in(struct link *l, int general)
{
    switch (l->from.file) {
    case GENERAL:
        if (general != l->from.number) {
            lead(l, "movsxd r64, r32", l->from.number, general);
        }
        break;
    case VECTOR:
        lead(l, vector_aid(l, TO_VECTOR), l->from.number, general);
        break;
    case MASK:
        lead(l, "kmovw k, r32", l->from.number, general);
        break;
    case STATUS:
    case CARRY:
        lead(l, "cmp r64, r64", general, SOURCES);
        break;
    case ADDRESS: /* twice: the address stays what it was */
        lead(l, "xor r64, r64", BASE, general);
        lead(l, "xor r64, r64", BASE, general);
        break;
    default:
        l->impossible = true;
    }
}

static void copy_within_file(struct link *l)
{
    const char *copies[] = {[GENERAL] = "movsxd r64, r32",
                            [VECTOR] = vector_aid(l, COPY_VECTOR),
                            [MASK] = "knotw k, k"};

    if (l->from.number != l->to.number && !l->alternates) {
        lead(l, copies[l->from.file], l->from.number, l->to.number);
    }
}

static void set_from_memory(struct link *l, enum file file, int number, int displacement)
{
    static const char *const loads[PROBE_KINDS] = {NULL, "movups xmm, m128", "vmovups ymm, m256",
                                                   "vmovups zmm, m512"};
    struct encode_registers r = registers(number, 0, 0);

    r.displacement = displacement;
    add(l, file == MASK ? "kmovw k, m16" : loads[l->f->kind], r, false);
}

static bool has_doubles(const struct probe_form *f)
{
    return f->code.text[strcspn(f->code.text, " ") - 1] == 'd';
}

/* Vectors of numbers that are divided, and of larger ones. */
static int value_at(const struct link *l, bool large)
{
    const bool brief = l->path->values == PROBE_SHORT, doubles = has_doubles(l->f);

    if (!large) {
        return !brief ? READ_AT : PROBE_SPECIAL(doubles ? PROBE_SHORT_DOUBLES : PROBE_SHORT_FLOATS);
    }
    return PROBE_SPECIAL(!brief    ? PROBE_LARGE
                         : doubles ? PROBE_LARGE_SHORT_DOUBLES
                                   : PROBE_LARGE_SHORT_FLOATS);
}

/* Waits for the result and gives the value that was there at first: general registers by an and
 * with zero and an or; vectors by a maximum, of which no domain of the core is another's, with a
 * number that no quotient reaches. */
static void restore_value(struct link *l)
{
    const char *max = vector_aid(l, has_doubles(l->f) ? MAX_DOUBLE : MAX_FLOAT);
    const int r = l->from.number, result = l->to.number;

    if (l->from.file == GENERAL) {
        copy_within_file(l);
        lead(l, "and r64, r64", r, ZERO);
        lead(l, "or r64, r64", r, VALUE);
    } else if (l->from.file == VECTOR && l->f->kind == PROBE_SSE && r != result) {
        set_from_memory(l, VECTOR, r, value_at(l, true));
        lead(l, max, r, result);
    } else if (l->from.file == VECTOR) {
        add(l, max, registers(r, l->f->kind == PROBE_SSE ? VALUE : result, VALUE), true);
    }
}

static void lead_back(struct link *l)
{
    const bool within = l->from.file == l->to.file && l->from.file <= MASK;

    if (within && probe_form_divides(l->f)) {
        restore_value(l);
    } else if (within) {
        copy_within_file(l);
    } else if (!probe_path_returns(l->path)) {
        const int general = lead_out(l);
        if (general >= 0) {
            lead_in(l, general);
        }
    }
}

/* --- the form itself
 * -------------------------------------------------------------------------------
 */

static int choose_register(const struct link *l, int k, int sources[MASK + 1])
{
    const struct probe_form *f = l->f;
    const struct probe_path *p = l->path;
    const enum file file = file_of(f->code.kinds[k]);

    if (p->to.place == PLACE_OPERAND && p->to.operand == k + 1) {
        return l->to.number;
    }
    if (p->from.place == PLACE_OPERAND && p->from.operand == k + 1) {
        return l->from.number;
    }
    if (f->roles[k] != PROBE_SOURCE) {
        return file == MASK ? MASK_JUNK : JUNK;
    }
    if (p->same_source && file == l->from.file) {
        return l->from.number;
    }
    return (file == MASK ? MASK_SOURCES : SOURCES) + sources[file]++;
}

static void choose_address(const struct link *l, int k, struct encode_registers *r)
{
    const bool reads = l->f->roles[k] == PROBE_SOURCE;

    r->base = l->path->from.place == PLACE_ADDRESS ? BASE : REG_MEMORY;
    r->displacement = reads ? READ_AT : WRITE_AT;
    r->index = l->f->code.vector_index || l->path->indexed ? ZERO : -1;
}

static struct encode_registers choose(const struct link *l)
{
    const struct probe_form *f = l->f;
    struct encode_registers r = {.base = REG_MEMORY, .index = -1, .scale = 1, .immediate = 3};
    int sources[MASK + 1] = {0};

    for (int k = 0; k < f->code.n_operands; k++) {
        switch (f->code.kinds[k]) {
        case ENCODE_GENERAL:
        case ENCODE_VECTOR:
        case ENCODE_MASK:
            r.number[k] = (uint8_t)choose_register(l, k, sources);
            break;
        case ENCODE_ADDRESS: /* as compilers use lea most: base + 4 * index */
            r.base = l->path->from.place == PLACE_BASE ? (uint8_t)l->from.number : SOURCES;
            r.index = l->path->from.place == PLACE_INDEX ? l->from.number : SOURCES + 1;
            r.scale = 4;
            break;
        case ENCODE_MEMORY:
            choose_address(l, k, &r);
            break;
        default:
            break;
        }
    }
    r.mask = l->path->from.place == PLACE_WRITE_MASK        ? (uint8_t)l->from.number
             : probe_form_companion(f, PROBE_WRITE_MASK, 0) ? MASK_JUNK
                                                            : MASK_WRITE;
    return r;
}

/* --- what would be a path of its own is set before
 * ------------------------------------------------
 */

static int64_t constant(const struct link *l, int number)
{
    return !probe_form_divides(l->f) ? frame_constant(number)
           : number == REG_RAX       ? division[l->path->values].low
           : number == REG_RDX       ? division[l->path->values].high
                                     : division[l->path->values].divisor;
}

static void set_general(struct link *l, int number)
{
    struct encode_registers r = registers(number, 0, 0);

    r.immediate = constant(l, number);
    add(l, "mov r64, imm", r, false);
}

static bool is_from(const struct link *l, enum file file, int number)
{
    return l->from.file == file && l->from.number == number;
}

/* What is read, changed and written starts from a value that was there before the path's. */
static void set_memory(struct link *l, int k)
{
    static const struct {
        int bits;
        const char *store;
    } stores[] = {
        {8, "mov m8, r8"}, {16, "mov m16, r16"}, {32, "mov m32, r32"}, {64, "mov m64, r64"}};
    struct encode_registers r = registers(0, SOURCES, 0);

    r.displacement = WRITE_AT;
    r.index = l->path->indexed ? ZERO : -1;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        if (stores[i].bits == l->f->code.bits[k]) {
            add(l, stores[i].store, r, false);
            return;
        }
    }
    l->impossible = true;
}

static void set_operands(struct link *l, const struct encode_registers *r)
{
    for (int k = 0; k < l->f->code.n_operands; k++) {
        const enum file file = file_of(l->f->code.kinds[k]);
        const bool ones = probe_form_companion(l->f, PROBE_OPERAND, k + 1) != NULL;
        const bool is_to = l->path->to.place == PLACE_OPERAND && l->path->to.operand == k + 1;
        if (l->f->code.kinds[k] == ENCODE_MEMORY && l->f->roles[k] == PROBE_UPDATE &&
            l->path->to.place == PLACE_VALUE && l->path->from.place != PLACE_VALUE) {
            set_memory(l, k);
        }
        if (l->f->roles[k] != PROBE_UPDATE || l->f->code.kinds[k] == ENCODE_MEMORY ||
            is_from(l, file, r->number[k]) || (is_to && l->alternates)) {
            continue;
        }
        if (file == GENERAL) {
            set_general(l, r->number[k]);
        } else {
            set_from_memory(l, file, r->number[k],
                            ones ? PROBE_SPECIAL(PROBE_ONES) : value_at(l, false));
        }
    }
}

static void set_the_rest(struct link *l, const struct encode_registers *r)
{
    set_operands(l, r);
    for (int n = 0; n < FRAME_REGISTERS; n++) {
        if (l->f->implicit_reads & l->f->implicit_writes & 1u << n && !is_from(l, GENERAL, n)) {
            set_general(l, n);
        }
    }
    if (probe_form_companion(l->f, PROBE_WRITE_MASK, 0)) {
        set_from_memory(l, MASK, r->mask, PROBE_SPECIAL(PROBE_ONES));
    }
    if (l->f->flags_read && l->from.file != STATUS && l->from.file != CARRY) {
        add(l, "cmp r64, r64", registers(SOURCES, SOURCES + 1, 0), false);
    }
}

static void plan(const struct probe_form *f, const struct probe_path *p, struct link *l)
{
    *l = (struct link){.f = f, .path = p};
    place_ends(l);
    lead_back(l);
    const struct encode_registers r = choose(l);
    set_the_rest(l, &r);
    add(l, NULL, r, false);
}

int probe_chain_partners(const struct probe_form *f, const struct probe_path *p,
                         const char *partners[PROBE_PARTNERS_MAX])
{
    struct link l;
    int n = 0;

    plan(f, p, &l);
    for (int k = 0; k < l.n_steps && n < PROBE_PARTNERS_MAX; k++) {
        if (l.steps[k].partner) {
            partners[n++] = l.steps[k].aid;
        }
    }
    return l.impossible ? -1 : n;
}

/* --- the kernel
 * ------------------------------------------------------------------------------------
 */

static bool put(struct emitter *m, const char *aid, struct encode_registers r)
{
    return frame_put(m, frame_aid(m->coder, aid), &r);
}

static bool set_constant(struct emitter *m, int number, int64_t value)
{
    struct encode_registers r = registers(number, 0, 0);

    r.immediate = value;
    return put(m, "mov r64, imm", r);
}

/* frame_enter has loaded them already, with numbers that are all different. */
static bool enter_vectors(struct emitter *m, const struct link *l)
{
    const enum probe_kind kind = l->f->kind;

    if (kind == PROBE_ANY) {
        return true;
    }
    for (int r = 0; r < FRAME_REGISTERS; r++) {
        const bool large = r == VALUE || r == LINK;
        if (r != ZERO && probe_form_divides(l->f) && !frame_load(m, kind, r, value_at(l, large))) {
            return false;
        }
    }
    return frame_load(m, kind, ZERO, PROBE_SPECIAL(PROBE_ZEROS));
}

static bool enter(struct emitter *m, const struct link *l)
{
    bool masks = l->f->code.masked;

    for (int k = 0; k < l->f->code.n_operands; k++) {
        masks |= l->f->code.kinds[k] == ENCODE_MASK;
    }

    if (!frame_enter(m, l->f->kind, masks) || !enter_vectors(m, l) ||
        !put(m, "mov r64, r64", registers(BASE, REG_MEMORY, 0)) || !set_constant(m, ZERO, 0)) {
        return false;
    }
    if (!probe_form_divides(l->f)) {
        return true;
    }
    for (int r = 0; r < FRAME_REGISTERS; r++) {
        const bool valued = r <= REG_RDX || r == LINK || (r >= SOURCES && r < ZERO);
        if (valued && !set_constant(m, r, constant(l, r))) {
            return false;
        }
    }
    return set_constant(m, VALUE, constant(l, l->from.file == GENERAL ? l->from.number : LINK));
}

/* What is read, changed and written is elsewhere in each link, unless that is the path: the value
 * would be another way round. */
static void walk(const struct link *l, int number, struct encode_registers *r)
{
    for (int k = 0; k < l->f->code.n_operands; k++) {
        const bool updates = l->f->code.kinds[k] == ENCODE_MEMORY && l->f->roles[k] == PROBE_UPDATE;
        if (updates && l->path->to.place != PLACE_VALUE) {
            r->displacement += 64 * (number % PLACES);
        }
    }
}

/* In every second link of a chain that alternates the two registers change places. */
static void exchange(const struct link *l, struct encode_registers *r)
{
    for (int k = 0; k < ENCODE_OPERANDS_MAX; k++) {
        const bool link = l->f->roles[k] != PROBE_SOURCE || k + 1 == l->path->from.operand;
        if (k < l->f->code.n_operands && link && file_of(l->f->code.kinds[k]) == l->from.file &&
            (r->number[k] == LINK || r->number[k] == OTHER)) {
            r->number[k] = r->number[k] == LINK ? OTHER : LINK;
        }
    }
}

static bool put_link(struct emitter *m, const struct link *l, int number)
{
    for (int k = 0; k < l->n_steps; k++) {
        struct encode_registers r = l->steps[k].r;
        if (!l->steps[k].aid) {
            walk(l, number, &r);
        }
        if (!l->steps[k].aid && number % 2 && l->alternates) {
            exchange(l, &r);
        }
        const bool good =
            l->steps[k].aid ? put(m, l->steps[k].aid, r) : frame_put(m, &l->f->code, &r);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool put_loop(struct emitter *m, const struct link *l, struct probe_code *shape)
{
    if (!frame_begin(m, shape)) {
        return false;
    }
    shape->blocks_per_trip = 0;
    for (int n = 0; n < PROBE_CHAIN_INSNS_MIN || shape->blocks_per_trip % 2; n += l->n_steps) {
        if (!put_link(m, l, shape->blocks_per_trip++)) {
            return false;
        }
    }
    return frame_end(m, 0, shape);
}

bool probe_chain_emit(const struct probe_coder *c, const struct probe_form *f,
                      const struct probe_path *p, uint8_t out[PROBE_CODE_BYTES],
                      struct probe_code *shape, struct err *e)
{
    struct emitter m = {.coder = c, .e = e};
    struct link l;

    m.out = out;
    plan(f, p, &l);
    if (l.impossible) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "nothing leads from the end of this path of '%s' to "
                       "its beginning",
                       f->code.text);
    }
    if (!enter(&m, &l) || !put_loop(&m, &l, shape) || !frame_leave(&m, f->kind)) {
        return false;
    }
    shape->len = m.len;
    shape->wide = f->kind == PROBE_AVX512;
    shape->register_cycles = 0;
    return true;
}
