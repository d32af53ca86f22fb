#include "compare/osaca_report.h"
#include "tests/tap.h"

/* The layout of OSACA's reports; the blocks are made up. */
#define HEAD                                                                                       \
    "Open Source Architecture Code Analyzer (OSACA) - 0.7.1\nAnalyzed file:      x.s\n\n"          \
    "Combined Analysis Report\n------------------------\n"                                         \
    "          Port pressure in cycles\n     |  0   |  1   ||  CP  | LCD  |\n"                     \
    "-----------------------------\n   1 | 0.50 | 0.50 ||  1.0 |  1.0 |   add 2.0 3.0 4.0\n\n"
#define TAIL "\n\n\nLoop-Carried Dependencies Analysis Report\n   1 |  9.0 | add | [1]\n  8.0 9.0\n"

static const struct {
    const char *name, *report;
    double cycles;
} cases[] = {
    {"ports", HEAD "       2.50   0.50      7.0    1.0  " TAIL, 2.5},
    {"a dependence", HEAD "       0.50   0.50      7.0    4.0  " TAIL, 4},
    {"never the critical path", HEAD "       0.50   0.50      7.0    0  " TAIL, .5},
    {"no port is used", HEAD "                        7.0    4.0  " TAIL, 4},
    {"numbers of more digits", HEAD "       100.50 0.50   1234.0  17.25 \r" TAIL, 100.5},
    {"nothing is used and nothing depends", HEAD "                 0      0.0  " TAIL, NAN},
    {"data are missing",
     HEAD
     "---- WARNING: The performance data for 2 instructions is missing.----\n 1.0 2.0 3.0\n" TAIL,
     NAN},
    {"a line of words is no sum", HEAD "  1.0 and 2.0\n  3.00 1.0 2.0\n" TAIL, 3},
    {"a negative number is none", HEAD "  -3.00 1.0 2.0\n", NAN},
    {"one number is no sum", HEAD "  3.00\n", NAN},
    {"no report", "  3.00 1.0 2.0\n", NAN},
    {"cut off", "Combined Analysis Report", NAN},
    {"nothing", "", NAN},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_near(osaca_report_cycles(cases[i].report), cases[i].cycles, 0, cases[i].name);
    }
    return tap_done();
}
