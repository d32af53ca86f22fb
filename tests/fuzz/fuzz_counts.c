/* Any bytes are counts by place until the end or an error with a place. */
#include "formats/profile.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_BYTES];
    const int fd = fuzz_file(data, size, path);
    if (fd < 0) {
        return 0;
    }
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct profile p;
    const bool read = profile_read_counts(path, a, &p, &e);
    fuzz_check(read, &e);
    for (size_t k = 0; read && k < p.n; k++) {
        fuzz_demand(p.spots[k].count > 0 && p.spots[k].loc.line > 1);
        fuzz_demand(p.spots[k].place != PROFILE_SYMBOL || p.spots[k].symbol[0] != '\0');
    }
    arena_release(a);
    close(fd);
    return 0;
}
