/* Any bytes are rows of blocks until the end or an error with a place. */
#include "formats/blocks.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_block(const struct block *b)
{
    fuzz_demand(b->n_forms > 0 && b->weight > 0 && (isnan(b->cycles) || b->cycles > 0));
    for (int i = 0; i < b->n_forms; i++) {
        fuzz_demand(b->forms[i].count > 0 && b->forms[i].form[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("blocks", MFD_CLOEXEC);
    char path[32];
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct block b;
    struct block_reader *r = blocks_open(path, a, &e);
    while (r && blocks_next(r, a, &b, &e)) {
        check_block(&b);
    }
    fuzz_check(e.code == ERR_NONE, &e);
    blocks_close(r);
    arena_release(a);
    close(fd);
    return 0;
}
