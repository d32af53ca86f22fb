/* predictions.h - what some tool says that blocks take: a CSV file with a header line.
 *
 * The columns understood are `cycles`, or `cycles_per_block` as model --blocks prints it (one of
 * the two is needed; empty where the tool has no number), and `name`; in a file with
 * cycles_per_block, `block` is the name.  Other columns are passed over.
 *
 * Units: cycles per block.
 */
#ifndef GAMBREL_FORMATS_PREDICTIONS_H
#define GAMBREL_FORMATS_PREDICTIONS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct prediction {
    const char *name; /* NULL: the file has no such column */
    double cycles;    /* > 0; NaN: none */
    struct loc loc;   /* of the cycles */
};

struct predictions {
    struct prediction *rows; /* in order of the file */
    size_t n;
    bool named;
};

/* ERR_SYNTAX, ERR_SCHEMA, ERR_RANGE with the place: no such file; ERR_IO. */
bool predictions_read(const char *path, struct arena *a, struct predictions *out, struct err *e);

#endif
