#include "base/utf8.h"
#include "tests/tap.h"

int main(void)
{
    static const struct {
        const char *bytes;
        size_t len, want;
        uint32_t code;
    } cases[] = {
        {"a", 1, 1, 'a'},
        {"\0", 1, 1, 0},
        {"\x7f", 1, 1, 0x7f},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xdf\xbf", 2, 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 3, 0x800},
        {"\xef\xbf\xbf", 3, 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"\x80", 1, 0, 0},             /* continues nothing */
        {"\xc3", 1, 0, 0},             /* cut off */
        {"\xc3\xa4", 1, 0, 0},         /* the length counts */
        {"\xc3(", 2, 0, 0},            /* not continued */
        {"\xc0\x80", 2, 0, 0},         /* NUL in two bytes */
        {"\xe0\x9f\xbf", 3, 0, 0},     /* overlong */
        {"\xf0\x8f\xbf\xbf", 4, 0, 0}, /* overlong */
        {"\xed\xa0\x80", 3, 0, 0},     /* surrogate */
        {"\xf4\x90\x80\x80", 4, 0, 0}, /* more than U+10FFFF */
        {"\xf8\x88\x80\x80\x80", 5, 0, 0},
        {"\xff", 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t code = 0;
        const size_t got = utf8_decode(cases[i].bytes, cases[i].len, &code);
        ok(got == cases[i].want && (got == 0 || code == cases[i].code), "case %zu: %zu bytes", i,
           cases[i].want);
    }
    return tap_done();
}
