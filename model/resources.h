/* resources.h - the conjunctive bound: t(K) = max over resources r of sum over forms i of K_i
 * rho[i,r].
 *
 * Every form uses every resource it names (PALMED, CGO 2022, section III).  A port mapping converts
 * exactly: each connected union Q of occurring port sets is a resource with rho[i,Q] = (uops of i
 * confined to Q) / |Q|, and the front end is one with rho = slots / width.
 */
#ifndef GAMBREL_MODEL_RESOURCES_H
#define GAMBREL_MODEL_RESOURCES_H

#include "base/arena.h"
#include "base/err.h"
#include "model/ports.h"

#include <stdbool.h>
#include <stdint.h>

/* rho[form * n_resources + resource] >= 0, cycles per instruction. */
struct resource_map {
    int n_forms, n_resources;
    double *rho;
    uint32_t
        *port_sets; /* [n_resources] the port set each stands for; 0: front end; NULL: inferred */
};

struct resource_bound {
    double cycles;
    int binds; /* resource; -1 for an empty block */
};

/* counts[n_forms] >= 0; n_resources <= RESOURCES_MAX.  No allocation, no failure. */
#define RESOURCES_MAX 4096
struct resource_bound resources_bound(const struct resource_map *m, const double *counts);

/* Takes a resource out, in place; maps without port sets only. */
void resources_drop(struct resource_map *m, int dropped);

/* One form as a list of uop classes. */
struct form_uops {
    const struct uop_class *classes;
    int n_classes;
    double slots;
};

struct port_mapping {
    const struct form_uops *forms;
    int n_forms, n_ports;
    double dispatch_width; /* NaN: no front end */
};

/* Resources that never are the only maximum are dropped: those that another one covers, and, while
 * no more than RESOURCES_EXACT_MAX are left, those that a weighted mean of others covers (an LP
 * each). ERR_RANGE: as ports_check, or more than RESOURCES_MAX unions. */
#define RESOURCES_EXACT_MAX 256
bool resources_from_ports(const struct port_mapping *from, struct arena *a,
                          struct resource_map *out, struct err *e);

#endif
