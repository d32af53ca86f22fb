#include "base/text.h"
#include "formats/machine.h"
#include "formats/machine_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Sources are said once per group, on top: that of the group's first entry.  An entry with another
 * one says so itself. */
struct writer {
    struct yml_out *o;
    struct arena *a;
    const struct machine *m;
    const char *instructions, *resources; /* of the first form in either group; NULL: none */
};

static bool in_instructions(const struct machine_form *f)
{
    return f->has_uops || f->n_latencies > 0 || f->slots != 1 || f->others_wait_cycles != 0;
}

static bool in_resources(const struct machine *m, const struct machine_form *f)
{
    return f->n_uses > 0 || (m->n_resources > 0 && !in_instructions(f));
}

static void write_source(struct writer *w, const char *group, const char *source)
{
    if (source) {
        yml_out_key(w->o, group);
        yml_out_text(w->o, source);
    }
}

static void write_own_source(struct writer *w, const char *source, const char *of_group)
{
    if (strcmp(source, of_group) != 0) {
        write_source(w, "source", source);
    }
}

static const char *source_of(const struct field *fields, const void *row)
{
    const char *source = NULL;
    for (; fields->key; fields++) {
        if (fields->kind == FIELD_SOURCE) {
            memcpy(&source, (const char *)row + fields->offset, sizeof source);
        }
    }
    return source;
}

static void write_sources(struct writer *w)
{
    const struct machine *m = w->m;
    for (int i = m->n_forms - 1; i >= 0; i--) {
        const struct machine_form *f = &m->forms[i];
        w->instructions = in_instructions(f) ? f->source : w->instructions;
        w->resources = in_resources(m, f) ? f->source : w->resources;
    }
    yml_out_key(w->o, "sources");
    yml_out_map(w->o, false);
    write_source(w, "caches", m->n_caches ? m->caches->source : NULL);
    write_source(w, "elimination", m->elimination_source);
    write_source(w, "fusion", m->n_fusions ? m->fusions->source : NULL);
    write_source(w, "instructions", w->instructions);
    write_source(w, "resources", w->resources);
    write_source(w, "resource_ports", m->n_meanings ? m->meanings->source : NULL);
    write_source(w, "roofs", m->n_roofs ? m->roofs->source : NULL);
    write_source(w, "chain_curve", m->n_chain_curve ? m->chain_curve->source : NULL);
    yml_out_end(w->o);
}

/* A list of flow maps, one line each, whose keys are all in a table. */
static void write_rows(struct writer *w, const char *key, const struct field *fields,
                       const void *rows, int n, size_t size)
{
    if (n == 0) {
        return;
    }
    yml_out_key(w->o, key);
    yml_out_list(w->o, false);
    for (int i = 0; i < n; i++) {
        const void *row = (const char *)rows + (size_t)i * size;
        yml_out_map(w->o, true);
        fields_write(w->o, fields, row);
        write_own_source(w, source_of(fields, row), source_of(fields, rows));
        yml_out_end(w->o);
    }
    yml_out_end(w->o);
}

static void write_texts(struct writer *w, const char *key, const char *const *texts, int n)
{
    if (n == 0) {
        return;
    }
    yml_out_key(w->o, key);
    yml_out_list(w->o, true);
    for (int i = 0; i < n; i++) {
        yml_out_text(w->o, texts[i]);
    }
    yml_out_end(w->o);
}

static void write_matches(struct writer *w)
{
    if (w->m->n_matches == 0) {
        return;
    }
    yml_out_key(w->o, "match");
    yml_out_list(w->o, false);
    for (int i = 0; i < w->m->n_matches; i++) {
        const struct machine_match *match = &w->m->matches[i];
        yml_out_map(w->o, true);
        fields_write(w->o, match->vendor ? machine_match_x86_fields : machine_match_aarch64_fields,
                     match);
        if (match->vendor) {
            yml_out_key(w->o, "models");
            yml_out_list(w->o, true);
            yml_out_number(w->o, (double)match->model_first);
            yml_out_number(w->o, (double)match->model_last);
            yml_out_end(w->o);
        }
        yml_out_end(w->o);
    }
    yml_out_end(w->o);
}

static void write_core(struct writer *w)
{
    const struct machine *m = w->m;
    if (m->clock_source) {
        yml_out_key(w->o, "clock_hz");
        yml_out_map(w->o, false);
        fields_write(w->o, machine_clock_fields, m);
        yml_out_end(w->o);
    }
    if (!m->core_source) {
        return;
    }
    const char *load_ports[MACHINE_PORTS_MAX];
    int n_load_ports = 0;
    for (int i = 0; i < m->n_ports; i++) {
        if (m->load_ports >> i & 1) {
            load_ports[n_load_ports++] = m->ports[i];
        }
    }
    yml_out_key(w->o, "core");
    yml_out_map(w->o, false);
    fields_write(w->o, machine_core_fields, m);
    write_texts(w, "ports", m->ports, m->n_ports);
    write_texts(w, "load_ports", load_ports, n_load_ports);
    if (m->write_allocate >= 0) {
        yml_out_key(w->o, "write_allocate");
        yml_out_bool(w->o, m->write_allocate == 1);
    }
    yml_out_end(w->o);
}

static void write_uops(struct writer *w, const struct machine_uop *uops, int n)
{
    yml_out_key(w->o, "uops");
    yml_out_list(w->o, true);
    for (int i = 0; i < n; i++) {
        char count[TEXT_NUMBER_SIZE];
        struct text t = {.arena = w->a};
        text_add(&t, "%s", text_number(uops[i].count, count));
        for (int p = 0, first = 1; p < w->m->n_ports; p++) {
            if (uops[i].ports >> p & 1) {
                text_add(&t, "%s%s", first ? "*" : "|", w->m->ports[p]);
                first = 0;
            }
        }
        yml_out_text(w->o, t.data);
    }
    yml_out_end(w->o);
}

/* Of no particular operands, and nothing else is known of it. */
static bool is_plain(const struct machine_latency *l)
{
    return l->source == 0 && l->destination == 0 && !l->source_name && !l->destination_name &&
           isnan(l->least_cycles) && isnan(l->most_cycles) && isnan(l->fast_cycles) &&
           isnan(l->same_register_cycles) && isnan(l->spread) && l->n == 0;
}

static void write_latencies(struct writer *w, const struct machine_form *f)
{
    if (f->n_latencies == 0) {
        return;
    }
    const struct machine_latency *l = f->latencies;
    yml_out_key(w->o, "latency_cycles");
    if (f->n_latencies == 1 && is_plain(l)) {
        yml_out_number(w->o, l->cycles);
        return;
    }
    yml_out_list(w->o, true);
    for (int i = 0; i < f->n_latencies; i++) {
        yml_out_map(w->o, true);
        fields_write(w->o, machine_latency_fields, &l[i]);
        yml_out_end(w->o);
    }
    yml_out_end(w->o);
}

static void write_instruction(struct writer *w, const struct machine_form *f)
{
    yml_out_map(w->o, true);
    yml_out_key(w->o, "form");
    yml_out_text(w->o, f->form);
    if (f->has_uops) {
        write_uops(w, f->uops, f->n_uops);
    }
    write_latencies(w, f);
    if (f->slots != 1) {
        yml_out_key(w->o, "slots");
        yml_out_number(w->o, f->slots);
    }
    if (f->others_wait_cycles != 0) {
        yml_out_key(w->o, "others_wait_cycles");
        yml_out_number(w->o, f->others_wait_cycles);
    }
    write_own_source(w, f->source, w->instructions);
    yml_out_end(w->o);
}

static void write_uses(struct writer *w, const struct machine_form *f)
{
    yml_out_map(w->o, true);
    yml_out_key(w->o, "form");
    yml_out_text(w->o, f->form);
    yml_out_key(w->o, "uses");
    yml_out_map(w->o, true);
    for (int i = 0; i < f->n_uses; i++) {
        yml_out_key(w->o, w->m->resources[f->uses[i].resource]);
        yml_out_number(w->o, f->uses[i].cycles);
    }
    yml_out_end(w->o);
    if (!isnan(f->doubt)) {
        yml_out_key(w->o, "doubt");
        yml_out_number(w->o, f->doubt);
    }
    write_own_source(w, f->source, w->resources);
    yml_out_end(w->o);
}

static void write_forms(struct writer *w)
{
    const struct machine *m = w->m;
    if (w->instructions) {
        yml_out_key(w->o, "instructions");
        yml_out_list(w->o, false);
        for (int i = 0; i < m->n_forms; i++) {
            if (in_instructions(&m->forms[i])) {
                write_instruction(w, &m->forms[i]);
            }
        }
        yml_out_end(w->o);
    }
    write_texts(w, "resource_names", m->resources, m->n_resources);
    write_rows(w, "resource_ports", machine_meaning_fields, m->meanings, m->n_meanings,
               sizeof *m->meanings);
    if (m->n_resources > 0 || w->resources) {
        yml_out_key(w->o, "resources");
        yml_out_list(w->o, false);
        for (int i = 0; i < m->n_forms; i++) {
            if (in_resources(m, &m->forms[i])) {
                write_uses(w, &m->forms[i]);
            }
        }
        yml_out_end(w->o);
    }
}

static void write_fusions(struct writer *w)
{
    if (w->m->n_fusions == 0) {
        return;
    }
    yml_out_key(w->o, "fusion");
    yml_out_list(w->o, false);
    for (int i = 0; i < w->m->n_fusions; i++) {
        const struct machine_fusion *f = &w->m->fusions[i];
        yml_out_map(w->o, true);
        fields_write(w->o, machine_fusion_fields, f);
        write_uops(w, f->uops, f->n_uops);
        write_own_source(w, f->source, w->m->fusions->source);
        yml_out_end(w->o);
    }
    yml_out_end(w->o);
}

static void write_provenance(struct writer *w)
{
    if (w->m->n_provenance == 0) {
        return;
    }
    yml_out_key(w->o, "provenance");
    yml_out_map(w->o, false);
    for (int i = 0; i < w->m->n_provenance; i++) {
        yml_out_key(w->o, w->m->provenance[i].key);
        yml_out_text(w->o, w->m->provenance[i].text);
    }
    yml_out_end(w->o);
}

static bool all_have_sources(const char *group, const struct field *fields, const void *rows, int n,
                             size_t size, struct err *e)
{
    for (int i = 0; i < n; i++) {
        if (!source_of(fields, (const char *)rows + (size_t)i * size)) {
            return err_set(e, ERR_SCHEMA, LOC_NONE, "%s: number %d has no source", group, i + 1);
        }
    }
    return true;
}

static bool check_sources(const struct machine *m, struct err *e)
{
    const bool eliminates = m->n_zero_idioms > 0 || m->n_eliminated_moves > 0;
    if (eliminates && !m->elimination_source) {
        return err_set(e, ERR_SCHEMA, LOC_NONE, "zero_idioms, eliminated_moves: no source");
    }
    if (m->n_ports > 0 && !m->core_source) {
        return err_set(e, ERR_SCHEMA, LOC_NONE, "core: no source");
    }
    return all_have_sources("caches", machine_cache_fields, m->caches, m->n_caches,
                            sizeof *m->caches, e) &&
           all_have_sources("fusion", machine_fusion_fields, m->fusions, m->n_fusions,
                            sizeof *m->fusions, e) &&
           all_have_sources("instructions", machine_instruction_fields, m->forms, m->n_forms,
                            sizeof *m->forms, e) &&
           all_have_sources("resource_ports", machine_meaning_fields, m->meanings, m->n_meanings,
                            sizeof *m->meanings, e) &&
           all_have_sources("roofs", machine_roof_fields, m->roofs, m->n_roofs, sizeof *m->roofs,
                            e) &&
           all_have_sources("chain_curve", machine_chain_fields, m->chain_curve, m->n_chain_curve,
                            sizeof *m->chain_curve, e);
}

bool machine_write(const struct machine *m, struct arena *a, struct bytes *out, struct err *e)
{
    if (!check_sources(m, e)) {
        return false;
    }
    struct writer w = {.o = yml_out_open(a), .a = a, .m = m};
    yml_out_map(w.o, false);
    yml_out_key(w.o, "format");
    yml_out_text(w.o, MACHINE_FORMAT);
    fields_write(w.o, machine_fields, m);
    write_matches(&w);
    write_core(&w);
    write_provenance(&w);
    write_sources(&w);
    write_rows(&w, "caches", machine_cache_fields, m->caches, m->n_caches, sizeof *m->caches);
    write_texts(&w, "zero_idioms", m->zero_idioms, m->n_zero_idioms);
    write_texts(&w, "eliminated_moves", m->eliminated_moves, m->n_eliminated_moves);
    write_fusions(&w);
    write_forms(&w);
    write_rows(&w, "roofs", machine_roof_fields, m->roofs, m->n_roofs, sizeof *m->roofs);
    write_rows(&w, "chain_curve", machine_chain_fields, m->chain_curve, m->n_chain_curve,
               sizeof *m->chain_curve);
    yml_out_end(w.o);
    return yml_out_close(w.o, out, e);
}
