#include "compare/report.h"
#include "compare/sections.h"

#include <math.h>
#include <string.h>

/* Facts as lines of a table; what is not known is gathered for one line of its own. */
struct facts {
    struct table *table;
    struct text line, unknown;
};

static bool is_known(const char *value)
{
    return value && value[0] && strcmp(value, "unknown") != 0;
}

/* Adds "before value after" to the line; `what` names it where it is not known. */
static void say(struct facts *f, const char *what, const char *before, const char *value)
{
    if (is_known(value)) {
        text_add(&f->line, "%s%s%s", f->line.len ? ", " : "", before, value);
    } else {
        text_add(&f->unknown, "%s%s", f->unknown.len ? ", " : "", what);
    }
}

static void say_number(struct facts *f, const char *what, const char *before, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    say(f, what, before, isnan(value) ? NULL : report_number(value, digits));
}

static void end_line(struct facts *f, const char *name)
{
    if (f->line.len) {
        cell(f->table, name);
        cell(f->table, f->line.data);
    }
    f->line = (struct text){.arena = f->table->arena};
}

static void fact(struct facts *f, const char *name, const char *value)
{
    say(f, name, "", value);
    end_line(f, name);
}

static void fact_identity(struct facts *f, const struct run_host *h)
{
    fact(f, "CPU", h->cpu_name);
    say(f, "architecture", "", h->isa);
    if (h->isa && strcmp(h->isa, "aarch64") == 0) {
        say_number(f, "implementer", "implementer ", h->implementer);
        say_number(f, "part", "part ", h->part);
    } else {
        say(f, "vendor", "", h->vendor);
        say_number(f, "family", "family ", h->family);
        say_number(f, "model", "model ", h->model);
        say_number(f, "stepping", "stepping ", h->stepping);
        say(f, "microcode", "microcode ", h->microcode);
    }
    end_line(f, "identity");
}

static void fact_cores(struct facts *f, const struct run_host *h)
{
    say_number(f, "CPUs used", "used ", h->cpus_used);
    say_number(f, "CPUs online", "online ", h->cpus_online);
    say(f, "CPUs allowed", "allowed ", h->cpus_allowed);
    say_number(f, "threads per core", "threads per core ", h->threads_per_core);
    say_number(f, "CPU quota", "quota ", h->cgroup_cpus);
    end_line(f, "CPUs");
}

static void fact_host(struct facts *f, const struct run_host *h)
{
    char size[TEXT_SI_SIZE];
    fact_identity(f, h);
    fact_cores(f, h);
    say(f, "clock", "", text_si(h->clock_hz, "Hz", size));
    say(f, "governor", "governor ", h->governor);
    end_line(f, "clock");
    say(f, "memory", "", text_bytes(h->memory_bytes, size));
    say(f, "huge pages", "huge pages ", h->huge_pages);
    if (!isnan(h->huge_page_fraction)) {
        say_number(f, "",
                   "percent of the arrays on huge pages: ", round(100 * h->huge_page_fraction));
    }
    end_line(f, "memory");
    say(f, "operating system", "", h->os);
    say(f, "kernel", "kernel ", h->kernel);
    say(f, "hypervisor", "hypervisor ", h->hypervisor);
    say_number(f, "load", "load ", h->load_average);
    end_line(f, "system");
    say(f, "compiler", "", h->compiler);
    say(f, "compiler flags", "flags ", h->flags);
    end_line(f, "compiler");
    fact(f, "counters", h->counters);
}

static void fact_run(struct facts *f, const struct comparison *c)
{
    const struct run *r = c->run;
    say(f, "date", "", r->date);
    say(f, "version", "gambrel ", r->version);
    say(f, "command", "", r->command);
    end_line(f, "run");
    say_number(f, "timed passes a case", "timed passes a case: ", r->reps);
    say_number(f, "warm-up", "ms discarded before: ", r->warmup_ms);
    if (r->quick) {
        say(f, "", "", "quick");
    }
    end_line(f, "settings");
    if (r->source) {
        fact(f, "source", r->source);
    }
    if (c->machine) {
        fact(f, "machine file", c->machine->name);
    }
}

void section_machine(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"", ""};
    struct facts f = {
        table_new(d->arena, titles, COUNT(titles)), {.arena = d->arena}, {.arena = d->arena}};
    fact_host(&f, &c->run->host);
    fact_run(&f, c);
    if (f.unknown.len) {
        cell(f.table, "not known");
        cell(f.table, f.unknown.data);
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Machine and run");
    document_table(d, f.table);
}

void section_header(const struct comparison *c, struct document *d)
{
    const struct run *r = c->run;
    struct text words = {.arena = d->arena};
    char clock[TEXT_SI_SIZE], reps[TEXT_NUMBER_SIZE];
    text_add(&words, "%s%s", is_known(r->date) ? r->date : "date not known",
             r->quick ? ", quick run" : "");
    if (!isnan(r->host.clock_hz)) {
        text_add(&words, ", clock %s", text_si(r->host.clock_hz, "Hz", clock));
    }
    if (!isnan(r->reps)) {
        text_add(&words, ", medians of %s passes", report_number(r->reps, reps));
    }
    if (is_known(r->source)) {
        text_add(&words, ", published values: %s", r->source);
    }
    text_add(&words, ", machine file %s", c->machine ? c->machine->name : "none");
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN, "%s.", words.data);
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
