#include "model/compose.h"
#include "tests/tap.h"

static const struct {
    const char *form;
    const char *registers; /* NULL: no memory source */
    const char *load;      /* the first one */
    int operand;
} cases[] = {
    {"vaddps zmm, zmm, m512", "vaddps zmm, zmm, zmm", "vmovups zmm, m512", 3},
    {"vaddps zmm{k}{z}, zmm, m512", "vaddps zmm{k}{z}, zmm, zmm", "vmovups zmm, m512", 3},
    {"vfmadd231pd ymm, ymm, m256", "vfmadd231pd ymm, ymm, ymm", "vmovups ymm, m256", 3},
    {"addps xmm, m128", "addps xmm, xmm", "vmovups xmm, m128", 2},
    {"vaddsd xmm, xmm, m64", "vaddsd xmm, xmm, xmm", "vmovsd xmm, m64", 3},
    {"vmulss xmm, xmm, m32", "vmulss xmm, xmm, xmm", "vmovss xmm, m32", 3},
    {"vmulps zmm, zmm, m32bcst", "vmulps zmm, zmm, zmm", "vbroadcastss zmm, m32", 3},
    {"vcmppd k, ymm, m64bcst, imm", "vcmppd k, ymm, ymm, imm", "vbroadcastsd ymm, m64", 3},
    {"vinsertf128 ymm, ymm, m128, imm", "vinsertf128 ymm, ymm, xmm, imm", "vmovups xmm, m128", 3},
    {"add r64, m64", "add r64, r64", "mov r64, m64", 2},
    {"imul r32, m32, imm", "imul r32, r32, imm", "mov r32, m32", 2},
    {"cmp m64, imm", "cmp r64, imm", "mov r64, m64", 1},
    {"test m8, r8", "test r8, r8", "mov r8, m8", 1},
    {"add m64, r64", NULL, NULL, 0},
    {"vmovups zmm, m512", NULL, NULL, 0},
    {"vmovups m512, zmm", NULL, NULL, 0},
    {"vbroadcastss zmm, m32", NULL, NULL, 0},
    {"vgatherdps zmm{k}, m32", NULL, NULL, 0},
    {"vaddps zmm, zmm, zmm", NULL, NULL, 0},
    {"lea r64, agen", NULL, NULL, 0},
    {"lddqu xmm, m128", NULL, NULL, 0},
    {"ldr x, m64", NULL, NULL, 0},
    {"ret", NULL, NULL, 0},
    {"fld m80", NULL, NULL, 0},
    {"add r64,", NULL, NULL, 0},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compose_parts p;
        const bool apart = compose_take_apart(cases[i].form, &p);
        if (!cases[i].registers) {
            ok(!apart, "%s: no memory source", cases[i].form);
            continue;
        }
        ok(apart && p.operand == cases[i].operand, "%s", cases[i].form);
        is_text(apart ? p.registers : NULL, cases[i].registers, "  registers");
        is_text(apart ? p.loads[0] : NULL, cases[i].load, "  load");
    }
    return tap_done();
}
