#include "measure/campaign.h"

#include "base/stats.h"
#include "base/text.h"
#include "code/decode.h"
#include "measure/clock.h"
#include "measure/counters.h"
#include "measure/memory.h"
#include "measure/merge.h"
#include "measure/plan.h"
#include "measure/pool.h"
#include "measure/sample.h"
#include "measure/sizes.h"
#include "measure/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASS_S       0.006
#define PASS_QUICK_S 0.003
#define REPEATS_MAX  2
/* On a machine that is always disturbed repeating everything would only take longer. */
#define REPEATED_SHARE      0.15
#define REPEATED_MIN        6
#define CODE_BYTES_MAX      4096
#define INSN_BYTES_MAX      15
#define HUGE_ENOUGH         0.9
#define SWEEP_FIRST_BYTES   4096.0
#define SWEEP_CACHES        2.0 /* times the last level */
#define SWEEP_UNKNOWN_BYTES 536870912.0
#define SWEEP_PASS_S        0.003
#define SWEEP_REPS          3
#define SWEEP_WARMUP_S      0.004
/* The warm-up walks an array once where it is read faster than this. */
#define SWEEP_WALK_BYTES_PER_S 8e9
#define SEED                   20u

struct campaign {
    const struct campaign_settings *settings;
    const struct host *host;
    struct arena *arena;
    struct sampler sampler;
    struct sizes_machine views[2]; /* of one thread, of all */
    int threads[2];                /* 1, and all where that is more; else 0 */
    struct plan plan;
    struct run *run;
    uint64_t *n_iter; /* of run->cases */
    size_t cases_capacity, loops_capacity, warnings_capacity;
    int repeats_left;
    unsigned seed;
    struct err *e;
};

static void warn(struct campaign *c, const char *text)
{
    struct run *r = c->run;
    r->warnings = arena_grow(c->arena, (void *)r->warnings, (size_t)r->n_warnings,
                             &c->warnings_capacity, sizeof *r->warnings);
    r->warnings[r->n_warnings++] = text;
}

static void view_host(const struct host *h, int threads, struct sizes_machine *out)
{
    *out = (struct sizes_machine){.threads = threads,
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
            "%d threads were asked for, but this process may use %d core%s (CPUs %s); ask "
            "for 1 to %d",
            asked, there, there == 1 ? "" : "s", c->host->facts.cpus_allowed, there);
    }
    const int all = asked ? asked : there;
    c->threads[0] = 1;
    c->threads[1] = all > 1 ? all : 0;
    for (int k = 0; k < 2 && c->threads[k]; k++) {
        view_host(c->host, c->threads[k], &c->views[k]);
    }
    return true;
}

static const struct sizes_machine *view_of(const struct campaign *c, int threads)
{
    return &c->views[threads == c->threads[0] ? 0 : 1];
}

static uint64_t slice_of(const struct campaign *c, const struct loop *l, enum level level,
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

/* What all threads' regions take where each walks LOOP_ARRAYS_MAX arrays from DRAM.  Thread 0 walks
 * them alone too. */
static double dram_bytes(const struct campaign *c)
{
    double all = sizes_of_thread(&c->views[0], LEVEL_DRAM, LOOP_ARRAYS_MAX);
    if (c->threads[1]) {
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
                warn(c, arena_format(c->arena,
                                     "%s is not measured on %d thread%s: no array size lies well "
                                     "inside of it and well outside of the level before",
                                     level_names[level], c->threads[k],
                                     c->threads[k] == 1 ? "" : "s"));
            }
        }
    }
    if (!dram) {
        char needed[TEXT_SI_SIZE], usable[TEXT_SI_SIZE];
        warn(c, arena_format(c->arena,
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

/* One region a thread, as large as its largest case; the pages are touched when a case fills them. */
static bool map_regions(struct campaign *c)
{
    const int n = c->threads[1] ? c->threads[1] : 1;
    for (int t = 0; t < n; t++) {
        size_t bytes = 0;
        for (int i = 0; i < c->plan.n; i++) {
            const struct plan_item *p = &c->plan.items[i];
            const size_t needed =
                sample_region_bytes(p->loop, slice_of(c, p->loop, p->level, p->threads));
            bytes = t < p->threads && needed > bytes ? needed : bytes;
        }
        if (!memory_map(&c->sampler.regions[t], bytes, c->e)) {
            return false;
        }
        c->sampler.n_regions++;
    }
    return true;
}

static struct run_case *new_case(struct campaign *c)
{
    struct run *r = c->run;
    const size_t n = (size_t)r->n_cases;
    size_t capacity = c->cases_capacity;
    r->cases = arena_grow(c->arena, r->cases, n, &c->cases_capacity, sizeof *r->cases);
    c->n_iter = arena_grow(c->arena, c->n_iter, n, &capacity, sizeof *c->n_iter);
    return &r->cases[r->n_cases++];
}

/* Measures again what was disturbed, and keeps the least disturbed try. */
static bool measure(struct campaign *c, const struct sample_request *request, int repeats_max,
                    struct run_case *out, uint64_t *n_iter)
{
    double least = (double)INFINITY;
    const struct run_case blank = *out;
    for (int try = 0; try <= repeats_max; try++) {
        struct run_case tried = blank;
        struct sample_request r = *request;
        double severity;
        uint64_t tried_iter;
        r.seed = c->seed++ * 64;
        if (!sample_run(&c->sampler, &r, c->arena, &tried, &tried_iter, &severity, c->e)) {
            return false;
        }
        if (severity < least) {
            least = severity;
            *out = tried;
            *n_iter = tried_iter;
        }
        out->noise.repeats = try;
        if (severity <= 1 || (try < repeats_max && c->repeats_left-- <= 0)) {
            break;
        }
    }
    return true;
}

static struct run_case *find_first_visit(struct campaign *c, const struct plan_item *p)
{
    for (int i = 0; i < c->run->n_cases; i++) {
        struct run_case *k = &c->run->cases[i];
        if (k->kind == RUN_KERNEL && strcmp(k->name, p->loop->name) == 0 &&
            strcmp(k->level, level_names[p->level]) == 0 && k->threads == p->threads) {
            return k;
        }
    }
    return NULL;
}

/* Both visits to a kernel take together what a roof takes; further mixes are measured shortly.
 * `first`: the case of the first visit, whose length of a pass is kept. */
static struct protocol_rules rules_of(const struct campaign *c, const struct plan_item *p,
                                      const struct run_case *first)
{
    const struct campaign_settings *s = c->settings;
    const bool halved = p->class == PLAN_KERNEL && p->rounds == 2;
    const bool brief = p->class == PLAN_MIX;
    const double pass_s = s->pass_s > 0 ? s->pass_s : s->quick ? PASS_QUICK_S : PASS_S;
    return (struct protocol_rules){
        .pass_s = brief ? pass_s / 2 : pass_s,
        .warmup_s = brief || halved ? s->warmup_s / 2 : s->warmup_s,
        .reps = !halved         ? s->reps
                : p->round == 1 ? (s->reps + 1) / 2
                                : s->reps / 2,
        .n_iter_max = UINT64_MAX,
        .n_iter_fixed = first ? c->n_iter[first - c->run->cases] : 0,
    };
}

static struct run_case blank_case(const struct loop *l, enum run_kind kind, const char *level,
                                  int round)
{
    return (struct run_case){
        .kind = kind,
        .name = l->name,
        .isa = isa_info[l->isa].name,
        .level = level,
        .chains = l->chains,
        .round = round,
        .unit = l->unit == UNIT_FLOPS ? "flop/s" : "byte/s",
        .recorded_rate = (double)NAN,
        .recorded_cv = (double)NAN,
    };
}

static bool measure_item(struct campaign *c, const struct plan_item *p)
{
    static const enum run_kind kinds[PLAN_CLASSES] = {[PLAN_COMPUTE] = RUN_ROOF,
                                                      [PLAN_CHAIN] = RUN_CHAIN,
                                                      [PLAN_MEMORY] = RUN_ROOF,
                                                      [PLAN_MIX] = RUN_ROOF,
                                                      [PLAN_KERNEL] = RUN_KERNEL};
    const bool kernel = p->class == PLAN_KERNEL;
    struct run_case *first = kernel && p->round == 2 ? find_first_visit(c, p) : NULL;
    const struct sample_request r = {
        .loop = p->loop,
        .level = level_names[p->level],
        .slice_bytes = slice_of(c, p->loop, p->level, p->threads),
        .threads = p->threads,
        .rules = rules_of(c, p, first),
    };
    struct run_case made = blank_case(p->loop, kinds[p->class], r.level, kernel ? 1 : p->round);
    uint64_t n_iter;
    if (r.rules.reps == 0) {
        return true; /* one pass in all was made at the first visit */
    }
    if (!measure(c, &r, REPEATS_MAX, &made, &n_iter)) {
        return false;
    }
    if (first) {
        merge_visits(first, &made, c->arena);
        return true;
    }
    *new_case(c) = made;
    c->n_iter[c->run->n_cases - 1] = n_iter;
    return true;
}

static bool measure_plan(struct campaign *c)
{
    const struct campaign_settings *s = c->settings;
    const int allowed = (int)(REPEATED_SHARE * c->plan.n);
    c->repeats_left = allowed > REPEATED_MIN ? allowed : REPEATED_MIN;
    for (int i = 0; i < c->plan.n; i++) {
        const struct plan_item *p = &c->plan.items[i];
        if (s->progress) {
            s->progress(s->context, i, c->plan.n,
                        arena_format(c->arena, "%s at %s, %d thread%s", p->loop->name,
                                     level_names[p->level], p->threads,
                                     p->threads == 1 ? "" : "s"));
        }
        if (!measure_item(c, p)) {
            return false;
        }
    }
    if (s->progress) {
        s->progress(s->context, c->plan.n, c->plan.n, "done");
    }
    return true;
}

/* --- the size sweep ---------------------------------------------------------------------------- */

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

static bool sweep_point(struct campaign *c, const struct loop *l, double bytes, double *rate)
{
    const struct sample_request r = {
        .loop = l,
        .level = level_holding(&c->views[0], bytes),
        .slice_bytes = (uint64_t)bytes,
        .threads = 1,
        .rules = {.pass_s = SWEEP_PASS_S,
                  .warmup_s = fmax(SWEEP_WARMUP_S, bytes / SWEEP_WALK_BYTES_PER_S),
                  .reps = SWEEP_REPS,
                  .n_iter_max = UINT64_MAX},
    };
    struct run_case made = blank_case(l, RUN_SWEEP, r.level, 1);
    uint64_t n_iter;
    if (!measure(c, &r, 0, &made, &n_iter)) {
        return false;
    }
    *rate = run_case_rate(&made);
    *new_case(c) = made;
    return true;
}

/* Arrays are to lie well inside the cache that was seen, and DRAM's beyond any that was reported. */
static void believe_sweep(struct campaign *c, int level, double measured)
{
    for (int k = 0; k < 2; k++) {
        struct sizes_machine *m = &c->views[k];
        m->bytes[level] = measured;
        m->last_level_bytes = fmax(m->last_level_bytes, measured); /* NaN loses */
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
    }
    if (n == 0) {
        warn(c,
             "neither the system nor the sweep shows a cache: only L1 (arrays of 16 KiB) and DRAM "
             "(of 512 MiB) are measured");
    }
}

static void judge_sweep(struct campaign *c, const struct sweep_knee *knees, int n)
{
    struct run_host *f = &c->run->host;
    const char *warnings[SIZES_CACHES];
    const int n_warnings = sweep_compare(knees, n, f->caches, f->n_caches, c->arena, warnings);
    for (int i = 0; i < n_warnings; i++) {
        warn(c, warnings[i]);
    }
    for (int i = 0; i < f->n_caches; i++) {
        for (int level = 0; level < SIZES_CACHES; level++) {
            if (strcmp(f->caches[i].name, level_names[level]) == 0 &&
                sweep_disagrees(&f->caches[i])) {
                believe_sweep(c, level, f->caches[i].measured_bytes);
            }
        }
    }
}

static bool sweep(struct campaign *c)
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
    struct memory *region = &c->sampler.regions[0];
    bool fine = memory_map(region, sample_region_bytes(l, (uint64_t)sizes[n - 1]), c->e);
    for (int i = 0; i < n && fine; i++) {
        fine = sweep_point(c, l, sizes[i], &rates[i]);
    }
    memory_release(region);
    if (!fine) {
        return false;
    }
    struct sweep_knee knees[SWEEP_KNEES_MAX];
    const int n_knees = sweep_knees(sizes, rates, n, knees);
    if (isnan(known)) {
        adopt_knees(c, knees, n_knees);
    } else {
        judge_sweep(c, knees, n_knees);
    }
    return true;
}

/* --- what stands beside the cases --------------------------------------------------------------- */

/* Length of the function at `code` through the return that no branch before it jumps over; 0 if
 * there is none within CODE_BYTES_MAX.  Reads no further than that return. */
static size_t function_bytes(struct decoder *d, const uint8_t *code)
{
    size_t at = 0;
    uint64_t furthest = 0;
    struct insn insn;
    struct err e = {0};
    while (at < CODE_BYTES_MAX && decode_insn(d, code + at, INSN_BYTES_MAX, at, &insn, &e)) {
        at += (size_t)insn.length;
        if (insn.branch && insn.target > furthest && insn.target < CODE_BYTES_MAX) {
            furthest = insn.target;
        }
        if (insn.returns && at > furthest) {
            return at;
        }
    }
    return 0;
}

static const char *hexadecimal(const uint8_t *bytes, size_t n, struct arena *a)
{
    static const char digits[] = "0123456789abcdef";
    char *text = arena_new(a, char, 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return text;
}

static void add_loop_code(struct campaign *c, struct decoder *d, const struct loop *l)
{
    struct run *r = c->run;
    const uint8_t *code;
    memcpy(&code, &l->run, sizeof code); /* ISO C has no cast from a function to its bytes */
    const size_t n = function_bytes(d, code);
    if (n == 0) {
        warn(c, arena_format(c->arena,
                             "the machine code of %s has no end that the decoder can find; "
                             "its instructions cannot be counted",
                             l->name));
        return;
    }
    r->loops =
        arena_grow(c->arena, r->loops, (size_t)r->n_loops, &c->loops_capacity, sizeof *r->loops);
    r->loops[r->n_loops++] = (struct run_loop){
        .name = l->name,
        .isa = isa_info[l->isa].name,
        .code = hexadecimal(code, n, c->arena),
        .elements_per_iter =
            l->n_arrays ? (double)l->bytes_per_iter / l->element_bytes : (double)NAN,
    };
}

static bool add_codes(struct campaign *c)
{
#if defined(__x86_64__)
    struct decoder *d = decoder_open(ARCH_X86_64, c->e);
#else
    struct decoder *d = decoder_open(ARCH_AARCH64, c->e);
#endif
    if (!d) {
        return false;
    }
    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *l = &loops_table[i];
        bool ran = false;
        for (int k = 0; k < c->plan.n && !ran; k++) {
            ran = c->plan.items[k].loop == l;
        }
        if (ran) {
            add_loop_code(c, d, l);
        }
    }
    decoder_close(d);
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
    int n_disturbed = 0;
    merge_rounds(r->cases, r->n_cases, c->arena);
    for (int i = 0; i < r->n_cases; i++) {
        n_disturbed += r->cases[i].noise.disturbed && r->cases[i].kind != RUN_SWEEP;
    }
    if (n_disturbed > 0) {
        warn(c,
             arena_format(c->arena,
                          "%d of %d cases were disturbed and are marked with the reason; measure "
                          "again on a quiet machine before you rely on them",
                          n_disturbed, r->n_cases));
    }
    const int unpinned = pool_unpinned(c->sampler.pool);
    if (unpinned > 0) {
        warn(c,
             arena_format(c->arena,
                          "%d threads could not be pinned to their CPUs and may have moved during "
                          "the run",
                          unpinned));
    }
    struct run_host *f = &r->host;
    f->cpus_used = c->threads[1] ? c->threads[1] : 1;
    f->clock_hz = median_clock_of_run(c);
    f->huge_page_fraction = memory_huge_fraction(c->sampler.regions, c->sampler.n_regions);
    if (f->huge_page_fraction < HUGE_ENOUGH) {
        warn(c,
             arena_format(c->arena,
                          "only %.0f %% of the arrays lie in huge pages (the system's setting is "
                          "'%s'): rates beyond L2 may be lower than this machine can do",
                          1e2 * f->huge_page_fraction, f->huge_pages));
    }
}

/* --- the whole ---------------------------------------------------------------------------------- */

static void spin(void *context, int thread)
{
    (void)thread;
    clock_spin(*(const double *)context);
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
        warn(c, h->warnings[i]);
    }
    r->host.counters = counters_describe(c->arena);
    r->reps = c->settings->reps;
    r->warmup_ms = 1e3 * c->settings->warmup_s;
    r->quick = c->settings->quick;
}

static bool run_stages(struct campaign *c)
{
    double spin_s = c->settings->spin_s;
    pool_run(c->sampler.pool, c->threads[1] ? c->threads[1] : 1, spin, &spin_s);
    if (!sweep(c)) {
        return false;
    }
    make_plan(c);
    if (!map_regions(c) || !measure_plan(c) || !add_codes(c)) {
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
    c->sampler.pool = pool_create(h->cpus, c->threads[1] ? c->threads[1] : 1, e);
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
