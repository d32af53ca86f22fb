/* Any bytes become a machine or an error with a place; a machine that is written reads back the
 * same. */
#include "formats/machine.h"
#include "tests/fuzz/fuzz.h"
#include "tests/same.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct bytes out;
    const struct machine *m = machine_read(fuzz_bytes(data, size), "f", a, &e);
    fuzz_check(m != NULL, &e);
    if (m) {
        fuzz_demand(machine_write(m, a, &out, &e));
        const struct machine *back = machine_read(out, "f", a, &e);
        fuzz_demand(back && same_machine(m, back));
    }
    arena_release(a);
    return 0;
}
