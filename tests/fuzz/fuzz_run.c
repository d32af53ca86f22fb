/* Any bytes become a run or an error with a place; a run that is written reads back the same. */
#include "formats/run.h"
#include "tests/fuzz/fuzz.h"
#include "tests/same.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct bytes out;
    const struct run *r = run_read(fuzz_bytes(data, size), "f", a, &e);
    fuzz_check(r != NULL, &e);
    if (r) {
        for (int i = 0; i < r->n_cases; i++) {
            fuzz_demand(run_case_rate(&r->cases[i]) > 0);
        }
        fuzz_demand(run_write(r, a, &out, &e));
        const struct run *back = run_read(out, "f", a, &e);
        fuzz_demand(back && same_run(r, back));
    }
    arena_release(a);
    return 0;
}
