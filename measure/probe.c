#include "measure/probe.h"

#include "base/items.h"
#include "measure/clock.h"
#include "measure/pulse.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const struct probe_settings probe_defaults = {.samples = 11,
                                              .cycles = 8000,
                                              .patience_s = 0.02,
                                              .wait_s = 2,
                                              .limit_s = 0.1,
                                              .values = PROBE_FULL};

/* What parent and child share. */
struct shared {
    volatile int current; /* the kernel that runs, or n when all are done */
    struct pulse_gauge gauge;
    double quiet; /* cycles of an instruction of the flood when the core is ours alone */
    double last_found;
    int n_alike;   /* children in a row that found it, evenly */
    double wide_s; /* when 512-bit instructions ran last */
    struct {
        double samples[PROBE_SAMPLES_MAX]; /* cycles of a block */
        int n;
    } kernels[PROBE_BATCH_MAX];
};

struct probe {
    struct probe_settings settings;
    struct probe_coder *coder;
    struct arena *arena;
    struct shared *shared;
    uint8_t *code; /* PROBE_BATCH_MAX kernels of PROBE_CODE_BYTES */
    uint8_t *memory;
    int blocks_per_trip[PROBE_BATCH_MAX];
    bool wide[PROBE_BATCH_MAX];
};

#define CODE_BYTES (PROBE_BATCH_MAX * PROBE_CODE_BYTES)

const struct probe_settings *probe_settings_of(const struct probe *p)
{
    return &p->settings;
}

double probe_quietest(const struct probe *p)
{
    return p->shared->quiet;
}

#if defined(__x86_64__)

#include <immintrin.h>

/* --- in the child --------------------------------------------------------------------------------
 */

typedef void kernel_function(uint64_t trips, void *memory);

#define ALONE          1.025
#define ALIKE          1.01
#define ALIKE_CHILDREN 3
#define RAISED_MAX     1.2
#define SETTLE_FIRST   400
#define SETTLE_AGAIN   60

static double kernel_ticks(kernel_function *run, uint64_t trips, void *memory)
{
    const uint64_t start = pulse_ticks();

    run(trips, memory);
    return (double)(pulse_ticks() - start);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How fast a flood is when nobody else runs on the core; where somebody always does, at the best of
 * times.  The first child takes its time; a later one may find that it had none that were good.  A
 * chain that was interrupted may set it a little too low, after which no sample would ever count;
 * so where children in a row find even pulses at one level a little higher, that level it is.  Much
 * higher it is a neighbour who is always busy: on family 6 model 207 from 1.3 to 2 and more. */
static void settle(struct shared *s)
{
    static const double low = 0.1; /* quantile: the very least is a chain that was disturbed */
    const bool first = s->quiet == 0;
    const int n = first ? SETTLE_FIRST : SETTLE_AGAIN;
    double crowd[SETTLE_FIRST];

    if (first) {
        s->gauge = pulse_gauge();
    }
    for (int i = 0; i < n; i++) {
        clock_spin(first ? 1e-4 : 0);
        crowd[i] = pulse_touch(&s->gauge).crowd;
    }
    items_sort(crowd, (size_t)n, sizeof *crowd, compare);
    const double found = crowd[(int)(low * n)];
    const bool even = crowd[n / 2] < found * ALIKE;
    const bool again = even && found < s->last_found * ALIKE && s->last_found < found * ALIKE;
    s->n_alike = again ? s->n_alike + 1 : 0;
    s->last_found = found;
    const bool risen = s->n_alike >= ALIKE_CHILDREN && found < RAISED_MAX * s->quiet;
    s->quiet = first || found < s->quiet || risen ? found : s->quiet;
}

/* Trips that take about as many cycles as wished, from a few that first warm up the code; the
 * fastest of some tries, since one that was interrupted would say far too few. */
static uint64_t choose_trips(const struct probe *p, kernel_function *run)
{
    enum { TRIED = 8, TRIES = 3 };
    double ticks = INFINITY;

    run(1, p->memory);
    for (int k = 0; k < TRIES; k++) {
        ticks = fmin(ticks, kernel_ticks(run, TRIED, p->memory));
    }
    const double cycle = pulse_touch(&p->shared->gauge).cycle_ticks;
    const double trips = p->settings.cycles * cycle * TRIED / ticks;
    return trips > 1 && trips < p->settings.cycles ? (uint64_t)trips : 1;
}

/* Family 6 model 207 runs 512-bit instructions at a fraction of its rate for some ten microseconds
 * until the core is ready for them, and is ready for two thirds of a millisecond after the last. */
#define WIDEN_S  1e-4
#define NARROW_S 3e-4

static void widen(struct shared *s, kernel_function *run, uint64_t trips, void *memory)
{
    const double start = clock_seconds();

    while (start - s->wide_s > NARROW_S && clock_seconds() - start < WIDEN_S) {
        run(trips, memory);
    }
}

/* CPU time of this process: waiting for its turn is no sign of a crowded core. */
static double own_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nearer to the quietest than pulse_is_quiet asks: a thread that mostly waits for memory takes few
 * slots from a flood, but half of the reorder buffer from a kernel.  Less than the quietest is a
 * chain that was interrupted. */
static bool is_alone(struct pulse p, const struct shared *s)
{
    return p.crowd < ALONE * s->quiet && p.crowd > s->quiet / ALONE;
}

/* Samples with a quiet core before and after, until there are enough or it is time to go on. */
static void sample(const struct probe *p, int k)
{
    union { /* ISO C has no cast from data to code */
        uint8_t *bytes;
        kernel_function *run;
    } kernel = {.bytes = p->code + (size_t)k * PROBE_CODE_BYTES};
    struct shared *s = p->shared;
    const uint64_t trips = choose_trips(p, kernel.run);
    const double blocks = (double)trips * p->blocks_per_trip[k];
    if (p->wide[k]) {
        widen(s, kernel.run, trips, p->memory);
    }
    const double end = own_seconds() + p->settings.patience_s;
    struct pulse before = pulse_touch(&s->gauge);
    int n = 0;

    while (n < p->settings.samples) {
        const double t = kernel_ticks(kernel.run, trips, p->memory) - s->gauge.overhead_ticks;
        const struct pulse after = pulse_touch(&s->gauge);
        if (is_alone(before, s) && is_alone(after, s)) {
            s->kernels[k].samples[n++] = 2 * t / (before.cycle_ticks + after.cycle_ticks) / blocks;
        } else if (own_seconds() > end) {
            break;
        }
        before = after;
    }
    s->kernels[k].n = n;
    s->wide_s = p->wide[k] ? clock_seconds() : s->wide_s;
}

/* What the child does with a fault is to die of it. */
static void accept_faults(void)
{
    static const int faults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGVTALRM};
    sigset_t none;

    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        signal(faults[k], SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

static void stay_on_this_cpu(void)
{
    cpu_set_t set;
    const int cpu = sched_getcpu();

    CPU_ZERO(&set);
    if (cpu >= 0) {
        CPU_SET((size_t)cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
}

static void run_child(const struct probe *p, int first, int n)
{
    const double limit = p->settings.limit_s;
    const struct timeval whole = {.tv_sec = (time_t)limit,
                                  .tv_usec = (suseconds_t)((limit - floor(limit)) * 1e6)};
    accept_faults();
    stay_on_this_cpu();
    _mm_setcsr(0x9fc0); /* no exceptions, denormals are zero: no assists by microcode */
    if (mprotect(p->code, CODE_BYTES, PROT_READ | PROT_EXEC) != 0) {
        _exit(1);
    }
    settle(p->shared);
    for (int k = first; k < n; k++) {
        p->shared->current = k;
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = whole}, NULL);
        sample(p, k);
    }
    p->shared->current = n;
    _exit(0);
}

/* --- in the parent -------------------------------------------------------------------------------
 */

static const char *cause(int status)
{
    static const struct {
        int signal;
        const char *name;
    } names[] = {{SIGILL, "illegal instruction"}, {SIGSEGV, "bad address"},
                 {SIGBUS, "bad address"},         {SIGFPE, "arithmetic fault"},
                 {SIGTRAP, "breakpoint"},         {SIGVTALRM, "does not end"},
                 {SIGKILL, "killed from outside"}};

    for (size_t k = 0; WIFSIGNALED(status) && k < sizeof names / sizeof *names; k++) {
        if (WTERMSIG(status) == names[k].signal) {
            return names[k].name;
        }
    }
    return "the child process ended";
}

static void summarise(const struct probe *p, int k, struct probe_result *out)
{
    const int n = p->shared->kernels[k].n;
    double *samples = p->shared->kernels[k].samples;

    if (n < PROBE_SAMPLES_MIN) {
        *out = (struct probe_result){.cycles = NAN, .spread = NAN, .n = n, .failed = PROBE_CROWDED};
        return;
    }
    items_sort(samples, (size_t)n, sizeof *samples, compare);
    const double cycles = samples[n / 4];
    *out = (struct probe_result){
        .cycles = cycles, .spread = (samples[3 * n / 4] - cycles) / 2 / cycles, .n = n};
}

/* Has a child run kernels first..n; its status as waitpid gives it. */
static bool run_in_child(struct probe *p, int first, int n, int *status, struct err *e)
{
    p->shared->current = first;
    const pid_t child = fork();
    if (child == 0) {
        run_child(p, first, n);
    }
    if (child < 0) {
        return err_set(e, ERR_HOST, LOC_NONE, "cannot start a process: %s", strerror(errno));
    }
    while (waitpid(child, status, 0) < 0) {
        if (errno != EINTR) {
            return err_set(e, ERR_HOST, LOC_NONE, "cannot wait for a process: %s", strerror(errno));
        }
    }
    return true;
}

/* Runs kernels first..n until all are done or one kills the child; returns the next to run. */
static int run_some(struct probe *p, int first, int n, struct probe_result *results, struct err *e)
{
    int status = 0;

    if (!run_in_child(p, first, n, &status, e)) {
        return -1;
    }
    const int stopped = p->shared->current;
    for (int k = first; k < stopped; k++) {
        summarise(p, k, &results[k]);
    }
    if (stopped < n) {
        results[stopped] =
            (struct probe_result){.cycles = NAN, .spread = NAN, .failed = cause(status)};
        return stopped + 1;
    }
    return n;
}

/* The first n kernels of p->code. */
static bool run_batch(struct probe *p, int n, struct probe_result *results, struct err *e)
{
    int next = 0;

    memset(p->shared->kernels, 0, sizeof p->shared->kernels);
    probe_memory_fill(p->settings.values, p->memory);
    while (next >= 0 && next < n) {
        next = run_some(p, next, n, results, e);
    }
    return next == n;
}

static void unmap(void *object)
{
    struct probe *p = object;

    munmap(p->shared, sizeof *p->shared);
    munmap(p->code, CODE_BYTES);
    munmap(p->memory, PROBE_MEMORY_BYTES);
}

static void *map_shared(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

struct probe *probe_open(const struct probe_settings *s, struct arena *a, struct err *e)
{
    struct probe *p = arena_new(a, struct probe, 1);

    p->settings = *s;
    p->arena = a;
    p->coder = probe_coder_new(a, e);
    p->shared = map_shared(sizeof *p->shared);
    p->code = map_shared(CODE_BYTES);
    p->memory = map_shared(PROBE_MEMORY_BYTES);
    arena_on_release(a, unmap, p);
    if (p->shared == MAP_FAILED || p->code == MAP_FAILED || p->memory == MAP_FAILED) {
        err_set(e, ERR_HOST, LOC_NONE, "no memory to share with a child process: %s",
                strerror(errno));
        return NULL;
    }
    return p->coder ? p : NULL;
}

#else

static bool run_batch(struct probe *p, int n, struct probe_result *results, struct err *e)
{
    (void)p, (void)n, (void)results;
    return err_set(e, ERR_HOST, LOC_NONE, "blocks are measured on x86-64 only");
}

struct probe *probe_open(const struct probe_settings *s, struct arena *a, struct err *e)
{
    (void)s, (void)a;
    err_set(e, ERR_HOST, LOC_NONE, "blocks are measured on x86-64 only");
    return NULL;
}

#endif

static int at_most(int n, int max)
{
    return n < max ? n : max;
}

bool probe_run(struct probe *p, const struct probe_kernel *kernels, int n,
               struct probe_result *results, struct err *e)
{
    for (int done = 0; done < n; done += PROBE_BATCH_MAX) {
        const int batch = at_most(n - done, PROBE_BATCH_MAX);
        for (int k = 0; k < batch; k++) {
            memcpy(p->code + (size_t)k * PROBE_CODE_BYTES, kernels[done + k].code,
                   kernels[done + k].len);
            p->blocks_per_trip[k] = kernels[done + k].blocks_per_trip;
            p->wide[k] = kernels[done + k].wide;
        }
        if (!run_batch(p, batch, results + done, e)) {
            return false;
        }
    }
    return true;
}

/* Kernels on their way through a child. */
struct batch {
    int n;
    int which[PROBE_BATCH_MAX]; /* where the results belong */
    double register_cycles[PROBE_BATCH_MAX];
    struct probe_result results[PROBE_BATCH_MAX];
};

/* Blocks from *next on until the batch is full. */
static void fill_batch(struct probe *p, const struct probe_block *blocks, int n, int *next,
                       struct probe_result *results, struct batch *b)
{
    b->n = 0;
    for (; *next < n && b->n < PROBE_BATCH_MAX; (*next)++) {
        uint8_t *code = p->code + (size_t)b->n * PROBE_CODE_BYTES;
        struct probe_code shape;
        struct err why = {0};
        struct probe_block block = blocks[*next];
        block.values = p->settings.values;
        if (!probe_code_emit(p->coder, &block, code, &shape, &why)) {
            results[*next] =
                (struct probe_result){.cycles = NAN,
                                      .spread = NAN,
                                      .failed = arena_copy(p->arena, why.text, strlen(why.text))};
            continue;
        }
        p->blocks_per_trip[b->n] = shape.blocks_per_trip;
        p->wide[b->n] = shape.wide;
        b->register_cycles[b->n] = shape.register_cycles;
        b->which[b->n++] = *next;
    }
}

bool probe_measure(struct probe *p, const struct probe_block *blocks, int n,
                   struct probe_result *results, struct err *e)
{
    struct batch b;

    for (int next = 0; next < n;) {
        fill_batch(p, blocks, n, &next, results, &b);
        if (!run_batch(p, b.n, b.results, e)) {
            return false;
        }
        for (int k = 0; k < b.n; k++) {
            results[b.which[k]] = b.results[k];
            results[b.which[k]].register_cycles = b.register_cycles[k];
        }
    }
    return true;
}
