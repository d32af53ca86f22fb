#include "base/arena.h"
#include "model/ports.h"
#include "model/resources.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

/* --- PALMED's Figure 1 (Derumigny et al., CGO 2022) --- */

enum { R0 = 1, R1 = 2, R6 = 1 << 6, R01 = R0 | R1, R06 = R0 | R6, R016 = R01 | R6 };
enum { DIVPS, BSR, JMP, JNLE, ADDSS, FORMS };

static const struct uop_class palmed_classes[FORMS] = {
    [DIVPS] = {R0, 1}, [BSR] = {R1, 1}, [JMP] = {R6, 1}, [JNLE] = {R06, 1}, [ADDSS] = {R01, 1}};

static void palmed_forms(struct form_uops out[FORMS])
{
    for (int i = 0; i < FORMS; i++) {
        out[i] = (struct form_uops){&palmed_classes[i], 1, 1};
    }
}

/* rho of a form on the resource that stands for a port set; NaN if there is none. */
static double rho(const struct resource_map *m, int form, uint32_t set)
{
    for (int r = 0; r < m->n_resources; r++) {
        if (m->port_sets[r] == set) {
            return m->rho[form * m->n_resources + r];
        }
    }
    return (double)NAN;
}

static const struct {
    const char *name;
    int form;
    uint32_t set;
    double rho;
} weights[] = {
    {"ADDSS r0", ADDSS, R0, 0},
    {"ADDSS r1", ADDSS, R1, 0},
    {"ADDSS r6", ADDSS, R6, 0},
    {"ADDSS r01", ADDSS, R01, 1.0 / 2},
    {"ADDSS r06", ADDSS, R06, 0},
    {"ADDSS r016", ADDSS, R016, 1.0 / 3},
    {"BSR r0", BSR, R0, 0},
    {"BSR r1", BSR, R1, 1},
    {"BSR r6", BSR, R6, 0},
    {"BSR r01", BSR, R01, 1.0 / 2},
    {"BSR r06", BSR, R06, 0},
    {"BSR r016", BSR, R016, 1.0 / 3},
    {"DIVPS r0", DIVPS, R0, 1},
    {"DIVPS r1", DIVPS, R1, 0},
    {"DIVPS r6", DIVPS, R6, 0},
    {"DIVPS r01", DIVPS, R01, 1.0 / 2},
    {"DIVPS r06", DIVPS, R06, 1.0 / 2},
    {"DIVPS r016", DIVPS, R016, 1.0 / 3},
    {"JMP r0", JMP, R0, 0},
    {"JMP r1", JMP, R1, 0},
    {"JMP r6", JMP, R6, 1},
    {"JMP r01", JMP, R01, 0},
    {"JMP r06", JMP, R06, 1.0 / 2},
    {"JMP r016", JMP, R016, 1.0 / 3},
    {"JNLE r0", JNLE, R0, 0},
    {"JNLE r1", JNLE, R1, 0},
    {"JNLE r6", JNLE, R6, 0},
    {"JNLE r01", JNLE, R01, 0},
    {"JNLE r06", JNLE, R06, 1.0 / 2},
    {"JNLE r016", JNLE, R016, 1.0 / 3},
};

static const struct {
    const char *name;
    double counts[FORMS];
    double cycles;
    uint32_t binds;
} blocks[] = {
    {"ADDSS^2 BSR", {[ADDSS] = 2, [BSR] = 1}, 1.5, R01},
    {"ADDSS BSR^2", {[ADDSS] = 1, [BSR] = 2}, 2, R1},
    {"ADDSS JNLE", {[ADDSS] = 1, [JNLE] = 1}, 2.0 / 3, R016},
    {"DIVPS JNLE", {[DIVPS] = 1, [JNLE] = 1}, 1, R0},
    {"JMP JNLE^2", {[JMP] = 1, [JNLE] = 2}, 1.5, R06},
};

static void test_palmed(struct arena *a)
{
    struct form_uops forms[FORMS];
    struct resource_map m;
    struct err e = {0};

    palmed_forms(forms);
    ok(resources_from_ports(&(struct port_mapping){forms, FORMS, 7, (double)NAN}, a, &m, &e),
       "PALMED's Figure 1 %s", e.text);
    ok(m.n_resources == 6, "r0 r1 r6 r01 r06 r016, and no r16: %d", m.n_resources);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        is_near(rho(&m, weights[i].form, weights[i].set), weights[i].rho, 1e-15, weights[i].name);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const struct resource_bound b = resources_bound(&m, blocks[i].counts);
        is_near(b.cycles, blocks[i].cycles, 1e-15, blocks[i].name);
        ok(m.port_sets[b.binds] == blocks[i].binds, "  0x%x binds", m.port_sets[b.binds]);
    }
    const double nothing[FORMS] = {0};
    const struct resource_bound b = resources_bound(&m, nothing);
    ok(b.binds == -1 && b.cycles == 0, "nothing binds an empty block");
}

/* --- dominated resources --- */

static void test_dominated(struct arena *a)
{
    struct err e = {0};
    struct resource_map m;
    struct form_uops forms[FORMS];

    palmed_forms(forms);
    ok(resources_from_ports(&(struct port_mapping){forms, FORMS, 7, 1}, a, &m, &e) &&
           m.n_resources == 1 && m.port_sets[0] == 0,
       "a front end of one a cycle hides all ports");
    ok(resources_from_ports(&(struct port_mapping){forms, FORMS, 7, 2.5}, a, &m, &e) &&
           m.n_resources == 6 && isnan(rho(&m, ADDSS, R016)) && !isnan(rho(&m, ADDSS, 0)),
       "one of 2.5 a cycle hides r016");

    /* p0 + p1 together in every form: r01 is the mean of r0 and r1, which neither covers alone. */
    static const struct uop_class pair[] = {{R0, 1}, {R1, 2}, {R01, 0}},
                                  other[] = {{R0, 2}, {R1, 1}};
    static const struct uop_class loose[] = {{R0, 2}, {R1, 2}, {R01, 0.0}};
    const struct form_uops tied[] = {{pair, 3, 1}, {other, 2, 1}, {loose, 3, 1}};
    ok(resources_from_ports(&(struct port_mapping){tied, 3, 2, (double)NAN}, a, &m, &e) &&
           m.n_resources == 2,
       "sets that only absent uops join are no resource");
    static const struct uop_class joined[] = {{R0, 4}, {R1, 4}, {R01, 0.5}};
    const struct form_uops mean[] = {{pair, 2, 1}, {other, 2, 1}, {joined, 2, 1}};
    ok(resources_from_ports(&(struct port_mapping){mean, 3, 2, (double)NAN}, a, &m, &e) &&
           m.n_resources == 2,
       "a resource below a mean of two others is dropped");
}

static void test_refusals(struct arena *a)
{
    static const struct uop_class none = {0, 1}, beyond = {1 << 9, 1};
    const struct form_uops no_ports[] = {{&none, 1, 1}}, past[] = {{&beyond, 1, 1}};
    struct resource_map m;
    struct err e = {0}, e2 = {0}, e3 = {0};

    ok(!resources_from_ports(&(struct port_mapping){no_ports, 1, 8, 4}, a, &m, &e) &&
           e.code == ERR_RANGE,
       "%s", e.text);
    ok(!resources_from_ports(&(struct port_mapping){past, 1, 8, 4}, a, &m, &e2) &&
           e2.code == ERR_RANGE,
       "%s", e2.text);

    static struct uop_class pairs[15 * 14 / 2];
    int n = 0;
    for (int i = 0; i < 15; i++) {
        for (int j = i + 1; j < 15; j++) {
            pairs[n++] = (struct uop_class){UINT32_C(1) << i | UINT32_C(1) << j, 1};
        }
    }
    const struct form_uops many[] = {{pairs, n, 1}};
    ok(!resources_from_ports(&(struct port_mapping){many, 1, 15, 4}, a, &m, &e3) &&
           e3.code == ERR_RANGE,
       "%s", e3.text);
}

/* --- agreement with the ports, on random machines and blocks --- */

enum { PORTS = 5, FORMS_MAX = 5, CLASSES_MAX = 3 };

struct sample {
    struct uop_class classes[FORMS_MAX][CLASSES_MAX];
    struct form_uops forms[FORMS_MAX];
    int n_forms, n_ports;
    double width;
};

static int below(int n)
{
    return rand() % n;
}

static void draw(struct sample *s)
{
    s->n_forms = 1 + below(FORMS_MAX);
    s->n_ports = 1 + below(PORTS);
    s->width = below(3) == 0 ? (double)NAN : 1 + below(10) / 2.0;
    for (int i = 0; i < s->n_forms; i++) {
        const int n = below(CLASSES_MAX + 1);
        s->forms[i] = (struct form_uops){s->classes[i], n, below(8) / 4.0};
        for (int c = 0; c < n; c++) {
            const double count = below(2) ? 1 : rand() / (double)RAND_MAX * 4;
            s->classes[i][c] =
                (struct uop_class){(uint32_t)(1 + below((1 << s->n_ports) - 1)), count};
        }
    }
}

/* The block as a problem for ports_bound. */
static double ports_cycles(const struct sample *s, const double *counts)
{
    struct uop_class all[FORMS_MAX * CLASSES_MAX];
    struct ports_problem p = {.classes = all, .n_ports = s->n_ports, .dispatch_width = s->width};
    for (int i = 0; i < s->n_forms; i++) {
        p.slots += counts[i] * s->forms[i].slots;
        for (int c = 0; c < s->forms[i].n_classes; c++) {
            const struct uop_class class = s->classes[i][c];
            all[p.n_classes++] = (struct uop_class){class.ports, counts[i] * class.count};
        }
    }
    struct ports_bound b = {.cycles = (double)NAN};
    struct err e = {0};
    ports_bound(&p, &b, &e);
    return b.cycles;
}

static void test_agreement(void)
{
    enum { MACHINES = 100000, BLOCKS = 1, SEED = 99 };
    int agree = 0;

    srand(SEED);
    for (int i = 0; i < MACHINES; i++) {
        struct arena *a = arena_create((size_t)1 << 24, oom, NULL);
        struct sample s;
        struct resource_map m;
        struct err e = {0};
        draw(&s);
        const bool made = resources_from_ports(
            &(struct port_mapping){s.forms, s.n_forms, s.n_ports, s.width}, a, &m, &e);
        for (int k = 0; made && k < BLOCKS; k++) {
            double counts[FORMS_MAX];
            for (int f = 0; f < s.n_forms; f++) {
                counts[f] = below(3) ? below(6) : rand() / (double)RAND_MAX;
            }
            const double ports = ports_cycles(&s, counts);
            const double resources = resources_bound(&m, counts).cycles;
            agree += fabs(ports - resources) <= 1e-9 * fmax(1, ports);
        }
        arena_release(a);
    }
    ok(agree == MACHINES * BLOCKS, "ports and resources agree on %d of %d blocks (seed %d)", agree,
       MACHINES * BLOCKS, SEED);
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 26, oom, NULL);
    test_palmed(a);
    test_dominated(a);
    test_refusals(a);
    arena_release(a);
    test_agreement();
    return tap_done();
}
