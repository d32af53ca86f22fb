/* Inference against oracles: what was inferred must predict what the hidden machine predicts. */
#include "base/file.h"
#include "model/fit_machine.h"
#include "model/oracle.h"
#include "tests/palmed.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

static const struct machine *read_machine(struct bytes text, const char *name, struct arena *a)
{
    struct err e = {0};
    const struct machine *m = machine_read(text, name, a, &e);
    if (!m) {
        printf("Bail out! %s: %s\n", name, e.text);
        exit(1);
    }
    return m;
}

static bool measure_and_add(struct oracle *o, struct fit_data *d, struct block *b)
{
    struct err e = {0};
    const bool fine = oracle_measure(o, b, &e) && fit_data_add(d, b, &e);
    if (!fine) {
        ok(false, "oracle: %s", e.text);
    }
    return fine;
}

/* Cycles a map gives a block of the oracle's. */
static double predicted(const struct resource_map *m, const struct fit_data *d,
                        const struct block *b)
{
    struct fit_item items[64];
    struct fit_block f = {.items = items, .n_items = b->n_forms};
    for (int i = 0; i < b->n_forms; i++) {
        items[i] = (struct fit_item){fit_data_form(d, b->forms[i].form), (float)b->forms[i].count};
    }
    return fit_cycles(m, &f);
}

/* --- PALMED's figure 1 --------------------------------------------------------------------------
 * Derumigny et al., CGO 2022.  The divider's cycles are not given there; 4 are taken. */

enum { FIGURE_FORMS = 5, FIGURE_RESOURCES = 6 };
static const char *const figure_forms[FIGURE_FORMS] = {"divps", "bsr", "jmp", "jnle", "addss"};
static const char figure_1[] = PALMED_FIGURE_1("");

/* The dual, by hand: r0, r1, r6, r01, r06, r016; columns as figure_forms. */
static const double figure_rho[FIGURE_RESOURCES][FIGURE_FORMS] = {
    {4, 0, 0, 0, 0},     {0, 1, 0, 0, 0},     {0, 0, 1, 0, 0},
    {2, 0.5, 0, 0, 0.5}, {2, 0, 0.5, 0.5, 0}, {4.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3},
};

/* The next multiset of at most `most` instructions; false after the last. */
static bool next_counts(int counts[FIGURE_FORMS], int most)
{
    for (int i = 0; i < FIGURE_FORMS; i++) {
        int sum = 0;
        counts[i]++;
        for (int k = 0; k < FIGURE_FORMS; k++) {
            sum += counts[k];
        }
        if (sum <= most) {
            return true;
        }
        counts[i] = 0;
    }
    return false;
}

static struct block figure_block(const int counts[FIGURE_FORMS], int times, struct arena *a)
{
    struct block b = {.forms = arena_new(a, struct form_count, FIGURE_FORMS), .weight = 1};
    for (int i = 0; i < FIGURE_FORMS; i++) {
        if (counts[i]) {
            b.forms[b.n_forms++] =
                (struct form_count){figure_forms[i], counts[i] * (i == 0 ? 1 : times)};
        }
    }
    return b;
}

static bool has_resource(const struct resource_map *m, const struct fit_data *d,
                         const double rho[FIGURE_FORMS])
{
    for (int r = 0; r < m->n_resources; r++) {
        bool same = true;
        for (int i = 0; i < FIGURE_FORMS; i++) {
            const int form = fit_data_form(d, figure_forms[i]);
            same &= fabs(m->rho[form * m->n_resources + r] - rho[i]) < 1e-6;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static void test_figure_1(struct arena *a, uint64_t seed, int n_resources)
{
    struct oracle o;
    struct err e = {0};
    struct fit_result r;
    struct fit_data *d = fit_data_new(a);
    const struct fit_options options = {.seed = seed, .n_members = 4, .n_resources = n_resources};
    int counts[FIGURE_FORMS] = {0};
    oracle_open(read_machine((struct bytes){figure_1, sizeof figure_1 - 1}, "figure 1", a), 0, 1, a,
                &o, &e);
    while (next_counts(counts, 3)) {
        struct block b = figure_block(counts, 1, a);
        measure_and_add(&o, d, &b);
    }
    /* Four of the others to one division, so that all of its uses show. */
    while (next_counts(counts, 5)) {
        struct block b = figure_block(counts, 4, a);
        measure_and_add(&o, d, &b);
    }
    ok(fit_infer(d, &options, a, &r, &e), "figure 1: inferred, seed %d", (int)seed);
    int found = 0;
    for (int k = 0; k < FIGURE_RESOURCES; k++) {
        found += has_resource(&r.map, d, figure_rho[k]);
    }
    ok(found == FIGURE_RESOURCES && r.map.n_resources == FIGURE_RESOURCES,
       "figure 1: %d of its 6 resources, %d in all", found, r.map.n_resources);
    double worst = 0;
    while (next_counts(counts, 8)) {
        struct block b = figure_block(counts, 1, a);
        oracle_tell(&o, &b, &e);
        worst = fmax(worst, fabs(predicted(&r.map, d, &b) / b.cycles - 1));
    }
    ok(worst < 1e-6, "figure 1: every block of up to 8 instructions, worst %.2g", worst);
    ok(r.check_mape < 1e-6, "figure 1: and says so (%.2g)", r.check_mape);
}

/* --- machines that come along
 * ------------------------------------------------------------------- */

enum { FORMS = 40, PAIRS = 150, MIXES = 650, UNSEEN = 2000, LARGEST = 15, SLOWEST = 20 };

struct trial {
    const char *machine;
    double noise;
    int n_resources; /* at most; 0: left to the inference, which takes longer */
    struct fit_data *data;
    struct fit_result result;
    double error; /* mean over the unseen blocks, against the hidden truth */
};

/* Two forms, each about as often as it can run while the other takes its time alone. */
static struct block balanced_pair(struct oracle *o, const char *const *forms, int n,
                                  struct arena *a)
{
    struct err e = {0};
    struct block pair = oracle_mix(o, forms, n, 2, a);
    for (int i = 0; i < pair.n_forms; i++) {
        struct form_count one = {pair.forms[i].form, 1};
        struct block alone = {.forms = &one, .n_forms = 1};
        oracle_tell(o, &alone, &e);
        pair.forms[i].count = fmax(1, rint(2 / alone.cycles));
    }
    return pair;
}

static void run(struct trial *t, struct arena *a)
{
    const char *forms[FORMS];
    struct bytes text;
    struct oracle o;
    struct err e = {0};
    const struct fit_options options = {.seed = 1, .n_members = 3, .n_resources = t->n_resources};
    if (!file_read(t->machine, a, &text, &e)) {
        printf("Bail out! %s\n", e.text);
        exit(1);
    }
    oracle_open(read_machine(text, t->machine, a), t->noise, 7, a, &o, &e);
    const int n = oracle_forms(&o, SLOWEST, forms, FORMS, a);
    t->data = fit_data_new(a);
    for (int i = 0; i < n + PAIRS + MIXES; i++) {
        struct form_count one = {forms[i < n ? i : 0], 1};
        const int size = 2 + random_below(&o.random, LARGEST - 1);
        struct block b = i < n           ? (struct block){.forms = &one, .n_forms = 1}
                         : i < n + PAIRS ? balanced_pair(&o, forms, n, a)
                                         : oracle_mix(&o, forms, n, size, a);
        b.weight = 1;
        measure_and_add(&o, t->data, &b);
    }
    ok(n == FORMS && fit_infer(t->data, &options, a, &t->result, &e),
       "%s, noise %g: %d forms inferred", t->machine, t->noise, n);
    for (int i = 0; i < UNSEEN; i++) {
        struct block b = oracle_mix(&o, forms, n, 2 + random_below(&o.random, LARGEST - 1), a);
        oracle_tell(&o, &b, &e);
        t->error += fabs(predicted(&t->result.map, t->data, &b) / b.cycles - 1) / UNSEEN;
    }
}

static void test_machines(struct arena *a)
{
    struct trial trials[] = {
        {.machine = "machines/skylake-sp.yaml", .noise = 0.01},
        {.machine = "machines/zen5-server.yaml", .noise = 0.01, .n_resources = 12},
        {.machine = "machines/neoverse-n1.yaml", .noise = 0.01, .n_resources = 12},
        {.machine = "machines/neoverse-n1.yaml", .noise = 0.1, .n_resources = 12},
    };
    enum { TRIALS = sizeof trials / sizeof *trials };
    for (int i = 0; i < TRIALS; i++) {
        struct trial *t = &trials[i];
        run(t, a);
        ok(t->noise > 0.01 || t->error < 0.02, "%s, noise %g: %.2f %% on %d unseen blocks",
           t->machine, t->noise, 100 * t->error, UNSEEN);
        ok(t->result.check_high >= t->error,
           "the error it reports, %.2f %%, is not below that (interval up to %.2f)",
           100 * t->result.check_mape, 100 * t->result.check_high);
    }
    const struct trial *quiet = &trials[TRIALS - 2], *noisy = &trials[TRIALS - 1];
    ok(noisy->error > quiet->error && noisy->result.check_mape > 3 * quiet->result.check_mape,
       "ten times the noise: worse (%.2f %%), and the report says so (%.2f %%)", 100 * noisy->error,
       100 * noisy->result.check_mape);
}

/* --- reports
 * ------------------------------------------------------------------------------------ */

/* Blocks of forms that share one port, a cycle each, but "odd" takes 1 to 9 cycles as it likes. */
static struct fit_data *odd_data(int n_blocks, struct arena *a)
{
    static const char *const names[] = {"odd", "add", "sub", "mul", "xor", "and"};
    enum { NAMES = sizeof names / sizeof *names };
    struct random random = {3};
    struct err e = {0};
    struct fit_data *d = fit_data_new(a);
    for (int i = 0; i < n_blocks; i++) {
        struct form_count forms[NAMES];
        struct block b = {.forms = forms, .weight = 1};
        for (int k = 0; k < NAMES; k++) {
            const int count = i < NAMES ? k == i : k == 0 ? i % 4 == 0 : random_below(&random, 4);
            if (count > 0) {
                forms[b.n_forms++] = (struct form_count){names[k], count};
                b.cycles += count + (k == 0 ? 8 * random_uniform(&random) : 0);
            }
        }
        if (b.n_forms && !fit_data_add(d, &b, &e)) {
            ok(false, "%s", e.text);
        }
    }
    return d;
}

static void test_doubts(struct arena *a)
{
    struct fit_result r;
    struct err e = {0};
    const struct fit_options options = {.seed = 2, .n_resources = 3, .n_members = 2};
    struct fit_data *d = odd_data(300, a);
    ok(fit_infer(d, &options, a, &r, &e) && r.map.n_resources <= 3, "no more resources than asked");
    const int odd = fit_data_form(d, "odd"), add = fit_data_form(d, "add");
    ok(r.forms[odd].bad && !r.forms[add].bad && r.n_bad == 1,
       "a form whose time is not its own is marked: %.1f %%, others %.1f %%",
       100 * r.forms[odd].residual, 100 * r.forms[add].residual);

    struct fit_data *few = odd_data(20, a);
    ok(fit_infer(few, &options, a, &r, &e) && isnan(r.check_mape) && isnan(r.validation_mape) &&
           r.n_check == 0,
       "with few blocks the error is unknown, not small");

    struct fit_data *none = fit_data_new(a);
    ok(!fit_infer(none, &options, a, &r, &e) && e.code == ERR_RANGE, "no blocks, no map");

    struct err weightless = {0};
    for (int b = 0; b < few->n_blocks; b++) {
        few->blocks[b].weight = 0;
    }
    ok(!fit_infer(few, &options, a, &r, &weightless) && weightless.code == ERR_RANGE,
       "no weights, no map");
}

/* --- doubt
 * -------------------------------------------------------------------------------------- */

enum { KNOWN = 24, SCARCE = 12, OFTEN = 500, SELDOM = 2, AROUND = 60 };

/* Mean error of the map in blocks with the form and some of the forms that are known well. */
static double error_around(struct oracle *o, const struct resource_map *m, const struct fit_data *d,
                           const char *const *forms, int form, struct arena *a)
{
    struct err e = {0};
    double sum = 0;
    for (int k = 0; k < AROUND; k++) {
        struct block b = oracle_mix(o, forms, KNOWN, 2 + random_below(&o->random, 4), a);
        struct form_count *wider = arena_new(a, struct form_count, (size_t)b.n_forms + 1);
        memcpy(wider, b.forms, sizeof *wider * (size_t)b.n_forms);
        b.forms = wider;
        b.forms[b.n_forms++] = (struct form_count){forms[form], 1};
        oracle_tell(o, &b, &e);
        sum += fabs(predicted(m, d, &b) / b.cycles - 1);
    }
    return sum / AROUND;
}

/* Some forms in many blocks, and some in two. */
static struct fit_data *scarce_data(struct oracle *o, const char *const *forms, struct arena *a)
{
    struct fit_data *d = fit_data_new(a);
    for (int i = 0; i < KNOWN + SCARCE; i++) {
        struct form_count one = {forms[i], 1};
        struct block b = {.forms = &one, .n_forms = 1, .weight = 1};
        measure_and_add(o, d, &b);
    }
    for (int k = 0; k < OFTEN; k++) {
        struct block b = oracle_mix(o, forms, KNOWN, 2 + random_below(&o->random, 9), a);
        measure_and_add(o, d, &b);
    }
    for (int k = 0; k < SELDOM * SCARCE; k++) {
        struct block b = oracle_mix(o, forms, KNOWN, 2, a);
        struct form_count items[3];
        memcpy(items, b.forms, sizeof *items * (size_t)b.n_forms);
        items[b.n_forms] = (struct form_count){forms[KNOWN + k % SCARCE], 1};
        b.forms = items;
        b.n_forms++;
        measure_and_add(o, d, &b);
    }
    return d;
}

/* Doubt is larger where data are scarce, and as large as the errors that it is about. */
static void test_doubt_of_forms(struct arena *a)
{
    struct bytes text = {0};
    struct oracle o;
    struct err e = {0};
    struct fit_result r;
    const char *forms[KNOWN + SCARCE];
    const struct fit_options options = {.seed = 1, .n_members = 2, .n_resources = 12};
    file_read("machines/neoverse-n1.yaml", a, &text, &e);
    oracle_open(read_machine(text, "machines/neoverse-n1.yaml", a), 0.01, 5, a, &o, &e);
    ok(oracle_forms(&o, 4, forms, KNOWN + SCARCE, a) == KNOWN + SCARCE, "forms");
    struct fit_data *d = scarce_data(&o, forms, a);
    ok(fit_infer(d, &options, a, &r, &e), "inferred from much and little");
    double doubt[2] = {0}, error[2] = {0};
    int covered = 0;
    for (int i = 0; i < KNOWN + SCARCE; i++) {
        const double own = r.forms[fit_data_form(d, forms[i])].doubt;
        const double off = error_around(&o, &r.map, d, forms, i, a);
        doubt[i >= KNOWN] += own / (i >= KNOWN ? SCARCE : KNOWN);
        error[i >= KNOWN] += off / (i >= KNOWN ? SCARCE : KNOWN);
        covered += off < 2 * own + 0.01;
    }
    ok(doubt[1] > 1.5 * doubt[0] && error[1] > error[0],
       "doubt of forms in two blocks %.1f %%, of others %.1f %% (errors %.1f, %.1f)",
       100 * doubt[1], 100 * doubt[0], 100 * error[1], 100 * error[0]);
    ok(covered >= 0.8 * (KNOWN + SCARCE),
       "the error around %d of %d forms is below twice its doubt", covered, KNOWN + SCARCE);
}

static bool always(void *context)
{
    ++*(int *)context;
    return true;
}

static void test_hurry(struct arena *a)
{
    int asked = 0;
    struct fit_result r, calm;
    struct err e = {0};
    struct fit_options options = {.seed = 2, .hurry = always, .context = &asked};
    struct fit_data *d = odd_data(200, a);
    ok(fit_infer(d, &options, a, &r, &e) && r.hurried && asked > 0 && r.panel->n_members == 1,
       "without time a fit is a fit, and says so");
    options.hurry = NULL;
    ok(fit_infer(d, &options, a, &calm, &e) && !calm.hurried && calm.panel->n_members > 1,
       "with time it says nothing");
    ok(r.check_mape < 2 * calm.check_mape + 0.05, "and is not much better (%.2f %%, %.2f %%)",
       100 * r.check_mape, 100 * calm.check_mape);
}

static void test_same_seed(struct arena *a)
{
    struct fit_result one, same, other;
    struct err e = {0};
    const struct fit_options options = {.seed = 2, .n_members = 2},
                             others = {.seed = 3, .n_members = 2};
    struct fit_data *d = odd_data(120, a);
    fit_infer(d, &options, a, &one, &e);
    fit_infer(d, &options, a, &same, &e);
    fit_infer(d, &others, a, &other, &e);
    const size_t size = sizeof(double) * (size_t)(one.map.n_forms * one.map.n_resources);
    ok(one.map.n_resources == same.map.n_resources &&
           memcmp(one.map.rho, same.map.rho, size) == 0 && one.check_mape == same.check_mape,
       "the same data and seed give the same map, bit by bit");
    ok(other.map.n_resources != one.map.n_resources ||
           memcmp(one.map.rho, other.map.rho, size) != 0,
       "another seed gives another one");
}

static const char *note_of(const struct machine *m, const char *key)
{
    for (int i = 0; i < m->n_provenance; i++) {
        if (strcmp(m->provenance[i].key, key) == 0) {
            return m->provenance[i].text;
        }
    }
    return "";
}

/* Written, read back and asked as an oracle, the file says what the map says. */
static void test_file(struct arena *a)
{
    struct fit_result r;
    struct err e = {0};
    struct bytes text;
    struct oracle o;
    const struct fit_options options = {.seed = 2, .n_members = 2};
    const struct fit_origin origin = {"made-up", "x86-64", "made-up.csv", 2};
    struct fit_data *d = odd_data(300, a);
    fit_infer(d, &options, a, &r, &e);
    ok(machine_write(fit_machine(d, &r, &origin, a), a, &text, &e), "written");
    const struct machine *m = read_machine(text, "written.yaml", a);
    ok(m->n_forms == d->n_forms && m->n_resources == r.map.n_resources, "read back");
    ok(oracle_open(m, 0, 1, a, &o, &e), "and asked");
    double worst = 0;
    for (int i = 0; i < d->n_blocks; i++) {
        struct form_count forms[8];
        const struct fit_block *f = &d->blocks[i];
        struct block b = {.forms = forms, .n_forms = f->n_items};
        for (int k = 0; k < f->n_items; k++) {
            forms[k] =
                (struct form_count){d->forms[f->items[k].form].name, (double)f->items[k].count};
        }
        oracle_tell(&o, &b, &e);
        worst = fmax(worst, fabs(b.cycles / fit_cycles(&r.map, f) - 1));
    }
    ok(worst < 1e-3, "it says what the map says to the four digits it is written with (worst %.2g)",
       worst);
    ok(strncmp(note_of(m, "blocks"), "made-up.csv: ", 13) == 0 &&
           strstr(note_of(m, "blocks"), "of several, 6 forms"),
       "it says what it was made from");
    ok(m->dispatch_width == 1 && strstr(m->core_source, "instructions a cycle"),
       "and how wide it is, where a whole number shows");
    ok(strcmp(note_of(m, "seed"), "2") == 0, "and with which seed");
    ok(strstr(note_of(m, "plainness"), " of 1/n, ") && strstr(note_of(m, "doubt"), "resampled"),
       "and how plain and how sure it is");
    ok(fabs(m->forms[0].doubt - r.forms[fit_data_form(d, m->forms[0].form)].doubt) < 1e-4,
       "and how sure each form is");
    ok(strstr(note_of(m, "error_on_held_out_blocks"), "that decided nothing") != NULL,
       "and how wrong it is");
    bool marked = false;
    for (int i = 0; i < m->n_forms; i++) {
        marked |= strcmp(m->forms[i].form, "odd") == 0 && strstr(m->forms[i].source, "fits badly");
    }
    ok(marked, "and which form not to trust");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 31, oom, NULL);
    test_figure_1(a, 1, 0);
    test_figure_1(a, 2, 10);
    test_machines(a);
    test_doubts(a);
    test_doubt_of_forms(a);
    test_hurry(a);
    test_same_seed(a);
    test_file(a);
    arena_release(a);
    return tap_done();
}
