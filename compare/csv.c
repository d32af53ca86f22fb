#include "compare/csv.h"

#include "compare/report.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void csv_field(struct text *out, const char *value)
{
    const bool first = out->len == 0 || out->data[out->len - 1] == '\n';
    const size_t len = strlen(value);
    text_add_bytes(out, ",", first ? 0 : 1);
    if (first && len == 0) {
        text_add_text(out, "\"\""); /* else the next field would begin the line */
        return;
    }
    if (strcspn(value, ",\"\r\n") == len) {
        text_add_bytes(out, value, len);
        return;
    }
    text_add_bytes(out, "\"", 1);
    for (const char *quote; (quote = strchr(value, '"')) != NULL; value = quote + 1) {
        text_add_bytes(out, value, (size_t)(quote - value) + 1);
        text_add_bytes(out, "\"", 1);
    }
    text_add_text(out, value);
    text_add_bytes(out, "\"", 1);
}

void csv_number(struct text *out, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    csv_field(out, isfinite(value) ? report_number(value, digits) : "");
}
