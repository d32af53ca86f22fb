/* tap.h - a test program is a main that calls ok() and ends with return tap_done(). */
#ifndef GAMBREL_TESTS_TAP_H
#define GAMBREL_TESTS_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool pass, const char *format, ...)
{
    va_list args;
    printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    tap_failed += !pass;
    return pass;
}

__attribute__((unused)) static bool is_text(const char *got, const char *want, const char *name)
{
    const bool pass = got && strcmp(got, want) == 0;
    ok(pass, "%s", name);
    if (!pass) {
        printf("#   got:  %s\n#   want: %s\n", got ? got : "(null)", want);
    }
    return pass;
}

__attribute__((unused)) static bool is_near(double got, double want, double relative,
                                            const char *name)
{
    const double scale = fabs(want) > 1 ? fabs(want) : 1;
    const bool pass = (isnan(got) && isnan(want)) || fabs(got - want) <= relative * scale;
    ok(pass, "%s", name);
    if (!pass) {
        printf("#   got:  %.17g\n#   want: %.17g within %g\n", got, want, relative);
    }
    return pass;
}

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
