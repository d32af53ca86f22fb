#include "model/dependence.h"

#include "model/latency.h"

#include <math.h>
#include <string.h>

/* An address register written back: a plain addition beside the access. */
#define WRITE_BACK_CYCLES 1
#define WAITS_CYCLES      0.75 /* a chain of less waits for nothing: a link takes a cycle at least */

/* What is known of a register at a point of the sequence. */
struct reg_state {
    int value;          /* that it holds; -1: from before the loop */
    int distance;       /* iterations ago */
    bool plain;         /* everything that writes it in the loop adds a constant */
    uint64_t delta;     /* by how much in one iteration, if plain; addresses wrap, so unsigned */
    uint64_t offset;    /* so far in this one */
    int version;        /* 0, or which instruction gave it a value that is not plain */
    double others_wait; /* cycles, of what it holds */
};

/* A memory access as far as its address can be compared. */
struct access {
    int at, value; /* place in the sequence; the value that it stores or -1 */
    const struct insn *insn;
    const struct insn_mem *mem;
    uint64_t place; /* displacement and offsets of the registers */
    int base_version, index_version;
};

struct walk {
    const struct code_loop *loop;
    const int *order;
    int n;
    struct cost_table *table;
    struct arena *arena;
    struct reg_state *regs;
    int *first_value; /* [n]: values of an instruction are numbered from here */
    struct access *accesses;
    size_t n_accesses, accesses_capacity;
    struct dependences *out;
};

static const struct insn *insn_at(const struct walk *w, int at)
{
    return &w->loop->insns[w->order[at]];
}

static bool stores(const struct insn *i)
{
    for (int k = 0; k < i->n_mem; k++) {
        if (i->mem[k].write) {
            return true;
        }
    }
    return false;
}

static bool loads(const struct insn *i)
{
    for (int k = 0; k < i->n_mem; k++) {
        if (i->mem[k].read) {
            return true;
        }
    }
    return false;
}

static bool is_written_back(const struct insn *i, code_reg reg)
{
    return i->n_mem > 0 && i->stepped == reg && reg != 0 && i->mem[0].base == reg;
}

static void add(struct walk *w, struct dependence d)
{
    struct dependences *out = w->out;
    out->edges = arena_grow(w->arena, out->edges, out->n, &out->capacity, sizeof *out->edges);
    out->edges[out->n++] = d;
}

/* --- registers --- */

static int largest_reg(const struct code_loop *l)
{
    int largest = 0;
    for (int i = 0; i < l->n; i++) {
        const struct insn *insn = &l->insns[i];
        for (int k = 0; k < insn->n_reads; k++) {
            largest = insn->reads[k] > largest ? insn->reads[k] : largest;
        }
        for (int k = 0; k < insn->n_writes; k++) {
            largest = insn->writes[k] > largest ? insn->writes[k] : largest;
        }
    }
    return largest;
}

static void number_values(struct walk *w)
{
    int n_values = 0;
    for (int at = 0; at < w->n; at++) {
        const struct insn *i = insn_at(w, at);
        w->first_value[at] = n_values;
        n_values += i->n_writes + stores(i);
        for (int k = 0; k < i->n_writes; k++) {
            struct reg_state *r = &w->regs[i->writes[k]];
            r->plain &= i->stepped == i->writes[k];
            r->delta += r->plain ? (uint64_t)i->step : 0;
        }
    }
    w->out->n_values = n_values;
}

static double others_wait_cycles(const struct cost_row *row)
{
    return row->described ? row->described->others_wait_cycles : 0;
}

static void take_writes(struct walk *w, int at)
{
    const struct insn *i = insn_at(w, at);
    const double others_wait = others_wait_cycles(cost_of_insn(w->table, i));
    for (int k = 0; k < i->n_writes; k++) {
        struct reg_state *r = &w->regs[i->writes[k]];
        r->value = w->first_value[at] + k;
        r->distance = 0;
        r->others_wait = others_wait;
        if (i->stepped == i->writes[k]) {
            r->offset += (uint64_t)i->step;
        } else {
            r->version = at + 1;
            r->offset = 0;
        }
    }
}

/* --- dependences through registers --- */

/* NaN: unknown; less than 0: this read is not what the write is computed from. */
static double cycles_between(const struct cost_row *row, const struct insn *i, int read, int write)
{
    if (is_written_back(i, i->writes[write])) {
        const int8_t memory = i->write_operand[write];
        if (i->reads[read] != i->writes[write] || i->read_operand[read] != memory) {
            return -1;
        }
        const double stated = latency_of_pair(row, memory, memory);
        return isnan(stated) ? WRITE_BACK_CYCLES : stated;
    }
    return latency_of(row, i->read_operand[read], i->write_operand[write]);
}

/* What a store holds waits for its data.  Where the store only passes them on, that takes no time
 * of its own: store forwarding counts from the data. */
static double cycles_to_memory(const struct cost_row *row, const struct insn *i, int read)
{
    const int memory = latency_memory_operand(i->form);
    if (i->read_operand[read] == memory && memory != 0) {
        return -1;
    }
    return loads(i) ? latency_of(row, i->read_operand[read], memory) : 0;
}

/* What an instruction takes longer, whatever it waits for, where it reads a result that only others
 * like the one that made it read at once. */
static double longer(const struct walk *w, const struct insn *i, const struct cost_row *row)
{
    double cycles = 0;
    for (int k = 0; k < i->n_reads && others_wait_cycles(row) == 0; k++) {
        cycles = fmax(cycles, w->regs[i->reads[k]].others_wait);
    }
    return cycles;
}

static void take_reads(struct walk *w, int at)
{
    const struct insn *i = insn_at(w, at);
    const struct cost_row *row = cost_of_insn(w->table, i);
    const int n_written = i->n_writes + stores(i);

    const double same = i->same_sources ? latency_of_same(row) : (double)NAN;
    const double more = longer(w, i, row);

    if (row->kind == COST_ZERO_IDIOM || same < WAITS_CYCLES) {
        return;
    }
    for (int k = 0; k < i->n_reads; k++) {
        const struct reg_state *r = &w->regs[i->reads[k]];
        for (int v = 0; v < n_written && r->value >= 0; v++) {
            const double cycles = v >= i->n_writes ? cycles_to_memory(row, i, k)
                                  : isnan(same)    ? cycles_between(row, i, k, v)
                                                   : same;
            if (!(cycles < 0)) {
                add(w, (struct dependence){r->value, w->first_value[at] + v, cycles + more,
                                           r->distance, w->order[at], i->reads[k]});
            }
        }
    }
}

/* --- dependences through memory --- */

static void take_accesses(struct walk *w, int at)
{
    const struct insn *i = insn_at(w, at);
    const bool scattered = strstr(i->form, "gather") || strstr(i->form, "scatter");
    for (int k = 0; k < i->n_mem && !scattered; k++) {
        const struct insn_mem *m = &i->mem[k];
        const struct reg_state *base = &w->regs[m->base], *index = &w->regs[m->index];
        w->accesses = arena_grow(w->arena, w->accesses, w->n_accesses, &w->accesses_capacity,
                                 sizeof *w->accesses);
        w->accesses[w->n_accesses++] = (struct access){
            .at = at,
            .value = m->write ? w->first_value[at] + i->n_writes : -1,
            .insn = i,
            .mem = m,
            .place = (uint64_t)m->displacement + base->offset + (uint64_t)m->scale * index->offset +
                     (m->rip_relative ? i->address + (uint64_t)i->length : 0),
            .base_version = base->version,
            .index_version = index->version,
        };
    }
}

static bool comparable(const struct access *s, const struct access *l)
{
    return s->mem->base == l->mem->base && s->mem->index == l->mem->index &&
           (s->mem->scale == l->mem->scale || s->mem->index == 0) &&
           s->mem->rip_relative == l->mem->rip_relative && s->base_version == l->base_version &&
           s->index_version == l->index_version;
}

/* Iterations from the store to the first load of what it wrote; -1: never. */
static int distance_between(const struct walk *w, const struct access *s, const struct access *l)
{
    const struct reg_state *base = &w->regs[l->mem->base], *index = &w->regs[l->mem->index];
    const int least = s->at < l->at ? 0 : 1;
    const double apart = (double)(int64_t)(s->place - l->place);

    if (!comparable(s, l)) {
        return -1;
    }
    if (!base->plain || !index->plain) { /* comparable within one iteration only */
        const bool meets = apart > -s->mem->bytes && apart < l->mem->bytes;
        return meets && least == 0 ? 0 : -1;
    }
    const double step = (double)(int64_t)(base->delta + (uint64_t)l->mem->scale * index->delta);
    if (step == 0) {
        return apart > -s->mem->bytes && apart < l->mem->bytes ? least : -1;
    }
    /* apart - bytes of the load < distance * step < apart + bytes of the store */
    const double one = (apart - l->mem->bytes) / step, other = (apart + s->mem->bytes) / step;
    const double first = fmax(floor(fmin(one, other)) + 1, least);
    return first < fmax(one, other) && first <= DEPENDENCE_DISTANCE_MAX ? (int)first : -1;
}

static const struct access *latest_store(const struct walk *w, const struct access *l,
                                         int *distance)
{
    const struct access *found = NULL;
    for (size_t k = 0; k < w->n_accesses; k++) {
        const struct access *s = &w->accesses[k];
        const int d = s->value >= 0 ? distance_between(w, s, l) : -1;
        if (d >= 0 && (!found || d <= *distance)) {
            found = s;
            *distance = d;
        }
    }
    return found;
}

static bool moves_vectors(const struct walk *w, const struct insn *i)
{
    for (int k = 0; k < i->n_reads; k++) {
        if (code_reg_is_vector(w->loop->arch, i->reads[k])) {
            return true;
        }
    }
    for (int k = 0; k < i->n_writes; k++) {
        if (code_reg_is_vector(w->loop->arch, i->writes[k])) {
            return true;
        }
    }
    return false;
}

/* What is loaded counts. */
static double forward_of_width(const struct machine *m, int bytes)
{
    const double wide = bytes >= 32 && !isnan(m->store_forward_256_cycles)
                            ? m->store_forward_256_cycles
                            : m->store_forward_cycles;
    return bytes >= 64 && !isnan(m->store_forward_512_cycles) ? m->store_forward_512_cycles : wide;
}

static double forward_cycles(const struct walk *w, const struct access *s, const struct access *l)
{
    const struct machine *m = cost_machine(w->table);
    const bool renamed = !isnan(m->store_forward_renamed_cycles) && s->mem->index == 0 &&
                         l->mem->index == 0 && !moves_vectors(w, s->insn) &&
                         !moves_vectors(w, l->insn);
    return renamed ? m->store_forward_renamed_cycles : forward_of_width(m, l->mem->bytes);
}

static void depend_on_store(struct walk *w, const struct access *s, const struct access *l,
                            int distance)
{
    const struct insn *i = l->insn;
    const struct cost_row *row = cost_of_insn(w->table, i);
    const int memory = latency_memory_operand(i->form);
    struct dependence d = {
        .from = s->value, .distance = distance, .insn = w->order[l->at], .reg = 0};

    for (int k = 0; k < i->n_writes; k++) {
        if (!is_written_back(i, i->writes[k])) {
            d.to = w->first_value[l->at] + k;
            d.latency = forward_cycles(w, s, l) +
                        latency_past_load(w->table, row, memory, i->write_operand[k]);
            add(w, d);
        }
    }
    if (l->value >= 0) { /* read, modified and written: only the file knows */
        d.to = l->value;
        d.latency = latency_of_pair(row, memory, memory);
        add(w, d);
    }
}

static void depend_on_stores(struct walk *w)
{
    for (size_t k = 0; k < w->n_accesses; k++) {
        const struct access *l = &w->accesses[k];
        int distance = 0;
        const struct access *s = l->mem->read ? latest_store(w, l, &distance) : NULL;
        if (s) {
            depend_on_store(w, s, l, distance);
        }
    }
}

struct dependences dependences_find(const struct code_loop *l, const int *order, int n,
                                    struct cost_table *t)
{
    struct dependences out = {0};
    struct arena *a = cost_arena(t);
    const int n_regs = largest_reg(l) + 1;
    struct walk w = {.loop = l, .order = order, .n = n, .table = t, .arena = a, .out = &out};

    w.regs = arena_new(a, struct reg_state, (size_t)n_regs);
    w.first_value = arena_new(a, int, (size_t)n);
    for (int r = 0; r < n_regs; r++) {
        w.regs[r] = (struct reg_state){.value = -1, .plain = true};
    }
    number_values(&w);
    for (int at = 0; at < n; at++) { /* what an iteration leaves to the next */
        take_writes(&w, at);
    }
    for (int r = 0; r < n_regs; r++) {
        w.regs[r].distance = 1;
        w.regs[r].offset = 0;
        w.regs[r].version = 0;
    }
    for (int at = 0; at < n; at++) {
        take_reads(&w, at);
        take_accesses(&w, at);
        take_writes(&w, at);
    }
    depend_on_stores(&w);
    return out;
}
