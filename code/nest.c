#include "code/nest.h"

#include <string.h>

struct listing {
    struct insn *insns;
    size_t n, capacity;
};

struct span {
    size_t first, last;
};

/* Index of the instruction that begins at an address, or n. */
static size_t index_at(const struct listing *l, uint64_t address)
{
    size_t low = 0, high = l->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (l->insns[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < l->n && l->insns[low].address == address ? low : l->n;
}

static bool jumps(const struct insn *i)
{
    return i->branch && !i->calls && !i->returns;
}

/* --- one iteration --- */

static double vector_bytes(const struct insn *i)
{
    static const struct {
        const char *name;
        double bytes;
    } registers[] = {{"zmm", 64}, {"ymm", 32}, {"xmm", 16}, {" v.", 16},
                     {" q", 16},  {" d", 8},   {" s,", 4},  {" s", 4}};
    for (size_t k = 0; k < sizeof registers / sizeof *registers; k++) {
        if (strstr(i->form, registers[k].name)) {
            return registers[k].bytes;
        }
    }
    return 0;
}

/* A way through the range: what is on it, and how many of the two ways on from each were tried. */
struct way {
    size_t *at;
    uint8_t *tried, *seen; /* by place on the way, by instruction */
    size_t n;
};

/* Ways on from instruction k: first straight on, then where it jumps.  n of the listing stands for
 * the loop's end: past the range, or back to its head.  False: there is no such way on. */
static bool way_on(const struct listing *l, size_t k, int which, size_t *next)
{
    const struct insn *i = &l->insns[k];
    if (which == 0) {
        *next = k + 1;
        return !i->returns && (!jumps(i) || i->conditional);
    }
    *next = jumps(i) && i->target > i->address ? index_at(l, i->target) : l->n;
    return jumps(i) && (*next < l->n || i->target == l->insns[0].address);
}

/* Straight on as far as that leads to the loop's end; else jumps are taken, the last first. */
static bool find_way(const struct listing *l, struct way *w)
{
    w->at[0] = 0;
    w->tried[0] = 0;
    w->n = 1;
    while (w->n > 0) {
        const size_t k = w->at[w->n - 1];
        size_t next;
        if (w->tried[w->n - 1] == 2) {
            w->n--;
        } else if (way_on(l, k, w->tried[w->n - 1]++, &next)) {
            if (next == l->n) {
                return true;
            }
            if (!w->seen[next]) {
                w->seen[next] = 1;
                w->at[w->n] = next;
                w->tried[w->n++] = 0;
            }
        }
    }
    return false;
}

static bool follow(const struct listing *l, struct arena *a, struct nest_loop *out, struct err *e)
{
    struct insn *insns = arena_new(a, struct insn, l->n);
    struct way w = {
        .at = arena_new(a, size_t, l->n + 1),
        .tried = arena_new(a, uint8_t, l->n + 1),
        .seen = arena_new(a, uint8_t, l->n + 1),
    };
    if (!l->insns || !find_way(l, &w)) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "what begins at 0x%llx returns or leaves, but never comes to an end that "
                       "could be one iteration's",
                       (unsigned long long)out->address);
    }
    for (size_t k = 0; k < w.n; k++) {
        const struct insn *i = &l->insns[w.at[k]];
        insns[k] = *i;
        out->vector_bytes += vector_bytes(i);
        out->n_branches += jumps(i) && i->conditional && k + 1 < w.n;
    }
    out->loop.insns = insns;
    out->loop.n = (int)w.n;
    return true;
}

/* Five of the arguments say where the code is. NOLINTNEXTLINE(readability-function-size) */
bool nest_range(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
                struct arena *a, struct nest_loop *out, struct err *e)
{
    struct listing l = {0};
    struct decoder *d = decoder_open(arch, e);
    bool fine = d && (len > 0 || err_set(e, ERR_RANGE, LOC_NONE, "no machine code in this range"));

    for (size_t at = 0; fine && at < len; at += fine ? (size_t)l.insns[l.n - 1].length : 0) {
        l.insns = arena_grow(a, l.insns, l.n, &l.capacity, sizeof *l.insns);
        fine = decode_insn(d, code + at, len - at, address + at, &l.insns[l.n], e);
        l.n += fine;
    }
    decoder_close(d);
    *out = (struct nest_loop){
        .address = address,
        .code = code,
        .len = len,
        .loop = {.arch = arch, .inner_first = -1, .inner_last = -1},
    };
    return fine && follow(&l, a, out, e);
}

/* --- every loop of a function --- */

/* All instructions; bytes that are none are passed over (tables between code). */
static void sweep(struct decoder *d, const uint8_t *code, size_t len, uint64_t address,
                  struct arena *a, struct listing *l)
{
    for (size_t at = 0; at < len;) {
        struct err none = {0};
        l->insns = arena_grow(a, l->insns, l->n, &l->capacity, sizeof *l->insns);
        if (decode_insn(d, code + at, len - at, address + at, &l->insns[l->n], &none)) {
            at += (size_t)l->insns[l->n++].length;
        } else {
            at++;
        }
    }
}

/* The spans of all backward branches, one a head. */
static struct span *find_spans(const struct listing *l, struct arena *a, size_t *n)
{
    struct span *spans = NULL;
    size_t capacity = 0;

    for (size_t k = 0; k < l->n; k++) {
        const struct insn *i = &l->insns[k];
        const size_t head = jumps(i) && i->target <= i->address ? index_at(l, i->target) : l->n;
        size_t s = 0;
        while (s < *n && spans[s].first != head) {
            s++;
        }
        if (head == l->n) {
            continue;
        }
        if (s == *n) {
            spans = arena_grow(a, spans, *n, &capacity, sizeof *spans);
            spans[(*n)++].first = head;
        }
        spans[s].last = k;
    }
    return spans;
}

static bool is_innermost(const struct span *spans, size_t n, size_t which)
{
    for (size_t k = 0; k < n; k++) {
        if (k != which && spans[k].first >= spans[which].first &&
            spans[k].last <= spans[which].last) {
            return false;
        }
    }
    return true;
}

static void insert(struct nest *out, const struct nest_loop *loop)
{
    int at = out->n++;
    for (; at > 0 && out->loops[at - 1].address > loop->address; at--) {
        out->loops[at] = out->loops[at - 1];
    }
    out->loops[at] = *loop;
}

static bool does_more(const struct nest_loop *a, const struct nest_loop *b)
{
    return a->vector_bytes > b->vector_bytes ||
           (a->vector_bytes >= b->vector_bytes && a->loop.n > b->loop.n);
}

/* Five of the arguments say where the code is. NOLINTNEXTLINE(readability-function-size) */
bool nest_find(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
               struct arena *a, struct nest *out, struct err *e)
{
    struct listing l = {0};
    struct err first = {0};
    size_t n_spans = 0;
    struct decoder *d = decoder_open(arch, e);

    if (!d) {
        return false;
    }
    sweep(d, code, len, address, a, &l);
    decoder_close(d);
    const struct span *spans = find_spans(&l, a, &n_spans);
    *out = (struct nest){.loops = arena_new(a, struct nest_loop, n_spans + 1)};
    for (size_t s = 0; s < n_spans; s++) {
        const struct insn *head = &l.insns[spans[s].first], *tail = &l.insns[spans[s].last];
        const size_t from = (size_t)(head->address - address);
        const size_t to = (size_t)(tail->address - address) + (size_t)tail->length;
        struct nest_loop loop;
        if (is_innermost(spans, n_spans, s) &&
            nest_range(code + from, to - from, head->address, arch, a, &loop, &first)) {
            insert(out, &loop);
        }
    }
    for (int k = 1; k < out->n; k++) {
        out->most = does_more(&out->loops[k], &out->loops[out->most]) ? k : out->most;
    }
    return out->n > 0 || err_set(e, first.code ? first.code : ERR_RANGE, LOC_NONE, "%s",
                                 first.code ? first.text : "no loop: no branch goes backwards");
}

bool nest_of_body(const struct kernel_body *b, struct arena *a, struct nest_loop *out,
                  struct err *e)
{
    enum { ADDRESS = 0x1000 }; /* any but 0, which a branch uses for no target */
    const enum code_arch arch = strcmp(b->isa, "neon") == 0 ? ARCH_AARCH64 : ARCH_X86_64;
    struct err inner = {0};
    uint8_t *code;
    size_t len;

    return code_from_hex(b->code, b->loc, a, &code, &len, e) &&
           (nest_range(code, len, ADDRESS, arch, a, out, &inner) ||
            err_set(e, inner.code, b->loc, "code: %s", inner.text));
}
