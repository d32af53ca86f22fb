/* Any text normalises to a fixed point that matches itself, or is refused. */
#include "code/form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    char once[FORM_SIZE], twice[FORM_SIZE];

    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (form_normalise(text, once)) {
        if (!form_normalise(once, twice) || strcmp(once, twice) != 0) {
            abort();
        }
        form_matches(once, twice);
        form_matches("vaddps V{k}, MV, V", once);
    }
    free(text);
    return 0;
}
