#include "model/front.h"

#include "model/cost.h"

#include <math.h>

enum { LINE_BYTES = 64, WIDTH_MAX = 16 };
#define ROUNDING 1e-9 /* of a sum of slots such as 1/3 */

/* --- renaming --- */

/* Where renaming stands within a cycle. */
struct group {
    int slots, uops, indexed; /* taken */
    long cycles;              /* before this one */
};

static void next_cycle(struct group *g)
{
    *g = (struct group){.cycles = g->cycles + 1};
}

static void rename(struct group *g, const struct front_uop *u, const struct front_rules *r)
{
    if (u->indexed && (g->slots + u->slots > r->width || g->uops >= r->indexed_places ||
                       g->indexed >= r->indexed_per_cycle)) {
        next_cycle(g);
    }
    g->indexed += u->indexed;
    for (int k = 0; k < u->slots; k++) {
        if (g->slots == r->width) {
            next_cycle(g);
        }
        g->slots++;
        g->uops += !u->indexed || k == 0;
    }
}

/* Trip after trip, until one begins as another did. */
double front_renames(const struct front_uop *uops, int n, const struct front_rules *r)
{
    struct begun {
        int trip; /* from 1 */
        long cycles;
    } seen[WIDTH_MAX + 1][WIDTH_MAX + 1][WIDTH_MAX + 1] = {{{{0}}}};
    struct group g = {0};
    for (int trip = 1;; trip++) {
        struct begun *before = &seen[g.slots][g.uops][g.indexed];
        if (before->trip > 0) {
            return (double)(g.cycles - before->cycles) / (trip - before->trip);
        }
        *before = (struct begun){trip, g.cycles};
        for (int i = 0; i < n; i++) {
            rename(&g, &uops[i], r);
        }
    }
}

/* --- a loop's uops --- */

static bool is_whole(double slots)
{
    return slots == floor(slots);
}

/* Instructions first..last of a loop, which closes with a branch. */
struct stretch {
    struct front_uop *uops;
    int n;
    double slots;   /* fetched: an indexed operand is not split yet */
    bool averages;  /* some slots are no whole number: which cycle they fall into is not known */
    bool over_line; /* an instruction of the closing pair lies over a line's end */
    int lines;
};

static uint64_t line_of(const struct insn *i, const uint64_t *moved, int offset)
{
    return (i->address + *moved + (uint64_t)offset) / LINE_BYTES;
}

static bool lies_over(const struct insn *i, const uint64_t *moved)
{
    return line_of(i, moved, 0) != line_of(i, moved, i->length - 1);
}

static bool parted(const struct insn *first, const uint64_t *moved)
{
    return moved &&
           line_of(first, moved, first->length - 1) != line_of(first, moved, first->length);
}

static struct stretch uops_of(struct cost_table *t, const struct code_loop *l, int first, int last,
                              const uint64_t *moved)
{
    struct stretch s = {.uops =
                            arena_new(cost_arena(t), struct front_uop, (size_t)(last - first + 1))};
    for (int i = first; i <= last; i++) {
        const struct insn *insn = &l->insns[i];
        const bool pair = i < last && cost_of_neighbours(t, l, i) && !parted(insn, moved);
        const struct cost_row *row = pair ? NULL : cost_of_insn(t, insn);
        const struct cost_row *indexed = pair ? NULL : cost_of_index(t, insn);
        const double slots = pair ? 1 : row->slots;
        const double renamed = slots + (indexed ? indexed->slots : 0);
        s.slots += slots;
        s.averages |= !is_whole(renamed);
        s.uops[s.n++] = (struct front_uop){(int)renamed, indexed != NULL};
        if (moved && i + pair == last) {
            s.over_line = lies_over(insn, moved) || (pair && lies_over(insn + 1, moved));
        }
        i += pair;
    }
    if (moved) {
        s.lines = (int)(line_of(&l->insns[last], moved, l->insns[last].length - 1) -
                        line_of(&l->insns[first], moved, 0)) +
                  1;
    }
    return s;
}

static double or_any(double limit)
{
    return isnan(limit) ? (double)INFINITY : limit;
}

struct front_bound front_of_loop(struct cost_table *t, const struct code_loop *l,
                                 double inner_trips, const uint64_t *moved)
{
    const struct machine *m = cost_machine(t);
    const bool nested = l->inner_first >= 0;
    const struct stretch s =
        uops_of(t, l, nested ? l->inner_first : 0, nested ? l->inner_last : l->n - 1, moved);
    const double trips = nested ? inner_trips : 1;
    struct front_bound out = {0};
    if (cost_table_view(t) != COST_PORTS || s.n == 0) {
        return out;
    }
    if (m->fetch_slots > 0) {
        out.lines = s.over_line ? s.lines : 0;
        out.fetch_cycles = trips * fmax(ceil(s.slots / m->fetch_slots - ROUNDING), out.lines);
    }
    if (m->dispatch_width >= 1 && m->dispatch_width <= WIDTH_MAX && is_whole(m->dispatch_width) &&
        !s.averages) {
        const struct front_rules rules = {
            .width = (int)m->dispatch_width,
            .indexed_places = or_any(m->indexed_operand_places),
            .indexed_per_cycle = or_any(m->indexed_operands_per_cycle),
        };
        out.rename_cycles = trips * front_renames(s.uops, s.n, &rules);
    }
    return out;
}
