/* Any bytes are predictions or an error with a place. */
#include "formats/predictions.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_BYTES];
    const int fd = fuzz_file(data, size, path);
    if (fd < 0) {
        return 0;
    }
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct predictions p;
    const bool fine = predictions_read(path, a, &p, &e);
    for (size_t i = 0; fine && i < p.n; i++) {
        fuzz_demand(isnan(p.rows[i].cycles) || p.rows[i].cycles > 0);
        fuzz_demand(p.named == (p.rows[i].name != NULL));
    }
    fuzz_check(fine, &e);
    arena_release(a);
    close(fd);
    return 0;
}
