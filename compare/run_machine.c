#include "compare/run_machine.h"

#include "base/items.h"
#include "compare/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static long known(double value)
{
    return isnan(value) ? -1 : (long)value;
}

static void add_identity(const struct run_host *h, struct machine *m, struct arena *a)
{
    const bool x86 = strcmp(m->isa, "x86-64") == 0;
    const bool tells = x86 ? h->vendor && !isnan(h->family) && !isnan(h->model)
                           : !isnan(h->implementer) && !isnan(h->part);
    if (m->n_matches > 0 || !tells) {
        return;
    }
    m->matches = arena_new(a, struct machine_match, 1);
    m->n_matches = 1;
    *m->matches = (struct machine_match){
        .vendor = x86 ? h->vendor : NULL,
        .family = x86 ? known(h->family) : -1,
        .model_first = x86 ? known(h->model) : -1,
        .model_last = x86 ? known(h->model) : -1,
        .implementer = x86 ? -1 : known(h->implementer),
        .part = x86 ? -1 : known(h->part),
    };
}

static void add_caches(const struct run_host *h, const char *source, struct machine *m,
                       struct arena *a)
{
    if (m->n_caches > 0) {
        return;
    }
    m->caches = arena_new(a, struct machine_cache, (size_t)h->n_caches);
    for (int i = 0; i < h->n_caches; i++) {
        const struct run_cache *from = &h->caches[i];
        if (isnan(from->size_bytes)) {
            continue;
        }
        m->caches[m->n_caches++] = (struct machine_cache){
            .name = from->name,
            .size_bytes = from->size_bytes,
            .line_bytes = from->line_bytes,
            .shared_by_cores = fmax(1, from->shared_by_cpus / h->threads_per_core),
            .source = source,
        };
        if (isnan(from->shared_by_cpus) || isnan(h->threads_per_core)) {
            m->caches[m->n_caches - 1].shared_by_cores = (double)NAN;
        }
    }
}

static void add_roofs(const struct run *r, const char *source, struct machine *m, struct arena *a)
{
    const struct merged_cases roofs = measured_merge(r, RUN_ROOF, a);
    if (m->n_roofs > 0) {
        return;
    }
    m->roofs = arena_new(a, struct roof, (size_t)roofs.n);
    for (m->n_roofs = 0; m->n_roofs < roofs.n; m->n_roofs++) {
        const struct run_case *from = roofs.cases[m->n_roofs];
        const struct measured *measured = &roofs.measured[m->n_roofs];
        m->roofs[m->n_roofs] = (struct roof){
            .name = from->name,
            .isa = from->isa,
            .level = from->level,
            .unit = from->unit,
            .threads = from->threads,
            .rate = measured->rate,
            .cv = measured->cv,
            .n = measured->n,
            .other = measured->other,
            .disturbed = measured->disturbed,
            .source = source,
        };
    }
}

static double best_rate(const struct merged_cases *chains, const struct run_case *like)
{
    double best = 0;
    for (int i = 0; i < chains->n; i++) {
        const struct run_case *c = chains->cases[i];
        if (strcmp(c->isa, like->isa) == 0 && c->threads == 1) {
            best = fmax(best, chains->measured[i].rate);
        }
    }
    return best;
}

static int by_isa_and_chains(const void *x, const void *y)
{
    const struct machine_chain_point *a = x, *b = y;
    const int isa = strcmp(a->isa, b->isa);
    return isa ? isa : a->chains - b->chains;
}

static void add_chains(const struct run *r, const char *source, struct machine *m, struct arena *a)
{
    const struct merged_cases chains = measured_merge(r, RUN_CHAIN, a);
    if (m->n_chain_curve > 0) {
        return;
    }
    m->chain_curve = arena_new(a, struct machine_chain_point, (size_t)chains.n);
    for (int i = 0; i < chains.n; i++) {
        const struct run_case *c = chains.cases[i];
        if (c->threads == 1) {
            /* Thousandths are more than two runs agree in. */
            const double fraction = chains.measured[i].rate / best_rate(&chains, c);
            m->chain_curve[m->n_chain_curve++] =
                (struct machine_chain_point){c->isa, c->chains, rint(fraction * 1e3) / 1e3, source};
        }
    }
    items_sort(m->chain_curve, (size_t)m->n_chain_curve, sizeof *m->chain_curve, by_isa_and_chains);
}

void run_describe_machine(const struct run *r, const char *source, struct machine *m,
                          struct arena *a)
{
    add_identity(&r->host, m, a);
    add_caches(&r->host, source, m, a);
    if (!m->clock_source && !isnan(r->host.clock_hz)) {
        m->clock_one_core_hz = rint(r->host.clock_hz / 1e6) * 1e6;
        m->clock_source = source;
    }
    add_roofs(r, source, m, a);
    add_chains(r, source, m, a);
}
