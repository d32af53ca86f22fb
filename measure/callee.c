#include "measure/callee.h"

#include "base/items.h"
#include "base/stats.h"
#include "measure/clock.h"
#include "measure/memory.h"
#include "measure/pulse.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

const char *const callee_kind_names[] = {
    [CALLEE_F32] = "float", [CALLEE_F64] = "double", [CALLEE_I32] = "int32",
    [CALLEE_I64] = "int64", [CALLEE_U8] = "uint8",   [CALLEE_KINDS] = NULL,
};
const size_t callee_kind_bytes[CALLEE_KINDS] = {
    [CALLEE_F32] = 4, [CALLEE_F64] = 8, [CALLEE_I32] = 4, [CALLEE_I64] = 8, [CALLEE_U8] = 1,
};

/* Arrays end this far past what n needs, and begin as far after what may be read: for stencils. */
enum { PAD_BYTES = MEMORY_PAD_MAX, QUIET_PART = 10, ROUNDS_ON_CPU = 16 };
#define QUIETER         0.95 /* crowd by this much less is news, not noise */
#define WARM_S          3e-5 /* more than a core takes to be ready for 512-bit instructions */
#define CLOCK_MOVES_MAX 0.01 /* between the pulses around one timing */

/* One function type serves all: integer and vector registers are numbered apart, and what a
 * function does not take it does not look at.  A float is passed in the low half of a register. */
typedef double callee_function(size_t n, void *, void *, void *, void *, void *, void *, void *,
                               void *, double, double, double, double, double, double, double,
                               double);

/* --- arguments --- */

static int kind_of(const char *name, size_t len)
{
    for (int k = 0; k < CALLEE_KINDS; k++) {
        if (strlen(callee_kind_names[k]) == len && strncmp(callee_kind_names[k], name, len) == 0) {
            return k;
        }
    }
    return -1;
}

static bool parse_one(const char *text, size_t len, struct callee_args *out, struct err *e)
{
    size_t first = 0, end = len;
    while (first < end && isspace((unsigned char)text[first])) {
        first++;
    }
    while (end > first && (isspace((unsigned char)text[end - 1]) || text[end - 1] == '*')) {
        end--;
    }
    const bool array = memchr(text, '*', len) != NULL;
    const int kind = kind_of(text + first, end - first);
    if (kind < 0 || (!array && kind != CALLEE_F32 && kind != CALLEE_F64)) {
        return err_set(e, ERR_SYNTAX, LOC_NONE,
                       "argument '%.*s': an array is float*, double*, int32*, int64* or uint8*, a "
                       "scalar float or double",
                       (int)len, text);
    }
    if (array ? out->n_arrays == CALLEE_ARRAYS_MAX : out->n_scalars == CALLEE_SCALARS_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "at most %d arrays and %d scalars can be passed",
                       CALLEE_ARRAYS_MAX, CALLEE_SCALARS_MAX);
    }
    if (array) {
        out->arrays[out->n_arrays++] = (enum callee_kind)kind;
    } else {
        out->scalars[out->n_scalars++] = (enum callee_kind)kind;
    }
    return true;
}

bool callee_parse(const char *text, struct callee_args *out, struct err *e)
{
    *out = (struct callee_args){.text = text};
    for (const char *at = text; *at;) {
        const size_t len = strcspn(at, ",");
        if (!parse_one(at, len, out, e)) {
            return false;
        }
        at += len + (at[len] == ',');
    }
    return true;
}

double callee_bytes(const struct callee_args *args, double elements_per_n, size_t n)
{
    double bytes = 0;
    for (int i = 0; i < args->n_arrays; i++) {
        bytes += (double)callee_kind_bytes[args->arrays[i]] * fmax(elements_per_n, 1) * (double)n;
    }
    return bytes;
}

/* --- in the child --- */

/* What the child leaves for the parent, whatever ends it. */
struct left {
    struct callee_result result;
    uint64_t first; /* address of the function, where it was stepped through */
    char doing[200];
    bool failed; /* `doing` says why */
};

/* See shuffle_cards. */
enum { CARD_LONGEST = 3, HAND = 6, HANDS_MAX = 2048 };

struct callee {
    const struct callee_request *request;
    struct left *left;
    callee_function *function;
    char *arrays[CALLEE_ARRAYS_MAX];
    double scalars[CALLEE_SCALARS_MAX];
    struct pulse_gauge gauge;
    pid_t process;                      /* that measures */
    double quietest;                    /* crowd */
    uint32_t state;                     /* of the lengths' order */
    bool in_hands;                      /* how calls are made */
    uint8_t cards[2][HAND * HANDS_MAX]; /* which calls: to warm up, and timed */
};

static uint32_t next_random(uint32_t *state) /* xorshift, Marsaglia 2003 */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill(char *array, enum callee_kind kind, size_t bytes, size_t places, uint32_t *state)
{
    const size_t size = callee_kind_bytes[kind];
    for (size_t at = 0; at + size <= bytes; at += size) {
        const uint32_t random = next_random(state);
        const double value = 0.5 + random / 4294967296.0;
        switch (kind) {
        case CALLEE_F32:
            *(float *)(void *)(array + at) = (float)value;
            break;
        case CALLEE_F64:
            *(double *)(void *)(array + at) = value;
            break;
        case CALLEE_I32:
            *(int32_t *)(void *)(array + at) = (int32_t)(random % places);
            break;
        case CALLEE_I64:
            *(int64_t *)(void *)(array + at) = (int64_t)(random % places);
            break;
        default:
            array[at] = (char)(random & 127);
            break;
        }
    }
}

static void flush_denormals(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() |
                           0x8040); /* flush to zero, denormals are zero */
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | (uint64_t)1 << 24));
#endif
}

static inline void fence(void)
{
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static void call_once(const struct callee *c, size_t n)
{
    char *const *a = c->arrays;
    const double *s = c->scalars;
    c->function(n, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], s[0], s[1], s[2], s[3], s[4],
                s[5], s[6], s[7]);
    fence();
}

/* The longest call, of one length in all timings, and longer than any other. */
static size_t longest(const struct callee_request *r)
{
    return r->lengths[r->n_lengths - 1] + 2 * r->unit;
}

/* Hands of calls, shuffled together.  A hand is n less a unit, n, n and a unit more, and as often
 * the longest.  So no branch predictor learns where the loop ends: most loops went on wherever this
 * one does, and what came before says nothing.  Left alone it learns that of short loops and not of
 * long ones (model 207: up to some 128 trips), and the difference, 30 cycles or more, would be
 * taken for the loop's. */

static void shuffle_cards(struct callee *c, uint8_t *cards, long hands)
{
    for (int i = 0; i < HAND * (int)hands; i++) {
        const int k = (int)((next_random(&c->state) >> 8) % (uint32_t)(i + 1));
        cards[i] = cards[k];
        cards[k] = (uint8_t)(i % HAND < CARD_LONGEST ? i % HAND : CARD_LONGEST);
    }
}

/* `times` hands, or calls where these take long. */
static void call(const struct callee *c, size_t n, const uint8_t *cards, long times)
{
    const size_t lengths[] = {n - c->request->unit, n, n + c->request->unit, longest(c->request)};
    for (long i = 0; i < (c->in_hands ? HAND * times : times); i++) {
        call_once(c, c->in_hands ? lengths[cards[i]] : n);
    }
}

static double switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? (double)NAN : (double)usage.ru_nivcsw;
}

static double ticks_of(const struct callee *c, size_t n, long times)
{
    const uint64_t start = pulse_ticks();
    call(c, n, c->cards[1], times);
    return (double)(pulse_ticks() - start) / (double)times;
}

static double seconds_of(const struct callee *c, size_t n, long times)
{
    const double start = clock_seconds();
    call(c, n, c->cards[0], times);
    return (clock_seconds() - start) / (double)times;
}

/* The least of a few, since one that was interrupted says nothing. */
static double least_seconds(const struct callee *c, size_t n, long times)
{
    enum { TRIES = 5 };
    double least = INFINITY;
    for (int k = 0; k < TRIES && least * (double)times > c->request->call_s / 2; k++) {
        least = fmin(least, seconds_of(c, n, times));
    }
    return least;
}

/* How many hands of this length, or calls, take about call_s. */
static long times_for(const struct callee *c, size_t n)
{
    long times = 1;
    while (times < HANDS_MAX &&
           least_seconds(c, n, times) * (double)times <= c->request->call_s / 2) {
        times *= 2;
    }
    return times;
}

/* One timing, between two pulses, in cycles; *good: the core was ours alone and nothing displaced
 * it. As many calls and more first bring lines near, teach branches and raise or lower the
 * clock. */
static double cycles_of(struct callee *c, size_t n, long times, bool *good)
{
    const double displaced = switches();
    const double crowd = pulse_crowd(&c->gauge);
    shuffle_cards(c, c->cards[0], times);
    shuffle_cards(c, c->cards[1], times);
    for (long left = 1 + (long)(WARM_S / c->request->call_s); left > 0; left--) {
        call(c, n, c->cards[0], times);
    }
    const struct pulse before = pulse_touch(&c->gauge);
    const double ticks = ticks_of(c, n, times);
    const struct pulse after = pulse_touch(&c->gauge);
    const double crowd_after = pulse_crowd(&c->gauge);
    const bool steady = fabs(before.cycle_ticks / after.cycle_ticks - 1) < CLOCK_MOVES_MAX &&
                        !(switches() > displaced);
    *good = steady && !isinf(c->quietest) && pulse_is_quiet(crowd, c->quietest) &&
            pulse_is_quiet(crowd_after, c->quietest);
    return 2 * ticks / (before.cycle_ticks + after.cycle_ticks);
}

static void shuffle(int *order, int n, uint32_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)(next_random(state) % (uint32_t)(i + 1));
        const int swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What one more n takes, and what a call does besides: medians of all pairs' slopes (Theil, Sen)
 * and of what is left, since at some lengths the loop's end may be predicted otherwise than at the
 * rest. */
static void fit_line(const struct callee *c, const double *cycles, double *slope, double *besides)
{
    const struct callee_request *r = c->request;
    double slopes[CALLEE_LENGTHS_MAX * CALLEE_LENGTHS_MAX / 2], left[CALLEE_LENGTHS_MAX];
    const double others = c->in_hands ? HAND - CARD_LONGEST : 0;
    const double of_n = c->in_hands ? CARD_LONGEST : 1;
    int n = 0;
    for (int i = 0; i < r->n_lengths; i++) {
        for (int k = 0; k < i; k++) {
            slopes[n++] = (cycles[i] - cycles[k]) / of_n / (double)(r->lengths[i] - r->lengths[k]);
        }
    }
    *slope = stats_median(slopes, n);
    for (int i = 0; i < r->n_lengths; i++) {
        left[i] = cycles[i] - *slope * (of_n * (double)r->lengths[i] + others * (double)longest(r));
    }
    *besides = stats_median(left, r->n_lengths) / (of_n + others);
}

static bool fails(struct callee *c, const char *what, const char *why)
{
    snprintf(c->left->doing, sizeof c->left->doing, "%s: %.150s", what,
             why ? why : "unknown reason");
    c->left->failed = true;
    return false;
}

/* A process that the function started and that returned from it as this one did would go on
 * measuring; nothing that both have counted means anything. */
static bool is_alone(struct callee *c)
{
    return getpid() == c->process || fails(c, "comes back twice", "it starts a process by fork");
}

/* Timings of each length: good ones in front, in a crowd behind, each by time. */
struct timings {
    double good[CALLEE_LENGTHS_MAX][CALLEE_ROUNDS_MAX], bad[CALLEE_LENGTHS_MAX][CALLEE_ROUNDS_MAX];
    int n_good[CALLEE_LENGTHS_MAX], n_bad[CALLEE_LENGTHS_MAX];
};

static int fewest(const int *n, int n_lengths)
{
    int least = n[0];
    for (int i = 1; i < n_lengths; i++) {
        least = n[i] < least ? n[i] : least;
    }
    return least;
}

static void take_round(struct callee *c, const long *times, uint32_t *state, struct timings *t)
{
    const struct callee_request *r = c->request;
    int order[CALLEE_LENGTHS_MAX];
    for (int i = 0; i < r->n_lengths; i++) {
        order[i] = i;
    }
    shuffle(order, r->n_lengths, state);
    for (int k = 0; k < r->n_lengths; k++) {
        const int i = order[k];
        bool good;
        const double cycles = cycles_of(c, r->lengths[i], times[i], &good);
        if (good && t->n_good[i] < r->rounds) {
            t->good[i][t->n_good[i]++] = cycles;
        } else if (!good && t->n_bad[i] < r->rounds) {
            t->bad[i][t->n_bad[i]++] = cycles;
        }
    }
}

/* Sorts the good timings. */
static double quiet_slope(const struct callee *c, struct timings *t)
{
    const struct callee_request *r = c->request;
    double quiet[CALLEE_LENGTHS_MAX], slope, besides;
    for (int i = 0; i < r->n_lengths; i++) {
        items_sort(t->good[i], (size_t)t->n_good[i], sizeof t->good[i][0], ascending);
        quiet[i] = t->good[i][t->n_good[i] / QUIET_PART];
    }
    fit_line(c, quiet, &slope, &besides);
    return slope;
}

/* One slope for each rank of a timing among those of its length. */
static void take_slopes(const struct callee *c, struct timings *t, struct callee_result *out)
{
    const struct callee_request *r = c->request;
    const int n = fewest(t->n_good, r->n_lengths);
    out->crowded = n < CALLEE_ROUNDS_MIN && n < r->rounds;
    for (int k = 0; k < (out->crowded ? fewest(t->n_bad, r->n_lengths) : n); k++) {
        double cycles[CALLEE_LENGTHS_MAX];
        for (int i = 0; i < r->n_lengths; i++) {
            cycles[i] = out->crowded ? t->bad[i][k] : t->good[i][k];
        }
        fit_line(c, cycles, &out->cycles_per_n[k], &out->call_cycles[k]);
        out->n = k + 1;
    }
    out->quiet_per_n = n > 0 ? quiet_slope(c, t) : (double)NAN;
}

static void run_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set); /* unpinned it only measures worse */
}

/* Moves to the CPU that is least crowded.  Where its pulse is even, that is what quiet means; what
 * was taken for quiet before and was not is forgotten. */
static void choose_cpu(struct callee *c, struct timings *t)
{
    const struct callee_request *r = c->request;
    struct pulse_summary best = {INFINITY, false};
    int cpu = r->cpus[0];
    for (int i = 0; i < r->n_cpus; i++) {
        run_on(r->cpus[i]);
        const struct pulse_summary s = pulse_listen(&c->gauge);
        cpu = s.crowd < best.crowd ? r->cpus[i] : cpu;
        best = s.crowd < best.crowd ? s : best;
    }
    run_on(cpu);
    if (isnan(r->nop_cycles) && best.even && best.crowd < c->quietest * QUIETER) {
        c->quietest = best.crowd;
        memset(t->n_good, 0, sizeof t->n_good);
    }
}

static bool time_rounds(struct callee *c, uint32_t *state)
{
    const struct callee_request *r = c->request;
    struct callee_result *out = &c->left->result;
    struct timings *t = calloc(1, sizeof *t);
    long times[CALLEE_LENGTHS_MAX] = {0};
    if (!t) {
        return fails(c, "no memory", "for the timings");
    }
    shuffle_cards(c, c->cards[0], HANDS_MAX);
    c->in_hands = r->mixed && least_seconds(c, longest(r), 1) < r->call_s;
    for (int i = 0; i < r->n_lengths; i++) {
        times[i] = times_for(c, r->lengths[i]);
    }
    c->quietest = isnan(r->nop_cycles) ? (double)INFINITY : r->nop_cycles;
    choose_cpu(c, t);
    const double end = clock_seconds() + r->patience_s;
    while (fewest(t->n_good, r->n_lengths) < r->rounds &&
           (clock_seconds() < end ||
            fewest(t->n_good, r->n_lengths) + fewest(t->n_bad, r->n_lengths) < r->rounds)) {
        take_round(c, times, state, t);
        if (!is_alone(c)) {
            break;
        }
        out->rounds++;
        if (fewest(t->n_good, r->n_lengths) * 2 < out->rounds && out->rounds % ROUNDS_ON_CPU == 0) {
            choose_cpu(c, t);
        }
    }
    out->clock_hz = pulse_clock_hz();
    take_slopes(c, t, out);
    free(t);
    return is_alone(c);
}

static bool load(struct callee *c)
{
    const struct callee_request *r = c->request;
    snprintf(c->left->doing, sizeof c->left->doing, "while it was loaded");
    void *library = dlopen(r->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return fails(c, "cannot be loaded", dlerror());
    }
    void *symbol = dlsym(library, r->symbol);
    if (!symbol) {
        return fails(c, "has no such function", dlerror());
    }
    memcpy(&c->function, &symbol, sizeof symbol); /* POSIX's way from an object to a function */
    return true;
}

static bool make_arrays(struct callee *c, uint32_t *state)
{
    const struct callee_request *r = c->request;
    const size_t slice = (size_t)(8 * fmax(r->elements_per_n, 1) * (double)longest(r)) + PAD_BYTES;
    struct memory m = {0};
    struct err e = {0};
    if (r->args.n_arrays > 0 &&
        !memory_map(&m, memory_slices_bytes(r->args.n_arrays, slice) + PAD_BYTES, &e)) {
        return fails(c, "no memory", e.text);
    }
    if (r->args.n_arrays > 0) {
        memory_slices(&m, r->args.n_arrays, slice, PAD_BYTES, c->arrays);
    }
    for (int i = 0; i < r->args.n_arrays; i++) {
        const size_t bytes = slice / 8 * callee_kind_bytes[r->args.arrays[i]];
        fill(c->arrays[i] - PAD_BYTES, r->args.arrays[i], bytes + PAD_BYTES,
             r->lengths[0] - r->unit, state);
    }
    for (int i = 0; i < r->args.n_scalars; i++) {
        const float single = 1.25F;
        const double value = 1.25;
        memcpy(&c->scalars[i], r->args.scalars[i] == CALLEE_F32 ? (const void *)&single : &value,
               callee_kind_bytes[r->args.scalars[i]]);
    }
    return true;
}

static void time_work(void *context, void *shared)
{
    struct callee c = {.request = context, .left = shared, .process = getpid(), .state = 1};
    struct callee_result *out = &c.left->result;
    uint32_t state = c.request->seed | 1;
    if (!load(&c) || !make_arrays(&c, &state)) {
        return;
    }
    snprintf(c.left->doing, sizeof c.left->doing, "in a call");
    flush_denormals();
    clock_spin(0.005);
    c.gauge = pulse_gauge();
    const double start = clock_seconds();
    if (!time_rounds(&c, &state)) {
        return;
    }
    out->duration_s = clock_seconds() - start;
}

/* --- single steps --- */

struct steps {
    uintptr_t first; /* address of the function */
    size_t len;
    double *count;                 /* [len], by offset */
    uint64_t (*regs)[CALLEE_REGS]; /* [len] */
};

/* A signal handler is handed no context; this is the one place where it can find its counters. */
static struct steps *steps_taken(void)
{
    static struct steps steps;
    return &steps;
}

struct step_work {
    const struct callee_request *request;
    size_t len;
};

/* What the child leaves: a struct left, then counts at both lengths, then registers. */
static size_t step_bytes(size_t len)
{
    return sizeof(struct left) + len * (2 * sizeof(double) + CALLEE_REGS * sizeof(uint64_t));
}

static double *counts_in(struct left *left, size_t len, int which)
{
    return (double *)(void *)(left + 1) + (size_t)which * len;
}

static uint64_t (*regs_in(struct left *left, size_t len))[CALLEE_REGS]
{
    return (uint64_t(*)[CALLEE_REGS])(void *)counts_in(left, len, 2);
}

#if defined(__x86_64__)
#define TRAP_FLAG 0x100ULL /* of rflags: a trap after each instruction */

static void on_step(int signal_number, siginfo_t *info, void *context)
{
    static const int numbers[CALLEE_REGS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                             REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15};
    struct steps *s = steps_taken();
    const ucontext_t *at = context;
    const uintptr_t offset = (uintptr_t)at->uc_mcontext.gregs[REG_RIP] - s->first;
    (void)signal_number;
    (void)info;
    if (offset < s->len) {
        for (int k = 0; k < CALLEE_REGS && s->count[offset] < 1; k++) {
            s->regs[offset][k] = (uint64_t)at->uc_mcontext.gregs[numbers[k]];
        }
        s->count[offset]++;
    }
}

static void step_through(const struct callee *c, size_t len, int which)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    struct steps *s = steps_taken();
    memcpy(&s->first, &c->function, sizeof c->function);
    c->left->first = s->first;
    s->len = len;
    s->count = counts_in(c->left, len, which);
    s->regs = regs_in(c->left, len);
    sigaction(SIGTRAP, &action, NULL);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    call_once(c, c->request->lengths[which]);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
}
#endif

static void count_work(void *context, void *shared)
{
    const struct step_work *w = context;
    struct callee c = {.request = w->request, .left = shared, .process = getpid()};
    uint32_t state = w->request->seed | 1;
    if (!load(&c) || !make_arrays(&c, &state)) {
        return;
    }
    snprintf(c.left->doing, sizeof c.left->doing, "in a call, step by step");
#if defined(__x86_64__)
    for (int k = 0; k < 2 && !c.left->failed; k++) {
        step_through(&c, w->len, k);
        is_alone(&c);
    }
#else
    fails(&c, "cannot be stepped through", "only x86-64 can do that here");
#endif
}

/* --- in the parent --- */

/* Runs work in a child; what it left says how it went. */
static bool in_child(const struct callee_request *r, child_work *work, void *context,
                     struct left *left, size_t bytes, struct err *e)
{
    struct child_end end;
    char words[CHILD_WORDS_BYTES];
    const struct child_call c = {work, context, left, bytes, r->seconds_max};
    if (!child_call(&c, &end, e)) {
        return false;
    }
    if (left->failed) {
        return err_set(e, ERR_HOST, LOC_NONE, "%s %s", r->symbol, left->doing);
    }
    return !(end.timed_out || end.signal || end.left) ||
           err_set(e, ERR_HOST, LOC_NONE,
                   "%s %s %s, after %d of %d rounds; it was called as %s(size_t n%s%s)", r->symbol,
                   child_words(&end, r->seconds_max, words), left->doing, left->result.rounds,
                   r->rounds, r->symbol, *r->args.text ? ", " : "", r->args.text);
}

bool callee_run(const struct callee_request *r, struct callee_result *out, struct err *e)
{
    struct left *left = calloc(1, sizeof *left);
    if (!left) {
        return err_set(e, ERR_HOST, LOC_NONE, "no memory for %d rounds", r->rounds);
    }
    const bool fine = in_child(r, time_work, (void *)(uintptr_t)r, left, sizeof *left, e);
    *out = left->result;
    free(left);
    return fine;
}

bool callee_count(const struct callee_request *r, size_t code_len, struct arena *a,
                  struct callee_steps *out, struct err *e)
{
    struct step_work w = {r, code_len};
    if (code_len > CALLEE_CODE_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "%zu bytes of code are more than %d", code_len,
                       CALLEE_CODE_MAX);
    }
    struct left *left = arena_alloc(a, 1, step_bytes(code_len));
    if (!in_child(r, count_work, &w, left, step_bytes(code_len), e)) {
        return false;
    }
    out->per_n = arena_new(a, double, code_len);
    out->regs = regs_in(left, code_len);
    out->first = left->first;
    const double apart = (double)(r->lengths[1] - r->lengths[0]);
    out->once_per_n = 1 / apart;
    for (size_t k = 0; k < code_len; k++) {
        out->per_n[k] = (counts_in(left, code_len, 1)[k] - counts_in(left, code_len, 0)[k]) / apart;
    }
    return true;
}
