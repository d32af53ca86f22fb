#include "measure/probe_frame.h"

#include "measure/probe_chain.h"

#include <assert.h>
#include <string.h>

enum { REG_ARG0 = 7, REG_ARG1 = 6 };

/* Instructions around the loop. */
enum frame_form {
    PUSH,
    POP,
    MOVE,
    SET,
    ADDRESS,
    DECREMENT,
    LOAD_SSE,
    LOAD_AVX,
    LOAD_AVX512,
    MASK16,
    FRAMES
};
static const char *const frame_texts[FRAMES] = {
    [PUSH] = "push r64",
    [POP] = "pop r64",
    [MOVE] = "mov r64, r64",
    [SET] = "mov r64, imm",
    [ADDRESS] = "lea r64, agen",
    [DECREMENT] = "dec r64",
    [LOAD_SSE] = "movups xmm, m128",
    [LOAD_AVX] = "vmovups ymm, m256",
    [LOAD_AVX512] = "vmovups zmm, m512",
    [MASK16] = "kmovw k, m16",
};

struct probe_coder {
    struct encode_form frame[FRAMES];
    struct encode_form *aids; /* [probe_aids_n] */
};

struct probe_coder *probe_coder_new(struct arena *a, struct err *e)
{
    struct probe_coder *c = arena_new(a, struct probe_coder, 1);

    for (int k = 0; k < FRAMES; k++) {
        if (!encode_form(frame_texts[k], &c->frame[k], e)) {
            return NULL;
        }
    }
    c->aids = arena_new(a, struct encode_form, (size_t)probe_aids_n);
    for (int k = 0; k < probe_aids_n; k++) {
        if (!encode_form(probe_aids[k], &c->aids[k], e)) {
            return NULL;
        }
    }
    return c;
}

const struct encode_form *frame_aid(const struct probe_coder *c, const char *aid)
{
    int k = 0;

    while (strcmp(probe_aids[k], aid) != 0) {
        k++;
        assert(k < probe_aids_n);
    }
    return &c->aids[k];
}

static bool put_bytes(struct emitter *m, const void *bytes, size_t len)
{
    if (m->len + len > PROBE_CODE_BYTES) {
        return err_set(m->e, ERR_RANGE, LOC_NONE, "a block longer than %zu bytes of code",
                       PROBE_CODE_BYTES);
    }
    memcpy(m->out + m->len, bytes, len);
    m->len += len;
    return true;
}

bool frame_put(struct emitter *m, const struct encode_form *f, const struct encode_registers *r)
{
    uint8_t code[ENCODE_BYTES_MAX];
    size_t len;

    return encode_insn(f, r, code, &len, m->e) && put_bytes(m, code, len);
}

static bool put(struct emitter *m, enum frame_form form, struct encode_registers r)
{
    return frame_put(m, &m->coder->frame[form], &r);
}

static bool move_stack(struct emitter *m, int bytes)
{
    return put(m, ADDRESS,
               (struct encode_registers){
                   .number = {REG_RSP}, .base = REG_RSP, .index = -1, .displacement = bytes});
}

static const uint8_t saved[] = {3, 5, 12, 13, 14, 15}; /* rbx rbp r12..r15, the ABI's */
#define N_SAVED ((int)sizeof saved)

/* Upper halves of vector registers made clean, as legacy SSE wants them before and code after. */
static bool put_vzeroupper(struct emitter *m, enum probe_kind kind)
{
    static const uint8_t vzeroupper[] = {0xc5, 0xf8, 0x77};

    return kind < PROBE_AVX || put_bytes(m, vzeroupper, sizeof vzeroupper);
}

static bool load_each(struct emitter *m, enum frame_form form, int first, int end)
{
    for (int r = first; r < end; r++) {
        if (!put(m, form,
                 (struct encode_registers){.number = {(uint8_t)r},
                                           .base = REG_MEMORY,
                                           .index = -1,
                                           .displacement = FRAME_VECTOR_BYTES * r})) {
            return false;
        }
    }
    return true;
}

int64_t frame_constant(int number)
{
    return 0x2345 + 77 * number;
}

static const enum frame_form loads[] = {[PROBE_ANY] = LOAD_SSE,
                                        [PROBE_SSE] = LOAD_SSE,
                                        [PROBE_AVX] = LOAD_AVX,
                                        [PROBE_AVX512] = LOAD_AVX512};

bool frame_load(struct emitter *m, enum probe_kind kind, int number, int displacement)
{
    return put(m, loads[kind],
               (struct encode_registers){.number = {(uint8_t)number},
                                         .base = REG_MEMORY,
                                         .index = -1,
                                         .displacement = displacement});
}

bool frame_enter(struct emitter *m, enum probe_kind kind, bool with_masks)
{
    for (int k = 0; k < N_SAVED; k++) {
        if (!put(m, PUSH, (struct encode_registers){.number = {saved[k]}})) {
            return false;
        }
    }
    if (!move_stack(m, -FRAME_STACK_BYTES) ||
        !put(m, MOVE, (struct encode_registers){.number = {REG_TRIPS, REG_ARG0}}) ||
        !put(m, MOVE, (struct encode_registers){.number = {REG_MEMORY, REG_ARG1}}) ||
        (kind != PROBE_ANY && !load_each(m, loads[kind], 0, FRAME_REGISTERS)) ||
        (with_masks && !load_each(m, MASK16, 1, 8))) {
        return false;
    }
    for (int r = 0; r < REG_MEMORY; r++) {
        const struct encode_registers set = {.number = {(uint8_t)r},
                                             .immediate = frame_constant(r)};
        if (r != REG_RSP && !put(m, SET, set)) {
            return false;
        }
    }
    return true;
}

bool frame_begin(struct emitter *m, struct probe_code *shape)
{
    static const uint8_t one_byte_nop = 0x90;

    while (m->len % 64 != 0) {
        if (!put_bytes(m, &one_byte_nop, 1)) {
            return false;
        }
    }
    shape->loop_start = m->len;
    return true;
}

bool frame_end(struct emitter *m, int pushed, struct probe_code *shape)
{
    uint8_t jump[6] = {0x0f, 0x85}; /* jnz rel32 */

    if ((pushed && !move_stack(m, pushed)) ||
        !put(m, DECREMENT, (struct encode_registers){.number = {REG_TRIPS}})) {
        return false;
    }
    const int32_t back =
        (int32_t)((ptrdiff_t)shape->loop_start - (ptrdiff_t)(m->len + sizeof jump));
    memcpy(jump + 2, &back, sizeof back);
    if (!put_bytes(m, jump, sizeof jump)) {
        return false;
    }
    shape->loop_end = m->len;
    return true;
}

bool frame_leave(struct emitter *m, enum probe_kind kind)
{
    static const uint8_t ret[] = {0xc3};

    if (!put_vzeroupper(m, kind) || !move_stack(m, FRAME_STACK_BYTES)) {
        return false;
    }
    for (int k = N_SAVED - 1; k >= 0; k--) {
        if (!put(m, POP, (struct encode_registers){.number = {saved[k]}})) {
            return false;
        }
    }
    return put_bytes(m, ret, sizeof ret);
}
