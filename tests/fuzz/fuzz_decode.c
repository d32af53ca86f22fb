/* Any bytes decode to something within its bounds or are refused, instruction by instruction and as
 * a function with a loop; the first byte chooses the machine. */
#include "code/decode.h"
#include "code/loop.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void out_of_memory(void *context)
{
    longjmp(*(jmp_buf *)context, 1);
}

static void check_insn(const struct insn *i, size_t len)
{
    if (i->length < 1 || (size_t)i->length > len || strlen(i->form) >= FORM_SIZE - 1 ||
        i->n_reads >= INSN_REGS_MAX || i->n_writes >= INSN_REGS_MAX) {
        abort();
    }
}

static void check_function(const uint8_t *code, size_t len, enum code_arch arch)
{
    jmp_buf oom;
    struct arena *a = arena_create((size_t)1 << 24, out_of_memory, &oom);
    struct code_loop l;
    struct loop_counts c;
    struct err e = {0};

    if (a && !setjmp(oom)) {
        if (loop_find(code, len, 0x1000, arch, a, &l, &e)) {
            if (l.n < 1 || l.inner_last >= l.n || !loop_count(&l, 3, a, &c, &e)) {
                abort();
            }
            loop_crossing(&l, 3, len);
        } else if (!e.text[0]) {
            abort();
        }
    }
    arena_release(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    struct insn i;

    if (size == 0) {
        return 0;
    }
    const enum code_arch arch = data[0] & 1 ? ARCH_AARCH64 : ARCH_X86_64;
    struct decoder *d = decoder_open(arch, &e);
    for (size_t at = 1; d && at < size && decode_insn(d, data + at, size - at, at, &i, &e);
         at += (size_t)i.length) {
        check_insn(&i, size - at);
    }
    decoder_close(d);
    check_function(data + 1, size - 1, arch);
    return 0;
}
