#include "compare/summary.h"

#include "compare/report.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const char *known(const char *text)
{
    return text && text[0] ? text : "unknown";
}

static bool is_memory(const char *unit)
{
    return strcmp(unit, "byte/s") == 0;
}

/* --- cells --- */

static void cell(struct table *t, const char *text)
{
    table_cell(t, TONE_PLAIN, "%s", text);
}

static void cell_number(struct table *t, double value, int digits)
{
    if (isnan(value)) {
        cell(t, "unknown");
    } else {
        table_cell(t, TONE_PLAIN, "%.*f", digits, value);
    }
}

static void cell_giga(struct table *t, double value)
{
    cell_number(t, value / 1e9, value < 10e9 ? 2 : 1);
}

/* A value that need not exist. */
static void cell_maybe(struct table *t, double value, void (*fill)(struct table *, double))
{
    if (isnan(value)) {
        cell(t, "-");
    } else {
        fill(t, value);
    }
}

static void cell_ratio(struct table *t, double value)
{
    cell_number(t, value, 2);
}

/* A rate under the convention that lines are fetched before they are overwritten. */
static void cell_with_fetch(struct table *t, const struct comparison *c, double counted,
                            double with_fetch)
{
    if (c->write_allocates == 0 && with_fetch > counted) {
        cell(t, "no fetch");
    } else {
        cell_maybe(t, with_fetch, cell_giga);
    }
}

static void cell_bytes(struct table *t, double value)
{
    char size[TEXT_SI_SIZE];
    cell(t, text_bytes(value, size));
}

/* cv in percent and the number of passes. */
static void cell_spread(struct table *t, const struct measured *m)
{
    cell_number(t, 100 * m->cv, 1);
    if (m->n > 0) {
        table_cell(t, TONE_PLAIN, "%d", m->n);
    } else {
        cell(t, "unknown");
    }
}

/* --- the machine and the run --- */

static void fact(struct table *t, const char *name, const char *value)
{
    cell(t, name);
    cell(t, known(value));
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
                   known(h->isa), known(h->vendor), report_number(h->family, a),
                   report_number(h->model, b), report_number(h->stepping, s), known(h->microcode));
    }
}

static void fact_cores(struct table *t, const struct run_host *h)
{
    char used[TEXT_NUMBER_SIZE], online[TEXT_NUMBER_SIZE], smt[TEXT_NUMBER_SIZE];
    char quota[TEXT_NUMBER_SIZE];
    cell(t, "CPUs");
    table_cell(t, TONE_PLAIN, "%s used of %s online, allowed %s, threads per core %s, quota %s",
               report_number(h->cpus_used, used), report_number(h->cpus_online, online),
               known(h->cpus_allowed), report_number(h->threads_per_core, smt),
               isnan(h->cgroup_cpus) ? "none known" : report_number(h->cgroup_cpus, quota));
}

static void fact_host(struct table *t, const struct run_host *h)
{
    char clock[TEXT_SI_SIZE], memory[TEXT_SI_SIZE], load[TEXT_NUMBER_SIZE];
    fact_identity(t, h);
    fact_cores(t, h);
    cell(t, "clock");
    table_cell(t, TONE_PLAIN, "%s, governor %s", text_si(h->clock_hz, "Hz", clock),
               known(h->governor));
    cell(t, "memory");
    table_cell(t, TONE_PLAIN, "%s, huge pages %s", text_bytes(h->memory_bytes, memory),
               known(h->huge_pages));
    if (!isnan(h->huge_page_fraction)) {
        cell(t, "");
        table_cell(t, TONE_PLAIN, "%.0f %% of the arrays on huge pages",
                   100 * h->huge_page_fraction);
    }
    cell(t, "system");
    table_cell(t, TONE_PLAIN, "%s, kernel %s, hypervisor %s, load %s", known(h->os),
               known(h->kernel), known(h->hypervisor), report_number(h->load_average, load));
    cell(t, "compiler");
    table_cell(t, TONE_PLAIN, "%s, flags %s", known(h->compiler), known(h->flags));
    fact(t, "counters", h->counters);
}

static void write_machine(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"", ""};
    const struct run *r = c->run;
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    fact_host(t, &r->host);
    cell(t, "run");
    table_cell(t, TONE_PLAIN, "%s, gambrel %s, %s", known(r->date), known(r->version),
               known(r->command));
    char reps[TEXT_NUMBER_SIZE], warmup[TEXT_NUMBER_SIZE];
    cell(t, "settings");
    table_cell(t, TONE_PLAIN, "%s timed passes a case, %s ms discarded before%s",
               report_number(r->reps, reps), report_number(r->warmup_ms, warmup),
               r->quick ? ", quick" : "");
    if (r->source) {
        fact(t, "source", r->source);
    }
    if (c->machine) {
        fact(t, "machine file", c->machine->file);
    }
    document_table(d, t);
}

static void write_warnings(const struct comparison *c, struct document *d)
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

/* --- roofs --- */

static void cell_remark(struct table *t, const struct measured *m, bool from_machine)
{
    if (m->disturbed) {
        table_cell(t, TONE_DOUBT, "disturbed%s%s", m->why[0] ? ": " : "", m->why);
    } else if (from_machine) {
        cell(t, "from the machine file");
    } else {
        cell(t, m->derived ? "derived" : "");
    }
}

static void write_compute_roofs(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"roof",  "isa", ">threads",     ">GFLOP/s",
                                         ">cv %", ">n",  ">other round", "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_roofs; i++) {
        const struct roof *r = &c->roofs[i];
        if (is_memory(r->unit)) {
            continue;
        }
        cell(t, r->name);
        cell(t, r->isa);
        table_cell(t, TONE_PLAIN, "%d", r->threads);
        cell_giga(t, r->rate);
        cell_spread(t, &c->roofs_measured[i]);
        cell_maybe(t, r->other, cell_giga);
        cell_remark(t, &c->roofs_measured[i], c->roof_details[i].from_machine);
    }
    if (table_rows(t) > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Compute roofs");
        document_table(d, t);
    }
}

/* The compute roof that ridge points are given against: that of the first kernel which has one. */
static const char *ridge_roof(const struct comparison *c)
{
    for (int i = 0; i < c->n_rows; i++) {
        if (c->rows[i].kernel && c->rows[i].kernel->compute_roof) {
            return c->rows[i].kernel->compute_roof;
        }
    }
    return NULL;
}

static double ridge_of(const struct comparison *c, const struct roof *r, const char *compute)
{
    const struct roof *top =
        compute ? roof_find(c->roofs, c->n_roofs, compute, r->isa, "L1", r->threads) : NULL;
    return top ? top->rate / r->rate : (double)NAN;
}

static void memory_roof_row(const struct comparison *c, int i, const char *compute, struct table *t)
{
    const struct roof *r = &c->roofs[i];
    cell(t, r->name);
    cell(t, r->isa);
    cell(t, r->level);
    table_cell(t, TONE_PLAIN, "%d", r->threads);
    cell_bytes(t, c->roofs_measured[i].array_bytes);
    cell_giga(t, r->rate);
    cell_with_fetch(t, c, r->rate, c->roof_details[i].rate_with_fetch);
    cell_spread(t, &c->roofs_measured[i]);
    cell_maybe(t, r->other, cell_giga);
    cell_maybe(t, ridge_of(c, r, compute), cell_ratio);
    cell_remark(t, &c->roofs_measured[i], c->roof_details[i].from_machine);
}

static void write_conventions(const struct comparison *c, const char *compute, struct document *d)
{
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "GB/s: bytes as the formula names them, and with the fetch of lines that are "
                 "overwritten. Does this machine fetch them? %s: %s.",
                 c->write_allocates < 0 ? "Unknown"
                 : c->write_allocates   ? "Yes"
                                        : "No",
                 c->write_allocates_why);
    if (compute) {
        document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                     "ridge: flops per counted byte where the roof meets the %s roof.", compute);
    }
}

static void write_memory_roofs(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"roof",    "isa",          "level",       ">threads",
                                         ">arrays", ">as counted",  ">with fetch", ">cv %",
                                         ">n",      ">other round", ">ridge",      "remark"};
    const char *compute = ridge_roof(c);
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_roofs; i++) {
        if (is_memory(c->roofs[i].unit)) {
            memory_roof_row(c, i, compute, t);
        }
    }
    if (table_rows(t) > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Memory roofs");
        write_conventions(c, compute, d);
        document_table(d, t);
    }
}

/* --- kernels --- */

static const enum tone verdict_tones[] = {
    [VERDICT_NONE] = TONE_DOUBT,
    [VERDICT_BOUND] = TONE_GOOD,
    [VERDICT_MISSES] = TONE_PLAIN,
    [VERDICT_VIOLATES] = TONE_BAD,
};

static void cell_verdict(struct table *t, const struct row *row)
{
    const int m = row->explained_by < 0 ? 0 : row->explained_by;
    const struct verdict *v = &row->verdicts[m];
    struct text words = {.arena = t->arena};
    verdict_words(v, &row->measured, &row->ceilings[m], &words);
    table_cell(t, v->doubtful ? TONE_DOUBT : verdict_tones[v->kind], "%s%s", words.data,
               row->measured.derived ? " (derived)" : "");
}

static void kernel_row(const struct row *row, struct table *t)
{
    cell(t, row->name);
    cell(t, row->isa);
    table_cell(t, TONE_PLAIN, "%d", row->threads);
    cell(t, row->level);
    cell_giga(t, row->measured.rate);
    cell(t, is_memory(row->unit) ? "GB/s" : "GFLOP/s");
    cell_spread(t, &row->measured);
    for (int m = 0; m < n_models; m++) {
        cell_giga(t, row->ceilings[m].rate);
        cell_number(t, row->measured.rate / row->ceilings[m].rate, 2);
    }
    cell_maybe(t, row->over_l1, cell_ratio);
    cell_verdict(t, row);
}

static struct table *kernel_table(struct arena *a)
{
    static const char *const before[] = {"kernel",    "isa",  ">threads", "level",
                                         ">measured", "unit", ">cv %",    ">n"};
    static const char *const after[] = {">of L1", "verdict"};
    const char *titles[COUNT(before) + 2 * MODELS_MAX + COUNT(after)];
    int n = 0;
    for (int i = 0; i < COUNT(before); i++) {
        titles[n++] = before[i];
    }
    for (int m = 0; m < n_models; m++) {
        titles[n++] = arena_format(a, ">%s", models[m].name);
        titles[n++] = ">ratio";
    }
    for (int i = 0; i < COUNT(after); i++) {
        titles[n++] = after[i];
    }
    return table_new(a, titles, n);
}

static void write_kernels(const struct comparison *c, struct document *d)
{
    struct table *t = kernel_table(d->arena);
    bool one_isa = true, one_unit = true;
    for (int i = 0; i < c->n_rows; i++) {
        kernel_row(&c->rows[i], t);
        one_isa &= strcmp(c->rows[i].isa, c->rows[0].isa) == 0;
        one_unit &= strcmp(c->rows[i].unit, c->rows[0].unit) == 0;
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Kernels%s%s", one_isa && c->n_rows ? ", " : "",
                 one_isa && c->n_rows ? c->rows[0].isa : "");
    if (c->n_rows == 0) {
        document_add(d, BLOCK_SENTENCE, TONE_DOUBT, "The run measured no kernel.");
        return;
    }
    if (one_isa) {
        table_hide(t, "isa");
    }
    if (one_unit) {
        table_hide(t, "unit");
    }
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "%sratio: measured over the ceiling before it; of L1: over the same kernel from "
                 "L1.",
                 !one_unit                    ? ""
                 : is_memory(c->rows[0].unit) ? "Median GB/s; "
                                              : "Median GFLOP/s; ");
    document_table(d, t);
}

static void write_traffic(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"kernel",     "isa",     ">threads",    "level",
                                         ">flop/byte", ">arrays", ">as counted", ">with fetch"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *row = &c->rows[i];
        if (isnan(row->traffic)) {
            continue;
        }
        cell(t, row->name);
        cell(t, row->isa);
        table_cell(t, TONE_PLAIN, "%d", row->threads);
        cell(t, row->level);
        table_cell(t, TONE_PLAIN, "%.4g", row->kernel->intensity);
        cell_bytes(t, row->measured.array_bytes);
        cell_giga(t, row->traffic);
        cell_with_fetch(t, c, row->traffic, row->traffic_with_fetch);
    }
    if (table_rows(t) > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Traffic");
        document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                     "GB/s that the measured rates mean, as the formula counts them and with the "
                     "fetch of overwritten lines.");
        document_table(d, t);
    }
}

static void cell_percent(struct table *t, double fraction)
{
    cell_number(t, 100 * fraction, 1);
}

static void write_models(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"model",       ">MAPE %", ">RMS %",    ">Kendall tau",
                                         ">coverage %", ">rows",   "what it is"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int m = 0; m < n_models; m++) {
        const struct accuracy *a = &c->accuracy[m];
        cell(t, models[m].name);
        cell_percent(t, a->mape);
        cell_percent(t, a->rms);
        cell_ratio(t, a->kendall_tau);
        cell_percent(t, a->coverage);
        table_cell(t, TONE_PLAIN, "%d of %d", a->n, a->n_measured);
        cell(t, models[m].what);
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "How good the models are");
    document_add(d, BLOCK_SENTENCE, TONE_PLAIN,
                 "Predicted against measured over all rows%s; a row without a prediction counts "
                 "against coverage.",
                 c->n_disturbed ? ", disturbed ones too" : "");
    document_table(d, t);
}

/* --- curves --- */

static void write_chains(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"isa",      ">threads", ">chains", ">GFLOP/s",
                                         ">of best", ">cv %",    ">n",      "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_chains; i++) {
        const struct chain_point *p = &c->chains[i];
        cell(t, p->isa);
        table_cell(t, TONE_PLAIN, "%d", p->threads);
        table_cell(t, TONE_PLAIN, "%d", p->chains);
        cell_giga(t, p->measured.rate);
        cell_ratio(t, p->fraction);
        cell_spread(t, &p->measured);
        cell_remark(t, &p->measured, false);
    }
    if (c->n_chains > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN,
                     "Chain curve: FMA rate against independent chains");
        document_table(d, t);
    }
}

static void write_caches(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"cache", ">the system says", ">the sweep says", ">line",
                                         ">shared by CPUs"};
    const struct run_host *h = &c->run->host;
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < h->n_caches; i++) {
        const struct run_cache *cache = &h->caches[i];
        cell(t, cache->name);
        cell_bytes(t, cache->size_bytes);
        cell_bytes(t, cache->measured_bytes);
        cell_bytes(t, cache->line_bytes);
        cell_number(t, cache->shared_by_cpus, 0);
    }
    document_add(d, BLOCK_HEADING, TONE_PLAIN, "Caches");
    if (h->n_caches == 0) {
        document_add(d, BLOCK_SENTENCE, TONE_DOUBT, "unknown: the system shows none.");
    }
    document_table(d, t);
}

static void write_sweep(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"loop",  ">threads", ">arrays", ">GB/s",
                                         ">cv %", ">n",       "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->n_sweep; i++) {
        const struct sweep_point *p = &c->sweep[i];
        cell(t, p->name);
        table_cell(t, TONE_PLAIN, "%d", p->threads);
        cell_bytes(t, p->measured.array_bytes);
        cell_giga(t, p->measured.rate);
        cell_spread(t, &p->measured);
        cell_remark(t, &p->measured, false);
    }
    if (c->n_sweep > 0) {
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Size sweep");
        document_table(d, t);
    }
}

void summary_write(const struct comparison *c, struct document *d)
{
    document_add(d, BLOCK_TITLE, TONE_PLAIN, "gambrel: %s", known(c->run->host.cpu_name));
    write_machine(c, d);
    write_warnings(c, d);
    write_compute_roofs(c, d);
    write_memory_roofs(c, d);
    write_kernels(c, d);
    write_models(c, d);
    write_traffic(c, d);
    write_chains(c, d);
    write_caches(c, d);
    write_sweep(c, d);
}
