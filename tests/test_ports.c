#include "model/ports.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

/* Port sets of Skylake's ALUs and vector units. */
enum { P0 = 1, P1 = 2, P5 = 1 << 5, P6 = 1 << 6, P01 = P0 | P1, P06 = P0 | P6, P015 = P01 | P5 };

struct ports_case {
    const char *name;
    struct uop_class classes[4];
    int n_classes, n_ports;
    double slots, width; /* 0: no front end */
    double cycles;
    uint32_t bottleneck;
    double mass;
};

/* The PALMED cases are those of its Figure 1: ADDSS 1*p01, BSR 1*p1, JMP 1*p6, JNLE 1*p06
 * (Derumigny et al., CGO 2022); the others from uops.info (Abel, Reineke, ASPLOS 2019). */
static const struct ports_case cases[] = {
    {"BSR", {{P1, 1}}, 1, 7, .cycles = 1, .bottleneck = P1, .mass = 1},
    {"ADDSS", {{P01, 1}}, 1, 7, .cycles = 0.5, .bottleneck = P01, .mass = 1},
    {"ADDSS^2 BSR: IPC 2", {{P01, 2}, {P1, 1}}, 2, 7, .cycles = 1.5, .bottleneck = P01, .mass = 3},
    {"ADDSS BSR^2: IPC 1.5", {{P01, 1}, {P1, 2}}, 2, 7, .cycles = 2, .bottleneck = P1, .mass = 2},
    {"JMP", {{P6, 1}}, 1, 7, .cycles = 1, .bottleneck = P6, .mass = 1},
    {"JNLE", {{P06, 1}}, 1, 7, .cycles = 0.5, .bottleneck = P06, .mass = 1},
    {"ADDSS JNLE saturate p016",
     {{P01, 1}, {P06, 1}},
     2,
     7,
     .cycles = 2.0 / 3,
     .bottleneck = P0 | P1 | P6,
     .mass = 2},
    {"a divider of 4 cycles on p0 beside an ADDSS",
     {{P0, 4}, {P01, 1}},
     2,
     7,
     .cycles = 4,
     .bottleneck = P0,
     .mass = 4},
    {"1*p0+1*p015 (MOVQ2DQ on Skylake), three times",
     {{P0, 3}, {P015, 3}},
     2,
     7,
     .cycles = 3,
     .bottleneck = P0,
     .mass = 3},
    {"the isolation pitfall: 1*p0+1*p5 looks like 2*p05 alone",
     {{P0, 1}, {P5, 1}},
     2,
     7,
     .cycles = 1,
     .bottleneck = P0,
     .mass = 1},
    {"... and does not beside another p0",
     {{P0, 2}, {P5, 1}},
     2,
     7,
     .cycles = 2,
     .bottleneck = P0,
     .mass = 2},
    {"2*p05 beside another p0",
     {{P0, 1}, {P0 | P5, 2}},
     2,
     7,
     .cycles = 1.5,
     .bottleneck = P0 | P5,
     .mass = 3},
    {"blocked ports 1 and 5 push 1*p015 to port 0",
     {{P1, 8}, {P5, 8}, {P015, 1}},
     3,
     7,
     .cycles = 8,
     .bottleneck = P1,
     .mass = 8},
    {"the front end binds",
     {{P01, 1}, {P06, 1}},
     2,
     7,
     .slots = 8,
     .width = 4,
     .cycles = 2,
     .bottleneck = 0},
    {"a tie of ports and front end names the ports",
     {{P1, 2}},
     1,
     7,
     .slots = 8,
     .width = 4,
     .cycles = 2,
     .bottleneck = P1,
     .mass = 2},
    {"a class that is absent",
     {{P1, 0}, {P01, 1}},
     2,
     7,
     .cycles = 0.5,
     .bottleneck = P01,
     .mass = 1},
    {"all 32 ports",
     {{UINT32_MAX, 16}},
     1,
     32,
     .cycles = 0.5,
     .bottleneck = UINT32_MAX,
     .mass = 16},
    {"an empty block", {{0}}, 0, 7, .cycles = 0, .bottleneck = 0},
    {"a machine without ports", {{0}}, 0, 0, .slots = 6, .width = 6, .cycles = 1},
};

static void run(const struct ports_case *c)
{
    const struct ports_problem p = {.classes = c->classes,
                                    .n_classes = c->n_classes,
                                    .n_ports = c->n_ports,
                                    .slots = c->slots,
                                    .dispatch_width = c->width > 0 ? c->width : (double)NAN};
    struct ports_bound fast = {.cycles = -1}, lp = {.cycles = -1};
    struct err e = {0};

    ok(ports_bound(&p, &fast, &e) && ports_schedule(&p, &lp, &e), "%s %s", c->name, e.text);
    is_near(fast.cycles, c->cycles, 1e-12, "  closed form");
    is_near(lp.cycles, c->cycles, 1e-9, "  linear program");
    ok(fast.bottleneck == c->bottleneck, "  0x%x binds", fast.bottleneck);
    is_near(fast.mass, c->mass, 1e-12, "  mass");
}

static void test_refusals(void)
{
    static const struct {
        const char *name;
        struct uop_class class;
        int n_ports;
        double slots, width;
    } bad[] = {
        {"no ports", {0, 1}, 4, 1, 4},
        {"a port past the last", {1 << 4, 1}, 4, 1, 4},
        {"a negative count", {1, -1}, 4, 1, 4},
        {"a NaN count", {1, (double)NAN}, 4, 1, 4},
        {"an infinite count", {1, HUGE_VAL}, 4, 1, 4},
        {"33 ports", {1, 1}, 33, 1, 4},
        {"NaN slots", {1, 1}, 4, (double)NAN, 4},
        {"negative slots", {1, 1}, 4, -1, 4},
        {"a width of zero", {1, 1}, 4, 1, 0},
        {"an infinite width", {1, 1}, 4, 1, HUGE_VAL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct ports_problem p = {.classes = &bad[i].class,
                                        .n_classes = 1,
                                        .n_ports = bad[i].n_ports,
                                        .slots = bad[i].slots,
                                        .dispatch_width = bad[i].width};
        struct ports_bound out;
        struct err e = {0}, e_lp = {0};
        ok(!ports_bound(&p, &out, &e) && e.code == ERR_RANGE && !ports_schedule(&p, &out, &e_lp) &&
               e_lp.code == ERR_RANGE,
           "%s: %s", bad[i].name, e.text);
    }
}

/* More connected unions than the closed form takes: every pair of 12 ports. */
static void test_many_unions(void)
{
    enum { PORTS = 12 };
    struct uop_class classes[PORTS * (PORTS - 1) / 2];
    int n = 0;
    for (int a = 0; a < PORTS; a++) {
        for (int b = a + 1; b < PORTS; b++) {
            classes[n++] = (struct uop_class){UINT32_C(1) << a | UINT32_C(1) << b, 1};
        }
    }
    const struct ports_problem p = {
        .classes = classes, .n_classes = n, .n_ports = PORTS, .dispatch_width = (double)NAN};
    struct ports_bound out = {.cycles = -1};
    struct err e = {0};
    ok(ports_bound(&p, &out, &e), "4083 unions %s", e.text);
    is_near(out.cycles, (PORTS - 1) / 2.0, 1e-9, "  all ports bind together");
    ok(out.bottleneck == (1 << PORTS) - 1, "  and are named: 0x%x", out.bottleneck);
}

/* --- properties on random machines and blocks --- */

enum { PORTS = 6, CLASSES = 6 };

struct sample {
    struct uop_class classes[CLASSES];
    struct ports_problem p;
};

static int below(int n)
{
    return rand() % n;
}

/* Whole counts, occupancies of dividers such as 4.5, and once in a while zero. */
static double random_count(void)
{
    switch (below(4)) {
    case 0:
        return below(10) / 2.0;
    case 1:
        return rand() / (double)RAND_MAX * 5;
    default:
        return below(8);
    }
}

static void draw(struct sample *s)
{
    s->p =
        (struct ports_problem){.classes = s->classes,
                               .n_classes = below(CLASSES + 1),
                               .n_ports = 1 + below(PORTS),
                               .dispatch_width = below(3) == 0 ? (double)NAN : 1 + below(12) / 2.0};
    for (int c = 0; c < s->p.n_classes; c++) {
        const int sets = (1 << s->p.n_ports) - 1;
        s->classes[c] = (struct uop_class){(uint32_t)(1 + below(sets)), random_count()};
        s->p.slots += s->classes[c].count * (below(2) ? 1 : 0.5);
    }
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* The objective of the dual: what the prices say the block costs. */
static double cost_at_prices(const struct ports_problem *p, const struct ports_bound *b)
{
    double cost = b->front_end_price * b->front_end_cycles;
    for (int c = 0; c < p->n_classes; c++) {
        double least = HUGE_VAL;
        for (int port = 0; port < p->n_ports; port++) {
            if (p->classes[c].ports & UINT32_C(1) << port) {
                least = fmin(least, b->port_price[port]);
            }
        }
        cost += p->classes[c].count * least;
    }
    return cost;
}

static double sum_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

static bool schedule_is_sound(const struct ports_problem *p, const struct ports_bound *b)
{
    double count = 0;
    bool sound = true;
    for (int c = 0; c < p->n_classes; c++) {
        count += p->classes[c].count;
    }
    for (int port = 0; port < p->n_ports; port++) {
        sound = sound && b->port_load[port] <= b->cycles + 1e-9 && b->port_load[port] >= -1e-9 &&
                b->port_price[port] >= -1e-12;
    }
    const double prices = sum_of(b->port_price, p->n_ports) + b->front_end_price;
    return sound && same(sum_of(b->port_load, p->n_ports), count) && b->front_end_price >= -1e-12 &&
           (same(prices, 1) || b->cycles == 0);
}

/* No uop on a port could move to one with less work: what the busier ports carry is confined to
 * them, at every level of work. */
static bool schedule_is_even(const struct ports_problem *p, const struct ports_bound *b)
{
    for (int level = 0; level < p->n_ports; level++) {
        uint32_t busier = 0;
        double carried = 0, confined = 0;
        for (int port = 0; port < p->n_ports; port++) {
            if (b->port_load[port] >= b->port_load[level] * (1 - 1e-9)) {
                busier |= UINT32_C(1) << port;
                carried += b->port_load[port];
            }
        }
        for (int c = 0; c < p->n_classes; c++) {
            confined += (p->classes[c].ports & ~busier) == 0 ? p->classes[c].count : 0;
        }
        if (!same(carried, confined)) {
            return false;
        }
    }
    return true;
}

/* The named set must hold what it is said to hold and cost what the bound says. */
static bool bottleneck_is_true(const struct ports_problem *p, const struct ports_bound *b)
{
    double mass = 0;
    for (int c = 0; c < p->n_classes; c++) {
        mass += (p->classes[c].ports & ~b->bottleneck) == 0 ? p->classes[c].count : 0;
    }
    if (b->bottleneck == 0) {
        return same(b->cycles, b->front_end_cycles);
    }
    return same(mass, b->mass) && same(b->cycles, mass / __builtin_popcount(b->bottleneck));
}

static double closed_form(const struct ports_problem *p)
{
    struct ports_bound b = {.cycles = (double)NAN};
    struct err e = {0};
    ports_bound(p, &b, &e);
    return b.cycles;
}

/* By definition, with nothing clever: the maximum over all sets of ports. */
static double every_set(const struct ports_problem *p)
{
    double cycles = isnan(p->dispatch_width) ? 0 : p->slots / p->dispatch_width;
    for (uint32_t set = 1; set < UINT32_C(1) << p->n_ports; set++) {
        double mass = 0;
        for (int c = 0; c < p->n_classes; c++) {
            mass += (p->classes[c].ports & ~set) == 0 ? p->classes[c].count : 0;
        }
        cycles = fmax(cycles, mass / __builtin_popcount(set));
    }
    return cycles;
}

static bool scales(struct sample s, double cycles)
{
    const double factor = 0.25 + below(100);
    for (int c = 0; c < s.p.n_classes; c++) {
        s.classes[c].count *= factor;
    }
    s.p.classes = s.classes;
    s.p.slots *= factor;
    return same(closed_form(&s.p), factor * cycles);
}

static bool more_uops_never_help(struct sample s, double cycles)
{
    if (s.p.n_classes > 0) {
        s.classes[below(s.p.n_classes)].count += random_count();
    }
    s.p.classes = s.classes;
    s.p.slots += below(3);
    return closed_form(&s.p) >= cycles - 1e-12;
}

static bool a_port_never_hurts(struct sample s, double cycles)
{
    const uint32_t added = UINT32_C(1) << s.p.n_ports++;
    for (int c = 0; c < s.p.n_classes; c++) {
        s.classes[c].ports |= below(2) ? added : 0;
    }
    s.p.classes = s.classes;
    return closed_form(&s.p) <= cycles + 1e-12;
}

static bool a_wider_front_end_never_hurts(struct sample s, double cycles)
{
    s.p.dispatch_width += 1;
    return closed_form(&s.p) <= cycles;
}

struct tally {
    int agree, sound, even, named, scaled, monotone, port, width;
};

static void judge(const struct sample *s, struct tally *t)
{
    struct ports_bound fast = {.cycles = (double)NAN}, lp = {.cycles = (double)NAN};
    struct err e = {0};

    const bool solved = ports_bound(&s->p, &fast, &e) && ports_schedule(&s->p, &lp, &e);
    t->agree += solved && same(fast.cycles, lp.cycles) && same(lp.cycles, every_set(&s->p)) &&
                same(lp.cycles, cost_at_prices(&s->p, &lp));
    t->sound += solved && schedule_is_sound(&s->p, &lp);
    t->even += solved && schedule_is_even(&s->p, &lp);
    t->named += bottleneck_is_true(&s->p, &fast) && bottleneck_is_true(&s->p, &lp);
    t->scaled += scales(*s, fast.cycles);
    t->monotone += more_uops_never_help(*s, fast.cycles);
    t->port += a_port_never_hurts(*s, fast.cycles);
    t->width += a_wider_front_end_never_hurts(*s, fast.cycles);
}

static void test_properties(void)
{
    enum { SAMPLES = 100000, SEED = 731 };
    struct tally t = {0};

    srand(SEED);
    printf("# %d random machines and blocks, seed %d\n", SAMPLES, SEED);
    for (int i = 0; i < SAMPLES; i++) {
        struct sample s;
        draw(&s);
        s.p.classes = s.classes;
        judge(&s, &t);
    }
    ok(t.agree == SAMPLES, "closed form, every set, LP and its dual agree on %d", t.agree);
    ok(t.sound == SAMPLES, "schedules place every uop, prices add up to 1: %d", t.sound);
    ok(t.even == SAMPLES, "no schedule could be more even: %d", t.even);
    ok(t.named == SAMPLES, "the named ports bind: %d", t.named);
    ok(t.scaled == SAMPLES, "a block taken k times takes k times as long: %d", t.scaled);
    ok(t.monotone == SAMPLES, "more uops never help: %d", t.monotone);
    ok(t.port == SAMPLES, "a port more never hurts: %d", t.port);
    ok(t.width == SAMPLES, "a wider front end never hurts: %d", t.width);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(&cases[i]);
    }
    test_refusals();
    test_many_unions();
    test_properties();
    return tap_done();
}
