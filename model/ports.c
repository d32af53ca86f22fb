#include "model/ports.h"

#include "model/lp.h"
#include "model/unions.h"

#include <math.h>

/* A block with more connected unions than this goes to the LP; real ones have a tenth of it. */
enum { UNIONS_MAX = 512, TABLE_SIZE = 1024 };

bool ports_check(const struct ports_problem *p, struct err *e)
{
    if (p->n_ports < 0 || p->n_ports > PORTS_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "%d ports; right would be 0 to %d", p->n_ports,
                       PORTS_MAX);
    }
    const uint32_t known = (uint32_t)((UINT64_C(1) << p->n_ports) - 1);
    for (int u = 0; u < p->n_classes; u++) {
        const struct uop_class c = p->classes[u];
        if (c.ports == 0 || (c.ports & ~known) != 0) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "uop class %d may use ports 0x%x; right would be some of 0x%x", u,
                           c.ports, known);
        }
        if (!(c.count >= 0) || isinf(c.count)) {
            return err_set(e, ERR_RANGE, LOC_NONE, "uop class %d has a count of %g", u, c.count);
        }
    }
    if (!(p->slots >= 0) || isinf(p->slots)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "%g dispatch slots", p->slots);
    }
    if (p->dispatch_width <= 0 || isinf(p->dispatch_width)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "a dispatch width of %g", p->dispatch_width);
    }
    return true;
}

static double front_end(const struct ports_problem *p)
{
    return isnan(p->dispatch_width) ? 0 : p->slots / p->dispatch_width;
}

/* Uops of the classes that may use some of the ports `among`, and of these none but `set`. */
static double mass_of(const struct ports_problem *p, uint32_t among, uint32_t set)
{
    double mass = 0;
    for (int u = 0; u < p->n_classes; u++) {
        const uint32_t ports = p->classes[u].ports & among;
        if (ports != 0 && (ports & ~set) == 0) {
            mass += p->classes[u].count;
        }
    }
    return mass;
}

/* Takes `set` as the bottleneck if it binds harder, or as hard with fewer ports. */
static void consider(const struct ports_problem *p, uint32_t among, uint32_t set,
                     struct ports_bound *out)
{
    const double mass = mass_of(p, among, set);
    const int size = __builtin_popcount(set);
    const double cycles = mass / size;
    const double slack = PORTS_TIE * cycles;
    const bool harder = cycles > out->cycles + slack;
    const bool as_hard = cycles >= out->cycles - slack && mass > 0;

    if (harder ||
        (as_hard && (out->bottleneck == 0 || size < __builtin_popcount(out->bottleneck)))) {
        out->bottleneck = set;
        out->mass = mass;
    }
    out->cycles = fmax(out->cycles, cycles);
}

/* The closed form for the ports `among` alone: raises *out.  False if there are too many unions. */
static bool bound_among(const struct ports_problem *p, uint32_t among, struct ports_bound *out)
{
    uint32_t sets[UNIONS_MAX];
    uint16_t table[TABLE_SIZE] = {0};
    struct unions u = {
        .n_max = UNIONS_MAX, .set = sets, .table = table, .table_mask = TABLE_SIZE - 1};

    for (int c = 0; c < p->n_classes; c++) {
        const uint32_t ports = p->classes[c].ports & among;
        if (p->classes[c].count > 0 && ports != 0 && !unions_add(&u, ports)) {
            return false;
        }
    }
    if (!unions_close(&u)) {
        return false;
    }
    for (int i = 0; i < u.n; i++) {
        consider(p, among, sets[i], out);
    }
    return true;
}

bool ports_bound(const struct ports_problem *p, struct ports_bound *out, struct err *e)
{
    if (!ports_check(p, e)) {
        return false;
    }
    *out = (struct ports_bound){.front_end_cycles = front_end(p)};
    out->cycles = out->front_end_cycles;
    return bound_among(p, UINT32_MAX, out) || ports_schedule(p, out, e);
}

/* The most even loads: the bottleneck's ports carry what is confined to them and nothing else, so
 * they are set aside, and the rest is spread over the others in the same way. */
static bool spread(const struct ports_problem *p, double load[PORTS_MAX])
{
    uint32_t among = UINT32_MAX;
    struct ports_bound part;
    do {
        part = (struct ports_bound){0};
        if (!bound_among(p, among, &part)) {
            return false;
        }
        for (uint32_t rest = part.bottleneck; rest != 0; rest &= rest - 1) {
            load[__builtin_ctz(rest)] = part.cycles;
        }
        among &= ~part.bottleneck;
    } while (part.bottleneck != 0);
    return true;
}

/* --- the linear program: rows are the classes, then the ports, then the front end; the columns
 * are the cycles T, then each class's share of each of its ports --- */

static int count_shares(const struct ports_problem *p)
{
    int n = 0;
    for (int u = 0; u < p->n_classes; u++) {
        n += __builtin_popcount(p->classes[u].ports);
    }
    return n;
}

static struct lp *state(const struct ports_problem *p)
{
    const int first_port_row = p->n_classes, front_end_row = p->n_classes + p->n_ports;
    struct lp *lp = lp_create(front_end_row + 1, 1 + count_shares(p));
    int column = 0;

    lp_objective(lp, column, 1);
    lp_row_bounds(lp, front_end_row, front_end(p), HUGE_VAL);
    lp_coefficient(lp, front_end_row, column, 1);
    for (int port = 0; port < p->n_ports; port++) {
        lp_row_bounds(lp, first_port_row + port, -HUGE_VAL, 0);
        lp_coefficient(lp, first_port_row + port, column, -1);
    }
    for (int u = 0; u < p->n_classes; u++) {
        lp_row_bounds(lp, u, p->classes[u].count, p->classes[u].count);
        for (uint32_t rest = p->classes[u].ports; rest != 0; rest &= rest - 1) {
            column++;
            lp_coefficient(lp, u, column, 1);
            lp_coefficient(lp, first_port_row + __builtin_ctz(rest), column, 1);
        }
    }
    return lp;
}

/* The ports that have a price are a bottleneck: where one price differs from another, each of the
 * sets above a price is one too, and the dearest are the smallest. */
static uint32_t dearest_ports(const struct ports_bound *b, int n_ports)
{
    double top = 0;
    uint32_t set = 0;
    for (int port = 0; port < n_ports; port++) {
        top = fmax(top, b->port_price[port]);
    }
    for (int port = 0; port < n_ports; port++) {
        if (top > 0 && b->port_price[port] > top * (1 - LP_TOLERANCE)) {
            set |= UINT32_C(1) << port;
        }
    }
    return set;
}

static void read_schedule(const struct ports_problem *p, const struct lp_solution *s,
                          struct ports_bound *out)
{
    *out = (struct ports_bound){.cycles = s->objective, .front_end_cycles = front_end(p)};
    const bool even = spread(p, out->port_load);
    int column = 0;
    for (int u = 0; u < p->n_classes && !even; u++) {
        for (uint32_t rest = p->classes[u].ports; rest != 0; rest &= rest - 1) {
            out->port_load[__builtin_ctz(rest)] += s->x[++column];
        }
    }
    for (int port = 0; port < p->n_ports; port++) {
        out->port_price[port] = -s->prices[p->n_classes + port] + 0.0; /* no negative zero */
    }
    out->front_end_price = s->prices[p->n_classes + p->n_ports];
    out->bottleneck = dearest_ports(out, p->n_ports);
    out->mass = mass_of(p, UINT32_MAX, out->bottleneck);
}

bool ports_schedule(const struct ports_problem *p, struct ports_bound *out, struct err *e)
{
    struct lp_solution solution;

    if (!ports_check(p, e)) {
        return false;
    }
    struct lp *lp = state(p);
    const bool solved = lp_solve(lp, &solution, e);
    if (solved) {
        read_schedule(p, &solution, out);
    }
    lp_release(lp);
    return solved;
}
