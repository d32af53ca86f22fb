/* Any bytes are a perf.data, of which every sample is somewhere, or an error with a place. */
#include "formats/profile.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct profile p;
    const struct bytes input = {(const char *)data, size};
    const bool read = profile_read_perf(input, "perf.data", a, &p, &e);
    fuzz_check(read, &e);
    for (size_t k = 0; read && k < p.n; k++) {
        fuzz_demand(p.spots[k].count >= 1 && p.spots[k].file && !strchr(p.spots[k].file, '/'));
    }
    arena_release(a);
    return 0;
}
