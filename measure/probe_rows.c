#include "measure/probe_rows.h"

#include <math.h>
#include <string.h>

#define DIFFERENT 0.02 /* relative: less is within what chains repeat to */

static double hundredths(double cycles)
{
    return fmax(0, rint(cycles * 100) / 100);
}

/* NaN where it is hardly different from the cycles. */
static double unless_alike(double other, double cycles)
{
    return fabs(other - cycles) > DIFFERENT * fmax(cycles, 1) ? hundredths(other) : (double)NAN;
}

static struct machine_latency row_of(const struct probe_latency *l)
{
    struct machine_latency row =
        machine_latency(l->from.operand, l->to.operand, hundredths(l->cycles));

    row.source_name = probe_end_name(&l->from);
    row.destination_name = probe_end_name(&l->to);
    row.least_cycles = unless_alike(l->least, l->cycles);
    row.most_cycles = unless_alike(l->most, l->cycles);
    row.fast_cycles = unless_alike(l->fast_cycles, l->cycles);
    row.same_register_cycles = unless_alike(l->same_cycles, l->cycles);
    row.spread = rint(l->spread * 1e4) / 1e4;
    row.n = l->n;
    return row;
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

void probe_rows_describe(const struct probe_latencies *from, struct machine_form *to,
                         struct arena *a)
{
    to->latencies = arena_new(a, struct machine_latency, (size_t)from->n);
    to->n_latencies = 0;
    for (int k = 0; k < from->n; k++) {
        const struct machine_latency row = row_of(&from->pairs[k]);
        int i = 0;
        while (i < to->n_latencies &&
               !(to->latencies[i].source == row.source &&
                 to->latencies[i].destination == row.destination &&
                 same_name(to->latencies[i].source_name, row.source_name) &&
                 same_name(to->latencies[i].destination_name, row.destination_name))) {
            i++;
        }
        if (i == to->n_latencies || to->latencies[i].cycles < row.cycles) {
            to->latencies[i] = row;
        }
        to->n_latencies += i == to->n_latencies;
    }
}

void probe_rows_forward(const struct probe_form *f, const struct probe_latencies *from,
                        struct machine *m)
{
    if (strcmp(f->code.text, "mov m64, r64") != 0 || from->n == 0) {
        return;
    }
    const struct probe_latency *l = &from->pairs[0];
    m->store_forward_cycles = hundredths(l->cycles);
    m->store_forward_renamed_cycles = unless_alike(l->direct_cycles, l->cycles);
    m->core_source = m->core_source ? m->core_source
                                    : "a store and a load of one place as a chain, with an index "
                                      "register and without, measured on this machine";
}
