/* What machine_check finds in small machine files, and that the shipped ones are without error. */
#include "base/file.h"
#include "base/text.h"
#include "model/check.h"
#include "tests/tap.h"

#include <dirent.h>
#include <stdlib.h>

#define HEAD                                                                                       \
    "format: gambrel-machine-1\nname: t\nisa: x86-64\n"                                            \
    "match: {vendor: GenuineIntel, family: 6, models: [1, 2]}\n"                                   \
    "clock_hz: {one_core: 3e9, source: s}\n"                                                       \
    "sources: {caches: s, elimination: s, fusion: s, instructions: s, chain_curve: s}\n"           \
    "caches: [{name: L1, size_bytes: 1024}]\n"
#define CORE(rest) "core: {dispatch_width: 2, ports: [A, B], source: s" rest "}\n"
#define CROSSING   ", load_ports: [A], line_crossing_load_slots: 2"
#define ADD                                                                                        \
    "instructions:\n"                                                                              \
    "  - {form: \"add r64, r64\", uops: [1*A|B], latency_cycles: 1}\n"

/* Each finding is "line level: text"; line 0 is the file itself. */
static const struct {
    const char *name, *yaml, *want;
} cases[] = {
    {"nothing to find", HEAD CORE(CROSSING) ADD, ""},
    {"two patterns that match alike, and a form written out that beats both",
     HEAD CORE(CROSSING) ADD
     "  - {form: \"vaddps V, V, V\", uops: [1*A], latency_cycles: 1}\n"
     "  - {form: \"vaddps V,V,V\", uops: [1*A], latency_cycles: 1}\n"
     "  - {form: \"vaddps zmm, zmm, zmm\", uops: [1*A], latency_cycles: 1}\n",
     "12 error: 'vaddps V, V, V' matches forms that 'vaddps V, V, V' on line 11 matches as well\n"
     "12 remark: 'vaddps V,V,V' is spelled 'vaddps V, V, V' elsewhere in this program\n"},
    {"one form in two spellings",
     HEAD CORE(CROSSING) ADD "  - {form: \"jne rel\", uops: [1*A]}\n"
                             "  - {form: \"jnz rel\", uops: [1*A]}\n",
     "11 remark: 'jne rel' is spelled 'jnz rel' elsewhere in this program\n"
     "12 error: 'jnz rel' matches forms that 'jnz rel' on line 11 matches as well\n"},
    {"three alike are two errors",
     HEAD CORE(CROSSING) ADD "  - {form: \"jnz rel\", uops: [1*A]}\n"
                             "  - {form: \"jnz  rel\", uops: [1*A]}\n"
                             "  - {form: \"jne rel\", uops: [1*A]}\n",
     "12 error: 'jnz rel' matches forms that 'jnz rel' on line 11 matches as well\n"
     "12 remark: 'jnz  rel' is spelled 'jnz rel' elsewhere in this program\n"
     "13 error: 'jnz rel' matches forms that 'jnz rel' on line 11 matches as well\n"
     "13 remark: 'jne rel' is spelled 'jnz rel' elsewhere in this program\n"},
    {"a condition written out beside all of them is none",
     HEAD CORE(CROSSING) ADD "  - {form: \"jcc rel\", uops: [1*A]}\n"
                             "  - {form: \"jnz rel\", uops: [1*B]}\n",
     ""},
    {"latency missing where a register is written, and only there",
     HEAD CORE(CROSSING) ADD "  - {form: \"mov r64, m64\", uops: [1*A]}\n"
                             "  - {form: \"mov m64, r64\", uops: [1*A]}\n"
                             "  - {form: \"cmp r64, imm\", uops: [1*A]}\n"
                             "  - {form: \"movq2dq xmm, mm\", uops: [1*A]}\n"
                             "  - {form: nop, uops: []}\n"
                             "  - {form: \"cmpps xmm, xmm, imm\", uops: [1*A]}\n"
                             "  - {form: \"ucomisd xmm, xmm\", uops: [1*A]}\n",
     "11 remark: 'mov r64, m64' has no latency: chains through it are unbounded\n"
     "14 remark: 'movq2dq xmm, mm' has no latency: chains through it are unbounded\n"
     "16 remark: 'cmpps xmm, xmm, imm' has no latency: chains through it are unbounded\n"},
    {"latency between operands that are not there",
     HEAD CORE(CROSSING) ADD "  - {form: \"addps xmm, m128\", uops: [1*A], latency_cycles: "
                             "[{from: 1, to: 1, cycles: 2}, {from: 3, to: 1, cycles: 8}]}\n",
     "11 error: latency from 3 to 1: 'addps xmm, m128' has 2 operands\n"},
    {"bounds of a latency that do not hold it",
     HEAD CORE(CROSSING) ADD
     "  - {form: \"movd xmm, r32\", uops: [1*A], latency_cycles: "
     "[{from: 2, to: 1, cycles: 2, least_cycles: 1, most_cycles: 3, n: 11}]}\n"
     "  - {form: \"movd r32, xmm\", uops: [1*A], latency_cycles: "
     "[{from: 2, to: 1, cycles: 2, most_cycles: 1}]}\n"
     "  - {form: \"div r64\", uops: [1*A], latency_cycles: "
     "[{from: 1, to: 0, to_name: rax, cycles: 10, fast_cycles: 12}]}\n",
     "12 error: latency from 2 to 1 of 'movd r32, xmm': least_cycles and fast_cycles are at most "
     "cycles, most_cycles at least\n"
     "13 error: latency from 1 to 0 of 'div r64': least_cycles and fast_cycles are at most cycles, "
     "most_cycles at least\n"},
    {"a name for an operand that the form writes",
     HEAD CORE(CROSSING) ADD "  - {form: \"cmovz r64, r64\", uops: [1*A], latency_cycles: "
                             "[{from: 0, from_name: flags, to: 1, cycles: 1}, "
                             "{from: 2, from_name: flags, to: 1, cycles: 1}]}\n",
     "11 error: latency from 2 to 1 of 'cmovz r64, r64': only operand 0, which the form does not "
     "write, is named\n"},
    {"rules about forms that are not there",
     HEAD CORE(
         CROSSING) "zero_idioms: [\"vxorps V, V, V\", \"add r64, r64\"]\n"
                   "eliminated_moves: [\"mov r64, r64\"]\n"
                   "fusion:\n  - {first: \"cmp r64, r64\", second: jcc rel, uops: [1*A]}\n" ADD,
     "0 error: eliminated move 'mov r64, r64' is none of the file's forms: list it there too\n"
     "0 error: zero idiom 'vxorps V, V, V' is none of the file's forms: list it there too\n"
     "12 error: first of a fused pair 'cmp r64, r64' is none of the file's forms: list it there "
     "too\n"
     "12 error: second of a fused pair 'jcc rel' is none of the file's forms: list it there too\n"},
    {"a rule may be wider or narrower than the forms",
     HEAD CORE(CROSSING) "zero_idioms: [\"vxorps V, V, V\", \"vpxor xmm, xmm, xmm\"]\n" ADD
                         "  - {form: \"vxorps ymm, ymm, ymm\", uops: [1*A], latency_cycles: 1}\n"
                         "  - {form: \"vpxor V, V, V\", uops: [1*A], latency_cycles: 1}\n",
     ""},
    {"a port nothing goes to, a front end wider than the rest",
     HEAD "core: {dispatch_width: 3, ports: [A, B, C, D], load_ports: [A], "
          "line_crossing_load_slots: 1, source: s}\n" ADD,
     "8 error: dispatch_width 3, but only 2 ports execute anything: the front end cannot bind\n"
     "8 remark: nothing goes to port C\n"
     "8 remark: nothing goes to port D\n"},
    {"no width, no crossings", HEAD "core: {ports: [A, B], source: s}\n" ADD,
     "8 remark: no dispatch_width: there is no bound by the front end\n"
     "8 remark: no line_crossing_load_slots: kernels with crossing loads have no port bound\n"},
    {"crossings without ports for them", HEAD CORE(", line_crossing_load_slots: 2") ADD,
     "8 error: line_crossing_load_slots without load_ports, whose slots they are\n"},
    {"load ports that no form may use",
     HEAD "core: {dispatch_width: 2, ports: [A, B, C], load_ports: [A, C], "
          "line_crossing_load_slots: 2, source: s}\n" ADD
          "  - {form: \"mov r64, m64\", uops: [1*C], latency_cycles: 4}\n",
     "8 error: no form may use all of load_ports\n"},
    {"caches that do not grow",
     "format: gambrel-machine-1\nname: t\nisa: aarch64\nmatch: {implementer: 65, part: 1}\n"
     "clock_hz: {one_core: 3e9, source: s}\nsources: {caches: s}\ncaches:\n"
     "  - {name: L1, size_bytes: 65536}\n  - {name: L2, size_bytes: 65536}\n"
     "  - {name: L3, size_bytes: 1024}\n",
     "9 error: L2 of 65536 bytes is no larger than L1 of 65536\n"
     "10 error: L3 of 1024 bytes is no larger than L2 of 65536\n"},
    {"caches in the wrong order",
     "format: gambrel-machine-1\nname: t\nisa: aarch64\nmatch: {implementer: 65, part: 1}\n"
     "clock_hz: {one_core: 3e9, source: s}\nsources: {caches: s}\ncaches:\n"
     "  - {name: L2, size_bytes: 1024}\n  - {name: L1, size_bytes: 65536}\n",
     "9 error: L1 after L2: nearest the core first\n"},
    {"a file that says next to nothing", "format: gambrel-machine-1\nname: t\nisa: aarch64\n",
     "0 remark: clock_hz of one core is unknown: bounds are in cycles\n"
     "0 remark: no caches\n"
     "0 remark: no match: no host is detected as this machine\n"},
    {"clocks swapped, a chain curve that falls back",
     "format: gambrel-machine-1\nname: t\nisa: aarch64\nmatch: {implementer: 65, part: 1}\n"
     "clock_hz: {one_core: 3e9, all_cores: 4e9, source: s}\n"
     "caches: [{name: L1, size_bytes: 1024, source: s}]\nsources: {chain_curve: s}\n"
     "chain_curve: [{isa: neon, chains: 8, fraction: 0.9}, {isa: neon, chains: 4, fraction: 1}]\n",
     "0 error: chain_curve: 4 chains after 8: in rising order\n"
     "0 error: clock_hz: all cores at 4e+09, one core at 3e+09: swapped?\n"},
    {"memories are named",
     "format: gambrel-machine-1\nname: t\nisa: aarch64\nmatch: {implementer: 65, part: 1}\n"
     "clock_hz: {one_core: 3e9, source: s}\n"
     "caches: [{name: L1, size_bytes: 1024, source: \"recalled, unchecked\"}]\n",
     "6 remark: L1: recalled, unchecked, in part or whole\n"},
    {"sources of the skeleton",
     HEAD "core: {dispatch_width: 2, ports: [A, B], load_ports: [A], "
          "line_crossing_load_slots: 2, source: say where these come from}\n" ADD
          "  - {form: \"sub r64, r64\", uops: [1*A], latency_cycles: 1, source: say where}\n"
          "  - {form: \"or r64, r64\", uops: [1*A], latency_cycles: 1, source: say where}\n"
          "  - {form: \"xor r64, r64\", uops: [1*A], latency_cycles: 1, source: \"recalled, "
          "unchecked\"}\n",
     "8 remark: core: the source is still to be filled in\n"
     "11 remark: sub r64, r64: the source is still to be filled in\n"
     "13 remark: xor r64, r64: recalled, unchecked, in part or whole\n"},
    {"ports that only resources describe are no contradiction",
     HEAD CORE("") "resources:\n  - {form: \"add r64, imm\", uses: {R0: 0.25}, source: s}\n",
     "8 remark: no line_crossing_load_slots: kernels with crossing loads have no port bound\n"
     "8 remark: nothing goes to port A\n8 remark: nothing goes to port B\n"},
    {"resources alone",
     HEAD "resources:\n  - {form: \"add r64, imm\", uses: {R0: 0.25}, source: s}\n"
          "  - {form: \"add r64, imm8\", uses: {R0: 0.5}, source: s}\n",
     "10 error: 'add r64, imm' matches forms that 'add r64, imm' on line 9 matches as well\n"
     "10 remark: 'add r64, imm8' is spelled 'add r64, imm' elsewhere in this program\n"},
};

static void out_of_memory(void *context)
{
    (void)context;
    abort();
}

static const char *listing(const struct findings *f, struct arena *a)
{
    struct text t = {.arena = a};

    text_add(&t, "%s", "");
    for (size_t i = 0; i < f->n; i++) {
        text_add(&t, "%u %s: %s\n", f->list[i].loc.line,
                 f->list[i].level == FINDING_ERROR ? "error" : "remark", f->list[i].text);
    }
    return t.data;
}

static void test_case(const char *name, const char *yaml, const char *want)
{
    struct arena *a = arena_create((size_t)1 << 24, out_of_memory, NULL);
    struct err e = {0};
    const struct machine *m = machine_read((struct bytes){yaml, strlen(yaml)}, "m.yaml", a, &e);

    if (ok(m != NULL, "%s: reads", name)) {
        const struct findings f = machine_check(m, a);
        is_text(listing(&f, a), want, name);
    } else {
        printf("# %u: %s\n", e.loc.line, e.text);
    }
    arena_release(a);
}

static void test_shipped(const char *path)
{
    struct arena *a = arena_create((size_t)1 << 26, out_of_memory, NULL);
    struct err e = {0};
    struct bytes input;
    char line[400];
    const struct machine *m =
        file_read(path, a, &input, &e) ? machine_read(input, path, a, &e) : NULL;
    const struct findings f = m ? machine_check(m, a) : (struct findings){0};

    if (!ok(m && f.n_errors == 0, "%s has no error", path)) {
        printf("# %s\n# %s\n", m ? "" : err_describe(&e, line, sizeof line),
               m ? listing(&f, a) : "");
    }
    arena_release(a);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_case(cases[i].name, cases[i].yaml, cases[i].want);
    }
    DIR *folder = opendir("machines");
    int n = 0;
    for (const struct dirent *d = folder ? readdir(folder) : NULL; d; d = readdir(folder)) {
        char path[300];
        const size_t len = strlen(d->d_name);
        if (len > 5 && strcmp(d->d_name + len - 5, ".yaml") == 0) {
            snprintf(path, sizeof path, "machines/%s", d->d_name);
            test_shipped(path);
            n++;
        }
    }
    if (folder) {
        closedir(folder);
    }
    ok(n >= 13, "%d machine files are shipped", n);
    return tap_done();
}
