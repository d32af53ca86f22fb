#include "code/basic.h"
#include "code/loop.h"
#include "tests/formats.h"

static const uint8_t *bytes_of(const char *hex, size_t *len, struct arena *a)
{
    struct err e = {0};
    uint8_t *code = NULL;
    code_from_hex(hex, LOC_NONE, a, &code, len, &e);
    return code;
}

/* mov, then a loop of test, je over addss, dec, jne inside an outer loop of add, dec, jne; ret. */
#define NESTED "4889d0f60407017405f30f580486eb020f0b48ffc875ec4883c64048ffc975e0c3"

static void blocks_of_a_function(struct arena *a)
{
    static const struct {
        uint64_t address;
        size_t len;
        int n_insns, depth;
    } want[] = {
        {0x100, 3, 1, 1}, /* mov */
        {0x103, 4, 1, 2}, /* test */
        {0x109, 5, 1, 2}, /* addss */
        {0x110, 2, 1, 2}, /* ud2 */
        {0x112, 3, 1, 2}, /* dec */
        {0x117, 7, 2, 1}, /* add, dec */
    };
    size_t len;
    struct basic_block *blocks = NULL;
    int n = 0;
    struct err e = {0};
    const uint8_t *code = bytes_of(NESTED, &len, a);
    ok(basic_blocks(code, len, 0x100, ARCH_X86_64, a, &blocks, &n, &e) &&
           n == (int)(sizeof want / sizeof *want),
       "%d blocks %s", n, e.text);
    for (int i = 0; i < n && i < (int)(sizeof want / sizeof *want); i++) {
        ok(blocks[i].address == want[i].address && blocks[i].len == want[i].len &&
               blocks[i].n_insns == want[i].n_insns && blocks[i].depth == want[i].depth,
           "block %d at 0x%llx: %zu bytes, %d instructions, depth %d", i,
           (unsigned long long)blocks[i].address, blocks[i].len, blocks[i].n_insns,
           blocks[i].depth);
    }
}

static void forms_of_bytes(struct arena *a)
{
    struct err e = {0};
    struct decoder *d = decoder_open(ARCH_X86_64, &e);
    struct insn *insns = NULL;
    int n = 0;
    size_t len;
    const uint8_t *code = bytes_of("48ffc848ffc84883c640", &len, a);
    ok(d && basic_decode(d, code, len, a, &insns, &n, &e) && n == 3, "three instructions");
    struct form_count forms[3];
    ok(basic_forms(insns, n, forms) == 2 && forms[0].count == 2 &&
           strcmp(forms[1].form, "add r64, imm") == 0,
       "two forms");
    ok(!basic_decode(d, code, len - 1, a, &insns, &n, &e) && e.code == ERR_SYNTAX, "cut off: %s",
       e.text);
    e = (struct err){0};
    ok(!basic_decode(d, code, 0, a, &insns, &n, &e) && e.code == ERR_RANGE, "nothing: %s", e.text);
    decoder_close(d);
}

int main(void)
{
    struct arena *a = test_arena();
    blocks_of_a_function(a);
    forms_of_bytes(a);
    arena_release(a);
    return tap_done();
}
