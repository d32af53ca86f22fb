#include "measure/probe_stable.h"

#include "measure/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSE_FIRST_S 0.02
#define PAUSE_MOST_S  0.5

bool probe_settled(const double *readings, int n, double *cycles)
{
    double lowest = INFINITY, second = INFINITY;

    for (int k = 0; k < n; k++) {
        if (readings[k] < lowest) {
            second = lowest;
            lowest = readings[k];
        } else if (readings[k] < second) {
            second = readings[k];
        }
    }
    *cycles = (lowest + second) / 2;
    return isfinite(second) && second <= lowest * (1 + PROBE_AGREE);
}

struct series {
    double readings[PROBE_ROUNDS_MAX];
    int n;
    bool done;
};

/* Takes in one more reading; true once the block needs no more. */
static bool take(struct series *s, const struct probe_result *read, struct probe_result *out)
{
    const bool for_good = read->failed && strcmp(read->failed, PROBE_CROWDED) != 0;

    s->readings[s->n++] = read->cycles;
    if (for_good || s->n == 1) {
        *out = *read;
        return for_good;
    }
    double cycles;
    if (probe_settled(s->readings, s->n, &cycles)) {
        const double spread = out->failed ? read->spread : fmin(out->spread, read->spread);
        *out = (struct probe_result){.cycles = cycles,
                                     .spread = spread,
                                     .n = read->n > out->n ? read->n : out->n,
                                     .register_cycles = read->register_cycles};
        return true;
    }
    if (!read->failed && (out->failed || read->cycles < out->cycles)) {
        *out = *read;
    }
    return false;
}

bool probe_measure_stable(struct probe *p, const struct probe_block *blocks, int n,
                          struct probe_result *results, struct arena *a, struct err *e)
{
    struct series *series = arena_new(a, struct series, (size_t)n);
    struct probe_block *wanted = arena_new(a, struct probe_block, (size_t)n);
    struct probe_result *read = arena_new(a, struct probe_result, (size_t)n);
    int *which = arena_new(a, int, (size_t)n);

    for (int round = 0; round < PROBE_ROUNDS_MAX; round++) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            const int k = round % 2 ? n - 1 - i : i; /* so that neighbours are others */
            if (!series[k].done) {
                which[m] = k;
                wanted[m++] = blocks[k];
            }
        }
        if (!probe_measure(p, wanted, m, read, e)) {
            return false;
        }
        for (int j = 0; j < m; j++) {
            series[which[j]].done = take(&series[which[j]], &read[j], &results[which[j]]);
            results[which[j]].readings = round + 1;
        }
    }
    for (int k = 0; k < n; k++) {
        if (!series[k].done && !results[k].failed) {
            results[k] = (struct probe_result){
                .cycles = NAN, .spread = NAN, .n = results[k].n, .failed = PROBE_UNSTABLE};
        }
    }
    return true;
}

bool probe_may_recover(const struct probe_result *r)
{
    return r->failed &&
           (strcmp(r->failed, PROBE_CROWDED) == 0 || strcmp(r->failed, PROBE_UNSTABLE) == 0);
}

static void pause_for(double seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds,
                               .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static int count_hopeful(const struct probe_result *results, int n)
{
    int m = 0;

    for (int k = 0; k < n; k++) {
        m += probe_may_recover(&results[k]);
    }
    return m;
}

/* Once more for those that may recover. */
static bool measure_again(struct probe *p, const struct probe_block *blocks, int n,
                          struct probe_result *results, struct arena *a, struct err *e)
{
    struct probe_block *wanted = arena_new(a, struct probe_block, (size_t)n);
    struct probe_result *read = arena_new(a, struct probe_result, (size_t)n);
    int *which = arena_new(a, int, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        if (probe_may_recover(&results[k])) {
            which[m] = k;
            wanted[m++] = blocks[k];
        }
    }
    if (!probe_measure_stable(p, wanted, m, read, a, e)) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        const int readings = results[which[i]].readings + read[i].readings;
        results[which[i]] = read[i];
        results[which[i]].readings = readings;
    }
    return true;
}

bool probe_measure_patiently(struct probe *p, const struct probe_block *blocks, int n,
                             struct probe_result *results, struct arena *a, struct err *e)
{
    const double end = clock_seconds() + probe_settings_of(p)->wait_s;
    double pause = PAUSE_FIRST_S;
    bool good = probe_measure_stable(p, blocks, n, results, a, e);

    while (good && count_hopeful(results, n) > 0 && clock_seconds() + pause < end) {
        pause_for(pause);
        pause = fmin(2 * pause, PAUSE_MOST_S);
        good = measure_again(p, blocks, n, results, a, e);
    }
    return good;
}
