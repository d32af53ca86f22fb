/* The pure parts of a run (sizes, order, knees, merging), and small runs of which only what cannot
 * depend on time is asked. */
#include "measure/campaign.h"
#include "measure/clock.h"
#include "measure/merge.h"
#include "measure/plan.h"
#include "measure/sizes.h"
#include "measure/sweep.h"
#include "tests/tap.h"

#include <stdlib.h>

#define UNKNOWN ((double)NAN)
#define KIB     1024.0
#define MIB     (1024 * KIB)
#define GIB     (1024 * MIB)

static void oom(void *context)
{
    (void)context;
    abort();
}

/* --- sizes
 * -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct sizes_machine m;
    double l1, l2, l3, dram; /* of one thread; DRAM of a copy: two arrays */
} size_cases[] = {
    {"two cores, large L3, one thread",
     {1, {48 * KIB, 2 * MIB, 260 * MIB}, {1, 1, 1}, {1, 1, 1}, 4, 260 * MIB, 24 * GIB},
     24 * KIB,
     1 * MIB,
     64 * MIB,
     1040 * MIB},
    {"two cores, large L3, two threads",
     {2, {48 * KIB, 2 * MIB, 260 * MIB}, {1, 1, 2}, {2, 2, 1}, 4, 260 * MIB, 24 * GIB},
     24 * KIB,
     1 * MIB,
     32 * MIB,
     520 * MIB},
    {"eight cores on a 32 MiB L3",
     {8, {48 * KIB, 1 * MIB, 32 * MIB}, {1, 1, 8}, {8, 8, 1}, 4, 32 * MIB, 64 * GIB},
     24 * KIB,
     512 * KIB,
     2 * MIB,
     32 * MIB},
    {"sixteen cores on two of them",
     {16, {48 * KIB, 1 * MIB, 32 * MIB}, {1, 1, 8}, {16, 16, 2}, 4, 32 * MIB, 64 * GIB},
     24 * KIB,
     512 * KIB,
     2 * MIB,
     16 * MIB},
    {"an L3 no larger than its L2s has no size of its own",
     {8, {32 * KIB, 1 * MIB, 8 * MIB}, {1, 1, 8}, {8, 8, 1}, 4, 8 * MIB, 16 * GIB},
     16 * KIB,
     512 * KIB,
     0,
     32 * MIB},
    {"ten cores on a shared L2 that is the last level",
     {10, {128 * KIB, 16 * MIB, UNKNOWN}, {1, 5, 1}, {10, 2, 1}, 4, 16 * MIB, 64 * GIB},
     64 * KIB,
     1.6 * MIB,
     0,
     25.6 * MIB},
    {"an L2 hardly larger than its L1",
     {1, {64 * KIB, 128 * KIB, UNKNOWN}, {1, 1, 1}, {1, 1, 1}, 4, 128 * KIB, 4 * GIB},
     32 * KIB,
     0,
     0,
     256 * MIB},
    {"nothing known",
     {1, {UNKNOWN, UNKNOWN, UNKNOWN}, {1, 1, 1}, {1, 1, 1}, 4, UNKNOWN, UNKNOWN},
     16 * KIB,
     0,
     0,
     512 * MIB},
};

static void test_sizes(void)
{
    for (size_t i = 0; i < sizeof size_cases / sizeof *size_cases; i++) {
        const struct sizes_machine *m = &size_cases[i].m;
        const double want[] = {size_cases[i].l1, size_cases[i].l2, size_cases[i].l3,
                               size_cases[i].dram};
        for (int level = 0; level < LEVEL_COUNT; level++) {
            char name[128];
            snprintf(name, sizeof name, "%s: %s", size_cases[i].name, level_names[level]);
            is_near(sizes_of_thread(m, (enum level)level, 2), want[level], 1e-12, name);
        }
    }
    ok(sizes_slice(24 * KIB, 2, 1024) == 12 * 1024, "a slice divides what there is");
    ok(sizes_slice(1000, 3, 64) == 320, "and is a multiple of an iteration's bytes");
    ok(sizes_slice(100, 2, 1024) == 1024, "and holds one iteration at least");
    ok(sizes_fit(&size_cases[0].m, 12 * GIB) && !sizes_fit(&size_cases[0].m, 12.1 * GIB),
       "half of the memory may be used");
    ok(sizes_fit(&size_cases[7].m, 1e15), "unknown memory forbids nothing");
}

/* --- plan
 * --------------------------------------------------------------------------------------- */

static const struct loop table[] = {
    {.name = "fma_f32",
     .isa = (enum isa)0,
     .unit = UNIT_FLOPS,
     .n_arrays = 1,
     .in_registers = true},
    {.name = "chain_4", .isa = (enum isa)0, .unit = UNIT_FLOPS, .chains = 4, .in_registers = true},
    {.name = "read", .isa = (enum isa)0, .unit = UNIT_BYTES, .n_arrays = 1},
    {.name = "read2", .isa = (enum isa)0, .unit = UNIT_BYTES, .n_arrays = 2},
    {.name = "saxpy", .isa = (enum isa)0, .unit = UNIT_FLOPS, .n_arrays = 2},
};

static int count(const struct plan *p, const char *name, int level, int threads, int round)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const struct plan_item *k = &p->items[i];
        n += strcmp(k->loop->name, name) == 0 && (level < 0 || (int)k->level == level) &&
             (threads == 0 || k->threads == threads) && (round == 0 || k->round == round);
    }
    return n;
}

/* Roofs, kernels, kernels, roofs. */
static bool in_stages(const struct plan *p)
{
    int stage = 0;
    for (int i = 0; i < p->n; i++) {
        const bool kernel = p->items[i].class == PLAN_KERNEL;
        const int now = kernel ? p->items[i].round : p->items[i].round == 1 ? 0 : 3;
        if (now < stage) {
            return false;
        }
        stage = now;
    }
    return true;
}

static void test_plan(struct arena *a)
{
    static const char *const only[] = {"saxpy", "read2"};
    struct plan_request r = {.loops = table,
                             .n_loops = 5,
                             .isa = (enum isa)0,
                             .threads = {1, 2},
                             .level_there = {{true, true, true, true}, {true, true, false, true}}};
    struct plan p, again;
    plan_make(&r, a, &p);
    ok(in_stages(&p), "roofs, kernels, kernels again, roofs again");
    ok(count(&p, "fma_f32", LEVEL_L1, 0, 0) == 4 && count(&p, "fma_f32", -1, 0, 0) == 4,
       "a compute roof: L1, both thread counts, both rounds");
    ok(count(&p, "chain_4", -1, 0, 0) == 1 && count(&p, "chain_4", LEVEL_L1, 1, 1) == 1,
       "a chain point: once");
    ok(count(&p, "read", -1, 1, 0) == 8 && count(&p, "read", -1, 2, 0) == 6,
       "a memory roof: every level that is there, both rounds");
    ok(count(&p, "read2", -1, 0, 1) == 3 && count(&p, "read2", -1, 0, 2) == 3,
       "a further mix: L3 and DRAM, both rounds");
    ok(count(&p, "saxpy", -1, 0, 1) == 7 && count(&p, "saxpy", -1, 0, 2) == 7,
       "a kernel: every level, two visits");
    plan_make(&r, a, &again);
    ok(p.n == again.n && memcmp(p.items, again.items, (size_t)p.n * sizeof *p.items) == 0,
       "the order is the same every time");
    r.quick = true;
    plan_make(&r, a, &p);
    ok(count(&p, "read", LEVEL_DRAM, 0, 0) == 2 && count(&p, "read", LEVEL_L1, 0, 0) == 4 &&
           count(&p, "read", -1, 0, 0) == 6 && count(&p, "read2", -1, 0, 0) == 0,
       "quick: L1 twice, DRAM once, nothing else");
    r.names = only;
    r.n_names = 2;
    r.quick = false;
    r.threads[1] = 0;
    plan_make(&r, a, &p);
    ok(p.n == 4 + 8, "only what is named, on one thread");
}

static void test_shuffle(void)
{
    int order[100], other[100], seen[100] = {0}, moved = 0, differ = 0;
    plan_shuffle(order, 100, 1);
    plan_shuffle(other, 100, 2);
    bool once = true;
    for (int i = 0; i < 100; i++) {
        once = once && order[i] >= 0 && order[i] < 100 && seen[order[i]]++ == 0;
        moved += order[i] != i;
        differ += order[i] != other[i];
    }
    ok(once, "a shuffle is a permutation");
    ok(moved > 80 && differ > 80, "that moves nearly everything, each seed in its way");
    plan_shuffle(order, 1, 7);
    ok(order[0] == 0, "of one");
}

/* --- sweep
 * -------------------------------------------------------------------------------------- */

/* Recorded on a shared two-core KVM guest (family 6 model 207, 48 KiB, 2 MiB, 260 MiB reported). */
static const double recorded[][2] = {
    {4096, 253.08e9},     {6144, 242.52e9},     {8192, 245.73e9},     {11264, 246.32e9},
    {16384, 245.84e9},    {23552, 256.51e9},    {32768, 253.27e9},    {46080, 205.37e9},
    {65536, 134.89e9},    {93184, 118.99e9},    {131072, 110.11e9},   {185344, 109.16e9},
    {262144, 112.59e9},   {370688, 112.39e9},   {524288, 109.61e9},   {741376, 112.63e9},
    {1048576, 102.32e9},  {1482752, 84.80e9},   {2097152, 44.72e9},   {2965504, 30.44e9},
    {4194304, 27.63e9},   {5932032, 27.58e9},   {8388608, 27.40e9},   {11863040, 29.36e9},
    {16777216, 28.77e9},  {23726080, 27.73e9},  {33554432, 27.37e9},  {47453184, 27.10e9},
    {67108864, 29.67e9},  {94906368, 22.28e9},  {134217728, 16.19e9}, {189812736, 17.27e9},
    {268435456, 16.84e9}, {379625472, 16.94e9}, {536870912, 16.83e9}, {759249920, 16.17e9}};

static void test_knees_recorded(struct arena *a)
{
    double bytes[SWEEP_POINTS_MAX], rate[SWEEP_POINTS_MAX];
    const int n = (int)(sizeof recorded / sizeof *recorded);
    struct sweep_knee knees[SWEEP_KNEES_MAX];
    for (int i = 0; i < n; i++) {
        bytes[i] = recorded[i][0];
        rate[i] = recorded[i][1];
    }
    const int n_knees = sweep_knees(bytes, rate, n, knees);
    ok(n_knees == 3, "a recorded curve has %d knees, three", n_knees);
    ok(knees[0].bytes > 40 * KIB && knees[0].bytes < 64 * KIB, "L1 ends at %.0f KiB",
       knees[0].bytes / KIB);
    ok(knees[1].bytes > 1.4 * MIB && knees[1].bytes < 2.8 * MIB, "L2 at %.1f MiB",
       knees[1].bytes / MIB);
    ok(knees[2].bytes > 67 * MIB && knees[2].bytes < 134 * MIB,
       "the L3 that others leave at %.0f MiB", knees[2].bytes / MIB);
    struct run_cache caches[] = {{"L1", 48 * KIB, 64, 1, UNKNOWN},
                                 {"L2", 2 * MIB, 64, 1, UNKNOWN},
                                 {"L3", 260 * MIB, 64, 2, UNKNOWN}};
    const char *warnings[3];
    const int n_warnings =
        sweep_compare(&(struct sweep_seen){knees, n_knees, false}, caches, 3, a, warnings);
    ok(caches[0].measured_bytes == knees[0].bytes && caches[1].measured_bytes == knees[1].bytes &&
           caches[2].measured_bytes == knees[2].bytes,
       "each cache gets its knee");
    ok(n_warnings == 1 && strstr(warnings[0], "L3 of 260 MiB"), "and one disagrees: %s",
       warnings[0]);
    ok(!sweep_disagrees(&caches[1]) && sweep_disagrees(&caches[2]), "which is asked for as well");
    ok(sweep_moves_size(&caches[2], false) && !sweep_moves_size(&caches[1], false),
       "what was measured sizes the arrays where the two disagree");
    ok(strstr(warnings[0], "arrays for L3 are sized by what was measured"), "and it says so");

    ok(!sweep_moves_size(&caches[2], true), "a disturbed sweep moves no size");
    ok(sweep_compare(&(struct sweep_seen){knees, n_knees, true}, caches, 3, a, warnings) == 1 &&
           strstr(warnings[0], "in a sweep that was disturbed: arrays for L3 are sized by what the "
                               "system reports"),
       "and says that too: %s", warnings[0]);
}

static void test_knees_made_up(void)
{
    static const struct {
        const char *name;
        double rate[12]; /* at 1, 2, 4 .. 2048 KiB */
        int n, n_knees;
        double knee_kib[2]; /* within a factor of 1.5 */
    } cases[] = {
        {"a flat curve", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 12, 0, {0}},
        {"one step", {9, 9, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3}, 12, 1, {45}},
        {"two steps", {9, 9, 9, 9, 4, 4, 4, 4, 2, 2, 2, 2}, 12, 2, {11, 181}},
        {"a step with a point on its way", {9, 9, 9, 9, 9, 5, 3, 3, 3, 3, 3, 3}, 12, 1, {32}},
        {"noise of 5 %", {9, 9.4, 8.8, 9.2, 8.9, 9.1, 3, 3.1, 2.9, 3, 3.1, 3}, 12, 1, {45}},
        {"a rise is no knee", {3, 3, 3, 3, 9, 9, 9, 9, 9, 9, 9, 9}, 12, 0, {0}},
        {"a step of a tenth is none", {10, 10, 10, 10, 10, 10, 9, 9, 9, 9, 9, 9}, 12, 0, {0}},
        {"one point", {9}, 1, 0, {0}},
        {"no point", {0}, 0, 0, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double bytes[12];
        struct sweep_knee knees[SWEEP_KNEES_MAX];
        for (int k = 0; k < 12; k++) {
            bytes[k] = KIB * (1 << k);
        }
        const int n = sweep_knees(bytes, cases[i].rate, cases[i].n, knees);
        bool near = n == cases[i].n_knees;
        for (int k = 0; k < n && near; k++) {
            near = fabs(log(knees[k].bytes / KIB / cases[i].knee_kib[k])) < log(1.5);
        }
        ok(near, "%s: %d knees", cases[i].name, n);
    }
    double sizes[SWEEP_POINTS_MAX];
    const int n = sweep_sizes(4096, 520 * MIB, 1024, sizes);
    bool ascending = sizes[0] == 4096 && sizes[n - 1] >= 520 * MIB;
    for (int i = 1; i < n; i++) {
        ascending = ascending && sizes[i] > sizes[i - 1] && fmod(sizes[i], 1024) == 0;
    }
    ok(n == 35 || n == 36, "two sizes an octave over 17 octaves: %d", n);
    ok(ascending, "from the first to the last, multiples of the unit");
}

/* --- merging
 * ------------------------------------------------------------------------------------ */

static struct run_case made_up(double seconds, int n, struct arena *a)
{
    struct run_case c = {.kind = RUN_ROOF,
                         .name = "read",
                         .isa = "sse2",
                         .level = "L1",
                         .threads = 1,
                         .unit = "byte/s",
                         .work_per_pass = 1e6,
                         .n = n,
                         .recorded_rate = UNKNOWN};
    c.seconds = arena_new(a, double, (size_t)n);
    c.clock_hz = arena_new(a, double, (size_t)n);
    for (int i = 0; i < n; i++) {
        c.seconds[i] = seconds;
        c.clock_hz[i] = 3e9 + i;
    }
    c.noise.why = "";
    return c;
}

static void test_merge(struct arena *a)
{
    struct run_case first = made_up(0.010, 3, a), second = made_up(0.0101, 2, a);
    first.noise.stolen_s = 0.01;
    second.noise.stolen_s = 0.02;
    second.noise.repeats = 1;
    merge_visits(&first, &second, a);
    ok(first.n == 5 && first.seconds[2] == 0.010 && first.seconds[3] == 0.0101 &&
           first.clock_hz[4] == 3e9 + 1,
       "samples and clocks of both visits, in order");
    is_near(first.noise.stolen_s, 0.03, 1e-12, "noise adds up");
    ok(first.noise.repeats == 1 && !first.noise.disturbed, "one per cent apart is the same");
    struct run_case far = made_up(0.011, 2, a);
    merge_visits(&first, &far, a);
    ok(first.noise.disturbed, "ten per cent apart is not");
    is_text(first.noise.why, "the two visits differ by 10.0 %", "and says so");
    struct run_case calm = made_up(0.010, 2, a), rough = made_up(0.010, 2, a);
    rough.noise.disturbed = true;
    rough.noise.why = "the reason";
    merge_visits(&calm, &rough, a);
    ok(calm.noise.disturbed && strcmp(calm.noise.why, "the reason") == 0,
       "a disturbed visit marks the case");

    struct run_case cases[] = {made_up(0.010, 3, a), made_up(0.010, 3, a), made_up(0.012, 3, a),
                               made_up(0.020, 3, a), made_up(0.030, 3, a)};
    cases[1].level = "L2";
    cases[3].kind = RUN_KERNEL;
    cases[4].threads = 2;
    merge_rounds(cases, 5, a);
    ok(cases[2].noise.disturbed && strstr(cases[2].noise.why, "20.0 %"),
       "the slower round of a roof is marked");
    ok(cases[0].noise.disturbed && strstr(cases[0].noise.why, "20.0 %"), "the faster likewise");
    ok(!cases[1].noise.disturbed && !cases[3].noise.disturbed && !cases[4].noise.disturbed,
       "and nothing else");
}

static void test_shared(struct arena *a)
{
    static const struct {
        const char *name;
        double nop_cycles;
        bool marked;
    } cases[] = {
        {"a core of its own", 0.177, false},
        {"as quiet as any", 0.17, false},
        {"somebody beside it", 0.33, true},
        {"not known", UNKNOWN, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_case c = {.kind = RUN_ROOF, .noise = {.why = ""}};
        c.noise.nop_cycles = cases[i].nop_cycles;
        merge_shared(&c, 1, 0.17, a);
        ok(c.noise.disturbed == cases[i].marked &&
               (strstr(c.noise.why, "shared") != NULL) == cases[i].marked,
           "%s: %s", cases[i].name, c.noise.why);
    }
}

/* --- small runs
 * --------------------------------------------------------------------------------- */

static void note_progress(void *context, int done, int total, const char *what)
{
    int *last = context;
    if (what && done <= total) {
        *last = done;
    }
}

/* So that a test needs little memory. */
static struct host *with_small_caches(const struct host *h, struct arena *a)
{
    struct host *small = arena_new(a, struct host, 1);
    *small = *h;
    small->levels[0].bytes = 32 * KIB;
    small->levels[1].bytes = small->last_level_bytes = 1 * MIB;
    small->levels[2].bytes = UNKNOWN;
    small->facts.n_caches = 0;
    return small;
}

static void test_run(const struct host *h, struct arena *a)
{
    static const char *const names[] = {"fma_f32", "copy", "saxpy"};
    struct host *small = with_small_caches(h, a);
    int last = -1, stop = 0;
    struct campaign_settings s = {.threads = 1,
                                  .reps = 3,
                                  .warmup_s = 0,
                                  .spin_s = 0,
                                  .pass_s = 1e-4,
                                  .quick = true,
                                  .isa = isa_widest(),
                                  .names = names,
                                  .n_names = 3,
                                  .progress = note_progress,
                                  .context = &last,
                                  .stop = &stop};
    struct run r = {0};
    struct err e = {0};
    if (!ok(campaign_run(&s, small, a, &r, &e), "a small run %s", e.text)) {
        return;
    }
    int kernels = 0, roofs = 0;
    bool complete = true;
    for (int i = 0; i < r.n_cases; i++) {
        const struct run_case *c = &r.cases[i];
        kernels += c->kind == RUN_KERNEL;
        roofs += c->kind == RUN_ROOF;
        complete = complete && c->n == 3 && run_case_rate(c) > 0 && c->checksum == c->reference &&
                   c->threads == 1;
    }
    ok(kernels == 2 && roofs == 2 + 3, "two kernels (L1, DRAM), five roofs: %d and %d", kernels,
       roofs);
    ok(complete, "every case has its samples, and the right result");
    ok(r.n_loops == 3 && strlen(r.loops[0].code) > 40 && strlen(r.loops[0].code) < 8192,
       "the machine code of each loop is there");
    ok(last == 2 + 3 + 3, "progress was told, up to %d of 8", last);
    ok(r.host.cpus_used == 1 && r.host.clock_hz > 0 && r.reps == 3 && r.quick,
       "facts are filled in");

    stop = 1;
    ok(!campaign_run(&s, small, a, &(struct run){0}, &e) && e.code == ERR_HOST, "%s", e.text);
    stop = 0;
    static const int refused[] = {-1, 1 << 20};
    for (int i = 0; i < 2; i++) {
        e = (struct err){0};
        s.threads = refused[i];
        ok(!campaign_run(&s, small, a, &(struct run){0}, &e) && e.code == ERR_HOST, "%s", e.text);
    }
    s.threads = 1;
    small->memory_usable_bytes = 100 * MIB;
    struct run poor = {0};
    e = (struct err){0};
    bool dram = false, said = false;
    ok(campaign_run(&s, small, a, &poor, &e), "little memory is no failure %s", e.text);
    for (int i = 0; i < poor.n_cases; i++) {
        dram = dram || strcmp(poor.cases[i].level, "DRAM") == 0;
    }
    for (int i = 0; i < poor.n_warnings; i++) {
        said = said || strstr(poor.warnings[i], "DRAM is not measured");
    }
    ok(!dram && said, "but DRAM is left out, with a warning");
}

static void count_measurements(void *context, int done, int total, const char *what)
{
    (void)done;
    (void)total;
    (void)what;
    ++*(int *)context;
}

/* What is asked for is what is done, in a quick run too: of a roof, each time it is measured. */
static void test_warmup(const struct host *h, struct arena *a)
{
    static const char *const names[] = {"fma_f32"};
    int measurements = 0;
    const struct campaign_settings s = {.threads = 1,
                                        .reps = 1,
                                        .warmup_s = 0.1,
                                        .quick = true,
                                        .isa = isa_widest(),
                                        .names = names,
                                        .n_names = 1,
                                        .progress = count_measurements,
                                        .context = &measurements};
    struct run r = {0};
    struct err e = {0};
    const struct host *small = with_small_caches(h, a);
    const double start_s = clock_seconds();
    ok(campaign_run(&s, small, a, &r, &e), "a run that warms up %s", e.text);
    ok(measurements >= 2 && clock_seconds() - start_s >= measurements * s.warmup_s,
       "passes are discarded for as long as was asked for, each of %d times", measurements);
    is_near(r.warmup_ms, 100, 1e-12, "which is in the results");
}

/* One thread, then all: both with the right results, in regions that are apart or shared. */
static void test_threads(const struct host *h, struct arena *a)
{
    static const char *const names[] = {"copy", "read"};
    struct host *small = arena_new(a, struct host, 1);
    *small = *h;
    for (int level = 0; level < HOST_LEVELS_MAX; level++) {
        small->levels[level].bytes = UNKNOWN;
    }
    small->levels[0].bytes = small->last_level_bytes = 32 * KIB;
    const struct campaign_settings s = {.reps = 2,
                                        .pass_s = 1e-4,
                                        .quick = true,
                                        .isa = isa_widest(),
                                        .names = names,
                                        .n_names = 2};
    for (int nodes = 1; nodes <= 2; nodes++) {
        struct run r = {0};
        struct err e = {0};
        int most = 0;
        small->numa_nodes = nodes;
        ok(campaign_run(&s, small, a, &r, &e), "%d nodes: a run on one and all threads %s", nodes,
           e.text);
        for (int i = 0; i < r.n_cases; i++) {
            most = r.cases[i].threads > most ? r.cases[i].threads : most;
        }
        ok(most == h->n_cpus && r.n_cases == (h->n_cpus > 1 ? 12 : 6), "%d cases, up to %d threads",
           r.n_cases, most);
    }
}

int main(void)
{
    struct arena *a = arena_create((size_t)64 << 20, oom, NULL);
    struct host *h = arena_new(a, struct host, 1);
    struct err e = {0};
    test_sizes();
    test_plan(a);
    test_shuffle();
    test_knees_recorded(a);
    test_knees_made_up();
    test_merge(a);
    test_shared(a);
    if (ok(host_describe(a, h, &e), "the host is described %s", e.text)) {
        test_run(h, a);
        test_warmup(h, a);
        test_threads(h, a);
    }
    arena_release(a);
    return tap_done();
}
