#include "compare/report.h"
#include "compare/sections.h"

#include <math.h>
#include <string.h>

static void fact(struct table *t, const char *name, const char *value)
{
    cell(t, name);
    cell(t, known_text(value));
}

static void fact_identity(struct table *t, const struct run_host *h)
{
    char a[TEXT_NUMBER_SIZE], b[TEXT_NUMBER_SIZE], s[TEXT_NUMBER_SIZE];
    fact(t, "CPU", h->cpu_name);
    cell(t, "identity");
    if (h->isa && strcmp(h->isa, "aarch64") == 0) {
        table_cell(t, TONE_PLAIN, "%s, implementer %s, part %s", h->isa,
                   report_number(h->implementer, a), report_number(h->part, b));
    } else {
        table_cell(t, TONE_PLAIN, "%s, %s, family %s, model %s, stepping %s, microcode %s",
                   known_text(h->isa), known_text(h->vendor), report_number(h->family, a),
                   report_number(h->model, b), report_number(h->stepping, s),
                   known_text(h->microcode));
    }
}

static void fact_cores(struct table *t, const struct run_host *h)
{
    char used[TEXT_NUMBER_SIZE], online[TEXT_NUMBER_SIZE], smt[TEXT_NUMBER_SIZE];
    char quota[TEXT_NUMBER_SIZE];
    cell(t, "CPUs");
    table_cell(t, TONE_PLAIN, "%s used of %s online, allowed %s, threads per core %s, quota %s",
               report_number(h->cpus_used, used), report_number(h->cpus_online, online),
               known_text(h->cpus_allowed), report_number(h->threads_per_core, smt),
               isnan(h->cgroup_cpus) ? "none known" : report_number(h->cgroup_cpus, quota));
}

static void fact_host(struct table *t, const struct run_host *h)
{
    char clock[TEXT_SI_SIZE], memory[TEXT_SI_SIZE], load[TEXT_NUMBER_SIZE];
    fact_identity(t, h);
    fact_cores(t, h);
    cell(t, "clock");
    table_cell(t, TONE_PLAIN, "%s, governor %s", text_si(h->clock_hz, "Hz", clock),
               known_text(h->governor));
    cell(t, "memory");
    table_cell(t, TONE_PLAIN, "%s, huge pages %s", text_bytes(h->memory_bytes, memory),
               known_text(h->huge_pages));
    if (!isnan(h->huge_page_fraction)) {
        cell(t, "");
        table_cell(t, TONE_PLAIN, "%.0f %% of the arrays on huge pages",
                   100 * h->huge_page_fraction);
    }
    cell(t, "system");
    table_cell(t, TONE_PLAIN, "%s, kernel %s, hypervisor %s, load %s", known_text(h->os),
               known_text(h->kernel), known_text(h->hypervisor),
               report_number(h->load_average, load));
    cell(t, "compiler");
    table_cell(t, TONE_PLAIN, "%s, flags %s", known_text(h->compiler), known_text(h->flags));
    fact(t, "counters", h->counters);
}

void section_machine(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"", ""};
    const struct run *r = c->run;
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    fact_host(t, &r->host);
    cell(t, "run");
    table_cell(t, TONE_PLAIN, "%s, gambrel %s, %s", known_text(r->date), known_text(r->version),
               known_text(r->command));
    char reps[TEXT_NUMBER_SIZE], warmup[TEXT_NUMBER_SIZE];
    cell(t, "settings");
    table_cell(t, TONE_PLAIN, "%s timed passes a case, %s ms discarded before%s",
               report_number(r->reps, reps), report_number(r->warmup_ms, warmup),
               r->quick ? ", quick" : "");
    if (r->source) {
        fact(t, "source", r->source);
    }
    if (c->machine) {
        fact(t, "machine file", c->machine->name);
    }
    document_table(d, t);
}

void section_warnings(const struct comparison *c, struct document *d)
{
    if (c->run->n_warnings + c->n_notes == 0) {
        return;
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "To know");
    for (int i = 0; i < c->n_notes; i++) {
        document_add(d, BLOCK_ITEM, c->notes[i].violated ? TONE_BAD : TONE_DOUBT, "%s",
                     c->notes[i].text);
    }
    for (int i = 0; i < c->run->n_warnings; i++) {
        document_add(d, BLOCK_ITEM, TONE_DOUBT, "%s", c->run->warnings[i]);
    }
}
