#include "compare/models.h"

#include "model/roof.h"

#include <math.h>
#include <string.h>

static const char *roof_words(const struct roof *r, struct arena *a)
{
    const bool memory = strcmp(r->unit, "byte/s") == 0;
    return arena_format(a, "%s%s%s roof", memory ? r->level : "", memory ? " " : "", r->name);
}

static void roofline_ceiling(const struct model_input *in, struct ceiling *out)
{
    struct roofline line;
    struct err e = {0};
    if (!roofline_bound(in->kernel, in->isa, in->level, in->threads, in->roofs, in->n_roofs, &line,
                        &e)) {
        out->missing = arena_format(in->arena, "%s", e.text);
        return;
    }
    const struct measured *m = &in->roofs_measured[line.binds - in->roofs];
    out->rate = line.bound;
    out->low = line.bound * (m->low / m->rate);
    out->high = line.bound * (m->high / m->rate);
    out->ridge = line.ridge;
    out->binds = roof_words(line.binds, in->arena);
    out->disturbed = m->disturbed;
}

const struct model models[] = {
    {
        .name = "roofline",
        .what = "least of the compute roof and intensity times the roof of the matching stream mix",
        .ceiling = roofline_ceiling,
    },
};
const int n_models = sizeof models / sizeof models[0];
