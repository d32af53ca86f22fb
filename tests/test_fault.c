/* Memory that runs out anywhere while a file is read or written: oom is called, nothing crashes,
 * and what libraries hold is given back (leaks show under SAN=1). */
#include "formats/blocks.h"
#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/run.h"
#include "tests/tap.h"

#include <setjmp.h>
#include <stdlib.h>

static void jump(void *context)
{
    longjmp(*(jmp_buf *)context, 1);
}

static bool do_machine(const char *path, struct arena *a, struct err *e)
{
    struct bytes in, out;
    const struct machine *m = file_read(path, a, &in, e) ? machine_read(in, path, a, e) : NULL;
    return m && machine_write(m, a, &out, e);
}

static bool do_run(const char *path, struct arena *a, struct err *e)
{
    struct bytes in, out;
    const struct run *r = file_read(path, a, &in, e) ? run_read(in, path, a, e) : NULL;
    return r && run_write(r, a, &out, e);
}

static bool do_kernels(const char *path, struct arena *a, struct err *e)
{
    struct bytes in;
    return file_read(path, a, &in, e) && kernels_read(in, path, a, e);
}

static bool do_blocks(const char *path, struct arena *a, struct err *e)
{
    struct block b;
    struct block_reader *r = blocks_open(path, a, e);
    while (r && blocks_next(r, a, &b, e)) {
    }
    blocks_close(r);
    return e->code == ERR_NONE;
}

typedef bool job(const char *path, struct arena *a, struct err *e);

enum outcome { DONE, OUT_OF_MEMORY, FAILED };

static enum outcome try_with(size_t bytes_max, job *work, const char *path)
{
    jmp_buf out;
    struct arena *a = arena_create(bytes_max, jump, &out);
    volatile enum outcome outcome = OUT_OF_MEMORY;
    if (setjmp(out) == 0) {
        struct err e = {0};
        outcome = work(path, a, &e) ? DONE : FAILED;
    }
    arena_release(a);
    return outcome;
}

/* Every size up to the one that suffices, in steps of the arena's alignment. */
static void starve(job *work, const char *path)
{
    int n[3] = {0};
    size_t bytes_max = 0;
    enum outcome outcome;
    do {
        outcome = try_with(bytes_max, work, path);
        n[outcome]++;
        bytes_max += 16;
    } while (outcome == OUT_OF_MEMORY && bytes_max < (size_t)1 << 24);
    ok(n[DONE] == 1 && n[FAILED] == 0 && n[OUT_OF_MEMORY] > 50,
       "%s: oom called %d times, then %zu bytes suffice", path, n[OUT_OF_MEMORY], bytes_max - 16);
}

int main(void)
{
    starve(do_machine, "tests/corpus/machine/whole.yaml");
    starve(do_machine, "tests/corpus/machine/resources.yaml");
    starve(do_run, "tests/corpus/run/whole.yaml");
    starve(do_kernels, "tests/corpus/kernels/whole.yaml");
    starve(do_blocks, "tests/corpus/blocks/whole.csv");
    return tap_done();
}
