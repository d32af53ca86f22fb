#include "base/err.h"
#include "tests/tap.h"

static void places(void)
{
    static const struct {
        struct loc loc;
        const char *want;
    } cases[] = {
        {{"m.yaml", 3, 7}, "m.yaml:3:7: wrong"},
        {{"m.yaml", 3, 0}, "m.yaml:3: wrong"},
        {{"m.yaml", 0, 0}, "m.yaml: wrong"},
        {{NULL, 3, 7}, "3:7: wrong"},
        {{NULL, 0, 0}, "wrong"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        char line[512];
        err_set(&e, ERR_SCHEMA, cases[i].loc, "wrong");
        is_text(err_describe(&e, line, sizeof line), cases[i].want, cases[i].want);
    }
}

int main(void)
{
    struct err e = {0};
    ok(!err_set(&e, ERR_IO, LOC_NONE, "first %d", 1), "err_set is false");
    ok(!err_set(&e, ERR_RANGE, (struct loc){"f", 1, 1}, "second"), "err_set is false again");
    is_text(e.text, "first 1", "the first message wins");
    ok(e.code == ERR_IO && e.loc.line == 0, "with its code and place");

    struct err hostile = {0};
    err_set(&hostile, ERR_SCHEMA, LOC_NONE, "'%s'", "a\nb\033[2J\x7f");
    is_text(hostile.text, "'a?b?[2J?'", "control characters of an input do not reach the terminal");

    struct err cut = {0};
    char umlauts[600] = "";
    for (int i = 0; i < 200; i++) {
        strcat(umlauts, "ü");
    }
    err_set(&cut, ERR_SCHEMA, LOC_NONE, "%s", umlauts);
    ok(strlen(cut.text) == sizeof cut.text - 2, "a cut message ends before a half character");

    places();
    return tap_done();
}
