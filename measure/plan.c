#include "measure/plan.h"

#include "base/random.h"

#include <string.h>

/* What a level has to have for a class of loops to be measured there. */
static const struct {
    bool level[LEVEL_COUNT], quick[LEVEL_COUNT];
    bool one_thread_only, one_round_only;
} classes[PLAN_CLASSES] = {
    [PLAN_COMPUTE] = {.level = {[LEVEL_L1] = true}, .quick = {[LEVEL_L1] = true}},
    [PLAN_CHAIN] = {.level = {[LEVEL_L1] = true},
                    .quick = {[LEVEL_L1] = true},
                    .one_thread_only = true,
                    .one_round_only = true},
    [PLAN_MEMORY] = {.level = {true, true, true, true},
                     .quick = {[LEVEL_L1] = true, [LEVEL_DRAM] = true}},
    [PLAN_MIX] = {.level = {[LEVEL_L3] = true, [LEVEL_DRAM] = true}},
    [PLAN_KERNEL] = {.level = {true, true, true, true},
                     .quick = {[LEVEL_L1] = true, [LEVEL_DRAM] = true}},
};

static bool is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum plan_class plan_classify(const struct loop *l)
{
    static const char *const memory_roofs[] = {"read",   "copy",    "triad",  "fill",
                                               "update", "fill_nt", "copy_nt"};
    if (l->chains) {
        return PLAN_CHAIN;
    }
    if (l->in_registers) {
        return PLAN_COMPUTE;
    }
    if (l->unit == UNIT_FLOPS) {
        return PLAN_KERNEL;
    }
    return is_among(l->name, memory_roofs, sizeof memory_roofs / sizeof *memory_roofs) ? PLAN_MEMORY
                                                                                       : PLAN_MIX;
}

void plan_shuffle(int *order, int n, uint64_t seed)
{
    struct random r = {seed};
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    for (int i = n - 1; i > 0; i--) { /* Fisher and Yates */
        const int j = random_below(&r, i + 1);
        const int other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

static bool is_wanted(const struct plan_request *r, const struct loop *l, bool kernels)
{
    return l->isa == r->isa && (plan_classify(l) == PLAN_KERNEL) == kernels &&
           (r->n_names == 0 || is_among(l->name, r->names, (size_t)r->n_names));
}

/* Adds every level and thread count of one loop that this round has. */
static int add_loop(const struct plan_request *r, const struct loop *l, int round,
                    struct plan_item *items)
{
    const enum plan_class class = plan_classify(l);
    const bool *levels = r->quick ? classes[class].quick : classes[class].level;
    int n = 0;
    for (int k = 0; k < 2 && r->threads[k]; k++) {
        for (int level = 0; level < LEVEL_COUNT; level++) {
            const bool once = classes[class].one_round_only || (r->quick && level == LEVEL_DRAM);
            const int rounds = once ? 1 : 2;
            if (levels[level] && r->level_there[k][level] && round <= rounds &&
                !(k > 0 && classes[class].one_thread_only)) {
                items[n++] =
                    (struct plan_item){l, class, (enum level)level, r->threads[k], round, rounds};
            }
        }
    }
    return n;
}

/* One list: every loop on two thread counts at every level, and never an empty array. */
static size_t stage_max(const struct plan_request *r)
{
    return (size_t)r->n_loops * 2 * LEVEL_COUNT + 1;
}

/* One list, shuffled. */
static int add_stage(const struct plan_request *r, bool kernels, int round, uint64_t seed,
                     struct arena *a, struct plan_item *out)
{
    struct plan_item *sorted = arena_new(a, struct plan_item, stage_max(r));
    int *order = arena_new(a, int, stage_max(r));
    int n = 0;
    for (int i = 0; i < r->n_loops; i++) {
        if (is_wanted(r, &r->loops[i], kernels)) {
            n += add_loop(r, &r->loops[i], round, sorted + n);
        }
    }
    plan_shuffle(order, n, seed);
    for (int i = 0; i < n; i++) {
        out[i] = sorted[order[i]];
    }
    return n;
}

void plan_make(const struct plan_request *r, struct arena *a, struct plan *out)
{
    out->items = arena_new(a, struct plan_item, 4 * stage_max(r));
    out->n = 0;
    out->n += add_stage(r, false, 1, 1, a, out->items + out->n);
    out->n += add_stage(r, true, 1, 2, a, out->items + out->n);
    out->n += add_stage(r, true, 2, 3, a, out->items + out->n);
    out->n += add_stage(r, false, 2, 4, a, out->items + out->n);
}
