#include "formats/xml.h"
#include "tests/formats.h"

struct seen {
    int n, stop_at;
    char texts[512];
};

static bool take(const struct xml *element, void *context, struct err *e)
{
    struct seen *s = context;
    const char *name = xml_get(element, "name");
    size_t len = strlen(s->texts);
    len += (size_t)snprintf(s->texts + len, sizeof s->texts - len, "%s@%u:%u=%s<%s", name,
                            element->loc.line, element->loc.column, element->text,
                            element->parent ? element->parent->name : "");
    for (const struct xml *child = element->child; child; child = child->next) {
        len += (size_t)snprintf(s->texts + len, sizeof s->texts - len, " %s:%s", child->name,
                                child->text);
    }
    snprintf(s->texts + len, sizeof s->texts - len, ";");
    return ++s->n != s->stop_at || err_set(e, ERR_RANGE, element->loc, "enough");
}

static bool keep(const struct xml *element, void *context)
{
    (void)context;
    return strcmp(element->name, "no") != 0;
}

static const struct {
    const char *name, *input, *texts, *error;
    int stop_at;
} cases[] = {
    {"elements with their places", "<r>\n <i name='a'>x</i><i name='b'/>\n</r>",
     "a@2:2=x<r;b@2:19=<r;", NULL, 0},
    {"children are kept or not", "<r><i name='a'>1<no>2<i name='c'/></no><yes>3</yes>4</i></r>",
     "a@1:4=14<r yes:3;", NULL, 0},
    {"none inside of one", "<r><i name='a'><i name='b'>t</i></i></r>", "a@1:4=<r i:t;", NULL, 0},
    {"the root", "<i name='a'/>", "a@1:1=<;", NULL, 0},
    {"the five entities", "<i name='&lt;&amp;'>&gt;&#65;</i>", "<&@1:1=>A<;", NULL, 0},
    {"none at all", "<r/>", "", NULL, 0},
    {"stopped", "<r><i name='a'/><i name='b'/><i name='c'/></r>", "a@1:4=<r;b@1:17=<r;",
     "f:1:17: enough", 2},
    {"empty", "", "", "f:1:1: not XML: no element found", 0},
    {"cut off", "<r><i name='a'>", "", "f:1:16: not XML: no element found", 0},
    {"another entity", "<r>&x;</r>", "", "f:1:4: not XML: undefined entity", 0},
    {"a control character", "<r>\1</r>", "", "f:1:4: not XML: not well-formed (invalid token)", 0},
    {"two roots", "<r/><r/>", "", "f:1:5: not XML: junk after document element", 0},
    {"an attribute twice", "<r a='' a=''/>", "", "f:1:9: not XML: duplicate attribute", 0},
    {"a document type", "<!DOCTYPE r><r/>", "",
     "f:1:12: document types are not read; leave <!DOCTYPE> out", 0},
    {"too deep", "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/>", "",
     "f:1:49: nested deeper than 16 levels; no file needs that", 0},
};

static void check(size_t i)
{
    struct arena *a = test_arena();
    struct err e = {0};
    struct seen seen = {.stop_at = cases[i].stop_at};
    const struct xml_want want = {"i", take, keep, &seen};
    size_t n;
    char line[512];
    const struct bytes input = {cases[i].input, strlen(cases[i].input)};
    const bool read = xml_each(input, "f", &want, a, &n, &e);
    ok(read == !cases[i].error && (int)n == seen.n, "%s", cases[i].name);
    is_text(seen.texts, cases[i].texts, cases[i].name);
    if (cases[i].error) {
        is_text(err_describe(&e, line, sizeof line), cases[i].error, cases[i].name);
    }
    arena_release(a);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(i);
    }
    return tap_done();
}
