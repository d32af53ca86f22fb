#include "cli/kernel_ran.h"

#include "model/ceiling.h"
#include "model/chain.h"
#include "model/front.h"
#include "model/stores.h"

#include <math.h>
#include <string.h>

#define RARE  0.01 /* runs of an instruction for an iteration that do not count: loop exits */
#define OFTEN 0.5  /* enough to be part of the loop, though seen once */

/* --- what runs --- */

static double runs_of(const struct kernel_candidate *k, const double *per_n)
{
    return per_n[k->loop.address - k->function.address];
}

static double instructions_per_n(const struct kernel_candidate *k, const double *per_n)
{
    double sum = 0;
    for (size_t i = 0; i < k->function.len; i++) {
        sum += per_n[i];
    }
    return sum;
}

/* Of the loop's own instructions, as many as run in it. */
static double loop_runs(const struct kernel_candidate *k, const double *per_n)
{
    double sum = 0;
    for (int i = 0; i < k->loop.loop.n; i++) {
        sum += per_n[k->loop.loop.insns[i].address - k->function.address];
    }
    return sum;
}

bool ran_find(struct cli *c, const struct kernel_code *code, bool chosen,
              const struct callee_request *r, struct ran *out, struct err *e)
{
    const struct kernel_candidate *most = &code->all[code->chosen];
    struct callee_steps steps;
    if (!callee_count(r, most->function.len, c->arena, &steps, e)) {
        return false;
    }
    const double *per_n = steps.per_n;
    for (int i = 0; i < code->n && !chosen; i++) {
        most = loop_runs(&code->all[i], per_n) > loop_runs(most, per_n) ? &code->all[i] : most;
    }
    const double runs = runs_of(most, per_n);
    *out = (struct ran){most, 1 / runs, loop_runs(most, per_n) / instructions_per_n(most, per_n),
                        steps};
    return runs > 0 ||
           err_set(e, ERR_HOST, LOC_NONE,
                   "%s does not run more often for a larger n; is n its first argument?",
                   most->place);
}

/* --- ceilings --- */

/* The function's instructions that run at all, in order, and how often for one iteration. */
static int list_what_ran(struct cli *c, const struct ran *r, struct insn **insns, double **times)
{
    const struct object_function *f = &r->loop->function;
    struct err none = {0};
    struct decoder *d = decoder_open(r->loop->loop.loop.arch, &none);
    int n = 0;
    *insns = arena_new(c->arena, struct insn, f->len);
    *times = arena_new(c->arena, double, f->len);
    for (size_t at = 0; d && at < f->len; at++) {
        const double runs = r->steps.per_n[at] * r->n_per_iter;
        const bool once =
            r->steps.per_n[at] < 1.5 * r->steps.once_per_n; /* more, and that is all */
        if (runs > (once ? OFTEN : RARE) &&
            decode_insn(d, f->code + at, f->len - at, f->address + at, &(*insns)[n], &none)) {
            (*times)[n++] = runs;
        }
    }
    decoder_close(d);
    return n;
}

/* How often an iteration takes this branch: as often as it does not go on behind it. */
static double taken(const struct ran *r, const struct insn *i, double times)
{
    const uint64_t behind = i->address + (uint64_t)i->length - r->loop->function.address;
    const double goes_on = i->conditional && behind < r->loop->function.len
                               ? r->steps.per_n[behind] * r->n_per_iter
                               : 0;
    return fmax(times - goes_on, 0);
}

/* All that are taken, and those within a line of code, of which one ends each cycle's fetching. */
static void add_branches(struct cost *cost, const struct ran *r, const struct insn *insns,
                         const double *times, int n)
{
    enum { LINE = 64 };
    const uint64_t moved = r->steps.first - r->loop->function.address;
    double in_line = 0;
    for (int i = 0; i < n; i++) {
        if (insns[i].branch && insns[i].target != 0 && !insns[i].calls) {
            const double often = taken(r, &insns[i], times[i]);
            const bool near = (insns[i].address + moved) / LINE == (insns[i].target + moved) / LINE;
            cost->taken_branches += often;
            in_line += near ? often : 0;
        }
    }
    if (cost_machine(cost->table)->fetch_slots > 0) {
        cost->front.fetch_cycles = in_line;
    }
}

/* What stands beside the loop takes ports, too, as often as it runs. */
static void add_what_ran(struct cli *c, struct cost *cost, const struct ran *r)
{
    struct insn *insns;
    double *times;
    const int n = list_what_ran(c, r, &insns, &times);
    add_branches(cost, r, insns, times, n);
    for (int i = 0; i < n; i++) {
        const bool follows =
            i + 1 < n && insns[i].address + (uint64_t)insns[i].length == insns[i + 1].address;
        const bool together = follows && fabs(times[i] - times[i + 1]) < 1e-9 * times[i] &&
                              !insn_addresses_rip(&insns[i]);
        const struct cost_row *pair =
            together ? cost_of_pair(cost->table, insns[i].form, insns[i + 1].form) : NULL;
        if (pair) {
            cost_add(cost, pair, times[i++]);
        } else {
            cost_add_insn(cost, &insns[i], times[i]);
        }
    }
}

/* --- lines that are crossed --- */

/* Number of a general register, -1: none of the sixteen. */
static int number_of(const struct decoder *d, code_reg reg)
{
    static const char *const names[CALLEE_REGS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                                   "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                                   "r12", "r13", "r14", "r15"};
    int number = -1;
    for (int k = 0; reg && k < CALLEE_REGS; k++) {
        number = strcmp(names[k], code_reg_name(d, reg)) == 0 ? k : number;
    }
    return number;
}

/* Where an access was first, and how far it moves; *step 0: by no constant. */
static uint64_t place_of(const struct decoder *d, const struct code_loop *l,
                         const struct insn_mem *m, const uint64_t *regs, uint64_t *step)
{
    const int base = number_of(d, m->base), index = number_of(d, m->index);
    int64_t base_step, index_step;
    const bool moves = !m->rip_relative && (base >= 0 || index >= 0) &&
                       lift_step(l, m->base, &base_step) && lift_step(l, m->index, &index_step);
    *step = moves ? (uint64_t)(base_step + index_step * m->scale) : 0;
    return (base < 0 ? 0 : regs[base]) + (index < 0 ? 0 : regs[index] * (uint64_t)m->scale) +
           (uint64_t)m->displacement;
}

/* The part of iterations in which an access crosses a line; 0 where it does not move by a
 * constant. */
static double crossing_part(uint64_t first, uint64_t step, int bytes)
{
    enum { LINE = 64 };
    int crossed = 0;
    for (uint64_t k = 0; k < LINE && step != 0; k++) {
        crossed += (int)((first + k * step) % LINE) + bytes > LINE;
    }
    return (double)crossed / LINE;
}

enum { STORES_MAX = 64 };

/* What the loop's accesses do to lines. */
struct lines {
    double crossing_loads, crossing_stores; /* an iteration */
    struct store stores[STORES_MAX];
    int n_stores;
};

static void add_access(const struct insn_mem *m, uint64_t first, uint64_t step, double times,
                       struct lines *out)
{
    const double part = times * crossing_part(first, step, m->bytes);
    out->crossing_loads += m->read ? part : 0;
    out->crossing_stores += m->write ? part : 0;
    if (m->write && out->n_stores < STORES_MAX) {
        out->stores[out->n_stores++] = (struct store){(int64_t)first, (int64_t)step, 0, m->bytes};
    }
}

static void find_lines(const struct ran *r, struct lines *out)
{
    const struct kernel_candidate *k = r->loop;
    const struct code_loop *l = &k->loop.loop;
    struct err none = {0};
    struct decoder *d = decoder_open(l->arch, &none);
    *out = (struct lines){0};
    for (int i = 0; d && i < l->n; i++) {
        const uint64_t offset = l->insns[i].address - k->function.address;
        const double times = r->steps.per_n[offset] * r->n_per_iter;
        const bool by_data =
            strstr(l->insns[i].form, "gather") || strstr(l->insns[i].form, "scatter");
        for (int m = 0; m < l->insns[i].n_mem && !by_data; m++) {
            const struct insn_mem *mem = &l->insns[i].mem[m];
            uint64_t step;
            const uint64_t first = place_of(d, l, mem, r->steps.regs[offset], &step);
            add_access(mem, first, step, times, out);
        }
    }
    decoder_close(d);
}

/* Whether all of the loop runs in every iteration. */
static bool runs_straight(const struct ran *r)
{
    const struct kernel_candidate *k = r->loop;
    for (int i = 0; i < k->loop.loop.n; i++) {
        const uint64_t offset = k->loop.loop.insns[i].address - k->function.address;
        if (fabs(r->steps.per_n[offset] * r->n_per_iter - 1) > RARE) {
            return false;
        }
    }
    return true;
}

static void add_lines_and_order(struct cost *cost, const struct ran *r, const char *isa)
{
    const struct machine *m = cost_machine(cost->table);
    const uint64_t moved = r->steps.first - r->loop->function.address;
    struct lines lines;
    find_lines(r, &lines);
    cost_add_crossings(cost, isa, lines.crossing_loads, lines.crossing_stores);
    if (cost_table_view(cost->table) == COST_PORTS && runs_straight(r)) {
        cost->front = front_of_loop(cost->table, &r->loop->loop.loop, 1, &moved);
        cost->line_cycles = stores_cycles(lines.stores, lines.n_stores, m->store_line_cycles,
                                          m->line_crossing_store_cycles);
    }
}

static const char *words_or(struct text *words, const char *nothing)
{
    return words->len > 0 ? words->data : nothing;
}

bool ran_climb(struct cli *c, const struct ran *r, const struct kernel_body *body,
               struct ran_ladder *out, struct err *e)
{
    struct text ports = {.arena = c->arena}, chains = ports, unknown = ports;
    struct ceiling_bound bound;
    struct chain_bound chain;
    struct cost_table *t = cost_compile(out->machine, cost_view_of(out->machine), c->arena, e);
    if (!t) {
        return false;
    }
    struct cost cost = cost_new(t);
    add_what_ran(c, &cost, r);
    add_lines_and_order(&cost, r, body->isa);
    if (!ceiling_of_cost(&cost, &bound, e) || !chain_find(&r->loop->loop.loop, 1, t, &chain, e)) {
        return false;
    }
    cost_name_unknown(&cost, &unknown);
    ceiling_words(&cost, &bound, &ports);
    chain_words(&r->loop->loop.loop,
                chain.overlap_cycles > chain.carried.cycles ? &chain.path : &chain.carried,
                &chains);
    if (*chain.missing) {
        text_add(&unknown, "%slatency of %s", unknown.len ? "; " : "", chain.missing);
    }
    out->ports = cost.n_unknown ? (double)NAN : bound.cycles;
    out->chains = chain.cycles_per_iter;
    out->best =
        isnan(out->ports) || isnan(out->chains) ? (double)NAN : fmax(out->ports, out->chains);
    out->ports_words = words_or(&ports, "nothing");
    out->chains_words = words_or(&chains, "no chain");
    out->unknown = words_or(&unknown, "");
    return true;
}
