#include "base/utf8.h"
#include "formats/yml.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

struct yml_out {
    yaml_emitter_t emitter;
    struct text text;
    int depth;
    bool is_map[YML_DEPTH_MAX];
    bool infinite; /* a number was */
};

static int append(void *out, unsigned char *bytes, size_t len)
{
    text_add_bytes(&((struct yml_out *)out)->text, (const char *)bytes, len);
    return 1;
}

static void out_release(void *object)
{
    yaml_emitter_delete(&((struct yml_out *)object)->emitter); /* zeroes are fine */
}

/* The emitter remembers a failure until the end: everything after it is ignored. */
static void emit(struct yml_out *o, yaml_event_t *event, int made)
{
    if (!made) {
        o->emitter.error = YAML_MEMORY_ERROR;
    } else if (o->emitter.error != YAML_NO_ERROR) {
        yaml_event_delete(event);
    } else {
        yaml_emitter_emit(&o->emitter, event); /* takes the event */
    }
}

struct yml_out *yml_out_open(struct arena *a)
{
    struct yml_out *o = arena_new(a, struct yml_out, 1);
    arena_on_release(a, out_release, o);
    o->text.arena = a;
    if (!yaml_emitter_initialize(&o->emitter)) {
        o->emitter.error = YAML_MEMORY_ERROR;
        return o;
    }
    yaml_emitter_set_output(&o->emitter, append, o);
    yaml_emitter_set_unicode(&o->emitter, 1);
    yaml_emitter_set_width(&o->emitter, -1); /* a form or a sentence stays on one line */
    yaml_event_t event;
    emit(o, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(o, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    return o;
}

static void open_out(struct yml_out *o, bool is_map)
{
    assert(o->depth < YML_DEPTH_MAX);
    o->is_map[o->depth++] = is_map;
}

void yml_out_map(struct yml_out *o, bool flow)
{
    yaml_event_t event;
    const yaml_mapping_style_t style = flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
    emit(o, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style));
    open_out(o, true);
}

void yml_out_list(struct yml_out *o, bool flow)
{
    yaml_event_t event;
    const yaml_sequence_style_t style = flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    emit(o, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style));
    open_out(o, false);
}

void yml_out_end(struct yml_out *o)
{
    assert(o->depth > 0);
    yaml_event_t event;
    emit(o, &event,
         o->is_map[--o->depth] ? yaml_mapping_end_event_initialize(&event)
                               : yaml_sequence_end_event_initialize(&event));
}

static void emit_scalar(struct yml_out *o, const char *text, size_t len, yaml_scalar_style_t style)
{
    yaml_event_t event;
    emit(o, &event,
         yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)len, 1, 1,
                                      style));
}

/* Characters that must not stand in a file as they are. */
static bool needs_escape(uint32_t c)
{
    return c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
           c == 0xfeff || c == 0xfffe || c == 0xffff;
}

const char *yml_quoted(struct arena *a, const char *text)
{
    struct text out = {.arena = a};
    const size_t len = strlen(text);
    text_add(&out, "\"");
    for (size_t i = 0, n; i < len; i += n) {
        uint32_t c;
        n = utf8_decode(text + i, len - i, &c);
        if (n == 0) {
            text_add(&out, "?"); /* the system's texts may be in any encoding */
            n = 1;
        } else if (needs_escape(c)) {
            text_add(&out, "\\u%04x", (unsigned)c);
        } else {
            text_add(&out, c == '"' || c == '\\' ? "\\%.*s" : "%.*s", (int)n, text + i);
        }
    }
    text_add(&out, "\"");
    return out.data;
}

/* Quoted where a reader, ours or another, would take the text for a number, a truth or nothing;
 * escaped where it holds what must not stand in a file as it is. */
static yaml_scalar_style_t style_for(const char *text, size_t len)
{
    static const char *const words[] = {"true",  "false", "yes",  "no", "on",   "off",
                                        "y",     "n",     "null", "~",  ".nan", ".inf",
                                        "-.inf", "+.inf", "<<",   NULL};
    for (size_t i = 0; i < len;) {
        uint32_t c = 0;
        i += utf8_decode(text + i, len - i, &c);
        if (needs_escape(c)) {
            return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
        }
    }
    double value;
    /* Other readers know octal, sexagesimal, dates and underscores. */
    bool mistakable =
        text_parse_number(text, len, &value) ||
        (*text >= '0' && *text <= '9' && strspn(text, "0123456789abcdefABCDEFxo_.:+-TZ ") == len);
    for (const char *const *w = words; *w; w++) {
        mistakable |= strcasecmp(*w, text) == 0;
    }
    return mistakable || len == 0 ? YAML_SINGLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE;
}

void yml_out_text(struct yml_out *o, const char *text)
{
    const size_t len = strlen(text);
    char *copy = arena_copy(o->text.arena, text, len);
    for (size_t i = 0, n; i < len; i += n) {
        uint32_t c;
        n = utf8_decode(copy + i, len - i, &c);
        if (n == 0) {
            copy[i] = '?'; /* the system's texts may be in any encoding */
            n = 1;
        }
    }
    emit_scalar(o, copy, len, style_for(copy, len));
}

void yml_out_key(struct yml_out *o, const char *key)
{
    yml_out_text(o, key);
}

void yml_out_number(struct yml_out *o, double value)
{
    char number[TEXT_NUMBER_SIZE];
    o->infinite |= isinf(value) != 0;
    text_number(value, number);
    emit_scalar(o, number, strlen(number), YAML_PLAIN_SCALAR_STYLE);
}

void yml_out_bool(struct yml_out *o, bool value)
{
    emit_scalar(o, value ? "true" : "false", value ? 4 : 5, YAML_PLAIN_SCALAR_STYLE);
}

bool yml_out_close(struct yml_out *o, struct bytes *out, struct err *e)
{
    assert(o->depth == 0);
    yaml_event_t event;
    emit(o, &event, yaml_document_end_event_initialize(&event, 1));
    emit(o, &event, yaml_stream_end_event_initialize(&event));
    bool done = true;
    if (o->emitter.error != YAML_NO_ERROR) {
        done = err_set(e, ERR_IO, LOC_NONE, "cannot write YAML: %s",
                       o->emitter.problem ? o->emitter.problem : "out of memory");
    } else if (o->infinite) {
        done = err_set(e, ERR_RANGE, LOC_NONE, "an infinite number cannot be written");
    } else if (o->text.len > FILE_BYTES_MAX) {
        done = err_set(e, ERR_IO, LOC_NONE, "larger than %zu MiB, the most that is read back",
                       FILE_BYTES_MAX >> 20);
    } else {
        *out = (struct bytes){o->text.data, o->text.len};
    }
    out_release(o);
    return done;
}
