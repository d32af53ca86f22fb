#include "model/oracle.h"

#include "model/ceiling.h"

#include <math.h>
#include <string.h>

#define NOISE_MAX 0.5

bool oracle_open(const struct machine *m, double noise, uint64_t seed, struct arena *a,
                 struct oracle *out, struct err *e)
{
    if (!(noise >= 0 && noise <= NOISE_MAX)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "noise lies in 0 to %g", NOISE_MAX);
    }
    struct cost_table *t = cost_compile(m, cost_view_of(m), a, e);
    if (!t) {
        return false;
    }
    *out = (struct oracle){.cost = cost_new(t), .random = {seed}, .noise = noise};
    return true;
}

bool oracle_tell(struct oracle *o, struct block *b, struct err *e)
{
    struct ceiling_bound bound;
    cost_clear(&o->cost);
    cost_add_block(&o->cost, b->forms, b->n_forms);
    if (o->cost.n_unknown > 0) {
        struct text names = {.arena = cost_arena(o->cost.table)};
        cost_name_unknown(&o->cost, &names);
        return err_set(e, ERR_MODEL, b->loc, "the machine does not know %s", names.data);
    }
    if (!ceiling_of_cost(&o->cost, &bound, e)) {
        return false;
    }
    b->cycles = bound.cycles;
    return true;
}

bool oracle_measure(struct oracle *o, struct block *b, struct err *e)
{
    if (!oracle_tell(o, b, e)) {
        return false;
    }
    /* No measurement is negative, however unlucky. */
    b->cycles *= fmax(0.01, 1 + o->noise * random_normal(&o->random));
    return true;
}

/* Control flow and what stands for conditions have no place in a block. */
static bool in_blocks(const char *pattern)
{
    static const char *const excluded[] = {"jcc", "setcc", "cmovcc", "b.cc", "rel"};
    for (const char *at = pattern; *at; at += strspn(at, " ,{")) {
        const size_t len = strcspn(at, " ,{");
        for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
            if (strlen(excluded[i]) == len && memcmp(at, excluded[i], len) == 0) {
                return false;
            }
        }
        at += len;
    }
    return true;
}

static bool takes_time(struct oracle *o, const char *form, double cycles_max)
{
    struct form_count one = {form, 1};
    struct block b = {.forms = &one, .n_forms = 1};
    struct err ignored = {0};
    return oracle_tell(o, &b, &ignored) && b.cycles > 0 && b.cycles <= cycles_max;
}

int oracle_forms(struct oracle *o, double cycles_max, const char **forms, int n_max,
                 struct arena *a)
{
    const struct machine *m = cost_machine(o->cost.table);
    int *order = arena_new(a, int, (size_t)m->n_forms);
    int n = 0;
    for (int i = 0; i < m->n_forms; i++) {
        const int j = random_below(&o->random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < m->n_forms && n < n_max; i++) {
        char form[FORM_SIZE];
        const char *pattern = m->forms[order[i]].form;
        const int width = random_below(&o->random, FORM_WIDTHS);
        if (in_blocks(pattern) && form_instance(pattern, width, form) &&
            takes_time(o, form, cycles_max)) {
            forms[n++] = arena_format(a, "%s", form);
        }
    }
    return n;
}

struct block oracle_mix(struct oracle *o, const char *const *forms, int n_forms, int size,
                        struct arena *a)
{
    struct block b = {
        .forms = arena_new(a, struct form_count, (size_t)size), .cycles = (double)NAN, .weight = 1};
    for (int k = 0; k < size; k++) {
        const char *form = forms[random_below(&o->random, n_forms)];
        int at = 0;
        while (at < b.n_forms && b.forms[at].form != form) {
            at++;
        }
        b.forms[at].form = form;
        b.forms[at].count += 1;
        b.n_forms += at == b.n_forms;
    }
    return b;
}
