#include "compare/osaca_report.h"

#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { NUMBERS_MAX = 128 };

/* How many numbers a line is made of; 0 where it holds anything else. */
static int read_numbers(const char *line, size_t len, double numbers[NUMBERS_MAX])
{
    int n = 0;
    for (size_t at = 0; at < len;) {
        at += strspn(line + at, " \t\r");
        const size_t word = strcspn(line + at, " \t\r\n");
        if (at >= len || word == 0) {
            break;
        }
        if (n == NUMBERS_MAX || !text_parse_number(line + at, word, &numbers[n]) ||
            !(numbers[n] >= 0)) {
            return 0;
        }
        n++;
        at += word;
    }
    return n;
}

double osaca_report_cycles(const char *report)
{
    static const char title[] = "Combined Analysis Report", missing[] = "instructions is missing";
    const char *at = strstr(report, title);
    double numbers[NUMBERS_MAX];
    if (!at || strstr(report, missing)) {
        return (double)NAN;
    }
    for (bool first = true; *at; first = false) {
        const size_t len = strcspn(at, "\n");
        const int n = first ? 0 : read_numbers(at, len, numbers);
        if (n >= 2) {
            double most = numbers[n - 1];
            for (int i = 0; i < n - 2; i++) {
                most = numbers[i] > most ? numbers[i] : most;
            }
            return most > 0 ? most : (double)NAN;
        }
        at += len + (at[len] == '\n');
    }
    return (double)NAN;
}
