#include "measure/probe_code.h"

#include "base/random.h"

#include <string.h>

enum { REG_RCX = 1, REG_RSP = 4, REG_MEMORY = 14, REG_TRIPS = 15, REG_ARG0 = 7, REG_ARG1 = 6 };
#define REGISTERS      16
#define CHAIN_REGISTER 5 /* and the next: rbp and rsi, vectors or masks 5 and 6 */

/* Instructions around the loop. */
enum frame_form {
    PUSH,
    POP,
    MOVE,
    SET,
    DECREMENT,
    LOAD_SSE,
    LOAD_AVX,
    LOAD_AVX512,
    MASK16,
    FRAMES
};
static const char *const frame_texts[FRAMES] = {
    [PUSH] = "push r64",
    [POP] = "pop r64",
    [MOVE] = "mov r64, r64",
    [SET] = "mov r64, imm",
    [DECREMENT] = "dec r64",
    [LOAD_SSE] = "movups xmm, m128",
    [LOAD_AVX] = "vmovups ymm, m256",
    [LOAD_AVX512] = "vmovups zmm, m512",
    [MASK16] = "kmovw k, m16",
};

struct probe_coder {
    struct encode_form frame[FRAMES];
};

struct probe_coder *probe_coder_new(struct arena *a, struct err *e)
{
    struct probe_coder *c = arena_new(a, struct probe_coder, 1);

    for (int k = 0; k < FRAMES; k++) {
        if (!encode_form(frame_texts[k], &c->frame[k], e)) {
            return NULL;
        }
    }
    return c;
}

/* --- registers -----------------------------------------------------------------------------------
 */

enum file { GENERAL, VECTOR, MASK, FILES };

struct pool {
    uint8_t sources[REGISTERS], results[REGISTERS], updates[REGISTERS];
    int n_sources, n_results, n_updates;
    int next_source, next_result;
    /* Registers that what reads flags updates come after the others. */
    int n_plain;
    double load[REGISTERS]; /* of each update register: cycles its updates take */
    int last[REGISTERS];    /* when it was last taken */
};

/* What a block asks of one register file. */
struct demand {
    int sources;                    /* of one instruction, at most */
    bool results, updates, flagged; /* flagged: updates by what reads flags */
    uint32_t keep, avoid;           /* registers that are read, or written, without being named */
};

static int file_of(enum encode_kind kind)
{
    return kind == ENCODE_GENERAL || kind == ENCODE_MEMORY || kind == ENCODE_ADDRESS ? GENERAL
           : kind == ENCODE_VECTOR                                                   ? VECTOR
           : kind == ENCODE_MASK                                                     ? MASK
                                                                                     : -1;
}

static void add_demand(const struct probe_form *f, struct demand d[FILES])
{
    int sources[FILES] = {0};

    for (int k = 0; k < f->code.n_operands; k++) {
        const enum encode_kind kind = f->code.kinds[k];
        const int file = file_of(kind);
        if (file < 0 || kind == ENCODE_MEMORY) {
            continue;
        }
        sources[file] += kind == ENCODE_ADDRESS ? 2 : f->roles[k] == PROBE_SOURCE;
        d[file].results |= kind != ENCODE_ADDRESS && f->roles[k] == PROBE_RESULT;
        if (kind != ENCODE_ADDRESS && f->roles[k] == PROBE_UPDATE) {
            d[file].updates |= !f->reads_flags;
            d[file].flagged |= f->reads_flags;
        }
    }
    sources[MASK] += f->code.masked;
    d[GENERAL].keep |= f->implicit_reads;
    d[GENERAL].avoid |= f->implicit_writes;
    d[VECTOR].keep |= f->reads_first_vector;
    for (int file = 0; file < FILES; file++) {
        d[file].sources = sources[file] > d[file].sources ? sources[file] : d[file].sources;
    }
}

/* Sources first, among them what is read without being named; then a few results; updates get the
 * rest, or results do where nothing is updated. */
static void share_out(enum file file, const struct demand *d, struct pool *p)
{
    const int n_sources = d->sources > 2 ? d->sources : 2;
    const int n_results = !d->results ? 0 : d->updates || d->flagged ? 3 : REGISTERS;
    uint32_t left = file == MASK ? 0xfeu
                    : file == VECTOR
                        ? 0xffffu
                        : 0xffffu & ~(1u << REG_RSP | 1u << REG_MEMORY | 1u << REG_TRIPS);

    left &= ~d->avoid;
    for (int r = 0; r < REGISTERS; r++) {
        if (left & d->keep & 1u << r) {
            p->sources[p->n_sources++] = (uint8_t)r;
            left &= ~(1u << r);
        }
    }
    for (int r = 0; r < REGISTERS; r++) {
        if (!(left & 1u << r)) {
            continue;
        }
        if (p->n_sources < n_sources) {
            p->sources[p->n_sources++] = (uint8_t)r;
        } else if (p->n_results < n_results) {
            p->results[p->n_results++] = (uint8_t)r;
        } else {
            p->updates[p->n_updates++] = (uint8_t)r;
        }
    }
}

/* Afterwards: a third of the update registers for what reads flags, where others update too. */
static void divide_updates(const struct demand *d, struct pool *p)
{
    p->n_plain = !d->flagged ? p->n_updates : d->updates ? p->n_updates - p->n_updates / 3 : 0;
}

static uint8_t take_source(struct pool *p)
{
    return p->sources[p->next_source++ % p->n_sources];
}

static uint8_t take_result(struct pool *p)
{
    return p->results[p->next_result++ % p->n_results];
}

/* The register with the least to do; of equal ones the one that has rested longest. */
static uint8_t take_update(struct pool *p, const struct probe_form *f, int now)
{
    const int first = f->reads_flags ? p->n_plain : 0;
    const int end = f->reads_flags ? p->n_updates : p->n_plain;
    int best = first;

    for (int k = first + 1; k < end; k++) {
        if (p->load[k] < p->load[best] ||
            (p->load[k] == p->load[best] && p->last[k] < p->last[best])) {
            best = k;
        }
    }
    p->load[best] += f->latency;
    p->last[best] = now;
    return p->updates[best];
}

/* --- the loop ------------------------------------------------------------------------------------
 */

struct emitter {
    const struct probe_coder *coder;
    uint8_t *out;
    size_t len;
    struct pool pools[FILES];
    int read_at, written_at; /* bytes into the parts of memory */
    struct random random;
    struct probe_chain chain;
    int n_insns;
    struct err *e;
};

static bool put(struct emitter *m, const struct encode_form *f, const struct encode_registers *r)
{
    uint8_t code[ENCODE_BYTES_MAX];
    size_t len;

    if (!encode_insn(f, r, code, &len, m->e)) {
        return false;
    }
    if (m->len + len > PROBE_CODE_BYTES) {
        return err_set(m->e, ERR_RANGE, LOC_NONE, "a block longer than %zu bytes of code",
                       PROBE_CODE_BYTES);
    }
    memcpy(m->out + m->len, code, len);
    m->len += len;
    return true;
}

/* The next place to read, or to write, aligned to the access. */
static int take_memory(struct emitter *m, enum probe_role role, int bytes)
{
    const int pages = PROBE_MEMORY_BYTES / PROBE_PAGE_BYTES;
    const int rest = PROBE_PAGE_BYTES - PROBE_PAGE_LOADS;
    const int size = role == PROBE_SOURCE ? PROBE_PAGE_LOADS : pages * rest;
    int *next = role == PROBE_SOURCE ? &m->read_at : &m->written_at;
    int step = 1;

    while (step < bytes) {
        step *= 2;
    }
    const int at = (*next + step - 1) / step * step % size;
    *next = at + step;
    return role == PROBE_SOURCE ? at : at / rest * PROBE_PAGE_BYTES + PROBE_PAGE_LOADS + at % rest;
}

/* The chain's register for operand k, or -1.  From one operand to another it alternates between two: an
 * updated operand by itself is no shortcut then, and a move of a register to itself is no such move. */
static int chain_register(const struct emitter *m, const struct probe_form *f, int k)
{
    const int from = m->chain.from - 1, to = m->chain.to - 1;
    const bool alternates = from != to && !m->chain.same_source;

    if (m->chain.to == 0 || file_of(f->code.kinds[k]) != file_of(f->code.kinds[to])) {
        return -1;
    }
    const bool source = k == from || (m->chain.same_source && f->roles[k] == PROBE_SOURCE);
    if (k != to && !source) {
        return -1;
    }
    return CHAIN_REGISTER + (alternates && (m->n_insns + (k == to)) % 2);
}

static void choose_register(struct emitter *m, const struct probe_form *f, int k,
                            struct encode_registers *r)
{
    const int chained = chain_register(m, f, k);

    if (chained >= 0) {
        r->number[k] = (uint8_t)chained;
        return;
    }
    struct pool *p = &m->pools[file_of(f->code.kinds[k])];

    r->number[k] = f->roles[k] == PROBE_SOURCE   ? take_source(p)
                   : f->roles[k] == PROBE_RESULT ? take_result(p)
                                                 : take_update(p, f, m->n_insns);
}

static bool put_insn(struct emitter *m, const struct probe_form *f)
{
    struct encode_registers r = {.base = REG_MEMORY, .index = -1, .immediate = 3};

    for (int k = 0; k < f->code.n_operands; k++) {
        switch (f->code.kinds[k]) {
        case ENCODE_GENERAL:
        case ENCODE_VECTOR:
        case ENCODE_MASK:
            choose_register(m, f, k, &r);
            break;
        case ENCODE_ADDRESS: /* as compilers use lea most: base + 4 * index */
            r.base = take_source(&m->pools[GENERAL]);
            r.index = take_source(&m->pools[GENERAL]);
            r.scale = 4;
            break;
        case ENCODE_MEMORY:
            r.displacement = take_memory(m, f->roles[k], f->code.bits[k] / 8);
            break;
        default:
            break;
        }
    }
    r.mask = f->code.masked ? take_source(&m->pools[MASK]) : 0;
    m->n_insns++;
    return put(m, &f->code, &r);
}

static int list(const struct probe_block *b, const struct probe_form *order[PROBE_BLOCK_MAX])
{
    int n = 0;

    for (int k = 0; k < b->n_items; k++) {
        for (int j = 0; j < b->items[k].count; j++) {
            order[n++] = b->items[k].form;
        }
    }
    return n;
}

static void shuffle(const struct probe_form **order, int n, struct random *r)
{
    for (int k = n - 1; k > 0; k--) {
        const int j = random_below(r, k + 1);
        const struct probe_form *other = order[j];
        order[j] = order[k];
        order[k] = other;
    }
}

static double busiest(const struct pool pools[FILES])
{
    double most = 0;

    for (int file = 0; file < FILES; file++) {
        for (int k = 0; k < pools[file].n_updates; k++) {
            most = pools[file].load[k] > most ? pools[file].load[k] : most;
        }
    }
    return most;
}

/* --- around the loop -----------------------------------------------------------------------------
 */

static const uint8_t saved[] = {3, 5, 12, 13, 14, 15}; /* rbx rbp r12..r15, the ABI's */
#define N_SAVED ((int)sizeof saved)

static bool put_bytes(struct emitter *m, const void *bytes, size_t len)
{
    if (m->len + len > PROBE_CODE_BYTES) {
        return err_set(m->e, ERR_RANGE, LOC_NONE, "a block longer than %zu bytes of code",
                       PROBE_CODE_BYTES);
    }
    memcpy(m->out + m->len, bytes, len);
    m->len += len;
    return true;
}

/* Upper halves of vector registers made clean, as legacy SSE wants them before and code after. */
static bool put_vzeroupper(struct emitter *m, enum probe_kind kind)
{
    static const uint8_t vzeroupper[] = {0xc5, 0xf8, 0x77};

    return kind < PROBE_AVX || put_bytes(m, vzeroupper, sizeof vzeroupper);
}

static bool put_vectors(struct emitter *m, enum probe_kind kind)
{
    static const enum frame_form loads[] = {[PROBE_ANY] = LOAD_SSE,
                                            [PROBE_SSE] = LOAD_SSE,
                                            [PROBE_AVX] = LOAD_AVX,
                                            [PROBE_AVX512] = LOAD_AVX512};
    for (int r = 0; r < REGISTERS && kind != PROBE_ANY; r++) {
        const struct encode_registers at = {
            .number = {(uint8_t)r}, .base = REG_MEMORY, .index = -1, .displacement = 64 * r};
        if (!put(m, &m->coder->frame[loads[kind]], &at)) {
            return false;
        }
    }
    return true;
}

static bool put_masks(struct emitter *m, const struct demand *d)
{
    for (int r = 1; r < 8 && (d->sources || d->results || d->updates); r++) {
        const struct encode_registers at = {
            .number = {(uint8_t)r}, .base = REG_MEMORY, .index = -1, .displacement = 64 * r};
        if (!put(m, &m->coder->frame[MASK16], &at)) {
            return false;
        }
    }
    return true;
}

static bool put_entry(struct emitter *m, enum probe_kind kind, const struct demand d[FILES])
{
    const struct encode_form *frame = m->coder->frame;

    for (int k = 0; k < N_SAVED; k++) {
        if (!put(m, &frame[PUSH], &(struct encode_registers){.number = {saved[k]}})) {
            return false;
        }
    }
    if (!put(m, &frame[MOVE], &(struct encode_registers){.number = {REG_TRIPS, REG_ARG0}}) ||
        !put(m, &frame[MOVE], &(struct encode_registers){.number = {REG_MEMORY, REG_ARG1}}) ||
        !put_vectors(m, kind) || !put_masks(m, &d[MASK])) {
        return false;
    }
    for (int r = 0; r < REG_MEMORY; r++) {
        const struct encode_registers set = {.number = {(uint8_t)r}, .immediate = 0x2345 + 77 * r};
        if (r != REG_RSP && !put(m, &frame[SET], &set)) {
            return false;
        }
    }
    return true;
}

static bool put_exit(struct emitter *m, enum probe_kind kind)
{
    static const uint8_t ret[] = {0xc3};

    if (!put_vzeroupper(m, kind)) {
        return false;
    }
    for (int k = N_SAVED - 1; k >= 0; k--) {
        if (!put(m, &m->coder->frame[POP], &(struct encode_registers){.number = {saved[k]}})) {
            return false;
        }
    }
    return put_bytes(m, ret, sizeof ret);
}

static bool put_loop(struct emitter *m, const struct probe_form **order, int n,
                     struct probe_code *shape)
{
    static const uint8_t one_byte_nop = 0x90;
    uint8_t jump[6] = {0x0f, 0x85}; /* jnz rel32 */

    while (m->len % 64 != 0) {
        if (!put_bytes(m, &one_byte_nop, 1)) {
            return false;
        }
    }
    shape->loop_start = m->len;
    shape->blocks_per_trip = 0;
    while (m->n_insns < PROBE_INSNS_MIN) {
        shape->blocks_per_trip++;
        shuffle(order, n, &m->random);
        for (int k = 0; k < n; k++) {
            if (!put_insn(m, order[k])) {
                return false;
            }
        }
    }
    if (!put(m, &m->coder->frame[DECREMENT], &(struct encode_registers){.number = {REG_TRIPS}})) {
        return false;
    }
    const int32_t back =
        (int32_t)((ptrdiff_t)shape->loop_start - (ptrdiff_t)(m->len + sizeof jump));
    memcpy(jump + 2, &back, sizeof back);
    if (!put_bytes(m, jump, sizeof jump)) {
        return false;
    }
    shape->loop_end = m->len;
    return true;
}

/* The block's one kind and what it asks of registers. */
static bool check_block(const struct probe_block *b, enum probe_kind *kind, struct demand d[FILES],
                        struct err *e)
{
    int n = 0;

    *kind = PROBE_ANY;
    for (int k = 0; k < b->n_items; k++) {
        const struct probe_form *f = b->items[k].form;
        if (f->refused) {
            return err_set(e, ERR_RANGE, LOC_NONE, "'%s' cannot be measured: %s", f->code.text,
                           f->refused);
        }
        if (*kind != PROBE_ANY && f->kind != PROBE_ANY && f->kind != *kind) {
            return err_set(e, ERR_RANGE, LOC_NONE, "'%s' does not mix with '%s'", f->code.text,
                           b->items[0].form->code.text);
        }
        if (b->items[k].count < 1) {
            return err_set(e, ERR_RANGE, LOC_NONE, "%d times '%s'; once is the least",
                           b->items[k].count, f->code.text);
        }
        *kind = f->kind == PROBE_ANY ? *kind : f->kind;
        n += b->items[k].count;
        add_demand(f, d);
    }
    if (n < 1 || n > PROBE_BLOCK_MAX || b->n_items > PROBE_BLOCK_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "a block has 1 to %d instructions, not %d",
                       PROBE_BLOCK_MAX, n);
    }
    if (d[GENERAL].keep & d[GENERAL].avoid) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "one form reads a register that another writes, neither names it");
    }
    return true;
}

bool probe_code_emit(const struct probe_coder *c, const struct probe_block *b,
                     uint8_t out[PROBE_CODE_BYTES], struct probe_code *shape, struct err *e)
{
    struct emitter m = {.coder = c, .e = e};
    struct demand demands[FILES] = {0};
    const struct probe_form *order[PROBE_BLOCK_MAX];
    enum probe_kind kind;

    m.out = out;
    if (!check_block(b, &kind, demands, e)) {
        return false;
    }
    m.chain = b->chain;
    for (int file = 0; file < FILES && b->chain.to; file++) {
        demands[file].avoid |= 3u << CHAIN_REGISTER; /* not for the other operands */
    }
    for (int file = 0; file < FILES; file++) {
        share_out((enum file)file, &demands[file], &m.pools[file]);
        divide_updates(&demands[file], &m.pools[file]);
    }
    const int n = list(b, order);
    if (!put_entry(&m, kind, demands) || !put_loop(&m, order, n, shape) || !put_exit(&m, kind)) {
        return false;
    }
    shape->len = m.len;
    shape->wide = kind == PROBE_AVX512;
    shape->register_cycles = busiest(m.pools) / shape->blocks_per_trip;
    return true;
}

void probe_memory_fill(enum probe_values values, uint8_t memory[PROBE_MEMORY_BYTES])
{
    /* Normal numbers between 1 and 2 both as two floats and as one double; a short significand is
     * zero but for its leading bits. */
    static const uint64_t words[] = {
        [PROBE_FULL] = 0x3ff5a96b3fa7d3e9u, [PROBE_SHORT] = 0x3ff800003fc00000u};

    for (size_t k = 0; k < PROBE_MEMORY_BYTES; k += sizeof *words) {
        memcpy(memory + k, &words[values], sizeof *words);
    }
}
