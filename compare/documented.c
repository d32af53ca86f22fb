#include "compare/documented.h"

#include "compare/order.h"
#include "model/ceiling.h"

#include <math.h>

/* A run while its roofs are worked out. */
struct documented {
    struct run *run;
    struct cost_table *costs;
    int threads;
    struct arena *arena;
};

static bool add_roof(const struct documented *d, const struct kernel *k,
                     const struct kernel_body *b, struct err *e)
{
    struct kernel_ceiling c;
    const struct kernel_ceiling_input in = {
        .kernel = k, .body = b, .threads = d->threads, .clock_hz = d->run->host.clock_hz};
    if (!ceiling_of_kernel(d->costs, &in, &c, e)) {
        return false;
    }
    if (!isnan(c.rate)) {
        d->run->cases[d->run->n_cases++] = (struct run_case){
            .kind = RUN_ROOF,
            .name = k->name,
            .isa = b->isa,
            .level = "L1",
            .threads = d->threads,
            .round = 1,
            .unit = k->unit,
            .array_bytes = NAN,
            .work_per_pass = NAN,
            .bytes_per_pass = NAN,
            .recorded_rate = c.rate,
            .recorded_cv = NAN,
            .derived = true,
            .source = arena_format(d->arena, "documented: %s", c.binds),
            .noise = {.why = ""},
        };
    }
    return true;
}

static bool serves(const struct kernels *k, const struct kernel *roof)
{
    for (int i = 0; i < k->n_kernels; i++) {
        if (same_text(k->kernels[i].compute_roof, roof->name)) {
            return true;
        }
    }
    return false;
}

static bool add_roofs(const struct documented *d, const struct kernels *k, struct err *e)
{
    const bool on_arm = same_text(cost_machine(d->costs)->isa, "aarch64");
    size_t most = 1;
    for (int i = 0; i < k->n_roofs; i++) {
        most += (size_t)k->roofs[i].n_bodies;
    }
    d->run->cases = arena_new(d->arena, struct run_case, most);
    for (int i = 0; i < k->n_roofs; i++) {
        const struct kernel *roof = &k->roofs[i];
        for (int b = 0; serves(k, roof) && b < roof->n_bodies; b++) {
            if (same_text(roof->bodies[b].isa, "neon") == on_arm &&
                !add_roof(d, roof, &roof->bodies[b], e)) {
                return false;
            }
        }
    }
    return true;
}

/* NaN: not in the file. */
static double clock_of(const struct machine *m, int threads)
{
    return threads == 1 ? m->clock_one_core_hz : m->clock_all_cores_hz;
}

static struct run_host host_of(const struct machine *m, int threads)
{
    const double clock_hz = clock_of(m, threads);
    return (struct run_host){
        .cpu_name = m->description ? m->description : m->name,
        .vendor = "unknown",
        .isa = m->isa,
        .family = NAN,
        .model = NAN,
        .stepping = NAN,
        .implementer = NAN,
        .part = NAN,
        .cpus_online = NAN,
        .cpus_used = threads,
        .threads_per_core = NAN,
        .cgroup_cpus = NAN,
        .memory_bytes = NAN,
        .load_average = NAN,
        .clock_hz = isnan(clock_hz) ? 1e9 : clock_hz,
        .huge_page_fraction = NAN,
    };
}

struct run *documented_run(const struct machine *m, const struct kernels *k, int threads,
                           struct arena *a, struct err *e)
{
    struct run *run = arena_new(a, struct run, 1);
    *run = (struct run){.file = m->file,
                        .source = "nothing measured",
                        .reps = NAN,
                        .warmup_ms = NAN,
                        .host = host_of(m, threads)};
    if (isnan(clock_of(m, threads))) {
        run->warnings = arena_new(a, const char *, 1);
        run->warnings[run->n_warnings++] =
            arena_format(a,
                         "The machine file gives no clock for %s: rates are those at 1 GHz, which "
                         "makes them work per nanosecond and cycle.",
                         threads == 1 ? "one core" : "all cores");
    }
    const struct documented d = {run, cost_compile(m, cost_view_of(m), a, e), threads, a};
    return d.costs && add_roofs(&d, k, e) ? run : NULL;
}
