/* The roofline on numbers a reader can check by hand. */
#include "model/roof.h"
#include "tests/tap.h"

#define R(NAME, ISA, LEVEL, UNIT, THREADS, RATE)                                                   \
    {                                                                                              \
        .name = NAME, .isa = ISA, .level = LEVEL, .unit = UNIT, .threads = THREADS, .rate = RATE,  \
        .cv = NAN, .other = NAN                                                                    \
    }

static const struct roof roofs[] = {
    R("fma_f32", "avx2", "L1", "flop/s", 1, 100e9),
    R("fma_f32", "avx512", "L1", "flop/s", 1, 200e9),
    R("fma_f32", "avx512", "L1", "flop/s", 2, 380e9),
    R("read", "avx512", "DRAM", "byte/s", 1, 20e9),
    R("triad", "avx512", "DRAM", "byte/s", 1, 12e9),
    R("triad", "avx512", "DRAM", "byte/s", 2, 18e9),
    R("triad", "avx512", "L1", "byte/s", 1, 600e9),
};
enum { N_ROOFS = sizeof roofs / sizeof roofs[0] };

static struct kernel_stream some_stream[] = {{"x", STREAM_READ}};

static struct kernel kernel(const char *roof, double flops, double intensity)
{
    return (struct kernel){.name = "k",
                           .element_bytes = 4,
                           .flops_per_element = flops,
                           .streams = some_stream,
                           .n_streams = 1,
                           .roof = roof,
                           .compute_roof = flops > 0 ? "fma_f32" : NULL,
                           .intensity = intensity};
}

struct bound_case {
    const char *what, *roof;
    double flops, intensity;
    const char *isa, *level;
    int threads;
    double bound, ridge;
    const char *binds;
};
static const struct bound_case bounds[] = {
    {"memory binds below the ridge", "triad", 2, 0.5, "avx512", "DRAM", 1, 6e9, 200 / 12.0,
     "triad"},
    {"compute binds above it", "triad", 2, 20, "avx512", "DRAM", 1, 200e9, 200 / 12.0, "fma_f32"},
    {"at the ridge both are equal", "read", 2, 10, "avx512", "DRAM", 1, 200e9, 10, "fma_f32"},
    {"the roofs are those of the threads", "triad", 2, 0.5, "avx512", "DRAM", 2, 9e9, 380 / 18.0,
     "triad"},
    {"a memory roof of another isa serves", "triad", 2, 0.5, "avx2", "DRAM", 1, 6e9, 100 / 12.0,
     "triad"},
    {"a compute roof is the isa's own", "triad", 2, 20, "avx2", "DRAM", 1, 100e9, 100 / 12.0,
     "fma_f32"},
    {"L1 has a memory roof where measured", "triad", 2, 0.1, "avx512", "L1", 1, 60e9, 200 / 600.0,
     "triad"},
    {"L1 without one is bound by compute", "read", 2, 0.1, "avx512", "L1", 1, 200e9, NAN,
     "fma_f32"},
    {"without flops the memory roof is the bound", "triad", 0, 0, "avx512", "DRAM", 1, 12e9, NAN,
     "triad"},
};

static void check_bounds(void)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const struct bound_case *b = &bounds[i];
        const struct kernel k = kernel(b->roof, b->flops, b->intensity);
        struct roofline line;
        struct err e = {0};
        ok(roofline_bound(&k, b->isa, b->level, b->threads, roofs, N_ROOFS, &line, &e), "%s",
           b->what);
        is_near(line.bound, b->bound, 1e-12, "  bound");
        is_near(line.ridge, b->ridge, 1e-12, "  ridge");
        is_text(line.binds ? line.binds->name : NULL, b->binds, "  what binds");
    }
}

struct missing_case {
    const char *roof;
    double flops;
    const char *isa, *level;
    int threads;
    const char *message;
};
static const struct missing_case missing[] = {
    {"copy", 2, "avx512", "DRAM", 1, "no copy roof at DRAM on 1 thread"},
    {"triad", 2, "avx512", "L2", 2, "no triad roof at L2 on 2 threads"},
    {"triad", 2, "neon", "DRAM", 1, "no fma_f32 roof of neon at L1 on 1 thread"},
    {"triad", 2, "avx512", "DRAM", 10, "no fma_f32 roof of avx512 at L1 on 10 threads"},
    {"copy", 0, "avx512", "L1", 1, "no copy roof at L1 on 1 thread"},
    {NULL, 0, "avx512", "L1", 1, "'k' names neither a compute roof nor a memory roof"},
};

static void check_missing(void)
{
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        const struct missing_case *m = &missing[i];
        const struct kernel k = kernel(m->roof, m->flops, 1);
        struct roofline line;
        struct err e = {0};
        ok(!roofline_bound(&k, m->isa, m->level, m->threads, roofs, N_ROOFS, &line, &e) &&
               e.code == ERR_MODEL,
           "refused");
        is_text(e.text, m->message, "  says which roof is missing");
    }
}

struct fetch_case {
    const char *what;
    double fill, read, update; /* GB/s; 0: not measured */
    int threads, answer;
};
static const struct fetch_case fetches[] = {
    {"article, ten threads: fill 1.03 of read", 253.3, 246.3, 0, 10, 0},
    {"half of the update is a fetch", 34, 34, 60, 1, 1},
    {"as much as the update is none", 58, 34, 60, 1, 0},
    {"in between cannot be told", 46, 34, 60, 1, -1},
    {"nor can what is slower than both", 10, 34, 60, 1, -1},
    {"one core's read roof proves nothing", 141, 92.7, 0, 1, -1},
    {"a slow fill beside read alone proves nothing", 100, 246.3, 0, 10, -1},
    {"nothing beside the fill", 100, 0, 0, 2, -1},
    {"no fill", 0, 100, 100, 2, -1},
};

static void check_fetches(void)
{
    for (size_t i = 0; i < sizeof fetches / sizeof fetches[0]; i++) {
        const struct fetch_case *f = &fetches[i];
        struct roof list[3];
        int n = 0;
        const struct roof all[] = {
            R("fill", "neon", "DRAM", "byte/s", f->threads, f->fill * 1e9),
            R("read", "neon", "DRAM", "byte/s", f->threads, f->read * 1e9),
            R("update", "neon", "DRAM", "byte/s", f->threads, f->update * 1e9),
        };
        for (int r = 0; r < 3; r++) {
            if (all[r].rate > 0) {
                list[n++] = all[r];
            }
        }
        char why[200] = "";
        const int answer = roof_write_allocates(list, n, f->threads, why);
        ok(answer == f->answer && why[0], "%s: %d (%s)", f->what, answer, why);
    }
}

int main(void)
{
    check_bounds();
    check_missing();
    check_fetches();
    return tap_done();
}
