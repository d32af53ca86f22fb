#include "code/decode.h"
#include "code/encode.h"
#include "measure/probe_list.h"
#include "tests/tap.h"

#include <stdio.h>

/* Bytes as the GNU assembler gives them for the same registers. */
static const struct row {
    const char *form, *hex;
} rows[] = {
    {"add r64, r64", "4801c8"},           /* add rax, rcx */
    {"ADD r32, imm8", "83c003"},          /* add eax, 3 */
    {"mov r8, r8", "88c8"},               /* mov al, cl */
    {"addps xmm, xmm", "0f58c1"},         /* addps xmm0, xmm1 */
    {"vaddps ymm, ymm, ymm", "c5f458c2"}, /* vaddps ymm0, ymm1, ymm2 */
    {"vaddps zmm, zmm, zmm", "62f1744858c2"},
    {"vaddps zmm{k}{z}, zmm, zmm", "62f174cb58c2"}, /* k3 */
    {"vblendvps ymm, ymm, ymm, ymm", "c4e3754ac230"},
    {"vaddps zmm, zmm, m32bcst", "62f174585846f8"}, /* [rsi-32] */
    {"lea r64, agen", "488d44bee0"},                /* lea rax, [rsi+rdi*4-32] */
    {"shl r32, cl", "d3e0"},
    {"lock add m32, r32", "f0014ee0"},
    {"vgatherdps ymm, m256, ymm", "c4e26d92443ee0"},  /* ymm0, [rsi+ymm7-32], ymm2 */
    {"vgatherdpd ymm, m256, ymm", "c4e2ed92443ee0"},  /* xmm7 */
    {"vgatherqps xmm, m128, xmm", "c4e26d93443ee0"},  /* ymm7 */
    {"vpgatherqq zmm{k}, m512", "62f2fd4b91443efc"},  /* zmm0{k3}, [rsi+zmm7-32] */
    {"vscatterdps m512{k}, zmm", "62f27d4ba24c3ef8"}, /* [rsi+zmm7-32]{k3}, zmm1 */
};

static void test_bytes(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct err e = {0};
        struct encode_form f;
        uint8_t code[ENCODE_BYTES_MAX];
        char hex[2 * ENCODE_BYTES_MAX + 1] = "";
        size_t len = 0;
        struct encode_registers r = {.number = {0, 1, 2, 3},
                                     .mask = 3,
                                     .base = 6,
                                     .index = -1,
                                     .scale = 4,
                                     .displacement = -32,
                                     .immediate = 3};
        if (encode_form(rows[k].form, &f, &e)) {
            r.index = f.kinds[1] == ENCODE_ADDRESS || f.vector_index ? 7 : -1;
            r.scale = f.vector_index ? 1 : 4;
            encode_insn(&f, &r, code, &len, &e);
        }
        for (size_t i = 0; i < len; i++) {
            snprintf(hex + 2 * i, 3, "%02x", code[i]);
        }
        is_text(e.code ? e.text : hex, rows[k].hex, rows[k].form);
    }
}

static void test_errors(void)
{
    static const struct {
        const char *form;
        enum err_code code;
    } bad[] = {
        {"", ERR_SYNTAX},
        {"frobnicate r64", ERR_SYNTAX},
        {"add r64, r128", ERR_RANGE},
        {"add r64, m7", ERR_RANGE},
        {"add r64, zmm", ERR_RANGE},
        {"addps xmm{k}, xmm", ERR_RANGE},
        {"vaddps zmm, zmm, m32bcast", ERR_RANGE},
        {"jnz rel", ERR_RANGE},
        {"vgatherdps zmm, m512", ERR_RANGE}, /* its mask is not optional */
        {"add r64, r64, r64, r64, r64", ERR_RANGE},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct err e = {0};
        struct encode_form f;
        ok(!encode_form(bad[k].form, &f, &e) && e.code == bad[k].code && e.text[0], "refused: '%s'",
           bad[k].form);
    }
    struct err e = {0};
    struct encode_form f;
    uint8_t code[ENCODE_BYTES_MAX];
    size_t len;
    const struct encode_registers high = {.number = {0, 17}, .index = -1};
    ok(encode_form("addps xmm, xmm", &f, &e) && !encode_insn(&f, &high, code, &len, &e) &&
           e.code == ERR_RANGE,
       "a register that the encoding cannot name is refused");
}

/* The registers that decode finds are those that were asked for. */
static bool names_registers(const struct decoder *d, const struct insn *i,
                            const struct encode_form *f, const struct encode_registers *r)
{
    for (int j = 0; j < i->n_reads + i->n_writes; j++) {
        const bool read = j < i->n_reads;
        const code_reg reg = read ? i->reads[j] : i->writes[j - i->n_reads];
        const int operand = read ? i->read_operand[j] : i->write_operand[j - i->n_reads];
        const char *name = code_reg_name(d, reg);
        char want[8];
        if (operand == 0 || (f->kinds[operand - 1] != ENCODE_VECTOR)) {
            continue;
        }
        snprintf(want, sizeof want, "zmm%d", r->number[operand - 1]);
        if (strcmp(name, want) != 0) {
            return false;
        }
    }
    return true;
}

/* Every pattern without V, in all kinds of registers, decodes to itself. */
static void test_round_trip(struct decoder *d)
{
    int tried = 0, wrong = 0, forms = 0;

    for (int k = 0; k < probe_list_count(); k++) {
        const char *pattern = probe_list_pattern(k);
        struct encode_form f;
        struct err e = {0};
        if (strchr(pattern, 'V') || !encode_form(pattern, &f, &e)) {
            continue;
        }
        forms++;
        for (uint8_t n = 0; n < 12; n++) {
            const struct encode_registers r = {.number = {n, (uint8_t)(n + 1), (uint8_t)(n + 2), 3},
                                               .mask = (uint8_t)(1 + n % 7),
                                               .base = 14,
                                               .index = f.vector_index ? 15 : -1,
                                               .scale = 1,
                                               .displacement = 64 * n,
                                               .immediate = 3};
            uint8_t code[ENCODE_BYTES_MAX];
            size_t len = 0;
            struct insn i;
            if (n >= 6 && strchr(f.text, 'k')) {
                continue; /* there are only eight masks */
            }
            tried++;
            const bool good = encode_insn(&f, &r, code, &len, &e) &&
                              decode_insn(d, code, len, 0, &i, &e) && (size_t)i.length == len &&
                              strcmp(i.form, f.text) == 0 && names_registers(d, &i, &f, &r);
            wrong += !good;
            if (!good) {
                printf("# %s with registers from %d: %s\n", f.text, n, e.text);
            }
        }
    }
    ok(forms > 400 && wrong == 0, "%d encodings of %d forms decode to their form and registers",
       tried, forms);
}

int main(void)
{
    struct err e = {0};
    struct decoder *d = decoder_open(ARCH_X86_64, &e);

    test_bytes();
    test_errors();
    test_round_trip(d);
    decoder_close(d);
    return tap_done();
}
