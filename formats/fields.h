/* fields.h - the keys of a YAML map as a table: one row says a key's type, range, place in a struct
 * and what its absence means; reading, refusing and writing all follow from it.
 */
#ifndef GAMBREL_FORMATS_FIELDS_H
#define GAMBREL_FORMATS_FIELDS_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/yml.h"

#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_OTHER,     /* known here, read and written by its owner                 */
    FIELD_NUMBER,    /* double, min to max, NaN where absent or `unknown`         */
    FIELD_NUMBER_OR, /* the same, `absent` where absent                        */
    FIELD_INT,       /* int, min to max                                           */
    FIELD_LONG,      /* long, min to max                                          */
    FIELD_BOOL,      /* bool                                                      */
    FIELD_TEXT,      /* const char *, not empty                                   */
    FIELD_SOURCE,    /* the same, but written by the owner, who knows the group's   */
    FIELD_CHOICE,    /* const char *, one of `names`                              */
    FIELD_UNIT,      /* const char *, flop/s or byte/s                            */
};

struct field {
    const char *key;
    enum field_kind kind;
    bool needed;
    bool say_unknown; /* what is unknown is written as `unknown` rather than left out */
    size_t offset;
    double min, max;
    double absent;           /* what a number is where the key is left out, and never written */
    const char *absent_text; /* the same of a text; may be NULL */
    const char *const *names;
};

#define FIELDS_MAX 48 /* rows of a table, without the one that ends it: key NULL */

/* ISA variants and levels that a rate can be given for. */
extern const char *const field_isas[];
extern const char *const field_levels[];

/* Fills the fields of `into`; unknown keys, missing ones and bad values are refused. */
bool fields_read(const struct yml *map, const struct field *fields, void *into, struct err *e);
/* The inverse; an empty or absent value is left out.  FIELD_OTHER rows are the caller's. */
void fields_write(struct yml_out *o, const struct field *fields, const void *from);

/* The root must be a map whose `format` is this one. */
bool fields_format(const struct yml *root, const char *format, struct err *e);

/* A list's items as an array of elements of `size` bytes, each zeroed, then read by `read`.  NULL
 * on failure only: a list that is absent (NULL) gives an empty array. */
typedef bool field_item(const struct yml *node, void *item, void *context, struct err *e);
struct field_list {
    size_t size;
    field_item *read;
    void *context;
};
void *fields_list(const struct yml *list, struct field_list what, struct arena *a, int *n,
                  struct err *e);
/* A field_item for a list of texts: item is const char **. */
bool fields_text_item(const struct yml *node, void *item, void *context, struct err *e);

#endif
