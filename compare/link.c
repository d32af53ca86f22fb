#include "compare/link.h"

#include "model/ceiling.h"
#include "model/latency.h"

#include <math.h>
#include <string.h>

bool chain_link_computes(const char *form)
{
    static const char *const starts[] = {
        "vfm",   "vfnm",  "vadd",  "vmul",  "vsub",  "vdiv",  "vsqrt", "addps", "addpd",
        "addss", "addsd", "mulps", "mulpd", "mulss", "mulsd", "subps", "subpd", "divp",
        "divs",  "fml",   "fmul",  "fadd",  "fsub",  "fdiv",  "fmadd", "fsqrt"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (strncmp(form, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

static double pipe_cycles(struct cost_table *t, const char *form)
{
    const struct form_count one = {form, 1};
    struct ceiling_bound bound;
    struct err e = {0};
    struct cost cost = cost_new(t);
    cost_add_block(&cost, &one, 1);
    return ceiling_of_cost(&cost, &bound, &e) && !cost.n_unknown ? bound.cycles : (double)NAN;
}

/* The longest latency from a register: a chain may go through the slowest of them, but not through
 * an address. */
static double longest(const struct cost_row *row)
{
    const int memory = row->kind == COST_COMPOSED ? 0 : latency_memory_operand(row->form);
    double most = NAN;
    for (int i = 0; row->described && i < row->described->n_latencies; i++) {
        const struct machine_latency *l = &row->described->latencies[i];
        if (!memory || (l->source != memory && l->source != 0)) {
            most = fmax(l->cycles, most);
        }
    }
    return most;
}

/* Without code: the form of which a trip has most, of those that execute and take time to
 * answer. */
static struct chain_link of_counts(const struct kernel_body *b, struct cost_table *t)
{
    const struct form_count *forms = b->n_inner ? b->inner : b->forms;
    const int n = b->n_inner ? b->n_inner : b->n_forms;
    struct chain_link best = {.latency = NAN};
    for (int i = 0; i < n; i++) {
        const struct cost_row *row = cost_of_form(t, forms[i].form);
        const double latency =
            row->kind == COST_FORM || row->kind == COST_COMPOSED ? longest(row) : (double)NAN;
        if (chain_link_computes(row->form) && latency > 0 &&
            forms[i].count / b->independent_chains > best.per_chain) {
            best.form = row->form;
            best.per_chain = forms[i].count / b->independent_chains;
            best.latency = latency;
        }
    }
    return best;
}

/* With code: the form that takes most of the way round the innermost loop. */
static struct chain_link of_cycle(const struct ran_loop *ran)
{
    const struct chain_cycle *c =
        ran->chain.inner.n_steps ? &ran->chain.inner : &ran->chain.carried;
    struct chain_link best = {.latency = NAN};
    for (int i = 0; i < c->n_steps; i++) {
        const char *form = ran->code.insns[c->steps[i].insn].form;
        double same = 0;
        for (int k = 0; k < c->n_steps; k++) {
            same += strcmp(ran->code.insns[c->steps[k].insn].form, form) == 0;
        }
        if (c->steps[i].latency * same > (best.form ? best.latency * best.per_chain : 0)) {
            best.form = form;
            best.per_chain = same / (c->distance ? c->distance : 1);
            best.latency = c->steps[i].latency;
        }
    }
    return best;
}

bool chain_link_find(const struct evidence *ev, const struct kernel *k, const char *isa,
                     struct chain_link *out)
{
    const struct ran_loop *ran = evidence_loop(ev, k->name, isa);
    const struct kernel_body *stated = kernel_body(k, isa);
    const bool by_code = ran && !*ran->problem;
    const double chains = by_code  ? ran->counts.chains
                          : stated ? stated->independent_chains
                                   : (double)NAN;
    if (!ev->costs || !(chains > 0)) {
        return false;
    }
    if (by_code) {
        *out = of_cycle(ran);
    } else if (stated) {
        *out = of_counts(stated, ev->costs);
    }
    if ((!by_code && !stated) || !out->form) {
        return false;
    }
    const struct cost_row *row = cost_of_form(ev->costs, out->form);
    out->chains = chains;
    out->cycles = pipe_cycles(ev->costs, out->form);
    out->loc = row->loc;
    out->source = row->described ? row->described->source : NULL;
    return !isnan(out->cycles);
}

double chain_link_allows(const struct chain_link *l, double chains, double latency)
{
    return fmin(1, chains * l->cycles / latency);
}
