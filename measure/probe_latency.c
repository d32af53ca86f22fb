#include "measure/probe_latency.h"

#include <math.h>
#include <string.h>

/* A chain link takes a cycle at least; what takes less is none.  Some cores eliminate a part of moves
 * only. */
#define NO_LINK 0.75

static bool is_register(enum encode_kind kind)
{
    return kind == ENCODE_GENERAL || kind == ENCODE_VECTOR || kind == ENCODE_MASK;
}

static bool links(const struct probe_form *f, int from, int to)
{
    return is_register(f->code.kinds[from]) && f->code.kinds[from] == f->code.kinds[to] &&
           f->roles[from] != PROBE_RESULT && f->roles[to] != PROBE_SOURCE;
}

/* Register operands that are read, the updated one with them. */
static int count_read(const struct probe_form *f)
{
    int n = 0;

    for (int k = 0; k < f->code.n_operands; k++) {
        n += is_register(f->code.kinds[k]) && f->roles[k] != PROBE_RESULT;
    }
    return n;
}

int probe_latency_chains(const struct probe_form *f, struct probe_chain *chains)
{
    int n = 0;

    for (int to = 0; to < f->code.n_operands; to++) {
        for (int from = 0; from < f->code.n_operands; from++) {
            if (links(f, from, to)) {
                chains[n++] = (struct probe_chain){.from = from + 1, .to = to + 1};
            }
        }
    }
    if (n > 0 && count_read(f) > 1) {
        chains[n] = chains[0];
        chains[n++].same_source = true;
    }
    return n;
}

static bool is_move(const struct probe_form *f)
{
    static const char *const moves[] = {"mov ",    "movaps ",  "movapd ",  "movups ",  "movdqa ",
                                        "movdqu ", "vmovaps ", "vmovapd ", "vmovups ", "vmovupd ",
                                        "vmovdqa", "vmovdqu",  "kmov"};
    bool move = false;

    for (size_t k = 0; k < sizeof moves / sizeof *moves; k++) {
        move |= strncmp(f->code.text, moves[k], strlen(moves[k])) == 0;
    }
    return move && !f->code.masked && f->code.n_operands == 2 &&
           f->code.kinds[0] == f->code.kinds[1] && f->code.bits[0] == f->code.bits[1] &&
           f->code.bits[0] >= 32;
}

static void take(const struct probe_form *f, const struct probe_chain *chain, double cycles,
                 struct probe_latencies *out)
{
    if (chain->same_source) {
        out->idiom = cycles < NO_LINK;
        return;
    }
    out->eliminated_move |= is_move(f) && cycles < NO_LINK;
    out->pairs[out->n++] =
        (struct probe_latency){.from = chain->from, .to = chain->to, .cycles = cycles};
}

bool probe_latencies(struct probe *p, const struct probe_form *const *forms, int n,
                     struct probe_latencies *out, struct arena *a, struct err *e)
{
    const size_t most = (size_t)n * (PROBE_LATENCIES_MAX + 1);
    struct probe_block *blocks = arena_new(a, struct probe_block, most);
    struct probe_result *results = arena_new(a, struct probe_result, most);
    int *which = arena_new(a, int, most);
    int m = 0;

    for (int k = 0; k < n; k++) {
        struct probe_chain chains[PROBE_LATENCIES_MAX + 1];
        const int n_chains = probe_latency_chains(forms[k], chains);
        for (int i = 0; i < n_chains; i++) {
            struct probe_item *item = arena_new(a, struct probe_item, 1);
            *item = (struct probe_item){forms[k], 1};
            which[m] = k;
            blocks[m++] = (struct probe_block){.items = item, .n_items = 1, .chain = chains[i]};
        }
        out[k] = (struct probe_latencies){.n = 0};
    }
    if (!probe_measure_stable(p, blocks, m, results, a, e)) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        if (!results[i].failed) {
            take(forms[which[i]], &blocks[i].chain, results[i].cycles, &out[which[i]]);
        }
    }
    return true;
}
