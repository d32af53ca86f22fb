/* text.h - text that grows, numbers as people read them, numbers as files hold them.
 *
 * Inside the program every quantity is in base units (Hz, s, bytes, cycles, flops, uops); prefixes
 * are added here and nowhere else.
 */
#ifndef GAMBREL_BASE_TEXT_H
#define GAMBREL_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    struct arena *arena;
    char *data; /* always NUL-terminated once something was added; NULL before */
    size_t len, capacity;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *t, const char *bytes, size_t len);
/* What "%s", "%zu" and "%g" would add, in a fraction of the time (%g: of thousandths). */
void text_add_text(struct text *t, const char *added);
void text_add_count(struct text *t, size_t count);
void text_add_g(struct text *t, double value);

/* "a, b, c" of a NULL-terminated list, cut with "..." where it would not fit; returns buffer. */
const char *text_join(const char *const *names, char *buffer, size_t size);

/* Lower-case hexadecimal, two digits a byte. */
const char *text_hex(const uint8_t *bytes, size_t n, struct arena *a);

/* The name of a NULL-terminated list that was probably meant: at most a third of its letters must
 * be added, dropped or replaced (Levenshtein); NULL if there is none. */
const char *text_nearest(const char *const *names, const char *word);

#define TEXT_SI_SIZE 32
/* "143.7 GFLOP/s": four significant digits at most and an SI prefix; "unknown" for NaN. */
const char *text_si(double value, const char *unit, char buffer[TEXT_SI_SIZE]);
/* "48 KiB": binary prefixes, for sizes. */
const char *text_bytes(double bytes, char buffer[TEXT_SI_SIZE]);

/* The shortest decimal that reads back as the same double ("0.1", "4.2e+09"); locale-independent.
 * NaN gives "unknown", infinities "inf" and "-inf". */
#define TEXT_NUMBER_SIZE 32
const char *text_number(double value, char buffer[TEXT_NUMBER_SIZE]);

/* Strict: the whole of text[0..len) is one finite decimal number ("42", "-1.5e9"); no hexadecimal,
 * no blanks, no "nan", no "inf", nothing that overflows; locale-independent. */
bool text_parse_number(const char *text, size_t len, double *out);

#endif
