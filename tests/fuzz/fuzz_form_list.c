/* Any bytes are a list of forms that read again to themselves, or an error with a place. */
#include "code/form.h"
#include "code/form_list.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    const struct bytes input = {(const char *)data, size};
    const char *const *forms = NULL;
    struct err e = {0};
    int n = 0;

    const bool read = form_list_read(input, "list", a, &forms, &n, &e);
    for (int k = 0; read && k < n; k++) {
        char again[FORM_SIZE];
        fuzz_demand(form_normalise(forms[k], again) && strcmp(again, forms[k]) == 0);
    }
    fuzz_check(read, &e);
    arena_release(a);
    return 0;
}
