/* ports.h - the port bound: least cycles per iteration over all ways to spread uops over ports.
 *
 *     minimise T   subject to   sum over p in P(u) of x[u,p]  = n[u]   for each class u,  x >= 0
 *                               sum over u        of x[u,p] <= T       for each port p
 *                               slots / dispatch width      <= T
 *
 * By LP duality T = max(slots / width, max over port sets Q of mass(Q) / |Q|) where mass(Q) is the
 * uops that can go nowhere but Q; only connected unions of occurring port sets matter.  Occupancy of
 * an unpipelined unit is a class with a fractional count.  Sources: uops.info (Abel, Reineke, ASPLOS
 * 2019, section 5.3.2) for the LP; PALMED (Derumigny et al., CGO 2022) for the dual.
 *
 * Units: uops per iteration, cycles per iteration.
 */
#ifndef GAMBREL_MODEL_PORTS_H
#define GAMBREL_MODEL_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

#define PORTS_MAX 32

struct uop_class {
    uint32_t ports; /* never 0 */
    double count;   /* >= 0, finite */
};

struct ports_problem {
    struct uop_class *classes; /* port sets distinct */
    int n_classes;
    int n_ports;           /* 1 .. PORTS_MAX */
    double slots;          /* dispatch slots per iteration */
    double dispatch_width; /* NaN: no front-end row */
};

struct ports_bound {
    double cycles;       /* T */
    uint32_t bottleneck; /* the smallest port set that binds; 0: the front end binds */
    double mass;         /* uops confined to it */
    double front_end_cycles; /* slots / width; 0 where there is no row */
    double port_load[PORTS_MAX];   /* LP only: cycles of work per port in one optimal schedule */
    double port_price[PORTS_MAX];  /* LP only: fall of T per unit of capacity added to the port */
    double front_end_price;        /* LP only */
};

/* Both: ERR_RANGE for a class without ports, a port past n_ports, a negative or non-finite count.
 * ports_bound: the closed form, no allocation, microseconds.  ports_schedule: the LP. */
bool ports_bound(const struct ports_problem *p, struct ports_bound *out, struct err *e);
bool ports_schedule(const struct ports_problem *p, struct ports_bound *out, struct err *e);

#endif
