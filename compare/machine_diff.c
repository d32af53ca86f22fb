#include "compare/machine_diff.h"

#include "base/items.h"
#include "base/names.h"
#include "code/form.h"
#include "compare/report.h"
#include "formats/machine_fields.h"
#include "model/latency.h"
#include "model/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL      1e-9 /* what arithmetic alone may make of one number */
#define SLOWEST    20.0 /* cycles: a slower form hides what runs beside it */
#define BLOCK_MIN  3
#define BLOCK_MAX  12
#define BLOCKS_MAX 1000000

const char *const difference_names[DIFFERENCE_KINDS] = {
    [DIFFERENCE_FACT] = "fact", [DIFFERENCE_ROOF] = "roof",     [DIFFERENCE_PORTS] = "ports",
    [DIFFERENCE_FORM] = "form", [DIFFERENCE_CYCLES] = "cycles", [DIFFERENCE_LATENCY] = "latency",
};

enum side { LEFT, RIGHT };

struct differ {
    struct machine_diff *out;
    struct arena *a;
    const struct machine *m[2];
    struct oracle oracle[2];
    const char **forms; /* of either file, patterns filled in, each once */
    int n_forms;
    const char **drawn; /* known to both, and neither free nor slow */
};

/* --- differences --------------------------------------------------------------------------------
 */

static struct difference *add(struct differ *d, enum difference_kind kind, const char *what,
                              const char *left, const char *right)
{
    struct machine_diff *out = d->out;
    out->list = arena_grow(d->a, out->list, out->n, &out->capacity, sizeof *out->list);
    out->list[out->n] =
        (struct difference){kind, what, left, right, (double)NAN, (double)NAN, (double)NAN};
    out->n_of_kind[kind]++;
    return &out->list[out->n++];
}

static void compare_words(struct differ *d, enum difference_kind kind, const char *what,
                          const char *left, const char *right)
{
    if (left != right && (!left || !right || strcmp(left, right) != 0)) {
        add(d, kind, what, left, right);
    }
}

/* NaN: the file does not say. */
static const char *number_words(struct differ *d, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    return isnan(value) ? NULL : arena_format(d->a, "%s", report_number(value, digits));
}

static bool near(const struct machine_diff *d, double left, double right)
{
    const double allowed = fmax(d->o.tolerance, EQUAL) * fmax(fabs(left), fabs(right));
    return fabs(left - right) <= allowed;
}

static void compare_numbers(struct differ *d, enum difference_kind kind, const char *what,
                            double left, double right)
{
    if ((isnan(left) && isnan(right)) || near(d->out, left, right)) {
        return;
    }
    struct difference *one = add(d, kind, what, number_words(d, left), number_words(d, right));
    one->left_value = left;
    one->right_value = right;
    one->ratio = left != 0 && right != 0 ? right / left : (double)NAN;
}

/* --- facts --------------------------------------------------------------------------------------
 */

static double number_at(const struct machine *m, size_t offset)
{
    double value;
    memcpy(&value, (const char *)m + offset, sizeof value);
    return value;
}

static const char *bool_at(const struct machine *m, size_t offset)
{
    bool value;
    memcpy(&value, (const char *)m + offset, sizeof value);
    return value ? "true" : "false";
}

/* Every number and truth value of a table of keys. */
static void compare_fields(struct differ *d, const char *group, const struct field *fields)
{
    for (; fields->key; fields++) {
        const char *what = arena_format(d->a, "%s.%s", group, fields->key);
        const size_t at = fields->offset;
        if (fields->kind == FIELD_NUMBER) {
            compare_numbers(d, DIFFERENCE_FACT, what, number_at(d->m[LEFT], at),
                            number_at(d->m[RIGHT], at));
        } else if (fields->kind == FIELD_BOOL) {
            compare_words(d, DIFFERENCE_FACT, what, bool_at(d->m[LEFT], at),
                          bool_at(d->m[RIGHT], at));
        }
    }
}

struct word_list {
    const char *what;
    const char *const *words;
    int n;
};

static bool has_word(const struct word_list *list, const char *word)
{
    for (int i = 0; i < list->n; i++) {
        if (strcmp(list->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void compare_lists(struct differ *d, const struct word_list *left,
                          const struct word_list *right)
{
    for (int i = 0; i < left->n; i++) {
        if (!has_word(right, left->words[i])) {
            add(d, DIFFERENCE_FACT, left->what, left->words[i], NULL);
        }
    }
    for (int i = 0; i < right->n; i++) {
        if (!has_word(left, right->words[i])) {
            add(d, DIFFERENCE_FACT, right->what, NULL, right->words[i]);
        }
    }
}

static struct word_list ports_of(struct differ *d, const struct machine *m, const char *what,
                                 uint32_t ports)
{
    const char **names = arena_new(d->a, const char *, (size_t)m->n_ports);
    int n = 0;
    for (int p = 0; p < m->n_ports; p++) {
        if (ports >> p & 1) {
            names[n++] = m->ports[p];
        }
    }
    return (struct word_list){what, names, n};
}

static void compare_core(struct differ *d)
{
    static const char *const answers[] = {NULL, "false", "true"};
    const struct machine *l = d->m[LEFT], *r = d->m[RIGHT];
    struct word_list ports[2], loads[2];
    for (enum side s = LEFT; s <= RIGHT; s++) {
        ports[s] = ports_of(d, d->m[s], "core.ports", UINT32_MAX);
        loads[s] = ports_of(d, d->m[s], "core.load_ports", d->m[s]->load_ports);
    }
    compare_lists(d, &ports[LEFT], &ports[RIGHT]);
    compare_lists(d, &loads[LEFT], &loads[RIGHT]);
    compare_words(d, DIFFERENCE_FACT, "isa", l->isa, r->isa);
    compare_fields(d, "clock_hz", machine_clock_fields);
    compare_fields(d, "core", machine_core_fields);
    compare_words(d, DIFFERENCE_FACT, "core.write_allocate", answers[l->write_allocate + 1],
                  answers[r->write_allocate + 1]);
}

static const struct machine_cache *cache_named(const struct machine *m, const char *name)
{
    for (int i = 0; i < m->n_caches; i++) {
        if (strcmp(m->caches[i].name, name) == 0) {
            return &m->caches[i];
        }
    }
    return NULL;
}

static void compare_caches(struct differ *d)
{
    static const struct machine_cache none = {
        .size_bytes = NAN, .line_bytes = NAN, .shared_by_cores = NAN};
    for (const char *const *level = field_levels; *level; level++) {
        const struct machine_cache *l = cache_named(d->m[LEFT], *level);
        const struct machine_cache *r = cache_named(d->m[RIGHT], *level);
        l = l ? l : &none;
        r = r ? r : &none;
        compare_numbers(d, DIFFERENCE_FACT, arena_format(d->a, "caches.%s.size_bytes", *level),
                        l->size_bytes, r->size_bytes);
        compare_numbers(d, DIFFERENCE_FACT, arena_format(d->a, "caches.%s.line_bytes", *level),
                        l->line_bytes, r->line_bytes);
        compare_numbers(d, DIFFERENCE_FACT, arena_format(d->a, "caches.%s.shared_by_cores", *level),
                        l->shared_by_cores, r->shared_by_cores);
    }
}

static struct word_list fusions_of(struct differ *d, const struct machine *m)
{
    const char **pairs = arena_new(d->a, const char *, (size_t)m->n_fusions);
    for (int i = 0; i < m->n_fusions; i++) {
        pairs[i] = arena_format(d->a, "%s + %s", m->fusions[i].first, m->fusions[i].second);
    }
    return (struct word_list){"fusion", pairs, m->n_fusions};
}

static void compare_rules(struct differ *d)
{
    struct word_list idioms[2], moves[2], fusions[2];
    for (enum side s = LEFT; s <= RIGHT; s++) {
        const struct machine *m = d->m[s];
        idioms[s] = (struct word_list){"zero_idioms", m->zero_idioms, m->n_zero_idioms};
        moves[s] =
            (struct word_list){"eliminated_moves", m->eliminated_moves, m->n_eliminated_moves};
        fusions[s] = fusions_of(d, m);
    }
    compare_lists(d, &idioms[LEFT], &idioms[RIGHT]);
    compare_lists(d, &moves[LEFT], &moves[RIGHT]);
    compare_lists(d, &fusions[LEFT], &fusions[RIGHT]);
}

/* --- roofs --------------------------------------------------------------------------------------
 */

static double roof_rate(const struct machine *m, const struct roof *like)
{
    const struct roof *r =
        roof_find(m->roofs, m->n_roofs, like->name, like->isa, like->level, like->threads);
    return r ? r->rate : (double)NAN;
}

static double chain_fraction(const struct machine *m, const struct machine_chain_point *like)
{
    for (int i = 0; i < m->n_chain_curve; i++) {
        const struct machine_chain_point *p = &m->chain_curve[i];
        if (p->chains == like->chains && strcmp(p->isa, like->isa) == 0) {
            return p->fraction;
        }
    }
    return (double)NAN;
}

/* What the left file has, and then what only the right one has. */
static void compare_roofs(struct differ *d)
{
    const struct machine *l = d->m[LEFT], *r = d->m[RIGHT];
    for (enum side s = LEFT; s <= RIGHT; s++) {
        for (int i = 0; i < d->m[s]->n_roofs; i++) {
            const struct roof *roof = &d->m[s]->roofs[i];
            if (s == LEFT || isnan(roof_rate(l, roof))) {
                compare_numbers(d, DIFFERENCE_ROOF,
                                arena_format(d->a, "%s %s %s %d thread%s, %s", roof->name,
                                             roof->isa, roof->level, roof->threads,
                                             roof->threads == 1 ? "" : "s", roof->unit),
                                roof_rate(l, roof), roof_rate(r, roof));
            }
        }
        for (int i = 0; i < d->m[s]->n_chain_curve; i++) {
            const struct machine_chain_point *p = &d->m[s]->chain_curve[i];
            if (s == LEFT || isnan(chain_fraction(l, p))) {
                compare_numbers(d, DIFFERENCE_ROOF,
                                arena_format(d->a, "FMA rate of %d chains, %s, of that of many",
                                             p->chains, p->isa),
                                chain_fraction(l, p), chain_fraction(r, p));
            }
        }
    }
}

/* --- what resources stand for -------------------------------------------------------------------
 */

const char *machine_diff_resources(const struct machine *m, const char *ports, struct arena *a)
{
    struct text t = {.arena = a};
    for (int i = 0; i < m->n_meanings; i++) {
        if (strcmp(m->meanings[i].ports, ports) == 0) {
            text_add(&t, "%s%s (%.2f)", t.len ? ", " : "", m->meanings[i].resource,
                     m->meanings[i].match);
        }
    }
    return t.data;
}

static void compare_meanings(struct differ *d)
{
    struct names seen = {.arena = d->a};
    if (d->m[LEFT]->n_meanings == 0 || d->m[RIGHT]->n_meanings == 0) {
        return;
    }
    for (enum side s = LEFT; s <= RIGHT; s++) {
        for (int i = 0; i < d->m[s]->n_meanings; i++) {
            const char *ports = d->m[s]->meanings[i].ports;
            const char *left = machine_diff_resources(d->m[LEFT], ports, d->a);
            const char *right = machine_diff_resources(d->m[RIGHT], ports, d->a);
            if ((!left || !right) && !names_add(&seen, NULL, ports, d)) {
                add(d, DIFFERENCE_PORTS, ports, left, right);
            }
        }
    }
}

/* --- forms --------------------------------------------------------------------------------------
 */

static const struct cost_row *row_of(struct differ *d, enum side s, const char *form)
{
    return cost_of_form(d->oracle[s].cost.table, form);
}

static bool knows(struct differ *d, enum side s, const char *form)
{
    return row_of(d, s, form)->kind != COST_UNKNOWN;
}

/* Whether the file has a form of its own that the pattern stands for, if not the one taken for
 * it. */
static bool has_one_of(const struct machine *m, const char *pattern)
{
    for (int i = 0; i < m->n_forms; i++) {
        char form[FORM_SIZE];
        if (form_normalise(m->forms[i].form, form) && form_matches(pattern, form)) {
            return true;
        }
    }
    return false;
}

static bool in_view(const struct machine *m, const struct machine_form *f)
{
    return cost_view_of(m) == COST_PORTS ? f->has_uops : f->n_uses > 0;
}

static void collect_forms(struct differ *d, enum side s, struct names *seen)
{
    const struct machine *m = d->m[s];
    for (int i = 0; i < m->n_forms; i++) {
        char pattern[FORM_SIZE], form[FORM_SIZE];
        const bool fine = in_view(m, &m->forms[i]) && form_normalise(m->forms[i].form, pattern);
        for (int width = 0; fine && width < FORM_WIDTHS; width++) {
            const bool filled = form_instance(pattern, width, form);
            const bool other = filled && strstr(pattern, "cc") && !knows(d, !s, form) &&
                               has_one_of(d->m[!s], pattern);
            if (filled && !other && !names_find(seen, NULL, form)) {
                d->forms[d->n_forms] = arena_format(d->a, "%s", form);
                names_add(seen, NULL, d->forms[d->n_forms], d);
                d->n_forms++;
            }
        }
    }
}

static double alone(struct differ *d, enum side s, const char *form)
{
    struct form_count one = {form, 1};
    struct block b = {.forms = &one, .n_forms = 1};
    struct err ignored = {0};
    return oracle_tell(&d->oracle[s], &b, &ignored) ? b.cycles : (double)NAN;
}

static bool worth_drawing(double cycles)
{
    return cycles > 0 && cycles <= SLOWEST;
}

/* What either file says of a pair of operands, if one says anything. */
static void compare_latency(struct differ *d, const char *form, int from, int to)
{
    const double left = latency_of(row_of(d, LEFT, form), from, to);
    const double right = latency_of(row_of(d, RIGHT, form), from, to);
    if (!isnan(left) && !isnan(right)) {
        compare_numbers(d, DIFFERENCE_LATENCY,
                        from ? arena_format(d->a, "%s, operand %d to %d", form, from, to) : form,
                        left, right);
    }
}

static void compare_latencies(struct differ *d, const char *form)
{
    bool asked[9][9] = {{false}}; /* operands are 0 to 8 (machine_latency_fields) */
    for (enum side s = LEFT; s <= RIGHT; s++) {
        const struct machine_form *f = row_of(d, s, form)->described;
        for (int i = 0; f && i < f->n_latencies; i++) {
            asked[f->latencies[i].source][f->latencies[i].destination] = true;
        }
    }
    for (int from = 0; from < 9; from++) {
        for (int to = 0; to < 9; to++) {
            if (asked[from][to]) {
                compare_latency(d, form, from, to);
            }
        }
    }
}

static void compare_forms(struct differ *d)
{
    struct names seen = {.arena = d->a};
    const size_t most = FORM_WIDTHS * (size_t)(d->m[LEFT]->n_forms + d->m[RIGHT]->n_forms);
    d->forms = arena_new(d->a, const char *, most);
    d->drawn = arena_new(d->a, const char *, most);
    collect_forms(d, LEFT, &seen);
    collect_forms(d, RIGHT, &seen);
    for (int i = 0; i < d->n_forms; i++) {
        const char *form = d->forms[i];
        const double left = alone(d, LEFT, form), right = alone(d, RIGHT, form);
        if (isnan(left) || isnan(right)) {
            compare_numbers(d, DIFFERENCE_FORM, form, left, right);
            continue;
        }
        d->out->n_common++;
        compare_numbers(d, DIFFERENCE_CYCLES, form, left, right);
        compare_latencies(d, form);
        if (worth_drawing(left) && worth_drawing(right)) {
            d->drawn[d->out->n_drawn_from++] = form;
        }
    }
}

/* --- predictions --------------------------------------------------------------------------------
 */

static const char *block_text(struct differ *d, const struct block *b)
{
    struct text t = {.arena = d->a};
    for (int k = 0; k < b->n_forms; k++) {
        text_add(&t, "%s%g %s", k ? "; " : "", b->forms[k].count, b->forms[k].form);
    }
    return t.data;
}

static bool compare_predictions(struct differ *d, struct err *e)
{
    struct machine_diff *out = d->out;
    struct block_set *s = &out->blocks;
    struct random r = {out->o.seed};
    const int n = out->n_drawn_from ? out->o.n_blocks : 0;
    double *right = arena_new(d->a, double, (size_t)n);
    s->rows = arena_new(d->a, struct block_row, (size_t)n);
    s->tools[s->n_tools++] = (struct block_tool){out->right->name, right};
    for (s->n = 0; s->n < n; s->n++) {
        const int size = BLOCK_MIN + random_below(&r, BLOCK_MAX - BLOCK_MIN + 1);
        struct block b = oracle_mix(&d->oracle[LEFT], d->drawn, out->n_drawn_from, size, d->a);
        struct block same = b;
        if (!oracle_tell(&d->oracle[LEFT], &b, e) || !oracle_tell(&d->oracle[RIGHT], &same, e)) {
            return false;
        }
        right[s->n] = same.cycles;
        s->rows[s->n] = (struct block_row){.name = block_text(d, &b),
                                           .cycles = b.cycles,
                                           .weight = 1,
                                           .instructions = size,
                                           .forms = b.forms,
                                           .n_forms = b.n_forms};
        out->worst = fmax(out->worst, fabs(same.cycles / b.cycles - 1));
        out->n_apart += !near(out, b.cycles, same.cycles);
    }
    if (n > 0) {
        block_score_of(s, 0, d->a, &out->score);
    }
    return true;
}

/* --- all of it ----------------------------------------------------------------------------------
 */

/* What only one file says comes after what both say, and of that the furthest apart first. */
static double distance(const struct difference *d)
{
    return isnan(d->ratio) ? (d->left && d->right ? HUGE_VAL : -1) : fabs(log(d->ratio));
}

/* Several rules of one kind have the same name. */
static int by_text(const struct difference *a, const struct difference *b)
{
    const int what = strcmp(a->what, b->what);
    const int left = strcmp(a->left ? a->left : "", b->left ? b->left : "");
    return what ? what : left ? left : strcmp(a->right ? a->right : "", b->right ? b->right : "");
}

static int by_kind_and_distance(const void *x, const void *y)
{
    const struct difference *a = x, *b = y;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    const double one = distance(a), other = distance(b);
    const bool ordered = a->kind == DIFFERENCE_CYCLES || a->kind == DIFFERENCE_LATENCY;
    return ordered && one != other ? (one < other) - (one > other) : by_text(a, b);
}

bool machine_diff_found(const struct machine_diff *d)
{
    return d->n > 0 || d->n_apart > 0;
}

static bool can_compare(const struct machine_diff_options *o, struct err *e)
{
    if (!(o->tolerance >= 0)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "the tolerance is a number from 0 on");
    }
    return (o->n_blocks >= 0 && o->n_blocks <= BLOCKS_MAX) ||
           err_set(e, ERR_RANGE, LOC_NONE, "the number of blocks lies in 0 to %d", BLOCKS_MAX);
}

bool machine_diff(const struct machine *left, const struct machine *right,
                  const struct machine_diff_options *o, struct arena *a, struct machine_diff *out,
                  struct err *e)
{
    struct differ d = {.out = out, .a = a, .m = {left, right}};
    *out = (struct machine_diff){.left = left, .right = right, .o = *o};
    if (!can_compare(o, e) || !oracle_open(left, 0, o->seed, a, &d.oracle[LEFT], e) ||
        !oracle_open(right, 0, o->seed, a, &d.oracle[RIGHT], e)) {
        return false;
    }
    compare_core(&d);
    compare_caches(&d);
    compare_rules(&d);
    compare_roofs(&d);
    compare_meanings(&d);
    compare_forms(&d);
    if (!compare_predictions(&d, e)) {
        return false;
    }
    items_sort(out->list, out->n, sizeof *out->list, by_kind_and_distance);
    return true;
}
