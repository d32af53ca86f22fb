#include "model/resources.h"

#include "model/lp.h"
#include "model/ports.h"
#include "model/unions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct resource_bound resources_bound(const struct resource_map *m, const double *counts)
{
    double cycles[RESOURCES_MAX];
    const int n = m->n_resources;
    struct resource_bound bound = {.binds = -1};

    assert(n <= RESOURCES_MAX);
    memset(cycles, 0, (size_t)n * sizeof *cycles);
    for (int i = 0; i < m->n_forms; i++) {
        const double count = counts[i];
        const double *rho = m->rho + (size_t)i * (size_t)n;
        for (int r = 0; r < n && count != 0; r++) {
            cycles[r] += count * rho[r];
        }
    }
    for (int r = 0; r < n; r++) {
        if (cycles[r] > bound.cycles) {
            bound = (struct resource_bound){cycles[r], r};
        }
    }
    return bound;
}

void resources_drop(struct resource_map *m, int dropped)
{
    const int n = m->n_resources;
    double *to = m->rho;
    for (int i = 0; i < m->n_forms; i++) {
        for (int r = 0; r < n; r++) {
            if (r != dropped) {
                *to++ = m->rho[i * n + r];
            }
        }
    }
    m->n_resources--;
}

/* --- from ports --- */

/* Every form is checked as a block of its own, which also says which form is wrong. */
static bool check_forms(const struct port_mapping *from, struct err *e)
{
    for (int i = 0; i < from->n_forms; i++) {
        const struct ports_problem alone = {.classes = from->forms[i].classes,
                                            .n_classes = from->forms[i].n_classes,
                                            .n_ports = from->n_ports,
                                            .slots = from->forms[i].slots,
                                            .dispatch_width = from->dispatch_width};
        struct err why = {0};
        if (!ports_check(&alone, &why)) {
            return err_set(e, why.code, why.loc, "form %d: %s", i, why.text);
        }
    }
    return true;
}

/* All connected unions of the port sets that occur; false if there are too many. */
static bool find_unions(const struct port_mapping *from, struct arena *a, struct unions *u)
{
    const uint32_t n_table = 2 * RESOURCES_MAX;
    bool room = true;

    *u = (struct unions){.n_max = RESOURCES_MAX - 1, /* one is left for the front end */
                         .set = arena_new(a, uint32_t, RESOURCES_MAX),
                         .table = arena_new(a, uint16_t, n_table),
                         .table_mask = n_table - 1};
    for (int i = 0; i < from->n_forms; i++) {
        for (int c = 0; c < from->forms[i].n_classes && room; c++) {
            const struct uop_class class = from->forms[i].classes[c];
            room = class.count == 0 || unions_add(u, class.ports);
        }
    }
    return room && unions_close(u);
}

static double confined(const struct form_uops *f, uint32_t set)
{
    double mass = 0;
    for (int c = 0; c < f->n_classes; c++) {
        if ((f->classes[c].ports & ~set) == 0) {
            mass += f->classes[c].count;
        }
    }
    return mass;
}

/* Every union as a resource, and the front end, as the set 0, last. */
static struct resource_map all_resources(const struct port_mapping *from, const struct unions *u,
                                         struct arena *a)
{
    const bool front_end = !isnan(from->dispatch_width);
    const int n = u->n + (front_end ? 1 : 0);
    struct resource_map m = {.n_forms = from->n_forms, .n_resources = n, .port_sets = u->set};

    m.rho = arena_new(a, double, (size_t)from->n_forms *(size_t)n);
    for (int i = 0; i < from->n_forms; i++) {
        double *rho = m.rho + (size_t)i * (size_t)n;
        for (int r = 0; r < u->n; r++) {
            rho[r] = confined(&from->forms[i], u->set[r]) / __builtin_popcount(u->set[r]);
        }
        if (front_end) {
            rho[u->n] = from->forms[i].slots / from->dispatch_width;
        }
    }
    if (front_end) {
        u->set[u->n] = 0;
    }
    return m;
}

/* --- dropping what never is the only maximum --- */

static double weight(const struct resource_map *m, int form, int resource)
{
    return m->rho[(size_t)form * (size_t)m->n_resources + (size_t)resource];
}

static bool covers(const struct resource_map *m, int s, int r)
{
    for (int i = 0; i < m->n_forms; i++) {
        if (weight(m, i, s) < weight(m, i, r)) {
            return false;
        }
    }
    return true;
}

static void drop_covered(const struct resource_map *m, bool *alive)
{
    for (int r = m->n_resources - 1; r >= 0; r--) {
        for (int s = 0; s < m->n_resources && alive[r]; s++) {
            alive[r] = s == r || !alive[s] || !covers(m, s, r);
        }
    }
}

/* Marks the forms whose weights no form before them has: the others say nothing new. */
static void mark_distinct(const struct resource_map *m, bool *distinct)
{
    const size_t row = (size_t)m->n_resources;
    for (int i = 0; i < m->n_forms; i++) {
        distinct[i] = true;
        for (int j = 0; j < i && distinct[i]; j++) {
            distinct[i] = !distinct[j] || memcmp(m->rho + (size_t)i * row, m->rho + (size_t)j * row,
                                                 row * sizeof *m->rho) != 0;
        }
    }
}

/* Is r below some weighted mean of the others everywhere?  By Farkas' lemma that is what being
 * never the only maximum means.  minimise sum of w[s] where sum of w[s] rho[s] >= rho[r]: at most
 * 1. An answer that cannot be had keeps the resource. */
static bool below_a_mean(const struct resource_map *m, const bool *alive, const bool *distinct,
                         int r)
{
    struct lp *lp = lp_create(m->n_forms, m->n_resources);
    for (int s = 0; s < m->n_resources; s++) {
        lp_objective(lp, s, 1);
        lp_column_bounds(lp, s, 0, alive[s] && s != r ? HUGE_VAL : 0);
    }
    for (int i = 0; i < m->n_forms; i++) {
        if (distinct[i]) {
            lp_row_bounds(lp, i, weight(m, i, r), HUGE_VAL);
            for (int s = 0; s < m->n_resources; s++) {
                lp_coefficient(lp, i, s, alive[s] && s != r ? weight(m, i, s) : 0);
            }
        }
    }
    struct lp_solution solution;
    struct err ignored = {0};
    const bool below = lp_solve(lp, &solution, &ignored) && solution.objective <= 1 + 1e-12;
    lp_release(lp);
    return below;
}

/* Some form that uses r uses no other resource: r is needed, and below_a_mean has no solution. */
static bool is_sole(const struct resource_map *m, const bool *alive, int r)
{
    for (int i = 0; i < m->n_forms; i++) {
        bool sole = weight(m, i, r) > 0;
        for (int s = 0; s < m->n_resources && sole; s++) {
            sole = s == r || !alive[s] || weight(m, i, s) == 0;
        }
        if (sole) {
            return true;
        }
    }
    return false;
}

static struct resource_map compact(const struct resource_map *m, const bool *alive, struct arena *a)
{
    struct resource_map out = {.n_forms = m->n_forms};
    for (int r = 0; r < m->n_resources; r++) {
        out.n_resources += alive[r];
    }
    out.rho = arena_new(a, double, (size_t)out.n_forms *(size_t)out.n_resources);
    out.port_sets = arena_new(a, uint32_t, (size_t)out.n_resources);
    int to = 0;
    for (int r = 0; r < m->n_resources; r++) {
        if (alive[r]) {
            for (int i = 0; i < m->n_forms; i++) {
                out.rho[(size_t)i * (size_t)out.n_resources + (size_t)to] = weight(m, i, r);
            }
            out.port_sets[to++] = m->port_sets[r];
        }
    }
    return out;
}

static struct resource_map drop_dominated(const struct resource_map *m, struct arena *a)
{
    bool *alive = arena_new(a, bool, (size_t)m->n_resources);
    bool *distinct = arena_new(a, bool, (size_t)m->n_forms);

    memset(alive, true, (size_t)m->n_resources);
    drop_covered(m, alive);
    const struct resource_map rest = compact(m, alive, a);
    if (rest.n_resources > RESOURCES_EXACT_MAX) {
        return rest;
    }
    memset(alive, true, (size_t)rest.n_resources);
    mark_distinct(&rest, distinct);
    for (int r = rest.n_resources - 1; r >= 0; r--) {
        alive[r] = is_sole(&rest, alive, r) || !below_a_mean(&rest, alive, distinct, r);
    }
    return compact(&rest, alive, a);
}

bool resources_from_ports(const struct port_mapping *from, struct arena *a,
                          struct resource_map *out, struct err *e)
{
    struct unions u;

    if (!check_forms(from, e)) {
        return false;
    }
    if (!find_unions(from, a, &u)) {
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "the port sets of %d forms have more than %d connected unions",
                       from->n_forms, RESOURCES_MAX);
    }
    const struct resource_map all = all_resources(from, &u, a);
    *out = drop_dominated(&all, a);
    return true;
}
