/* Loop-carried chains, twice.
 *
 *   - The true bound: the slowest cycle of waiting values in the code that ran (model/chain.h), at
 *     the
 *     clock that the ports are given at.  Without code there is none.
 *   - The measured chain curve, which is empirical and named so: the FMA rate at as many
 *     independent
 *     chains as the loop has, as a fraction of the rate with enough of them, times the compute
 *     roof.
 *     Taken from the run, on as many threads or else on one, or from the machine file.  Between two
 *     points it is a straight line; below the lowest it lies, as rate against chains is concave,
 *     under
 *     the extended line of the first two points and over the one through the origin.
 *
 * Chains that start anew in every iteration may overlap, so there the curve is no bound: it is
 * given with everything up to the compute roof as its doubt. */
#include "compare/models.h"
#include "compare/order.h"

#include <math.h>

/* --- the true bound --- */

static void true_bound(const struct model_input *in, const struct ran_loop *ran,
                       struct ceiling *out)
{
    const struct evidence *ev = in->evidence;
    const double cycles = ran->chain.cycles_per_iter;
    struct kernel_ceiling mix;
    if (*ran->chain_problem || !(cycles > 0)) {
        out->missing = *ran->chain_problem ? ran->chain_problem
                       : isnan(cycles)
                           ? arena_format(ev->arena, "the latency is not in the machine file: %s",
                                          ran->chain.missing)
                           : "no chain goes round the loop";
        return;
    }
    evidence_mix(ev, in->kernel, in->isa, in->threads, 1, &mix);
    const struct chosen_clock clock = clock_for(in);
    if (isnan(clock.hz)) {
        out->missing = clock.why;
        return;
    }
    const double per_hz =
        ran->body.elements_per_iter / cycles * kernel_work_per_element(in->kernel) * in->threads;
    struct text words = {.arena = ev->arena};
    chain_words(&ran->code, &ran->chain.carried, &words);
    out->rate = per_hz * clock.hz;
    out->low = per_hz * clock.low;
    out->high = per_hz * clock.high;
    out->binds = ran->chain.overlap_cycles > ran->chain.carried.cycles
                     ? arena_format(ev->arena,
                                    "the way through an iteration: %.4g cycles, as far "
                                    "as iterations overlap",
                                    ran->chain.path.cycles)
                 : words.len ? arena_format(ev->arena, "chain: %s", words.data)
                             : "chain";
}

/* --- the curve --- */

struct curve_point {
    double chains, fraction;
};

struct curve {
    struct curve_point *points; /* ascending, fractions never falling */
    int n;
    const char *whence;
    bool disturbed;
};

/* In its place; a number of chains that is there already keeps the larger fraction. */
static void add_point(struct curve *c, double chains, double fraction)
{
    int i = c->n;
    while (i > 0 && c->points[i - 1].chains > chains) {
        i--;
    }
    if (i > 0 && c->points[i - 1].chains == chains) {
        c->points[i - 1].fraction = fmax(c->points[i - 1].fraction, fraction);
        return;
    }
    for (int k = c->n++; k > i; k--) {
        c->points[k] = c->points[k - 1];
    }
    c->points[i] = (struct curve_point){chains, fraction};
}

/* More chains are never slower: what says otherwise is noise. */
static void make_rising(struct curve *c)
{
    for (int i = 1; i < c->n; i++) {
        c->points[i].fraction = fmax(c->points[i].fraction, c->points[i - 1].fraction);
    }
}

static void curve_of_run(const struct evidence *ev, const char *isa, int threads, struct curve *c)
{
    c->whence = "this run's";
    for (int i = 0; i < ev->n_chains; i++) {
        const struct chain_point *p = &ev->chains[i];
        if (same_text(p->isa, isa) && p->threads == threads) {
            add_point(c, p->chains, p->fraction);
            c->disturbed |= p->measured.disturbed;
        }
    }
}

static void curve_of_machine(const struct evidence *ev, const char *isa, struct curve *c)
{
    const struct machine *m = ev->machine;
    c->whence = "the machine file's";
    for (int i = 0; m && i < m->n_chain_curve; i++) {
        if (same_text(m->chain_curve[i].isa, isa)) {
            add_point(c, m->chain_curve[i].chains, m->chain_curve[i].fraction);
        }
    }
}

static struct curve find_curve(const struct evidence *ev, const char *isa, int threads)
{
    const int of_machine = ev->machine ? ev->machine->n_chain_curve : 0;
    struct curve c = {.points = arena_new(ev->arena, struct curve_point,
                                          (size_t)(ev->n_chains + of_machine) + 1)};
    curve_of_run(ev, isa, threads, &c);
    if (c.n < 2) {
        c.n = 0;
        c.disturbed = false;
        curve_of_run(ev, isa, 1, &c);
    }
    if (c.n < 2) {
        c.n = 0;
        c.disturbed = false;
        curve_of_machine(ev, isa, &c);
    }
    make_rising(&c);
    return c;
}

/* The straight line through two points. */
static double line(const struct curve_point *a, const struct curve_point *b, double chains)
{
    return a->fraction +
           (b->fraction - a->fraction) / (b->chains - a->chains) * (chains - a->chains);
}

struct fraction {
    double low, high, is;
};

static struct fraction read_curve(const struct curve *c, double chains)
{
    const struct curve_point *first = &c->points[0];
    int i = 1;
    if (chains < first->chains) {
        const double high = fmin(line(first, first + 1, chains), first->fraction);
        return (struct fraction){first->fraction * chains / first->chains, high, high};
    }
    while (i < c->n - 1 && c->points[i].chains < chains) {
        i++;
    }
    const double at = chains < c->points[i].chains ? line(&c->points[i - 1], &c->points[i], chains)
                                                   : c->points[i].fraction;
    return (struct fraction){at, c->points[i].fraction, at};
}

static bool restarts(const struct model_input *in, const struct ran_loop *ran)
{
    const struct kernel_body *stated = kernel_body(in->kernel, in->isa);
    return ran ? ran->code.inner_first >= 0 : stated && stated->inner_trips > 0;
}

static double chains_of(const struct model_input *in, const struct ran_loop *ran)
{
    const struct kernel_body *stated = kernel_body(in->kernel, in->isa);
    return ran ? ran->counts.chains : stated ? stated->independent_chains : (double)NAN;
}

static void curve_bound(const struct model_input *in, const struct ran_loop *ran,
                        struct ceiling *out)
{
    const struct curve c = find_curve(in->evidence, in->isa, in->threads);
    const double chains = chains_of(in, ran);
    struct ceiling compute = ceiling_none();
    compute_ceiling(in, &compute);
    if (c.n < 2 || !(chains > 0) || isnan(compute.rate)) {
        out->missing = c.n < 2 ? "no chain curve" : chains > 0 ? compute.missing : "no chains";
        return;
    }
    const double worth = in->evidence->chain_worth;
    const struct fraction f = read_curve(&c, chains * worth);
    const bool anew = restarts(in, ran);
    out->rate = f.is * compute.rate;
    out->low = f.low * compute.rate;
    out->high = anew ? compute.rate : f.high * compute.rate;
    out->disturbed = compute.disturbed || c.disturbed;
    out->binds =
        arena_format(in->evidence->arena,
                     "measured chain curve, %s: %g chains%s reach %s%.2f of the compute roof%s",
                     c.whence, chains,
                     worth == 1 ? ""
                                : arena_format(in->evidence->arena,
                                               ", worth %.3g of those measured,", chains * worth),
                     f.low < f.high && f.is == f.high ? "at most " : "", f.is,
                     anew ? ", unless iterations overlap" : "");
}

/* --- both --- */

void chains_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct ran_loop *ran = evidence_loop(in->evidence, in->kernel->name, in->isa);
    struct ceiling strict = ceiling_none(), curve = ceiling_none();
    if (ran && *ran->problem) {
        out->missing = ran->problem;
        return;
    }
    strict.missing = "the run carries no code of it";
    if (ran) {
        true_bound(in, ran, &strict);
    }
    curve_bound(in, ran, &curve);
    if (isnan(strict.rate) && isnan(curve.rate)) {
        out->missing = arena_format(in->evidence->arena, "%s; %s", strict.missing, curve.missing);
        return;
    }
    *out = isnan(strict.rate) || curve.rate < strict.rate ? curve : strict;
}
