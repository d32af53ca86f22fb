/* Memory streams by the mapping that was fitted to the roofs' mixes of the same level, instruction
 * set and thread count (model/streams.h).  The doubt of a prediction is what the mapping is wrong
 * by, on average, about a mix it was not fitted to; where no mix held the kinds of a kernel
 * together, also whether they overlap. */
#include "compare/models.h"
#include "compare/order.h"

#include <math.h>
#include <string.h>

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

/* A part of the lines whose time the mixes decide: the kinds that some mix held together.  A mix
 * takes no less than any part of it, so the longest of these is a time that holds whichever kinds
 * overlap; where a mix held all kinds it is that of all lines.  The fit's own answer for kinds that
 * no mix held together would be chance: several maps fit the mixes equally well.  Not so where one
 * resource fits best: then nothing that was measured overlaps, and what is added up is the same in
 * every map. */
struct part {
    double lines[STREAM_KINDS];
    double seconds;
    int resource;
    bool whole; /* some mix held all kinds */
};

static struct part longest_part(const struct stream_fit *fit, const double lines[STREAM_KINDS])
{
    struct part longest = {.seconds = -1};
    for (int i = 0; i < fit->n_mixes; i++) {
        struct part p = {.whole = true};
        for (int k = 0; k < STREAM_KINDS; k++) {
            p.lines[k] = fit->mixes[i].lines[k] > 0 ? lines[k] : 0;
            p.whole &= !(lines[k] > p.lines[k]);
        }
        p.seconds = streams_seconds(&fit->map, p.lines, &p.resource);
        if (p.whole || p.seconds > longest.seconds) {
            longest = p;
        }
        if (p.whole) {
            break;
        }
    }
    if (fit->map.n_resources == 1) {
        memcpy(longest.lines, lines, sizeof longest.lines);
        longest.seconds = streams_seconds(&fit->map, lines, &longest.resource);
    }
    return longest;
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
    streams_of_kernel(in->kernel, lines);
    if (same_text(in->level, "L1")) {
        out->missing = "from L1 nothing streams";
        return;
    }
    if (!fit || *fit->problem) {
        out->missing = fit ? fit->problem : "no stream mix was measured so";
        return;
    }
    const double seconds = streams_seconds(&fit->map, lines, NULL);
    if (!(seconds > 0)) {
        out->missing = isnan(seconds) ? "no mix that was measured has streams of its kind"
                                      : "it walks no array";
        return;
    }
    const struct part part = longest_part(fit, lines);
    const double elements = STREAM_LINE_BYTES / in->kernel->element_bytes;
    out->rate = elements * kernel_work_per_element(in->kernel) / part.seconds;
    out->low = out->rate / (1 + fit->map.left_out_error);
    out->high = out->rate * (1 + fit->map.left_out_error);
    out->binds = words(&fit->map, part.lines, in, part.seconds, part.resource);
    if (!part.whole) {
        out->low *= part.seconds / seconds_apart(&fit->map, lines);
        out->binds = arena_format(in->evidence->arena, "%s, if its kinds %s, which no mix measured",
                                  out->binds, fit->map.n_resources == 1 ? "add up" : "overlap");
    }
    out->disturbed = fit->disturbed;
}
