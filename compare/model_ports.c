/* The instruction mix at a clock.
 *
 * The machine file bounds cycles; the clock that makes them a rate is measured beside the roofs, never
 * beside the kernel that is predicted.  Two estimates stand there:
 *
 *   - dependent adds right after a pass.  Under dense wide FMA a core runs slower than under these
 *     adds, so for a loop that fills the FMA pipes this one reads too high;
 *   - the rate of the fma_f32 roof over the flops per cycle of its loop: the clock under that load, if
 *     the roof reaches its own port bound.
 *
 * A loop that is bound by the very ports that bind the FMA roof runs under the same load, so the lower
 * of the two is its clock.  For any other loop the first stays: there the bound is at worst too high,
 * which a bound may be; but if it uses these ports, the lower one is its doubt.  A published run has no clock beside its roofs, and its host's is of another
 * number of threads, perhaps: there the lower one serves for every loop.  */
#include "compare/models.h"

#include <math.h>

static struct chosen_clock beside_roofs(const struct core_clock *c)
{
    return (struct chosen_clock){
        c->hz, c->low, c->high, c->beside_roofs ? "dependent adds beside the roofs" : "the host's"};
}

static bool same_load(const struct core_clock *c, const struct kernel_ceiling *mix)
{
    return !c->fma_disturbed && mix->bound.binds == c->fma_bound.binds &&
           mix->bound.ports == c->fma_bound.ports && mix->bound.resource == c->fma_bound.resource;
}

/* Has the loop uops that can go nowhere but to the ports that bind the FMA roof? */
static bool some_load(const struct core_clock *c, const struct kernel_ceiling *mix)
{
    if (c->fma_disturbed || c->fma_bound.binds != BINDS_PORTS) {
        return false;
    }
    const struct ports_problem p = cost_problem(&mix->cost);
    for (int i = 0; i < p.n_classes; i++) {
        if (p.classes[i].count > 0 && !(p.classes[i].ports & ~c->fma_bound.ports)) {
            return true;
        }
    }
    return false;
}

struct chosen_clock clock_for(const struct evidence *ev, const char *isa, int threads,
                              const struct kernel_ceiling *mix)
{
    const struct core_clock *c = evidence_clock(ev, isa, threads);
    if (!c) {
        return (struct chosen_clock){NAN, NAN, NAN, "no roof was measured on as many threads"};
    }
    struct chosen_clock scalar = beside_roofs(c);
    if (c->under_fma_hz < scalar.low && some_load(c, mix)) {
        scalar.low = c->under_fma_hz;
    }
    if (isnan(c->under_fma_hz) || (c->beside_roofs && !same_load(c, mix)) ||
        scalar.hz <= c->under_fma_hz) {
        return scalar;
    }
    return (struct chosen_clock){c->under_fma_hz, c->under_fma_hz, fmin(scalar.high, scalar.hz),
                                 "the FMA roof's"};
}

void ports_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct evidence *ev = in->evidence;
    struct kernel_ceiling mix;
    if (!evidence_mix(ev, in->kernel, in->isa, in->threads, 1, &mix)) {
        out->missing = mix.missing;
        return;
    }
    const struct chosen_clock clock = clock_for(ev, in->isa, in->threads, &mix);
    if (isnan(clock.hz)) {
        out->missing = arena_format(ev->arena, "the clock is not known: %s", clock.why);
        return;
    }
    out->rate = mix.rate * clock.hz;
    out->low = mix.rate * clock.low;
    out->high = mix.rate * clock.high;
    out->binds = mix.binds;
    out->loc = mix.loc;
}
