#include "measure/probe_code.h"

#include "base/random.h"
#include "measure/probe_chain.h"
#include "measure/probe_frame.h"

#include <string.h>

#define REGISTERS    FRAME_REGISTERS
#define GATHER_INDEX 15 /* the vector of indices, where there are gathers */

/* --- registers -----------------------------------------------------------------------------------
 */

enum file { GENERAL, VECTOR, MASK, FILES };

struct pool {
    uint8_t sources[REGISTERS], results[REGISTERS], updates[REGISTERS];
    int n_sources, n_results, n_updates;
    int next_source, next_result;
    /* Registers that what reads flags updates come after the others. */
    int n_plain;
    bool apart;             /* every second is for double precision, the others for single */
    double load[REGISTERS]; /* of each update register: cycles its updates take */
    int last[REGISTERS];    /* when it was last taken */
};

/* What a block asks of one register file. */
struct demand {
    int sources;                    /* of one instruction, at most */
    bool results, updates, flagged; /* flagged: updates by what reads flags */
    bool singles, doubles;          /* updates of floating-point numbers */
    uint32_t keep, avoid;           /* registers that are read, or written, without being named */
};

static int file_of(enum encode_kind kind)
{
    return kind == ENCODE_GENERAL || kind == ENCODE_MEMORY || kind == ENCODE_ADDRESS ? GENERAL
           : kind == ENCODE_VECTOR                                                   ? VECTOR
           : kind == ENCODE_MASK                                                     ? MASK
                                                                                     : -1;
}

/* Flags that it has from whatever happens to stand before it. */
static bool reads_flags(const struct probe_form *f)
{
    return f->flags_read && !probe_form_companion(f, PROBE_FLAGS, 0);
}

static uint32_t set_by_companions(const struct probe_form *f)
{
    uint32_t set = 0;

    for (int k = 0; k < f->n_companions; k++) {
        set |= f->companions[k].sets == PROBE_GENERAL ? 1u << f->companions[k].number : 0;
    }
    return set;
}

/* Floating-point numbers: addss, vfmadd231pd; by the end of the mnemonic, before which there is s
 * or p. */
static bool has_precision(const struct probe_form *f, char last)
{
    const size_t n = strcspn(f->code.text, " ");
    return n > 2 && f->code.text[n - 1] == last &&
           (f->code.text[n - 2] == 's' || f->code.text[n - 2] == 'p');
}

static void add_operand(const struct probe_form *f, int k, struct demand d[FILES],
                        int sources[FILES])
{
    const enum encode_kind kind = f->code.kinds[k];
    const int file = file_of(kind);

    if (file < 0 || kind == ENCODE_MEMORY) {
        return;
    }
    if (kind == ENCODE_ADDRESS) {
        sources[file] += 2;
        return;
    }
    const bool set_again = probe_form_companion(f, PROBE_OPERAND, k + 1) != NULL;
    sources[file] += f->roles[k] == PROBE_SOURCE;
    d[file].results |= f->roles[k] == PROBE_RESULT || set_again;
    if (f->roles[k] == PROBE_UPDATE && !set_again) {
        d[file].updates |= !reads_flags(f);
        d[file].flagged |= reads_flags(f);
        d[file].singles |= has_precision(f, 's');
        d[file].doubles |= has_precision(f, 'd');
    }
}

static void add_demand(const struct probe_form *f, struct demand d[FILES])
{
    int sources[FILES] = {0};
    const uint32_t set = set_by_companions(f);

    for (int k = 0; k < f->code.n_operands; k++) {
        add_operand(f, k, d, sources);
    }
    if (probe_form_companion(f, PROBE_WRITE_MASK, 0)) {
        d[MASK].results = true;
    } else {
        sources[MASK] += f->code.masked;
    }
    d[GENERAL].keep |= f->implicit_reads & ~set;
    d[GENERAL].avoid |= f->implicit_writes | set;
    d[VECTOR].keep |= f->reads_first_vector;
    d[VECTOR].avoid |= f->code.vector_index ? 1u << GATHER_INDEX : 0;
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

/* Afterwards: as few registers as the block asks for. */
static void restrict_to(int registers, struct pool *p)
{
    if (registers) {
        p->n_results = p->n_results < registers ? p->n_results : registers;
        p->n_updates = p->n_updates < registers ? p->n_updates : registers;
    }
}

/* Afterwards: a third of the update registers for what reads flags, where others update too. */
static void divide_updates(const struct demand *d, struct pool *p)
{
    p->n_plain = !d->flagged ? p->n_updates : d->updates ? p->n_updates - p->n_updates / 3 : 0;
    p->apart = d->singles && d->doubles;
}

/* On family 6 model 207 a sum of double precision takes 40 cycles where an operand is a sum of
 * single precision, or the other way round, which no compiled code asks for. */
static bool may_update(const struct pool *p, int k, const struct probe_form *f)
{
    return !p->apart || !(has_precision(f, k % 2 ? 's' : 'd'));
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
    const int first = reads_flags(f) ? p->n_plain : 0;
    const int end = reads_flags(f) ? p->n_updates : p->n_plain;
    int best = -1;

    for (int k = first; k < end; k++) {
        const bool better = best < 0 || p->load[k] < p->load[best] ||
                            (p->load[k] == p->load[best] && p->last[k] < p->last[best]);
        best = better && may_update(p, k, f) ? k : best;
    }
    best = best < 0 ? first : best;
    p->load[best] += f->latency;
    p->last[best] = now;
    return p->updates[best];
}

/* --- the loop ------------------------------------------------------------------------------------
 */

struct builder {
    struct emitter emit;
    struct pool pools[FILES];
    int read_at, written_at; /* bytes into the parts of memory */
    struct random random;
    int n_insns;
    int pushed; /* bytes, in this trip so far */
    enum probe_values values;
};

/* The next place to read, or to write, aligned to the access. */
static int take_memory(struct builder *m, enum probe_role role, int bytes)
{
    const int pages = PROBE_MEMORY_BYTES / PROBE_PAGE_BYTES;
    const int rest = PROBE_PAGE_BYTES - PROBE_PAGE_LOADS;
    const int size = role == PROBE_SOURCE ? PROBE_LOADS_BYTES : pages * rest;
    int *next = role == PROBE_SOURCE ? &m->read_at : &m->written_at;
    int step = 1;

    while (step < bytes) {
        step *= 2;
    }
    const int at = (*next + step - 1) / step * step % size;
    *next = at + step;
    return role == PROBE_SOURCE ? at : at / rest * PROBE_PAGE_BYTES + PROBE_PAGE_LOADS + at % rest;
}

static uint8_t choose_register(struct builder *m, const struct probe_form *f, int k)
{
    struct pool *p = &m->pools[file_of(f->code.kinds[k])];
    const bool set_again = probe_form_companion(f, PROBE_OPERAND, k + 1) != NULL;

    return f->roles[k] == PROBE_SOURCE                ? take_source(p)
           : f->roles[k] == PROBE_RESULT || set_again ? take_result(p)
                                                      : take_update(p, f, m->n_insns);
}

static struct encode_registers choose(struct builder *m, const struct probe_form *f)
{
    struct encode_registers r = {.base = REG_MEMORY, .index = -1, .immediate = 3};

    for (int k = 0; k < f->code.n_operands; k++) {
        switch (f->code.kinds[k]) {
        case ENCODE_GENERAL:
        case ENCODE_VECTOR:
        case ENCODE_MASK:
            r.number[k] = choose_register(m, f, k);
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
    if (f->code.vector_index) {
        r.index = GATHER_INDEX;
        r.scale = 1;
    }
    if (f->code.masked) {
        r.mask = probe_form_companion(f, PROBE_WRITE_MASK, 0) ? take_result(&m->pools[MASK])
                                                              : take_source(&m->pools[MASK]);
    }
    return r;
}

/* Sets what the instruction with registers r is going to read and write. */
static bool put_companion(struct builder *m, const struct probe_companion *c,
                          const struct encode_registers *r)
{
    struct encode_registers own = {
        .base = REG_MEMORY, .index = -1, .displacement = PROBE_SPECIAL(PROBE_ONES), .immediate = 3};

    switch (c->sets) {
    case PROBE_FLAGS:
        own.number[0] = take_source(&m->pools[GENERAL]);
        own.number[1] = take_source(&m->pools[GENERAL]);
        break;
    case PROBE_GENERAL: /* rdx:rax over some thousands: no quotient overflows */
        own.number[0] = (uint8_t)c->number;
        own.immediate = m->values == PROBE_SHORT && c->number == REG_RDX ? 0 : own.immediate;
        break;
    case PROBE_OPERAND:
        own.number[0] = r->number[c->number - 1];
        break;
    case PROBE_WRITE_MASK:
        own.number[0] = r->mask;
        break;
    }
    m->n_insns++;
    return frame_put(&m->emit, &c->form->code, &own);
}

static bool put_insn(struct builder *m, const struct probe_form *f)
{
    const struct encode_registers r = choose(m, f);

    for (int k = 0; k < f->n_companions; k++) {
        if (!put_companion(m, &f->companions[k], &r)) {
            return false;
        }
    }
    m->n_insns++;
    m->pushed += f->pushed_bytes;
    return frame_put(&m->emit, &f->code, &r);
}

/* How many of the form the others of the block have before them. */
static int accompanying(const struct probe_block *b, const struct probe_form *form)
{
    int n = 0;

    for (int k = 0; k < b->n_items; k++) {
        const struct probe_form *f = b->items[k].form;
        for (int j = 0; j < f->n_companions; j++) {
            n += f->companions[j].form == form ? b->items[k].count : 0;
        }
    }
    return n;
}

/* Without those that stand before others. */
static int list(const struct probe_block *b, const struct probe_form *order[PROBE_BLOCK_MAX])
{
    int n = 0;

    for (int k = 0; k < b->n_items; k++) {
        const int alone = b->items[k].count - accompanying(b, b->items[k].form);
        for (int j = 0; j < alone; j++) {
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

static bool put_loop(struct builder *m, const struct probe_form **order, int n,
                     struct probe_code *shape)
{
    if (!frame_begin(&m->emit, shape)) {
        return false;
    }
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
    return frame_end(&m->emit, m->pushed, shape);
}

/* --- the whole -----------------------------------------------------------------------------------
 */

static bool check_companions(const struct probe_block *b, struct err *e)
{
    for (int k = 0; k < b->n_items; k++) {
        const struct probe_form *f = b->items[k].form;
        for (int j = 0; j < f->n_companions; j++) {
            int there = 0;
            for (int i = 0; i < b->n_items; i++) {
                there += b->items[i].form == f->companions[j].form ? b->items[i].count : 0;
            }
            if (there < accompanying(b, f->companions[j].form)) {
                return err_set(e, ERR_RANGE, LOC_NONE, "'%s' needs '%s' before each", f->code.text,
                               f->companions[j].text);
            }
        }
    }
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
    return check_companions(b, e);
}

/* The vector of indices is the same for all gathers: zeros. */
static bool put_entry(struct builder *m, enum probe_kind kind, const struct demand d[FILES])
{
    const bool masks = d[MASK].sources || d[MASK].results || d[MASK].updates;
    const bool gathers = d[VECTOR].avoid & 1u << GATHER_INDEX;

    return frame_enter(&m->emit, kind, masks) &&
           (!gathers || frame_load(&m->emit, kind, GATHER_INDEX, PROBE_SPECIAL(PROBE_ZEROS)));
}

bool probe_code_emit(const struct probe_coder *c, const struct probe_block *b,
                     uint8_t out[PROBE_CODE_BYTES], struct probe_code *shape, struct err *e)
{
    struct builder m = {.emit = {.coder = c, .out = out, .e = e}, .values = b->values};
    struct demand demands[FILES] = {0};
    const struct probe_form *order[PROBE_BLOCK_MAX];
    enum probe_kind kind;

    if (b->path) {
        return probe_chain_emit(c, b->items[0].form, b->path, out, shape, e);
    }
    if (!check_block(b, &kind, demands, e)) {
        return false;
    }
    for (int file = 0; file < FILES; file++) {
        share_out((enum file)file, &demands[file], &m.pools[file]);
        restrict_to(b->registers, &m.pools[file]);
        divide_updates(&demands[file], &m.pools[file]);
    }
    const int n = list(b, order);
    if (!put_entry(&m, kind, demands) || !put_loop(&m, order, n, shape) ||
        !frame_leave(&m.emit, kind)) {
        return false;
    }
    shape->len = m.emit.len;
    shape->wide = kind == PROBE_AVX512;
    shape->register_cycles = busiest(m.pools) / shape->blocks_per_trip;
    return true;
}

/* A normal number between 1 and 2 as a double and both as floats, all bits of the significands as
 * they come. */
static uint64_t full_word(struct random *r)
{
    const uint64_t bits = random_next(r);
    return 0x3ff000003f800001u | (bits & 0x000fffff007fffffu);
}

static void fill(uint8_t *at, size_t bytes, uint64_t word)
{
    for (size_t k = 0; k < bytes; k += sizeof word) {
        memcpy(at + k, &word, sizeof word);
    }
}

void probe_memory_fill(enum probe_values values, uint8_t memory[PROBE_MEMORY_BYTES])
{
    static const uint64_t special[] = {[PROBE_SHORT_FLOATS] = 0x3fc000003fc00000u,
                                       [PROBE_SHORT_DOUBLES] = 0x3ff8000000000000u,
                                       [PROBE_LARGE] = 0x4007a96b400fd3e9u,
                                       [PROBE_LARGE_SHORT_FLOATS] = 0x4020000040200000u,
                                       [PROBE_LARGE_SHORT_DOUBLES] = 0x4004000000000000u,
                                       [PROBE_ZEROS] = 0,
                                       [PROBE_ONES] = UINT64_MAX};
    static const uint64_t short_words = 0x3ff800003fc00000u; /* as floats, and nearly as doubles */
    struct random r = {1};

    for (size_t k = 0; k < PROBE_MEMORY_BYTES; k += sizeof short_words) {
        fill(memory + k, sizeof short_words, values == PROBE_FULL ? full_word(&r) : short_words);
    }
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        fill(memory + PROBE_SPECIAL(k), 64, special[k]);
    }
}
