#include "formats/run.h"
#include "tests/formats.h"
#include "tests/same.h"

static const char *const path = "tests/corpus/run/whole.yaml";

static void content(const struct run *r)
{
    is_text(r->command, "gambrel measure --quick", "command");
    ok(r->quick && r->reps == 3 && !r->source, "protocol");
    ok(r->host.model == 207 && isnan(r->host.part) && isnan(r->host.cgroup_cpus), "host numbers");
    is_text(r->host.governor, "unknown", "an unknown text");
    is_text(r->host.os, "unknown", "a text left out is unknown");
    ok(r->host.n_caches == 1 && isnan(r->host.caches[0].measured_bytes), "caches");
    ok(r->n_cases == 4 && r->n_loops == 1 && r->n_warnings == 1, "counts");
    const struct run_case *c = r->cases;
    ok(c[0].n == 3 && c[0].seconds[0] == 0.020000000000000004 && isnan(c[0].clock_hz[1]) &&
           c[0].round == 2 && c[0].noise.disturbed && isnan(c[0].noise.pressure_s),
       "a roof, every sample");
    ok(c[1].kind == RUN_CHAIN && c[1].chains == 8 && !c[1].clock_hz && c[1].round == 1,
       "a chain point");
    ok(c[2].kind == RUN_SWEEP && !c[2].level && isnan(c[2].noise.stolen_s), "a sweep point");
    ok(c[3].n == 0 && c[3].derived && c[3].recorded_cv == 0.01, "a recorded kernel");
    is_text(c[3].noise.why, "", "which was not disturbed");
    ok(c[3].loc.line == 46 && c[3].loc.column == 5, "and knows its place");
    is_near(run_case_rate(&c[0]), 5.5e9 / 0.020000000000000004, 1e-15, "rate over the median");
    is_near(run_case_rate(&c[3]), 23.8e9, 0, "recorded rate");
}

static void round_trip(const struct run *r, struct arena *a, const char *name)
{
    struct err e = {0};
    struct bytes first, second;
    const struct run *back = run_write(r, a, &first, &e) ? run_read(first, "written", a, &e) : NULL;
    if (test_fine(&e, arena_format(a, "%s is written and read", name))) {
        ok(same_run(r, back), "%s comes back the same", name);
        ok(run_write(back, a, &second, &e), "%s is written again", name);
        test_same_bytes(first, second, "as the same text");
    }
}

/* Numbers of many digits and texts that look like something else. */
static const char *awkward_warnings[] = {
    "true",
    "1.0",
    "a: b # c",
    "'quoted' \"twice\"",
    "µ",
    ("a long sentence that goes on for more than a hundred characters, so "
     "that an emitter would fold it somewhere, which must not change it")};

static void awkward(struct arena *a)
{
    double seconds[21], clocks[21];
    for (int i = 0; i < 21; i++) {
        seconds[i] = 0.02 + i / 3e7;
        clocks[i] = i == 4 ? (double)NAN : 3.1e9 + i / 7.0;
    }
    struct run_case cases[] = {{.kind = RUN_KERNEL,
                                .name = "saxpy",
                                .isa = "avx512",
                                .level = "DRAM",
                                .threads = 2,
                                .round = 1,
                                .unit = "flop/s",
                                .array_bytes = 1.0 / 3 * 1e9,
                                .work_per_pass = 1e9 / 7,
                                .bytes_per_pass = (double)NAN,
                                .seconds = seconds,
                                .clock_hz = clocks,
                                .n = 21,
                                .recorded_rate = (double)NAN,
                                .recorded_cv = (double)NAN,
                                .checksum = -1e-300,
                                .reference = 0,
                                .tolerance = 1e-4,
                                .noise = {0, (double)NAN, 0, 0, 1.0 / 3, 1.0 / 6, 3, 2, true,
                                          "pressure: 1829 ms, # not a comment"}}};
    const struct run r = {
        .command = "gambrel measure",
        .date = "2026-11-29T20:42:00Z",
        .version = "1.0",
        .reps = 21,
        .warmup_ms = (double)NAN,
        .host = {.cpu_name = "Intel(R) Xeon(R) @ 2.1GHz",
                 .vendor = "unknown",
                 .isa = "x86-64",
                 .microcode = "0x1",
                 .hypervisor = "KVM",
                 .kernel = "6.1.0",
                 .os = "~",
                 .compiler = "gcc (Debian 12.2.0) 12.2.0",
                 .flags = "-O2 -g",
                 .governor = "no",
                 .huge_pages = "always [madvise] never",
                 .cpus_allowed = "0",
                 .counters = "none: {}"},
        .cases = cases,
        .n_cases = 1,
        .warnings = awkward_warnings,
        .n_warnings = 6,
    };
    struct run whole = r;
    double *const unknown[] = {&whole.host.family,      &whole.host.model,
                               &whole.host.stepping,    &whole.host.implementer,
                               &whole.host.part,        &whole.host.cpus_online,
                               &whole.host.cpus_used,   &whole.host.threads_per_core,
                               &whole.host.cgroup_cpus, &whole.host.memory_bytes,
                               &whole.host.clock_hz,    &whole.host.huge_page_fraction};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        *unknown[i] = (double)NAN;
    }
    round_trip(&whole, a, "an awkward run");

    struct err e = {0};
    struct bytes out;
    seconds[3] = INFINITY;
    ok(!run_write(&whole, a, &out, &e) && e.code == ERR_RANGE, "an infinite time is not written");
}

/* Wherever a run is cut off, it is refused with a place; only the last line end may be lost. */
static void cut(struct arena *a)
{
    const struct bytes whole = test_file(path, a);
    int accepted = 0, placeless = 0;
    for (size_t len = 0; len + 1 < whole.len; len++) {
        struct arena *b = test_arena();
        struct err e = {0};
        accepted += run_read((struct bytes){whole.data, len}, "f", b, &e) != NULL;
        placeless += e.code == ERR_NONE || e.loc.line == 0 || e.text[0] == '\0';
        arena_release(b);
    }
    ok(accepted == 0, "a run cut off anywhere is refused");
    ok(placeless == 0, "and each time with a place and a reason");
}

int main(void)
{
    struct arena *a = test_arena();
    struct err e = {0};
    const struct run *r = run_read(test_file(path, a), path, a, &e);
    if (test_fine(&e, "a run is read")) {
        content(r);
        round_trip(r, a, "a run");
    }
    awkward(a);
    cut(a);
    arena_release(a);
    return tap_done();
}
