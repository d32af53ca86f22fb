#include "base/utf8.h"

#include <stdbool.h>

size_t utf8_decode(const char *text, size_t len, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = (unsigned char)text[0];
    const size_t n = lead < 0x80             ? 1
                     : (lead & 0xe0) == 0xc0 ? 2
                     : (lead & 0xf0) == 0xe0 ? 3
                     : (lead & 0xf8) == 0xf0 ? 4
                                             : 0;
    if (n == 0 || n > len) {
        return 0;
    }
    uint32_t c = n == 1 ? lead : lead & (0xffU >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    }
    *code = c;
    const bool surrogate = c >= 0xd800 && c <= 0xdfff;
    return c < smallest[n] || c > 0x10ffff || surrogate ? 0 : n;
}
