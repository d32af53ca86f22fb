#include "formats/yml.h"
#include "tests/tap.h"

#include <setjmp.h>
#include <stdlib.h>

static void no_memory(void *context)
{
    longjmp(*(jmp_buf *)context, 1);
}

static struct bytes bytes(const char *text)
{
    return (struct bytes){text, strlen(text)};
}

static void tree(struct arena *a)
{
    struct err e = {0};
    const struct yml *root =
        yml_read(bytes("# comment\nname: zen5\nlist:\n  - 1\n  - {a: 'b', c: }\n"
                       "\"quoted key\": >\n  two\n  lines\n"),
                 "f", a, &e);
    ok(root && root->kind == YML_MAP && root->n_children == 3, "a map of three keys");
    const struct yml *name = yml_find(root, "name");
    ok(name && name->loc.line == 2 && name->loc.column == 7 && name->key_loc.column == 1,
       "a value knows its place and its key's");
    const struct yml *list = yml_find(root, "list");
    ok(list && list->kind == YML_LIST && list->n_children == 2 && !list->child->key, "a list");
    const struct yml *map = list->child->next;
    ok(map->loc.line == 5 && map->loc.column == 5 && yml_find(map, "a")->quoted &&
           yml_find(map, "c")->len == 0,
       "a map in it, a quoted text, nothing");
    is_text(yml_find(root, "quoted key")->text, "two lines\n", "folded text");
    ok(!yml_find(root, "absent") && !yml_find(list, "name") && e.code == ERR_NONE,
       "what is not there is NULL and no error");
    ok(yml_read(bytes("\xef\xbb\xbf"
                      "a: 1"),
                "f", a, &e) != NULL,
       "a byte order mark is fine");
}

/* One line of error for each kind of input that is refused as a whole. */
static void refusals(struct arena *a)
{
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"", "f:1:1: the file is empty; keys and values are needed"},
        {"# only this\n", "f:1:1: the file is empty; keys and values are needed"},
        {"a: 1\nb: 2\na: 3\n", "f:3:1: key 'a' given twice; first on line 1"},
        {"x: {a: 1, b: {a: 1, a: 2}}", "f:1:21: key 'a' given twice; first on line 1"},
        {"a: &x 1\n",
         "f:1:4: anchors (&name) are not read; write the value out where it is needed"},
        {"&a [*a]\n",
         "f:1:1: anchors (&name) are not read; write the value out where it is needed"},
        {"a: *x\n", "f:1:4: aliases (*name) are not read; write the value out"},
        {"a: !!str 1\n", "f:1:4: tags (!name) are not read; leave the tag out"},
        {"!mine {a: 1}\n", "f:1:1: tags (!name) are not read; leave the tag out"},
        {"a:\n  <<: {b: 1}\n", "f:2:3: merge keys (<<) are not read; write the keys out"},
        {"a: 1\n---\nb: 2\n", "f:2:1: a second document; one file holds one document"},
        {"a: 1\n...\nb: 2\n", "f:3:1: not YAML: did not find expected <document start>"},
        {"? [a]\n: 1\n", "f:1:3: a key must be text, not a list or a map"},
        {"'': 1\n", "f:1:1: a key is needed before ':'"},
        {"a: \"x\\0y\"\n", "f:1:4: \\0 inside a text; leave it out"},
        {"a: [1, 2\n",
         "f:2:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence that "
         "begins on line 1"},
        {"a: 1\n  b: 2\n", "f:2:4: not YAML: mapping values are not allowed in this context"},
        {"a:\n\t- 1\n", "f:2:1: a tab cannot indent YAML; use spaces"},
        {"a: \xff\n", "f:1:4: byte 0xff is not UTF-8; a text file is needed"},
        {"\xff\xfe"
         "a",
         "f:1:1: byte 0xff is not UTF-8; a text file is needed"},
        {"ü: \xc3\n", "f:1:4: byte 0xc3 is not UTF-8; a text file is needed"},
        {"a: \xed\xa0\x80\n", "f:1:4: byte 0xed is not UTF-8; a text file is needed"},
        {"a: \xc0\x80\n", "f:1:4: byte 0xc0 is not UTF-8; a text file is needed"},
        {"a: 1\nb: \x1b[2J\n", "f:2:4: control character 0x1b in what should be a text file"},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
         "f:1:17: nested deeper than 16 levels; no file needs that"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        char line[512];
        ok(!yml_read(bytes(cases[i].input), "f", a, &e), "refused");
        is_text(err_describe(&e, line, sizeof line), cases[i].want, cases[i].want);
    }
    struct err e = {0};
    ok(!yml_read((struct bytes){"a: \0", 4}, "f", a, &e) && e.loc.line == 1 && e.loc.column == 4,
       "a NUL byte has a place");
    is_text(e.text, "NUL byte 0x00 in what should be a text file", "and a name");
    struct err large = {0};
    ok(!yml_read((struct bytes){"", FILE_BYTES_MAX + 1}, "f", a, &large) && large.loc.line == 1,
       "more than 64 MiB are refused before they are looked at");
}

/* Deep nesting, many keys and long lines end in time. */
static void sizes(struct arena *a)
{
    struct err e = {0};
    struct text t = {.arena = a};
    for (int i = 0; i < 200000; i++) {
        text_add(&t, "key%d: %d\n", i, i);
    }
    const struct yml *root = yml_read((struct bytes){t.data, t.len}, "f", a, &e);
    ok(root && root->n_children == 200000, "200000 keys are read");
    text_add(&t, "key7: 1\n");
    ok(!yml_read((struct bytes){t.data, t.len}, "f", a, &e) && e.loc.line == 200001,
       "and one of them doubled is found");
    struct text deep = {.arena = a};
    for (int i = 0; i < 1000000; i++) {
        text_add_bytes(&deep, "[", 1);
    }
    e = (struct err){0};
    ok(!yml_read((struct bytes){deep.data, deep.len}, "f", a, &e) && e.loc.column == 17,
       "a million brackets are refused at the seventeenth");
}

enum wish { NUMBER, NUMBER_OR_UNKNOWN, INTEGER, BOOL, CHOICE, TEXT, MAP, LIST };

static bool grant(enum wish wish, const struct yml *node, double *out, struct err *e)
{
    static const char *const names[] = {"read", "write", NULL};
    const char *text;
    long integer = 0;
    bool truth = false, good = false;
    switch (wish) {
    case NUMBER:
        return yml_number(node, 0, 1e12, out, e);
    case NUMBER_OR_UNKNOWN:
        return yml_number_or_unknown(node, 0, 1e12, out, e);
    case INTEGER:
        good = yml_integer(node, -5, 5000000, &integer, e);
        *out = (double)integer;
        return good;
    case BOOL:
        good = yml_bool(node, &truth, e);
        *out = truth;
        return good;
    case CHOICE:
        *out = yml_choice(node, names, e);
        return *out >= 0;
    case TEXT:
        return yml_text(node, &text, e);
    case MAP:
        return yml_is(node, YML_MAP, e);
    default:
        return yml_is(node, YML_LIST, e);
    }
}

static void wishes(struct arena *a)
{
    static const struct {
        const char *value;
        enum wish wish;
        double want;
        const char *error;
    } cases[] = {
        {"4.2e9", NUMBER, 4.2e9, NULL},
        {"unknown", NUMBER_OR_UNKNOWN, NAN, NULL},
        {"7", NUMBER_OR_UNKNOWN, 7, NULL},
        {"-5", INTEGER, -5, NULL},
        {"5e6", INTEGER, 5000000, NULL},
        {"0x41", INTEGER, 65, NULL},
        {"0xd4f", INTEGER, 3407, NULL},
        {"0xffffff", INTEGER, 0, "f:1:4: k: 0xffffff is out of range; -5 to 5e+06 is possible"},
        {"0x4g", INTEGER, 0,
         "f:1:4: k: '0x4g' is not a number; write a decimal such as 4.2e9, without unit or quotes"},
        {"true", BOOL, 1, NULL},
        {"false", BOOL, 0, NULL},
        {"write", CHOICE, 1, NULL},
        {"'1'", TEXT, 0, NULL},
        {"3.4 GHz", NUMBER, 0,
         "f:1:4: k: '3.4 GHz' is not a number; write a decimal such as 4.2e9, without unit or "
         "quotes"},
        {"'3'", NUMBER, 0,
         "f:1:4: k: quoted '3' is not a number; write a decimal such as 4.2e9, without unit or "
         "quotes"},
        {".nan", NUMBER_OR_UNKNOWN, 0,
         "f:1:4: k: '.nan' is not a number; write a decimal such as 4.2e9, without unit or "
         "quotes, or unknown"},
        {"'unknown'", NUMBER_OR_UNKNOWN, 0,
         "f:1:4: k: quoted 'unknown' is not a number; write a decimal such as 4.2e9, without unit "
         "or quotes, or unknown"},
        {"1e13", NUMBER, 0, "f:1:4: k: 1e13 is out of range; 0 to 1e+12 is possible"},
        {"-1", NUMBER, 0, "f:1:4: k: -1 is out of range; 0 to 1e+12 is possible"},
        {"2.5", INTEGER, 0, "f:1:4: k: 2.5 is not a whole number"},
        {"yes", BOOL, 0, "f:1:4: k: 'yes' is neither true nor false"},
        {"'true'", BOOL, 0, "f:1:4: k: 'true' is neither true nor false"},
        {"reed", CHOICE, 0, "f:1:4: k: 'reed' is not one of read, write"},
        {"''", TEXT, 0, "f:1:4: k: a text is needed, not nothing"},
        {"[1]", NUMBER, 0, "f:1:4: k: a single value is needed here, not a list"},
        {"{a: 1}", TEXT, 0, "f:1:4: k: a single value is needed here, not a map"},
        {"1", MAP, 0, "f:1:4: k: a map is needed here, not a single value"},
        {"{a: 1}", LIST, 0, "f:1:4: k: a list is needed here, not a map"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        char line[512];
        const char *input = arena_format(a, "k: %s", cases[i].value);
        double got = 0;
        const bool good =
            grant(cases[i].wish, yml_find(yml_read(bytes(input), "f", a, &e), "k"), &got, &e);
        if (!cases[i].error) {
            ok(good && (got == cases[i].want || (isnan(got) && isnan(cases[i].want))), "%s", input);
        } else {
            ok(!good, "%s is refused", input);
            is_text(err_describe(&e, line, sizeof line), cases[i].error, cases[i].error);
        }
    }
}

static void keys(struct arena *a)
{
    static const char *const known[] = {"name", "clock_hz", NULL};
    static char many[40][8];
    const char *list[41] = {NULL};
    for (int i = 0; i < 40; i++) {
        snprintf(many[i], sizeof many[i], "key%02d", i);
        list[i] = many[i];
    }
    struct err e = {0};
    char line[512];
    const struct yml *map = yml_read(bytes("name: x\nclok_hz: 1\n"), "f", a, &e);
    ok(yml_done(yml_read(bytes("name: x"), "f", a, &e), known, &e), "known keys are fine");
    ok(!yml_done(map, known, &e), "an unknown key is not");
    is_text(err_describe(&e, line, sizeof line),
            "f:2:1: unknown key 'clok_hz'; did you mean 'clock_hz'? known here: name, clock_hz",
            "place, name, what is right");
    e = (struct err){0};
    ok(!yml_done(map, list, &e) && strcmp(e.text + strlen(e.text) - 5, ", ...") == 0,
       "a long list of known keys is cut");
    e = (struct err){0};
    ok(yml_need(map, "name", &e) && !yml_need(map, "isa", &e), "a missing key");
    is_text(err_describe(&e, line, sizeof line), "f:1:1: key 'isa' is missing", "place and name");
    e = (struct err){0};
    double number;
    ok(!yml_number(yml_need(map, "isa", &e), 0, 1, &number, &e), "wishes chain after a miss");
    is_text(e.text, "key 'isa' is missing", "and keep the first error");
}

static void writing(struct arena *a)
{
    struct err e = {0};
    struct bytes out;
    struct yml_out *o = yml_out_open(a);
    yml_out_map(o, false);
    yml_out_key(o, "name");
    yml_out_text(o, "zen5 server");
    yml_out_key(o, "seconds");
    yml_out_list(o, true);
    yml_out_number(o, 0.1);
    yml_out_number(o, NAN);
    yml_out_number(o, 4.2e9);
    yml_out_end(o);
    yml_out_key(o, "version");
    yml_out_text(o, "1.0");
    yml_out_key(o, "quick");
    yml_out_bool(o, false);
    yml_out_key(o, "match");
    yml_out_map(o, true);
    yml_out_end(o);
    yml_out_end(o);
    ok(yml_out_close(o, &out, &e), "a map is written");
    is_text(out.data,
            "name: zen5 server\nseconds: [0.1, unknown, 4.2e+09]\nversion: '1.0'\nquick: false\n"
            "match: {}\n",
            "as a person would");

    o = yml_out_open(a);
    yml_out_list(o, true);
    yml_out_number(o, INFINITY);
    yml_out_end(o);
    ok(!yml_out_close(o, &out, &e) && e.code == ERR_RANGE, "an infinite number is refused");
}

/* Whatever text is written is read back as the same text. */
static const char *const text_cases[] = {
    "plain",
    "",
    " ",
    "a: b",
    "- a",
    "# no comment",
    "'",
    "\"",
    "it's",
    "a #b",
    "[x",
    "{",
    "}",
    "vmovups zmm, m512",
    "&a",
    "*a",
    "!t",
    "%d",
    "@",
    "`",
    "|",
    ">",
    "?",
    ": ",
    "~",
    "null",
    "yes",
    "true",
    "1e9",
    "0x10",
    "012",
    "-",
    "--- x",
    "...",
    "two\nlines",
    "tab\there",
    "trailing ",
    " leading",
    ("two  spaces in  a rather long text that an emitter would have to "
     "fold somewhere  because it is longer than one hundred characters"),
    "a\n\nb\n",
    "\n",
    "\r",
    "\033[2J",
    "\x7f",
    "ümlaut µs",
    "\xc2\x85",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "\xf0\x9f\x98\x80",
    "<<",
    "unknown",
    "a,b",
    "key?",
    "\\",
    "\\n",
    "a\\",
};

static void texts(struct arena *a)
{
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        struct err e = {0};
        struct bytes out = {0};
        struct yml_out *o = yml_out_open(a);
        yml_out_map(o, false);
        yml_out_key(o, "k");
        yml_out_text(o, text_cases[i]);
        yml_out_key(o, "l");
        yml_out_list(o, true);
        yml_out_text(o, text_cases[i]);
        yml_out_end(o);
        yml_out_end(o);
        const bool good = yml_out_close(o, &out, &e);
        const struct yml *root = good ? yml_read(out, "f", a, &e) : NULL;
        const char *line = arena_format(a, "{k: %s}\n", yml_quoted(a, text_cases[i]));
        const struct yml *by_hand = yml_read(bytes(line), "f", a, &e);
        ok(by_hand && strcmp(yml_find(by_hand, "k")->text, text_cases[i]) == 0,
           "text %zu reads back from quotes", i);
        ok(root && strcmp(yml_find(root, "k")->text, text_cases[i]) == 0 &&
               strcmp(yml_find(root, "l")->child->text, text_cases[i]) == 0,
           "text %zu reads back", i);
        if (!root) {
            printf("# %s\n", e.text);
        }
    }
    struct err e = {0};
    struct bytes out = {0};
    struct yml_out *o = yml_out_open(a);
    yml_out_text(o, "latin-1 \xfc here");
    ok(yml_out_close(o, &out, &e) && yml_read(out, "f", a, &e), "bytes of another encoding");
    is_text(yml_quoted(a, "latin-1 \xfc"), "\"latin-1 ?\"", "in quotes too");
    is_text(yml_read(out, "f", a, &e)->text, "latin-1 ? here", "are marked, not passed on");
}

/* Files of other programs: tags are noted and passed over, JSON's \\u0000 is kept; the rest is
 * refused as ever. */
static void foreign(struct arena *a)
{
    struct err e = {0};
    struct yml_foreign tags = {0}, json = {.language = "JSON"};
    const struct yml *root = yml_read_foreign(
        bytes("a: !!python/tuple [1, 2]\nb: !x {c: !!str d}\n"), "f", &tags, a, &e);
    ok(root && root->child->n_children == 2 && tags.n_tags == 3, "tagged values are read");
    ok(tags.n_tags == 3 && tags.tags[1].loc.line == 2 && tags.tags[1].loc.column == 4,
       "and their places noted");
    is_text(tags.n_tags ? tags.tags[0].tag : NULL, "tag:yaml.org,2002:python/tuple", "in full");
    root =
        yml_read_foreign(bytes("{\"a\":[\"x\\u0000y\", 1.5e3, null, \"\\/\"]}"), "f", &json, a, &e);
    ok(root && root->child->child->len == 3 && memcmp(root->child->child->text, "x\0y", 3) == 0,
       "a NUL inside a text of JSON is kept");
    ok(root && root->child->child->loc.column == 7, "and every node has its place");
    ok(!yml_read_foreign(bytes("{\"a\": [1"), "f", &json, a, &e), "cut-off JSON is refused");
    ok(strncmp(e.text, "not JSON: ", 10) == 0, "as JSON");
    e = (struct err){0};
    ok(!yml_read_foreign(bytes("a: &x 1\nb: *x\n"), "f", &tags, a, &e), "anchors are refused");
    e = (struct err){0};
    ok(!yml_read_foreign(bytes("\"a\\0\": 1\n"), "f", &tags, a, &e), "so is a NUL in a key");
}

int main(void)
{
    jmp_buf out;
    struct arena *a = arena_create((size_t)1 << 28, no_memory, &out);
    if (setjmp(out) != 0) {
        ok(false, "256 MiB suffice for this test");
        return tap_done();
    }
    tree(a);
    refusals(a);
    sizes(a);
    wishes(a);
    keys(a);
    writing(a);
    texts(a);
    foreign(a);
    arena_release(a);
    return tap_done();
}
