#include "compare/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct report_format report_formats[] = {
    {.name = "terminal",
     .extension = "txt",
     .what = "aligned tables, for people",
     .write = report_terminal,
     .write_batch = batch_terminal},
    {.name = "markdown",
     .extension = "md",
     .what = "the same as Markdown",
     .write = report_markdown,
     .write_batch = batch_markdown},
    {.name = "csv",
     .extension = "csv",
     .what = "one line for each roof and each kernel",
     .write = report_csv,
     .write_batch = batch_csv},
    {.name = "json",
     .extension = "json",
     .what = "everything the report says, for programs",
     .write = report_json,
     .write_batch = batch_json},
    {.name = "svg",
     .extension = "svg",
     .what = "roofline plot, drawn by gnuplot",
     .write = report_svg,
     .plot = true},
    {.name = "gnuplot",
     .extension = "gp",
     .what = "the gnuplot script of that plot, data included",
     .write = report_gnuplot,
     .plot = true},
};
const int n_report_formats = sizeof report_formats / sizeof report_formats[0];

const struct report_format *report_format_find(const char *name)
{
    for (int i = 0; i < n_report_formats; i++) {
        if (strcmp(report_formats[i].name, name) == 0) {
            return &report_formats[i];
        }
    }
    return NULL;
}

const char *report_number(double value, char buffer[TEXT_NUMBER_SIZE])
{
    double rounded = value;
    snprintf(buffer, TEXT_NUMBER_SIZE, "%.*g", REPORT_DIGITS, value);
    text_parse_number(buffer, strlen(buffer), &rounded); /* not NaN, nor an infinity */
    if (fabs(rounded) < 1e15 && rounded == floor(rounded)) {
        snprintf(buffer, TEXT_NUMBER_SIZE, "%.0f", rounded);
        return buffer;
    }
    return text_number(rounded, buffer);
}
