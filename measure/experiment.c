#include "measure/experiment.h"

#include "base/items.h"
#include "base/text.h"
#include "code/form.h"
#include "formats/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of 100 forms: integer code is in every block, vectors of one width only among themselves. */
static const double shares[PROBE_KINDS] = {
    [PROBE_ANY] = 0.35, [PROBE_SSE] = 0.2, [PROBE_AVX] = 0.3, [PROBE_AVX512] = 0.15};

static int count_kind(const struct probe_form *forms, int n_forms, enum probe_kind kind)
{
    int n = 0;

    for (int i = 0; i < n_forms; i++) {
        n += !forms[i].refused && forms[i].kind == kind;
    }
    return n;
}

/* How many of each kind: by the shares, and where a kind has too few, more of the others. */
static void divide(const int available[PROBE_KINDS], int wanted, int quota[PROBE_KINDS])
{
    int left = wanted;

    for (int k = 0; k < PROBE_KINDS; k++) {
        const int share = (int)(shares[k] * wanted);
        quota[k] = share < available[k] ? share : available[k];
        left -= quota[k];
    }
    for (int k = 0; left > 0 && k < PROBE_KINDS; k++) {
        const int more = available[k] - quota[k] < left ? available[k] - quota[k] : left;
        quota[k] += more;
        left -= more;
    }
}

/* Of forms first.. on, in taken. */
static void choose_shares(const struct probe_form *forms, int first, int n_forms, int wanted,
                          bool *taken)
{
    int available[PROBE_KINDS], quota[PROBE_KINDS], seen[PROBE_KINDS] = {0};

    for (int k = 0; k < PROBE_KINDS; k++) {
        available[k] = count_kind(forms + first, n_forms - first, (enum probe_kind)k);
    }
    divide(available, wanted, quota);
    for (int i = first; i < n_forms; i++) {
        const int k = (int)forms[i].kind;
        if (forms[i].refused) {
            continue;
        }
        /* The j-th of a kind is taken where j * quota / available steps. */
        const int j = seen[k]++;
        taken[i] = (long)(j + 1) * quota[k] / available[k] > (long)j * quota[k] / available[k];
    }
}

static void add_companions(const struct probe_form *forms, int n_forms, bool *taken)
{
    for (int i = 0; i < n_forms; i++) {
        for (int k = 0; taken[i] && k < forms[i].n_companions; k++) {
            taken[forms[i].companions[k].form - forms] = true; /* which have none themselves */
        }
    }
}

int experiment_choose(const struct probe_form *forms, int n_forms, int n_first, int wanted,
                      int *chosen, struct arena *a)
{
    bool *taken = arena_new(a, bool, (size_t)n_forms);
    int n = 0;

    for (int i = 0; i < n_first && n < wanted; i++) {
        taken[i] = !forms[i].refused;
        n += taken[i];
    }
    choose_shares(forms, n_first, n_forms, wanted - n, taken);
    add_companions(forms, n_forms, taken);
    n = 0;
    for (int i = 0; i < n_forms; i++) {
        if (taken[i]) {
            chosen[n++] = i;
        }
    }
    return n;
}

struct experiment_counts experiment_round(double a, double b, int most)
{
    struct experiment_counts best = {1, 1};
    double best_error = INFINITY;

    for (int total = 2; total <= most; total++) {
        const double exact = total * a / (a + b);
        int x = (int)lround(exact);
        x = x < 1 ? 1 : x > total - 1 ? total - 1 : x;
        const double error = fabs(log((double)x / (total - x) / (a / b)));
        if (error < best_error) {
            best = (struct experiment_counts){x, total - x};
            best_error = error;
        }
        if (error <= log1p(EXPERIMENT_ROUNDING)) {
            break;
        }
    }
    return best;
}

bool experiment_mixes(const struct probe_form *a, const struct probe_form *b)
{
    return a->kind == PROBE_ANY || b->kind == PROBE_ANY || a->kind == b->kind;
}

static int add_form(struct probe_item *items, int n_items, const struct probe_form *f, int count)
{
    int k = 0;

    while (k < n_items && items[k].form != f) {
        k++;
    }
    items[k] = (struct probe_item){f, k < n_items ? items[k].count + count : count};
    return n_items + (k == n_items);
}

int experiment_add(struct probe_item *items, int n_items, const struct probe_form *f, int count)
{
    n_items = add_form(items, n_items, f, count);
    for (int k = 0; k < f->n_companions; k++) {
        n_items = add_form(items, n_items, f->companions[k].form, count);
    }
    return n_items;
}

struct probe_block experiment_alone(const struct probe_form *f, struct arena *arena)
{
    struct probe_block b = {.items = arena_new(arena, struct probe_item, 1 + PROBE_COMPANIONS_MAX)};

    b.n_items = experiment_add(b.items, 0, f, 1);
    return b;
}

struct probe_block experiment_pair(const struct probe_form *a, double a_cycles,
                                   const struct probe_form *b, double b_cycles, struct arena *arena)
{
    const int widest = 1 + (a->n_companions > b->n_companions ? a->n_companions : b->n_companions);
    const struct experiment_counts n =
        experiment_round(1 / a_cycles, 1 / b_cycles, PROBE_BLOCK_MAX / 2 / widest);
    struct probe_block block = {
        .items = arena_new(arena, struct probe_item, (size_t)2 * (1 + PROBE_COMPANIONS_MAX))};

    block.n_items = experiment_add(block.items, 0, a, n.a);
    block.n_items = experiment_add(block.items, block.n_items, b, n.b);
    return block;
}

static enum probe_kind draw_kind(const struct probe_form *const *forms, int n_forms,
                                 struct random *r)
{
    /* The kind of a form drawn at random; for one of no kind, that of another. */
    for (int tries = 0; tries < 1000; tries++) {
        const enum probe_kind kind = forms[random_below(r, n_forms)]->kind;
        if (kind != PROBE_ANY) {
            return kind;
        }
    }
    return PROBE_ANY;
}

#define MIX_TRIES 10000 /* after which companions may make the block larger than wished */

struct probe_block experiment_mix(const struct probe_form *const *forms, int n_forms, int size,
                                  struct random *r, struct arena *a)
{
    const enum probe_kind kind = draw_kind(forms, n_forms, r);
    struct probe_block b = {
        .items = arena_new(a, struct probe_item, (size_t)size + PROBE_COMPANIONS_MAX)};

    for (int n = 0, tries = 0; n < size; tries++) {
        const struct probe_form *f = forms[random_below(r, n_forms)];
        const int more = 1 + f->n_companions;
        if ((f->kind != PROBE_ANY && f->kind != kind) || (n + more > size && tries < MIX_TRIES)) {
            continue;
        }
        b.n_items = experiment_add(b.items, b.n_items, f, 1);
        n += more;
    }
    return b;
}

static int by_name(const void *x, const void *y)
{
    const struct probe_item *a = x, *b = y;
    return strcmp(a->form->code.text, b->form->code.text);
}

const char *experiment_text(const struct probe_block *b, struct arena *a)
{
    struct probe_item *sorted = arena_new(a, struct probe_item, (size_t)b->n_items);
    struct text t = {.arena = a};

    items_copy(sorted, b->items, (size_t)b->n_items, sizeof *sorted);
    items_sort(sorted, (size_t)b->n_items, sizeof *sorted, by_name);
    for (int k = 0; k < b->n_items; k++) {
        text_add(&t, "%s%d %s", k ? "; " : "", sorted[k].count, sorted[k].form->code.text);
    }
    return t.data;
}

static const struct probe_form *find_form(const struct probe_form *forms, int n_forms,
                                          const char *name)
{
    for (int i = 0; i < n_forms; i++) {
        if (strcmp(forms[i].code.text, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

bool experiment_block(const struct block *from, const struct probe_form *forms, int n_forms,
                      struct arena *a, struct probe_block *out, const char **missing)
{
    const int n = from->n_forms;

    *out = (struct probe_block){.items = arena_new(a, struct probe_item, (size_t)n), .n_items = n};
    for (int k = 0; k < n; k++) {
        char name[FORM_SIZE];
        const bool normal = form_normalise(from->forms[k].form, name);
        out->items[k] = (struct probe_item){normal ? find_form(forms, n_forms, name) : NULL,
                                            (int)lround(from->forms[k].count)};
        if (!out->items[k].form) {
            *missing = from->forms[k].form;
            return false;
        }
    }
    return true;
}
