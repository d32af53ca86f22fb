/* check.h - what is wrong or odd in a machine file that reads well.
 *
 * An error makes a prediction wrong or a rule dead: a form that two entries match equally well, an
 * idiom, move or fusion that no form of the file is, a latency between operands that are not
 * there, caches that do not grow, a front end wider than all ports, load ports no load goes to.
 * A remark is something to know: a latency nobody gave, a port nothing goes to, a group
 * that is recalled, unchecked.
 *
 * The file is not changed, and nothing here fails: what cannot be checked is a finding too.
 */
#ifndef GAMBREL_MODEL_CHECK_H
#define GAMBREL_MODEL_CHECK_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/machine.h"

enum finding_level { FINDING_ERROR, FINDING_REMARK };

struct finding {
    enum finding_level level;
    struct loc loc;   /* of the entry; only the file where the entry has no place of its own */
    const char *text; /* what is wrong and what would be right; no newline */
};

struct findings {
    struct finding *list; /* errors and remarks, by line */
    size_t n, capacity;
    int n_errors;
};

/* Texts live in the arena. */
struct findings machine_check(const struct machine *m, struct arena *a);

#endif
