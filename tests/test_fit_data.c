#include "model/fit_traits.h"
#include "tests/tap.h"

#include <stdlib.h>

static _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

static bool add(struct fit_data *d, const char *text, double cycles, double weight, struct err *e)
{
    struct block b;
    if (!block_parse(text, (struct loc){"blocks.csv", 7, 3}, d->arena, &b, e)) {
        return false;
    }
    b.cycles = cycles;
    b.weight = weight;
    return fit_data_add(d, &b, e);
}

static void test_forms(struct arena *a)
{
    struct fit_data *d = fit_data_new(a);
    struct err e = {0};
    ok(add(d, "4 ADD r64, r64", 1.0, 1, &e) && add(d, "1 add r64, r64", 0.3, 1, &e) &&
           add(d, "2 add r64,r64; 1 imul r64, r64", 1.5, 1, &e) &&
           add(d, "1 imul r64, r64; 2 add r64, r64", 1.6, 1, &e),
       "blocks are taken");
    ok(d->n_forms == 2, "spellings of one form are one form");
    const int form = fit_data_form(d, "Add  R64, r64"), other = fit_data_form(d, "imul r64, r64");
    is_near(d->forms[form].alone, 0.275, 1e-12, "alone is the mean of what was measured alone");
    ok(d->forms[form].times_alone == 2 && d->forms[form].blocks_with == 2, "times it was seen");
    is_near(d->forms[other].alone, 1.5, 1e-12, "never alone: bounded by the fastest block with it");
    ok(d->forms[other].times_alone == 0, "and known to be a bound");
    ok(fit_data_form(d, "sub r64, r64") == -1, "a form in no block has no number");
    ok(d->blocks[2].key == d->blocks[3].key && d->blocks[1].key != d->blocks[2].key,
       "the key of a block does not depend on the order of its forms");
}

static void test_refused(struct arena *a)
{
    static const struct {
        const char *name, *text;
        double cycles, weight;
        enum err_code code;
    } cases[] = {
        {"no cycles", "1 add r64, r64", (double)NAN, 1, ERR_RANGE},
        {"cycles zero", "1 add r64, r64", 0, 1, ERR_RANGE},
        {"cycles negative", "1 add r64, r64", -1, 1, ERR_RANGE},
        {"cycles infinite", "1 add r64, r64", HUGE_VAL, 1, ERR_RANGE},
        {"weight negative", "1 add r64, r64", 1, -1, ERR_RANGE},
        {"weight NaN", "1 add r64, r64", 1, (double)NAN, ERR_RANGE},
        {"no form", "1 add r64,, r64", 1, 1, ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fit_data *d = fit_data_new(a);
        struct err e = {0};
        ok(!add(d, cases[i].text, cases[i].cycles, cases[i].weight, &e) &&
               e.code == cases[i].code && e.loc.line == 7,
           "refused, with its place: %s", cases[i].name);
    }
}

static int shared(const struct fit_traits *t, int one, int other)
{
    int n = 0;
    for (int i = 0; i < t->n_of_form[one]; i++) {
        for (int k = 0; k < t->n_of_form[other]; k++) {
            n += t->of_form[one][i].number == t->of_form[other][k].number;
        }
    }
    return n;
}

static void test_traits(struct arena *a)
{
    static const char *const forms[] = {
        "vaddps ymm, ymm, ymm",
        "vsubps ymm, ymm, ymm",
        "vaddps ymm, ymm, m256",
        "add r64, imm",
        "mov m64, r64",
        "fmla v.4s, v.4s, v.4s",
        "_",
        ",,,,,,,,,,",
    };
    enum { ADDPS, SUBPS, LOADING, INTEGER, STORE };
    struct fit_data *d = fit_data_new(a);
    struct err e = {0};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        add(d, arena_format(a, "1 %s", forms[i]), i == STORE ? 1 : 0.5, 1, &e);
    }
    const struct fit_traits *t = fit_traits_find(d, a);
    ok(shared(t, ADDPS, SUBPS) > shared(t, ADDPS, INTEGER), "vaddps is more like vsubps than add");
    ok(shared(t, ADDPS, LOADING) > shared(t, INTEGER, LOADING),
       "vaddps from memory is more like vaddps than add");
    ok(shared(t, STORE, ADDPS) < shared(t, INTEGER, ADDPS), "a store is like neither");
    for (int i = 0; i < d->n_forms; i++) {
        bool known = t->n_of_form[i] > 3;
        for (int k = 0; k < t->n_of_form[i]; k++) {
            known &= t->of_form[i][k].number < t->n_traits;
        }
        ok(known && t->n_of_form[i] < FIT_TRAITS_OF_FORM_MAX, "traits of %s", d->forms[i].name);
    }
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 26, oom, NULL);
    test_forms(a);
    test_refused(a);
    test_traits(a);
    arena_release(a);
    return tap_done();
}
