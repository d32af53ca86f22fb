/* Fields of a line stay fields, whatever is in them. */
#include "compare/csv.h"
#include "tests/formats.h"

static const struct {
    const char *fields[3];
    const char *line;
} cases[] = {
    {{"a", "b", "c"}, "a,b,c"},
    {{"", "b", "c"}, "\"\",b,c"},
    {{"", "", ""}, "\"\",,"},
    {{"a", "", ""}, "a,,"},
    {{"a,b", "say \"x\"", "two\nlines"}, "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\""},
    {{"\n", "\r", "\""}, "\"\n\",\"\r\",\"\"\"\""},
};

int main(void)
{
    struct arena *a = test_arena();
    struct text all = {.arena = a};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t start = all.len;
        for (int k = 0; k < 3; k++) {
            csv_field(&all, cases[i].fields[k]);
        }
        is_text(all.data + start, cases[i].line, "three fields");
        text_add_text(&all, "\n");
    }
    struct text number = {.arena = a};
    csv_number(&number, (double)NAN);
    csv_number(&number, 2.5);
    is_text(number.data, "\"\",2.5", "a line that begins with what is not known");
    arena_release(a);
    return tap_done();
}
