#include "compare/csv.h"

#include "compare/report.h"

#include <math.h>
#include <string.h>

void csv_field(struct text *out, const char *value)
{
    const bool first = out->len == 0 || out->data[out->len - 1] == '\n';
    text_add(out, "%s", first ? "" : ",");
    if (!strpbrk(value, ",\"\r\n")) {
        text_add(out, "%s", value);
        return;
    }
    text_add(out, "\"");
    for (; *value; value++) {
        text_add(out, "%s", *value == '"' ? "\"" : "");
        text_add_bytes(out, value, 1);
    }
    text_add(out, "\"");
}

void csv_number(struct text *out, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    csv_field(out, isfinite(value) ? report_number(value, digits) : "");
}
