/* One case: the protocol on made-up times, the verdict on made-up noise, memory and threads, and a
 * real case of which only what cannot depend on time is asked. */
#include "measure/memory.h"
#include "measure/noise.h"
#include "measure/pool.h"
#include "measure/protocol.h"
#include "measure/reference.h"
#include "measure/sample.h"
#include "tests/tap.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define UNKNOWN ((double)NAN)

static void oom(void *context)
{
    (void)context;
    abort();
}

/* --- protocol
 * ----------------------------------------------------------------------------------- */

struct fake { /* a machine on which an iteration takes iter_s, after `slow` passes ten times that */
    double iter_s, fixed_s;
    int slow;
    int crowded; /* one pass in so many is; 0: none */
};

struct outcome {
    int passes, samples;
    int crowded;         /* of the samples, by what the machine did */
    int discarded, kept; /* by what the protocol says */
    double warmed_s;
    uint64_t n_iter;
    bool same_length, ordered;
};

static struct outcome follow(const struct protocol_rules *rules, const struct fake *f)
{
    struct protocol p;
    struct outcome o = {.same_length = true, .ordered = true};
    protocol_start(&p, rules);
    while (p.phase != PROTOCOL_DONE && o.passes < 100000) {
        const bool timed = p.phase == PROTOCOL_TIMED, warm = p.phase == PROTOCOL_WARM;
        const uint64_t n_iter = p.n_iter;
        const double factor = o.passes < f->slow ? 10 : 1;
        const double seconds = f->fixed_s + factor * f->iter_s * (double)n_iter;
        const bool crowded = f->crowded && o.passes % f->crowded == 0;
        const int discarded = p.discarded;
        const int sample = protocol_next(&p, seconds, crowded);
        const bool counts = timed && p.discarded == discarded;
        o.ordered = o.ordered && sample == (counts ? o.samples : -1) && p.n_lead >= 1 &&
                    p.n_lead <= p.n_iter;
        o.same_length = o.same_length && (!timed || o.samples == 0 || n_iter == o.n_iter);
        o.n_iter = n_iter;
        o.warmed_s += warm ? seconds : 0;
        o.samples += counts;
        o.crowded += counts && crowded;
        o.passes++;
    }
    o.discarded = p.discarded;
    o.kept = p.crowded;
    return o;
}

#define RULES(pass, warmup, n, iter_max, iter_fixed)                                               \
    {                                                                                              \
        .pass_s = pass, .warmup_s = warmup, .lead_s = (pass) / 4, .reps = n,                       \
        .n_iter_max = iter_max, .n_iter_fixed = iter_fixed                                         \
    }

static void test_protocol(void)
{
    static const struct {
        const char *name;
        struct protocol_rules rules;
        struct fake fake;
        double n_iter; /* wanted; within 30 % */
    } cases[] = {
        {"a short loop", RULES(0.01, 0.1, 21, UINT64_MAX, 0), {1e-9, 0, 0, 0}, 1e7},
        {"a long loop", RULES(0.01, 0.1, 21, UINT64_MAX, 0), {1e-3, 0, 0, 0}, 10},
        {"an iteration longer than a pass", RULES(0.01, 0.1, 5, UINT64_MAX, 0), {1, 0, 0, 0}, 1},
        {"no warm-up asked for", RULES(0.01, 0, 3, UINT64_MAX, 0), {1e-9, 0, 0, 0}, 1e7},
        {"one pass", RULES(0.01, 0.1, 1, UINT64_MAX, 0), {1e-9, 0, 0, 0}, 1e7},
        {"a limit that a pass does not reach",
         RULES(0.01, 0.1, 21, 5000, 0),
         {1e-9, 0, 0, 0},
         5000},
        {"a limit of one", RULES(0.01, 0.001, 4, 1, 0), {1e-6, 0, 0, 0}, 1},
        {"a length that is given", RULES(0.01, 0.1, 21, UINT64_MAX, 12345), {1e-9, 0, 0, 0}, 12345},
        {"a given length above the limit", RULES(0.01, 0.001, 2, 100, 12345), {1e-6, 0, 0, 0}, 100},
        {"a machine that is slow at first",
         RULES(0.01, 0.1, 21, UINT64_MAX, 0),
         {1e-9, 0, 9, 0},
         1e7},
        {"a loop that takes no time", RULES(0.01, 0.0, 3, 1 << 20, 0), {0, 0, 0, 0}, 1 << 20},
        {"a cost of every pass", RULES(0.01, 0.1, 7, UINT64_MAX, 0), {1e-9, 1e-6, 0, 0}, 1e7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct outcome o = follow(&cases[i].rules, &cases[i].fake);
        ok(o.samples == cases[i].rules.reps && o.ordered && o.same_length,
           "%s: %d samples of one length, in order", cases[i].name, o.samples);
        ok(o.warmed_s >= cases[i].rules.warmup_s && o.passes > o.samples, "%s: warm-up comes first",
           cases[i].name);
        ok(fabs((double)o.n_iter / cases[i].n_iter - 1) < 0.31, "%s: %.0f iterations, about %.0f",
           cases[i].name, (double)o.n_iter, cases[i].n_iter);
    }
}

static void test_crowded(void)
{
    static const struct {
        const char *name;
        int spare, crowded; /* one pass in so many is crowded */
        int kept;           /* of the samples are crowded; -1: some */
    } cases[] = {
        {"nobody else", 10, 0, 0},
        {"somebody now and then", 10, 3, 0},
        {"somebody always", 10, 1, 9},
        {"somebody always, and none to spare", 0, 1, 9},
        {"somebody often, and few to spare", 2, 2, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct protocol_rules rules = RULES(0.01, 0.1, 9, UINT64_MAX, 0);
        rules.spare = cases[i].spare;
        const struct fake fake = {1e-9, 0, 0, cases[i].crowded};
        const struct outcome o = follow(&rules, &fake);
        ok(o.samples == 9 && o.ordered, "%s: as many samples as asked for", cases[i].name);
        ok(o.kept == o.crowded && (cases[i].kept < 0 ? o.kept > 0 : o.kept == cases[i].kept),
           "%s: %d of them crowded", cases[i].name, o.kept);
        ok(o.discarded <= cases[i].spare && (o.kept == 0 || o.discarded == cases[i].spare),
           "%s: %d passes were made again", cases[i].name, o.discarded);
    }
}

/* --- noise
 * -------------------------------------------------------------------------------------- */

static void test_noise(void)
{
    const struct noise_seen quiet = {.duration_s = 0.5,
                                     .threads = 2,
                                     .passes = 31,
                                     .timed = 21,
                                     .crowded = 3,
                                     .stolen_s = 0.01,
                                     .pressure_s = 0.06,
                                     .throttled_s = 0,
                                     .waited_s = 0.001,
                                     .context_switches = 4,
                                     .clock_spread = 0.01,
                                     .sample_spread = 0.01};
    struct noise_seen cases[9];
    static const char *const why[9] = {
        "",
        "the hypervisor took its CPUs for 60 ms (limit 35)",
        "tasks of this system waited for a CPU for 1.83e+03 ms (limit 125)",
        "the control group's quota stopped it for 50 ms (limit 1)",
        "its threads waited for a CPU for 40 ms (limit 20)",
        "its threads were displaced 44 times (limit 21.5)",
        "the clock moved by 7 % (limit 2)",
        "the middle half of its passes differs by 30 % (limit 4)",
        "its cores were shared during 33.3 % of its passes (limit 25)",
    };
    for (int i = 0; i < 9; i++) {
        cases[i] = quiet;
    }
    cases[1].stolen_s = 0.06;
    cases[2].pressure_s = 1.829;
    cases[3].throttled_s = 0.05;
    cases[4].waited_s = 0.04;
    cases[5].context_switches = 44;
    cases[6].clock_spread = 0.07;
    cases[7].sample_spread = 0.3;
    cases[8].crowded = 7;
    for (int i = 0; i < 9; i++) {
        char text[NOISE_WHY_BYTES];
        const double severity = noise_judge(&cases[i], text);
        ok((severity > 1) == (i > 0), "severity %.2f", severity);
        is_text(text, why[i], i ? "the reason" : "a quiet case has none");
    }
    struct noise_seen unknown = quiet;
    char text[NOISE_WHY_BYTES];
    unknown.stolen_s = unknown.pressure_s = unknown.throttled_s = unknown.waited_s = UNKNOWN;
    ok(noise_judge(&unknown, text) < 1 && !text[0], "what cannot be read disturbs nothing");
    unknown.throttled_s = 0.05;
    unknown.clock_spread = 0.06;
    ok(noise_judge(&unknown, text) > 1 && strstr(text, "quota"), "the worst rule is named");
}

static void test_spread(void)
{
    static const struct {
        double x[9];
        int n;
        double spread;
        const char *name;
    } cases[] = {
        {{5}, 1, 0, "one pass"},
        {{4, 6}, 2, 0.2, "two passes"},
        {{1, 1, 1, 1, 1, 1, 1, 1, 9}, 9, 0, "one pass that was interrupted"},
        {{2, 1, 2, 1, 2, 1, 2, 1, 2}, 9, 0.5, "two heaps"},
        {{5, 1, 4, 2, 3}, 5, 2.0 / 3, "any order"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_near(noise_spread(cases[i].x, cases[i].n), cases[i].spread, 1e-12, cases[i].name);
    }
}

/* --- memory and threads
 * ------------------------------------------------------------------------- */

static void test_memory(void)
{
    struct memory m;
    struct err e = {0};
    char *slices[4];
    const size_t bytes = 3 * 4096 + 192;
    ok(memory_map(&m, memory_slices_bytes(4, bytes), &e), "a region is mapped %s", e.text);
    memory_slices(&m, 4, bytes, LOOP_PAD, slices);
    bool aligned = true, apart = true, inside = true, offsets = true;
    for (int i = 0; i < 4; i++) {
        const uintptr_t at = (uintptr_t)slices[i];
        aligned = aligned && at % 64 == 0;
        inside = inside && slices[i] - LOOP_PAD >= m.base &&
                 slices[i] + bytes + LOOP_PAD <= m.base + m.bytes;
        apart = apart && (i == 0 || slices[i] - slices[i - 1] >= (ptrdiff_t)(bytes + 2 * LOOP_PAD));
        for (int k = 0; k < i; k++) {
            const uintptr_t off = (at - (uintptr_t)slices[k]) % 4096;
            offsets = offsets && off >= 512 && off <= 4096 - 512;
        }
    }
    ok(aligned, "slices are aligned to 64 bytes");
    ok(inside && apart, "slices and their pads lie in the region and apart");
    ok(offsets, "no two slices are near each other within their pages");
    memset(m.base, 1, m.bytes);
    const double huge = memory_huge_fraction(&m, 1);
    ok(isnan(huge) || (huge >= 0 && huge <= 1), "a fraction of huge pages, or unknown");
    memory_release(&m);
    memory_release(&m);
    ok(!m.base, "a region is released, and again");
    ok(!memory_map(&m, (size_t)1 << 60, &e) && e.code == ERR_HOST, "too much: %s", e.text);
    ok(!m.base, "and nothing is mapped");
}

struct meeting { /* threads count together, round after round */
    struct barrier barrier;
    atomic_int count;
    atomic_int wrong;
    int n;
};

static void meet(void *context, int thread)
{
    struct meeting *m = context;
    (void)thread;
    for (int round = 1; round <= 100; round++) {
        atomic_fetch_add(&m->count, 1);
        barrier_wait(&m->barrier);
        if (atomic_load(&m->count) != round * m->n) {
            atomic_fetch_add(&m->wrong, 1);
        }
        barrier_wait(&m->barrier);
    }
}

static void test_pool(const struct host *h)
{
    const int twice[] = {h->cpus[0], h->cpus[0]};
    struct err e = {0};
    ok(!pool_create(twice, 2, &e) && e.code == ERR_HOST, "two threads on one CPU: %s", e.text);
    e = (struct err){0};
    /* A CPU that no machine has cannot be pinned to, which is no error. */
    const int absent[] = {h->cpus[0], 1 << 20};
    struct pool *p = pool_create(absent, 2, &e);
    if (ok(p != NULL, "a pool of two threads %s", e.text)) {
        ok(pool_unpinned(p) == 1, "one of them could not be pinned");
        for (int n = 2; n >= 1; n--) {
            struct meeting m = {.n = n};
            barrier_init(&m.barrier, n);
            pool_run(p, 0, n, meet, &m);
            ok(atomic_load(&m.wrong) == 0 && atomic_load(&m.count) == 100 * n,
               "%d threads meet a hundred times", n);
        }
        pool_release(p);
    }
}

/* --- one real case
 * ------------------------------------------------------------------------------ */

static void do_nothing(struct loop_args *args)
{
    (void)args;
}

static void test_case(const struct host *h, struct arena *a)
{
    struct sampler *s = arena_new(a, struct sampler, 1);
    struct err e = {0};
    const struct loop *copy = loop_named("copy", isa_widest());
    const uint64_t bytes = 64 * copy->bytes_per_iter;
    int stop = 0;
    *s = (struct sampler){
        .host = h, .pool = pool_create(h->cpus, 1, &e), .n_regions = 1, .stop = &stop};
    if (!ok(s->pool && memory_map(&s->regions[0], sample_region_bytes(copy, bytes), &e),
            "a sampler of one thread %s", e.text)) {
        return;
    }
    struct sample_request r = {.loop = copy,
                               .level = "L1",
                               .slice_bytes = bytes,
                               .threads = 1,
                               .rules = RULES(1e-4, 0, 5, UINT64_MAX, 0),
                               .seed = 3};
    struct sampled got = {.severity = -1};
    const struct run_case *made = &got.run;
    ok(sample_run(s, &r, a, &got, &e), "copy runs %s", e.text);
    ok(made->n == 5 && made->threads == 1 && got.n_iter > 0 && got.severity >= 0, "five samples");
    is_near(made->work_per_pass, (double)got.n_iter * copy->bytes_counted_per_iter, 0,
            "work of a pass");
    is_near(made->array_bytes, 2 * (double)bytes, 0, "both arrays are counted");
    ok(made->checksum == made->reference && made->tolerance == 0, "what was copied is right");
    ok(made->noise.why && made->noise.disturbed == (made->noise.why[0] != '\0'),
       "noise has a verdict");
    bool positive = true;
    for (int i = 0; i < made->n; i++) {
        positive = positive && made->seconds[i] > 0 && made->clock_hz[i] > 0;
    }
    ok(positive, "every pass took time, and has a clock");

    struct loop broken = *copy;
    broken.run = do_nothing;
    r.loop = &broken;
    r.rules.n_iter_max = 100;
    ok(!sample_run(s, &r, a, &got, &e) && e.code == ERR_HOST && strncmp(e.text, "copy ", 5) == 0,
       "a loop that computes nothing: %s", e.text);
    e = (struct err){0};
    r.loop = copy;
    stop = 1;
    ok(!sample_run(s, &r, a, &got, &e) && e.code == ERR_HOST, "%s", e.text);
    memory_release(&s->regions[0]);
    pool_release(s->pool);
}

int main(void)
{
    struct arena *a = arena_create((size_t)64 << 20, oom, NULL);
    struct host *h = arena_new(a, struct host, 1);
    struct err e = {0};
    test_protocol();
    test_crowded();
    test_noise();
    test_spread();
    test_memory();
    if (ok(host_describe(a, h, &e), "the host is described %s", e.text)) {
        test_pool(h);
        test_case(h, a);
    }
    arena_release(a);
    return tap_done();
}
