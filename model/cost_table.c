#include "model/cost_table.h"

#include "base/intern.h"
#include "base/items.h"
#include "code/form.h"
#include "model/compose.h"
#include "model/resources.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct pattern {
    char text[FORM_SIZE];
    size_t literal; /* characters that stand for themselves */
    const struct machine_form *form;
};

/* What is known of a text that was asked for. */
struct entry {
    const struct cost_row *row;  /* of the form as the machine file has it */
    const struct cost_row *move; /* if it is a register move; else NULL */
    const struct cost_row *same; /* if its sources are one register; else NULL */
    bool closes_pair;            /* the second of some pair that fuses */
};

struct cost_table {
    const struct machine *machine;
    enum cost_view view;
    struct arena *arena;
    struct pattern *patterns;
    int n_patterns;
    char (*idioms)[FORM_SIZE], (*moves)[FORM_SIZE]; /* [n_zero_idioms], [n_eliminated_moves] */
    struct fused {
        char first[FORM_SIZE], second[FORM_SIZE];
        struct cost_row row;
    } * fused; /* [n_fusions] */
    struct cost_row crossing_load, crossing_load_512, crossing_store;
    struct cost_row indexed_operand; /* COST_UNKNOWN: takes nothing on top */
    struct machine_uop crossing_uop, crossing_uop_512;
    struct resource_map dual; /* COST_PORTS: port_sets and n_resources of it */
    struct cost_resource *resources;
    struct intern texts;
    struct entry *entries; /* by number of the text */
    size_t n_entries, capacity;
};

/* --- patterns --- */

static bool is_wildcard(const char *word, size_t len)
{
    static const char *const wildcards[] = {"V", "MV", "jcc", "setcc", "cmovcc", "b.cc"};
    for (size_t i = 0; i < sizeof wildcards / sizeof *wildcards; i++) {
        if (strlen(wildcards[i]) == len && memcmp(word, wildcards[i], len) == 0) {
            return true;
        }
    }
    return false;
}

static size_t literal_length(const char *pattern)
{
    size_t literal = 0;
    for (const char *at = pattern; *at;) {
        const size_t len = strcspn(at, " ,{");
        literal += is_wildcard(at, len) ? 0 : len;
        at += len;
        const size_t between = strspn(at, " ,{");
        literal += between;
        at += between;
    }
    return literal;
}

/* Whether some form is matched by both. */
static bool overlap(const char *one, const char *other)
{
    char form[FORM_SIZE];
    for (int width = 0; width < FORM_WIDTHS; width++) {
        if (form_instance(one, width, form) &&
            (form_matches(other, form) || strcmp(other, form) == 0)) {
            return true;
        }
    }
    return false;
}

static bool check_conflicts(const struct cost_table *t, struct err *e)
{
    for (int j = 1; j < t->n_patterns; j++) {
        const struct pattern *late = &t->patterns[j];
        for (int i = 0; i < j; i++) {
            const struct pattern *early = &t->patterns[i];
            if (early->literal == late->literal && early->text[0] == late->text[0] &&
                overlap(early->text, late->text)) {
                return err_set(e, ERR_SCHEMA, late->form->loc,
                               "'%s' matches forms that '%s' on line %u matches as well",
                               late->text, early->text, early->form->loc.line);
            }
        }
    }
    return true;
}

static bool in_view(const struct cost_table *t, const struct machine_form *f)
{
    return t->view == COST_PORTS ? f->has_uops : f->n_uses > 0;
}

static bool compile_patterns(struct cost_table *t, struct err *e)
{
    const struct machine *m = t->machine;
    t->patterns = arena_new(t->arena, struct pattern, (size_t)m->n_forms);
    for (int i = 0; i < m->n_forms; i++) {
        struct pattern *p = &t->patterns[t->n_patterns];
        if (!in_view(t, &m->forms[i])) {
            continue;
        }
        if (!form_normalise(m->forms[i].form, p->text)) {
            return err_set(e, ERR_SCHEMA, m->forms[i].loc, "'%.60s' is no form of an instruction",
                           m->forms[i].form);
        }
        p->literal = literal_length(p->text);
        p->form = &m->forms[i];
        t->n_patterns++;
    }
    return check_conflicts(t, e);
}

static bool normalise_list(struct arena *a, const char *const *from, int n, char (**to)[FORM_SIZE],
                           struct err *e)
{
    *to = arena_alloc(a, (size_t)n, FORM_SIZE);
    for (int i = 0; i < n; i++) {
        if (!form_normalise(from[i], (*to)[i])) {
            return err_set(e, ERR_SCHEMA, LOC_NONE, "'%.60s' is no form of an instruction",
                           from[i]);
        }
    }
    return true;
}

static bool compile_fusions(struct cost_table *t, struct err *e)
{
    const struct machine *m = t->machine;
    t->fused = arena_new(t->arena, struct fused, (size_t)m->n_fusions);
    for (int i = 0; i < m->n_fusions; i++) {
        const struct machine_fusion *f = &m->fusions[i];
        struct fused *to = &t->fused[i];
        if (!form_normalise(f->first, to->first) || !form_normalise(f->second, to->second)) {
            return err_set(e, ERR_SCHEMA, f->loc, "'%.60s' or '%.60s' is no form of an instruction",
                           f->first, f->second);
        }
        to->row =
            (struct cost_row){.kind = COST_FUSED,
                              .form = arena_format(t->arena, "%s + %s", to->first, to->second),
                              .uops = f->uops,
                              .n_uops = f->n_uops,
                              .slots = 1,
                              .loc = f->loc};
    }
    return true;
}

static void compile_crossing_load(const struct machine *m, double slots, struct machine_uop *uop,
                                  struct cost_row *row)
{
    if (m->load_ports != 0 && slots >= 1) {
        *uop = (struct machine_uop){slots - 1, m->load_ports};
        row->kind = COST_CROSSING_LOAD;
        row->uops = uop;
        row->n_uops = 1;
    }
}

/* Crossings belong to the ports; a file of resources alone says nothing of them. */
static void compile_crossings(struct cost_table *t)
{
    const struct machine *m = t->machine;
    t->crossing_load = (struct cost_row){.kind = COST_UNKNOWN, .form = "load that crosses a line"};
    t->crossing_load_512 = t->crossing_load;
    t->crossing_store =
        (struct cost_row){.kind = COST_UNKNOWN, .form = "store that crosses a line"};
    t->indexed_operand =
        (struct cost_row){.kind = COST_UNKNOWN, .form = "index register of a memory operand"};
    if (t->view != COST_PORTS) {
        return;
    }
    if (m->indexed_operand_slots > 1) {
        t->indexed_operand.kind = COST_INDEXED_OPERAND;
        t->indexed_operand.slots = m->indexed_operand_slots - 1;
    }
    compile_crossing_load(m, m->line_crossing_load_slots, &t->crossing_uop, &t->crossing_load);
    compile_crossing_load(m,
                          isnan(m->line_crossing_load_slots_512) ? m->line_crossing_load_slots
                                                                 : m->line_crossing_load_slots_512,
                          &t->crossing_uop_512, &t->crossing_load_512);
    if (!isnan(m->line_crossing_store_cycles)) {
        t->crossing_store.kind = COST_CROSSING_STORE;
        t->crossing_store.store_cycles = m->line_crossing_store_cycles;
    }
}

/* --- ports as resources --- */

static struct form_uops classes_of(const struct machine_uop *uops, int n, double slots,
                                   struct arena *a)
{
    struct uop_class *classes = arena_new(a, struct uop_class, (size_t)n);
    for (int u = 0; u < n; u++) {
        classes[u] = (struct uop_class){uops[u].ports, uops[u].count};
    }
    return (struct form_uops){classes, n, slots};
}

/* Every row of the table is a sum, with weights that are not negative, of what stands here: so a
 * resource that these never need is never needed. */
static bool compile_dual(struct cost_table *t, struct err *e)
{
    const struct machine *m = t->machine;
    struct arena *a = t->arena;
    const int n_max = 2 * t->n_patterns + m->n_fusions + 3; /* nothing, two crossings */
    struct form_uops *forms = arena_new(a, struct form_uops, (size_t)n_max);
    int n = 0;

    forms[n++] = (struct form_uops){.slots = 1}; /* what executes nowhere */
    for (int i = 0; i < t->n_patterns; i++) {
        const struct machine_form *f = t->patterns[i].form;
        forms[n++] = classes_of(f->uops, f->n_uops, f->slots, a);
        if (m->compose_memory_operands) { /* as a part that takes no slot of its own */
            forms[n++] = classes_of(f->uops, f->n_uops, 0, a);
        }
    }
    for (int i = 0; i < m->n_fusions; i++) {
        const struct cost_row *row = &t->fused[i].row;
        forms[n++] = classes_of(row->uops, row->n_uops, row->slots, a);
    }
    forms[n++] = classes_of(t->crossing_load.uops, t->crossing_load.n_uops, 0, a);
    forms[n++] = classes_of(t->crossing_load_512.uops, t->crossing_load_512.n_uops, 0, a);
    const struct port_mapping mapping = {forms, n, m->n_ports, m->dispatch_width};
    if (!resources_from_ports(&mapping, a, &t->dual, e)) {
        return false;
    }
    t->resources = arena_new(a, struct cost_resource, (size_t)t->dual.n_resources);
    for (int r = 0; r < t->dual.n_resources; r++) {
        const uint32_t ports = t->dual.port_sets[r];
        t->resources[r] = (struct cost_resource){ports, __builtin_popcount(ports)};
    }
    return true;
}

static double cycles_of(const struct cost_table *t, const struct cost_row *row, int resource)
{
    const struct cost_resource *r = &t->resources[resource];
    double mass = 0;
    if (r->ports == 0) {
        return row->slots / t->machine->dispatch_width;
    }
    for (int u = 0; u < row->n_uops; u++) {
        mass += (row->uops[u].ports & ~r->ports) == 0 ? row->uops[u].count : 0;
    }
    return mass / r->n_ports;
}

static double instructions_in(enum cost_kind kind)
{
    switch (kind) {
    case COST_FUSED:
        return 2;
    case COST_CROSSING_LOAD:
    case COST_CROSSING_STORE:
    case COST_INDEXED_OPERAND:
        return 0;
    default:
        return 1;
    }
}

/* What a row adds to a sum beside its slots. */
static void fill_sums(const struct cost_table *t, struct cost_row *row)
{
    double *cycles = cost_vector(t);
    row->instructions = instructions_in(row->kind);
    row->cycles = cycles;
    if (row->kind == COST_UNKNOWN) {
        return;
    }
    for (int r = 0; t->view == COST_PORTS && r < cost_n_resources(t); r++) {
        cycles[r] = cycles_of(t, row, r);
    }
    for (int u = 0; u < row->n_uses; u++) {
        cycles[row->uses[u].resource] += row->uses[u].cycles;
    }
}

static bool compile_sums(struct cost_table *t, struct err *e)
{
    if (t->view == COST_PORTS && !compile_dual(t, e)) {
        return false;
    }
    for (int i = 0; i < t->machine->n_fusions; i++) {
        fill_sums(t, &t->fused[i].row);
    }
    fill_sums(t, &t->crossing_load);
    fill_sums(t, &t->crossing_load_512);
    fill_sums(t, &t->indexed_operand);
    fill_sums(t, &t->crossing_store);
    return true;
}

enum cost_view cost_view_of(const struct machine *m)
{
    for (int i = 0; i < m->n_forms; i++) {
        if (m->forms[i].has_uops) {
            return COST_PORTS;
        }
    }
    return m->n_resources > 0 ? COST_RESOURCES : COST_PORTS;
}

struct cost_table *cost_compile(const struct machine *m, enum cost_view view, struct arena *a,
                                struct err *e)
{
    const struct loc file = {.file = m->file};
    if (view == COST_PORTS ? m->n_ports == 0 : m->n_resources == 0) {
        err_set(e, ERR_MODEL, file, "the machine file describes no %s",
                view == COST_PORTS ? "ports" : "resources");
        return NULL;
    }
    struct cost_table *t = arena_new(a, struct cost_table, 1);
    *t = (struct cost_table){.machine = m, .view = view, .arena = a, .texts.arena = a};
    compile_crossings(t);
    const bool compiled =
        compile_patterns(t, e) && compile_fusions(t, e) && compile_sums(t, e) &&
        normalise_list(a, m->zero_idioms, m->n_zero_idioms, &t->idioms, e) &&
        normalise_list(a, m->eliminated_moves, m->n_eliminated_moves, &t->moves, e);
    return compiled ? t : NULL;
}

const struct machine *cost_machine(const struct cost_table *t)
{
    return t->machine;
}

enum cost_view cost_table_view(const struct cost_table *t)
{
    return t->view;
}

struct arena *cost_arena(const struct cost_table *t)
{
    return t->arena;
}

int cost_n_resources(const struct cost_table *t)
{
    return t->view == COST_PORTS ? t->dual.n_resources : t->machine->n_resources;
}

double *cost_vector(const struct cost_table *t)
{
    const size_t n = (size_t)cost_n_resources(t);
    return arena_new(t->arena, double, (n + COST_STEP - 1) / COST_STEP * COST_STEP);
}

const struct cost_resource *cost_resources(const struct cost_table *t)
{
    return t->resources;
}

/* --- rows --- */

static const struct machine_form *best_match(const struct cost_table *t, const char *form)
{
    const struct pattern *best = NULL;
    for (int i = 0; i < t->n_patterns; i++) {
        const struct pattern *p = &t->patterns[i];
        if ((!best || p->literal > best->literal) && form_matches(p->text, form)) {
            best = p;
        }
    }
    return best ? best->form : NULL;
}

static struct cost_row described_row(const struct cost_table *t, const struct machine_form *f)
{
    struct cost_row row = {.kind = COST_FORM, .described = f, .loc = f->loc};
    if (t->view == COST_PORTS) {
        row.uops = f->uops;
        row.n_uops = f->n_uops;
        row.slots = f->slots;
    } else {
        row.uses = f->uses;
        row.n_uses = f->n_uses;
    }
    return row;
}

/* The two lists behind one another, as a row holds them. */
static void add_load(const struct cost_table *t, struct cost_row *row,
                     const struct machine_form *load)
{
    struct machine_uop *uops =
        arena_new(t->arena, struct machine_uop, (size_t)(row->n_uops + load->n_uops));
    items_copy(uops, row->uops, (size_t)row->n_uops, sizeof *uops);
    items_copy(uops + row->n_uops, load->uops, (size_t)load->n_uops, sizeof *uops);
    row->uops = uops;
    row->n_uops += load->n_uops;
    row->load = load;
    row->kind = COST_COMPOSED;
}

static bool compose(const struct cost_table *t, const char *form, struct cost_row *out)
{
    struct compose_parts parts;
    if (t->view != COST_PORTS || !t->machine->compose_memory_operands ||
        !compose_take_apart(form, &parts)) {
        return false;
    }
    const struct machine_form *registers = best_match(t, parts.registers);
    for (int i = 0; registers && i < parts.n_loads; i++) {
        const struct machine_form *load = best_match(t, parts.loads[i]);
        if (load) {
            *out = described_row(t, registers);
            out->load_operand = parts.operand;
            add_load(t, out, load);
            return true;
        }
    }
    return false;
}

static struct cost_row find_row(const struct cost_table *t, const char *form)
{
    struct cost_row row = {.kind = COST_UNKNOWN};
    const struct machine_form *f = best_match(t, form);
    if (f) {
        return described_row(t, f);
    }
    compose(t, form, &row);
    return row;
}

static const struct cost_row *keep(const struct cost_table *t, struct cost_row row,
                                   const char *form)
{
    struct cost_row *kept = arena_new(t->arena, struct cost_row, 1);
    *kept = row;
    kept->form = form;
    fill_sums(t, kept);
    return kept;
}

/* The row of an instruction that takes its place in the front end and executes nowhere. */
static const struct cost_row *idle_row(const struct cost_table *t, const struct cost_row *row,
                                       enum cost_kind kind)
{
    struct cost_row idle = {.kind = kind, .slots = 1, .loc = row->loc};
    if (row->kind == COST_FORM) {
        idle.slots = t->view == COST_PORTS ? row->described->slots : 0;
        idle.described = row->described;
    }
    return keep(t, idle, row->form);
}

static bool any_matches(char (*patterns)[FORM_SIZE], int n, const char *form)
{
    for (int i = 0; i < n; i++) {
        if (form_matches(patterns[i], form)) {
            return true;
        }
    }
    return false;
}

static bool closes_pair(const struct cost_table *t, const char *form)
{
    for (int i = 0; i < t->machine->n_fusions; i++) {
        if (form_matches(t->fused[i].second, form)) {
            return true;
        }
    }
    return false;
}

static struct entry describe(const struct cost_table *t, const char *text)
{
    const struct machine *m = t->machine;
    char form[FORM_SIZE];
    struct entry entry = {0};

    if (!form_normalise(text, form)) {
        entry.row = keep(t, (struct cost_row){.kind = COST_UNKNOWN}, text);
        return entry;
    }
    entry.row = keep(t, find_row(t, form), arena_copy(t->arena, form, strlen(form)));
    entry.closes_pair = closes_pair(t, form);
    if (any_matches(t->moves, m->n_eliminated_moves, form)) {
        entry.move = idle_row(t, entry.row, COST_ELIMINATED);
    }
    if (any_matches(t->idioms, m->n_zero_idioms, form)) {
        entry.same = idle_row(t, entry.row, COST_ZERO_IDIOM);
    }
    return entry;
}

/* --- lookup --- */

static const struct entry *look_up(struct cost_table *t, const char *text)
{
    const size_t number = intern_number(&t->texts, text, strlen(text));
    if (number == t->n_entries) {
        t->entries = arena_grow(t->arena, t->entries, number, &t->capacity, sizeof *t->entries);
        t->entries[t->n_entries++] = describe(t, t->texts.texts[number].text);
    }
    return &t->entries[number];
}

const struct cost_row *cost_of_form(struct cost_table *t, const char *form)
{
    const struct entry *entry = look_up(t, form);
    return entry->move ? entry->move : entry->row;
}

const struct cost_row *cost_of_insn(struct cost_table *t, const struct insn *i)
{
    const struct entry *entry = look_up(t, i->form);
    if (i->same_sources && entry->same) {
        return entry->same;
    }
    return i->register_move && entry->move ? entry->move : entry->row;
}

const struct cost_row *cost_of_pair(struct cost_table *t, const char *first, const char *second)
{
    if (!look_up(t, second)->closes_pair) {
        return NULL;
    }
    for (int i = 0; i < t->machine->n_fusions; i++) {
        if (form_matches(t->fused[i].first, first) && form_matches(t->fused[i].second, second)) {
            return &t->fused[i].row;
        }
    }
    return NULL;
}

const struct cost_row *cost_of_indexed_operand(const struct cost_table *t)
{
    return t->indexed_operand.kind == COST_INDEXED_OPERAND ? &t->indexed_operand : NULL;
}

const struct cost_row *cost_of_crossing_load(const struct cost_table *t, bool wide)
{
    return wide ? &t->crossing_load_512 : &t->crossing_load;
}

const struct cost_row *cost_of_crossing_store(const struct cost_table *t)
{
    return &t->crossing_store;
}
