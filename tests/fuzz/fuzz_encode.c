/* Any text is a form that encodes and decodes to itself, or an error that says why not. */
#include "code/decode.h"
#include "code/encode.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_round_trip(const struct encode_form *f, const uint8_t *registers)
{
    struct encode_registers r = {
        .mask = 1, .base = 14, .index = f->vector_index ? 9 : -1, .scale = 1, .immediate = 3};
    uint8_t code[ENCODE_BYTES_MAX];
    struct insn insn;
    struct err e = {0};
    size_t len;

    for (int k = 0; k < ENCODE_OPERANDS_MAX; k++) {
        r.number[k] = registers[k] & 15;
    }
    if (!encode_insn(f, &r, code, &len, &e)) {
        fuzz_demand(e.code == ERR_RANGE && e.text[0]);
        return;
    }
    struct decoder *d = decoder_open(ARCH_X86_64, &e);
    fuzz_demand(d && decode_insn(d, code, len, 0, &insn, &e) && (size_t)insn.length == len);
    decoder_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    struct encode_form f;
    struct err e = {0};

    if (size < ENCODE_OPERANDS_MAX || size - ENCODE_OPERANDS_MAX >= sizeof text) {
        return 0;
    }
    memcpy(text, data + ENCODE_OPERANDS_MAX, size - ENCODE_OPERANDS_MAX);
    text[size - ENCODE_OPERANDS_MAX] = '\0';
    if (encode_form(text, &f, &e)) {
        check_round_trip(&f, data);
    } else {
        fuzz_demand(e.code != ERR_NONE && e.text[0]);
    }
    return 0;
}
