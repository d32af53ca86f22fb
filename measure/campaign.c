#include "measure/campaign.h"

#include "base/stats.h"
#include "base/text.h"
#include "measure/campaign_parts.h"
#include "measure/clock.h"
#include "measure/counters.h"
#include "measure/memory.h"
#include "measure/merge.h"
#include "measure/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HUGE_ENOUGH 0.9
#define HUGE_PAGE   ((size_t)2 << 20)
#define SEED        20u

void campaign_warn(struct campaign *c, const char *text)
{
    struct run *r = c->run;
    r->warnings = arena_grow(c->arena, (void *)r->warnings, (size_t)r->n_warnings,
                             &c->warnings_capacity, sizeof *r->warnings);
    r->warnings[r->n_warnings++] = text;
}

static void view_host(const struct host *h, int threads, double dram_caches,
                      struct sizes_machine *out)
{
    *out = (struct sizes_machine){.threads = threads,
                                  .dram_caches = dram_caches,
                                  .last_level_bytes = h->last_level_bytes,
                                  .memory_usable_bytes = h->memory_usable_bytes};
    for (int i = 0; i < SIZES_CACHES; i++) {
        out->bytes[i] = h->levels[i].bytes;
        out->sharers[i] = host_level_sharers(&h->levels[i], threads);
        out->instances[i] = host_level_instances(&h->levels[i], threads);
    }
}

static bool choose_threads(struct campaign *c)
{
    const int asked = c->settings->threads, there = c->host->n_cpus;
    if (asked < 0 || asked > there) {
        return err_set(
            c->e, ERR_HOST, LOC_NONE,
            "%d threads were asked for, but this process may use %d core%s (CPUs %s), one "
            "thread each",
            asked, there, there == 1 ? "" : "s", c->host->facts.cpus_allowed);
    }
    const int all = asked ? asked : there;
    const double dram_caches = c->settings->quick ? SIZES_DRAM_CACHES_QUICK : SIZES_DRAM_CACHES;
    c->threads[0] = 1;
    c->threads[1] = all > 1 ? all : 0;
    for (int k = 0; k < 2 && c->threads[k]; k++) {
        view_host(c->host, c->threads[k], dram_caches, &c->views[k]);
    }
    return true;
}

static const struct sizes_machine *view_of(const struct campaign *c, int threads)
{
    return &c->views[threads == c->threads[0] ? 0 : 1];
}

uint64_t campaign_slice(const struct campaign *c, const struct loop *l, enum level level,
                        int threads)
{
    if (l->n_arrays == 0) {
        return 0;
    }
    if (l->in_registers) {
        return LOOP_BUFFER_BYTES;
    }
    return sizes_slice(sizes_of_thread(view_of(c, threads), level, l->n_arrays), l->n_arrays,
                       l->bytes_per_iter);
}

/* Where all memory is equally near, the threads share what one thread alone uses whole. */
static bool is_shared(const struct campaign *c)
{
    return c->host->numa_nodes == 1;
}

/* What all threads' regions take where each walks LOOP_ARRAYS_MAX arrays from DRAM.  Thread 0 walks
 * them alone too. */
static double dram_bytes(const struct campaign *c)
{
    double all = sizes_of_thread(&c->views[0], LEVEL_DRAM, LOOP_ARRAYS_MAX);
    if (c->threads[1] && !is_shared(c)) {
        all += (c->threads[1] - 1) * sizes_of_thread(&c->views[1], LEVEL_DRAM, LOOP_ARRAYS_MAX);
    }
    return all;
}

static void find_levels(struct campaign *c, bool there[2][LEVEL_COUNT])
{
    const bool dram = sizes_fit(&c->views[0], dram_bytes(c));
    for (int k = 0; k < 2 && c->threads[k]; k++) {
        for (int level = 0; level < LEVEL_COUNT; level++) {
            const bool room = sizes_of_thread(&c->views[k], (enum level)level, 1) > 0;
            there[k][level] = room && (level != LEVEL_DRAM || dram);
            if (level < SIZES_CACHES && !room && !isnan(c->views[k].bytes[level])) {
                campaign_warn(
                    c,
                    arena_format(c->arena,
                                 "%s is not measured on %d thread%s: no array size lies well "
                                 "inside of it and well outside of the level before",
                                 level_names[level], c->threads[k], c->threads[k] == 1 ? "" : "s"));
            }
        }
    }
    if (!dram) {
        char needed[TEXT_SI_SIZE], usable[TEXT_SI_SIZE];
        campaign_warn(
            c, arena_format(c->arena,
                            "DRAM is not measured: its arrays need %s, and this process may use "
                            "half of %s; free memory or raise the limit",
                            text_bytes(dram_bytes(c), needed),
                            text_bytes(c->host->memory_usable_bytes, usable)));
    }
}

static void make_plan(struct campaign *c)
{
    const struct campaign_settings *s = c->settings;
    struct plan_request r = {
        .loops = loops_table,
        .n_loops = n_loops_table,
        .isa = s->isa,
        .names = s->names,
        .n_names = s->n_names,
        .quick = s->quick,
        .threads = {c->threads[0], c->threads[1]},
    };
    find_levels(c, r.level_there);
    plan_make(&r, c->arena, &c->plan);
}

bool campaign_region(struct campaign *c, int thread, size_t bytes)
{
    struct memory *m = &c->sampler.regions[thread];
    if (m->bytes >= bytes) {
        return true;
    }
    memory_release(m);
    return memory_map(m, bytes, c->e);
}

static void spin(void *context, int thread)
{
    (void)thread;
    clock_spin(*(const double *)context);
}

void campaign_spin(struct campaign *c)
{
    double spin_s = c->settings->spin_s;
    pool_run(c->sampler.pool, 0, c->sampler.n_regions, spin, &spin_s);
}

/* What a thread's region must hold for the cases on more than `threads_above` threads. */
static size_t region_need(const struct campaign *c, int thread, int threads_above)
{
    size_t bytes = 1;
    for (int i = 0; i < c->plan.n; i++) {
        const struct plan_item *p = &c->plan.items[i];
        const size_t needed =
            sample_region_bytes(p->loop, campaign_slice(c, p->loop, p->level, p->threads));
        const bool used = p->threads > thread && p->threads > threads_above;
        bytes = used && needed > bytes ? needed : bytes;
    }
    return bytes;
}

static bool map_shared(struct campaign *c)
{
    const int n = c->sampler.n_regions;
    const size_t part = (region_need(c, 0, 1) / HUGE_PAGE + 1) * HUGE_PAGE;
    const size_t alone = region_need(c, 0, 0), together = (size_t)n * part;
    struct memory *m = c->sampler.regions;
    if (!campaign_region(c, 0, alone > together ? alone : together)) {
        return false;
    }
    for (int t = 1; t < n; t++) {
        m[t] = memory_part(&m[0], (size_t)t * part, part);
    }
    return true;
}

static bool map_apart(struct campaign *c)
{
    for (int t = 0; t < c->sampler.n_regions; t++) {
        if (!campaign_region(c, t, region_need(c, t, 0))) {
            return false;
        }
    }
    return true;
}

static void touch(void *context, int thread)
{
    const struct campaign *c = context;
    const struct memory *own = &c->sampler.regions[thread], *all = &c->sampler.regions[0];
    if (!is_shared(c)) {
        memset(own->base, 0, own->bytes);
        return;
    }
    const size_t n = (size_t)c->sampler.n_regions, t = (size_t)thread, share = all->bytes / n;
    memset(all->base + t * share, 0, t + 1 < n ? share : all->bytes - t * share);
}

/* One region a thread, as large as its largest case.  All touch theirs at the same time, since the
 * first touch is slow. */
static bool map_regions(struct campaign *c)
{
    if (!(is_shared(c) ? map_shared(c) : map_apart(c))) {
        return false;
    }
    pool_run(c->sampler.pool, 0, c->sampler.n_regions, touch, c);
    return true;
}

static double median_clock_of_run(const struct campaign *c)
{
    const struct run *r = c->run;
    double *clocks = arena_new(c->arena, double, (size_t)r->n_cases + 1);
    for (int i = 0; i < r->n_cases; i++) {
        clocks[i] = stats_median(r->cases[i].clock_hz, r->cases[i].n);
    }
    return stats_median(clocks, r->n_cases);
}

static void describe_run(struct campaign *c)
{
    struct run *r = c->run;
    int n_disturbed = 0, n = 0;
    merge_rounds(r->cases, r->n_cases, c->arena);
    merge_shared(r->cases, r->n_cases, c->sampler.quietest, c->arena);
    for (int i = 0; i < r->n_cases; i++) {
        n += r->cases[i].kind != RUN_SWEEP;
        n_disturbed += r->cases[i].kind != RUN_SWEEP && r->cases[i].noise.disturbed;
    }
    if (n_disturbed > 0) {
        campaign_warn(
            c, arena_format(c->arena,
                            "%d of %d cases were disturbed and are marked with the reason; measure "
                            "again on a quiet machine before you rely on them",
                            n_disturbed, n));
    }
    const int unpinned = pool_unpinned(c->sampler.pool);
    if (unpinned > 0) {
        campaign_warn(
            c,
            arena_format(c->arena,
                         "%d threads could not be pinned to their CPUs and may have moved during "
                         "the run",
                         unpinned));
    }
    struct run_host *f = &r->host;
    f->cpus_used = c->sampler.n_regions;
    f->clock_hz = median_clock_of_run(c);
    f->huge_page_fraction = memory_huge_fraction(c->sampler.regions, c->sampler.n_regions);
    if (f->huge_page_fraction < HUGE_ENOUGH) {
        campaign_warn(
            c, arena_format(c->arena,
                            "only %.0f %% of the arrays lie in huge pages (the system's setting is "
                            "'%s'): rates beyond L2 may be lower than this machine can do",
                            1e2 * f->huge_page_fraction, f->huge_pages));
    }
}

static void begin(struct campaign *c)
{
    struct run *r = c->run;
    const struct host *h = c->host;
    r->host = h->facts;
    r->host.caches = arena_new(c->arena, struct run_cache, (size_t)h->facts.n_caches + 1);
    for (int i = 0; i < h->facts.n_caches; i++) {
        r->host.caches[i] = h->facts.caches[i];
    }
    for (int i = 0; i < h->n_warnings; i++) {
        campaign_warn(c, h->warnings[i]);
    }
    r->host.counters = counters_describe(c->arena);
    r->reps = c->settings->reps;
    r->warmup_ms = 1e3 * c->settings->warmup_s;
    r->quick = c->settings->quick;
}

static bool run_stages(struct campaign *c)
{
    if (!campaign_sweep(c)) {
        return false;
    }
    make_plan(c);
    if (!map_regions(c)) {
        return false;
    }
    campaign_spin(c);
    if (!campaign_cases(c) || !campaign_code(c)) {
        return false;
    }
    describe_run(c);
    return true;
}

bool campaign_run(const struct campaign_settings *s, const struct host *h, struct arena *a,
                  struct run *out, struct err *e)
{
    struct campaign *c = arena_new(a, struct campaign, 1);
    *c = (struct campaign){
        .settings = s,
        .host = h,
        .arena = a,
        .run = out,
        .seed = SEED,
        .e = e,
        .sampler = {.host = h, .stop = s->stop},
    };
    if (!choose_threads(c)) {
        return false;
    }
    c->sampler.n_regions = c->threads[1] ? c->threads[1] : 1;
    c->sampler.n_workers = is_shared(c) ? h->n_cpus : c->sampler.n_regions;
    c->sampler.pool = pool_create(h->cpus, c->sampler.n_workers, e);
    if (!c->sampler.pool) {
        return false;
    }
    begin(c);
    const bool fine = run_stages(c);
    pool_release(c->sampler.pool);
    for (int i = 0; i < c->sampler.n_regions; i++) {
        memory_release(&c->sampler.regions[i]);
    }
    return fine;
}
