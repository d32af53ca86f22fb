/* Any line of assembly stands for some forms, all of them spelled as this program spells them, or
 * for none; the first byte says of which instruction set. */
#include "import/notation.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct notation row;
    struct notation_forms forms = {0};
    char normal[FORM_SIZE];
    const char *operand;
    const char *text = arena_copy(a, (const char *)data, size);
    const enum code_arch arch = *text == 'a' ? ARCH_AARCH64 : ARCH_X86_64;
    if (*text && notation_read(text + 1, arch, a, &row, &operand)) {
        const enum notation_failure failure = notation_expand(&row, a, &forms);
        fuzz_demand((failure == NOTATION_FINE) == (forms.n > 0));
    }
    for (int i = 0; i < forms.n; i++) {
        fuzz_demand(form_normalise(forms.list[i], normal) && strcmp(normal, forms.list[i]) == 0);
    }
    arena_release(a);
    return 0;
}
