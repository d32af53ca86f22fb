/* Any bytes decode to something within its bounds or are refused; the first chooses the machine. */
#include "code/decode.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct insn *i, size_t len)
{
    if (i->length < 1 || (size_t)i->length > len || strlen(i->form) >= FORM_SIZE - 1 ||
        i->n_reads >= INSN_REGS_MAX || i->n_writes >= INSN_REGS_MAX) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct insn i;

    if (size == 0) {
        return 0;
    }
    struct decoder *d = decoder_open(data[0] & 1 ? ARCH_AARCH64 : ARCH_X86_64, &e);
    for (size_t at = 1; d && at < size && decode_insn(d, data + at, size - at, at, &i, &e);
         at += (size_t)i.length) {
        check(&i, size - at);
    }
    decoder_close(d);
    return 0;
}
