/* xml.h - XML in, element by element: the one door to expat.
 *
 * For large files of many alike elements: each element of one name is handed out as a tree once it
 * has ended, with its ancestors above it.  Refused, with the place: what is not well-formed,
 * document types (and with them every entity but the five of XML itself), nesting deeper than
 * XML_DEPTH_MAX.
 */
#ifndef GAMBREL_FORMATS_XML_H
#define GAMBREL_FORMATS_XML_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>
#include <stddef.h>

#define XML_DEPTH_MAX 16
#define XML_BYTES_MAX ((size_t)512 << 20)

struct xml_attribute {
    const char *name, *value;
};

struct xml {
    const char *name;
    const struct xml_attribute *attributes; /* ends with a NULL name */
    const char *text;                       /* its own, without its children's; never NULL */
    struct loc loc;                         /* of '<' */
    const struct xml *parent;               /* NULL: the root */
    const struct xml *child, *next;         /* first child; sibling */
};

struct xml_want {
    const char *element; /* that are handed out; not those inside of one */
    /* False stops the reading, with *e set. */
    bool (*take)(const struct xml *element, void *context, struct err *e);
    /* Whether an element inside of one is kept, with all it holds; NULL: all are. */
    bool (*keep)(const struct xml *element, void *context);
    void *context;
};

/* *n: how many were handed out.  ERR_SYNTAX with the place. */
bool xml_each(struct bytes input, const char *file, const struct xml_want *want, struct arena *a,
              size_t *n, struct err *e);

/* The attribute's value, or NULL. */
const char *xml_get(const struct xml *element, const char *name);

#endif
