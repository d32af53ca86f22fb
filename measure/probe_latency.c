#include "measure/probe_latency.h"

#include "code/form.h"
#include "measure/probe_chain.h"

#include <math.h>
#include <string.h>

/* A chain link takes a cycle at least; what takes less is none.  Some cores eliminate a part of
 * moves only. */
#define NO_LINK 0.75
#define NOWHERE 1.2 /* times a nop: what executes nowhere takes no more */

/* --- the partners
 * ---------------------------------------------------------------------------------
 */

/* A partner's own chain; or, where one leads back, the chain of both, which are told apart
 * below. */
static const struct anchor {
    const char *form;
    enum probe_place from, to;
    const char *back; /* NULL: none */
} anchors[] = {
    {"movsxd r64, r32", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"xor r64, r64", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"and r64, r64", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"or r64, r64", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"knotw k, k", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"movshdup xmm, xmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"maxps xmm, xmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"maxpd xmm, xmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmovshdup ymm, ymm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmaxps ymm, ymm, ymm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmaxpd ymm, ymm, ymm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmovshdup zmm, zmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmaxps zmm, zmm, zmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"vmaxpd zmm, zmm, zmm", PLACE_OPERAND, PLACE_OPERAND, NULL},
    {"cmp r64, r64", PLACE_OPERAND, PLACE_STATUS, "cmovz r64, r64"},
    {"cmovb r64, r64", PLACE_CARRY, PLACE_OPERAND, "cmp r64, r64"}, /* which is known by now */
    {"movq r64, xmm", PLACE_OPERAND, PLACE_OPERAND, "movq xmm, r64"},
    {"vmovq r64, xmm", PLACE_OPERAND, PLACE_OPERAND, "vmovq xmm, r64"},
    {"kmovw r32, k", PLACE_OPERAND, PLACE_OPERAND, "kmovw k, r32"},
    {"mov m8, r8", PLACE_OPERAND, PLACE_VALUE, "movzx r32, m8"},
    {"mov m16, r16", PLACE_OPERAND, PLACE_VALUE, "movzx r32, m16"},
    {"mov m32, r32", PLACE_OPERAND, PLACE_VALUE, "mov r32, m32"},
    {"mov m64, r64", PLACE_OPERAND, PLACE_VALUE, "mov r64, m64"},
};
#define ANCHORS ((int)(sizeof anchors / sizeof *anchors))

static int aid_number(const char *form)
{
    int k = 0;

    while (k < probe_aids_n && strcmp(probe_aids[k], form) != 0) {
        k++;
    }
    return k;
}

/* The last such path: it comes from a source that is not updated, where there is one. */
static bool find_path(const struct probe_form *f, const struct anchor *anchor,
                      struct probe_path *out)
{
    struct probe_path paths[PROBE_PATHS_MAX];
    const int n = probe_paths(f, paths);
    bool found = false;

    for (int k = 0; k < n; k++) {
        if (paths[k].from.place == anchor->from && paths[k].to.place == anchor->to &&
            !paths[k].same_source) {
            *out = paths[k];
            found = true;
        }
    }
    return found;
}

/* One of two that go there and back in `sum`, each in a cycle at least. */
static struct probe_cost share(double sum)
{
    const double least = fmin(1, sum / 2);
    return (struct probe_cost){sum / 2, least, sum - least};
}

static bool is_reload(const char *aid)
{
    return form_operand_is_memory(aid + strcspn(aid, ",") + 2);
}

static void take_anchor(const struct anchor *anchor, double sum, struct probe_cost *costs)
{
    const int one = aid_number(anchor->form);

    if (!anchor->back) {
        costs[one] = (struct probe_cost){sum, sum, sum};
        return;
    }
    const int back = aid_number(anchor->back);
    const struct probe_cost known = costs[back];
    if (is_reload(anchor->back)) { /* from the store's data on */
        costs[back] = (struct probe_cost){sum, sum, sum};
    } else if (isnan(known.cycles)) {
        costs[one] = costs[back] = share(sum);
    } else {
        costs[one] = (struct probe_cost){sum - known.cycles, sum - known.most, sum - known.least};
    }
}

static bool measure_partners(struct probe *p, struct probe_cost *costs, struct arena *a,
                             struct err *e)
{
    struct probe_form *forms = arena_new(a, struct probe_form, ANCHORS);
    struct probe_block blocks[ANCHORS];
    struct probe_result results[ANCHORS];
    struct probe_path paths[ANCHORS];
    struct probe_item items[ANCHORS];
    struct decoder *d = decoder_open(ARCH_X86_64, e);
    int which[ANCHORS], n = 0;

    for (int k = 0; k < probe_aids_n; k++) {
        costs[k] = (struct probe_cost){NAN, NAN, NAN};
    }
    for (int k = 0; d && k < ANCHORS; k++) {
        struct err why = {0};
        if (probe_form_read(anchors[k].form, d, &forms[k], &why) && !forms[k].refused &&
            find_path(&forms[k], &anchors[k], &paths[n])) {
            items[n] = (struct probe_item){&forms[k], 1};
            blocks[n] = (struct probe_block){.items = &items[n], .n_items = 1, .path = &paths[n]};
            which[n++] = k;
        }
    }
    decoder_close(d);
    if (!d || !probe_measure_patiently(p, blocks, n, results, a, e)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        take_anchor(&anchors[which[k]], results[k].cycles, costs);
    }
    return true;
}

/* --- the forms
 * ------------------------------------------------------------------------------------
 */

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

static struct probe_cost cost_of_partners(const struct probe_form *f, const struct probe_path *path,
                                          const struct probe_cost *costs)
{
    /* What comes back from memory is part of the path of a store; what changes memory ends
     * before. */
    const bool stores =
        path->to.place == PLACE_VALUE && f->roles[path->to.operand - 1] == PROBE_RESULT;
    const char *partners[PROBE_PARTNERS_MAX];
    const int n = probe_chain_partners(f, path, partners);
    struct probe_cost sum = {0, 0, 0};

    for (int k = 0; k < n; k++) {
        const struct probe_cost *c = &costs[aid_number(partners[k])];
        if (!stores || !is_reload(partners[k])) {
            sum.cycles += c->cycles;
            sum.least += c->least;
            sum.most += c->most;
        }
    }
    return sum;
}

static bool is_same_path(const struct probe_latency *l, const struct probe_path *p)
{
    const struct probe_path other = {.from = l->from, .to = p->from};
    const struct probe_path another = {.from = l->to, .to = p->to};
    return probe_path_returns(&other) && probe_path_returns(&another);
}

static struct probe_latency *pair_of(struct probe_latencies *l, const struct probe_path *p)
{
    for (int k = 0; k < l->n; k++) {
        if (is_same_path(&l->pairs[k], p)) {
            return &l->pairs[k];
        }
    }
    l->pairs[l->n] = (struct probe_latency){.from = p->from,
                                            .to = p->to,
                                            .cycles = NAN,
                                            .fast_cycles = NAN,
                                            .same_cycles = NAN,
                                            .direct_cycles = NAN};
    return &l->pairs[l->n++];
}

static void take_one(const struct probe_form *f, const struct probe_path *p,
                     const struct probe_result *r, const struct probe_yardstick *y,
                     struct probe_latencies *out)
{
    const struct probe_cost partners = cost_of_partners(f, p, y->costs);
    const double cycles = r->cycles - partners.cycles;

    /* A partner that cannot be measured; or the way back takes all of the time, and nothing
     * waits. */
    if (isnan(cycles) || (partners.cycles > 0 && r->cycles - partners.least < NO_LINK)) {
        return;
    }
    struct probe_latency *pair = pair_of(out, p);
    if (p->same_source) {
        out->independent = cycles < NO_LINK;
        out->idiom = cycles < NOWHERE * y->nop_cycles;
        pair->same_cycles = cycles;
    } else if (p->values == PROBE_SHORT) {
        pair->fast_cycles = cycles;
    } else if (p->to.place == PLACE_VALUE && !p->indexed) {
        pair->direct_cycles = cycles;
    } else {
        out->eliminated_move |= is_move(f) && cycles < NO_LINK;
        pair->cycles = cycles;
        pair->least = r->cycles - partners.most;
        pair->most = r->cycles - partners.least;
        pair->spread = r->spread;
        pair->n = r->n;
    }
}

void probe_latencies_take(const struct probe_form *f, const struct probe_path *paths,
                          const struct probe_result *results, int n,
                          const struct probe_yardstick *y, struct probe_latencies *out)
{
    int kept = 0;

    *out = (struct probe_latencies){.n = 0};
    for (int k = 0; k < n; k++) {
        if (results[k].failed) {
            out->failed = out->failed ? out->failed : results[k].failed;
        } else {
            take_one(f, &paths[k], &results[k], y, out);
        }
    }
    for (int k = 0; k < out->n; k++) { /* what is only known for a special case is not known */
        struct probe_latency *l = &out->pairs[k];
        if (isnan(l->cycles)) {
            continue;
        }
        if (l->fast_cycles > l->cycles) { /* which values are the slow ones is not for us to know */
            const double fast = l->cycles, slower = l->fast_cycles - fast;
            l->cycles = l->fast_cycles;
            l->fast_cycles = fast;
            l->least += slower;
            l->most += slower;
        }
        out->pairs[kept++] = *l;
    }
    out->n = kept;
}

/* What takes a slot and nothing else; NaN where it could not be measured. */
static bool measure_nop(struct probe *p, double *cycles, struct arena *a, struct err *e)
{
    struct probe_form nop;
    struct probe_item item = {&nop, 1};
    const struct probe_block block = {.items = &item, .n_items = 1};
    struct probe_result result;
    struct decoder *d = decoder_open(ARCH_X86_64, e);
    const bool good = d && probe_form_read("nop", d, &nop, e) &&
                      probe_measure_patiently(p, &block, 1, &result, a, e);

    decoder_close(d);
    *cycles = good ? result.cycles : (double)NAN;
    return good;
}

/* Those that something leads back from. */
static int find_paths(const struct probe_form *f, struct probe_path paths[PROBE_PATHS_MAX])
{
    const char *partners[PROBE_PARTNERS_MAX];
    const int n = probe_paths(f, paths);
    int kept = 0;

    for (int k = 0; k < n; k++) {
        if (probe_chain_partners(f, &paths[k], partners) >= 0) {
            paths[kept++] = paths[k];
        }
    }
    return kept;
}

bool probe_latencies(struct probe *p, const struct probe_form *const *forms, int n,
                     struct probe_latencies *out, struct arena *a, struct err *e)
{
    struct probe_yardstick y = {.costs = arena_new(a, struct probe_cost, (size_t)probe_aids_n)};
    struct probe_path(*paths)[PROBE_PATHS_MAX] =
        arena_alloc(a, (size_t)n, sizeof(struct probe_path[PROBE_PATHS_MAX]));
    int *n_paths = arena_new(a, int, (size_t)n);
    struct probe_item *items = arena_new(a, struct probe_item, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        n_paths[k] = find_paths(forms[k], paths[k]);
        items[k] = (struct probe_item){forms[k], 1};
        m += n_paths[k];
    }
    struct probe_block *blocks = arena_new(a, struct probe_block, (size_t)m + 1);
    struct probe_result *results = arena_new(a, struct probe_result, (size_t)m + 1);
    m = 0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n_paths[k]; i++) {
            blocks[m++] =
                (struct probe_block){.items = &items[k], .n_items = 1, .path = &paths[k][i]};
        }
    }
    if (!measure_nop(p, &y.nop_cycles, a, e) || !measure_partners(p, y.costs, a, e) ||
        !probe_measure_patiently(p, blocks, m, results, a, e)) {
        return false;
    }
    m = 0;
    for (int k = 0; k < n; k++) {
        probe_latencies_take(forms[k], paths[k], results + m, n_paths[k], &y, &out[k]);
        m += n_paths[k];
    }
    return true;
}
