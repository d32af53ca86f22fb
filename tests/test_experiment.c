#include "formats/blocks.h"
#include "measure/experiment.h"
#include "measure/probe_alone.h"
#include "measure/probe_stable.h"
#include "tests/tap.h"

#include <stdlib.h>

static void fail_oom(void *context)
{
    (void)context;
    abort();
}

static void test_rounding(void)
{
    int wrong = 0, smaller = 0, tried = 0;

    for (int i = 1; i <= 40; i++) {
        for (int j = 1; j <= 40; j++) {
            const double a = 0.25 * i, b = 0.17 * j;
            const struct experiment_counts n = experiment_round(a, b, 32);
            if (a / b > 16 || b / a > 16) {
                continue;
            }
            const double off = fabs(log((double)n.a / n.b / (a / b)));
            tried++;
            wrong += off > log1p(EXPERIMENT_ROUNDING) || n.a < 1 || n.b < 1 || n.a + n.b > 32;
            for (int total = 2; total < n.a + n.b; total++) {
                for (int x = 1; x < total; x++) {
                    smaller +=
                        fabs(log((double)x / (total - x) / (a / b))) <= log1p(EXPERIMENT_ROUNDING);
                }
            }
        }
    }
    ok(wrong == 0, "%d ratios are rounded within 5 %%", tried);
    ok(smaller == 0, "and no smaller counts would do");
    const struct experiment_counts even = experiment_round(3, 3, 32);
    const struct experiment_counts far = experiment_round(1000, 1, 32);
    ok(even.a == 1 && even.b == 1 && far.a == 31 && far.b == 1,
       "equal is 1 and 1; what is too far apart gets as close as there is room");
}

/* --- forms by hand, so that no CPU decides
 * ------------------------------------------------------ */

enum { FORMS = 40 };

static void make_forms(struct probe_form forms[FORMS])
{
    static const enum probe_kind kinds[] = {PROBE_ANY, PROBE_AVX, PROBE_ANY, PROBE_SSE};

    memset(forms, 0, FORMS * sizeof *forms);
    for (int i = 0; i < FORMS; i++) {
        snprintf(forms[i].code.text, FORM_SIZE, "form%c%c r64, r64", 'a' + i / 26, 'a' + i % 26);
        forms[i].kind = kinds[i % 4];
        forms[i].refused = i % 10 == 9 ? "a test" : NULL;
    }
}

static void test_choice(const struct probe_form *forms, struct arena *a)
{
    int all[FORMS], some[FORMS], by_kind[PROBE_KINDS] = {0};
    const int n_all = experiment_choose(forms, FORMS, 0, 1000, all, a);
    const int n = experiment_choose(forms, FORMS, 0, 20, some, a);
    bool good = true;

    for (int k = 0; k < n; k++) {
        good &= !forms[some[k]].refused && (k == 0 || some[k] > some[k - 1]);
        by_kind[forms[some[k]].kind]++;
    }
    ok(n_all == 36, "more than there are: all that are not refused (%d)", n_all);
    ok(n == 20 && good, "as many as wanted, in order, none refused");
    ok(by_kind[PROBE_ANY] > 4 && by_kind[PROBE_SSE] > 2 && by_kind[PROBE_AVX] > 4,
       "every kind that there is has a share");
}

/* Forms 0 and 4 need 2 before them, 5 needs 2 and 3. */
static void add_companions(struct probe_form forms[FORMS])
{
    static const struct {
        int form, needs;
    } rows[] = {{0, 2}, {4, 2}, {5, 2}, {5, 6}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct probe_form *f = &forms[rows[k].form];
        f->companions[f->n_companions++].form = &forms[rows[k].needs];
    }
}

static void test_companions(struct arena *a)
{
    struct probe_form forms[FORMS];
    int some[FORMS];

    make_forms(forms);
    add_companions(forms);
    is_text(
        experiment_text(
            &(struct probe_block){.items = experiment_alone(&forms[5], a).items, .n_items = 3}, a),
        "1 formac r64, r64; 1 formaf r64, r64; 1 formag r64, r64",
        "alone a form is with what it needs");
    const struct probe_block pair = experiment_pair(&forms[0], 1, &forms[4], 1, a);
    is_text(experiment_text(&pair, a), "1 formaa r64, r64; 2 formac r64, r64; 1 formae r64, r64",
            "of a pair both may need the same");
    int n = experiment_choose(forms, FORMS, 0, 4, some, a);
    bool needs = true;
    for (int k = 0; k < n; k++) {
        const struct probe_form *f = &forms[some[k]];
        for (int j = 0; j < f->n_companions; j++) {
            bool there = false;
            for (int i = 0; i < n; i++) {
                there |= &forms[some[i]] == f->companions[j].form;
            }
            needs &= there;
        }
    }
    ok(n >= 4 && needs, "what forms need is chosen with them");
    n = experiment_choose(forms, FORMS, 12, 6, some, a);
    ok(n == 7 && some[0] == 0 && some[5] == 5 && some[6] == 6,
       "the first come first, as many as wanted, and then what they need (%d)", n);
    n = experiment_choose(forms, FORMS, 3, 20, some, a);
    ok(n >= 20 && some[0] == 0 && some[1] == 1 && some[2] == 2 && some[3] > 2,
       "then the shares of the others");

    const struct probe_form *list[] = {&forms[0], &forms[2], &forms[4], &forms[6], &forms[8]};
    struct random r = {5};
    int wrong = 0;
    for (int k = 0; k < 500; k++) {
        const int size = 2 + k % 14;
        const struct probe_block b = experiment_mix(list, 5, size, &r, a);
        int sum = 0, needed = 0, there = 0;
        for (int i = 0; i < b.n_items; i++) {
            sum += b.items[i].count;
            needed += b.items[i].form->n_companions * b.items[i].count;
            there += b.items[i].form == &forms[2] ? b.items[i].count : 0;
        }
        wrong += sum != size || there < needed;
    }
    ok(wrong == 0, "mixes have their size with what their forms need");
}

/* --- the best of several sequences
 * --------------------------------------------------------------- */

static void test_alone(void)
{
    struct probe_result r[PROBE_SEQUENCES] = {
        {.cycles = 1}, {.cycles = 4}, {.cycles = 2}, {.cycles = 0.9}, {.cycles = 0.95}};
    struct probe_alone x = probe_alone_best(r);
    ok(x.best.cycles == 0.9 && x.registers == 4 && x.all_registers == 1,
       "the fastest sequence counts");
    r[3].cycles = 0.995;
    r[4].cycles = 1.2;
    x = probe_alone_best(r);
    ok(x.best.cycles == 1 && x.registers == 0, "one that is hardly faster does not");
    r[0] = (struct probe_result){.cycles = (double)NAN, .failed = "no two readings agree"};
    x = probe_alone_best(r);
    ok(!x.best.failed && x.best.cycles == 0.995 && isnan(x.all_registers),
       "where the first fails another does");
    for (int k = 0; k < PROBE_SEQUENCES; k++) {
        r[k].failed = k ? "bad address" : "illegal instruction";
    }
    is_text(probe_alone_best(r).best.failed, "illegal instruction",
            "where all fail the first says why");
}

static void test_mixes(const struct probe_form *forms, struct arena *a)
{
    const struct probe_form *list[FORMS];
    struct random r = {3}, again = {3};
    int wrong = 0, different = 0, seen[FORMS] = {0}, unseen = 0, n = 0;

    for (int i = 0; i < FORMS; i++) {
        if (!forms[i].refused) {
            list[n++] = &forms[i];
        }
    }
    for (int k = 0; k < 2000; k++) {
        const int size = 2 + k % 14;
        const struct probe_block b = experiment_mix(list, n, size, &r, a);
        const struct probe_block same = experiment_mix(list, n, size, &again, a);
        int sum = 0;
        for (int i = 0; i < b.n_items; i++) {
            sum += b.items[i].count;
            seen[b.items[i].form - forms]++;
            for (int j = 0; j < i; j++) {
                wrong += !experiment_mixes(b.items[i].form, b.items[j].form) ||
                         b.items[i].form == b.items[j].form;
            }
        }
        wrong += sum != size;
        different += strcmp(experiment_text(&b, a), experiment_text(&same, a)) != 0;
    }
    for (int i = 0; i < n; i++) {
        unseen += seen[list[i] - forms] == 0;
    }
    ok(wrong == 0, "mixes have their size, each form once, and kinds that mix");
    ok(different == 0, "the same random state gives the same blocks");
    ok(unseen == 0, "every form is drawn");
}

static void test_text(const struct probe_form *forms, struct arena *a)
{
    struct probe_item items[] = {{&forms[2], 1}, {&forms[0], 3}};
    struct probe_item turned[] = {{&forms[0], 3}, {&forms[2], 1}};
    const struct probe_block b = {.items = items, .n_items = 2};
    const struct probe_block t = {.items = turned, .n_items = 2};
    struct probe_block read;
    struct block parsed;
    struct err e = {0};
    const char *missing = "";

    is_text(experiment_text(&b, a), "3 formaa r64, r64; 1 formac r64, r64", "a block as text");
    is_text(experiment_text(&t, a), experiment_text(&b, a), "in any order it is the same");
    ok(block_parse(experiment_text(&b, a), LOC_NONE, a, &parsed, &e) &&
           experiment_block(&parsed, forms, FORMS, a, &read, &missing) &&
           strcmp(experiment_text(&read, a), experiment_text(&b, a)) == 0,
       "and is read back");
    parsed.forms[0].form = "nothing r64";
    ok(!experiment_block(&parsed, forms, FORMS, a, &read, &missing) &&
           strcmp(missing, "nothing r64") == 0,
       "a form that is not listed is named");
    const struct probe_block pair = experiment_pair(&forms[0], 0.25, &forms[1], 1, a);
    is_text(experiment_text(&pair, a), "4 formaa r64, r64; 1 formab r64, r64",
            "a pair has as many of each as take the same time");
}

static void test_settling(void)
{
    static const struct {
        double readings[4];
        int n;
        bool settled;
        double cycles;
    } rows[] = {
        {{1.0}, 1, false, 0},
        {{1.0, 1.004}, 2, true, 1.002},
        {{1.0, 1.2}, 2, false, 0},
        {{1.2, 1.2, 1.0}, 3, false, 0}, /* a lower one throws doubt on the rest */
        {{1.2, 1.0, 1.5, 1.0}, 4, true, 1.0},
        {{NAN, NAN}, 2, false, 0},
        {{NAN, 1.0}, 2, false, 0},
        {{NAN, 1.0, 1.0}, 3, true, 1.0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double cycles;
        const bool settled = probe_settled(rows[k].readings, rows[k].n, &cycles);
        ok(settled == rows[k].settled && (!settled || fabs(cycles - rows[k].cycles) < 1e-12),
           "readings %zu: %s", k, rows[k].settled ? "settled" : "not settled");
    }
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 26, fail_oom, NULL);
    struct probe_form forms[FORMS];

    make_forms(forms);
    test_rounding();
    test_choice(forms, a);
    test_companions(a);
    test_alone();
    test_mixes(forms, a);
    test_text(forms, a);
    test_settling();
    arena_release(a);
    return tap_done();
}
