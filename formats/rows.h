/* rows.h - the rows of a CSV file, one after the other: any size in the memory of one row.
 *
 * Fields with commas, quotes or line ends are quoted as in RFC 4180; lines end in LF, CR or both;
 * empty lines are no rows; a byte order mark is skipped.  Every field has its place.
 */
#ifndef GAMBREL_FORMATS_ROWS_H
#define GAMBREL_FORMATS_ROWS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define ROWS_FIELDS_MAX 64 /* of one row */

struct rows;

struct rows_field {
    const char *text; /* NUL-terminated; until the next row is read */
    size_t len;
    struct loc loc; /* where its text begins */
};

/* "-" is standard input.  ERR_IO. */
struct rows *rows_open(const char *path, struct arena *a, struct err *e);
/* The fields of one more row in *fields; returns how many there are, 0 at the end (e untouched) or
 * on error: ERR_SYNTAX, ERR_RANGE for what no such file holds, ERR_IO. */
int rows_next(struct rows *r, const struct rows_field **fields, struct err *e);
void rows_close(struct rows *r);

#endif
