#include "model/check.h"

#include "base/items.h"
#include "code/form.h"
#include "model/cost_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    const struct machine *m;
    struct arena *a;
    struct findings found;
    char (*forms)[FORM_SIZE]; /* [m->n_forms] normalised; "" where that fails */
};

__attribute__((format(printf, 4, 5))) static void add(struct checker *c, enum finding_level level,
                                                      struct loc loc, const char *format, ...)
{
    char text[sizeof((struct err *)0)->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct findings *f = &c->found;
    f->list = arena_grow(c->a, f->list, f->n, &f->capacity, sizeof *f->list);
    f->list[f->n++] = (struct finding){level, loc, arena_copy(c->a, text, strlen(text))};
    f->n_errors += level == FINDING_ERROR;
}

static struct loc file_loc(const struct checker *c)
{
    return (struct loc){.file = c->m->file};
}

/* --- forms --- */

static void check_spelling(struct checker *c)
{
    c->forms = arena_alloc(c->a, (size_t)c->m->n_forms, FORM_SIZE);
    for (int i = 0; i < c->m->n_forms; i++) {
        const struct machine_form *f = &c->m->forms[i];
        if (form_normalise(f->form, c->forms[i]) && strcmp(f->form, c->forms[i]) != 0) {
            add(c, FINDING_REMARK, f->loc, "'%.60s' is spelled '%s' elsewhere in this program",
                f->form, c->forms[i]);
        }
    }
}

/* What the model refuses in one view, by asking it again without each form that it refused. */
static void check_conflicts(struct checker *c, enum cost_view view)
{
    struct machine rest = *c->m;
    rest.forms = arena_new(c->a, struct machine_form, (size_t)rest.n_forms);
    items_copy(rest.forms, c->m->forms, (size_t)rest.n_forms, sizeof *rest.forms);
    rest.n_zero_idioms = rest.n_eliminated_moves = rest.n_fusions = 0;
    for (;;) {
        struct err e = {0};
        int bad = 0;
        if (cost_compile(&rest, view, c->a, &e)) {
            return;
        }
        add(c, FINDING_ERROR, e.loc, "%s", e.text);
        while (bad < rest.n_forms && rest.forms[bad].loc.line != e.loc.line) {
            bad++;
        }
        if (bad == rest.n_forms) {
            return;
        }
        rest.n_forms--;
        memmove(&rest.forms[bad], &rest.forms[bad + 1],
                (size_t)(rest.n_forms - bad) * sizeof *rest.forms);
    }
}

static int count_operands(const char *form)
{
    const char *at = strchr(form, ' ');
    int n = at != NULL;

    for (; at && *at; at++) {
        n += *at == ',';
    }
    return n;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the first operand is a register that the instruction writes. */
static bool writes_register(const char *form)
{
    /* Mnemonics begin like these; where a blank follows they are these: cmpps writes, cmp does not,
     * and tbl is a look-up, tbz a branch. */
    static const char *const readers[] = {
        "cmp ",   "cmn ",    "test ",  "tst ",    "bt ",    "st",      "cbz ",  "cbnz ",
        "tbz ",   "tbnz ",   "b ",     "b.",      "j",      "nop",     "prf",   "pref",
        "push ",  "call ",   "ret",    "fcmp",    "ucomis", "vucomis", "comis", "vcomis",
        "ptest ", "vptest ", "vtestp", "kortest", "ktest"};
    const char *operand = strchr(form, ' ');

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (begins(form, readers[i])) {
            return false;
        }
    }
    return operand && !form_operand_is_memory(operand + 1);
}

static void check_latency(struct checker *c, int i, const struct machine_latency *l)
{
    const struct machine_form *f = &c->m->forms[i];
    const int n = count_operands(c->forms[i]);

    if (l->source > n || l->destination > n) {
        add(c, FINDING_ERROR, f->loc, "latency from %d to %d: '%s' has %d operands", l->source,
            l->destination, c->forms[i], n);
    }
    if (l->least_cycles > l->cycles || l->most_cycles < l->cycles || l->fast_cycles > l->cycles) {
        add(c, FINDING_ERROR, f->loc,
            "latency from %d to %d of '%s': least_cycles and fast_cycles are at most cycles, "
            "most_cycles at least",
            l->source, l->destination, c->forms[i]);
    }
    if ((l->source_name && l->source) || (l->destination_name && l->destination)) {
        add(c, FINDING_ERROR, f->loc,
            "latency from %d to %d of '%s': only operand 0, which the form does not write, is "
            "named",
            l->source, l->destination, c->forms[i]);
    }
}

static void check_latencies(struct checker *c)
{
    for (int i = 0; i < c->m->n_forms; i++) {
        const struct machine_form *f = &c->m->forms[i];
        if (f->has_uops && f->n_latencies == 0 && writes_register(c->forms[i])) {
            add(c, FINDING_REMARK, f->loc, "'%s' has no latency: chains through it are unbounded",
                c->forms[i]);
        }
        for (int k = 0; k < f->n_latencies; k++) {
            check_latency(c, i, &f->latencies[k]);
        }
    }
}

/* --- rules about forms --- */

/* Whether some form of the file is what a rule speaks of. */
static bool concerns_a_form(const struct checker *c, const char *rule)
{
    for (int i = 0; i < c->m->n_forms; i++) {
        if (strcmp(rule, c->forms[i]) == 0 || form_matches(rule, c->forms[i]) ||
            form_matches(c->forms[i], rule)) {
            return true;
        }
    }
    return false;
}

static void check_rule(struct checker *c, struct loc loc, const char *what, const char *rule)
{
    char normal[FORM_SIZE];

    if (!form_normalise(rule, normal)) {
        add(c, FINDING_ERROR, loc, "%s '%.60s' is no form of an instruction", what, rule);
    } else if (!concerns_a_form(c, normal)) {
        add(c, FINDING_ERROR, loc, "%s '%s' is none of the file's forms: list it there too", what,
            normal);
    }
}

static void check_rules(struct checker *c)
{
    for (int i = 0; i < c->m->n_zero_idioms; i++) {
        check_rule(c, file_loc(c), "zero idiom", c->m->zero_idioms[i]);
    }
    for (int i = 0; i < c->m->n_eliminated_moves; i++) {
        check_rule(c, file_loc(c), "eliminated move", c->m->eliminated_moves[i]);
    }
    for (int i = 0; i < c->m->n_fusions; i++) {
        const struct machine_fusion *f = &c->m->fusions[i];
        check_rule(c, f->loc, "first of a fused pair", f->first);
        check_rule(c, f->loc, "second of a fused pair", f->second);
    }
}

/* --- ports --- */

static uint32_t ports_of(const struct machine_uop *uops, int n)
{
    uint32_t ports = 0;

    for (int i = 0; i < n; i++) {
        ports |= uops[i].ports;
    }
    return ports;
}

static uint32_t ports_used(const struct machine *m)
{
    uint32_t used = 0;

    for (int i = 0; i < m->n_forms; i++) {
        used |= ports_of(m->forms[i].uops, m->forms[i].n_uops);
    }
    for (int i = 0; i < m->n_fusions; i++) {
        used |= ports_of(m->fusions[i].uops, m->fusions[i].n_uops);
    }
    return used;
}

static void check_ports(struct checker *c)
{
    const struct machine *m = c->m;
    const uint32_t used = ports_used(m);
    int n_used = 0;

    for (int p = 0; p < m->n_ports; p++) {
        const bool is_used = used & (uint32_t)1 << p;
        n_used += is_used;
        if (!is_used) {
            add(c, FINDING_REMARK, m->dispatch_width_loc, "nothing goes to port %s", m->ports[p]);
        }
    }
    if (cost_view_of(m) == COST_PORTS && m->dispatch_width > n_used) {
        add(c, FINDING_ERROR, m->dispatch_width_loc,
            "dispatch_width %g, but only %d ports execute anything: the front end cannot bind",
            m->dispatch_width, n_used);
    }
    if (isnan(m->dispatch_width)) {
        add(c, FINDING_REMARK, m->dispatch_width_loc,
            "no dispatch_width: there is no bound by the front end");
    }
}

static void check_crossings(struct checker *c)
{
    const struct machine *m = c->m;
    const bool counts = !isnan(m->line_crossing_load_slots);
    bool some_load = false;

    if (counts && m->load_ports == 0) {
        add(c, FINDING_ERROR, m->dispatch_width_loc,
            "line_crossing_load_slots without load_ports, whose slots they are");
    }
    for (int i = 0; i < m->n_forms; i++) {
        for (int u = 0; u < m->forms[i].n_uops; u++) {
            some_load |= (m->forms[i].uops[u].ports & m->load_ports) == m->load_ports;
        }
    }
    if (m->load_ports != 0 && !some_load) {
        add(c, FINDING_ERROR, m->dispatch_width_loc, "no form may use all of load_ports");
    }
    if (!counts) {
        add(c, FINDING_REMARK, m->dispatch_width_loc,
            "no line_crossing_load_slots: kernels with crossing loads have no port bound");
    }
}

/* --- the rest of the machine --- */

static void check_caches(struct checker *c)
{
    const struct machine *m = c->m;

    for (int i = 1; i < m->n_caches; i++) {
        const struct machine_cache *inner = &m->caches[i - 1], *outer = &m->caches[i];
        if (strcmp(outer->name, inner->name) <= 0) {
            add(c, FINDING_ERROR, outer->loc, "%s after %s: nearest the core first", outer->name,
                inner->name);
        } else if (outer->size_bytes <= inner->size_bytes) {
            add(c, FINDING_ERROR, outer->loc, "%s of %g bytes is no larger than %s of %g",
                outer->name, outer->size_bytes, inner->name, inner->size_bytes);
        }
    }
    if (m->n_caches == 0) {
        add(c, FINDING_REMARK, file_loc(c), "no caches");
    }
}

static void check_clock(struct checker *c)
{
    const struct machine *m = c->m;

    if (m->clock_all_cores_hz > m->clock_one_core_hz) {
        add(c, FINDING_ERROR, file_loc(c), "clock_hz: all cores at %g, one core at %g: swapped?",
            m->clock_all_cores_hz, m->clock_one_core_hz);
    }
    if (isnan(m->clock_one_core_hz)) {
        add(c, FINDING_REMARK, file_loc(c),
            "clock_hz of one core is unknown: bounds are in cycles");
    }
    if (m->n_matches == 0) {
        add(c, FINDING_REMARK, file_loc(c), "no match: no host is detected as this machine");
    }
}

static void check_chain_curve(struct checker *c)
{
    const struct machine *m = c->m;

    for (int i = 1; i < m->n_chain_curve; i++) {
        const struct machine_chain_point *less = &m->chain_curve[i - 1], *more = &m->chain_curve[i];
        if (strcmp(less->isa, more->isa) == 0 && less->chains >= more->chains) {
            add(c, FINDING_ERROR, file_loc(c), "chain_curve: %d chains after %d: in rising order",
                more->chains, less->chains);
        }
    }
}

/* Numbers that somebody remembered are usable, and to be said; a skeleton's sources are none. */
static void check_source(struct checker *c, struct loc loc, const char *what, const char *source)
{
    if (source && strstr(source, "recalled, unchecked")) {
        add(c, FINDING_REMARK, loc, "%s: recalled, unchecked, in part or whole", what);
    } else if (source && strncmp(source, "say where", 9) == 0) {
        add(c, FINDING_REMARK, loc, "%s: the source is still to be filled in", what);
    }
}

static bool differ(const char *one, const char *other)
{
    return !one || !other || strcmp(one, other) != 0;
}

/* What a group shares is said once. */
static void check_sources(struct checker *c)
{
    const struct machine *m = c->m;

    check_source(c, file_loc(c), "clock_hz", m->clock_source);
    check_source(c, m->dispatch_width_loc, "core", m->core_source);
    check_source(c, file_loc(c), "idioms and moves", m->elimination_source);
    for (int i = 0; i < m->n_caches; i++) {
        check_source(c, m->caches[i].loc, m->caches[i].name, m->caches[i].source);
    }
    for (int i = 0; i < m->n_fusions; i++) {
        if (i == 0 || differ(m->fusions[i].source, m->fusions[i - 1].source)) {
            check_source(c, m->fusions[i].loc, "fusion", m->fusions[i].source);
        }
    }
    for (int i = 0; i < m->n_forms; i++) {
        if (i == 0 || differ(m->forms[i].source, m->forms[i - 1].source)) {
            check_source(c, m->forms[i].loc, c->forms[i], m->forms[i].source);
        }
    }
}

static int by_line(const void *left, const void *right)
{
    const struct finding *l = left, *r = right;

    if (l->loc.line != r->loc.line) {
        return l->loc.line < r->loc.line ? -1 : 1;
    }
    return l->level != r->level ? (int)l->level - (int)r->level : strcmp(l->text, r->text);
}

struct findings machine_check(const struct machine *m, struct arena *a)
{
    struct checker c = {.m = m, .a = a};

    check_spelling(&c);
    if (m->n_ports > 0) {
        check_conflicts(&c, COST_PORTS);
        check_ports(&c);
        check_crossings(&c);
    }
    if (m->n_resources > 0) {
        check_conflicts(&c, COST_RESOURCES);
    }
    check_latencies(&c);
    check_rules(&c);
    check_caches(&c);
    check_clock(&c);
    check_chain_curve(&c);
    check_sources(&c);
    items_sort(c.found.list, c.found.n, sizeof *c.found.list, by_line);
    return c.found;
}
