#include "base/file.h"
#include "model/oracle.h"
#include "tests/palmed.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

static const char figure_1[] = PALMED_FIGURE_1("");

static const char by_resources[] = "format: gambrel-machine-1\n"
                                   "name: by-resources\n"
                                   "isa: x86-64\n"
                                   "sources: {resources: made up}\n"
                                   "resource_names: [R0, R1]\n"
                                   "resources:\n"
                                   "  - {form: bsr, uses: {R0: 1, R1: 0.5}}\n"
                                   "  - {form: addss, uses: {R1: 0.5}}\n";

static const struct machine *read_machine(const char *text, struct arena *a)
{
    struct err e = {0};
    const struct machine *m = machine_read((struct bytes){text, strlen(text)}, "test.yaml", a, &e);
    if (!m) {
        printf("# %s\n", e.text);
        exit(1);
    }
    return m;
}

static struct block parse(const char *text, struct arena *a)
{
    struct block b = {0};
    struct err e = {0};
    block_parse(text, LOC_NONE, a, &b, &e);
    return b;
}

static void test_truth(struct arena *a)
{
    static const struct {
        const char *machine, *block;
        double cycles;
    } cases[] = {
        {figure_1, "2 addss; 1 bsr", 1.5},
        {figure_1, "1 addss; 2 bsr", 2},
        {figure_1, "2 jnle", 1},
        {figure_1, "3 addss; 3 jnle", 2},
        {by_resources, "1 bsr; 1 addss", 1},
        {by_resources, "1 bsr; 3 addss", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct oracle o;
        struct err e = {0};
        struct block b = parse(cases[i].block, a);
        ok(oracle_open(read_machine(cases[i].machine, a), 0, 1, a, &o, &e) &&
               oracle_measure(&o, &b, &e),
           "asked: %s", cases[i].block);
        is_near(b.cycles, cases[i].cycles, 1e-12, "what the machine file says");
    }
}

static void test_refused(struct arena *a)
{
    struct oracle o;
    struct err e = {0}, unknown = {0};
    struct block b = parse("1 bsr; 2 divps xmm, xmm", a);
    ok(!oracle_open(read_machine(figure_1, a), -0.1, 1, a, &o, &e) && e.code == ERR_RANGE,
       "negative noise");
    e = (struct err){0};
    ok(!oracle_open(read_machine(figure_1, a), (double)NAN, 1, a, &o, &e) && e.code == ERR_RANGE,
       "noise that is no number");
    e = (struct err){0};
    ok(oracle_open(read_machine(figure_1, a), 0, 1, a, &o, &e) &&
           !oracle_measure(&o, &b, &unknown) && unknown.code == ERR_MODEL &&
           strstr(unknown.text, "divps xmm, xmm"),
       "an unknown form is named");
}

static void test_noise(struct arena *a)
{
    enum { TIMES = 2000 };
    struct oracle one, same, other;
    struct err e = {0};
    double sum = 0, squares = 0;
    bool equal = true, differs = false;
    const struct machine *m = read_machine(figure_1, a);
    oracle_open(m, 0.01, 5, a, &one, &e);
    oracle_open(m, 0.01, 5, a, &same, &e);
    oracle_open(m, 0.01, 6, a, &other, &e);
    for (int i = 0; i < TIMES; i++) {
        struct block b = parse("1 bsr", a), again = b, another = b;
        oracle_measure(&one, &b, &e);
        oracle_measure(&same, &again, &e);
        oracle_measure(&other, &another, &e);
        equal &= b.cycles == again.cycles;
        differs |= b.cycles != another.cycles;
        sum += b.cycles;
        squares += b.cycles * b.cycles;
    }
    const double mean = sum / TIMES;
    ok(equal && differs, "noise is the same for the same seed, and only then");
    ok(fabs(mean - 1) < 0.001, "its mean is zero");
    ok(fabs(sqrt(squares / TIMES - mean * mean) - 0.01) < 0.001, "its deviation as asked");
}

/* Control flow has no place in a block; everything else that takes time is drawn, each once. */
static void test_forms(struct arena *a)
{
    struct bytes text;
    struct err e = {0};
    struct oracle o;
    const char *forms[400];
    if (!file_read("machines/skylake-sp.yaml", a, &text, &e)) {
        ok(false, "machines/skylake-sp.yaml: %s", e.text);
        return;
    }
    const struct machine *m = machine_read(text, "machines/skylake-sp.yaml", a, &e);
    ok(m && oracle_open(m, 0, 3, a, &o, &e), "a machine that comes along");
    const int n = oracle_forms(&o, 20, forms, 400, a);
    bool timed = true, plain = true, once = true;
    for (int i = 0; i < n; i++) {
        struct form_count one = {forms[i], 1};
        struct block b = {.forms = &one, .n_forms = 1};
        timed &= oracle_tell(&o, &b, &e) && b.cycles > 0 && b.cycles <= 20;
        plain &= !strstr(forms[i], " rel") && !strstr(forms[i], "cc ") && !strstr(forms[i], " V");
        for (int k = 0; k < i; k++) {
            once &= strcmp(forms[i], forms[k]) != 0;
        }
    }
    ok(n > 100 && n < 400 && timed && plain && once, "%d forms, each timed, none twice", n);
    const struct block b = oracle_mix(&o, forms, n, 12, a);
    double size = 0;
    for (int i = 0; i < b.n_forms; i++) {
        size += b.forms[i].count;
    }
    ok(size == 12, "a mix has as many instructions as asked for");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 28, oom, NULL);
    test_truth(a);
    test_refused(a);
    test_noise(a);
    test_forms(a);
    arena_release(a);
    return tap_done();
}
