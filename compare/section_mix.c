#include "compare/sections.h"

#include <math.h>
#include <string.h>

static bool shown_before(const struct comparison *c, int row)
{
    for (int i = 0; i < row; i++) {
        if (c->rows[i].kernel == c->rows[row].kernel &&
            strcmp(c->rows[i].isa, c->rows[row].isa) == 0) {
            return true;
        }
    }
    return false;
}

static void mix_row(const struct evidence *ev, const struct row *row, struct table *t)
{
    const struct ran_loop *ran = evidence_loop(ev, row->kernel->name, row->isa);
    struct kernel_ceiling mix;
    cell(t, row->name);
    cell(t, row->isa);
    cell(t, ran                       ? ran->problem[0]       ? "unreadable"
                                        : ran->differences[0] ? "ran, not as stated"
                                                              : "ran"
            : row->kernel->hand_fixed ? "stated"
                                      : "stated; the compiler's are not known");
    if (!evidence_mix(ev, row->kernel, row->isa, 1, 1, &mix)) {
        cell(t, "unknown");
        cell(t, "unknown");
        cell(t, "");
        table_cell(t, TONE_DOUBT, "no number: %s", mix.missing);
        return;
    }
    cell_number(t, mix.cycles_per_iter, 2);
    cell_number(t, mix.cycles_per_iter / mix.cycles_per_element, 0);
    if (mix.loc.line > 0) {
        table_cell(t, TONE_PLAIN, "line %u", mix.loc.line);
    } else {
        cell(t, "core");
    }
    cell(t, mix.binds);
}

/* Promise and code of the loops that are left to the compiler; of those fixed by hand a note says
 * it above. */
static void write_differences(const struct comparison *c, struct document *d)
{
    for (int i = 0; i < c->evidence->n_loops; i++) {
        const struct ran_loop *l = &c->evidence->loops[i];
        if (l->differences[0] && !(l->described && l->described->hand_fixed)) {
            document_add(d, BLOCK_ITEM, TONE_PLAIN,
                         "%s (%s): the code that ran is not what %s states, as it is left to the "
                         "compiler: %s.",
                         l->name, l->isa, c->kernels->file,
                         differences_words(l->differences, d->arena));
        }
    }
}

static void clock_row(const struct core_clock *c, struct table *t)
{
    cell(t, c->isa);
    table_cell(t, TONE_PLAIN, "%d", c->threads);
    cell_number(t, c->hz / 1e9, 3);
    cell_number(t, 100 * (c->high - c->low) / c->hz, 1);
    cell_number(t, c->under_fma_hz / 1e9, 3);
    cell(t, c->beside_roofs ? "" : "none beside the roofs: the host's, or the FMA roof's if lower");
}

static void section_clocks(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"isa",       ">threads",       ">GHz beside the roofs",
                                         ">within %", ">GHz under FMA", "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->evidence->n_clocks; i++) {
        clock_row(&c->evidence->clocks[i], t);
    }
    document_add(
        d, BLOCK_SENTENCE, TONE_PLAIN,
        "Clocks: the median of dependent adds right after the passes of all roofs (within: the "
        "width "
        "of its 95 %% interval). A bound of the core stands at the lower of the clocks beside the "
        "two roofs of the kernel, never at the one beside the kernel itself. Under FMA: the rate "
        "of "
        "the fma_f32 roof over what the machine file gives its loop in a cycle: less than the "
        "clock "
        "where that roof does not reach its bound.");
    document_table(d, t);
}

void section_mix(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",    "isa",          "instructions", ">cycles",
                                         ">elements", "machine file", "binds"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_rows && c->evidence->costs; i++) {
        if (c->rows[i].kernel && !shown_before(c, i)) {
            mix_row(c->evidence, &c->rows[i], t);
        }
    }
    if (table_rows(t) == 0) {
        return;
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Instruction mix on %s%s", c->machine->name,
                 table_fold(t, "isa"));
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "Cycles and elements of one iteration; instructions: of the code that ran, or as "
                 "%s states them.",
                 c->kernels->file);
    document_table(d, t);
    write_differences(c, d);
    section_clocks(c, d);
}
