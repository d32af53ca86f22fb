#include "formats/yml.h"

#include "base/names.h"
#include "base/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* What one document is made of while it is read. */
struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the one in hand */
    const char *file;
    struct arena *arena;
    struct err *err;
    struct names keys;           /* scope: the map */
    struct yml_foreign *foreign; /* NULL: ours, so nothing is put up with */
    struct yml *root;
    int n_documents;
    int depth;
    struct level {
        struct yml *node;
        const struct yml **end; /* where the next child is hooked in */
        const char *key;        /* map: waiting for its value */
        struct loc key_loc;
    } stack[YML_DEPTH_MAX];
};

static void reader_release(void *object)
{
    struct reader *r = object;
    yaml_event_delete(&r->event); /* both leave zeroes behind and accept them */
    yaml_parser_delete(&r->parser);
}

static struct loc place(const struct reader *r, yaml_mark_t mark)
{
    return (struct loc){r->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* --- bytes --------------------------------------------------------------------------------------
 */

/* YAML 1.1, section 5.1; the byte order mark only as the first character. */
static bool is_allowed(uint32_t c, bool first)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7f) || c == 0x85 ||
           (c >= 0xa0 && c < 0xfffe && (c != 0xfeff || first)) || c >= 0x10000;
}

/* libyaml reports unreadable bytes without a line; a first pass of our own does. */
static bool check_bytes(struct bytes input, const char *file, struct err *e)
{
    struct loc loc = {file, 1, 1};
    if (input.len > FILE_BYTES_MAX) {
        return err_set(e, ERR_SYNTAX, loc, "%zu MiB are too much; at most %zu MiB are read",
                       input.len >> 20, FILE_BYTES_MAX >> 20);
    }
    for (size_t i = 0; i < input.len;) {
        uint32_t c = 0;
        const size_t n = utf8_decode(input.data + i, input.len - i, &c);
        if (n == 0) {
            return err_set(e, ERR_SYNTAX, loc, "byte 0x%02x is not UTF-8; a text file is needed",
                           (unsigned char)input.data[i]);
        }
        if (!is_allowed(c, i == 0)) {
            return err_set(e, ERR_SYNTAX, loc, "%s 0x%02x in what should be a text file",
                           c == 0 ? "NUL byte" : "control character", c);
        }
        i += n;
        loc.column = c == '\n' ? 1 : loc.column + 1;
        loc.line += c == '\n';
    }
    return true;
}

/* --- events to tree -----------------------------------------------------------------------------
 */

static bool refuse(struct reader *r, const char *what)
{
    return err_set(r->err, ERR_SYNTAX, place(r, r->event.start_mark), "%s", what);
}

static void note_tag(struct reader *r, const char *tag)
{
    struct yml_foreign *f = r->foreign;
    f->tags = arena_grow(r->arena, f->tags, f->n_tags, &f->capacity, sizeof *f->tags);
    f->tags[f->n_tags++] =
        (struct yml_tag){place(r, r->event.start_mark), arena_copy(r->arena, tag, strlen(tag))};
}

static bool no_decoration(struct reader *r, const void *anchor, const void *tag)
{
    if (anchor) {
        return refuse(r, "anchors (&name) are not read; write the value out where it is needed");
    }
    if (tag && r->foreign) {
        note_tag(r, tag);
        return true;
    }
    return !tag || refuse(r, "tags (!name) are not read; leave the tag out");
}

/* Hooks a node into the innermost open list or map, or makes it the root. */
static void attach(struct reader *r, struct yml *node)
{
    if (r->depth == 0) {
        r->root = node;
        return;
    }
    struct level *l = &r->stack[r->depth - 1];
    node->key = l->key;
    node->key_loc = l->key_loc;
    l->key = NULL;
    l->node->n_children++;
    *l->end = node;
    l->end = &node->next;
}

static bool expects_key(const struct reader *r)
{
    const struct level *l = r->depth > 0 ? &r->stack[r->depth - 1] : NULL;
    return l && l->node->kind == YML_MAP && !l->key;
}

static bool read_key(struct reader *r, const char *text, bool quoted)
{
    struct level *l = &r->stack[r->depth - 1];
    l->key_loc = place(r, r->event.start_mark);
    if (!quoted && strcmp(text, "<<") == 0) {
        return refuse(r, "merge keys (<<) are not read; write the keys out");
    }
    if (*text == '\0') {
        return refuse(r, "a key is needed before ':'");
    }
    struct loc *here = arena_new(r->arena, struct loc, 1);
    *here = l->key_loc;
    l->key = text;
    const struct loc *before = names_add(&r->keys, l->node, text, here);
    return !before || err_set(r->err, ERR_SCHEMA, *here,
                              "key '%.80s' given twice; first on line %u", text, before->line);
}

static bool read_scalar(struct reader *r)
{
    const char *value = (const char *)r->event.data.scalar.value;
    const size_t len = r->event.data.scalar.length;
    if (!no_decoration(r, r->event.data.scalar.anchor, r->event.data.scalar.tag)) {
        return false;
    }
    if (memchr(value, '\0', len) && (!r->foreign || expects_key(r))) {
        return refuse(r, "\\0 inside a text; leave it out");
    }
    const char *text = arena_copy(r->arena, value, len);
    const bool quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (expects_key(r)) {
        return read_key(r, text, quoted);
    }
    struct yml *node = arena_new(r->arena, struct yml, 1);
    node->kind = YML_SCALAR;
    node->loc = place(r, r->event.start_mark);
    node->text = text;
    node->len = len;
    node->quoted = quoted;
    attach(r, node);
    return true;
}

static bool open_collection(struct reader *r, enum yml_kind kind, const void *anchor,
                            const void *tag)
{
    if (!no_decoration(r, anchor, tag)) {
        return false;
    }
    if (expects_key(r)) {
        return refuse(r, "a key must be text, not a list or a map");
    }
    if (r->depth == YML_DEPTH_MAX) {
        return err_set(r->err, ERR_SYNTAX, place(r, r->event.start_mark),
                       "nested deeper than %d levels; no file needs that", YML_DEPTH_MAX);
    }
    struct yml *node = arena_new(r->arena, struct yml, 1);
    node->kind = kind;
    node->loc = place(r, r->event.start_mark);
    attach(r, node);
    r->stack[r->depth++] = (struct level){.node = node, .end = &node->child};
    return true;
}

static bool read_event(struct reader *r)
{
    const yaml_event_t *event = &r->event;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++r->n_documents == 1 || refuse(r, "a second document; one file holds one document");
    case YAML_ALIAS_EVENT:
        return refuse(r, "aliases (*name) are not read; write the value out");
    case YAML_SCALAR_EVENT:
        return read_scalar(r);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(r, YML_LIST, event->data.sequence_start.anchor,
                               event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_collection(r, YML_MAP, event->data.mapping_start.anchor,
                               event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->stack[--r->depth].node->end = place(r, event->end_mark);
        return true;
    default:
        return true;
    }
}

static bool syntax_error(const struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        return err_set(r->err, ERR_IO, (struct loc){.file = r->file},
                       "out of memory while reading");
    }
    if (p->error == YAML_SCANNER_ERROR && *p->buffer.pointer == '\t') {
        return err_set(r->err, ERR_SYNTAX, place(r, p->problem_mark),
                       "a tab cannot indent YAML; use spaces");
    }
    char since[40] = "";
    if (p->context && p->context_mark.line != p->problem_mark.line) {
        snprintf(since, sizeof since, " that begins on line %zu", p->context_mark.line + 1);
    }
    const char *language = r->foreign && r->foreign->language ? r->foreign->language : "YAML";
    return err_set(r->err, ERR_SYNTAX, place(r, p->problem_mark), "not %s: %s%s%s%s", language,
                   p->problem ? p->problem : "unreadable", p->context ? " " : "",
                   p->context ? p->context : "", since);
}

static bool read_events(struct reader *r)
{
    bool more = true;
    while (more) {
        if (!yaml_parser_parse(&r->parser, &r->event)) {
            return syntax_error(r);
        }
        more = r->event.type != YAML_STREAM_END_EVENT;
        if (!read_event(r)) {
            return false;
        }
        yaml_event_delete(&r->event);
    }
    return r->root || err_set(r->err, ERR_SYNTAX, (struct loc){r->file, 1, 1},
                              "the file is empty; keys and values are needed");
}

static const struct yml *read_tree(struct bytes input, const char *file,
                                   struct yml_foreign *foreign, struct arena *a, struct err *e)
{
    if (!check_bytes(input, file, e)) {
        return NULL;
    }
    struct reader *r = arena_new(a, struct reader, 1);
    r->file = file;
    r->foreign = foreign;
    r->arena = r->keys.arena = a;
    r->err = e;
    arena_on_release(a, reader_release, r);
    if (!yaml_parser_initialize(&r->parser)) {
        syntax_error(r);
        return NULL;
    }
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)input.data, input.len);
    const bool done = read_events(r);
    reader_release(r);
    return done ? r->root : NULL;
}

const struct yml *yml_read(struct bytes input, const char *file, struct arena *a, struct err *e)
{
    return read_tree(input, file, NULL, a, e);
}

const struct yml *yml_read_foreign(struct bytes input, const char *file,
                                   struct yml_foreign *foreign, struct arena *a, struct err *e)
{
    return read_tree(input, file, foreign, a, e);
}

/* --- wishes -------------------------------------------------------------------------------------
 */

static const char *const kind_names[] = {
    [YML_SCALAR] = "a single value", [YML_LIST] = "a list", [YML_MAP] = "a map"};

/* "clock_hz: " in front of a message, or nothing for a list's item and the root. */
static const char *key_of(const struct yml *node)
{
    return node->key ? node->key : "";
}

static const char *colon_of(const struct yml *node)
{
    return node->key ? ": " : "";
}

const struct yml *yml_find(const struct yml *map, const char *key)
{
    for (const struct yml *child = map->kind == YML_MAP ? map->child : NULL; child;
         child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

const struct yml *yml_need(const struct yml *map, const char *key, struct err *e)
{
    if (!yml_is(map, YML_MAP, e)) {
        return NULL;
    }
    const struct yml *child = yml_find(map, key);
    if (!child) {
        err_set(e, ERR_SCHEMA, map->loc, "%.80s%skey '%s' is missing", key_of(map), colon_of(map),
                key);
    }
    return child;
}

static bool unknown_key(const struct yml *child, const char *const *known, struct err *e)
{
    char list[160];
    const char *nearest = text_nearest(known, child->key);
    return err_set(e, ERR_SCHEMA, child->key_loc, "unknown key '%.30s'; %s%s%sknown here: %s",
                   child->key, nearest ? "did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'? " : "", text_join(known, list, sizeof list));
}

bool yml_done(const struct yml *map, const char *const *known, struct err *e)
{
    if (!yml_is(map, YML_MAP, e)) {
        return false;
    }
    for (const struct yml *child = map->child; child; child = child->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, child->key) != 0) {
            k++;
        }
        if (!*k) {
            return unknown_key(child, known, e);
        }
    }
    return true;
}

bool yml_is(const struct yml *node, enum yml_kind kind, struct err *e)
{
    if (!node) {
        return false;
    }
    return node->kind == kind ||
           err_set(e, ERR_SCHEMA, node->loc, "%.80s%s%s is needed here, not %s", key_of(node),
                   colon_of(node), kind_names[kind], kind_names[node->kind]);
}

bool yml_text(const struct yml *node, const char **out, struct err *e)
{
    if (!yml_is(node, YML_SCALAR, e)) {
        return false;
    }
    if (node->len == 0) {
        return err_set(e, ERR_SCHEMA, node->loc, "%.80s%sa text is needed, not nothing",
                       key_of(node), colon_of(node));
    }
    *out = node->text;
    return true;
}

static bool in_range(const struct yml *node, double value, double min, double max, struct err *e)
{
    char low[TEXT_NUMBER_SIZE], high[TEXT_NUMBER_SIZE];
    return (value >= min && value <= max) ||
           err_set(e, ERR_RANGE, node->loc, "%.80s%s%.40s is out of range; %s to %s is possible",
                   key_of(node), colon_of(node), node->text, text_number(min, low),
                   text_number(max, high));
}

/* `or` says what else would do. */
static bool number(const struct yml *node, double min, double max, const char * or, double *out,
                   struct err *e)
{
    if (!yml_is(node, YML_SCALAR, e)) {
        return false;
    }
    double value;
    if (node->quoted || !text_parse_number(node->text, node->len, &value)) {
        return err_set(e, ERR_SCHEMA, node->loc,
                       "%.80s%s%s'%.40s' is not a number; write a decimal such as 4.2e9, without "
                       "unit or quotes%s",
                       key_of(node), colon_of(node), node->quoted ? "quoted " : "", node->text, or);
    }
    if (!in_range(node, value, min, max, e)) {
        return false;
    }
    *out = value;
    return true;
}

bool yml_number(const struct yml *node, double min, double max, double *out, struct err *e)
{
    return number(node, min, max, "", out, e);
}

bool yml_number_or_unknown(const struct yml *node, double min, double max, double *out,
                           struct err *e)
{
    if (node && node->kind == YML_SCALAR && !node->quoted && strcmp(node->text, "unknown") == 0) {
        *out = NAN;
        return true;
    }
    return number(node, min, max, ", or unknown", out, e);
}

/* "0x41": how processor numbers are written in manuals. */
static bool is_hexadecimal(const struct yml *node)
{
    return node && node->kind == YML_SCALAR && !node->quoted && node->len > 2 && node->len <= 12 &&
           strncmp(node->text, "0x", 2) == 0 &&
           strspn(node->text + 2, "0123456789abcdefABCDEF") == node->len - 2;
}

bool yml_integer(const struct yml *node, long min, long max, long *out, struct err *e)
{
    double value = 0;
    if (is_hexadecimal(node)) {
        value = strtod(node->text, NULL); /* exact, hence no decimal point in any locale */
        if (!in_range(node, value, (double)min, (double)max, e)) {
            return false;
        }
    } else if (!yml_number(node, (double)min, (double)max, &value, e)) {
        return false;
    }
    if (value != floor(value) || fabs(value) > 0x1p53) {
        return err_set(e, ERR_SCHEMA, node->loc, "%.80s%s%.40s is not a whole number", key_of(node),
                       colon_of(node), node->text);
    }
    *out = (long)value;
    return true;
}

bool yml_bool(const struct yml *node, bool *out, struct err *e)
{
    if (!yml_is(node, YML_SCALAR, e)) {
        return false;
    }
    const bool yes = strcmp(node->text, "true") == 0;
    if (node->quoted || (!yes && strcmp(node->text, "false") != 0)) {
        return err_set(e, ERR_SCHEMA, node->loc, "%.80s%s'%.40s' is neither true nor false",
                       key_of(node), colon_of(node), node->text);
    }
    *out = yes;
    return true;
}

int yml_choice(const struct yml *node, const char *const *names, struct err *e)
{
    if (!yml_is(node, YML_SCALAR, e)) {
        return -1;
    }
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], node->text) == 0) {
            return i;
        }
    }
    char list[120];
    text_join(names, list, sizeof list);
    err_set(e, ERR_SCHEMA, node->loc, "%.80s%s'%.40s' is not one of %s", key_of(node),
            colon_of(node), node->text, list);
    return -1;
}
