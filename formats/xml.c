#include "formats/xml.h"

#include "base/text.h"

#include <expat.h>
#include <string.h>

struct reader {
    XML_Parser parser;
    const char *file;
    const struct xml_want *want;
    struct arena *arena;
    struct err *err;
    size_t n;
    int depth;    /* of all open elements */
    int wanted;   /* depth of the wanted element that is open; 0: none */
    int skipped;  /* depth of an element that is not kept; 0: none */
    bool stopped; /* the library may still call after it was told to stop */
    struct level {
        struct xml *node;
        const struct xml **end; /* where its next child is hooked in */
        struct text text;
    } stack[XML_DEPTH_MAX + 1]; /* [1] is the root */
};

static void reader_release(void *object)
{
    struct reader *r = object;
    XML_ParserFree(r->parser); /* NULL is fine */
    r->parser = NULL;
}

static struct loc place(const struct reader *r)
{
    return (struct loc){r->file, (unsigned)XML_GetCurrentLineNumber(r->parser),
                        (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(struct reader *r)
{
    r->stopped = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static const struct xml_attribute *copy_attributes(struct arena *a, const char **pairs)
{
    size_t n = 0;
    while (pairs[2 * n]) {
        n++;
    }
    struct xml_attribute *list = arena_new(a, struct xml_attribute, n + 1);
    for (size_t i = 0; i < n; i++) {
        list[i] = (struct xml_attribute){arena_copy(a, pairs[2 * i], strlen(pairs[2 * i])),
                                         arena_copy(a, pairs[2 * i + 1], strlen(pairs[2 * i + 1]))};
    }
    return list;
}

static void begin(void *context, const char *name, const char **attributes)
{
    struct reader *r = context;
    r->depth++;
    if (r->skipped || r->stopped) {
        return;
    }
    if (r->depth > XML_DEPTH_MAX) {
        err_set(r->err, ERR_SYNTAX, place(r), "nested deeper than %d levels; no file needs that",
                XML_DEPTH_MAX);
        stop(r);
        return;
    }
    struct xml *node = arena_new(r->arena, struct xml, 1);
    node->name = arena_copy(r->arena, name, strlen(name));
    node->attributes = copy_attributes(r->arena, attributes);
    node->text = "";
    node->loc = place(r);
    struct level *above = &r->stack[r->depth - 1];
    node->parent = r->depth > 1 ? above->node : NULL;
    const bool inside = r->wanted != 0;
    if (inside && r->want->keep && !r->want->keep(node, r->want->context)) {
        r->skipped = r->depth;
        return;
    }
    if (inside) {
        *above->end = node;
        above->end = &node->next;
    } else if (strcmp(name, r->want->element) == 0) {
        r->wanted = r->depth;
    }
    r->stack[r->depth] = (struct level){.node = node, .end = &node->child};
    r->stack[r->depth].text.arena = r->arena;
}

static void finish(void *context, const char *name)
{
    struct reader *r = context;
    (void)name;
    const int depth = r->depth--;
    if (r->stopped) {
        return;
    }
    if (r->skipped) {
        r->skipped = depth == r->skipped ? 0 : r->skipped;
        return;
    }
    struct level *l = &r->stack[depth];
    l->node->text = l->text.data ? l->text.data : "";
    if (depth != r->wanted) {
        return;
    }
    r->wanted = 0;
    r->n++;
    if (!r->want->take(l->node, r->want->context, r->err)) {
        stop(r);
    }
}

static void characters(void *context, const char *text, int len)
{
    struct reader *r = context;
    if (r->wanted && !r->skipped && !r->stopped) {
        text_add_bytes(&r->stack[r->depth].text, text, (size_t)len);
    }
}

static void refuse_doctype(void *context, const char *name, const char *system, const char *public,
                           int internal)
{
    struct reader *r = context;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    err_set(r->err, ERR_SYNTAX, place(r), "document types are not read; leave <!DOCTYPE> out");
    stop(r);
}

static bool parse(struct reader *r, struct bytes input)
{
    const size_t most = (size_t)1 << 24; /* what the library counts in int */
    for (size_t at = 0;;) {
        const size_t len = input.len - at < most ? input.len - at : most;
        const bool last = at + len == input.len;
        if (XML_Parse(r->parser, len ? input.data + at : "", (int)len, last) != XML_STATUS_OK) {
            return err_set(r->err, ERR_SYNTAX, place(r), "not XML: %s",
                           XML_ErrorString(XML_GetErrorCode(r->parser)));
        }
        at += len;
        if (last) {
            return true;
        }
    }
}

bool xml_each(struct bytes input, const char *file, const struct xml_want *want, struct arena *a,
              size_t *n, struct err *e)
{
    struct reader *r = arena_new(a, struct reader, 1);
    r->file = file;
    r->want = want;
    r->arena = a;
    r->err = e;
    *n = 0;
    arena_on_release(a, reader_release, r);
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser) {
        return err_set(e, ERR_IO, (struct loc){.file = file}, "out of memory while reading");
    }
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin, finish);
    XML_SetCharacterDataHandler(r->parser, characters);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    const bool done = parse(r, input);
    *n = r->n;
    reader_release(r);
    return done;
}

const char *xml_get(const struct xml *element, const char *name)
{
    for (const struct xml_attribute *a = element->attributes; a->name; a++) {
        if (strcmp(a->name, name) == 0) {
            return a->value;
        }
    }
    return NULL;
}
