/* Any bytes become kernels or an error with a place; kernels can be found and have an intensity. */
#include "formats/kernels.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    const struct kernels *k = kernels_read(fuzz_bytes(data, size), "f", a, &e);
    fuzz_check(k != NULL, &e);
    for (int i = 0; k && i < k->n_kernels; i++) {
        const struct kernel *one = &k->kernels[i];
        fuzz_demand(kernels_find(k, one->name) == one && kernels_find(k, one->roof));
        fuzz_demand(kernel_body(one, one->bodies[0].isa) == &one->bodies[0]);
        fuzz_demand(isnan(one->intensity) || one->intensity >= 0);
        fuzz_demand(kernel_bytes_with_fetch(one) >= kernel_bytes_counted(one));
    }
    arena_release(a);
    return 0;
}
