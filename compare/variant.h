/* variant.h - what the parts of what-if share: copies of all that a change may alter. */
#ifndef GAMBREL_COMPARE_VARIANT_H
#define GAMBREL_COMPARE_VARIANT_H

#include "compare/whatif.h"
#include "formats/machine_fields.h"

/* What is being changed: copies of the machine, the kernel and the evidence. */
struct variant {
    struct arena *arena;
    struct machine machine;
    struct kernel kernel;
    struct evidence evidence;
    struct subject subject;
    const struct evidence *base;
    double chains_times; /* as many chains as there were */
};

/* What --set calls the clock of one core and that of all. */
extern const char *const whatif_clock_keys[2];
/* The field of struct machine that a key of `core` fills. */
const struct field *whatif_core_field(const char *key);

void variant_change_core(struct variant *v, const struct change *c);
/* Every form of the loop that the change's pattern stands for.  ERR_RANGE: there is none. */
bool variant_change_forms(struct variant *v, const struct change *c, struct err *e);
/* ERR_RANGE: no room for one more. */
bool variant_add_port(struct variant *v, int port, struct err *e);

#endif
