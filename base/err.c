#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What an input holds may reach a message: no byte of it may move a terminal's cursor, and a cut
 * must not leave half a character. */
static void make_printable(char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            text[i] = '?';
        }
    }
    size_t start = len;
    while (start > 0 && len - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--;
    }
    if (start > 0 && (unsigned char)text[start - 1] >= 0xc0) {
        const unsigned char lead = (unsigned char)text[start - 1];
        const size_t needed = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (len - start < needed) {
            text[start - 1] = '\0';
        }
    }
}

bool err_set(struct err *e, enum err_code code, struct loc loc, const char *format, ...)
{
    if (e->code != ERR_NONE) {
        return false;
    }
    e->code = code;
    e->loc = loc;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    make_printable(e->text);
    return false;
}

const char *err_describe(const struct err *e, char *buffer, size_t size)
{
    const char *file = e->loc.file ? e->loc.file : "";
    const char *colon = e->loc.file ? ":" : "";
    if (e->loc.line == 0) {
        snprintf(buffer, size, "%s%s%s%s", file, colon, *colon ? " " : "", e->text);
    } else if (e->loc.column == 0) {
        snprintf(buffer, size, "%s%s%u: %s", file, colon, e->loc.line, e->text);
    } else {
        snprintf(buffer, size, "%s%s%u:%u: %s", file, colon, e->loc.line, e->loc.column, e->text);
    }
    return buffer;
}
