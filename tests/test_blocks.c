#include "formats/blocks.h"
#include "tests/formats.h"

static void texts(struct arena *a)
{
    static const struct {
        const char *text;
        int n;
        const char *first;
        double count;
        const char *error;
    } cases[] = {
        {"2 addss xmm, xmm; 1 bsr r64, r64", 2, "addss xmm, xmm", 2, NULL},
        {"nop", 1, "nop", 1, NULL},
        {"nop; nop ;3 nop", 1, "nop", 5, NULL},
        {"  0.5   add r64, imm ;; ", 1, "add r64, imm", 0.5, NULL},
        {"", 0, NULL, 0, "f:2:3: an empty block; write as in '2 addss xmm, xmm; 1 bsr r64, r64'"},
        {" ; ", 0, NULL, 0,
         "f:2:3: an empty block; write as in '2 addss xmm, xmm; 1 bsr r64, r64'"},
        {"nop; 2", 0, NULL, 0,
         "f:2:8: a count without a form; write as in '2 addss xmm, xmm; 1 bsr r64, r64'"},
        {"0 nop", 0, NULL, 0, "f:2:3: a count is more than 0, at most 1e+06, not 0"},
        {"nop; -1 nop", 0, NULL, 0, "f:2:8: a count is more than 0, at most 1e+06, not -1"},
        {"9.2e18 nop", 0, NULL, 0, "f:2:3: a count is more than 0, at most 1e+06, not 9.2e18"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        struct block b;
        char line[512];
        const bool good = block_parse(cases[i].text, (struct loc){"f", 2, 3}, a, &b, &e);
        if (cases[i].error) {
            ok(!good, "'%s' is refused", cases[i].text);
            is_text(err_describe(&e, line, sizeof line), cases[i].error, cases[i].error);
        } else if (test_fine(&e, cases[i].text)) {
            ok(good && b.n_forms == cases[i].n && b.forms[0].count == cases[i].count &&
                   strcmp(b.forms[0].form, cases[i].first) == 0 && isnan(b.cycles) && b.weight == 1,
               "'%s' is %d forms", cases[i].text, cases[i].n);
        }
    }
}

static void whole(struct arena *a)
{
    struct err e = {0};
    struct block b;
    struct block_reader *r = blocks_open("tests/corpus/blocks/whole.csv", a, &e);
    if (!test_fine(&e, "a file with all columns is opened")) {
        return;
    }
    ok(blocks_next(r, a, &b, &e) && b.n_forms == 2 && b.cycles == 2 && b.weight == 1, "first row");
    is_text(b.name, "first", "its name");
    ok(b.loc.line == 2 && b.loc.column == 2, "its place");
    ok(blocks_next(r, a, &b, &e) && b.n_forms == 1 && b.forms[0].count == 2 && b.weight == 2.5,
       "second row");
    is_text(b.name, "the \"second\"", "quotes inside quotes");
    ok(blocks_next(r, a, &b, &e) && b.loc.line == 5 && b.cycles == 0.25, "an empty line is no row");
    is_text(b.name, "", "an empty name");
    ok(!blocks_next(r, a, &b, &e) && !blocks_next(r, a, &b, &e), "the end, twice");
    test_fine(&e, "is no error");
    blocks_close(r);
    blocks_close(NULL);
}

static void other_line_ends(struct arena *a)
{
    struct err e = {0};
    struct block b;
    struct block_reader *r = blocks_open("tests/corpus/blocks/crlf.csv", a, &e);
    if (!test_fine(&e, "a file with other columns and line ends is opened")) {
        return;
    }
    ok(blocks_next(r, a, &b, &e) && isnan(b.cycles) && !b.name, "no cycles, no name");
    is_text(b.forms[0].form, "_abs_((REG:W:F:VEC)).2d,_((REG:R:F:VEC)).2d", "a form as written");
    ok(blocks_next(r, a, &b, &e) && strcmp(b.forms[0].form, "nop") == 0 && b.loc.line == 3,
       "a last line without an end");
    ok(!blocks_next(r, a, &b, &e), "the end");
    test_fine(&e, "is no error");
    blocks_close(r);
}

static void byte_order_mark(struct arena *a)
{
    struct err e = {0};
    struct block b;
    struct block_reader *r = blocks_open("tests/corpus/blocks/bom.csv", a, &e);
    ok(r && blocks_next(r, a, &b, &e) && b.loc.line == 2, "a byte order mark is skipped");
    blocks_close(r);
}

static void missing(struct arena *a)
{
    struct err e = {0};
    ok(!blocks_open("no/such.csv", a, &e) && e.code == ERR_IO, "a missing file is ERR_IO");
    e = (struct err){0};
    ok(!blocks_open("tests", a, &e) && e.code == ERR_IO, "a folder is ERR_IO");
}

int main(void)
{
    struct arena *a = test_arena();
    texts(a);
    whole(a);
    other_line_ends(a);
    byte_order_mark(a);
    missing(a);
    arena_release(a);
    return tap_done();
}
