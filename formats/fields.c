#include "formats/fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const field_isas[] = {"sse2", "avx2", "avx512", "neon", "sve", "sme", NULL};
const char *const field_levels[] = {"L1", "L2", "L3", "L4", "DRAM", NULL};
static const char *const units[] = {"flop/s", "byte/s", NULL};

/* The one place where a table's offset becomes a pointer. */
static void *member(void *object, const struct field *f)
{
    return (char *)object + f->offset;
}

static void set_absent(const struct field *f, void *into)
{
    switch (f->kind) {
    case FIELD_OTHER:
        break;
    case FIELD_NUMBER:
        *(double *)member(into, f) = NAN;
        break;
    case FIELD_NUMBER_OR:
        *(double *)member(into, f) = f->absent;
        break;
    case FIELD_INT:
        *(int *)member(into, f) = (int)f->absent;
        break;
    case FIELD_LONG:
        *(long *)member(into, f) = (long)f->absent;
        break;
    case FIELD_BOOL:
        *(bool *)member(into, f) = false;
        break;
    case FIELD_TEXT:
    case FIELD_SOURCE:
    case FIELD_CHOICE:
    case FIELD_UNIT:
        *(const char **)member(into, f) = f->absent_text;
        break;
    }
}

static bool read_choice(const struct yml *node, const char *const *names, const char **out,
                        struct err *e)
{
    const int i = yml_choice(node, names, e);
    *out = i < 0 ? NULL : names[i];
    return i >= 0;
}

static bool read_unit(const struct yml *node, const char **out, struct err *e)
{
    struct err unused = {0};
    return yml_text(node, out, e) &&
           (read_choice(node, units, out, &unused) ||
            err_set(e, ERR_SCHEMA, node->loc,
                    "unit: '%.40s' is no unit here; write flop/s or byte/s, without a prefix",
                    node->text));
}

static bool read_value(const struct yml *node, const struct field *f, void *into, struct err *e)
{
    long integer = 0;
    switch (f->kind) {
    case FIELD_OTHER:
        return true;
    case FIELD_NUMBER:
    case FIELD_NUMBER_OR:
        return f->needed ? yml_number(node, f->min, f->max, member(into, f), e)
                         : yml_number_or_unknown(node, f->min, f->max, member(into, f), e);
    case FIELD_INT:
        if (!yml_integer(node, (long)f->min, (long)f->max, &integer, e)) {
            return false;
        }
        *(int *)member(into, f) = (int)integer;
        return true;
    case FIELD_LONG:
        return yml_integer(node, (long)f->min, (long)f->max, member(into, f), e);
    case FIELD_BOOL:
        return yml_bool(node, member(into, f), e);
    case FIELD_TEXT:
    case FIELD_SOURCE:
        return yml_text(node, member(into, f), e);
    case FIELD_CHOICE:
        return read_choice(node, f->names, member(into, f), e);
    case FIELD_UNIT:
        return read_unit(node, member(into, f), e);
    }
    return false;
}

bool fields_read(const struct yml *map, const struct field *fields, void *into, struct err *e)
{
    const char *known[FIELDS_MAX + 1] = {NULL};
    for (int i = 0; fields[i].key; i++) {
        assert(i < FIELDS_MAX);
        known[i] = fields[i].key;
        set_absent(&fields[i], into);
    }
    if (!yml_done(map, known, e)) {
        return false;
    }
    for (const struct field *f = fields; f->key; f++) {
        const struct yml *node = f->needed ? yml_need(map, f->key, e) : yml_find(map, f->key);
        if (node ? !read_value(node, f, into, e) : f->needed) {
            return false;
        }
    }
    return true;
}

static void write_number(struct yml_out *o, const struct field *f, double value)
{
    const bool absent = isnan(value) || (f->kind != FIELD_NUMBER && value == f->absent);
    if (!absent || f->needed || (f->say_unknown && isnan(value))) {
        yml_out_key(o, f->key);
        yml_out_number(o, value);
    }
}

static void write_text(struct yml_out *o, const struct field *f, const char *value)
{
    const bool absent = !value || (f->absent_text && strcmp(value, f->absent_text) == 0);
    if (value && *value && (!absent || f->needed || f->say_unknown)) {
        yml_out_key(o, f->key);
        yml_out_text(o, value);
    }
}

void fields_write(struct yml_out *o, const struct field *fields, const void *from)
{
    for (const struct field *f = fields; f->key; f++) {
        const void *value = (const char *)from + f->offset;
        switch (f->kind) {
        case FIELD_OTHER:
        case FIELD_SOURCE:
            break;
        case FIELD_NUMBER:
        case FIELD_NUMBER_OR:
            write_number(o, f, *(const double *)value);
            break;
        case FIELD_INT:
            write_number(o, f, *(const int *)value);
            break;
        case FIELD_LONG:
            write_number(o, f, (double)*(const long *)value);
            break;
        case FIELD_BOOL:
            if (*(const bool *)value || f->needed) {
                yml_out_key(o, f->key);
                yml_out_bool(o, *(const bool *)value);
            }
            break;
        case FIELD_TEXT:
        case FIELD_CHOICE:
        case FIELD_UNIT:
            write_text(o, f, *(const char *const *)value);
            break;
        }
    }
}

bool fields_format(const struct yml *root, const char *format, struct err *e)
{
    const char *text;
    const struct yml *node = yml_need(root, "format", e);
    if (!yml_text(node, &text, e)) {
        return false;
    }
    return strcmp(text, format) == 0 ||
           err_set(e, ERR_SCHEMA, node->loc, "format: '%.60s' is not read here; %s is needed", text,
                   format);
}

void *fields_list(const struct yml *list, struct field_list what, struct arena *a, int *n,
                  struct err *e)
{
    *n = 0;
    if (list && !yml_is(list, YML_LIST, e)) {
        return NULL;
    }
    char *array = arena_alloc(a, list ? (size_t)list->n_children : 0, what.size);
    for (const struct yml *item = list ? list->child : NULL; item; item = item->next) {
        if (!what.read(item, array + (size_t)*n * what.size, what.context, e)) {
            return NULL;
        }
        ++*n;
    }
    return array;
}

bool fields_text_item(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    return yml_text(node, item, e);
}
