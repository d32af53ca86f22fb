#include "compare/json.h"

#include "compare/report.h"

#include <math.h>

void json_text(struct text *out, const char *s)
{
    if (!s) {
        text_add(out, "null");
        return;
    }
    text_add(out, "\"");
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            text_add(out, "\\%c", c);
        } else if (c < ' ' || c == 0x7f) {
            text_add(out, "\\u%04x", c);
        } else {
            text_add_bytes(out, s, 1);
        }
    }
    text_add(out, "\"");
}

void json_key(struct text *out, const char *name)
{
    const char last = out->len ? out->data[out->len - 1] : '{';
    text_add(out, "%s\"%s\": ", last == '{' ? "" : ", ", name);
}

void json_number(struct text *out, const char *name, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    json_key(out, name);
    text_add(out, "%s", isfinite(value) ? report_number(value, digits) : "null");
}

void json_string(struct text *out, const char *name, const char *value)
{
    json_key(out, name);
    json_text(out, value);
}

void json_boolean(struct text *out, const char *name, bool value)
{
    json_key(out, name);
    text_add(out, "%s", value ? "true" : "false");
}

void json_strings(struct text *out, const char *name, const char *const *list, int n)
{
    json_key(out, name);
    text_add(out, "[");
    for (int i = 0; i < n; i++) {
        text_add(out, "%s", i ? ", " : "");
        json_text(out, list[i]);
    }
    text_add(out, "]");
}

/* Opens the next element of a list, one a line. */
void json_element(struct text *out, int i)
{
    text_add(out, "%s\n    {", i ? "," : "");
}
