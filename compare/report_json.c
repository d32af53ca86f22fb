/* JSON, format gambrel-report-1.  Base units; what is not known is null. */
#include "compare/json.h"
#include "compare/report.h"

#include <math.h>
#include <string.h>

static void add_host_words(struct text *out, const struct run_host *h)
{
    const struct {
        const char *name, *value;
    } words[] = {
        {"cpu", h->cpu_name},
        {"vendor", h->vendor},
        {"isa", h->isa},
        {"microcode", h->microcode},
        {"hypervisor", h->hypervisor},
        {"kernel", h->kernel},
        {"os", h->os},
        {"compiler", h->compiler},
        {"flags", h->flags},
        {"governor", h->governor},
        {"huge_pages", h->huge_pages},
        {"cpus_allowed", h->cpus_allowed},
        {"counters", h->counters},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const bool known = words[i].value && strcmp(words[i].value, "unknown") != 0;
        json_string(out, words[i].name, known ? words[i].value : NULL);
    }
}

static void add_host_numbers(struct text *out, const struct run_host *h)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"family", h->family},
        {"model", h->model},
        {"stepping", h->stepping},
        {"cpus_online", h->cpus_online},
        {"cpus_used", h->cpus_used},
        {"threads_per_core", h->threads_per_core},
        {"cgroup_cpus", h->cgroup_cpus},
        {"memory_bytes", h->memory_bytes},
        {"load_average", h->load_average},
        {"clock_hz", h->clock_hz},
        {"huge_page_fraction", h->huge_page_fraction},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        json_number(out, numbers[i].name, numbers[i].value);
    }
}

static void add_caches(struct text *out, const struct run_host *h)
{
    json_key(out, "caches");
    text_add(out, "[");
    for (int i = 0; i < h->n_caches; i++) {
        const struct run_cache *cache = &h->caches[i];
        text_add(out, "%s{", i ? ", " : "");
        json_string(out, "name", cache->name);
        json_number(out, "size_bytes", cache->size_bytes);
        json_number(out, "line_bytes", cache->line_bytes);
        json_number(out, "shared_by_cpus", cache->shared_by_cpus);
        json_number(out, "measured_bytes", cache->measured_bytes);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_host(struct text *out, const struct run_host *h)
{
    json_key(out, "host");
    text_add(out, "{");
    add_host_words(out, h);
    add_host_numbers(out, h);
    add_caches(out, h);
    text_add(out, "}");
}

static void add_run(struct text *out, const struct comparison *c)
{
    const struct run *r = c->run;
    text_add(out, "\"run\": {");
    json_string(out, "file", r->file);
    json_string(out, "command", r->command);
    json_string(out, "date", r->date);
    json_string(out, "version", r->version);
    json_string(out, "source", r->source);
    json_number(out, "reps", r->reps);
    json_number(out, "warmup_ms", r->warmup_ms);
    json_boolean(out, "quick", r->quick);
    json_string(out, "machine", c->machine ? c->machine->name : NULL);
    add_host(out, &r->host);
    json_key(out, "write_allocates");
    text_add(out, "%s", c->write_allocates < 0 ? "null" : c->write_allocates ? "true" : "false");
    json_strings(out, "warnings", r->warnings, r->n_warnings);
    json_key(out, "notes");
    text_add(out, "[");
    for (int i = 0; i < c->n_notes; i++) {
        text_add(out, "%s", i ? ", " : "");
        json_text(out, c->notes[i].text);
    }
    text_add(out, "]");
    text_add(out, "}");
}

static void add_where(struct text *out, const char *isa, const char *level, int threads)
{
    json_string(out, "isa", isa);
    json_string(out, "level", level);
    json_number(out, "threads", threads);
}

static void add_doubt(struct text *out, const struct measured *m)
{
    json_number(out, "cv", m->cv);
    json_number(out, "n", m->n);
    json_number(out, "other", m->other);
    json_boolean(out, "disturbed", m->disturbed);
    json_string(out, "disturbed_by", m->why[0] ? m->why : NULL);
    json_number(out, "low", m->low);
    json_number(out, "high", m->high);
    json_number(out, "array_bytes", m->array_bytes);
    json_boolean(out, "derived", m->derived);
    json_string(out, "source", m->source);
}

static void add_roof(struct text *out, const struct comparison *c, int i)
{
    const struct roof *r = &c->roofs[i];
    json_string(out, "name", r->name);
    add_where(out, r->isa, r->level, r->threads);
    json_number(out, "value", r->rate);
    json_string(out, "unit", r->unit);
    add_doubt(out, &c->roofs_measured[i]);
    json_number(out, "value_with_fetch", c->roof_details[i].rate_with_fetch);
    text_add(out, "}");
}

static void add_ladder(struct text *out, const struct ladder *l)
{
    json_key(out, "ladder");
    text_add(out, "[");
    for (int r = 0; r < RUNGS; r++) {
        const struct rung *rung = &l->rungs[r];
        text_add(out, "%s{", r ? ", " : "");
        json_string(out, "rung", rung_names[r]);
        json_number(out, "own", rung->own.rate);
        json_number(out, "ceiling", rung->ceiling.rate);
        json_string(out, "verdict", verdict_names[rung->verdict.kind]);
        json_number(out, "closes", rung->closes);
        json_string(out, "binds", rung->known ? rung->own.binds : NULL);
        json_string(out, "missing", rung->known ? NULL : rung->own.missing);
        text_add(out, "}");
    }
    text_add(out, "]");
    json_number(out, "in_turn", l->in_turn);
}

static void add_row(struct text *out, const struct row *row)
{
    const struct rung *best = row_explanation(row);
    json_string(out, "kernel", row->name);
    add_where(out, row->isa, row->level, row->threads);
    json_number(out, "measured", row->measured.rate);
    json_string(out, "unit", row->unit);
    add_doubt(out, &row->measured);
    json_key(out, "ceilings");
    text_add(out, "{");
    for (int m = 0; m < n_models; m++) {
        json_number(out, models[m].name, row->ceilings[m].rate);
    }
    text_add(out, "}");
    json_key(out, "verdicts");
    text_add(out, "{");
    for (int m = 0; m < n_models; m++) {
        json_string(out, models[m].name, verdict_names[row->verdicts[m].kind]);
    }
    text_add(out, "}");
    json_string(out, "binds", best ? best->ceiling.binds : NULL);
    json_string(out, "explained_by", best ? models[row_explained_by(row)].name : NULL);
    json_number(out, "unexplained", row->ladder.unexplained);
    json_key(out, "missing");
    text_add(out, "{");
    for (int m = 0; m < n_models; m++) {
        if (row->ceilings[m].missing[0]) {
            json_string(out, models[m].name, row->ceilings[m].missing);
        }
    }
    text_add(out, "}");
    if (row->kernel) {
        add_ladder(out, &row->ladder);
    }
    json_number(out, "intensity", row->kernel ? row->kernel->intensity : (double)NAN);
    json_number(out, "over_l1", row->over_l1);
    json_number(out, "traffic", row->traffic);
    json_number(out, "traffic_with_fetch", row->traffic_with_fetch);
    text_add(out, "}");
}

static void add_clocks(struct text *out, const struct evidence *ev)
{
    text_add(out, ",\n \"clocks\": [");
    for (int i = 0; i < ev->n_clocks; i++) {
        const struct core_clock *c = &ev->clocks[i];
        json_element(out, i);
        json_string(out, "isa", c->isa);
        json_number(out, "threads", c->threads);
        json_number(out, "hz", c->hz);
        json_number(out, "low", c->low);
        json_number(out, "high", c->high);
        json_boolean(out, "beside_roofs", c->beside_roofs);
        json_number(out, "under_fma_hz", c->under_fma_hz);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_stream_map(struct text *out, const struct stream_fit *f)
{
    json_key(out, "resources");
    text_add(out, "[");
    for (int r = 0; r < f->map.n_resources; r++) {
        text_add(out, "%s{", r ? ", " : "");
        for (int k = 0; k < STREAM_KINDS; k++) {
            json_number(out, stream_names[k], f->map.known[k] ? f->map.rho[r][k] : (double)NAN);
        }
        text_add(out, "}");
    }
    text_add(out, "]");
    json_key(out, "mixes");
    text_add(out, "[");
    for (int i = 0; i < f->n_mixes; i++) {
        text_add(out, "%s{", i ? ", " : "");
        json_string(out, "name", f->mixes[i].name);
        json_number(out, "seconds", f->mixes[i].seconds);
        json_number(out, "left_out", f->map.left_out[i]);
        text_add(out, "}");
    }
    text_add(out, "]");
}

/* Seconds that a line of each kind takes of each resource. */
static void add_streams(struct text *out, const struct evidence *ev)
{
    text_add(out, ",\n \"streams\": [");
    for (int i = 0, shown = 0; i < ev->n_streams; i++) {
        const struct stream_fit *f = &ev->streams[i];
        if (*f->problem) {
            continue;
        }
        json_element(out, shown++);
        add_where(out, f->isa, f->level, f->threads);
        json_number(out, "fit_error", f->map.fit_error);
        json_number(out, "left_out_error", f->map.left_out_error);
        json_boolean(out, "disturbed", f->disturbed);
        add_stream_map(out, f);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_curves(struct text *out, const struct comparison *c)
{
    text_add(out, ",\n \"chains\": [");
    for (int i = 0; i < c->evidence->n_chains; i++) {
        const struct chain_point *p = &c->evidence->chains[i];
        json_element(out, i);
        json_string(out, "isa", p->isa);
        json_number(out, "threads", p->threads);
        json_number(out, "chains", p->chains);
        json_number(out, "value", p->measured.rate);
        json_number(out, "fraction", p->fraction);
        add_doubt(out, &p->measured);
        text_add(out, "}");
    }
    text_add(out, "],\n \"sweep\": [");
    for (int i = 0; i < c->n_sweep; i++) {
        const struct sweep_point *p = &c->sweep[i];
        json_element(out, i);
        json_string(out, "name", p->name);
        json_string(out, "isa", p->isa);
        json_number(out, "threads", p->threads);
        json_number(out, "value", p->measured.rate);
        add_doubt(out, &p->measured);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void add_accuracy(struct text *out, const struct accuracy *a)
{
    json_number(out, "mape", a->mape);
    json_number(out, "rms", a->rms);
    json_number(out, "kendall_tau", a->kendall_tau);
    json_number(out, "coverage", a->coverage);
    json_number(out, "n", a->n);
}

/* Over a part of the rows. */
static void add_part(struct text *out, const char *name, const struct accuracy *a)
{
    json_key(out, name);
    text_add(out, "{");
    add_accuracy(out, a);
    text_add(out, "}");
}

static void add_models(struct text *out, const struct comparison *c)
{
    text_add(out, ",\n \"models\": [");
    for (int m = 0; m < n_models; m++) {
        json_element(out, m);
        json_string(out, "name", models[m].name);
        add_accuracy(out, &c->accuracy[m]);
        add_part(out, "undisturbed", &c->accuracy_quiet[m]);
        add_part(out, "l1", &c->accuracy_l1.of[m]);
        add_part(out, "beyond_l1", &c->accuracy_beyond.of[m]);
        text_add(out, "}");
    }
    text_add(out, "]");
}

bool report_json(const struct comparison *c, const struct report_options *o, struct text *out,
                 struct err *e)
{
    (void)o;
    (void)e;
    text_add(out, "{\"format\": \"gambrel-report-1\",\n ");
    add_run(out, c);
    text_add(out, ",\n \"roofs\": [");
    for (int i = 0; i < c->n_roofs; i++) {
        json_element(out, i);
        add_roof(out, c, i);
    }
    text_add(out, "],\n \"rows\": [");
    for (int i = 0; i < c->n_rows; i++) {
        json_element(out, i);
        add_row(out, &c->rows[i]);
    }
    text_add(out, "]");
    add_models(out, c);
    add_clocks(out, c->evidence);
    add_streams(out, c->evidence);
    add_curves(out, c);
    text_add(out, "}\n");
    return true;
}

bool batch_json(const struct batch *b, const struct report_options *o, struct text *out,
                struct err *e)
{
    text_add(out, "{\"format\": \"gambrel-batch-1\",\n \"models\": [");
    for (int m = 0; m < n_models; m++) {
        json_element(out, m);
        json_string(out, "name", models[m].name);
        add_accuracy(out, &b->accuracy[m]);
        text_add(out, "}");
    }
    text_add(out, "],\n \"reports\": [\n");
    for (int i = 0; i < b->n; i++) {
        text_add(out, "%s", i ? ",\n" : "");
        if (!report_json(b->runs[i], o, out, e)) {
            return false;
        }
    }
    text_add(out, "]}\n");
    return true;
}
