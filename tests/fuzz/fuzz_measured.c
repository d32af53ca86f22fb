/* Any bytes are a file of measurements, or an error with a place that leaves them alone; what was
 * read is read again with one more. */
#include "formats/measured.h"
#include "tests/fuzz/fuzz.h"

#include <sys/stat.h>

static void add_one(struct measured *m, const char *path, struct arena *a)
{
    const int before = measured_count(m);
    struct err e = {0};

    for (int k = 0; k < before; k++) {
        const struct measured_row *row = measured_get(m, k);
        fuzz_demand(row->cycles > 0 && row->spread >= 0 && row->samples > 0);
        fuzz_demand(measured_find(m, row->block) != NULL);
    }
    fuzz_demand(measured_add(m, &(struct measured_row){"1 nop", 0.25, 0, 5}, &e));
    m = measured_open(path, "cpu", a, &e);
    fuzz_demand(m && measured_count(m) == before + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stat after;
    char path[FUZZ_PATH_BYTES];
    const int fd = fuzz_file(data, size, path);
    if (fd < 0) {
        return 0;
    }
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct measured *m = measured_open(path, "cpu", a, &e);
    fuzz_check(m != NULL, &e);
    fuzz_demand(m || (fstat(fd, &after) == 0 && after.st_size == (off_t)size));
    if (m) {
        add_one(m, path, a);
    }
    arena_release(a);
    close(fd);
    return 0;
}
