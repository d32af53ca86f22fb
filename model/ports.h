/* ports.h - the port bound: least cycles per iteration over all ways to spread uops over ports.
 *
 *     minimise T   subject to   sum over p in P(u) of x[u,p]  = n[u]   for each class u,  x >= 0
 *                               sum over u        of x[u,p] <= T       for each port p
 *                               slots / dispatch width      <= T
 *
 * By LP duality T = max(slots / width, max over port sets Q of mass(Q) / |Q|) where mass(Q) is the
 * uops that can go nowhere but Q; only connected unions of occurring port sets matter.  Occupancy
 * of an unpipelined unit is a class with a fractional count.  Sources: uops.info (Abel, Reineke,
 * ASPLOS 2019, section 5.3.2) for the LP; PALMED (Derumigny et al., CGO 2022) for the dual.
 *
 * Units: uops per iteration, cycles per iteration.
 */
#ifndef GAMBREL_MODEL_PORTS_H
#define GAMBREL_MODEL_PORTS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define PORTS_MAX 32

/* Two bounds this near, relatively, are one: a tie, told apart by rounding alone. */
#define PORTS_TIE 1e-12

struct uop_class {
    uint32_t ports; /* never 0 */
    double count;   /* >= 0, finite */
};

struct ports_problem {
    const struct uop_class *classes;
    int n_classes;
    int n_ports;           /* 0 .. PORTS_MAX */
    double slots;          /* dispatch slots per iteration */
    double dispatch_width; /* NaN: no front-end row */
};

struct ports_bound {
    double cycles;           /* T */
    uint32_t bottleneck;     /* a port set that binds, see below; 0: the front end binds alone */
    double mass;             /* uops confined to it */
    double front_end_cycles; /* slots / width; 0 where there is no row */
    double port_load[PORTS_MAX];  /* LP only: cycles of work per port in one optimal schedule, the
                                     most even one but for more than 512 unions */
    double port_price[PORTS_MAX]; /* LP only: fall of T per unit of capacity added to the port */
    double front_end_price;       /* LP only: fall of T per cycle taken off the front end */
};

/* ERR_RANGE for a class without ports, a port past n_ports, a negative or non-finite count or
 * number of slots, a width that is not positive.  Both bounds call it first. */
bool ports_check(const struct ports_problem *p, struct err *e);

/* The closed form: no allocation, microseconds.  The bottleneck is the smallest set that binds.
 * (A block with more than 512 connected unions is given to ports_schedule.) */
bool ports_bound(const struct ports_problem *p, struct ports_bound *out, struct err *e);

/* The LP.  Prices are those of one optimal dual: the ports' and the front end's add up to 1 where T
 * > 0, and  * T = front_end_price * slots / width + sum over classes of count * least price among
 * its ports. The bottleneck is the set of the dearest ports, which binds but need not be the
 * smallest. */
bool ports_schedule(const struct ports_problem *p, struct ports_bound *out, struct err *e);

#endif
