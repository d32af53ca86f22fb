/* Small files of the kinds other tools have, written for this test: what comes over, what does not
 * and why, and that what is written reads back without an error. */
#include "import/import.h"
#include "import/notation.h"
#include "model/check.h"
#include "tests/formats.h"
#include "tests/same.h"

#include <string.h>

static bool read_file(const char *file, const char *arch, struct arena *a, struct imported *out,
                      struct err *e)
{
    const char *path = arena_format(a, "tests/import/%s", file);
    const struct import_wish wish = {file, NULL, arch, "2026-01-02"};
    return import_read(test_file(path, a), &wish, a, out, e);
}

/* --- what comes over
 * ---------------------------------------------------------------------------- */

static const struct {
    const char *file, *arch;
    const char *lines[40]; /* of the machine file, or parts of them */
} sources[] = {
    {"osaca-x86.yml",
     NULL,
     {"name: tst-osaca",
      "isa: x86-64",
      "description: Test core",
      "dispatch_width: 4",
      "rob_entries: 224",
      "compose_memory_operands: true",
      "source: OSACA 0.5.3, TST (osaca-x86.yml), imported 2026-01-02",
      "ports: ['0', 0DV, '1', '2', '3', '4', '5', '6']",
      "{form: jnz rel, uops: []}",
      "{form: jnb rel, uops: []}",
      "{form: 'add r64, r64', uops: [1*0|1|5|6], latency_cycles: 1}",
      "{form: 'add r8, r8', uops: [1*0|1|5|6], latency_cycles: 1}",
      "{form: 'vaddsd xmm, xmm, m64', uops: [1*0|1, 1*2|3], latency_cycles: "
      "[{from: 3, to: 1, cycles: 9}, {from: 0, to: 1, cycles: 4}]}",
      "{form: 'vdivpd ymm, ymm, ymm', uops: [1*0, 8*0DV], latency_cycles: 14}",
      "{form: 'vxorps ymm, ymm, ymm', uops: [1*0|1|5], latency_cycles: [{from: 0, to: 0, cycles: "
      "1, "
      "same_register_cycles: 0}]}",
      "{form: 'cmppd xmm, xmm, imm', uops: [1*0|1|5|6], latency_cycles: 1}",
      "{form: 'movzx r32, r8', uops: [1*0|1|5|6], latency_cycles: 1}",
      "{form: 'vaddps zmm{k}{z}, zmm, zmm', uops: [1*0], latency_cycles: 4}",
      "{form: 'vmovups ymm, m256', uops: [1*2|3], latency_cycles: 5}",
      "{form: 'mov m64, r64', uops: [1*2|3, 1*4]}",
      "# 23 entries, 3 left out.",
      "osaca-x86.yml:81:3: push: its port_pressure is empty, its throughput not 0: unknown rather "
      "than free",
      "osaca-x86.yml:97:3: frob: no instruction of this name is known",
      "osaca-x86.yml:102:3: vfoo: its port_pressure names a port that the file does not have",
      "osaca-x86.yml:95:18: !!python/tuple: a tag is passed over",
      "osaca-x86.yml:108:3: vaddps: of several port_pressures only the first is read"}},
    {"osaca-a64.yml",
     "arm1",
     {"isa: aarch64", "retire_width: 4",
      "{form: 'fmla v.4s, v.4s, v.4s', uops: [1*0|2], latency_cycles: 9}",
      "{form: 'ldr q, m128', uops: [1*5|6], latency_cycles: 8}",
      "{form: 'ldr b, m8', uops: [1*5|6], latency_cycles: 8}",
      "{form: 'ldr q, m128, post', uops: [1*5|6, 1*3|4|5|6], latency_cycles: "
      "[{from: 0, to: 1, cycles: 8}, {from: 2, to: 2, cycles: 1}]}",
      "{form: 'stp d, d, m128, pre', uops: [2*5|6, 1*3|4|5|6], latency_cycles: "
      "[{from: 3, to: 3, cycles: 1}]}",
      "{form: b.lo rel, uops: [1*7]}", "{form: b.ne rel, uops: [1*7]}",
      "{form: 'csel x, x, x, cond', uops: [1*3|4], latency_cycles: 1}",
      "{form: 'fadd z.d, p/m, z.d, z.d', uops: [1*0|2], latency_cycles: 9}",
      "{form: 'fdiv d, d, d', uops: [1*0, 43*0DV], latency_cycles: 43}",
      "osaca-a64.yml:113:3: ld1d: the width of its memory operand is not known",
      "osaca-a64.yml:152:3: dup: a lane of a vector cannot be told from the vector",
      "osaca-a64.yml:143:3: sqrdmlah: its throughput is less than its ports give"}},
    {"uops-info.xml",
     "SKL",
     {"name: skl-uops-info",
      "ports: [P0, P1, P2, P3, DIV, P5, P6, P7, P4]",
      "file_date: '2024-01-02'",
      "{form: 'vaddps ymm, ymm, m256', uops: [1*P0|P1, 1*P2|P3], latency_cycles: "
      "[{from: 2, to: 1, cycles: 4}, {from: 3, to: 1, cycles: 10, most_cycles: 12}]}",
      "{form: 'vdivpd ymm, ymm, ymm', uops: [1*P0, 8*DIV]",
      "{form: 'vaddpd zmm{k}{z}, zmm, m64bcst', uops: [1*P0|P5, 1*P2|P3], slots: 2}",
      "zero_idioms: ['xor r32, r32']",
      "{form: 'shl r32, cl', uops: [2*P0|P6], latency_cycles: "
      "[{from: 1, to: 1, cycles: 1}], slots: 2}",
      "{form: jz rel, uops: [1*P0|P6]}",
      "{form: mul r64, uops: [1*P1, 1*P5], latency_cycles: [{from: 1, to: 0, cycles: 3, "
      "to_name: rax}, {from: 1, to: 0, cycles: 4, to_name: rdx}",
      "{from: 2, to: 1, cycles: 1, same_register_cycles: 0}, {from: 1, to: 0, cycles: 1, to_name: "
      "flags}]}",
      "{form: 'vpgatherdd xmm, m128, xmm', uops: [1*P0, 4*P2|P3, 1*P5], slots: 4}",
      "# 16 entries, 5 left out.",
      "uops-info.xml:63:5: BAD (R16): a figure of its measurement is a sentinel (-1, 9.2e18)",
      "uops-info.xml:67:5: INC (R16): a figure of its measurement is a sentinel (-1, 9.2e18)",
      "uops-info.xml:71:5: DEC (R16): it was measured faster than its ports allow",
      "uops-info.xml:94:5: NOP: its measurement has no ports",
      "uops-info.xml:58:5: MOV (SEG, R16): an operand of it is of no known class",
      "{form: 'mov m64, r64', uops: [1*P2|P3|P7, 1*P4]}",
      "uops-info.xml:90:5: BSWAP (R32): a latency of it is a sentinel (-1, 9.2e18) or no number",
      "uops-info.xml:90:5: BSWAP (R32): a latency of it is between operands that it does not have",
      "{form: bswap r64, uops: [1*P0|P6, 1*P1|P5]}",
      "uops-info.xml:100:5: BSWAP (R64): it does not say how many uops retire; one dispatch slot "
      "is "
      "assumed",
      "uops-info.xml:1:1: latencies to memory are not brought over",
      "uops-info.xml:51:5: SHL (R32, CL): a latency of it is only an upper limit"}},
    {"uops-info.xml", "HSW", {"{form: 'vaddps ymm, ymm, m256', uops: [9*P0], slots: 9}"}},
    {"pmevo-x86.json",
     NULL,
     {"name: toy-pmevo", "{form: 'add r64, imm', uops: [1*0|1]}",
      "{form: 'add m64, r64', uops: [1*2, 1*0|1]}", "{form: 'lea r64, agen', uops: [1*1]}",
      "{form: 'vdivpd ymm, ymm, m256', uops: [3*0, 1*2]}", "{form: 'movzx r64, m8', uops: [1*2]}",
      "pmevo-x86.json:17:5: FOO_((REG:W:Q:64)): an operand of it is of no known class",
      "pmevo-x86.json:18:5: CMP_((REG:R:G:64)),_((IMM:32)): its list of uops is empty",
      "pmevo-x86.json:5:50: LOST_((IMM:8)): it is listed, and assigned to no port"}},
    {"pmevo-a64.json",
     NULL,
     {"isa: aarch64", "{form: 'fmla v.4s, v.4s, v.s[i]', uops: [1*0, 1*1]}",
      "{form: 'add x, x, w, sxtw', uops: [1*0|1]}", "{form: 'ldr q, m128', uops: [1*1]}",
      "{form: 'movi v.4s, imm, lsl', uops: [1*0]}", "{form: 'fmov d, imm', uops: [1*0]}"}},
    {"palmed.json",
     "SKL-SP",
     {"name: skl-sp-palmed", "resource_names: [R01, R016, R1]",
      "{form: 'addss xmm, xmm', uses: {R01: 0.5, R016: 0.3333333333}}",
      "{form: 'cmpsd xmm, m64, imm', uses: {R01: 0.5, R016: 0.3333333333}}",
      "{form: 'shl r64, cl', uses: {R1: 1, R01: 0.5}}", "{form: cdq, uses: {R1: 1, R01: 0.5}}",
      "ADD_GPR64i64_IMMi32 (line 1): an earlier entry says something else of its forms",
      "JMP_0: an operand of it is of no known class",
      "RDTSC: its class is not in class_to_resources",
      "LEA_GPR64i64_ADDR64i64: its class uses no resource, which may mean unknown"}},
    {"llvm-mca-x86.json",
     "toy",
     {"ports: [ToyDivider, ToyPort0, ToyPort1, ToyPort2, ToyPort3, ToyPort4, ToyUnit.0, ToyUnit.1]",
      "{form: 'vaddps ymm, ymm, m256', uops: [1*ToyPort0|ToyPort1, 1*ToyPort2|ToyPort3], "
      "latency_cycles: [{from: 3, to: 1, cycles: 10}], slots: 2}",
      "{form: 'vmovups m256, ymm', uops: [1*ToyPort2|ToyPort3, 1*ToyPort4], slots: 2}",
      "{form: 'vdivpd ymm, ymm, ymm', uops: [8*ToyDivider, 1*ToyPort0], latency_cycles: 14}",
      "{form: 'vandps ymm, ymm, ymm', uops: [1*ToyUnit.0|ToyUnit.1], latency_cycles: 1}",
      "{form: 'vaddpd zmm{k}{z}, zmm, m64bcst', uops: [1*ToyPort0|ToyPort1, 1*ToyPort2|ToyPort3]",
      "{form: jnz rel, uops: [1*ToyPort4]}",
      "vpmaddwd %ymm0, %ymm1, %ymm2: its usage is a sum of port sets in more than one way, or "
      "may be",
      "shrdq $3, %rax, %rdx: a port set of it is told by its sum alone",
      "fancy %eax: no instruction of this name is known",
      "bndmov %bnd0, %bnd1: an operand of it is of no known class",
      "cpuid: its throughput is less than its ports give",
      "cpuid: equal whole cycles on several ports are taken as those of each alone"}},
    {"llvm-mca-bare.json",
     "toy",
     {"{form: 'vaddps ymm, ymm, ymm', uops: [1*P0|P1]}",
      "vaddps %ymm0, %ymm1, %ymm2: it does not say how many uops it is; one dispatch slot is "
      "assumed",
      "1:1: the file does not say -march; x86_64 is assumed"}},
};

static void check_source(size_t i)
{
    struct arena *a = test_arena();
    struct err e = {0};
    struct imported got = {0};
    struct text out = {.arena = a}, summary = {.arena = a};
    const char *name = arena_format(a, "%s %s", sources[i].file, sources[i].arch);
    const bool read =
        read_file(sources[i].file, sources[i].arch, a, &got, &e) && import_write(&got, a, &out, &e);
    if (test_fine(&e, name) && read) {
        for (const char *const *line = sources[i].lines; *line; line++) {
            ok(strstr(out.data, *line) != NULL, "%s: %s", name, *line);
        }
        const struct machine *m = machine_read((struct bytes){out.data, out.len}, "out", a, &e);
        test_fine(&e, "it reads back");
        ok(m && same_machine(got.machine, m), "%s: as the same machine", name);
        ok(m && machine_check(m, a).n_errors == 0, "%s: without an error", name);
        import_summary(&got, &summary);
        ok(strstr(summary.data, "left out") != NULL, "%s: and is summarised", name);
    }
    arena_release(a);
}

/* --- what is refused
 * ---------------------------------------------------------------------------- */

static const struct {
    const char *name, *format, *arch, *input, *error;
} refused[] = {
    {"nothing", NULL, NULL, "",
     "f:1:1: this looks like no file that can be imported; --format says which it is: osaca, "
     "uops-info, pmevo, palmed, llvm-mca"},
    {"no such format", "iaca", NULL, "x",
     "--format: 'iaca' is none of osaca, uops-info, pmevo, palmed, llvm-mca"},
    {"another architecture", NULL, "ZEN4",
     "osaca_version: 1\nisa: x86\narch_code: SPR\nports: []\ninstruction_forms: []\n",
     "f:3:12: --arch: the file describes 'SPR', not 'ZEN4'"},
    {"no entry", NULL, NULL, "osaca_version: 1\nisa: x86\nports: []\ninstruction_forms: []\n",
     "f:1:1: none of 0 entries can be imported"},
    {"an instruction set we do not have", NULL, NULL,
     "osaca_version: 1\nisa: riscv\nports: []\ninstruction_forms: []\n",
     "f:2:6: isa: 'riscv' is not x86 or AArch64"},
    {"forms that are no list", NULL, NULL, "isa: x86\ninstruction_forms: 7\n",
     "f:2:20: instruction_forms: a list is needed here, not a single value"},
    {"a simulation", NULL, NULL,
     "{\"CodeRegions\": [{\"SummaryView\": {}}], \"TargetInfo\": {\"CPUName\": \"x\", "
     "\"Resources\": "
     "[]}}",
     "f:1:19: the pressure of a simulation depends on all instructions at once; llvm-mca -json "
     "-instruction-tables tells that of each"},
    {"no architecture asked for", NULL, NULL, "<root><instruction/></root>",
     "f:1:1: --arch is needed; the file has no architecture"},
    {"cut-off XML", "uops-info", "SKL", "<root>\n <instruction>",
     "f:2:15: not XML: no element found"},
    {"a document type", NULL, "SKL", "<!DOCTYPE root [<!ENTITY a 'b'>]><root/>",
     "f:1:16: document types are not read; leave <!DOCTYPE> out"},
    {"cut-off JSON", "pmevo", NULL, "{\"kind\": \"Mapping3\", ",
     "f:2:1: not JSON: did not find expected node content while parsing a flow node"},
    {"a port that is not listed", NULL, NULL,
     "{\"kind\": \"Mapping3\", \"arch\": {\"ports\": [\"0\"]}, \"assignment\": {\"NOP\": "
     "[[\"1\"]]}}",
     "f:1:72: port '1' is not among arch.ports"},
    {"a use that is no pair", NULL, NULL,
     "{\"instr_to_class\": {\"CDQ\": \"A\"}, \"class_to_resources\": {\"A\": {\"resource_use\": "
     "[[1]]}}}",
     "f:1:80: [cycles, resource] is needed"},
};

static void check_refused(size_t i)
{
    struct arena *a = test_arena();
    struct err e = {0};
    struct imported got;
    char line[512];
    const struct import_wish wish = {"f", refused[i].format, refused[i].arch, "2026-01-02"};
    const struct bytes input = {refused[i].input, strlen(refused[i].input)};
    ok(!import_read(input, &wish, a, &got, &e), "refused: %s", refused[i].name);
    is_text(err_describe(&e, line, sizeof line), refused[i].error, refused[i].name);
    arena_release(a);
}

/* --- spellings
 * ---------------------------------------------------------------------------------- */

static const struct {
    enum code_arch arch;
    const char *text, *form; /* NULL: none */
} spellings[] = {
    {ARCH_X86_64, "vaddps\t%ymm0, %ymm1, %ymm2", "vaddps ymm, ymm, ymm"},
    {ARCH_X86_64, "addq $1, (%rax)", "add m64, imm"},
    {ARCH_X86_64, "addl %eax, 8(%rdi,%rcx,8)", "add m32, r32"},
    {ARCH_X86_64, "movzbl (%rsi), %ecx", "movzx r32, m8"},
    {ARCH_X86_64, "movslq %eax, %rcx", "movsxd r64, r32"},
    {ARCH_X86_64, "movq %rax, %rcx", "mov r64, r64"},
    {ARCH_X86_64, "movq %rax, %xmm0", "movq xmm, r64"},
    {ARCH_X86_64, "movsd (%rax), %xmm0", "movsd xmm, m64"},
    {ARCH_X86_64, "cltq", "cdqe"},
    {ARCH_X86_64, "vcmpltps %ymm1, %ymm2, %ymm3", "vcmpps ymm, ymm, ymm, imm"},
    {ARCH_X86_64, "cmpneqsd %xmm0, %xmm1", "cmpsd xmm, xmm, imm"},
    {ARCH_X86_64, "vpcmpnleud %zmm0, %zmm1, %k1", "vpcmpud k, zmm, zmm, imm"},
    {ARCH_X86_64, "vpcmpeqd %ymm0, %ymm1, %ymm2", "vpcmpeqd ymm, ymm, ymm"},
    {ARCH_X86_64, "vaddpd (%rdi){1to8}, %zmm1, %zmm2 {%k1} {z}", "vaddpd zmm{k}{z}, zmm, m64bcst"},
    {ARCH_X86_64, "vgatherdps (%rax,%zmm1,4), %zmm2 {%k1}", "vgatherdps zmm{k}, m512"},
    {ARCH_X86_64, "vgatherdpd %ymm3, (%rax,%xmm1,8), %ymm2", "vgatherdpd ymm, m256, ymm"},
    {ARCH_X86_64, "lock\t\taddl\t$1, (%rax)", "lock add m32, imm"},
    {ARCH_X86_64, "rep\t\tstosb", "rep stosb"},
    {ARCH_X86_64, "jae\t.L4", "jnb rel"},
    {ARCH_X86_64, "callq foo", "call rel"},
    {ARCH_X86_64, "jmpq *%rax", "jmp r64"},
    {ARCH_X86_64, "cmovael %eax, %ecx", "cmovnb r32, r32"},
    {ARCH_X86_64, "shll %cl, %eax", "shl r32, cl"},
    {ARCH_X86_64, "imulq $3, %rax, %rcx", "imul r64, r64, imm"},
    {ARCH_X86_64, "leaq 8(%rax,%rcx), %rdx", "lea r64, agen"},
    {ARCH_X86_64, "vcvtpd2psy (%rax), %xmm0", "vcvtpd2ps xmm, m256"},
    {ARCH_X86_64, "movb %sil, (%rax)", "mov m8, r8"},
    {ARCH_X86_64, "movw %r8w, %ax", "mov r16, r16"},
    {ARCH_X86_64, "fadd %st(1), %st", "fadd st, st"},
    {ARCH_X86_64, "movl %fs:0, %eax", "mov r32, m32"},
    {ARCH_X86_64, "vfoo %ymm0", NULL},
    {ARCH_X86_64, "vaddps %ymm0, %xmm1", NULL},
    {ARCH_X86_64, "mov %cr0, %rax", NULL},
    {ARCH_X86_64, "", NULL},
    {ARCH_AARCH64, "fmla\tv0.4s, v1.4s, v2.s[1]", "fmla v.4s, v.4s, v.s[i]"},
    {ARCH_AARCH64, "ldr\tq0, [x1, #16]!", "ldr q, m128, pre"},
    {ARCH_AARCH64, "ldr q0, [x1], #16", "ldr q, m128, post"},
    {ARCH_AARCH64, "ldp x29, x30, [sp]", "ldp x, x, m128"},
    {ARCH_AARCH64, "ldrsw x0, [x1]", "ldrsw x, m32"},
    {ARCH_AARCH64, "strb w0, [x1]", "strb w, m8"},
    {ARCH_AARCH64, "ld1 { v0.4s, v1.4s }, [x0]", "ld1 v.4s, v.4s, m256"},
    {ARCH_AARCH64, "ld1r { v0.4s }, [x0]", "ld1r v.4s, m32"},
    {ARCH_AARCH64, "add x0, x1, w2, sxtw #2", "add x, x, w, sxtw"},
    {ARCH_AARCH64, "cset w0, ne", "cset w, cond"},
    {ARCH_AARCH64, "b.ne .L3", "b.ne rel"},
    {ARCH_AARCH64, "cbz xzr, foo", "cbz x, rel"},
    {ARCH_AARCH64, "add sp, sp, #16", "add x, x, imm"},
    {ARCH_AARCH64, "ld1d { z0.d }, p0/z, [x0]", NULL},
    {ARCH_AARCH64, "add x0, x1, ?", NULL},
};

static void check_spelling(size_t i)
{
    struct arena *a = test_arena();
    struct notation row;
    struct notation_forms forms = {0};
    const char *operand;
    const bool read = notation_read(spellings[i].text, spellings[i].arch, a, &row, &operand) &&
                      notation_expand(&row, a, &forms) == NOTATION_FINE;
    if (spellings[i].form) {
        is_text(read && forms.n == 1 ? forms.list[0] : NULL, spellings[i].form, spellings[i].text);
    } else {
        ok(!read && forms.n == 0, "no form: %s", spellings[i].text);
    }
    arena_release(a);
}

int main(void)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        check_source(i);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        check_refused(i);
    }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        check_spelling(i);
    }
    return tap_done();
}
