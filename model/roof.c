#include "model/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where compute roofs are measured: their data never leave the first cache. */
static const char compute_level[] = "L1";

/* A loop of one instruction set may stream through memory by another's loads, so any will do where
 * its own was not measured. */
static const struct roof *memory_roof(const struct roof *roofs, int n, const char *name,
                                      const char *isa, const char *level, int threads)
{
    const struct roof *own = roof_find(roofs, n, name, isa, level, threads);
    return own ? own : roof_find(roofs, n, name, NULL, level, threads);
}

static bool missing(const struct kernel *k, const char *name, const char *isa, const char *level,
                    int threads, struct err *e)
{
    return err_set(e, ERR_MODEL, k->loc, "no %s roof%s%s at %s on %d thread%s", name,
                   isa ? " of " : "", isa ? isa : "", level, threads, threads == 1 ? "" : "s");
}

/* What runs where over which roofs: eight arguments are one question here. */
/* NOLINTNEXTLINE(readability-function-size) */
bool roofline_bound(const struct kernel *k, const char *isa, const char *level, int threads,
                    const struct roof *roofs, int n_roofs, struct roofline *out, struct err *e)
{
    const bool in_flops = k->flops_per_element > 0;
    *out = (struct roofline){.compute = INFINITY, .memory = INFINITY, .ridge = NAN};
    if (in_flops) {
        const char *name = k->compute_roof ? k->compute_roof : "compute";
        out->compute_roof = roof_find(roofs, n_roofs, name, isa, compute_level, threads);
        if (!out->compute_roof) {
            return missing(k, name, isa, compute_level, threads, e);
        }
        out->compute = out->compute_roof->rate;
    }
    if (k->roof && k->n_streams > 0) {
        out->memory_roof = memory_roof(roofs, n_roofs, k->roof, isa, level, threads);
        if (!out->memory_roof && (strcmp(level, compute_level) != 0 || !in_flops)) {
            return missing(k, k->roof, NULL, level, threads, e);
        }
    }
    if (out->memory_roof) {
        out->memory = (in_flops ? k->intensity : 1) * out->memory_roof->rate;
        out->ridge = in_flops ? out->compute_roof->rate / out->memory_roof->rate : (double)NAN;
    }
    if (!out->compute_roof && !out->memory_roof) {
        return err_set(e, ERR_MODEL, k->loc, "'%s' names neither a compute roof nor a memory roof",
                       k->name);
    }
    const bool memory_binds = out->memory < out->compute;
    out->bound = memory_binds ? out->memory : out->compute;
    out->binds = memory_binds ? out->memory_roof : out->compute_roof;
    return true;
}

/* Shares of the update roof at which a fill is taken for one with a fetch (a half or less: stores
 * may cost more besides), and for one without (about the same, or more): see
 * roof_write_allocates. */
static const double fetched_min = 0.2, fetched_max = 0.7, plain_min = 0.85;
/* No mix of reads and writes is known to move more than this many times the read roof of all
 * cores, where the memory and not a core's misses in flight is what binds. */
static const double mix_over_read_max = 1.5;

int roof_write_allocates(const struct roof *roofs, int n_roofs, int threads, char why[200])
{
    const size_t size = 200;
    const struct roof *fill = roof_find(roofs, n_roofs, "fill", NULL, "DRAM", threads);
    const struct roof *read = roof_find(roofs, n_roofs, "read", NULL, "DRAM", threads);
    const struct roof *update = roof_find(roofs, n_roofs, "update", NULL, "DRAM", threads);
    const char *plural = threads == 1 ? "" : "s";
    if (!fill || (!update && !read)) {
        snprintf(why, size, "it takes a fill and an update or read roof at DRAM on %d thread%s",
                 threads, plural);
        return -1;
    }
    if (update) {
        const double share = fill->rate / update->rate;
        const bool fetched = share >= fetched_min && share <= fetched_max;
        const int answer = share >= plain_min ? 0 : fetched ? 1 : -1;
        snprintf(why, size, "on %d thread%s the fill counts %.1f GB/s, %.2f of the update's %.1f%s",
                 threads, plural, fill->rate / 1e9, share, update->rate / 1e9,
                 answer == 1   ? ": without a fetch it would count as much"
                 : answer == 0 ? ": a fetch would double what it moves"
                               : ", which neither case explains");
        return answer;
    }
    const double ratio = fill->rate / read->rate;
    const bool plain = threads > 1 && 2 * ratio > mix_over_read_max;
    snprintf(why, size, "on %d thread%s the fill counts %.1f GB/s, %.2f of the read roof's %.1f%s",
             threads, plural, fill->rate / 1e9, ratio, read->rate / 1e9,
             plain          ? ": with a fetch it would move twice that"
             : threads == 1 ? ", but one core's read roof need not be the memory's"
                            : ", and there is no update roof to compare with");
    return plain ? 0 : -1;
}
