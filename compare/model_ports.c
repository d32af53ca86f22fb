/* The instruction mix at a clock.
 *
 * The machine file bounds cycles; the clock that makes them a rate is read beside the roofs, never
 * beside the kernel that is predicted.  Cores lower their clock under dense wide arithmetic and
 * wide loads (family 6 model 207: 3.0 to 2.8 GHz), so the roofs that count are the two that bound
 * this kernel by the roofline, which do alike work; the lower of their clocks is taken, the other
 * is the doubt.
 *
 * A published run has no clock beside its roofs, and its host's is of another number of threads,
 * perhaps: there the lower of the host's and of what the fma_f32 roof means serves for every loop:
 * that roof's rate over the flops per cycle of its loop, if it reaches its own port bound. */
#include "compare/models.h"
#include "model/roof.h"

#include <math.h>

/* The roofs that bound the kernel; NULL where there is none. */
static void find_roofs(const struct model_input *in, const struct roof *roofs[2])
{
    const struct evidence *ev = in->evidence;
    const char *compute = in->kernel->compute_roof;
    struct roofline line;
    struct err e = {0};
    roofs[0] =
        compute ? roof_find(ev->roofs, ev->n_roofs, compute, in->isa, "L1", in->threads) : NULL;
    roofs[1] = roofline_bound(in->kernel, in->isa, in->level, in->threads, ev->roofs, ev->n_roofs,
                              &line, &e)
                   ? line.memory_roof
                   : NULL;
}

static struct chosen_clock without_reading(const struct core_clock *c)
{
    if (c->beside_roofs || isnan(c->under_fma_hz) || c->hz <= c->under_fma_hz) {
        return (struct chosen_clock){
            c->hz, c->low, c->high, c->beside_roofs ? "the median beside the roofs" : "the host's"};
    }
    return (struct chosen_clock){c->under_fma_hz, c->under_fma_hz, c->hz, "the FMA roof's"};
}

struct chosen_clock clock_for(const struct model_input *in)
{
    const struct evidence *ev = in->evidence;
    const struct core_clock *c = evidence_clock(ev, in->isa, in->threads);
    const struct roof *roofs[2];
    double low = NAN, high = NAN;
    if (!c) {
        return (struct chosen_clock){NAN, NAN, NAN, "no roof was measured on as many threads"};
    }
    find_roofs(in, roofs);
    for (int i = 0; i < 2; i++) {
        const double hz =
            roofs[i] ? c->factor * ev->roofs_measured[roofs[i] - ev->roofs].clock_hz : (double)NAN;
        low = fmin(low, hz);
        high = fmax(high, hz);
    }
    return isnan(low) ? without_reading(c)
                      : (struct chosen_clock){low, low, high, "read beside its roofs"};
}

void ports_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct evidence *ev = in->evidence;
    struct kernel_ceiling mix;
    if (!evidence_mix(ev, in->kernel, in->isa, in->threads, 1, &mix)) {
        out->missing = mix.missing;
        return;
    }
    const struct chosen_clock clock = clock_for(in);
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
