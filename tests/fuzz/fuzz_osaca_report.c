/* Any text has a positive number of cycles, or none. */
#include "compare/osaca_report.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const double cycles = osaca_report_cycles(arena_copy(a, (const char *)data, size));
    fuzz_demand(isnan(cycles) || (cycles > 0 && isfinite(cycles)));
    arena_release(a);
    return 0;
}
