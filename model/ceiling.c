#include "model/ceiling.h"

#include "model/lp.h"

#include <limits.h>
#include <math.h>

/* --- the bound --- */

static void raise(struct ceiling_bound *b, double cycles, enum ceiling_binds binds)
{
    if (cycles > b->cycles * (1 + PORTS_TIE)) { /* false for NaN: no such row is known */
        b->cycles = cycles;
        b->binds = binds;
    }
}

static double most_cycles(const struct cost *c)
{
    double most = 0;
    for (int r = 0; r < c->n_resources; r++) {
        most = c->cycles[r] > most ? c->cycles[r] : most;
    }
    return most;
}

/* The ports that bind; where several sets do, the smallest, and the front end only if none does.
 * Few resources are near the most: nobody could predict the branches of all the others. */
static void bound_by_slots(const struct cost *c, struct ceiling_bound *out)
{
    const struct cost_resource *resources = cost_resources(c->table);
    const double near = most_cycles(c) * (1 - 4 * PORTS_TIE);
    int fewest = INT_MAX;
    double front_end = 0;
    for (int r = 0; r < c->n_resources; r++) {
        const double cycles = c->cycles[r], slack = PORTS_TIE * out->cycles;
        if (cycles < near) {
            continue;
        }
        if (resources[r].ports == 0) {
            front_end = cycles;
        } else if (cycles > out->cycles + slack ||
                   (cycles > 0 && cycles >= out->cycles - slack && resources[r].n_ports < fewest)) {
            fewest = resources[r].n_ports;
            *out = (struct ceiling_bound){fmax(cycles, out->cycles), BINDS_PORTS,
                                          resources[r].ports, cycles * fewest, r};
        }
    }
    raise(out, front_end, BINDS_FRONT_END);
}

static void bound_by_ports(const struct cost *c, struct ceiling_bound *out)
{
    bound_by_slots(c, out);
    raise(out, c->taken_branches / cost_machine(c->table)->taken_branches_per_cycle,
          BINDS_TAKEN_BRANCHES);
    raise(out, c->store_cycles, BINDS_CROSSING_STORES);
    raise(out, c->line_cycles, BINDS_STORES);
    raise(out, c->front.rename_cycles, BINDS_RENAMING);
    raise(out, c->front.fetch_cycles, BINDS_FETCH);
}

static void bound_by_resources(const struct cost *c, struct ceiling_bound *out)
{
    for (int r = 0; r < cost_n_resources(c->table); r++) {
        if (c->cycles[r] > out->cycles) {
            raise(out, c->cycles[r], BINDS_RESOURCE);
            out->resource = r;
        }
    }
}

bool ceiling_of_cost(const struct cost *c, struct ceiling_bound *out, struct err *e)
{
    *out = (struct ceiling_bound){0};
    if (c->n_unsound > 0) {
        return err_set(e, ERR_RANGE, LOC_NONE, "%d counts are negative or not finite",
                       c->n_unsound);
    }
    if (cost_table_view(c->table) == COST_PORTS) {
        bound_by_ports(c, out);
    } else {
        bound_by_resources(c, out);
    }
    return true;
}

/* --- what binds --- */

/* Cycles of these ports for the uops that can go nowhere else. */
static double cycles_of_ports(const struct cost_row *row, uint32_t ports)
{
    double uops = 0;
    for (int u = 0; u < row->n_uops; u++) {
        uops += (row->uops[u].ports & ~ports) == 0 ? row->uops[u].count : 0;
    }
    return uops / __builtin_popcount(ports);
}

/* Cycles that one instruction of this row adds to what binds. */
static double cycles_in(const struct cost_row *row, const struct ceiling_bound *b)
{
    switch (b->binds) {
    case BINDS_PORTS:
        return b->resource < 0 ? cycles_of_ports(row, b->ports) : row->cycles[b->resource];
    case BINDS_RESOURCE:
        return row->cycles[b->resource];
    case BINDS_CROSSING_STORES:
        return row->store_cycles;
    default:
        return 0;
    }
}

/* What all items of this row add to what binds, from item `first` on. */
static double cycles_from(const struct cost *c, size_t first, const struct ceiling_bound *b)
{
    const struct cost_row *row = c->items[first].row;
    const double cycles = cycles_in(row, b);
    double sum = 0;
    for (size_t k = first; k < c->n_items && cycles > 0; k++) {
        sum += c->items[k].row == row ? c->items[k].count * cycles : 0;
    }
    return sum;
}

/* The row that adds most to what binds, and how much; NULL where rows are not to blame. */
static const struct cost_row *heaviest(const struct cost *c, const struct ceiling_bound *b,
                                       double *cycles)
{
    const struct cost_row *found = NULL;
    *cycles = 0;
    for (size_t i = 0; i < c->n_items; i++) {
        const double sum = c->items[i].row == found ? 0 : cycles_from(c, i, b);
        if (sum > *cycles) {
            *cycles = sum;
            found = c->items[i].row;
        }
    }
    return found;
}

static void name_ports(const struct machine *m, uint32_t ports, struct text *out)
{
    const char *separator = ports & (ports - 1) ? "ports " : "port ";
    for (; ports != 0; ports &= ports - 1) {
        text_add_text(out, separator);
        text_add_text(out, m->ports[__builtin_ctz(ports)]);
        separator = ", ";
    }
}

static void fetch_words(const struct cost *c, struct text *out)
{
    if (c->front.lines > 0 && c->front.lines >= c->front.fetch_cycles) {
        text_add(out, "fetch: %d lines of code, over the end of one of which the branch back lies",
                 c->front.lines);
    } else {
        text_add(out, "fetch: whole cycles of at most %g slots, none from beyond a taken branch",
                 cost_machine(c->table)->fetch_slots);
    }
}

/* `cycles` of them from `row`, the heaviest. */
static void port_words(const struct machine *m, const struct ceiling_bound *b, double cycles,
                       const struct cost_row *row, struct text *out)
{
    name_ports(m, b->ports, out);
    text_add_text(out, ": ");
    text_add_g(out, b->mass);
    text_add_text(out, " uops on ");
    text_add_count(out, (size_t)__builtin_popcount(b->ports));
    text_add_text(out, ", ");
    text_add_g(out, cycles * __builtin_popcount(b->ports));
    text_add_text(out, " of them from ");
    text_add_text(out, row->form);
}

static void renaming_words(const struct cost *c, struct text *out)
{
    const struct machine *m = cost_machine(c->table);
    text_add(out, "renaming: %g slots", c->slots);
    if (!isnan(m->indexed_operand_places)) {
        text_add(out, ", an indexed operand only among the first %g of a cycle",
                 m->indexed_operand_places);
    }
    if (!isnan(m->indexed_operands_per_cycle)) {
        text_add(out, ", %g indexed operands a cycle", m->indexed_operands_per_cycle);
    }
}

void ceiling_words(const struct cost *c, const struct ceiling_bound *b, struct text *out)
{
    const struct machine *m = cost_machine(c->table);
    double cycles;
    const struct cost_row *row = heaviest(c, b, &cycles);
    const struct machine_meaning *meaning;

    switch (b->binds) {
    case BINDS_NOTHING:
        text_add(out, "nothing");
        break;
    case BINDS_PORTS:
        port_words(m, b, cycles, row, out);
        break;
    case BINDS_FRONT_END:
        text_add_text(out, "front end: ");
        text_add_g(out, c->slots);
        text_add_text(out, " slots at ");
        text_add_g(out, m->dispatch_width);
        text_add_text(out, " a cycle");
        break;
    case BINDS_TAKEN_BRANCHES:
        text_add(out, "taken branches: %g at %g a cycle", c->taken_branches,
                 m->taken_branches_per_cycle);
        break;
    case BINDS_CROSSING_STORES:
        text_add(out, "stores that cross a line: %g cycles", c->store_cycles);
        break;
    case BINDS_STORES:
        text_add(out, "stores: %g cycles, one line at a time", c->line_cycles);
        break;
    case BINDS_RENAMING:
        renaming_words(c, out);
        break;
    case BINDS_FETCH:
        fetch_words(c, out);
        break;
    case BINDS_RESOURCE:
        meaning = machine_meaning_of(m, m->resources[b->resource]);
        text_add(out, "resource %s%s%s%s: %.4g of %.4g cycles from %s", m->resources[b->resource],
                 meaning ? " (" : "", meaning ? meaning->ports : "", meaning ? ")" : "", cycles,
                 b->cycles, row->form);
        break;
    }
}

struct loc ceiling_loc(const struct cost *c, const struct ceiling_bound *b)
{
    const struct machine *m = cost_machine(c->table);
    double cycles;
    const struct cost_row *row = heaviest(c, b, &cycles);

    if (b->binds == BINDS_FRONT_END) {
        return m->dispatch_width_loc;
    }
    return row && row->loc.line > 0 ? row->loc : (struct loc){.file = m->file};
}

/* --- kernels --- */

static void add_kernel(struct cost *c, const struct kernel_ceiling_input *in)
{
    if (in->loop) {
        cost_add_loop(c, in->loop, in->body->inner_trips);
        cost_set_order(c, in->loop, in->body->inner_trips);
        cost_add_crossings(c, in->body->isa, in->body->crossing_loads_per_iter,
                           in->body->crossing_stores_per_iter);
    } else {
        cost_add_body(c, in->body);
    }
}

/* The schedule by the linear program, which must say what the dual said.  The closed form finds the
 * smallest set that binds among all, where the dual has those it needs. */
static bool schedule(struct kernel_ceiling *out, struct err *e)
{
    const struct ports_problem problem = cost_problem(&out->cost);
    struct ports_bound closed;
    struct ceiling_bound dual = {0};

    if (!ports_bound(&problem, &closed, e) || !ports_schedule(&problem, &out->schedule, e)) {
        return false;
    }
    bound_by_slots(&out->cost, &dual);
    const double cycles = closed.cycles, scale = fmax(1, cycles) * LP_TOLERANCE;
    if (fabs(dual.cycles - cycles) > scale || fabs(out->schedule.cycles - cycles) > scale) {
        return err_set(
            e, ERR_MODEL, LOC_NONE,
            "the port bound is %.12g cycles by its closed form, %.12g by its dual and %.12g "
            "by the linear program",
            cycles, dual.cycles, out->schedule.cycles);
    }
    if (out->bound.binds == BINDS_PORTS) {
        out->bound.ports = closed.bottleneck;
        out->bound.mass = closed.mass;
        out->bound.resource = -1;
    }
    return true;
}

/* Solves what the cost holds; cycles_per_iter stays NaN where forms are unknown. */
static bool solve(struct kernel_ceiling *out, struct err *e)
{
    struct text words = {.arena = cost_arena(out->cost.table)};

    out->cycles_per_iter = out->cycles_per_element = out->rate = nan("");
    out->binds = out->missing = "";
    if (!ceiling_of_cost(&out->cost, &out->bound, e)) {
        return false;
    }
    if (cost_table_view(out->cost.table) == COST_PORTS && !schedule(out, e)) {
        return false;
    }
    out->known_cycles_per_iter = out->bound.cycles;
    if (out->cost.n_unknown > 0) {
        text_add(&words, "not in the machine file: ");
        cost_name_unknown(&out->cost, &words);
        out->missing = words.data;
        return true;
    }
    ceiling_words(&out->cost, &out->bound, &words);
    out->binds = words.data;
    out->loc = ceiling_loc(&out->cost, &out->bound);
    out->cycles_per_iter = out->bound.cycles;
    return true;
}

static struct kernel_ceiling ceiling_new(struct cost_table *t)
{
    return (struct kernel_ceiling){
        .model = cost_table_view(t) == COST_PORTS ? "ports" : "resources",
        .cost = cost_new(t),
    };
}

bool ceiling_of_block(struct cost_table *t, const struct form_count *forms, int n_forms,
                      struct kernel_ceiling *out, struct err *e)
{
    *out = ceiling_new(t);
    cost_add_block(&out->cost, forms, n_forms);
    return solve(out, e);
}

bool ceiling_of_kernel(struct cost_table *t, const struct kernel_ceiling_input *in,
                       struct kernel_ceiling *out, struct err *e)
{
    *out = ceiling_new(t);
    add_kernel(&out->cost, in);
    if (!solve(out, e)) {
        return false;
    }
    out->cycles_per_element = out->cycles_per_iter / in->body->elements_per_iter;
    if (*out->missing) {
        return true;
    }
    if (isnan(in->clock_hz)) {
        out->missing = "the clock is not known";
    } else if (out->bound.cycles > 0) {
        out->rate = kernel_work_per_element(in->kernel) / out->cycles_per_element * in->clock_hz *
                    in->threads;
    } else {
        out->missing = "nothing in the loop takes time";
    }
    return true;
}
