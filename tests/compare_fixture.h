/* compare_fixture.h - a small run and its kernels, built by hand, for the tests of compare/. */
#ifndef GAMBREL_TESTS_COMPARE_FIXTURE_H
#define GAMBREL_TESTS_COMPARE_FIXTURE_H

#include "compare/join.h"

#include <math.h>
#include <stdlib.h>

static inline void fixture_oom(void *context)
{
    (void)context;
    abort();
}

static inline struct arena *fixture_arena(void)
{
    return arena_create((size_t)256 << 20, fixture_oom, NULL);
}

static struct kernel_stream fixture_rw[] = {{"x", STREAM_READ}, {"y", STREAM_WRITE}};
static struct kernel_stream fixture_ru[] = {{"x", STREAM_READ}, {"y", STREAM_UPDATE}};
static struct kernel_stream fixture_rrw[] = {
    {"b", STREAM_READ}, {"c", STREAM_READ}, {"a", STREAM_WRITE}};

#define FIXTURE_MEMORY(NAME, STREAMS, N)                                                           \
    {                                                                                              \
        .name = NAME, .formula = NAME, .element_bytes = 4, .streams = (STREAMS), .n_streams = (N), \
        .unit = "byte/s", .intensity = 0                                                           \
    }

static struct kernel fixture_roofs[] = {
    {.name = "fma_f32", .formula = "acc += a*x", .flops_per_element = 2, .unit = "flop/s"},
    FIXTURE_MEMORY("read", fixture_rw, 1),
    FIXTURE_MEMORY("copy", fixture_rw, 2),
    FIXTURE_MEMORY("triad", fixture_rrw, 3),
    FIXTURE_MEMORY("fill", fixture_rw + 1, 1),
    FIXTURE_MEMORY("update", fixture_ru + 1, 1),
};

static struct kernel fixture_kernel_list[] = {
    {.name = "saxpy",
     .formula = "y[i] = a*x[i] + y[i]",
     .element_bytes = 4,
     .flops_per_element = 2,
     .streams = fixture_ru,
     .n_streams = 2,
     .roof = "triad",
     .compute_roof = "fma_f32",
     .unit = "flop/s",
     .intensity = 2 / 12.0},
    {.name = "stencil",
     .formula = "y[i] = sum of c[k]*x[i+k]",
     .element_bytes = 4,
     .flops_per_element = 13,
     .streams = fixture_rw,
     .n_streams = 2,
     .roof = "copy",
     .compute_roof = "fma_f32",
     .unit = "flop/s",
     .intensity = 13 / 8.0},
    {.name = "poly",
     .formula = "acc += p(x[i])",
     .element_bytes = 4,
     .flops_per_element = 64,
     .streams = fixture_rw,
     .n_streams = 1,
     .roof = "read",
     .compute_roof = "fma_f32",
     .unit = "flop/s",
     .intensity = 16},
    {.name = "fma_stream",
     .formula = "acc[k] += a[k]*x[i]",
     .element_bytes = 4,
     .flops_per_element = 40,
     .streams = fixture_rw,
     .n_streams = 1,
     .roof = "read",
     .compute_roof = "fma_f32",
     .unit = "flop/s",
     .intensity = 10},
    {.name = "poly_intrin",
     .formula = "acc += p(x[i])",
     .element_bytes = 4,
     .flops_per_element = 64,
     .streams = fixture_rw,
     .n_streams = 1,
     .roof = "read",
     .compute_roof = "fma_f32",
     .unit = "flop/s",
     .intensity = 16},
    {.name = "copy_by_hand",
     .formula = "y[i] = x[i]",
     .element_bytes = 4,
     .streams = fixture_rw,
     .n_streams = 2,
     .roof = "copy",
     .unit = "byte/s",
     .intensity = 0},
};

static inline const struct kernels *fixture_kernels(void)
{
    static const struct kernels all = {
        .file = "kernels.yaml",
        .kernels = fixture_kernel_list,
        .n_kernels = 6,
        .roofs = fixture_roofs,
        .n_roofs = 6,
    };
    return &all;
}

/* A published value: no samples. */
static inline struct run_case fixture_recorded(enum run_kind kind, const char *name,
                                               const char *level, int threads, double rate)
{
    const bool memory = kind != RUN_CHAIN && level[0] == 'D' && kind == RUN_ROOF;
    return (struct run_case){.kind = kind,
                             .name = name,
                             .isa = "neon",
                             .level = level,
                             .threads = threads,
                             .round = 1,
                             .unit = memory ? "byte/s" : "flop/s",
                             .array_bytes = NAN,
                             .work_per_pass = NAN,
                             .bytes_per_pass = NAN,
                             .recorded_rate = rate,
                             .recorded_cv = NAN,
                             .noise = {.why = ""}};
}

/* Passes of a second or so each: work is chosen so that one second means `rate`. */
static inline struct run_case fixture_measured(struct run_case c, double *seconds, int n)
{
    c.work_per_pass = c.recorded_rate;
    c.recorded_rate = NAN;
    c.seconds = seconds;
    c.n = n;
    return c;
}

static inline struct run fixture_run(struct run_case *cases, int n)
{
    return (struct run){
        .file = "fixture.yaml",
        .command = "unknown",
        .date = "unknown",
        .version = "unknown",
        .reps = NAN,
        .warmup_ms = NAN,
        .host = {.cpu_name = "a machine",
                 .vendor = "unknown",
                 .isa = "aarch64",
                 .family = NAN,
                 .model = NAN,
                 .stepping = NAN,
                 .implementer = NAN,
                 .part = NAN,
                 .microcode = "unknown",
                 .hypervisor = "unknown",
                 .kernel = "unknown",
                 .os = "unknown",
                 .compiler = "unknown",
                 .flags = "unknown",
                 .governor = "unknown",
                 .huge_pages = "unknown",
                 .cpus_allowed = "unknown",
                 .cpus_online = NAN,
                 .cpus_used = 10,
                 .threads_per_core = NAN,
                 .cgroup_cpus = NAN,
                 .memory_bytes = NAN,
                 .load_average = NAN,
                 .clock_hz = 4.49e9,
                 .huge_page_fraction = NAN,
                 .counters = "unknown"},
        .cases = cases,
        .n_cases = n,
    };
}

#endif
