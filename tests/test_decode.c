#include "base/arena.h"
#include "base/text.h"
#include "code/decode.h"
#include "tests/tap.h"

#include <stdlib.h>

/* Bytes from the GNU assembler (the source is the form with registers filled in).  A register is
 * followed by the operand it belongs to, 0 for an implicit one. */
struct row {
    const char *hex, *form, *reads, *writes;
    int loads, stores;
    double flops;
    const char *marks;
};

static const struct row x86_rows[] = {
    {"f30f51ca", "sqrtss xmm, xmm", "zmm1:1 zmm2:2", "zmm1:1", 0, 0, 1, ""},
    {"f30f10ca", "movss xmm, xmm", "zmm1:1 zmm2:2", "zmm1:1", 0, 0, 0, ""},
    {"f30f1008", "movss xmm, m32", "rax:2", "zmm1:1", 1, 0, 0, ""},
    {"f30f2ac8", "cvtsi2ss xmm, r32", "zmm1:1 rax:2", "zmm1:1", 0, 0, 0, ""},
    {"0f1608", "movhps xmm, m64", "zmm1:1 rax:2", "zmm1:1", 1, 0, 0, ""},
    {"0f45c3", "cmovnz r32, r32", "rax:1 rbx:2 flags:0", "rax:1", 0, 0, 0, ""},
    {"0f94c0", "setz r8", "rax:1 flags:0", "rax:1", 0, 0, 0, ""},
    {"62f16c595808", "vaddps zmm{k}, zmm, m32bcst", "zmm1:1 k1:0 zmm2:2 rax:3", "zmm1:1", 1, 0, 16,
     ""},
    {"62f16cc958cb", "vaddps zmm{k}{z}, zmm, zmm", "k1:0 zmm2:2 zmm3:3", "zmm1:1", 0, 0, 16, ""},
    {"62f17c491108", "vmovups m512{k}, zmm", "rax:1 k1:0 zmm1:2", "", 0, 1, 0, ""},
    {"62f1744ac2ca01", "vcmpps k{k}, zmm, zmm, imm", "k2:0 zmm1:2 zmm2:3", "k1:1", 0, 0, 0, ""},
    {"62f27d49920c90", "vgatherdps zmm{k}, m512", "zmm1:1 k1:0 rax:2 zmm2:2", "zmm1:1 k1:0", 1, 0,
     0, ""},
    {"c4e265920c90", "vgatherdps ymm, m256, ymm", "zmm1:1 rax:2 zmm2:2 zmm3:3", "zmm1:1 zmm3:3", 1,
     0, 0, ""},
    {"c4e261930c90", "vgatherqps xmm, m64, xmm", "zmm1:1 rax:2 zmm2:2 zmm3:3", "zmm1:1 zmm3:3", 1,
     0, 0, ""},
    {"d3e0", "shl r32, cl", "rax:1 rcx:2 carry flag:0 flags:0", "rax:1 carry flag:0 flags:0", 0, 0,
     0, ""},
    {"d1e0", "shl r32, imm", "rax:1", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"ffc0", "inc r32", "rax:1", "rax:1 flags:0", 0, 0, 0, ""},
    {"c1c003", "rol r32, imm", "rax:1", "rax:1 carry flag:0", 0, 0, 0, ""},
    {"0fbae003", "bt r32, imm", "rax:1", "carry flag:0", 0, 0, 0, ""},
    {"0545230100", "add r32, imm", "rax:1", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"660f1f0418", "nop", "", "", 0, 0, 0, ""},
    {"f30f1efa", "endbr64", "", "", 0, 0, 0, ""},
    {"0f1808", "prefetcht0 m8", "rax:1", "", 0, 0, 0, ""},
    {"488d048b", "lea r64, agen", "rbx:2 rcx:2", "rax:1", 0, 0, 0, ""},
    {"c5f877", "vzeroupper", "", "", 0, 0, 0, ""},
    {"f3a4", "rep movsb", "rdi:0 rsi:0 rcx:0", "rcx:0 rdi:0 rsi:0", 1, 1, 0, ""},
    {"f0480118", "lock add m64, r64", "rax:1 rbx:2", "carry flag:0 flags:0", 1, 1, 0, ""},
    {"50", "push r64", "rax:1 rsp:0", "rsp:0", 0, 1, 0, ""},
    {"c3", "ret", "rsp:0", "rsp:0", 1, 0, 0, "returns"},
    {"62f27d49a20c90", "vscatterdps m512{k}, zmm", "rax:1 zmm2:1 k1:0 zmm1:2", "k1:0", 0, 1, 0, ""},
    {"480fbdc3", "bsr r64, r64", "rax:1 rbx:2", "rax:1 flags:0", 0, 0, 0, ""},
    {"660f6ec8", "movd xmm, r32", "rax:2", "zmm1:1", 0, 0, 0, ""},
    {"48f7e3", "mul r64", "rbx:1 rax:0", "rax:0 rdx:0 carry flag:0 flags:0", 0, 0, 0, ""},
    {"660f3814ca", "blendvps xmm, xmm", "zmm1:1 zmm2:2 zmm0:0", "zmm1:1", 0, 0, 0, ""},
    {"c4e26d2c08", "vmaskmovps ymm, ymm, m256", "zmm2:2 rax:3", "zmm1:1", 1, 0, 0, ""},
    {"ffd0", "call r64", "rax:1 rsp:0", "rsp:0", 0, 1, 0, "calls"},
    {"62f27d481800", "vbroadcastss zmm, m32", "rax:2", "zmm0:1", 1, 0, 0, ""},
    {"f30f7ec1", "movq xmm, xmm", "zmm1:2", "zmm0:1", 0, 0, 0, ""},
    {"660f5ac1", "cvtpd2ps xmm, xmm", "zmm1:2", "zmm0:1", 0, 0, 0, ""},
    {"f30f5ac1", "cvtss2sd xmm, xmm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 0, ""},
    {"660f3a0ac103", "roundss xmm, xmm, imm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 0, ""},
    {"c5f251c2", "vsqrtss xmm, xmm, xmm", "zmm1:2 zmm2:3", "zmm0:1", 0, 0, 1, ""},
    {"62f27548b800", "vfmadd231ps zmm, zmm, m512", "zmm0:1 zmm1:2 rax:3", "zmm0:1", 1, 0, 32, ""},
    {"c4e2f1a9c2", "vfmadd213sd xmm, xmm, xmm", "zmm0:1 zmm1:2 zmm2:3", "zmm0:1", 0, 0, 2, ""},
    {"c5f558c2", "vaddpd ymm, ymm, ymm", "zmm1:2 zmm2:3", "zmm0:1", 0, 0, 4, ""},
    {"f20f7cc1", "haddps xmm, xmm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 4, ""},
    {"660fd0c1", "addsubpd xmm, xmm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 2, ""},
    {"62f17548efc1", "vpxord zmm, zmm, zmm", "zmm1:2 zmm1:3", "zmm0:1", 0, 0, 0, "same"},
    {"31c0", "xor r32, r32", "rax:1 rax:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, "same"},
    {"30e0", "xor r8, r8", "rax:1 rax:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"4829c0", "sub r64, r64", "rax:1 rax:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, "same"},
    {"89d8", "mov r32, r32", "rbx:2", "rax:1", 0, 0, 0, "move"},
    {"4889d8", "mov r64, r64", "rbx:2", "rax:1", 0, 0, 0, "move"},
    {"b805000000", "mov r32, imm", "", "rax:1", 0, 0, 0, ""},
    {"48b8efcdab8967452301", "mov r64, imm", "", "rax:1", 0, 0, 0, ""},
    {"0fb6c3", "movzx r32, r8", "rbx:2", "rax:1", 0, 0, 0, ""},
    {"88d8", "mov r8, r8", "rax:1 rbx:2", "rax:1", 0, 0, 0, ""},
    {"668b03", "mov r16, m16", "rax:1 rbx:2", "rax:1", 1, 0, 0, ""},
    {"62f17c4828c1", "vmovaps zmm, zmm", "zmm1:2", "zmm0:1", 0, 0, 0, "move"},
    {"62f17cc928c1", "vmovaps zmm{k}{z}, zmm", "k1:0 zmm1:2", "zmm0:1", 0, 0, 0, ""},
    {"62f17cc91000", "vmovups zmm{k}{z}, m512", "k1:0 rax:2", "zmm0:1", 1, 0, 0, ""},
    {"62f17c491000", "vmovups zmm{k}, m512", "zmm0:1 k1:0 rax:2", "zmm0:1", 1, 0, 0, ""},
    {"62f17c482b00", "vmovntps m512, zmm", "rax:1 zmm0:2", "", 0, 1, 0, ""},
    {"0fc318", "movnti m32, r32", "rax:1 rbx:2", "", 0, 1, 0, ""},
    {"660fe700", "movntdq m128, xmm", "rax:1 zmm0:2", "", 0, 1, 0, ""},
    {"488703", "xchg m64, r64", "rbx:1 rax:2", "rax:2", 1, 1, 0, ""},
    {"4893", "xchg r64, r64", "rbx:1 rax:2", "rbx:1 rax:2", 0, 0, 0, ""},
    {"5b", "pop r64", "rsp:0", "rbx:1 rsp:0", 1, 0, 0, ""},
    {"75fe", "jnz rel", "flags:0", "", 0, 0, 0, "branch conditional"},
    {"ebfe", "jmp rel", "", "", 0, 0, 0, "branch"},
    {"ffe0", "jmp r64", "rax:1", "", 0, 0, 0, "branch"},
    {"e8fbffffff", "call rel", "rsp:0", "rsp:0", 0, 1, 0, "calls"},
    {"e3fe", "jrcxz rel", "rcx:0", "", 0, 0, 0, "branch conditional"},
    {"c5f892c8", "kmovw k, r32", "rax:2", "k1:1", 0, 0, 0, ""},
    {"c5ec41cb", "kandw k, k, k", "k2:2 k3:3", "k1:1", 0, 0, 0, ""},
    {"62f3754825c203", "vpternlogd zmm, zmm, zmm, imm", "zmm0:1 zmm1:2 zmm2:3", "zmm0:1", 0, 0, 0,
     ""},
    {"c5fa100500010000", "vmovss xmm, m32", "", "zmm0:1", 1, 0, 0, ""},
    {"c5f459448840", "vmulps ymm, ymm, m256", "zmm1:2 rax:3 rcx:3", "zmm0:1", 1, 0, 8, ""},
    {"48830001", "add m64, imm", "rax:1", "carry flag:0 flags:0", 1, 1, 0, ""},
    {"483b03", "cmp r64, m64", "rax:1 rbx:2", "carry flag:0 flags:0", 1, 0, 0, ""},
    {"85c0", "test r32, r32", "rax:1 rax:2", "carry flag:0 flags:0", 0, 0, 0, "same"},
    {"4811d8", "adc r64, r64", "rax:1 rbx:2 carry flag:0", "rax:1 carry flag:0 flags:0", 0, 0, 0,
     ""},
    {"19c0", "sbb r32, r32", "rax:1 rax:2 carry flag:0", "rax:1 carry flag:0 flags:0", 0, 0, 0,
     "same"},
    {"0f9500", "setnz m8", "rax:1 flags:0", "", 0, 1, 0, ""},
    {"486bc305", "imul r64, r64, imm", "rbx:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"480fafc3", "imul r64, r64", "rax:1 rbx:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"48f7f1", "div r64", "rcx:1 rax:0 rdx:0", "rax:0 rdx:0", 0, 0, 0, ""},
    {"d8c1", "fadd st, st", "st0:1 st1:2", "st0:1", 0, 0, 1, ""},
    {"d900", "fld m32", "rax:1", "st0:0", 1, 0, 0, ""},
    {"f348ab", "rep stosq", "rdi:0 rax:0 rcx:0", "rdi:0 rcx:0", 0, 1, 0, ""},
    {"ac", "lodsb", "rax:0 rsi:0", "rax:0 rsi:0", 1, 0, 0, ""},
    {"0fa2", "cpuid", "rax:0 rcx:0", "rax:0 rbx:0 rcx:0 rdx:0", 0, 0, 0, ""},
    {"0f31", "rdtsc", "", "rax:0 rdx:0", 0, 0, 0, ""},
    {"0faef0", "mfence", "", "", 0, 0, 0, ""},
    {"c4e37d190001", "vextractf128 m128, ymm, imm", "rax:1 zmm0:2", "", 0, 1, 0, ""},
    {"c4e375180001", "vinsertf128 ymm, ymm, m128, imm", "zmm1:2 rax:3", "zmm0:1", 1, 0, 0, ""},
    {"c5f4c2c201", "vcmpps ymm, ymm, ymm, imm", "zmm1:2 zmm2:3", "zmm0:1", 0, 0, 0, ""},
    {"62f17d4876c9", "vpcmpeqd k, zmm, zmm", "zmm0:2 zmm1:3", "k1:1", 0, 0, 0, ""},
    {"62f275d99800", "vfmadd132ps zmm{k}{z}, zmm, m32bcst", "zmm0:1 k1:0 zmm1:2 rax:3", "zmm0:1", 1,
     0, 32, ""},
    {"62f1f70a58c2", "vaddsd xmm{k}, xmm, xmm", "zmm0:1 k2:0 zmm1:2 zmm2:3", "zmm0:1", 0, 0, 1, ""},
    {"480fa5d8", "shld r64, r64, cl", "rax:1 rbx:2 rcx:3 carry flag:0 flags:0",
     "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"48c1f803", "sar r64, imm", "rax:1", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"c4e3fbf0c304", "rorx r64, r64, imm", "rbx:2", "rax:1", 0, 0, 0, ""},
    {"c4e2e3f6c1", "mulx r64, r64, r64", "rcx:3 rdx:0", "rax:1 rbx:2", 0, 0, 0, ""},
    {"c4e2e0f2c1", "andn r64, r64, r64", "rbx:2 rcx:3", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"f3480fb8c3", "popcnt r64, r64", "rbx:2", "rax:1 carry flag:0 flags:0", 0, 0, 0, ""},
    {"480fc118", "xadd m64, r64", "rax:1 rbx:2", "rbx:2 carry flag:0 flags:0", 1, 1, 0, ""},
    {"480fb10b", "cmpxchg m64, r64", "rbx:1 rcx:2 rax:0", "rax:0 carry flag:0 flags:0", 1, 1, 0,
     ""},
    {"c4e26d900488", "vpgatherdd ymm, m256, ymm", "zmm0:1 rax:2 zmm1:2 zmm2:3", "zmm0:1 zmm2:3", 1,
     0, 0, ""},
    {"62f2fd499304c8", "vgatherqpd zmm{k}, m512", "zmm0:1 k1:0 rax:2 zmm1:2", "zmm0:1 k1:0", 1, 0,
     0, ""},
    {"62f27d49930488", "vgatherqps ymm{k}, m256", "zmm0:1 k1:0 rax:2 zmm1:2", "zmm0:1 k1:0", 1, 0,
     0, ""},
    {"c9", "leave", "rbp:0 rsp:0", "rbp:0 rsp:0", 1, 0, 0, ""},
    {"480fc8", "bswap r64", "rax:1", "rax:1", 0, 0, 0, ""},
    {"62f2764852c2", "vdpbf16ps zmm, zmm, zmm", "zmm0:1 zmm1:2 zmm2:3", "zmm0:1", 0, 0, 0, ""},
    {"c4e3f168c320", "vfmaddps xmm, xmm, xmm, xmm", "zmm1:2 zmm2:3 zmm3:4", "zmm0:1", 0, 0, 8, ""},
    {"f30f58c1", "addss xmm, xmm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 1, ""},
    {"0f5900", "mulps xmm, m128", "zmm0:1 rax:2", "zmm0:1", 1, 0, 4, ""},
    {"0ffec1", "paddd mm, mm", "mm0:1 mm1:2", "mm0:1", 0, 0, 0, ""},
    {"62f6764856c2", "vfmaddcph zmm, zmm, zmm", "zmm0:1 zmm1:2 zmm2:3", "zmm0:1", 0, 0, 0, ""},
    {"62f5744858c2", "vaddph zmm, zmm, zmm", "zmm1:2 zmm2:3", "zmm0:1", 0, 0, 32, ""},
    {"64488b042528000000", "mov r64, m64", "", "rax:1", 1, 0, 0, ""},
    {"668cd9", "mov r16, sreg", "rcx:1", "rcx:1", 0, 0, 0, ""},
    {"62f27d498a08", "vcompressps m512{k}, zmm", "rax:1 k1:0 zmm1:2", "", 0, 1, 0, ""},
    {"62f1741858c2", "vaddps zmm, zmm, zmm", "zmm1:2 zmm2:3", "zmm0:1", 0, 0, 16, ""},
    {"f20fc2c101", "cmpsd xmm, xmm, imm", "zmm0:1 zmm1:2", "zmm0:1", 0, 0, 0, ""},
};

static const struct row a64_rows[] = {
    {"2014004f", "orr v.4s, imm", "v0:1", "v0:1", 0, 0, 0, ""},
    {"20b4006f", "bic v.8h, imm, lsl", "v0:1", "v0:1", 0, 0, 0, ""},
    {"0000c03d", "ldr q, m128", "x0:2", "v0:1", 1, 0, 0, ""},
    {"0004c13c", "ldr q, m128, post", "x0:2", "v0:1 x0:2", 1, 0, 0, ""},
    {"000cc13c", "ldr q, m128, pre", "x0:2", "v0:1 x0:2", 1, 0, 0, ""},
    {"0078e13c", "ldr q, m128", "x0:2 x1:2", "v0:1", 1, 0, 0, ""},
    {"000440ad", "ldp q, q, m256", "x0:3", "v0:1 v1:2", 1, 0, 0, ""},
    {"0004c1ac", "ldp q, q, m256, post", "x0:3", "v0:1 v1:2 x0:3", 1, 0, 0, ""},
    {"20c8404d", "ld1r v.4s, m32", "x1:2", "v0:1", 1, 0, 0, ""},
    {"00a8df4c", "ld1 v.4s, v.4s, m256, post", "x0:3", "v0:1 v1:2 x0:3", 1, 0, 0, ""},
    {"0028c34c", "ld1 v.4s, v.4s, v.4s, v.4s, m512, post", "x3:5 x0:5", "v0:1 v1:2 v2:3 v3:4 x0:5",
     1, 0, 0, ""},
    {"2090400d", "ld1 v.s[i], m32", "v0:1 x1:2", "v0:1", 1, 0, 0, ""},
    {"0088404c", "ld2 v.4s, v.4s, m256", "x0:3", "v0:1 v1:2", 1, 0, 0, ""},
    {"2004813c", "str q, m128, post", "v0:1 x1:2", "x1:2", 0, 1, 0, ""},
    {"2004bfad", "stp q, q, m256, pre", "v0:1 v1:2 x1:3", "x1:3", 0, 1, 0, ""},
    {"200400ac", "stnp q, q, m256", "v0:1 v1:2 x1:3", "", 0, 1, 0, ""},
    {"fd7bbfa9", "stp x, x, m128, pre", "x29:1 x30:2 sp:3", "sp:3", 0, 1, 0, ""},
    {"20cc224e", "fmla v.4s, v.4s, v.4s", "v0:1 v1:2 v2:3", "v0:1", 0, 0, 8, ""},
    {"2018a24f", "fmla v.4s, v.4s, v.s[i]", "v0:1 v1:2 v2:3", "v0:1", 0, 0, 8, ""},
    {"2098c24f", "fmul v.2d, v.2d, v.d[i]", "v1:2 v2:3", "v0:1", 0, 0, 2, ""},
    {"2028621e", "fadd d, d, d", "v1:2 v2:3", "v0:1", 0, 0, 1, ""},
    {"200c021f", "fmadd s, s, s, s", "v1:2 v2:3 v3:4", "v0:1", 0, 0, 2, ""},
    {"01000054", "b.ne rel", "flags:0", "", 0, 0, 0, "branch conditional"},
    {"03000054", "b.lo rel", "flags:0", "", 0, 0, 0, "branch conditional"},
    {"000000b4", "cbz x, rel", "x0:1", "", 0, 0, 0, "branch conditional"},
    {"03002037", "tbnz w, imm, rel", "x3:1", "", 0, 0, 0, "branch conditional"},
    {"00000014", "b rel", "", "", 0, 0, 0, "branch"},
    {"00000094", "bl rel", "", "x30:0", 0, 0, 0, "calls"},
    {"c0035fd6", "ret", "x30:0", "", 0, 0, 0, "returns"},
    {"000400f1", "subs x, x, imm", "x0:2", "x0:1 flags:0", 0, 0, 0, ""},
    {"1f0001eb", "cmp x, x", "x0:1 x1:2", "flags:0", 0, 0, 0, ""},
    {"1f4000f1", "cmp x, imm", "x0:1", "flags:0", 0, 0, 0, ""},
    {"20b0829a", "csel x, x, x, cond", "x1:2 x2:3 flags:0", "x0:1", 0, 0, 0, ""},
    {"e0179f1a", "cset w, cond", "flags:0", "x0:1", 0, 0, 0, ""},
    {"200c028b", "add x, x, x, lsl", "x1:2 x2:3", "x0:1", 0, 0, 0, ""},
    {"2040228b", "add x, x, w, uxtw", "x1:2 x2:3", "x0:1", 0, 0, 0, ""},
    {"ff430091", "add x, x, imm", "sp:2", "sp:1", 0, 0, 0, ""},
    {"e00301aa", "mov x, x", "x1:2", "x0:1", 0, 0, 0, "move"},
    {"201ca14e", "mov v.16b, v.16b", "v1:2", "v0:1", 0, 0, 0, "move"},
    {"e0031faa", "mov x, x", "", "x0:1", 0, 0, 0, ""},
    {"60008052", "mov w, imm", "", "x0:1", 0, 0, 0, ""},
    {"6000a0f2", "movk x, imm, lsl", "x0:1", "x0:1", 0, 0, 0, ""},
    {"0004004f", "movi v.4s, imm", "", "v0:1", 0, 0, 0, ""},
    {"00e4006f", "movi v.2d, imm", "", "v0:1", 0, 0, 0, ""},
    {"00f6034f", "fmov v.4s, imm", "", "v0:1", 0, 0, 0, ""},
    {"2000271e", "fmov s, w", "x1:2", "v0:1", 0, 0, 0, ""},
    {"20040c4e", "dup v.4s, v.s[i]", "v1:2", "v0:1", 0, 0, 0, ""},
    {"200c044e", "dup v.4s, w", "x1:2", "v0:1", 0, 0, 0, ""},
    {"20440c6e", "mov v.s[i], v.s[i]", "v0:1 v1:2", "v0:1", 0, 0, 0, ""},
    {"203c140e", "mov w, v.s[i]", "v1:2", "x0:1", 0, 0, 0, ""},
    {"200001ca", "eor x, x, x", "x1:2 x1:3", "x0:1", 0, 0, 0, "same"},
    {"201c216e", "eor v.16b, v.16b, v.16b", "v1:2 v1:3", "v0:1", 0, 0, 0, "same"},
    {"20004039", "ldrb w, m8", "x1:2", "x0:1", 1, 0, 0, ""},
    {"200480b9", "ldrsw x, m32", "x1:2", "x0:1", 1, 0, 0, ""},
    {"2068e278", "ldrsh w, m16", "x1:2 x2:2", "x0:1", 1, 0, 0, ""},
    {"20000079", "strh w, m16", "x0:1 x1:2", "", 0, 1, 0, ""},
    {"40044069", "ldpsw x, x, m64", "x2:3", "x0:1 x1:2", 1, 0, 0, ""},
    {"417c00c8", "stxr w, x, m64", "x1:2 x2:3", "x0:1", 0, 1, 0, ""},
    {"417c5fc8", "ldxr x, m64", "x2:2", "x1:1", 1, 0, 0, ""},
    {"20fcdfc8", "ldar x, m64", "x1:2", "x0:1", 1, 0, 0, ""},
    {"20fc9fc8", "stlr x, m64", "x0:1 x1:2", "", 0, 1, 0, ""},
    {"008080f9", "prfm imm, m8", "x0:2", "", 0, 0, 0, ""},
    {"00020058", "ldr x, m64", "", "x0:1", 1, 0, 0, ""},
    {"00000010", "adr x, imm", "", "x0:1", 0, 0, 0, ""},
    {"00000090", "adrp x, imm", "", "x0:1", 0, 0, 0, ""},
    {"1f2003d5", "nop", "", "", 0, 0, 0, ""},
    {"bf3b03d5", "dmb imm", "", "", 0, 0, 0, ""},
    {"40e03bd5", "mrs x, imm", "", "x0:1", 0, 0, 0, ""},
    {"20d8214e", "scvtf v.4s, v.4s", "v1:2", "v0:1", 0, 0, 0, ""},
    {"2068614e", "fcvtn2 v.4s, v.2d", "v0:1 v1:2", "v0:1", 0, 0, 0, ""},
    {"2028a14e", "xtn2 v.4s, v.2d", "v0:1 v1:2", "v0:1", 0, 0, 0, ""},
    {"20d4226e", "faddp v.4s, v.4s, v.4s", "v1:2 v2:3", "v0:1", 0, 0, 4, ""},
    {"20d8307e", "faddp s, v.2s", "v1:2", "v0:1", 0, 0, 1, ""},
    {"20c4224e", "fmaxnm v.4s, v.4s, v.4s", "v1:2 v2:3", "v0:1", 0, 0, 0, ""},
    {"0020211e", "fcmp s, s", "v0:1 v1:2", "flags:0", 0, 0, 0, ""},
    {"20cc221e", "fcsel s, s, s, cond", "v1:2 v2:3 flags:0", "v0:1", 0, 0, 0, ""},
    {"001843fa", "ccmp x, imm, imm, cond", "x0:1 flags:0", "flags:0", 0, 0, 0, ""},
    {"200c029b", "madd x, x, x, x", "x1:2 x2:3 x3:4", "x0:1", 0, 0, 0, ""},
    {"201843d3", "ubfx x, x, imm, imm", "x1:2", "x0:1", 0, 0, 0, ""},
    {"200c7db3", "bfi x, x, imm, imm", "x0:1 x1:2", "x0:1", 0, 0, 0, ""},
    {"2020026e", "ext v.16b, v.16b, v.16b, imm", "v1:2 v2:3", "v0:1", 0, 0, 0, ""},
    {"2020034e", "tbl v.16b, v.16b, v.16b, v.16b", "v1:2 v2:3 v3:4", "v0:1", 0, 0, 0, ""},
    {"00b0ff0d", "ld4 v.s[i], v.s[i], v.s[i], v.s[i], m128, post", "v0:1 v1:2 v2:3 v3:4 x0:5",
     "v0:1 v1:2 v2:3 v3:4 x0:5", 1, 0, 0, ""},
    {"2008c29a", "udiv x, x, x", "x1:2 x2:3", "x0:1", 0, 0, 0, ""},
    {"20f07dd3", "lsl x, x, imm", "x1:2", "x0:1", 0, 0, 0, ""},
    {"2020c29a", "lsl x, x, x", "x1:2 x2:3", "x0:1", 0, 0, 0, ""},
    {"207c4093", "sxtw x, w", "x1:2", "x0:1", 0, 0, 0, ""},
    {"e00301cb", "neg x, x", "x1:2", "x0:1", 0, 0, 0, ""},
    {"20b8b14e", "addv s, v.4s", "v1:2", "v0:1", 0, 0, 0, ""},
    {"0058a13c", "str q, m128", "v0:1 x0:2 x1:2", "", 0, 1, 0, ""},
    {"0000df3c", "ldur q, m128", "x0:2", "v0:1", 1, 0, 0, ""},
    {"60001fd6", "br x", "x3:1", "", 0, 0, 0, "branch"},
    {"60003fd6", "blr x", "x3:1", "x30:0", 0, 0, 0, "calls"},
    {"200040bd", "ldr s, m32", "x1:2", "v0:1", 1, 0, 0, ""},
    {"2068604e", "sadalp v.4s, v.8h", "v0:1 v1:2", "v0:1", 0, 0, 0, ""},
    {"201c626e", "bsl v.16b, v.16b, v.16b", "v0:1 v1:2 v2:3", "v0:1", 0, 0, 0, ""},
    {"2098a04e", "cmeq v.4s, v.4s, imm", "v1:2", "v0:1", 0, 0, 0, ""},
    {"20008092", "mov x, imm", "", "x0:1", 0, 0, 0, ""},
    {"20cca24e", "fmls v.4s, v.4s, v.4s", "v0:1 v1:2 v2:3", "v0:1", 0, 0, 8, ""},
    {"20fc626e", "fdiv v.2d, v.2d, v.2d", "v1:2 v2:3", "v0:1", 0, 0, 2, ""},
    {"20f8a16e", "fsqrt v.4s, v.4s", "v1:2", "v0:1", 0, 0, 4, ""},
    {"20dc226e", "fmul v.4s, v.4s, v.4s", "v1:2 v2:3", "v0:1", 0, 0, 4, ""},
    {"20f8a06e", "fneg v.4s, v.4s", "v1:2", "v0:1", 0, 0, 0, ""},
    {"08000054", "b.hi rel", "flags:0", "", 0, 0, 0, "branch conditional"},
    {"1f0040f2", "tst x, imm", "x0:1", "flags:0", 0, 0, 0, ""},
    {"420003eb", "subs x, x, x", "x2:2 x3:3", "x2:1 flags:0", 0, 0, 0, ""},
    {"2000022b", "adds w, w, w", "x1:2 x2:3", "x0:1 flags:0", 0, 0, 0, ""},
    {"20d862b8", "ldr w, m32", "x1:2 x2:2", "x0:1", 1, 0, 0, ""},
    {"00a89f4c", "st1 v.4s, v.4s, m256, post", "v0:1 v1:2 x0:3", "x0:3", 0, 1, 0, ""},
    {"0080004d", "st1 v.s[i], m32", "v0:1 x0:2", "", 0, 1, 0, ""},
    {"000440ac", "ldnp q, q, m256", "x0:3", "v0:1 v1:2", 1, 0, 0, ""},
    {"2080620e", "smlal v.4s, v.4h, v.4h", "v0:1 v1:2 v2:3", "v0:1", 0, 0, 0, ""},
};

struct memory_row {
    const char *hex, *base, *index;
    int scale, displacement, bytes;
    const char *access;
};

static const struct memory_row x86_memory[] = {
    {"c5f459448840", "rax", "rcx", 4, 64, 32, "r"}, /* vmulps ymm0, ymm1, [rax+rcx*4+64] */
    {"c5fa100500010000", "none", "none", 0, 256, 4, "r rip"}, /* vmovss xmm0, [rip+256] */
    {"48830001", "rax", "none", 0, 0, 8, "rw"},               /* add qword ptr [rax], 1 */
    {"62f27d49920c90", "rax", "zmm2", 4, 0, 64, "r"},      /* vgatherdps zmm1{k1}, [rax+zmm2*4] */
    {"62f16c595808", "rax", "none", 0, 0, 4, "r"},         /* vaddps zmm1{k1}, zmm2, [rax]{1to16} */
    {"0f1808", "rax", "none", 0, 0, 1, ""},                /* prefetcht0 [rax] */
    {"64488b042528000000", "none", "none", 0, 40, 8, "r"}, /* mov rax, fs:[0x28] */
};

static const struct memory_row a64_memory[] = {
    {"0078e13c", "x0", "x1", 16, 0, 16, "r"},        /* ldr q0, [x0, x1, lsl #4] */
    {"000cc13c", "x0", "none", 0, 16, 16, "r"},      /* ldr q0, [x0, #16]! */
    {"2004bfad", "x1", "none", 0, -32, 32, "w"},     /* stp q0, q1, [x1, #-32]! */
    {"00020058", "none", "none", 0, 64, 8, "r rip"}, /* ldr x0, .+64 */
    {"20d862b8", "x1", "x2", 4, 0, 4, "r"},          /* ldr w0, [x1, w2, sxtw #2] */
    {"008080f9", "x0", "none", 0, 256, 1, ""},       /* prfm pldl1keep, [x0, #256] */
};

static void out_of_memory(void *context)
{
    (void)context;
    exit(1);
}

static size_t to_bytes(const char *hex, uint8_t out[16])
{
    size_t n = 0;

    for (; n < 16 && hex[2 * n]; n++) {
        const char byte[3] = {hex[2 * n], hex[2 * n + 1], '\0'};
        out[n] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return n;
}

static void describe_regs(const struct decoder *d, const code_reg *regs, const int8_t *operands,
                          int n, struct text *t)
{
    for (int k = 0; k < n; k++) {
        text_add(t, "%s%s:%d", k ? " " : "", code_reg_name(d, regs[k]), operands[k]);
    }
}

static void describe_marks(const struct insn *i, struct text *t)
{
    const struct {
        bool set;
        const char *name;
    } marks[] = {
        {i->branch, "branch"}, {i->conditional, "conditional"}, {i->returns, "returns"},
        {i->calls, "calls"},   {i->same_sources, "same"},       {i->register_move, "move"},
    };
    const char *separator = "";

    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        if (marks[k].set) {
            text_add(t, "%s%s", separator, marks[k].name);
            separator = " ";
        }
    }
}

static void check_row(struct decoder *d, const struct row *row, struct arena *a)
{
    uint8_t code[16];
    struct insn i;
    struct err e = {0};
    struct text got = {.arena = a}, want = {.arena = a};
    const size_t len = to_bytes(row->hex, code);

    if (!decode_insn(d, code, len, 0x1000, &i, &e)) {
        ok(false, "%s: %s", row->form, e.text);
        return;
    }
    text_add(&want, "%s | %s | %s | L%d S%d F%g | %s | %zu", row->form, row->reads, row->writes,
             row->loads, row->stores, row->flops, row->marks, len);
    text_add(&got, "%s | ", i.form);
    describe_regs(d, i.reads, i.read_operand, i.n_reads, &got);
    text_add(&got, " | ");
    describe_regs(d, i.writes, i.write_operand, i.n_writes, &got);
    text_add(&got, " | L%d S%d F%g | ", i.loads, i.stores, i.flops);
    describe_marks(&i, &got);
    text_add(&got, " | %d", i.length);
    is_text(got.data, want.data, row->form);
}

static void check_memory(struct decoder *d, const struct memory_row *row)
{
    uint8_t code[16];
    struct insn i;
    struct err e = {0};
    char got[128], want[128];

    if (!decode_insn(d, code, to_bytes(row->hex, code), 0x1000, &i, &e) || i.n_mem != 1) {
        ok(false, "%s: one memory operand", row->hex);
        return;
    }
    const struct insn_mem *m = &i.mem[0];
    snprintf(want, sizeof want, "%s %s*%d %+d, %d bytes %s", row->base, row->index, row->scale,
             row->displacement, row->bytes, row->access);
    snprintf(got, sizeof got, "%s %s*%d %+lld, %d bytes %s%s%s", code_reg_name(d, m->base),
             code_reg_name(d, m->index), m->scale, (long long)m->displacement, m->bytes,
             m->read ? "r" : "", m->write ? "w" : "", m->rip_relative ? " rip" : "");
    is_text(got, want, i.form);
}

/* What a register is stepped by; "none" where it is not a constant, or not one register. */
struct step_row {
    const char *hex, *reg;
    int step;
};

static const struct step_row x86_steps[] = {
    {"4883c740", "rdi", 64},  /* add rdi, 64 */
    {"4883ee80", "rsi", 128}, /* sub rsi, -128 */
    {"4883e908", "rcx", -8},  /* sub rcx, 8 */
    {"48ffc0", "rax", 1},     /* inc rax */
    {"49ffca", "r10", -1},    /* dec r10 */
    {"488d52e0", "rdx", -32}, /* lea rdx, [rdx-32] */
    {"488d1402", "none", 0},  /* lea rdx, [rdx+rax] */
    {"488d5008", "none", 0},  /* lea rdx, [rax+8] */
    {"83c704", "none", 0},    /* add edi, 4 */
    {"4801c7", "none", 0},    /* add rdi, rax */
    {"4883e707", "none", 0},  /* and rdi, 7 */
};

static const struct step_row a64_steps[] = {
    {"0004c13c", "x0", 16},  /* ldr q0, [x0], #16 */
    {"200c823c", "x1", 32},  /* str q0, [x1, #32]! */
    {"4004ffac", "x2", -32}, /* ldp q0, q1, [x2], #-32 */
    {"63000191", "x3", 64},  /* add x3, x3, #64 */
    {"840400f1", "x4", -1},  /* subs x4, x4, #1 */
    {"83000191", "none", 0}, /* add x3, x4, #64 */
    {"63100011", "none", 0}, /* add w3, w3, #4 */
    {"6300048b", "none", 0}, /* add x3, x3, x4 */
    {"63044091", "none", 0}, /* add x3, x3, #1, lsl #12 */
    {"0004c03d", "none", 0}, /* ldr q0, [x0, #16] */
    {"0078c54c", "none", 0}, /* ld1 {v0.4s}, [x0], x5 */
    {"0078df4c", "x0", 16},  /* ld1 {v0.4s}, [x0], #16 */
};

static void check_step(struct decoder *d, const struct step_row *row)
{
    uint8_t code[16];
    struct insn i = {0};
    struct err e = {0};
    const bool decoded = decode_insn(d, code, to_bytes(row->hex, code), 0x1000, &i, &e);
    ok(decoded && strcmp(code_reg_name(d, i.stepped), row->reg) == 0 && i.step == row->step,
       "%s: %s stepped by %lld", i.form, code_reg_name(d, i.stepped), (long long)i.step);
}

static void check_targets(struct decoder *x86, struct decoder *a64)
{
    static const uint8_t jnz_back[] = {0x75, 0xf0}, b_ne_back[] = {0xc1, 0xff, 0xff, 0x54};
    struct insn i;
    struct err e = {0};

    ok(decode_insn(x86, jnz_back, 2, 0x1000, &i, &e) && i.target == 0xff2, "jnz 14 bytes back");
    ok(decode_insn(a64, b_ne_back, 4, 0x1000, &i, &e) && i.target == 0xff8, "b.ne 8 bytes back");
}

static void check_errors(struct decoder *x86, struct decoder *a64)
{
    static const uint8_t undefined[] = {0x0f, 0x0b - 7, 0, 0}, zeros[4] = {0};
    struct insn i;
    struct err e = {0};

    ok(!decode_insn(x86, undefined, 4, 16, &i, &e) && e.code == ERR_SYNTAX, "0f 04 is no opcode");
    is_text(e.text, "not an instruction at address 0x10: 0f 04 00 00", "the error shows the bytes");
    e = (struct err){0};
    ok(!decode_insn(x86, undefined, 0, 16, &i, &e) && e.code == ERR_SYNTAX, "no bytes at all");
    e = (struct err){0};
    ok(!decode_insn(a64, zeros, 4, 0, &i, &e) && e.code == ERR_SYNTAX, "four zeros on AArch64");
    e = (struct err){0};
    ok(!decode_insn(a64, zeros, 3, 0, &i, &e) && e.code == ERR_SYNTAX, "three bytes on AArch64");
}

/* True if what any bytes decode to is within its own bounds.  The bytes stand at the end of a block
 * of their own, so that a sanitizer or valgrind sees a read past them. */
static bool random_bytes_are_safe(struct decoder *d, unsigned seed, int rounds)
{
    bool safe = true;

    srand(seed);
    for (int r = 0; r < rounds && safe; r++) {
        const size_t len = (size_t)rand() % 18;
        uint8_t *code = malloc(len ? len : 1);
        struct insn i;
        struct err e = {0};
        for (size_t k = 0; code && k < len; k++) {
            code[k] = (uint8_t)rand();
        }
        if (code && decode_insn(d, code, len, 0x1000, &i, &e)) {
            safe = i.length > 0 && (size_t)i.length <= len && i.form[0] &&
                   strlen(i.form) < FORM_SIZE - 1 && i.n_reads < INSN_REGS_MAX &&
                   i.n_writes < INSN_REGS_MAX && i.n_mem <= INSN_MEMS_MAX && i.flops >= 0;
        } else {
            safe = code && e.code == ERR_SYNTAX;
        }
        free(code);
    }
    return safe;
}

/* Every prefix of an instruction that is too short is refused, not read past. */
static bool cut_bytes_are_refused(struct decoder *d, const struct row *rows, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint8_t code[16];
        struct insn i;
        const size_t len = to_bytes(rows[k].hex, code);
        for (size_t cut = 0; cut < len; cut++) {
            struct err e = {0};
            if (decode_insn(d, code, cut, 0, &i, &e) && (size_t)i.length > cut) {
                return false;
            }
        }
    }
    return true;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

int main(void)
{
    struct err e = {0};
    struct arena *a = arena_create(1 << 20, out_of_memory, NULL);
    struct decoder *x86 = decoder_open(ARCH_X86_64, &e), *a64 = decoder_open(ARCH_AARCH64, &e);

    if (!ok(x86 && a64, "both decoders open")) {
        return tap_done();
    }
    for (size_t k = 0; k < COUNT(x86_rows); k++) {
        check_row(x86, &x86_rows[k], a);
    }
    for (size_t k = 0; k < COUNT(a64_rows); k++) {
        check_row(a64, &a64_rows[k], a);
    }
    for (size_t k = 0; k < COUNT(x86_memory); k++) {
        check_memory(x86, &x86_memory[k]);
    }
    for (size_t k = 0; k < COUNT(a64_memory); k++) {
        check_memory(a64, &a64_memory[k]);
    }
    for (size_t k = 0; k < COUNT(x86_steps); k++) {
        check_step(x86, &x86_steps[k]);
    }
    for (size_t k = 0; k < COUNT(a64_steps); k++) {
        check_step(a64, &a64_steps[k]);
    }
    check_targets(x86, a64);
    check_errors(x86, a64);
    ok(random_bytes_are_safe(x86, 1, 200000), "random bytes on x86-64, seed 1");
    ok(random_bytes_are_safe(a64, 2, 200000), "random bytes on AArch64, seed 2");
    ok(cut_bytes_are_refused(x86, x86_rows, COUNT(x86_rows)), "cut x86-64 instructions");
    ok(cut_bytes_are_refused(a64, a64_rows, COUNT(a64_rows)), "cut AArch64 instructions");
    decoder_close(x86);
    decoder_close(a64);
    decoder_close(NULL);
    arena_release(a);
    return tap_done();
}
