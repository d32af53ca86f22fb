/* hits.h - how often the blocks of one binary were hit, out of a profile. */
#ifndef GAMBREL_CLI_HITS_H
#define GAMBREL_CLI_HITS_H

#include "code/object.h"
#include "formats/profile.h"

struct hits {
    struct hit {
        uint64_t address;
        double count;
    } * list; /* by address */
    size_t n, capacity;
    /* whose sum is the time of a block; else executions, whose maximum is the block's */
    bool samples;
};

struct hits_of {
    const struct profile *profile;
    const char *name; /* base name of the binary */
    bool several;     /* there are other binaries, too */
    struct bytes input;
    const char *path;
    const struct object *sections; /* by object_sections */
};

/* ERR_RANGE: a count without a file where there are several, or of a symbol that is not in the
 * binary. */
bool hits_find(const struct hits_of *of, struct arena *a, struct hits *out, struct err *e);

/* Of the instructions in [from, to).  *taken grows by what they count. */
double hits_in(const struct hits *h, uint64_t from, uint64_t to, double *taken);

#endif
