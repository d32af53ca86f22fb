/* import.h - what every fuzz target of a foreign format demands: any bytes become a machine that is
 * written, reads back the same, and whose remarks all have a reason; or an error with a place. */
#ifndef GAMBREL_TESTS_FUZZ_IMPORT_H
#define GAMBREL_TESTS_FUZZ_IMPORT_H

#include "import/import.h"
#include "tests/fuzz/fuzz.h"
#include "tests/same.h"

static inline int fuzz_import(const char *format, const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct imported i;
    struct text out = {.arena = a}, summary = {.arena = a};
    const struct import_wish wish = {"f", format, strcmp(format, "uops-info") == 0 ? "A" : NULL,
                                     "2026-01-02"};
    const bool read = import_read(fuzz_bytes(data, size), &wish, a, &i, &e);
    fuzz_check(read, &e);
    if (read) {
        fuzz_demand(import_write(&i, a, &out, &e));
        const struct machine *m = machine_read((struct bytes){out.data, out.len}, "f", a, &e);
        fuzz_demand(m && same_machine(i.machine, m));
        fuzz_demand(i.n_left_out <= i.n_entries);
        import_summary(&i, &summary);
    }
    arena_release(a);
    return 0;
}

#endif
