#include "compare/sections.h"

void section_chains(const struct comparison *c, struct document *d)
{
    static const char *const titles[] = {"isa",      ">threads", ">chains", ">GFLOP/s",
                                         ">of best", ">cv %",    ">n",      "remark"};
    struct table *t = table_new(d->arena, titles, COUNT(titles));
    for (int i = 0; i < c->evidence->n_chains; i++) {
        const struct chain_point *p = &c->evidence->chains[i];
        cell(t, p->isa);
        table_cell(t, TONE_PLAIN, "%d", p->threads);
        table_cell(t, TONE_PLAIN, "%d", p->chains);
        cell_giga(t, p->measured.rate);
        cell_ratio(t, p->fraction);
        cell_spread(t, &p->measured);
        cell_remark(t, &p->measured, false);
    }
    if (c->evidence->n_chains > 0) {
        const char *isa = table_fold(t, "isa");
        document_add(d, BLOCK_HEADING, TONE_PLAIN,
                     "Chain curve: FMA rate against independent chains%s%s", isa, fold_spread(t));
        document_table(d, t);
    }
}

void section_caches(const struct comparison *c, struct document *d)
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

void section_sweep(const struct comparison *c, struct document *d)
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
        document_add(d, BLOCK_HEADING, TONE_PLAIN, "Size sweep%s", fold_spread(t));
        document_table(d, t);
    }
}
