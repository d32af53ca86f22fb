#include "base/random.h"
#include "base/text.h"
#include "tests/tap.h"

#include <float.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

static void no_memory(void *context)
{
    (void)context;
    abort();
}

static void people(void)
{
    static const struct {
        double value;
        const char *unit, *want;
    } cases[] = {
        {143.7e9, "FLOP/s", "143.7 GFLOP/s"},
        {1e9, "flop/s", "1 Gflop/s"},
        {999.96e6, "flop/s", "1 Gflop/s"},
        {999.94e6, "flop/s", "999.9 Mflop/s"},
        {0, "s", "0 s"},
        {-2500, "B", "-2.5 kB"},
        {4.13e9, "Hz", "4.13 GHz"},
        {0.00025, "s", "250 µs"},
        {1e-12, "s", "0.001 ns"},
        {12, "", "12"},
        {NAN, "Hz", "unknown"},
    };
    char buffer[TEXT_SI_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(text_si(cases[i].value, cases[i].unit, buffer), cases[i].want, cases[i].want);
    }
    is_text(text_bytes(49152, buffer), "48 KiB", "48 KiB");
    is_text(text_bytes(1.5 * 1048576, buffer), "1.5 MiB", "1.5 MiB");
    is_text(text_bytes(512, buffer), "512 B", "512 B");
    is_text(text_bytes(0, buffer), "0 B", "0 B");
    is_text(text_bytes(NAN, buffer), "unknown", "bytes unknown");
}

static void files(void)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0.1, "0.1"},
        {4.2e9, "4.2e+09"},
        {0, "0"},
        {-0.0, "-0"},
        {10, "10"},
        {-10000, "-10000"},
        {1e6, "1e+06"},
        {1e300, "1e+300"},
        {NAN, "unknown"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {1.0 / 3, "0.3333333333333333"},
        {123456, "123456"},
        {DBL_MIN, "2.2250738585072014e-308"},
    };
    char buffer[TEXT_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_text(text_number(cases[i].value, buffer), cases[i].want, cases[i].want);
    }
}

/* Any finite double, most of them odd ones: seed fixed. */
static bool all_round_trip(int n)
{
    uint64_t state = 88172645463325252;
    for (int i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double value, back;
        memcpy(&value, &state, sizeof value);
        char buffer[TEXT_NUMBER_SIZE];
        text_number(value, buffer);
        if (isfinite(value) &&
            !(text_parse_number(buffer, strlen(buffer), &back) && back == value)) {
            printf("# %s does not read back\n", buffer);
            return false;
        }
    }
    return true;
}

static void parsing(void)
{
    static const struct {
        const char *text;
        bool good;
        double want;
    } cases[] = {
        {"42", true, 42},         {"-1.5e9", true, -1.5e9}, {"+2", true, 2},
        {".5", true, 0.5},        {"5.", true, 5},          {"1E3", true, 1000},
        {"1e-3", true, 1e-3},     {"0e9", true, 0},         {"0.000", true, 0},
        {"5e-324", true, 5e-324}, {"1e308", true, 1e308},   {"", false, 0},
        {" 1", false, 0},         {"1 ", false, 0},         {"1,5", false, 0},
        {"0x10", false, 0},       {"nan", false, 0},        {"inf", false, 0},
        {"-inf", false, 0},       {"1e309", false, 0},      {"-1e309", false, 0},
        {"1e-400", false, 0},     {"1e", false, 0},         {"e5", false, 0},
        {".", false, 0},          {"-", false, 0},          {"--1", false, 0},
        {"1.2.3", false, 0},      {"3.4 GHz", false, 0},    {"1_000", false, 0},
        {"1f", false, 0},         {"1e+", false, 0},        {"infinity", false, 0},
        {"1d5", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double got = -77;
        const bool good = text_parse_number(cases[i].text, strlen(cases[i].text), &got);
        ok(good == cases[i].good && got == (cases[i].good ? cases[i].want : -77), "'%s' is %s",
           cases[i].text, cases[i].good ? "a number" : "no number, and nothing is written");
    }
    double value;
    ok(text_parse_number("12345", 2, &value) && value == 12, "the length counts, not a NUL");
    ok(!text_parse_number("1\0", 2, &value), "a NUL is no digit");
    char longest[2000];
    memset(longest, '1', sizeof longest);
    ok(!text_parse_number(longest, sizeof longest, &value), "2000 digits are no number");
}

/* Short numbers are read in another way than long ones: as strtod reads them. */
static void short_numbers(void)
{
    struct random r = {3};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        char text[32];
        const int len = 1 + random_below(&r, 16), point = random_below(&r, len + 4);
        for (int k = 0; k < len; k++) {
            text[k] = k == point ? '.' : (char)('0' + random_below(&r, 10));
        }
        text[len] = '\0';
        double value = -1;
        const bool good = text_parse_number(text, (size_t)len, &value);
        wrong += good ? value != strtod(text, NULL) : strcmp(text, ".") != 0;
    }
    ok(wrong == 0, "100000 short numbers are read as strtod reads them");
}

/* The shortest of all that read back, but 10000 for 1e+04. */
static void shortest_of_all(double value, char buffer[TEXT_NUMBER_SIZE])
{
    char whole[400];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, TEXT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) {
            break;
        }
    }
    snprintf(whole, sizeof whole, "%.0f", value);
    if (fabs(value) < 1e15 && value == floor(value) && strlen(whole) <= strlen(buffer)) {
        memcpy(buffer, whole, strlen(whole) + 1);
    }
}

static void shortest(void)
{
    struct random r = {5};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        const double whole = floor(random_uniform(&r) * pow(10, random_below(&r, 18)));
        const double value = whole / pow(10, random_below(&r, 18));
        const double steps[] = {value, -value, nextafter(value, 0), nextafter(value, 1e300)};
        char buffer[TEXT_NUMBER_SIZE], want[TEXT_NUMBER_SIZE];
        text_number(steps[i % 4], buffer);
        shortest_of_all(steps[i % 4], want);
        wrong += strcmp(buffer, want) != 0;
    }
    ok(wrong == 0, "100000 numbers are written as short as they can be");
}

static void same_as_printf(void)
{
    struct arena *a = arena_create((size_t)1 << 30, no_memory, NULL);
    static const double near[] = {0, 0, 1e-10, -1e-10, 1e-9, -1e-9, 1e-7, 0.5, 1.0 / 3};
    struct random r = {4};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        const double scale = pow(10, random_below(&r, 9) - 1);
        const double whole = floor(random_uniform(&r) * scale);
        const double value = whole / pow(10, random_below(&r, 5)) + near[random_below(&r, 9)];
        struct text t = {.arena = a}, want = t;
        text_add_g(&t, i % 10 ? value : -value);
        text_add(&want, "%g", i % 10 ? value : -value);
        wrong += strcmp(t.data, want.data) != 0;
    }
    ok(wrong == 0, "100000 numbers are written as %%g writes them");
    static const size_t counts[] = {0, 9, 10, 123456789, SIZE_MAX};
    for (int i = 0; i < 5; i++) {
        struct text t = {.arena = a}, want = t;
        text_add_count(&t, counts[i]);
        text_add(&want, "%zu", counts[i]);
        is_text(t.data, want.data, want.data);
    }
    arena_release(a);
}

static void locales(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", NULL};
    const char *const *name = names;
    while (*name && !setlocale(LC_NUMERIC, *name)) {
        name++;
    }
    char buffer[TEXT_NUMBER_SIZE];
    double value = 0;
    text_number(2.5, buffer);
    const bool good = text_parse_number("2.5", 3, &value) && value == 2.5;
    ok(good && strcmp(buffer, "2.5") == 0, "the point is a dot%s%s", *name ? " in " : "",
       *name ? *name : " # SKIP no locale with a comma is installed");
    setlocale(LC_NUMERIC, "C");
}

static void lists(void)
{
    static const char *const none[] = {NULL}, *const three[] = {"one", "two", "three", NULL};
    static const struct {
        const char *const *names;
        size_t size;
        const char *want;
    } cases[] = {
        {none, 20, ""},
        {three, 40, "one, two, three"},
        {three, 21, "one, two, three"},
        {three, 17, "one, two, ..."},
        {three, 10, ", ..."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[64];
        is_text(text_join(cases[i].names, buffer, cases[i].size), cases[i].want, cases[i].want);
    }
}

static void nearest(void)
{
    static const char *const names[] = {"clock_hz", "name", "names", "isa", NULL};
    static const struct {
        const char *word, *want;
    } cases[] = {
        {"clok_hz", "clock_hz"},
        {"clock_hz", "clock_hz"},
        {"nane", "name"},
        {"namess", "names"},
        {"iso", "isa"},
        {"io", NULL},
        {"", NULL},
        {"roofs", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = text_nearest(names, cases[i].word);
        ok(got == cases[i].want || (got && cases[i].want && strcmp(got, cases[i].want) == 0),
           "'%s' means %s", cases[i].word, cases[i].want ? cases[i].want : "nothing known");
    }
    char longest[200];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ok(!text_nearest(names, longest), "a very long word means nothing known");
}

static void growing(void)
{
    struct text t = {.arena = arena_create((size_t)1 << 24, no_memory, NULL)};
    text_add(&t, "%s", "");
    is_text(t.data, "", "nothing added is still text");
    for (int i = 0; i < 10000; i++) {
        text_add(&t, "%d ", i % 10);
        text_add_bytes(&t, "ab", 1);
    }
    ok(t.len == 30000 && strlen(t.data) == t.len, "text grows and stays terminated");
    ok(strncmp(t.data, "0 a1 a2 a", 9) == 0, "and keeps what it holds");
    arena_release(t.arena);
}

static void hexadecimal(void)
{
    struct arena *a = arena_create(1 << 16, no_memory, NULL);
    const uint8_t bytes[] = {0x00, 0x0f, 0xa5, 0xff};
    is_text(text_hex(bytes, sizeof bytes, a), "000fa5ff", "bytes as hexadecimal, zeros kept");
    is_text(text_hex(bytes, 0, a), "", "none of them");
    arena_release(a);
}

int main(void)
{
    people();
    hexadecimal();
    files();
    ok(all_round_trip(200000), "200000 random doubles read back bit for bit");
    parsing();
    short_numbers();
    shortest();
    same_as_printf();
    locales();
    growing();
    lists();
    nearest();
    return tap_done();
}
