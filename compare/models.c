#include "compare/models.h"

#include "model/roof.h"

#include <math.h>
#include <string.h>

static const char *roof_words(const struct roof *r, struct arena *a)
{
    const bool memory = strcmp(r->unit, "byte/s") == 0;
    return arena_format(a, "%s%s%s roof", memory ? r->level : "", memory ? " " : "", r->name);
}

struct ceiling ceiling_none(void)
{
    return (struct ceiling){
        .rate = NAN, .low = NAN, .high = NAN, .ridge = NAN, .binds = "", .missing = ""};
}

static void stand_on(struct ceiling *out, const struct roof *r, double rate,
                     const struct evidence *ev)
{
    const struct measured *m = &ev->roofs_measured[r - ev->roofs];
    out->rate = rate;
    out->low = rate * (m->low / m->rate);
    out->high = rate * (m->high / m->rate);
    out->binds = roof_words(r, ev->arena);
    out->disturbed = m->disturbed;
    out->roof = r;
}

void compute_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct evidence *ev = in->evidence;
    const char *name = in->kernel->compute_roof;
    if (!name) {
        out->missing = "it computes nothing";
        return;
    }
    const struct roof *r = roof_find(ev->roofs, ev->n_roofs, name, in->isa, "L1", in->threads);
    if (!r) {
        out->missing =
            arena_format(ev->arena, "no %s roof of %s on as many threads", name, in->isa);
        return;
    }
    stand_on(out, r, r->rate, ev);
}

void roofline_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct evidence *ev = in->evidence;
    struct roofline line;
    struct err e = {0};
    if (!roofline_bound(in->kernel, in->isa, in->level, in->threads, ev->roofs, ev->n_roofs, &line,
                        &e)) {
        out->missing = arena_format(ev->arena, "%s", e.text);
        return;
    }
    stand_on(out, line.binds, line.bound, ev);
    out->ridge = line.ridge;
}

const struct model models[] = {
    [MODEL_ROOFLINE] =
        {
            .name = "roofline",
            .what =
                "least of the compute roof and intensity times the roof of the matching stream mix",
            .ceiling = roofline_ceiling,
        },
    [MODEL_PORTS] =
        {
            .name = "ports",
            .what = "instruction mix on the core's ports and front end, memory aside, at the clock "
                    "beside the roofs",
            .ceiling = ports_ceiling,
        },
    [MODEL_CHAINS] =
        {
            .name = "chains",
            .what = "slowest chain of the code, and the measured chain curve at as many chains",
            .ceiling = chains_ceiling,
        },
    [MODEL_STREAMS] =
        {
            .name = "streams",
            .what = "time per line of each kind of stream, fitted to the roofs' mixes",
            .ceiling = streams_ceiling,
        },
    [MODEL_ALL] =
        {
            .name = "all",
            .what = "least of compute roof, ports, chains, and streams (memory roof without them)",
            .ceiling = all_ceiling,
        },
};
const int n_models = sizeof models / sizeof models[0];
