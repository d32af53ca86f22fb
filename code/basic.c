#include "code/basic.h"

#include <math.h>
#include <string.h>

struct place { /* of one instruction */
    uint64_t address;
    uint64_t target; /* of a branch inside the code; 0 */
    uint8_t length;
    bool leader, ends; /* begins a block; is control flow */
    int depth;         /* at first how much it grows here */
};

struct places {
    struct place *at;
    size_t n, capacity;
};

static void sweep(struct decoder *d, const uint8_t *code, size_t len, uint64_t address,
                  struct arena *a, struct places *out)
{
    bool after_gap = true;
    for (size_t at = 0; at < len;) {
        struct err none = {0};
        struct insn i;
        out->at = arena_grow(a, out->at, out->n, &out->capacity, sizeof *out->at);
        if (!decode_insn(d, code + at, len - at, address + at, &i, &none)) {
            after_gap = true;
            at++;
            continue;
        }
        const bool inside = i.branch && !i.calls && i.target >= address && i.target < address + len;
        out->at[out->n++] = (struct place){
            .address = i.address,
            .target = inside ? i.target : 0,
            .length = (uint8_t)i.length,
            .leader = after_gap,
            .ends = i.branch || i.calls || i.returns,
        };
        after_gap = false;
        at += (size_t)i.length;
    }
}

static size_t index_at(const struct places *p, uint64_t address)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->at[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->n && p->at[low].address == address ? low : p->n;
}

/* Leaders, and the loops: a head counts once, whichever of its branches is the last. */
static void mark(struct places *p, struct arena *a)
{
    size_t *last = arena_new(a, size_t, p->n + 1); /* of the loop that begins here */
    for (size_t k = 0; k < p->n; k++) {
        if (p->at[k].ends && k + 1 < p->n) {
            p->at[k + 1].leader = true;
        }
        const size_t target = p->at[k].target ? index_at(p, p->at[k].target) : p->n;
        if (target < p->n) {
            p->at[target].leader = true;
            if (target <= k && k - target < BASIC_LOOP_MAX) {
                last[target] = k + 1;
            }
        }
    }
    for (size_t k = 0; k < p->n; k++) {
        if (last[k] > 0) {
            p->at[k].depth++;
            if (last[k] < p->n) {
                p->at[last[k]].depth--;
            }
        }
    }
    for (size_t k = 1; k < p->n; k++) {
        p->at[k].depth += p->at[k - 1].depth;
    }
}

double basic_weight(int depth)
{
    return pow(10, depth < 6 ? depth : 6);
}

/* Five of the arguments say where the code is. NOLINTNEXTLINE(readability-function-size) */
bool basic_blocks(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
                  struct arena *a, struct basic_block **out, int *n, struct err *e)
{
    struct places p = {0};
    size_t capacity = 0, n_blocks = 0;
    bool open = false; /* the last block goes on */
    struct decoder *d = decoder_open(arch, e);

    if (!d) {
        return false;
    }
    sweep(d, code, len, address, a, &p);
    decoder_close(d);
    mark(&p, a);
    for (size_t k = 0; k < p.n; k++) {
        const struct place *i = &p.at[k];
        open = open && !i->leader;
        if (i->ends) {
            if (open) {
                (*out)[n_blocks - 1].span += i->length;
            }
            open = false;
            continue;
        }
        if (!open) {
            *out = arena_grow(a, n_blocks ? *out : NULL, n_blocks, &capacity, sizeof **out);
            (*out)[n_blocks++] = (struct basic_block){
                .address = i->address, .code = code + (i->address - address), .depth = i->depth};
            open = true;
        }
        (*out)[n_blocks - 1].len += i->length;
        (*out)[n_blocks - 1].span = (*out)[n_blocks - 1].len;
        (*out)[n_blocks - 1].n_insns++;
    }
    *n = (int)n_blocks;
    return true;
}

/* Seven arguments, three of which are the result and its memory.
 * NOLINTNEXTLINE(readability-function-size) */
bool basic_decode(struct decoder *d, const uint8_t *code, size_t len, struct arena *a,
                  struct insn **insns, int *n, struct err *e)
{
    /* Few blocks have shorter instructions, on the whole. */
    size_t capacity = len / 3 < BASIC_INSNS_MAX ? len / 3 + 1 : BASIC_INSNS_MAX;
    *n = 0;
    *insns = arena_new(a, struct insn, capacity);
    for (size_t at = 0; at < len;) {
        if (*n == BASIC_INSNS_MAX) {
            return err_set(e, ERR_RANGE, LOC_NONE, "more than %d instructions in one block",
                           BASIC_INSNS_MAX);
        }
        *insns = arena_grow(a, *insns, (size_t)*n, &capacity, sizeof **insns);
        if (!decode_insn(d, code + at, len - at, at, &(*insns)[*n], e)) {
            return false;
        }
        at += (size_t)(*insns)[(*n)++].length;
    }
    return *n > 0 || err_set(e, ERR_RANGE, LOC_NONE, "a block without an instruction");
}

int basic_forms(const struct insn *insns, int n, struct form_count *out)
{
    int n_forms = 0;
    for (int k = 0; k < n; k++) {
        int at = 0;
        while (at < n_forms && strcmp(out[at].form, insns[k].form) != 0) {
            at++;
        }
        if (at == n_forms) {
            out[n_forms++] = (struct form_count){insns[k].form, 0};
        }
        out[at].count++;
    }
    return n_forms;
}
