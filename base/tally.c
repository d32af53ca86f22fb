#include "base/tally.h"

#include <string.h>

void tally_add(struct tally *t, const char *reason, const char *what)
{
    int k = 0;

    while (k < t->n_rows && strcmp(t->rows[k].reason, reason) != 0) {
        k++;
    }
    if (k == TALLY_REASONS_MAX) {
        t->rows[--k].reason = "other reasons";
    } else if (k == t->n_rows) {
        t->rows[t->n_rows++] = (struct tally_row){reason, what, 0};
    }
    t->rows[k].n++;
    t->n++;
}

void tally_write(const struct tally *t, struct text *out)
{
    for (int k = 0; k < t->n_rows; k++) {
        text_add(out, "%s%d %s ('%s'%s)", k ? ", " : "", t->rows[k].n, t->rows[k].reason,
                 t->rows[k].first, t->rows[k].n > 1 ? " first" : "");
    }
}
