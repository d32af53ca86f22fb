/* resources.h - the conjunctive bound: t(K) = max over resources r of sum over forms i of K_i rho[i,r].
 *
 * Every form uses every resource it names (PALMED, CGO 2022, section III).  A port mapping converts
 * exactly: each connected union Q of occurring port sets is a resource with rho[i,Q] = (uops of i
 * confined to Q) / |Q|, and the front end is one with rho = slots / width.
 */
#ifndef GAMBREL_MODEL_RESOURCES_H
#define GAMBREL_MODEL_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* rho[form * n_resources + resource] >= 0, cycles per instruction. */
struct resource_map {
    int n_forms, n_resources;
    double *rho;
    uint32_t *port_sets; /* [n_resources] the port set each stands for; 0: front end; NULL: inferred */
};

struct resource_bound {
    double cycles;
    int binds; /* resource; -1 for an empty block */
};

/* counts[n_forms] >= 0.  No allocation, no failure. */
struct resource_bound resources_bound(const struct resource_map *m, const double *counts);

/* Forms as lists of uop classes.  Dominated resources (never the only maximum) are dropped.
 * ERR_RANGE: as ports_bound, or more than RESOURCES_MAX unions. */
#define RESOURCES_MAX 4096
struct form_uops {
    const struct uop_class *classes;
    int n_classes;
    double slots;
};
bool resources_from_ports(const struct form_uops *forms, int n_forms, int n_ports,
                          double dispatch_width, struct arena *a, struct resource_map *out,
                          struct err *e);

#endif
