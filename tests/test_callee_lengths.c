#include "measure/callee_lengths.h"
#include "tests/formats.h"

/* 48 KiB, 2 MiB and 64 MiB: L1 half, 24 KiB, of which half again is used; L2 half. */
static const struct sizes_machine caches = {.threads = 1,
                                            .bytes = {48 << 10, 2 << 20, 64 << 20},
                                            .sharers = {1, 1, 1},
                                            .instances = {1, 1, 1},
                                            .dram_caches = 2,
                                            .last_level_bytes = 64 << 20,
                                            .memory_usable_bytes = (double)NAN};

static const struct {
    const char *what, *args;
    enum level level;
    double elements_per_n, n_per_iter;
    size_t unit;
    double least, most; /* units */
    int n_lengths;
    bool mixed;
} cases[] = {
    {"not known yet: the largest", "float*", LEVEL_L1, 1, NAN, 256, 4, 12, 6, true},
    {"not known, no room: smaller", "double*, double*", LEVEL_L1, 4, NAN, 128, 2, 3, 2, true},
    {"no array: as one of eight bytes", "", LEVEL_L1, 1, NAN, 256, 2, 6, 5, true},
    {"few trips: as many as are learnt", "float*", LEVEL_L1, 1, 16, 64, 10, 30, 6, false},
    {"as many as can be learnt still", "float*", LEVEL_L1, 1, 2, 64, 2, 3, 2, false},
    {"many trips: none of them is", "float*", LEVEL_L1, 1, 1, 64, 16, 48, 6, true},
    {"from 256 trips on, with less room", "double*, double*, double*, double*", LEVEL_L1, 1, 1, 64,
     4, 6, 3, true},
    {"an iteration as a unit", "float*", LEVEL_L1, 1, 64, 64, 16, 48, 6, false},
    {"one more than a unit", "float*", LEVEL_L1, 1, 65, 128, 8, 24, 6, false},
    {"more than the largest", "float*", LEVEL_L1, 1, 1000, 256, 4, 12, 6, false},
    {"a large one without room", "double*, double*", LEVEL_L1, 4, 256, 128, 2, 3, 2, false},
    {"L2: half, ends are mixed", "float*", LEVEL_L2, 1, 16, 64, 1365, 4096, 6, true},
    {"DRAM: three from half on", "float*", LEVEL_DRAM, 1, 16, 64, 262144, 524288, 3, true},
    {"DRAM: never less than two", "double*", LEVEL_DRAM, 87381, 16, 64, 2, 3, 2, true},
};

static bool request(const char *args, double elements_per_n, struct callee_request *r)
{
    struct err e = {0};
    *r = (struct callee_request){.elements_per_n = elements_per_n};
    return callee_parse(args, &r->args, &e);
}

/* What callee.h asks of a request. */
static bool is_sound(const struct callee_request *r)
{
    bool sound = r->n_lengths >= 2 && r->n_lengths <= CALLEE_LENGTHS_MAX;
    for (int i = 0; i < r->n_lengths; i++) {
        sound &= r->lengths[i] % r->unit == 0;
        sound &= r->lengths[i] >= 2 * r->unit && (i == 0 || r->lengths[i] > r->lengths[i - 1]);
    }
    return sound;
}

static void chosen(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct callee_request r;
        struct err e = {0};
        ok(request(cases[i].args, cases[i].elements_per_n, &r) &&
               callee_lengths(&caches, cases[i].level, cases[i].n_per_iter, &r, &e) && is_sound(&r),
           "%s: sound", cases[i].what);
        const double unit = (double)r.unit, least = (double)r.lengths[0] / unit,
                     most = (double)r.lengths[r.n_lengths - 1] / unit;
        ok(r.unit == cases[i].unit && r.mixed == cases[i].mixed &&
               r.n_lengths == cases[i].n_lengths && least == cases[i].least &&
               most == cases[i].most,
           "  %d lengths, %g to %g units of %zu", r.n_lengths, least, most, r.unit);
    }
}

static void refused(void)
{
    struct sizes_machine unknown = caches;
    struct callee_request r;
    struct err e = {0};
    ok(request("double*", 4096, &r) && !callee_lengths(&caches, LEVEL_L1, 1, &r, &e) &&
           e.code == ERR_HOST && strstr(e.text, "do not fit L1: one more n takes 32768 bytes"),
       "no room: %s", e.text);
    unknown.bytes[LEVEL_L2] = (double)NAN;
    e = (struct err){0};
    ok(request("double*", 1, &r) && !callee_lengths(&unknown, LEVEL_L2, 1, &r, &e) &&
           e.code == ERR_HOST && strstr(e.text, "there is no L2 here"),
       "no level: %s", e.text);
}

int main(void)
{
    chosen();
    refused();
    return tap_done();
}
