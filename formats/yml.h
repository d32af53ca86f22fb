/* yml.h - YAML in and out: the one door to libyaml.
 *
 * Input is read by events into a tree in which every node knows its line and column.  Refused, with
 * the place: doubled keys, aliases and anchors, tags, merge keys, several documents, an empty file,
 * nesting deeper than YML_DEPTH_MAX, bytes that are not UTF-8.  Every scalar is text until a caller
 * asks for a number; a wish that is not met is an err with the place of the node.
 *
 * A reader of a map asks for its keys with the functions below, then calls yml_done, which refuses
 * the keys nobody asked for and lists those that would have been right.
 */
#ifndef GAMBREL_FORMATS_YML_H
#define GAMBREL_FORMATS_YML_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define YML_DEPTH_MAX 16

enum yml_kind { YML_SCALAR, YML_LIST, YML_MAP };

struct yml {
    enum yml_kind kind;
    struct loc loc, end; /* end: of a list or map, where a cut-off file stops */
    const char *text;    /* YML_SCALAR */
    size_t len;
    bool quoted;     /* "1" and '1' are text, never numbers */
    const char *key; /* inside a map: the key of this child */
    struct loc key_loc;
    const struct yml *child; /* first of a list or map */
    const struct yml *next;  /* sibling */
    int n_children;
};

const struct yml *yml_read(struct bytes input, const char *file, struct arena *a, struct err *e);

/* What was put up with in a file that another program wrote. */
struct yml_tag {
    struct loc loc;
    const char *tag;
};
struct yml_foreign {
    const char *language; /* for messages: "JSON"; NULL: YAML */
    struct yml_tag *tags; /* passed over: !!python/tuple [1, 2] is read as [1, 2] */
    size_t n_tags, capacity;
};

/* The same for the files of other programs, also for JSON, all of which is YAML but for texts with
 * UTF-16 escapes: tags are noted and passed over, and a text may hold \0 (`len` counts it). */
const struct yml *yml_read_foreign(struct bytes input, const char *file,
                                   struct yml_foreign *foreign, struct arena *a, struct err *e);

/* The child with this key, or NULL (no error). */
const struct yml *yml_find(const struct yml *map, const char *key);
/* The same, but ERR_SCHEMA at the map if it is missing. */
const struct yml *yml_need(const struct yml *map, const char *key, struct err *e);
/* ERR_SCHEMA, at the key, for any key that is not among the NULL-terminated `known`. */
bool yml_done(const struct yml *map, const char *const *known, struct err *e);

/* All wishes below take NULL for a node that a yml_need before did not find: false, e as it is. */
bool yml_is(const struct yml *node, enum yml_kind kind, struct err *e);
bool yml_text(const struct yml *node, const char **out, struct err *e); /* not empty */
bool yml_number(const struct yml *node, double min, double max, double *out, struct err *e);
/* Also 0x41. */
bool yml_integer(const struct yml *node, long min, long max, long *out, struct err *e);
bool yml_bool(const struct yml *node, bool *out, struct err *e); /* true, false */
/* Index into the NULL-terminated list of names, or -1 and an err that lists them. */
int yml_choice(const struct yml *node, const char *const *names, struct err *e);

/* As above for a value that may be unknown: the scalar `unknown` gives NaN. */
bool yml_number_or_unknown(const struct yml *node, double min, double max, double *out,
                           struct err *e);

/* A text in double quotes, for the few lines of YAML that are written with comments, so by hand. */
const char *yml_quoted(struct arena *a, const char *text);

/* --- writing ------------------------------------------------------------------------------------
 * A thin cover over libyaml's emitter.  Calls mirror the tree; what is emitted always parses. */
struct yml_out;

struct yml_out *yml_out_open(struct arena *a);
void yml_out_map(struct yml_out *o, bool flow);
void yml_out_list(struct yml_out *o, bool flow);
void yml_out_end(struct yml_out *o); /* closes the innermost map or list */
void yml_out_key(struct yml_out *o, const char *key);
void yml_out_text(struct yml_out *o, const char *text); /* quoted where a reader could mistake it */
void yml_out_number(struct yml_out *o, double value);   /* NaN: unknown */
void yml_out_bool(struct yml_out *o, bool value);
/* Ends the document and releases the emitter; the bytes live in the arena.  ERR_IO: too large. */
bool yml_out_close(struct yml_out *o, struct bytes *out, struct err *e);

#endif
