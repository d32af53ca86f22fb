/* foreign.h - wishes of the readers of foreign trees (formats/yml.h) that a machine file of ours
 * never has. */
#ifndef GAMBREL_IMPORT_FOREIGN_H
#define GAMBREL_IMPORT_FOREIGN_H

#include "formats/yml.h"

/* Not there, or ~ or null. */
bool foreign_is_null(const struct yml *node);
/* The text of a child that is a scalar and not null, or NULL. */
const char *foreign_text(const struct yml *map, const char *key);
/* The number of a child in [min, max]; NaN where there is none, it is null, or no such number. */
double foreign_number(const struct yml *map, const char *key, double min, double max);
/* A list or map that must be there. */
const struct yml *foreign_need(const struct yml *map, const char *key, enum yml_kind kind,
                               struct err *e);

#endif
