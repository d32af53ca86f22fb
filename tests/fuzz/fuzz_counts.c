/* Any bytes are counts by place until the end or an error with a place. */
#include "formats/profile.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("counts", MFD_CLOEXEC);
    char path[32];
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
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
