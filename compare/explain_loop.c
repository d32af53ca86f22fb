#include "compare/cells.h"
#include "compare/explain_parts.h"

#include <math.h>

const char *explain_place(struct loc loc, struct arena *a)
{
    return loc.line ? arena_format(a, " (%s:%u)", loc.file, loc.line) : "";
}

const char *explain_unit(const struct kernel *k)
{
    return is_memory_unit(k->unit) ? "GB/s" : "GFLOP/s";
}

/* Differences below this are those of rounding. */
static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (1 + fabs(a));
}

/* "FP0, FP1, FP2, FP3 107 each; LS1 16; ...": ports of equal value together, zeros left out. */
static void ports_words(const struct machine *m, const double *of_port, struct text *out)
{
    for (int p = 0; p < m->n_ports; p++) {
        bool first = of_port[p] > 1e-9;
        int alike = 0;
        for (int q = 0; q < p; q++) {
            first &= !equal(of_port[q], of_port[p]);
        }
        for (int q = p; q < m->n_ports && first; q++) {
            if (equal(of_port[q], of_port[p])) {
                text_add(out, "%s%s", alike++ ? ", " : out->len ? "; " : "", m->ports[q]);
            }
        }
        if (first) {
            text_add(out, " %.4g%s", of_port[p], alike > 1 ? " each" : "");
        }
    }
}

static void resource_words(const struct kernel_ceiling *mix, const struct machine *m,
                           struct text *out)
{
    for (int r = 0; r < m->n_resources; r++) {
        if (mix->cost.cycles[r] > 1e-9) {
            text_add(out, "%s%s %.4g", out->len ? "; " : "", m->resources[r], mix->cost.cycles[r]);
        }
    }
}

static void loads(const struct kernel_ceiling *mix, const struct machine *m, struct document *d)
{
    struct text words = {.arena = d->arena};
    if (cost_table_view(mix->cost.table) == COST_PORTS) {
        ports_words(m, mix->schedule.port_load, &words);
    } else {
        resource_words(mix, m, &words);
    }
    if (!isnan(m->dispatch_width)) {
        text_add(&words, "%sfront end %.4g (%.4g slots, %g a cycle)", words.len ? "; " : "",
                 mix->cost.slots / m->dispatch_width, mix->cost.slots, m->dispatch_width);
    }
    document_add(d, BLOCK_ITEM, TONE_PLAIN, "Work, in cycles of an iteration: %s.",
                 words.len ? words.data : "none");
}

static void price(const struct kernel_ceiling *mix, const struct machine *m, struct document *d)
{
    struct text words = {.arena = d->arena};
    const double front_end = mix->schedule.front_end_price;
    if (cost_table_view(mix->cost.table) != COST_PORTS || !(mix->schedule.cycles > 0)) {
        return;
    }
    ports_words(m, mix->schedule.port_price, &words);
    if (words.len) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN,
                     "Price of one more uop, in cycles of the bound of %.4g: %s; nothing "
                     "elsewhere.",
                     mix->cycles_per_iter, words.data);
    }
    if (front_end > 1e-9 && m->dispatch_width > 0) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN,
                     "Price of one more dispatch slot: %.3g cycles of the bound of %.4g.",
                     front_end / m->dispatch_width, mix->cycles_per_iter);
    }
}

static const char *origin(const struct climb *c)
{
    return c->ran && c->ran->stated ? "of its code"
           : c->ran                 ? "of the code that ran"
           : !c->subject.kernel->hand_fixed
               ? "as its description states them; what the compiler made of it is not known"
               : "as its description states them";
}

void explain_loop(const struct explanation *x, struct document *d)
{
    const struct climb *c = &x->ladders[0].now;
    const struct kernel_body *b = c->ran ? &c->ran->body : c->body;
    const struct machine *m = c->subject.evidence->machine;
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "The loop: %s, on %s", x->wish.isa,
                 m ? m->name : "a machine without a file");
    const struct run *run = x->comparison->run;
    for (int i = 0; !x->ladders[0].row && i < run->n_warnings; i++) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "%s", run->warnings[i]);
    }
    if (b) {
        document_add(d, BLOCK_ITEM, TONE_PLAIN, "%g elements an iteration; instructions %s.",
                     b->elements_per_iter, origin(c));
    }
    if (*c->mix.missing || !m) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "Ports and front end are not known: %s.",
                     c->mix.missing);
        return;
    }
    loads(&c->mix, m, d);
    document_add(d, BLOCK_ITEM, TONE_PLAIN, "The core's bound: %.4g cycles an iteration, by %s%s.",
                 c->mix.cycles_per_iter, c->mix.binds, explain_place(c->mix.loc, d->arena));
    price(&c->mix, m, d);
}
