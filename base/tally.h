/* tally.h - how many of something there are for each reason, and which was the first. */
#ifndef GAMBREL_BASE_TALLY_H
#define GAMBREL_BASE_TALLY_H

#include "base/text.h"

#define TALLY_REASONS_MAX 32 /* further ones are counted together */

struct tally {
    struct tally_row {
        const char *reason, *first; /* borrowed */
        int n;
    } rows[TALLY_REASONS_MAX];
    int n_rows, n;
};

void tally_add(struct tally *t, const char *reason, const char *what);

/* "3 bad address ('x' first), 1 does not end ('y')"; nothing where there are none. */
void tally_write(const struct tally *t, struct text *out);

#endif
