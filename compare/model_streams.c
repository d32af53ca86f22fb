/* Memory streams by the mapping that was fitted to the roofs' mixes of the same level, instruction set
 * and thread count (model/streams.h).  The doubt of a prediction is what the mapping is wrong by, on
 * average, about a mix it was not fitted to; where no mix held the kinds of a kernel together, also
 * whether they overlap. */
#include "compare/models.h"
#include "compare/order.h"

#include <math.h>

/* The kind that takes the most of what binds. */
static int dearest(const struct stream_map *m, const double lines[STREAM_KINDS], int resource)
{
    int found = 0;
    for (int k = 1; k < STREAM_KINDS; k++) {
        if (lines[k] * m->rho[resource][k] > lines[found] * m->rho[resource][found]) {
            found = k;
        }
    }
    return found;
}

static const char *words(const struct stream_map *m, const double lines[STREAM_KINDS],
                         const struct model_input *in, double seconds, int resource)
{
    const int kind = dearest(m, lines, resource);
    return arena_format(
        in->evidence->arena, "%s streams: %.3g of %.3g ns a line of each are the %s", in->level,
        1e9 * lines[kind] * m->rho[resource][kind], 1e9 * seconds, stream_names[kind]);
}

/* Does some mix that was measured hold all the kinds of this one? */
static bool seen_together(const struct stream_fit *fit, const double lines[STREAM_KINDS])
{
    for (int i = 0; i < fit->n_mixes; i++) {
        bool all = true;
        for (int k = 0; k < STREAM_KINDS; k++) {
            all &= !(lines[k] > 0) || fit->mixes[i].lines[k] > 0;
        }
        if (all) {
            return true;
        }
    }
    return false;
}

/* If nothing overlaps: every line takes what it takes of its dearest resource. */
static double seconds_apart(const struct stream_map *m, const double lines[STREAM_KINDS])
{
    double sum = 0;
    for (int k = 0; k < STREAM_KINDS; k++) {
        double dearest_use = 0;
        for (int r = 0; r < m->n_resources; r++) {
            dearest_use = fmax(dearest_use, m->rho[r][k]);
        }
        sum += lines[k] * dearest_use;
    }
    return sum;
}

void streams_ceiling(const struct model_input *in, struct ceiling *out)
{
    const struct stream_fit *fit = evidence_streams(in->evidence, in->level, in->isa, in->threads);
    double lines[STREAM_KINDS];
    int resource;
    streams_of_kernel(in->kernel, lines);
    if (same_text(in->level, "L1")) {
        out->missing = "from L1 nothing streams";
        return;
    }
    if (!fit || *fit->problem) {
        out->missing = fit ? fit->problem : "no stream mix was measured so";
        return;
    }
    const double seconds = streams_seconds(&fit->map, lines, &resource);
    if (!(seconds > 0)) {
        out->missing = isnan(seconds) ? "no mix that was measured has streams of its kind"
                                      : "it walks no array";
        return;
    }
    const double elements = STREAM_LINE_BYTES / in->kernel->element_bytes;
    out->rate = elements * kernel_work_per_element(in->kernel) / seconds;
    out->low = out->rate / (1 + fit->map.left_out_error);
    out->high = out->rate * (1 + fit->map.left_out_error);
    out->binds = words(&fit->map, lines, in, seconds, resource);
    if (!seen_together(fit, lines)) {
        out->low *= seconds / seconds_apart(&fit->map, lines);
        out->binds = arena_format(in->evidence->arena,
                                  "%s, if its kinds overlap, which no mix measured", out->binds);
    }
    out->disturbed = fit->disturbed;
}
