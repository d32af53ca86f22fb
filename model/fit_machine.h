/* fit_machine.h - an inferred mapping as a machine file, with how it was made and how far to trust
 * it.
 *
 * Forms on which fits agree and whose blocks are explained as well as most come first and carry the
 * source of the group; after them come the forms that are less sure, each with its numbers as its
 * source.  The rest is said once, as provenance.
 */
#ifndef GAMBREL_MODEL_FIT_MACHINE_H
#define GAMBREL_MODEL_FIT_MACHINE_H

#include "formats/machine.h"
#include "model/fit.h"

struct fit_origin {
    const char *name;   /* of the machine */
    const char *isa;    /* "x86-64", "aarch64" */
    const char *blocks; /* what was measured, where: a file's name */
    uint64_t seed;
};

struct machine *fit_machine(const struct fit_data *d, const struct fit_result *r,
                            const struct fit_origin *from, struct arena *a);

/* "x86-64" or "aarch64", by the mnemonics that only one of them has; NULL: as many of either. */
const char *fit_isa(const struct fit_data *d);

#endif
