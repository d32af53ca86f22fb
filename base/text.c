#include "base/text.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and a NUL behind what is there. */
static char *text_reserve(struct text *t, size_t more)
{
    const size_t last = more < SIZE_MAX - t->len ? t->len + more : SIZE_MAX;
    if (last >= t->capacity) {
        const size_t n = last > 2 * t->len ? last : 2 * t->len;
        char *moved = arena_alloc(t->arena, n < SIZE_MAX ? n + 1 : n, 1);
        if (t->len > 0) {
            memcpy(moved, t->data, t->len);
        }
        t->data = moved;
        t->capacity = n + 1;
    }
    return t->data + t->len;
}

void text_add_bytes(struct text *t, const char *bytes, size_t len)
{
    char *end = text_reserve(t, len);
    if (len > 0) {
        memcpy(end, bytes, len);
    }
    end[len] = '\0';
    t->len += len;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(len >= 0);
    vsnprintf(text_reserve(t, (size_t)len), (size_t)len + 1, format, again);
    va_end(again);
    t->len += (size_t)len;
}

void text_add_text(struct text *t, const char *added)
{
    text_add_bytes(t, added, strlen(added));
}

/* The digits of count / 10^places end at `end`; returns where they begin. */
static char *write_decimal(size_t count, int places, char *end)
{
    do {
        *--end = (char)('0' + count % 10);
        count /= 10;
        if (--places == 0) {
            *--end = '.';
        }
    } while (count > 0 || places >= 0);
    return end;
}

/* The same of thousandths, without zeros behind the point. */
static char *write_thousandths(size_t count, char *end)
{
    int places = 3;
    for (; places > 0 && count % 10 == 0; places--) {
        count /= 10;
    }
    return write_decimal(count, places, end);
}

void text_add_count(struct text *t, size_t count)
{
    char digits[24], *end = digits + sizeof digits;
    const char *first = write_decimal(count, 0, end);
    text_add_bytes(t, first, (size_t)(end - first));
}

/* Six significant digits of what is this near a thousandth below a thousand are that thousandth. */
void text_add_g(struct text *t, double value)
{
    char digits[24], *end = digits + sizeof digits;
    const double near = value > 0 && value < 999.999 ? (double)(size_t)(1000 * value + 0.5) : 0;
    if (near > 0 && fabs(1000 * value - near) < 1e-7) {
        const char *first = write_thousandths((size_t)near, end);
        text_add_bytes(t, first, (size_t)(end - first));
    } else {
        text_add(t, "%g", value);
    }
}

const char *text_join(const char *const *names, char *buffer, size_t size)
{
    size_t len = 0;
    buffer[0] = '\0';
    for (const char *const *name = names; *name; name++) {
        if (len + 2 + strlen(*name) + sizeof ", ..." > size) {
            snprintf(buffer + len, size - len, ", ...");
            break;
        }
        len += (size_t)snprintf(buffer + len, size - len, "%s%s", len ? ", " : "", *name);
    }
    return buffer;
}

#define NEAREST_LEN_MAX 63

/* Letters to add, drop or replace, row by row of the usual table. */
static size_t edits(const char *a, const char *b)
{
    size_t row[NEAREST_LEN_MAX + 1];
    const size_t n = strlen(b);
    for (size_t k = 0; k <= n; k++) {
        row[k] = k;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < n; k++) {
            const size_t replaced = diagonal + (a[i] != b[k]);
            const size_t dropped = (row[k] < row[k + 1] ? row[k] : row[k + 1]) + 1;
            diagonal = row[k + 1];
            row[k + 1] = replaced < dropped ? replaced : dropped;
        }
    }
    return row[n];
}

const char *text_nearest(const char *const *names, const char *word)
{
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (; *names && strlen(word) <= NEAREST_LEN_MAX; names++) {
        const size_t len = strlen(*names);
        const size_t needed = len <= NEAREST_LEN_MAX ? edits(word, *names) : SIZE_MAX;
        if (needed <= len / 3 && needed < least) {
            least = needed;
            best = *names;
        }
    }
    return best;
}

/* A locale may write the decimal point as any bytes; files and reports write it as a dot. */
static void use_dot(char *number)
{
    char *to = number;
    for (const char *from = number; *from;) {
        if (strchr("0123456789+-eEinf", *from)) {
            *to++ = *from++;
            continue;
        }
        *to++ = '.';
        while (*from && !strchr("0123456789eE", *from)) {
            from++;
        }
    }
    *to = '\0';
}

struct prefix {
    const char *text;
    double scale;
};

static const struct prefix si_prefixes[] = {
    {"n", 1e-9}, {"µ", 1e-6}, {"m", 1e-3}, {"", 1},     {"k", 1e3},
    {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15}, {"E", 1e18},
};
static const struct prefix binary_prefixes[] = {
    {"", 1},        {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
    {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60},
};

/* The largest prefix that leaves at least 1 once rounded to four digits, else the smallest. */
static const char *scaled(double value, const struct prefix *prefixes, size_t n, const char *unit,
                          char *buffer)
{
    if (isnan(value)) {
        return memcpy(buffer, "unknown", sizeof "unknown");
    }
    size_t i = 0;
    while (i + 1 < n && fabs(value) >= 0.99995 * prefixes[i + 1].scale) {
        i++;
    }
    char number[TEXT_SI_SIZE];
    if (value == 0) {
        number[0] = '0';
        number[1] = '\0';
        for (i = 0; prefixes[i].scale < 1; i++) {
        }
    } else {
        snprintf(number, sizeof number, "%.4g", value / prefixes[i].scale);
        use_dot(number);
    }
    const char *gap = *prefixes[i].text || *unit ? " " : "";
    snprintf(buffer, TEXT_SI_SIZE, "%s%s%s%s", number, gap, prefixes[i].text, unit);
    return buffer;
}

const char *text_si(double value, const char *unit, char buffer[TEXT_SI_SIZE])
{
    return scaled(value, si_prefixes, sizeof si_prefixes / sizeof *si_prefixes, unit, buffer);
}

const char *text_bytes(double bytes, char buffer[TEXT_SI_SIZE])
{
    return scaled(bytes, binary_prefixes, sizeof binary_prefixes / sizeof *binary_prefixes, "B",
                  buffer);
}

/* A decimal of up to 15 digits is the only one of its double, so the shortest that reads back. */
static bool write_short(double value, char buffer[TEXT_NUMBER_SIZE])
{
    char digits[24], *end = digits + sizeof digits;
    const size_t near = value > 0 && value < 999.999 ? (size_t)(1000 * value + 0.5) : 0;
    if (near == 0 || (double)near / 1000 != value) {
        return false;
    }
    const char *first = write_thousandths(near, end);
    memcpy(buffer, first, (size_t)(end - first));
    buffer[end - first] = '\0';
    return true;
}

static bool reads_back(double value, int digits, char buffer[TEXT_NUMBER_SIZE])
{
    snprintf(buffer, TEXT_NUMBER_SIZE, "%.*g", digits, value);
    return strtod(buffer, NULL) == value;
}

const char *text_number(double value, char buffer[TEXT_NUMBER_SIZE])
{
    if (isnan(value)) {
        return memcpy(buffer, "unknown", sizeof "unknown");
    }
    if (write_short(value, buffer)) {
        return buffer;
    }
    /* 17 digits always suffice (C11 5.2.4.2.2, DECIMAL_DIG), and where 15 do not, fewer do not; the
     * first that reads back is shortest. */
    int digits = reads_back(value, DBL_DIG, buffer) ? 1 : DBL_DIG + 1;
    while (!reads_back(value, digits, buffer) && digits < 17) {
        digits++;
    }
    /* 10000 rather than 1e+04, but 1e+06. */
    if (fabs(value) < 1e15 && value == floor(value)) {
        char whole[TEXT_NUMBER_SIZE];
        const int len = snprintf(whole, sizeof whole, "%.0f", value);
        if ((size_t)len <= strlen(buffer)) {
            memcpy(buffer, whole, (size_t)len + 1);
        }
    }
    use_dot(buffer);
    return buffer;
}

static const char *skip_digits(const char *text, const char *end)
{
    while (text < end && *text >= '0' && *text <= '9') {
        text++;
    }
    return text;
}

/* [+-] digits [. digits] [e [+-] digits], at least one digit before the exponent. */
static bool is_decimal(const char *text, const char *end)
{
    text += text < end && (*text == '-' || *text == '+');
    const char *whole = skip_digits(text, end);
    size_t n_digits = (size_t)(whole - text);
    text = whole;
    if (text < end && *text == '.') {
        const char *fraction = skip_digits(text + 1, end);
        n_digits += (size_t)(fraction - text - 1);
        text = fraction;
    }
    if (n_digits == 0) {
        return false;
    }
    if (text < end && (*text == 'e' || *text == 'E')) {
        text++;
        text += text < end && (*text == '-' || *text == '+');
        const char *exponent = skip_digits(text, end);
        if (exponent == text) {
            return false;
        }
        text = exponent;
    }
    return text == end;
}

/* Digits and at most one point: up to 15 digits are a whole number that is exact, as is a power of
 * ten up to 22, and the quotient of two exact numbers is rounded once, as it must be (Clinger, How
 * to read floating point numbers accurately, PLDI 1990). */
static bool parse_short(const char *text, size_t len, double *out)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t whole = 0;
    size_t n_digits = 0, n_fraction = 0;
    bool point = false;
    for (size_t i = 0; i < len && n_digits <= 15; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            whole = 10 * whole + (uint64_t)(text[i] - '0');
            n_digits++;
            n_fraction += point;
        } else if (text[i] == '.' && !point) {
            point = true;
        } else {
            return false;
        }
    }
    if (n_digits == 0 || n_digits > 15) {
        return false;
    }
    *out = (double)whole / powers[n_fraction];
    return true;
}

/* Is there a digit other than 0 before the exponent? */
static bool is_nonzero(const char *text)
{
    return text[strcspn(text, "123456789eE")] >= '1' && text[strcspn(text, "123456789eE")] <= '9';
}

bool text_parse_number(const char *text, size_t len, double *out)
{
    char copy[512];
    if (parse_short(text, len, out)) {
        return true;
    }
    if (len == 0 || len >= sizeof copy || !is_decimal(text, text + len)) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) {
        return false;
    }
    const double value = strtod_l(copy, NULL, c);
    freelocale(c);
    if (!isfinite(value) || (value == 0 && is_nonzero(copy))) {
        return false;
    }
    *out = value;
    return true;
}

const char *text_hex(const uint8_t *bytes, size_t n, struct arena *a)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = arena_new(a, char, 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    return hex;
}
