#include "code/form.h"
#include "tests/tap.h"

static const struct {
    const char *text, *normal; /* NULL: refused */
} spellings[] = {
    {"vfmadd231ps zmm, zmm, m512", "vfmadd231ps zmm, zmm, m512"},
    {"  VADDPS ZMM {K1}{z},  ZMM,[M512] ", "vaddps zmm{k}{z}, zmm, m512"},
    {"vaddps zmm, zmm, m32bcst", "vaddps zmm, zmm, m32bcst"},
    {"jne rel32", "jnz rel"},
    {"jmp label", "jmp rel"},
    {"jc rel8", "jb rel"},
    {"jg rel", "jnle rel"},
    {"cmovae r64, r64", "cmovnb r64, r64"},
    {"sete r8", "setz r8"},
    {"setcc r8", "setcc r8"},
    {"jcc rel", "jcc rel"},
    {"sal r64, imm8", "shl r64, imm"},
    {"movabs r64, imm64", "mov r64, imm"},
    {"lock  add [m64], r64", "lock add m64, r64"},
    {"repz cmpsb", "repe cmpsb"},
    {"ret", "ret"},
    {"vmovups V{k}{z}, MV", "vmovups V{k}{z}, MV"},
    {"vmovaps V , V", "vmovaps V, V"},
    {"FMLA V.4S, V.4S, V.S[3]", "fmla v.4s, v.4s, v.s[i]"},
    {"add x, x, x, lsl #2", "add x, x, x, lsl"},
    {"add x, x, #imm", "add x, x, imm"},
    {"ld1 {v.4s, v.4s}, [m256], post", "ld1 v.4s, v.4s, m256, post"},
    {"b.cs label", "b.hs rel"},
    {"b.cc rel", "b.cc rel"},
    {"movz w, #imm", "mov w, imm"},
    {"", NULL},
    {" \t\n", NULL},
    {"add r64,, r64", NULL},
    {"add []", NULL},
};

static const struct {
    const char *pattern, *form;
    bool matches;
} matches[] = {
    {"vaddps V, V, V", "vaddps xmm, xmm, xmm", true},
    {"vaddps V, V, V", "vaddps zmm, zmm, zmm", true},
    {"vaddps V, V, V", "vaddps zmm, zmm, ymm", false},
    {"vaddps V, V, V", "vaddps zmm, zmm, m512", false},
    {"vaddps V, V, V", "vaddps zmm{k}, zmm, zmm", false},
    {"vaddps V{k}, V, V", "vaddps zmm{k}, zmm, zmm", true},
    {"vaddps V{k}, V, V", "vaddps zmm{k}{z}, zmm, zmm", false},
    {"vaddps V, V, V", "vaddps zmm, zmm", false},
    {"vaddps V, V", "vaddps zmm, zmm, zmm", false},
    {"vaddps V, V, V", "vsubps zmm, zmm, zmm", false},
    {"vaddps V, V, V", "vaddps r64, r64, r64", false},
    {"vmovups V, MV", "vmovups ymm, m256", true},
    {"vmovups V, MV", "vmovups ymm, m512", false},
    {"vmovups MV, V", "vmovups m128, xmm", true},
    {"vmovups MV, V", "vmovups m128, ymm", false},
    {"vaddps V, V, MV", "vaddps zmm, zmm, m32bcst", false},
    {"vpmovdw MV, zmm", "vpmovdw m256, zmm", true},
    {"jcc rel", "jnz rel", true},
    {"jcc rel", "jnle rel", true},
    {"jcc rel", "jmp rel", false},
    {"jcc rel", "jrcxz rel", false},
    {"setcc r8", "setz r8", true},
    {"setcc r8", "setz m8", false},
    {"cmovcc r64, r64", "cmovnb r64, r64", true},
    {"cmovcc r64, r64", "cmovnb r64, m64", false},
    {"b.cc rel", "b.ne rel", true},
    {"b.cc rel", "b.lo rel", true},
    {"b.cc rel", "b rel", false},
    {"b.ne rel", "b.eq rel", false},
    {"fmla v.4s, v.4s, v.s[i]", "fmla v.4s, v.4s, v.s[i]", true},
    {"fmla v.4s, v.4s, v.4s", "fmla v.4s, v.4s, v.s[i]", false},
    {"ldr q, m128", "ldr q, m128, post", false},
    {"ret", "ret", true},
    {"ret", "ret x", false},
};

/* FORM_SIZE - 1 letters fit, one more does not, and no length writes past the end. */
static void check_lengths(void)
{
    char text[5 * FORM_SIZE], out[FORM_SIZE];
    size_t longest = 0;

    for (size_t n = 1; n < sizeof text; n++) {
        memset(text, 'a', n);
        text[n] = '\0';
        longest = form_normalise(text, out) ? n : longest;
    }
    ok(longest == FORM_SIZE - 1, "the longest form has %d letters", FORM_SIZE - 1);
}

static const struct {
    const char *pattern;
    int width;
    const char *form;
} instances[] = {
    {"vaddps V, V, MV", 0, "vaddps xmm, xmm, m128"},
    {"vmovups MV{k}, V", 2, "vmovups m512{k}, zmm"},
    {"cmovcc r64, r64", 1, "cmovnz r64, r64"},
    {"b.cc rel", 0, "b.ne rel"},
    {"add r64, imm", 2, "add r64, imm"},
    {"ret", 0, "ret"},
};

static void check_instances(void)
{
    char out[FORM_SIZE], longest[FORM_SIZE];
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        const char *pattern = instances[k].pattern;
        ok(form_instance(pattern, instances[k].width, out), "'%s' has instances", pattern);
        is_text(out, instances[k].form, "what it becomes");
        ok(form_matches(pattern, out), "which it matches");
    }
    memset(longest, 'a', sizeof longest);
    memcpy(longest + FORM_SIZE - 4, " V", 3);
    ok(!form_instance(longest, 0, out), "a form that would be too long is refused");
}

int main(void)
{
    check_lengths();
    check_instances();
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
        char out[FORM_SIZE], again[FORM_SIZE];
        const bool fits = form_normalise(spellings[k].text, out);
        if (!spellings[k].normal) {
            ok(!fits, "refused: '%s'", spellings[k].text);
            continue;
        }
        is_text(fits ? out : "refused", spellings[k].normal, spellings[k].text);
        ok(form_normalise(out, again) && strcmp(out, again) == 0, "normal stays as it is: %s", out);
        ok(strchr(out, 'V') || form_matches(out, out), "matches itself: %s", out);
    }
    for (size_t k = 0; k < sizeof matches / sizeof *matches; k++) {
        ok(form_matches(matches[k].pattern, matches[k].form) == matches[k].matches, "%s %s %s",
           matches[k].pattern, matches[k].matches ? "matches" : "does not match", matches[k].form);
    }
    return tap_done();
}
