#include "model/stores.h"

#include "code/lift.h"
#include "formats/machine.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LINE_BYTES = 64, TRIPS = LINE_BYTES, STORES_MAX = 64 };

static int64_t line_of(int64_t at)
{
    return at >= 0 ? at / LINE_BYTES : -((LINE_BYTES - 1 - at) / LINE_BYTES);
}

/* What came last, if another store may still go with it. */
struct waiting {
    bool any;
    int space;
    int64_t line;
};

static double cycles_of(const struct store *s, int trip, double line_cycles, double crossing_cycles,
                        struct waiting *w)
{
    const int64_t at = s->at + s->step * trip, line = line_of(at);
    if (line != line_of(at + s->bytes - 1)) {
        *w = (struct waiting){0};
        return crossing_cycles;
    }
    if (w->any && w->space == s->space && w->line == line) {
        *w = (struct waiting){0};
        return 0;
    }
    *w = (struct waiting){true, s->space, line};
    return line_cycles;
}

double stores_cycles(const struct store *s, int n, double line_cycles, double crossing_cycles)
{
    struct waiting w = {0};
    double sum = 0;
    for (int trip = 0; trip < TRIPS; trip++) {
        for (int i = 0; i < n; i++) {
            sum += cycles_of(&s[i], trip, line_cycles, crossing_cycles, &w);
        }
    }
    return sum / TRIPS;
}

/* --- of a loop --- */

static int space_of(const struct insn_mem *const *mems, int n)
{
    int k = 0;
    while (mems[k]->base != mems[n]->base || mems[k]->index != mems[n]->index ||
           mems[k]->scale != mems[n]->scale) {
        k++;
    }
    return k;
}

double stores_of_loop(const struct machine *m, const struct code_loop *l, double inner_trips)
{
    const bool nested = l->inner_first >= 0;
    const int last = nested ? l->inner_last : l->n - 1;
    const struct insn_mem *mems[STORES_MAX];
    struct store stores[STORES_MAX];
    int n = 0;
    for (int i = nested ? l->inner_first : 0; i <= last; i++) {
        const struct insn *insn = &l->insns[i];
        const int n_mem = strstr(insn->form, "scatter") ? 0 : insn->n_mem; /* its places are data */
        for (int k = 0; k < n_mem && n < STORES_MAX; k++) {
            const struct insn_mem *mem = mems[n] = &insn->mem[k];
            int64_t base, index;
            const bool moves = lift_step(l, mem->base, &base) && lift_step(l, mem->index, &index);
            if (mem->write) {
                stores[n] = (struct store){mem->displacement, moves ? base + index * mem->scale : 0,
                                           space_of(mems, n), mem->bytes};
                n++;
            }
        }
    }
    const double cycles = stores_cycles(stores, n, m->store_line_cycles, m->store_line_cycles);
    return isnan(cycles) ? 0 : cycles * (nested ? inner_trips : 1);
}
