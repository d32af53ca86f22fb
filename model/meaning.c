#include "model/meaning.h"

#include "base/text.h"
#include "model/cost_table.h"

#include <math.h>

#define FILLS 0.999 /* share of its time that a form fills what decides it */

/* Shares of the forms that both files know, in both. */
struct shares {
    struct cost_table *inferred, *documented;
    const char **forms;
    int n_forms;
    int n_left, n_right;  /* resources of either */
    double *left, *right; /* [n_forms][n_left], [n_forms][n_right] */
};

/* False where the form takes no time. */
static bool take_shares(const struct cost_row *row, int n, double *out)
{
    double alone = 0;
    for (int r = 0; r < n; r++) {
        alone = fmax(alone, row->cycles[r]);
    }
    for (int r = 0; r < n; r++) {
        out[r] = alone > 0 ? row->cycles[r] / alone : 0;
    }
    return alone > 0;
}

static double *left_row(const struct shares *s, int form)
{
    return s->left + (size_t)form * (size_t)s->n_left;
}

static double *right_row(const struct shares *s, int form)
{
    return s->right + (size_t)form * (size_t)s->n_right;
}

static void collect(struct shares *s, const struct machine *inferred, struct arena *a)
{
    const size_t n = (size_t)inferred->n_forms;
    s->n_left = cost_n_resources(s->inferred);
    s->n_right = cost_n_resources(s->documented);
    s->forms = arena_new(a, const char *, n);
    s->left = arena_new(a, double, n *(size_t)s->n_left);
    s->right = arena_new(a, double, n *(size_t)s->n_right);
    for (int i = 0; i < inferred->n_forms; i++) {
        const char *form = inferred->forms[i].form;
        const struct cost_row *left = cost_of_form(s->inferred, form);
        const struct cost_row *right = cost_of_form(s->documented, form);
        if (left->kind != COST_UNKNOWN && right->kind != COST_UNKNOWN &&
            take_shares(left, s->n_left, left_row(s, s->n_forms)) &&
            take_shares(right, s->n_right, right_row(s, s->n_forms))) {
            s->forms[s->n_forms++] = form;
        }
    }
}

static double match_of(const struct shares *s, int r, int q)
{
    double both = 0, either = 0;
    for (int i = 0; i < s->n_forms; i++) {
        const double left = left_row(s, i)[r], right = right_row(s, i)[q];
        both += left * right;
        either += fmax(left, right) * fmax(left, right);
    }
    return either > 0 ? both / either : 0;
}

/* By how much a resource decides the time of a form ahead of all others; 0: it does not. */
static double margin(const double *shares, int n, int decides)
{
    double next = 0;
    for (int r = 0; r < n; r++) {
        next = r == decides ? next : fmax(next, shares[r]);
    }
    return shares[decides] > FILLS ? 1 - next : 0;
}

/* The form that shows most clearly that both are one: nothing else keeps it waiting. */
static const char *blocker_of(const struct shares *s, int r, int q)
{
    const char *best = NULL;
    double widest = 0;
    for (int i = 0; i < s->n_forms; i++) {
        const double clear =
            fmin(margin(left_row(s, i), s->n_left, r), margin(right_row(s, i), s->n_right, q));
        best = clear > widest ? s->forms[i] : best;
        widest = fmax(widest, clear);
    }
    return best;
}

static const char *port_words(const struct machine *m, uint32_t ports, struct arena *a)
{
    struct text t = {.arena = a};
    if (!ports) {
        return "front end";
    }
    for (int p = 0; p < m->n_ports; p++) {
        if (ports >> p & 1) {
            text_add(&t, "%s%s", t.len ? "|" : "", m->ports[p]);
        }
    }
    return t.data;
}

static void explain(const struct shares *s, const struct machine *inferred,
                    const struct machine *documented, int r, struct arena *a, struct meanings *out)
{
    double best = 0;
    int q = 0;
    for (int k = 0; k < s->n_right; k++) {
        const double match = match_of(s, r, k);
        q = match > best ? k : q;
        best = fmax(best, match);
    }
    if (best >= MEANING_MATCH_MIN) {
        out->list[out->n++] = (struct machine_meaning){
            .resource = inferred->resources[r],
            .ports = port_words(documented, cost_resources(s->documented)[q].ports, a),
            .match = rint(best * 1e3) / 1e3, /* no data are better than that */
            .blocked_by = blocker_of(s, r, q),
            .source = documented->name,
        };
    }
}

bool meanings_find(const struct machine *inferred, const struct machine *documented,
                   struct arena *a, struct meanings *out, struct err *e)
{
    struct shares s = {0};
    s.inferred = cost_compile(inferred, COST_RESOURCES, a, e);
    s.documented = s.inferred ? cost_compile(documented, COST_PORTS, a, e) : NULL;
    if (!s.documented) {
        return false;
    }
    collect(&s, inferred, a);
    *out = (struct meanings){.n_common = s.n_forms};
    out->list = arena_new(a, struct machine_meaning, (size_t)s.n_left);
    for (int r = 0; r < s.n_left; r++) {
        explain(&s, inferred, documented, r, a, out);
    }
    return true;
}
