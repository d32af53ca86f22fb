#include "measure/sample.h"

#include "base/stats.h"
#include "measure/clock.h"
#include "measure/noise.h"
#include "measure/proc.h"
#include "measure/reference.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The state stands at the head of its thread's region, so that it is near the thread. */
#define STATE_BYTES ((size_t)16384)
_Static_assert(sizeof(struct loop_state) <= STATE_BYTES, "the state of a loop needs more room");

#define CLOCK_MIN_HZ   1e6
#define CLOCK_MAX_HZ   1e11
#define NOP_CYCLES_MAX 1e6

struct thread_note { /* written by its thread alone, on lines of its own */
    _Alignas(64) double start_s, end_s, ticks, cycle_ticks, crowd;
    double context_switches, waited_s;
    struct loop_check check;
    bool right;
};

struct job { /* one case as its threads see it */
    struct barrier barrier;
    struct sampler *sampler;
    const struct sample_request *request;
    struct protocol protocol; /* changed by thread 0 between barriers */
    bool stopped;
    int worker; /* of the pool, that is thread 0 */
    int passes;
    double crowd; /* after the last pass, so before the next one */
    double *seconds, *clock_hz, *crowds;
    struct thread_note *notes;
};

size_t sample_region_bytes(const struct loop *l, uint64_t slice_bytes)
{
    return STATE_BYTES + memory_slices_bytes(l->n_arrays, slice_bytes);
}

static struct loop_state *state_of(const struct job *j, int thread)
{
    return (struct loop_state *)(void *)j->sampler->regions[thread].base;
}

static void fill(void *context, int thread)
{
    const struct job *j = context;
    const struct sample_request *r = j->request;
    const struct memory *region = &j->sampler->regions[thread];
    const struct memory arrays = {.base = region->base + STATE_BYTES,
                                  .bytes = region->bytes - STATE_BYTES};
    char *slices[LOOP_ARRAYS_MAX] = {0};
    memory_slices(&arrays, r->loop->n_arrays, r->slice_bytes, LOOP_PAD, slices);
    loop_state_init(state_of(j, thread), r->loop, slices, r->slice_bytes,
                    r->seed + (unsigned)thread);
}

static void check(void *context, int thread)
{
    const struct job *j = context;
    struct thread_note *note = &j->notes[thread];
    note->right = loop_state_check(state_of(j, thread), &note->check);
}

static double involuntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? (double)NAN : (double)usage.ru_nivcsw;
}

static double waited_s(void)
{
    char *schedstat = proc_text("", "/proc/thread-self/schedstat");
    const double seconds = proc_waited_s(schedstat);
    free(schedstat);
    return seconds;
}

/* The counter's ticks become cycles by the pulse, and seconds by the pass itself. */
static double median_clock(const struct job *j)
{
    double hz[HOST_CPUS_MAX];
    const int n = j->request->threads;
    for (int i = 0; i < n; i++) {
        const struct thread_note *note = &j->notes[i];
        hz[i] = note->ticks / note->cycle_ticks / (note->end_s - note->start_s);
    }
    /* An emulator's counter may say anything. */
    return fmin(fmax(stats_median(hz, n), CLOCK_MIN_HZ), CLOCK_MAX_HZ);
}

static double most_crowded(const struct job *j)
{
    double crowd = 0;
    for (int i = 0; i < j->request->threads; i++) {
        crowd = fmax(crowd, j->notes[i].crowd);
    }
    return crowd;
}

/* Between two barriers, by thread 0: takes the pass down and says what comes next. */
static void finish_pass(struct job *j)
{
    const struct sampler *s = j->sampler;
    double start = j->notes[0].start_s, end = j->notes[0].end_s;
    for (int i = 1; i < j->request->threads; i++) {
        start = fmin(start, j->notes[i].start_s);
        end = fmax(end, j->notes[i].end_s);
    }
    const double after = most_crowded(j), crowd = fmax(j->crowd, after);
    const int sample =
        protocol_next(&j->protocol, end - start, !pulse_is_quiet(crowd, s->quietest));
    if (sample >= 0) {
        j->seconds[sample] = end - start;
        j->clock_hz[sample] = median_clock(j);
        j->crowds[sample] = crowd;
    }
    j->crowd = after;
    j->passes++;
    j->stopped = s->stop && *s->stop;
}

/* Arrays that are near the end of what float32 holds exactly are checked and filled again, and one
 * more pass that nobody times brings caches and clock back to where they were. */
static void prepare(struct loop_state *state, uint64_t n_iter)
{
    loop_state_prepare(state, n_iter);
    if (state->iters == 0) {
        loop_state_run(state, n_iter);
    }
}

static void make_passes(void *context, int thread)
{
    struct job *j = context;
    struct thread_note *note = &j->notes[thread];
    struct loop_state *state = state_of(j, thread);
    const struct pulse_gauge *gauge = &j->sampler->gauge;
    const double switches = involuntary_switches(), waited = waited_s();
    while (j->protocol.phase != PROTOCOL_DONE && !j->stopped) {
        const uint64_t n_iter = j->protocol.n_iter;
        prepare(state, j->protocol.n_lead + n_iter);
        barrier_wait(&j->barrier);
        loop_state_run(state, j->protocol.n_lead);
        barrier_wait(&j->barrier);
        const uint64_t start = pulse_ticks();
        note->start_s = clock_seconds();
        loop_state_run(state, n_iter);
        note->end_s = clock_seconds();
        note->ticks = (double)(pulse_ticks() - start);
        note->cycle_ticks = pulse_touch(gauge).cycle_ticks;
        note->crowd = pulse_crowd(gauge);
        barrier_wait(&j->barrier);
        if (thread == 0) {
            finish_pass(j);
        }
        barrier_wait(&j->barrier);
    }
    note->context_switches = involuntary_switches() - switches;
    note->waited_s = waited_s() - waited;
}

static void note_noise(const struct job *j, const struct host_noise *before, double duration_s,
                       struct arena *a, struct sampled *sampled)
{
    struct run_case *out = &sampled->run;
    struct host_noise after;
    char why[NOISE_WHY_BYTES];
    host_noise_read(j->sampler->host, j->worker, out->threads, &after);
    struct noise_seen seen = {
        .duration_s = duration_s,
        .threads = out->threads,
        .passes = j->passes,
        .stolen_s = after.stolen_s - before->stolen_s,
        .pressure_s = after.pressure_s - before->pressure_s,
        .throttled_s = after.throttled_s - before->throttled_s,
        .timed = j->protocol.timed,
        .crowded = j->protocol.crowded,
        .clock_spread = noise_spread(out->clock_hz, out->n),
        .sample_spread = noise_spread(out->seconds, out->n),
    };
    for (int i = 0; i < out->threads; i++) {
        seen.context_switches += j->notes[i].context_switches;
        seen.waited_s += j->notes[i].waited_s;
    }
    sampled->severity = noise_judge(&seen, why);
    out->noise = (struct run_noise){
        .stolen_s = seen.stolen_s,
        .pressure_s = seen.pressure_s,
        .throttled_s = seen.throttled_s,
        .context_switches = seen.context_switches,
        .clock_spread = seen.clock_spread,
        .nop_cycles = fmin(stats_median(j->crowds, out->n), NOP_CYCLES_MAX),
        .discarded = j->protocol.discarded,
        .disturbed = sampled->severity > 1,
        .why = arena_format(a, "%s", why),
    };
}

static bool note_result(const struct job *j, struct run_case *out, struct err *e)
{
    double wrong = 0;
    bool right = true;
    out->checksum = out->reference = out->tolerance = 0;
    for (int i = 0; i < out->threads; i++) {
        const struct loop_check *c = &j->notes[i].check;
        out->checksum += c->checksum;
        out->reference += c->reference;
        out->tolerance = fmax(out->tolerance, c->tolerance);
        wrong += (double)c->wrong_elements;
        right = right && j->notes[i].right;
    }
    return right ||
           err_set(e, ERR_HOST, LOC_NONE,
                   "%s (%s) at %s on %d thread%s computed %.17g instead of %.17g, %.0f array "
                   "elements are wrong: nothing it measured can be trusted",
                   j->request->loop->name, isa_info[j->request->loop->isa].name, j->request->level,
                   out->threads, out->threads == 1 ? "" : "s", out->checksum, out->reference,
                   wrong);
}

static void note_passes(const struct job *j, struct run_case *out)
{
    const struct sample_request *r = j->request;
    const double iters = (double)j->protocol.n_iter * r->threads;
    const double bytes = iters * r->loop->bytes_counted_per_iter;
    out->threads = r->threads;
    out->seconds = j->seconds;
    out->clock_hz = j->clock_hz;
    out->n = j->protocol.timed;
    out->work_per_pass = r->loop->unit == UNIT_FLOPS ? iters * r->loop->flops_per_iter : bytes;
    out->bytes_per_pass = bytes > 0 ? bytes : (double)NAN;
    out->array_bytes = (double)r->slice_bytes * r->loop->n_arrays * r->threads;
}

/* A quarter of what fresh arrays bear: before the pass that counts there may be one that nobody
 * times and a lead of up to as many iterations. */
static struct protocol_rules limited(const struct sample_request *r)
{
    struct protocol_rules rules = r->rules;
    const uint64_t most = loop_iters_max(r->loop, r->slice_bytes) / 4;
    rules.n_iter_max = most < rules.n_iter_max ? most : rules.n_iter_max;
    rules.n_iter_max = rules.n_iter_max ? rules.n_iter_max : 1;
    return rules;
}

#define LISTEN       50
#define LISTEN_S     5e-4 /* between two */
#define LOW_QUANTILE 0.1  /* the very least may be a chain that was disturbed */

struct quiet { /* what each worker of the pool finds on its core */
    const struct pulse_gauge *gauge;
    double crowds[HOST_CPUS_MAX];
};

static void listen_long(void *context, int worker)
{
    struct quiet *q = context;
    double crowds[LISTEN];
    for (int i = 0; i < LISTEN; i++) {
        clock_spin(LISTEN_S);
        crowds[i] = pulse_crowd(q->gauge);
    }
    q->crowds[worker] = stats_quantile(crowds, LISTEN, LOW_QUANTILE);
}

static void listen_short(void *context, int worker)
{
    struct quiet *q = context;
    clock_spin(LISTEN_S);
    q->crowds[worker] = pulse_listen(q->gauge).crowd;
}

static void find_gauge(void *context, int worker)
{
    (void)worker;
    *(struct pulse_gauge *)context = pulse_gauge();
}

static int least(const double *x, int n)
{
    int k = 0;
    for (int i = 1; i < n; i++) {
        k = x[i] < x[k] ? i : k;
    }
    return k;
}

static double most(const double *x, int n)
{
    double value = x[0];
    for (int i = 1; i < n; i++) {
        value = fmax(value, x[i]);
    }
    return value;
}

static int workers_max(const struct sampler *s, int threads)
{
    return s->n_workers > threads ? s->n_workers : threads;
}

/* What a quiet core is, to begin with: the quietest of all for some 25 ms. */
static void find_quietest(struct sampler *s, int threads)
{
    struct quiet q = {.gauge = &s->gauge};
    const int n = workers_max(s, threads);
    if (s->gauge.chain_trips) {
        return;
    }
    pool_run(s->pool, 0, 1, find_gauge, &s->gauge);
    pool_run(s->pool, 0, n, listen_long, &q);
    s->quietest = q.crowds[least(q.crowds, n)];
}

/* Waits, patiently, for cores that are nobody else's.  Returns the worker that is thread 0: of a
 * case on one thread the one whose core is least crowded. */
static int choose_worker(struct sampler *s, const struct sample_request *r)
{
    const int n = r->threads > 1 ? r->threads : workers_max(s, 1);
    const double end = clock_seconds() + r->patience_s;
    struct quiet q = {.gauge = &s->gauge};
    bool quiet;
    int best;
    do {
        pool_run(s->pool, 0, n, listen_short, &q);
        best = least(q.crowds, n);
        quiet = pulse_is_quiet(r->threads > 1 ? most(q.crowds, n) : q.crowds[best], s->quietest);
    } while (!quiet && clock_seconds() < end);
    return r->threads > 1 ? 0 : best;
}

/* A case that was quieter than all before says that what passed for quiet was not. */
static void learn_quietest(struct sampler *s, const struct job *j)
{
    s->quietest = fmin(s->quietest, stats_quantile(j->crowds, j->protocol.timed, LOW_QUANTILE));
}

bool sample_run(struct sampler *s, const struct sample_request *r, struct arena *a,
                struct sampled *out, struct err *e)
{
    const size_t reps = (size_t)r->rules.reps, threads = (size_t)r->threads;
    struct job j = {
        .sampler = s,
        .request = r,
        .seconds = arena_new(a, double, reps),
        .clock_hz = arena_new(a, double, reps),
        .crowds = arena_new(a, double, reps),
        .notes = aligned_alloc(64, threads * sizeof(struct thread_note)),
    };
    if (!j.notes) {
        return err_set(e, ERR_HOST, LOC_NONE, "no memory for the notes of %d threads", r->threads);
    }
    struct host_noise before;
    const struct protocol_rules rules = limited(r);
    barrier_init(&j.barrier, r->threads);
    protocol_start(&j.protocol, &rules);
    find_quietest(s, r->threads);
    j.worker = choose_worker(s, r);
    pool_run(s->pool, j.worker, r->threads, fill, &j);
    host_noise_read(s->host, j.worker, r->threads, &before);
    const double start_s = clock_seconds();
    pool_run(s->pool, j.worker, r->threads, make_passes, &j);
    const double duration_s = clock_seconds() - start_s;

    out->n_iter = j.protocol.n_iter;
    note_passes(&j, &out->run);
    bool fine =
        !j.stopped || err_set(e, ERR_HOST, LOC_NONE, "stopped on request; nothing is written");
    if (fine) {
        note_noise(&j, &before, duration_s, a, out);
        learn_quietest(s, &j);
        pool_run(s->pool, j.worker, r->threads, check, &j);
        fine = note_result(&j, &out->run, e);
    }
    free(j.notes);
    return fine;
}
