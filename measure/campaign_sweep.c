#include "measure/campaign_parts.h"
#include "measure/sweep.h"

#include <math.h>
#include <string.h>

#define REGION_SLACK        1048576.0 /* for pads, staggering and the state of a loop */
#define SWEEP_FIRST_BYTES   4096.0
#define SWEEP_CACHES        2.0 /* times the last level */
#define SWEEP_UNKNOWN_BYTES 536870912.0
#define SWEEP_PASS_S        0.003
#define SWEEP_REPS          3
#define SWEEP_WARMUP_S      0.004
/* The warm-up walks an array once where it is read faster than this. */
#define SWEEP_WALK_BYTES_PER_S 8e9

/* The first known cache that holds as much. */
static const char *level_holding(const struct sizes_machine *m, double bytes)
{
    for (int i = 0; i < SIZES_CACHES; i++) {
        if (bytes <= m->bytes[i]) {
            return level_names[i];
        }
    }
    return level_names[LEVEL_DRAM];
}

/* A point was measured: its rate, and *disturbed set if it was. */
static bool sweep_point(struct campaign *c, const struct loop *l, double bytes, double *rate,
                        bool *disturbed)
{
    const struct sample_request r = {
        .loop = l,
        .level = level_holding(&c->views[0], bytes),
        .slice_bytes = (uint64_t)bytes,
        .threads = 1,
        .rules = {.pass_s = SWEEP_PASS_S,
                  .warmup_s = fmax(SWEEP_WARMUP_S, bytes / SWEEP_WALK_BYTES_PER_S),
                  .reps = SWEEP_REPS,
                  .spare = SWEEP_REPS,
                  .n_iter_max = UINT64_MAX},
    };
    struct sampled made = campaign_blank(l, RUN_SWEEP, r.level, 1);
    if (!campaign_measure(c, &r, &made)) {
        return false;
    }
    *rate = run_case_rate(&made.run);
    *disturbed |= made.run.noise.disturbed;
    campaign_add(c, &made);
    return true;
}

/* DRAM's arrays are to lie beyond any cache that was seen or reported. */
static void reach_beyond(struct campaign *c, double measured)
{
    for (int k = 0; k < 2; k++) {
        struct sizes_machine *m = &c->views[k];
        m->last_level_bytes = fmax(m->last_level_bytes, measured); /* NaN loses */
    }
}

/* Arrays are to lie well inside the cache that was seen. */
static void believe_sweep(struct campaign *c, int level, double measured)
{
    for (int k = 0; k < 2; k++) {
        c->views[k].bytes[level] = measured;
    }
}

/* Sizes that the system does not tell are those of the knees, where the curve has any. */
static void adopt_knees(struct campaign *c, const struct sweep_knee *knees, int n)
{
    struct run_host *f = &c->run->host;
    f->caches = arena_new(c->arena, struct run_cache, SIZES_CACHES);
    f->n_caches = n < SIZES_CACHES ? n : SIZES_CACHES;
    for (int i = 0; i < f->n_caches; i++) {
        f->caches[i] = (struct run_cache){level_names[i], (double)NAN, (double)NAN, (double)NAN,
                                          knees[i].bytes};
        believe_sweep(c, i, knees[i].bytes);
        reach_beyond(c, knees[i].bytes);
    }
    if (n == 0) {
        campaign_warn(
            c,
            "neither the system nor the sweep shows a cache: only L1 (arrays of 16 KiB) and DRAM "
            "(of 512 MiB) are measured");
    }
}

static void judge_sweep(struct campaign *c, const struct sweep_seen *seen)
{
    struct run_host *f = &c->run->host;
    const char *warnings[SIZES_CACHES];
    const int n_warnings = sweep_compare(seen, f->caches, f->n_caches, c->arena, warnings);
    for (int i = 0; i < n_warnings; i++) {
        campaign_warn(c, warnings[i]);
    }
    for (int i = 0; i < f->n_caches; i++) {
        for (int level = 0; level < SIZES_CACHES; level++) {
            if (strcmp(f->caches[i].name, level_names[level]) != 0 ||
                !sweep_disagrees(&f->caches[i])) {
                continue;
            }
            reach_beyond(c, f->caches[i].measured_bytes);
            if (sweep_moves_size(&f->caches[i], seen->disturbed)) {
                believe_sweep(c, level, f->caches[i].measured_bytes);
            }
        }
    }
}

/* The region is made as large as the cases after the sweep will want it, so that its pages are new
 * only once. */
static size_t region_bytes(const struct campaign *c, const struct loop *l, double last)
{
    const size_t swept = sample_region_bytes(l, (uint64_t)last);
    const double later = sizes_of_thread(&c->views[0], LEVEL_DRAM, LOOP_ARRAYS_MAX) + REGION_SLACK;
    return sizes_fit(&c->views[0], later) && later > (double)swept ? (size_t)later : swept;
}

bool campaign_sweep(struct campaign *c)
{
    const struct loop *l = loop_named("read", c->settings->isa);
    const double known = c->views[0].last_level_bytes;
    const double half = c->host->memory_usable_bytes / 2;
    const double last = fmin(isnan(known) ? SWEEP_UNKNOWN_BYTES : SWEEP_CACHES * known, half);
    double sizes[SWEEP_POINTS_MAX], rates[SWEEP_POINTS_MAX];
    if (!l || (c->settings->quick && !isnan(known))) {
        return true;
    }
    const int n = sweep_sizes(SWEEP_FIRST_BYTES, last, (double)l->bytes_per_iter, sizes);
    bool fine = campaign_region(c, 0, region_bytes(c, l, sizes[n - 1]));
    bool disturbed = false;
    campaign_spin(c);
    for (int i = 0; i < n && fine; i++) {
        if (c->settings->progress) {
            c->settings->progress(c->settings->context, i, n, "size sweep");
        }
        fine = sweep_point(c, l, sizes[i], &rates[i], &disturbed);
    }
    if (!fine) {
        return false;
    }
    struct sweep_knee knees[SWEEP_KNEES_MAX];
    const int n_knees = sweep_knees(sizes, rates, n, knees);
    if (isnan(known)) {
        adopt_knees(c, knees, n_knees);
    } else {
        judge_sweep(c, &(struct sweep_seen){knees, n_knees, disturbed});
    }
    return true;
}
