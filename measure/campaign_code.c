#include "base/text.h"
#include "code/decode.h"
#include "measure/campaign_parts.h"

#include <math.h>
#include <string.h>

#define CODE_BYTES_MAX 4096
#define INSN_BYTES_MAX 15

/* Length of the function at `code` through the return that no branch before it jumps over; 0 if
 * there is none within CODE_BYTES_MAX.  Reads no further than that return. */
static size_t function_bytes(struct decoder *d, const uint8_t *code)
{
    size_t at = 0;
    uint64_t furthest = 0;
    struct insn insn;
    struct err e = {0};
    while (at < CODE_BYTES_MAX && decode_insn(d, code + at, INSN_BYTES_MAX, at, &insn, &e)) {
        at += (size_t)insn.length;
        if (insn.branch && insn.target > furthest && insn.target < CODE_BYTES_MAX) {
            furthest = insn.target;
        }
        if (insn.returns && at > furthest) {
            return at;
        }
    }
    return 0;
}

static void add_loop_code(struct campaign *c, struct decoder *d, const struct loop *l)
{
    struct run *r = c->run;
    const uint8_t *code;
    memcpy(&code, &l->run, sizeof code); /* ISO C has no cast from a function to its bytes */
    const size_t n = function_bytes(d, code);
    if (n == 0) {
        campaign_warn(c,
                      arena_format(c->arena,
                                   "the machine code of %s has no end that the decoder can find; "
                                   "its instructions cannot be counted",
                                   l->name));
        return;
    }
    r->loops =
        arena_grow(c->arena, r->loops, (size_t)r->n_loops, &c->loops_capacity, sizeof *r->loops);
    r->loops[r->n_loops++] = (struct run_loop){
        .name = l->name,
        .isa = isa_info[l->isa].name,
        .code = text_hex(code, n, c->arena),
        .elements_per_iter =
            l->n_arrays ? (double)l->bytes_per_iter / l->element_bytes : (double)NAN,
    };
}

bool campaign_code(struct campaign *c)
{
#if defined(__x86_64__)
    struct decoder *d = decoder_open(ARCH_X86_64, c->e);
#else
    struct decoder *d = decoder_open(ARCH_AARCH64, c->e);
#endif
    if (!d) {
        return false;
    }
    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *l = &loops_table[i];
        bool ran = false;
        for (int k = 0; k < c->plan.n && !ran; k++) {
            ran = c->plan.items[k].loop == l;
        }
        if (ran) {
            add_loop_code(c, d, l);
        }
    }
    decoder_close(d);
    return true;
}
