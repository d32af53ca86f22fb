#include "model/latency.h"

#include "code/form.h"
#include "model/compose.h"

#include <math.h>
#include <string.h>

/* How well a row of the file fits a pair; less than 0: not at all. */
static int fit(const struct machine_latency *l, int source, int destination)
{
    const bool exact_source = l->source == source,
               exact_destination = l->destination == destination;
    const bool any_source = l->source == 0 && !l->source_name,
               any_destination = l->destination == 0 && !l->destination_name;
    const bool source_fits = exact_source || any_source;
    const bool destination_fits = exact_destination || any_destination || destination == 0;
    return source_fits && destination_fits ? 2 * exact_source + exact_destination : -1;
}

static double described_latency(const struct machine_form *f, int source, int destination)
{
    double cycles = nan("");
    int best = -1;
    for (int i = 0; i < f->n_latencies; i++) {
        const int fits = fit(&f->latencies[i], source, destination);
        if (fits > best) {
            best = fits;
            cycles = f->latencies[i].cycles;
        } else if (fits >= 0 && fits == best) {
            cycles = fmin(cycles, f->latencies[i].cycles);
        }
    }
    return cycles;
}

double latency_of(const struct cost_row *row, int source, int destination)
{
    if (row->kind == COST_ELIMINATED) {
        return 0;
    }
    if (!row->described) {
        return nan("");
    }
    const double registers = described_latency(row->described, source, destination);
    const bool loads = row->kind == COST_COMPOSED && source == row->load_operand;
    return loads ? registers + described_latency(row->load, 2, 1) : registers;
}

double latency_of_pair(const struct cost_row *row, int source, int destination)
{
    for (int i = 0; row->described && i < row->described->n_latencies; i++) {
        const struct machine_latency *l = &row->described->latencies[i];
        if (l->source == source && l->destination == destination) {
            return l->cycles;
        }
    }
    return nan("");
}

double latency_of_same(const struct cost_row *row)
{
    for (int i = 0; row->kind == COST_FORM && i < row->described->n_latencies; i++) {
        if (!isnan(row->described->latencies[i].same_register_cycles)) {
            return row->described->latencies[i].same_register_cycles;
        }
    }
    return nan("");
}

double latency_past_load(struct cost_table *t, const struct cost_row *row, int source,
                         int destination)
{
    struct compose_parts parts;
    const double whole = latency_of(row, source, destination);

    if (!compose_take_apart(row->form, &parts)) {
        return 0; /* it is a load and nothing else */
    }
    for (int i = 0; i < parts.n_loads; i++) {
        const struct cost_row *load = cost_of_form(t, parts.loads[i]);
        if (load->kind == COST_FORM) {
            const double rest = whole - latency_of(load, 2, 1);
            return rest < 0 ? 0 : rest; /* NaN stays NaN */
        }
    }
    return nan("");
}

int latency_memory_operand(const char *form)
{
    int operand = 1;
    const char *at = strchr(form, ' ');
    for (; at; at = strchr(at, ','), operand++) {
        at += 1 + strspn(at + 1, " ");
        if (form_operand_is_memory(at)) {
            return operand;
        }
    }
    return 0;
}
