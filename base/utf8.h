/* utf8.h - one character of UTF-8 at a time (RFC 3629). */
#ifndef GAMBREL_BASE_UTF8_H
#define GAMBREL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at text[0..len), len >= 1; its length in bytes, or 0 if there is none:
 * a stray or missing byte, an overlong form, a surrogate, more than U+10FFFF. */
size_t utf8_decode(const char *text, size_t len, uint32_t *code);

#endif
