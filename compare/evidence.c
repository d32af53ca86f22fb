#include "compare/evidence.h"

#include "base/items.h"
#include "base/stats.h"
#include "code/nest.h"
#include "compare/order.h"
#include "model/detect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the loops that ran --- */

static bool decode(struct ran_loop *out, const struct run_loop *l, const char *file,
                   struct arena *a, struct err *e)
{
    const enum code_arch arch = same_text(l->isa, "neon") ? ARCH_AARCH64 : ARCH_X86_64;
    uint8_t *code;
    size_t len;
    return code_from_hex(l->code, (struct loc){.file = file}, a, &code, &len, e) &&
           loop_find(code, len, 0, arch, a, &out->code, e) &&
           loop_count(&out->code, out->body.inner_trips, a, &out->counts, e);
}

static void find_chain(const struct evidence *ev, struct ran_loop *l)
{
    struct err e = {0};
    const double trips = l->body.inner_trips > 0 ? l->body.inner_trips : 1;
    l->chain_problem = ev->costs_missing;
    if (ev->costs && !chain_find(&l->code, trips, ev->costs, &l->chain, &e)) {
        l->chain_problem = arena_format(ev->arena, "%s", e.text);
    }
}

static struct ran_loop read_loop(const struct evidence *ev, const struct run_loop *l,
                                 const char *file)
{
    struct ran_loop out = {
        .name = l->name, .isa = l->isa, .problem = "", .differences = "", .chain_problem = ""};
    struct err e = {0};
    out.described = kernels_find(ev->kernels, l->name);
    const struct kernel_body *stated = out.described ? kernel_body(out.described, l->isa) : NULL;
    if (!stated) {
        out.problem = arena_format(ev->arena, "%s describes no body for %s", l->name, l->isa);
        return out;
    }
    out.body = *stated;
    if (l->elements_per_iter > 0) {
        out.body.elements_per_iter = l->elements_per_iter;
    }
    if (!decode(&out, l, file, ev->arena, &e)) {
        out.problem = arena_format(ev->arena, "its code cannot be read: %s", e.text);
        return out;
    }
    struct text differences = {.arena = ev->arena};
    if (loop_compare(stated, out.described->flops_per_element, &out.counts, &differences)) {
        out.differences = differences.data;
    }
    find_chain(ev, &out);
    return out;
}

static struct ran_loop stated_loop(const struct evidence *ev, const struct kernel *k,
                                   const struct kernel_body *b)
{
    struct ran_loop out = {.name = k->name,
                           .isa = b->isa,
                           .described = k,
                           .stated = true,
                           .body = *b,
                           .problem = "",
                           .differences = "",
                           .chain_problem = ""};
    struct nest_loop nest;
    struct err e = {0};
    if (!nest_of_body(b, ev->arena, &nest, &e) ||
        !loop_count(&nest.loop, 1, ev->arena, &out.counts, &e)) {
        out.problem = arena_format(ev->arena, "its code cannot be read: %s", e.text);
        return out;
    }
    out.code = nest.loop;
    find_chain(ev, &out);
    return out;
}

/* What ran, and of what did not the code that the description carries. */
static void read_loops(struct evidence *ev, const struct run *run)
{
    const struct kernels *k = ev->kernels;
    size_t most = (size_t)run->n_loops + 1;
    for (int i = 0; i < k->n_kernels; i++) {
        most += (size_t)k->kernels[i].n_bodies;
    }
    ev->loops = arena_new(ev->arena, struct ran_loop, most);
    for (int i = 0; i < run->n_loops; i++) {
        ev->loops[ev->n_loops++] = read_loop(ev, &run->loops[i], run->file);
    }
    for (int i = 0; i < k->n_kernels; i++) {
        for (int b = 0; b < k->kernels[i].n_bodies; b++) {
            const struct kernel_body *body = &k->kernels[i].bodies[b];
            if (body->code && !evidence_loop(ev, k->kernels[i].name, body->isa)) {
                ev->loops[ev->n_loops++] = stated_loop(ev, &k->kernels[i], body);
            }
        }
    }
}

const struct ran_loop *evidence_loop(const struct evidence *ev, const char *name, const char *isa)
{
    for (int i = 0; i < ev->n_loops; i++) {
        if (same_text(ev->loops[i].name, name) && same_text(ev->loops[i].isa, isa)) {
            return &ev->loops[i];
        }
    }
    return NULL;
}

/* --- the chain curve --- */

static int chain_order(const void *left, const void *right)
{
    const struct chain_point *a = left, *b = right;
    const int isa = strcmp(a->isa, b->isa);
    return isa ? isa : a->threads != b->threads ? a->threads - b->threads : a->chains - b->chains;
}

static double best_rate(const struct evidence *ev, const struct chain_point *like)
{
    double best = 0;
    for (int k = 0; k < ev->n_chains; k++) {
        if (same_text(ev->chains[k].isa, like->isa) && ev->chains[k].threads == like->threads) {
            best = fmax(best, ev->chains[k].measured.rate);
        }
    }
    return best;
}

static void read_chains(struct evidence *ev, const struct run *run)
{
    const struct merged_cases m = measured_merge(run, RUN_CHAIN, ev->arena);
    ev->chains = arena_new(ev->arena, struct chain_point, (size_t)m.n + 1);
    ev->n_chains = m.n;
    for (int i = 0; i < m.n; i++) {
        ev->chains[i] = (struct chain_point){.isa = m.cases[i]->isa,
                                             .threads = m.cases[i]->threads,
                                             .chains = m.cases[i]->chains,
                                             .measured = m.measured[i]};
    }
    items_sort(ev->chains, (size_t)ev->n_chains, sizeof *ev->chains, chain_order);
    for (int i = 0; i < ev->n_chains; i++) {
        ev->chains[i].fraction = ev->chains[i].measured.rate / best_rate(ev, &ev->chains[i]);
    }
}

/* --- clocks --- */

/* The clock at which the fma_f32 roof is what the machine file says of its loop. */
static void clock_under_fma(const struct evidence *ev, struct core_clock *c)
{
    const struct kernel *k = kernels_find(ev->kernels, "fma_f32");
    const struct roof *r = roof_find(ev->roofs, ev->n_roofs, "fma_f32", c->isa, "L1", c->threads);
    struct kernel_ceiling per_hz;
    c->under_fma_hz = NAN;
    if (k && r && evidence_mix(ev, k, c->isa, c->threads, 1, &per_hz)) {
        c->under_fma_hz = r->rate / per_hz.rate;
    }
}

static void clock_beside_roofs(const struct evidence *ev, struct core_clock *c)
{
    double *seen = arena_new(ev->arena, double, (size_t)ev->n_roofs + 1);
    int n = 0;
    for (int i = 0; i < ev->n_roofs; i++) {
        const struct roof *r = &ev->roofs[i];
        if (r->threads == c->threads && same_text(r->isa, c->isa) &&
            !isnan(ev->roofs_measured[i].clock_hz)) {
            seen[n++] = ev->roofs_measured[i].clock_hz;
        }
    }
    const struct summary s = summary_of(seen, n);
    c->beside_roofs = n > 0;
    c->hz = n ? s.median : ev->host->clock_hz;
    c->low = n ? s.median_low : c->hz;
    c->high = n ? s.median_high : c->hz;
}

static void find_clocks(struct evidence *ev)
{
    ev->clocks = arena_new(ev->arena, struct core_clock, (size_t)ev->n_roofs + 1);
    for (int i = 0; i < ev->n_roofs; i++) {
        struct core_clock c = {
            .isa = ev->roofs[i].isa, .threads = ev->roofs[i].threads, .factor = 1};
        if (!evidence_clock(ev, c.isa, c.threads)) {
            clock_beside_roofs(ev, &c);
            clock_under_fma(ev, &c);
            ev->clocks[ev->n_clocks++] = c;
        }
    }
}

const struct core_clock *evidence_clock(const struct evidence *ev, const char *isa, int threads)
{
    for (int i = 0; i < ev->n_clocks; i++) {
        if (ev->clocks[i].threads == threads && same_text(ev->clocks[i].isa, isa)) {
            return &ev->clocks[i];
        }
    }
    return NULL;
}

/* --- all of it --- */

static void compile_costs(struct evidence *ev)
{
    struct err e = {0};
    char who[IDENTITY_SIZE], said[512];
    if (!ev->machine) {
        const struct identity id = identity_of_host(ev->host);
        ev->costs_missing =
            arena_format(ev->arena, "no machine file describes %s", identity_words(&id, who));
        return;
    }
    const enum cost_view view = cost_view_of(ev->machine);
    ev->costs = cost_compile(ev->machine, view, ev->arena, &e);
    ev->costs_missing =
        ev->costs ? "" : arena_format(ev->arena, "%s", err_describe(&e, said, sizeof said));
}

struct evidence *evidence_of(const struct run *run, const struct kernels *kernels,
                             const struct machine *machine, struct evidence_roofs roofs,
                             struct arena *a)
{
    struct evidence *ev = arena_new(a, struct evidence, 1);
    *ev = (struct evidence){
        .host = &run->host,
        .kernels = kernels,
        .machine = machine,
        .roofs = roofs.roofs,
        .roofs_measured = roofs.measured,
        .roof_details = roofs.details,
        .n_roofs = roofs.n,
        .chain_worth = 1,
        .arena = a,
    };
    compile_costs(ev);
    read_loops(ev, run);
    read_chains(ev, run);
    find_clocks(ev);
    evidence_fit_streams(ev);
    return ev;
}

static const char *no_mix(const struct evidence *ev, const struct ran_loop *ran,
                          const struct kernel_body *stated, const char *isa)
{
    return !ev->costs             ? ev->costs_missing
           : ran && *ran->problem ? ran->problem
           : ran || stated        ? ""
                                  : arena_format(ev->arena, "no code of it for %s", isa);
}

bool evidence_mix(const struct evidence *ev, const struct kernel *k, const char *isa, int threads,
                  double clock_hz, struct kernel_ceiling *out)
{
    const struct ran_loop *ran = evidence_loop(ev, k->name, isa);
    const struct kernel_body *stated = kernel_body(k, isa);
    struct err e = {0};
    const struct kernel_ceiling_input in = {.kernel = k,
                                            .body = ran ? &ran->body : stated,
                                            .loop = ran ? &ran->code : NULL,
                                            .threads = threads,
                                            .clock_hz = clock_hz};
    *out = (struct kernel_ceiling){.binds = "", .missing = no_mix(ev, ran, stated, isa)};
    if (*out->missing) {
        return false;
    }
    if (!ceiling_of_kernel(ev->costs, &in, out, &e)) {
        out->missing = arena_format(ev->arena, "%s", e.text);
        return false;
    }
    return !isnan(out->rate);
}
