#include "compare/whatif.h"

#include "base/items.h"
#include "code/form.h"
#include "compare/link.h"
#include "compare/order.h"
#include "compare/variant.h"

#include <math.h>
#include <string.h>

/* --- the loop's forms --- */

static void add_forms(struct form_count *list, int *n, const struct form_count *forms, int n_forms,
                      double times, struct arena *a)
{
    char normal[FORM_SIZE];
    for (int i = 0; i < n_forms; i++) {
        int at = 0;
        if (!form_normalise(forms[i].form, normal)) {
            continue;
        }
        while (at < *n && strcmp(list[at].form, normal) != 0) {
            at++;
        }
        if (at == *n) {
            list[(*n)++].form = arena_copy(a, normal, strlen(normal));
        }
        list[at].count += forms[i].count * times;
    }
}

struct form_count *whatif_forms(const struct subject *s, int *n)
{
    const struct evidence *ev = s->evidence;
    const struct ran_loop *ran = evidence_loop(ev, s->kernel->name, s->isa);
    const struct kernel_body *b =
        ran && !*ran->problem ? &ran->body : kernel_body(s->kernel, s->isa);
    struct loop_counts counts = {.n_forms = 0};
    *n = 0;
    if (ran && !*ran->problem) {
        counts = ran->counts;
    } else if (b) {
        counts = (struct loop_counts){
            .forms = b->forms, .n_forms = b->n_forms, .inner = b->inner, .n_inner = b->n_inner};
    }
    struct form_count *list =
        arena_new(ev->arena, struct form_count, (size_t)(counts.n_forms + counts.n_inner) + 1);
    add_forms(list, n, counts.forms, counts.n_forms, 1, ev->arena);
    add_forms(list, n, counts.inner, counts.n_inner, b ? b->inner_trips : 0, ev->arena);
    return list;
}

/* --- roofs and clocks --- */

static void scale_roofs(struct variant *v, bool memory, double factor)
{
    struct evidence *ev = &v->evidence;
    struct roof *roofs = arena_new(v->arena, struct roof, (size_t)ev->n_roofs + 1);
    struct measured *measured = arena_new(v->arena, struct measured, (size_t)ev->n_roofs + 1);
    for (int i = 0; i < ev->n_roofs; i++) {
        const bool is_memory = same_text(ev->roofs[i].unit, "byte/s");
        const double times = is_memory == memory ? factor : 1;
        roofs[i] = ev->roofs[i];
        measured[i] = ev->roofs_measured[i];
        roofs[i].rate *= times;
        measured[i].rate *= times;
        measured[i].low *= times;
        measured[i].high *= times;
    }
    ev->roofs = roofs;
    ev->roofs_measured = measured;
}

static void scale_streams(struct variant *v, double factor)
{
    struct evidence *ev = &v->evidence;
    struct stream_fit *fits = arena_new(v->arena, struct stream_fit, (size_t)ev->n_streams + 1);
    for (int i = 0; i < ev->n_streams; i++) {
        fits[i] = ev->streams[i];
        for (int r = 0; r < STREAM_RESOURCES_MAX; r++) {
            for (int k = 0; k < STREAM_KINDS; k++) {
                fits[i].map.rho[r][k] /= factor;
            }
        }
    }
    ev->streams = fits;
}

static struct model_input input_of(const struct subject *s)
{
    return (struct model_input){.kernel = s->kernel,
                                .isa = s->isa,
                                .level = s->level,
                                .threads = s->threads,
                                .evidence = s->evidence};
}

/* All clocks of the set and thread count by one factor, so that the one this loop runs at becomes
 * what was asked for. */
static bool change_clock(struct variant *v, const struct change *c, struct err *e)
{
    struct evidence *ev = &v->evidence;
    const struct subject *s = &v->subject;
    const bool one = strcmp(c->name, whatif_clock_keys[0]) == 0;
    if (one != (s->threads == 1)) {
        return true;
    }
    const struct model_input in = input_of(s);
    const double was = clock_for(&in).hz;
    if (isnan(was)) {
        return err_set(e, ERR_MODEL, LOC_NONE, "the clock of %d threads is not known", s->threads);
    }
    const double factor = c->value / was;
    struct core_clock *clocks = arena_new(v->arena, struct core_clock, (size_t)ev->n_clocks + 1);
    for (int i = 0; i < ev->n_clocks; i++) {
        struct core_clock *to = &clocks[i];
        *to = ev->clocks[i];
        if (to->threads == s->threads && same_text(to->isa, s->isa)) {
            to->hz *= factor;
            to->low *= factor;
            to->high *= factor;
            to->under_fma_hz *= factor;
            to->factor *= factor;
        }
    }
    ev->clocks = clocks;
    scale_roofs(v, false, factor);
    return true;
}

/* --- the kernel --- */

static bool change_chains(struct variant *v, double chains, struct err *e)
{
    const struct ran_loop *ran = evidence_loop(v->base, v->kernel.name, v->subject.isa);
    struct kernel_body *bodies =
        arena_new(v->arena, struct kernel_body, (size_t)v->kernel.n_bodies + 1);
    double before = ran && !*ran->problem ? ran->counts.chains : (double)NAN;
    for (int i = 0; i < v->kernel.n_bodies; i++) {
        bodies[i] = v->kernel.bodies[i];
        if (same_text(bodies[i].isa, v->subject.isa)) {
            before = isnan(before) ? bodies[i].independent_chains : before;
            bodies[i].independent_chains = chains;
        }
    }
    v->kernel.bodies = bodies;
    if (!(before > 0)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "%s for %s has no chains that are known",
                       v->kernel.name, v->subject.isa);
    }
    v->chains_times = chains / before;
    return true;
}

/* Where nothing was measured with the other instruction set: the clock of the first one, and its
 * compute roof times what the machine file makes of the two loops. */
static void assume_roof(struct variant *v, const char *before, const char *isa)
{
    struct evidence *ev = &v->evidence;
    const int threads = v->subject.threads;
    const char *name = v->kernel.compute_roof;
    const struct kernel *k = name ? kernels_find(ev->kernels, name) : NULL;
    const struct roof *from =
        k ? roof_find(ev->roofs, ev->n_roofs, name, before, "L1", threads) : NULL;
    const struct core_clock *clock = evidence_clock(ev, before, threads);
    struct kernel_ceiling old, new;
    if (!from || !clock || evidence_clock(ev, isa, threads) ||
        !evidence_mix(ev, k, before, threads, 1, &old) ||
        !evidence_mix(ev, k, isa, threads, 1, &new)) {
        return;
    }
    const size_t n = (size_t)ev->n_roofs;
    struct roof *roofs = arena_new(v->arena, struct roof, n + 1);
    struct measured *measured = arena_new(v->arena, struct measured, n + 1);
    struct core_clock *clocks = arena_new(v->arena, struct core_clock, (size_t)ev->n_clocks + 1);
    items_copy(roofs, ev->roofs, n, sizeof *roofs);
    items_copy(measured, ev->roofs_measured, n, sizeof *measured);
    items_copy(clocks, ev->clocks, (size_t)ev->n_clocks, sizeof *clocks);
    const double times = new.rate / old.rate;
    roofs[n] = *from;
    roofs[n].isa = isa;
    roofs[n].rate *= times;
    measured[n] = ev->roofs_measured[from - ev->roofs];
    measured[n].rate *= times;
    measured[n].low *= times;
    measured[n].high *= times;
    clocks[ev->n_clocks] = *clock;
    clocks[ev->n_clocks].isa = isa;
    ev->roofs = roofs;
    ev->roofs_measured = measured;
    ev->clocks = clocks;
    ev->n_roofs++;
    ev->n_clocks++;
}

static bool change_isa(struct variant *v, const char *isa, struct err *e)
{
    struct text known = {.arena = v->arena};
    const char *before = v->subject.isa;
    const bool same_machine = same_text(before, "neon") == same_text(isa, "neon");
    v->subject.isa = isa;
    if (same_machine &&
        (kernel_body(&v->kernel, isa) || evidence_loop(v->base, v->kernel.name, isa))) {
        assume_roof(v, before, isa);
        return true;
    }
    for (int i = 0; i < v->kernel.n_bodies; i++) {
        const char *has = v->kernel.bodies[i].isa;
        if (same_text(has, "neon") == same_text(before, "neon")) {
            text_add(&known, "%s%s", known.len ? ", " : "", has);
        }
    }
    return err_set(e, ERR_RANGE, LOC_NONE, "%s has no body for %s on this machine; it has: %s",
                   v->kernel.name, isa, known.len ? known.data : "none");
}

/* --- all of it --- */

static bool apply(struct variant *v, const struct change *c, struct err *e)
{
    const bool memory = c->kind == CHANGE_ROOFS && strcmp(c->name, "memory") == 0;
    switch (c->kind) {
    case CHANGE_CORE:
        variant_change_core(v, c);
        return true;
    case CHANGE_CLOCK:
        return change_clock(v, c, e);
    case CHANGE_LATENCY:
    case CHANGE_SOONER:
    case CHANGE_SLOTS:
    case CHANGE_DROP:
        return variant_change_forms(v, c, e);
    case CHANGE_CHAINS:
        return change_chains(v, c->value, e);
    case CHANGE_ISA:
        return change_isa(v, c->name, e);
    case CHANGE_PORT:
        return variant_add_port(v, (int)c->value, e);
    case CHANGE_CROSSINGS:
        v->machine.line_crossing_load_slots = v->machine.line_crossing_load_slots_512 = 1;
        v->machine.line_crossing_store_cycles = 0;
        return true;
    case CHANGE_ROOFS:
        scale_roofs(v, memory, c->value);
        if (memory) {
            scale_streams(v, c->value);
        }
        return true;
    }
    return true;
}

/* How much faster the changed machine runs the loop of a compute roof. */
static double roof_gain(const struct variant *v, const struct kernel *roof)
{
    struct kernel_ceiling before, after;
    const bool known = evidence_mix(v->base, roof, v->subject.isa, 1, 1, &before) &&
                       evidence_mix(&v->evidence, roof, v->subject.isa, 1, 1, &after);
    return known ? after.rate / before.rate : 1;
}

/* The cost table of the changed machine, and what depends on it. */
static bool solve_again(struct variant *v, struct err *e)
{
    struct evidence *ev = &v->evidence;
    const enum cost_view view = cost_view_of(&v->machine);
    struct ran_loop *loops = arena_new(v->arena, struct ran_loop, (size_t)ev->n_loops + 1);
    ev->machine = &v->machine;
    ev->costs = cost_compile(&v->machine, view, v->arena, e);
    if (!ev->costs) {
        return false;
    }
    for (int i = 0; i < ev->n_loops; i++) {
        struct ran_loop *l = &loops[i];
        const double trips = ev->loops[i].body.inner_trips;
        *l = ev->loops[i];
        const bool ours = same_text(l->name, v->kernel.name) && same_text(l->isa, v->subject.isa);
        if (!ours || *l->problem) {
            continue;
        }
        if (!chain_find(&l->code, trips > 0 ? trips : 1, ev->costs, &l->chain, e)) {
            return false;
        }
        l->counts.chains = (int)(l->counts.chains * v->chains_times + 0.5);
        l->chain.cycles_per_iter /= v->chains_times;
    }
    ev->loops = loops;
    const struct kernel *roof =
        v->kernel.compute_roof ? kernels_find(ev->kernels, v->kernel.compute_roof) : NULL;
    if (roof) {
        scale_roofs(v, false, roof_gain(v, roof));
    }
    return true;
}

/* A chain fills more of the pipes where they are fewer or answer sooner, so it stands for more of
 * the chains that the curve was measured with: what counts is chains over latency times pipes. */
static void revalue_chains(struct variant *v)
{
    struct chain_link before, after;
    const char *isa = v->subject.isa;
    if (chain_link_find(v->base, &v->kernel, isa, &before) &&
        chain_link_find(&v->evidence, &v->kernel, isa, &after) && before.cycles > 0) {
        v->evidence.chain_worth = before.latency / after.latency * (after.cycles / before.cycles);
    }
}

static void climb(const struct subject *s, struct climb *out)
{
    const struct evidence *ev = s->evidence;
    struct model_input in = input_of(s);
    in.before = out->ceilings;
    *out = (struct climb){.subject = *s,
                          .ran = evidence_loop(ev, s->kernel->name, s->isa),
                          .body = kernel_body(s->kernel, s->isa)};
    for (int m = 0; m < n_models; m++) {
        out->ceilings[m] = ceiling_none();
        models[m].ceiling(&in, &out->ceilings[m]);
    }
    ladder_build(&in, out->ceilings, &out->ladder);
    evidence_mix(ev, s->kernel, s->isa, s->threads, 1, &out->mix);
    out->clock = clock_for(&in);
    if (out->ran && *out->ran->problem) {
        out->ran = NULL;
    }
}

bool whatif_climb(const struct subject *s, const struct change *changes, int n_changes,
                  struct climb *out, struct err *e)
{
    const struct evidence *ev = s->evidence;
    struct variant *v = arena_new(ev->arena, struct variant, 1);
    if (n_changes == 0) {
        climb(s, out);
        return true;
    }
    if (!ev->costs) {
        return err_set(e, ERR_MODEL, LOC_NONE, "nothing can be changed: %.180s", ev->costs_missing);
    }
    *v = (struct variant){.arena = ev->arena,
                          .machine = *ev->machine,
                          .kernel = *s->kernel,
                          .evidence = *ev,
                          .subject = *s,
                          .base = ev,
                          .chains_times = 1};
    v->subject.kernel = &v->kernel;
    for (int i = 0; i < n_changes; i++) {
        if (!apply(v, &changes[i], e)) {
            return false;
        }
    }
    if (!solve_again(v, e)) {
        return false;
    }
    revalue_chains(v);
    v->subject.evidence = &v->evidence;
    climb(&v->subject, out);
    return true;
}
