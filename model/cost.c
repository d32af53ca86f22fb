#include "model/cost.h"

#include "code/form.h"
#include "model/stores.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct cost cost_new(struct cost_table *t)
{
    return (struct cost){.table = t, .n_resources = cost_n_resources(t), .cycles = cost_vector(t)};
}

void cost_clear(struct cost *c)
{
    c->n_items = 0;
    c->slots = c->store_cycles = c->line_cycles = c->taken_branches = c->instructions = 0;
    c->front = (struct front_bound){0};
    c->n_unknown = c->n_unsound = 0;
    memset(c->cycles, 0, (size_t)c->n_resources * sizeof *c->cycles);
}

/* In steps of a number that the compiler knows, since then it takes vectors. */
static void add_cycles(double *restrict sum, const double *restrict cycles, double count, int n)
{
    for (int r = 0; r < n; r += COST_STEP) {
        for (int k = 0; k < COST_STEP; k++) {
            sum[r + k] += count * cycles[r + k];
        }
    }
}

void cost_add(struct cost *c, const struct cost_row *row, double count)
{
    if (c->n_items == c->capacity) {
        c->items =
            arena_grow(cost_arena(c->table), c->items, c->n_items, &c->capacity, sizeof *c->items);
    }
    c->items[c->n_items++] = (struct cost_item){row, count};
    c->instructions += count * row->instructions;
    c->slots += count * row->slots;
    c->store_cycles += count * row->store_cycles;
    c->n_unknown += row->kind == COST_UNKNOWN;
    c->n_unsound += !(count >= 0) || isinf(count);
    add_cycles(c->cycles, row->cycles, count, c->n_resources);
}

void cost_add_block(struct cost *c, const struct form_count *forms, int n_forms)
{
    for (int i = 0; i < n_forms; i++) {
        cost_add(c, cost_of_form(c->table, forms[i].form), forms[i].count);
    }
}

void cost_add_crossings(struct cost *c, const char *isa, double loads, double stores)
{
    if (loads > 0) {
        cost_add(c, cost_of_crossing_load(c->table, strcmp(isa, "avx512") == 0), loads);
    }
    if (stores > 0) {
        cost_add(c, cost_of_crossing_store(c->table), stores);
    }
}

/* --- counts without order --- */

/* How likely an instruction is the one right before a loop's branch: less is likelier. */
static int distance_to_branch(const char *form)
{
    static const char *const order[] = {"cmp", "test", "dec", "sub", "subs", "inc", "add"};
    const size_t len = strcspn(form, " ");
    const int n = sizeof order / sizeof *order;
    for (int i = 0; i < n; i++) {
        if (strlen(order[i]) == len && memcmp(order[i], form, len) == 0) {
            return i;
        }
    }
    return n;
}

struct pairing {
    const struct cost_row *row; /* NULL: nothing fuses */
    int first, second;          /* indices of forms */
};

static struct pairing find_pair(const struct cost *c, char (*normal)[FORM_SIZE], int n_forms)
{
    struct pairing best = {0};
    int nearest = INT32_MAX;
    for (int second = 0; second < n_forms; second++) {
        for (int first = 0; first < n_forms; first++) {
            const int distance = distance_to_branch(normal[first]);
            const struct cost_row *row =
                distance < nearest ? cost_of_pair(c->table, normal[first], normal[second]) : NULL;
            if (row && first != second) {
                best = (struct pairing){row, first, second};
                nearest = distance;
            }
        }
    }
    return best;
}

/* The forms of one loop, with its closing pair fused where it fuses, all `times` over. */
static void add_counts(struct cost *c, const struct form_count *forms, int n_forms, double times)
{
    char(*normal)[FORM_SIZE] = arena_alloc(cost_arena(c->table), (size_t)n_forms, FORM_SIZE);
    for (int i = 0; i < n_forms; i++) {
        form_normalise(forms[i].form, normal[i]);
    }
    const struct pairing pair = find_pair(c, normal, n_forms);
    double pairs = 0;
    if (pair.row) {
        pairs = fmin(forms[pair.first].count, forms[pair.second].count);
        cost_add(c, pair.row, pairs * times);
    }
    for (int i = 0; i < n_forms; i++) {
        const bool fused = pair.row && (i == pair.first || i == pair.second);
        const double count = forms[i].count - (fused ? pairs : 0);
        if (count > 0) {
            cost_add(c, cost_of_form(c->table, forms[i].form), count * times);
        }
    }
}

void cost_add_body(struct cost *c, const struct kernel_body *b)
{
    add_counts(c, b->forms, b->n_forms, 1);
    add_counts(c, b->inner, b->n_inner, b->inner_trips);
    cost_add_crossings(c, b->isa, b->crossing_loads_per_iter, b->crossing_stores_per_iter);
    c->taken_branches += b->n_inner > 0 ? b->inner_trips : 1;
}

/* --- decoded loops --- */

static bool is_inner(const struct code_loop *l, int i)
{
    return l->inner_first >= 0 && i >= l->inner_first && i <= l->inner_last;
}

const struct cost_row *cost_of_neighbours(struct cost_table *t, const struct code_loop *l, int i)
{
    if (i + 1 >= l->n || is_inner(l, i) != is_inner(l, i + 1) || insn_addresses_rip(&l->insns[i])) {
        return NULL;
    }
    return cost_of_pair(t, l->insns[i].form, l->insns[i + 1].form);
}

/* A VEX or EVEX operation on memory, but no move and no gather, that reads through an index. */
static bool has_indexed_operand(const struct insn *i)
{
    static const char *const plain[] = {"vmov",     "vbroadcast", "vpbroadcast", "vlddqu",
                                        "vpgather", "vgather",    "vmask"};
    if (i->form[0] != 'v' || i->n_mem == 0 || !i->mem[0].read || i->mem[0].index == 0) {
        return false;
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (strncmp(i->form, plain[k], strlen(plain[k])) == 0) {
            return false;
        }
    }
    return true;
}

const struct cost_row *cost_of_index(struct cost_table *t, const struct insn *i)
{
    const struct cost_row *row = cost_of_insn(t, i);
    const bool takes = row->kind != COST_UNKNOWN && row->slots <= 1 && has_indexed_operand(i);
    return takes ? cost_of_indexed_operand(t) : NULL;
}

void cost_add_insn(struct cost *c, const struct insn *i, double count)
{
    const struct cost_row *indexed = cost_of_index(c->table, i);
    cost_add(c, cost_of_insn(c->table, i), count);
    if (indexed) {
        cost_add(c, indexed, count);
    }
}

void cost_add_loop(struct cost *c, const struct code_loop *l, double inner_trips)
{
    for (int i = 0; i < l->n; i++) {
        const double times = is_inner(l, i) ? inner_trips : 1;
        const struct cost_row *pair = cost_of_neighbours(c->table, l, i);
        if (pair) {
            cost_add(c, pair, times);
            i++;
        } else {
            cost_add_insn(c, &l->insns[i], times);
        }
    }
    c->taken_branches += l->inner_first >= 0 ? inner_trips : 1;
}

void cost_set_order(struct cost *c, const struct code_loop *l, double inner_trips)
{
    if (cost_table_view(c->table) == COST_PORTS) {
        c->front = front_of_loop(c->table, l, inner_trips, NULL);
        c->line_cycles = stores_of_loop(cost_machine(c->table), l, inner_trips);
    }
}

/* --- reading --- */

static bool named_before(const struct cost *c, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (c->items[k].row->kind == COST_UNKNOWN &&
            strcmp(c->items[k].row->form, c->items[i].row->form) == 0) {
            return true;
        }
    }
    return false;
}

bool cost_knows_any(const struct cost *c)
{
    return c->n_items > (size_t)c->n_unknown;
}

void cost_name_unknown(const struct cost *c, struct text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < c->n_items; i++) {
        const struct cost_row *row = c->items[i].row;
        if (row->kind != COST_UNKNOWN || named_before(c, i)) {
            continue;
        }
        double count = 0;
        for (size_t k = i; k < c->n_items; k++) {
            const bool same = c->items[k].row->kind == COST_UNKNOWN &&
                              strcmp(c->items[k].row->form, row->form) == 0;
            count += same ? c->items[k].count : 0;
        }
        text_add_text(out, separator);
        text_add_text(out, row->form);
        text_add_text(out, " (");
        text_add_g(out, count);
        text_add_text(out, ")");
        separator = ", ";
    }
}

/* Adds to the class of these ports, which is made if there is none. */
static void add_uops(struct uop_class *classes, int *n, uint32_t ports, double count)
{
    int i = 0;
    while (i < *n && classes[i].ports != ports) {
        i++;
    }
    if (i == *n) {
        classes[(*n)++] = (struct uop_class){.ports = ports};
    }
    classes[i].count += count;
}

struct ports_problem cost_problem(const struct cost *c)
{
    assert(cost_table_view(c->table) == COST_PORTS);
    const struct machine *m = cost_machine(c->table);
    size_t n_uops = 0;
    int n = 0;

    for (size_t i = 0; i < c->n_items; i++) {
        n_uops += (size_t)c->items[i].row->n_uops;
    }
    struct uop_class *classes = arena_new(cost_arena(c->table), struct uop_class, n_uops);
    for (size_t i = 0; i < c->n_items; i++) {
        const struct cost_row *row = c->items[i].row;
        for (int u = 0; u < row->n_uops; u++) {
            add_uops(classes, &n, row->uops[u].ports, c->items[i].count * row->uops[u].count);
        }
    }
    return (struct ports_problem){.classes = classes,
                                  .n_classes = n,
                                  .n_ports = m->n_ports,
                                  .slots = c->slots,
                                  .dispatch_width = m->dispatch_width};
}
