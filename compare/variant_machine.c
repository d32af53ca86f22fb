/* A changed machine: forms, numbers of the core, one more port. */
#include "base/items.h"
#include "code/form.h"
#include "compare/variant.h"
#include "formats/machine_fields.h"

#include <math.h>
#include <string.h>

/* --- forms --- */

static void copy_machine(struct variant *v, int more_forms)
{
    struct machine *m = &v->machine;
    struct machine_form *forms =
        arena_new(v->arena, struct machine_form, (size_t)(m->n_forms + more_forms) + 1);
    items_copy(forms, m->forms, (size_t)m->n_forms, sizeof *forms);
    m->forms = forms;
}

static bool same_form(const char *pattern, const char *form)
{
    char normal[FORM_SIZE];
    return form_normalise(pattern, normal) && strcmp(normal, form) == 0;
}

/* The entry for exactly this form: the one the file has, or a copy of the one it falls under, or a
 * new one. */
static struct machine_form *own_entry(struct variant *v, const char *form)
{
    struct machine *m = &v->machine;
    for (int i = 0; i < m->n_forms; i++) {
        if (same_form(m->forms[i].form, form)) {
            return &m->forms[i];
        }
    }
    const struct cost_row *row = cost_of_form(v->base->costs, form);
    struct machine_form *entry = &m->forms[m->n_forms++];
    *entry =
        row->described ? *row->described : (struct machine_form){.slots = 1, .source = "what if"};
    if (row->kind == COST_COMPOSED) {
        entry->uops = arena_new(v->arena, struct machine_uop, (size_t)row->n_uops + 1);
        items_copy(entry->uops, row->uops, (size_t)row->n_uops, sizeof *row->uops);
        entry->n_uops = row->n_uops;
    }
    entry->form = form;
    return entry;
}

static void remove_matching(const char ***list, int *n, const char *form, struct arena *a)
{
    const char **kept = arena_new(a, const char *, (size_t)*n + 1);
    int n_kept = 0;
    for (int i = 0; i < *n; i++) {
        char normal[FORM_SIZE];
        if (!form_normalise((*list)[i], normal) || !form_matches(normal, form)) {
            kept[n_kept++] = (*list)[i];
        }
    }
    *list = kept;
    *n = n_kept;
}

/* A pair one of which costs nothing costs what the other one does. */
static void remove_fusions(struct variant *v, const char *form)
{
    struct machine *m = &v->machine;
    struct machine_fusion *kept =
        arena_new(v->arena, struct machine_fusion, (size_t)m->n_fusions + 1);
    int n = 0;
    for (int i = 0; i < m->n_fusions; i++) {
        char first[FORM_SIZE], second[FORM_SIZE];
        if (form_normalise(m->fusions[i].first, first) &&
            form_normalise(m->fusions[i].second, second) && !form_matches(first, form) &&
            !form_matches(second, form)) {
            kept[n++] = m->fusions[i];
        }
    }
    m->fusions = kept;
    m->n_fusions = n;
}

static void set_latency(struct variant *v, struct machine_form *f, double cycles)
{
    f->latencies = arena_new(v->arena, struct machine_latency, 1);
    *f->latencies = machine_latency(0, 0, cycles);
    f->n_latencies = 1;
}

static void shorten_latencies(struct variant *v, struct machine_form *f, double by)
{
    struct machine_latency *copy =
        arena_new(v->arena, struct machine_latency, (size_t)f->n_latencies + 1);
    for (int i = 0; i < f->n_latencies; i++) {
        copy[i] = f->latencies[i];
        copy[i].cycles = fmin(copy[i].cycles, fmax(copy[i].cycles - by, 1));
    }
    f->latencies = copy;
}

static void make_free(struct variant *v, const char *form)
{
    struct machine *m = &v->machine;
    struct machine_form *f = own_entry(v, form);
    f->uops = NULL;
    f->n_uops = 0;
    f->has_uops = m->n_ports > 0;
    f->uses = arena_new(v->arena, struct machine_use, 1);
    f->n_uses = m->n_resources > 0;
    f->slots = 0;
    set_latency(v, f, 0);
    remove_matching(&m->zero_idioms, &m->n_zero_idioms, form, v->arena);
    remove_matching(&m->eliminated_moves, &m->n_eliminated_moves, form, v->arena);
    remove_fusions(v, form);
}

static void change_form(struct variant *v, const struct change *c, const char *form)
{
    switch (c->kind) {
    case CHANGE_DROP:
        make_free(v, form);
        break;
    case CHANGE_SOONER:
        shorten_latencies(v, own_entry(v, form), c->value);
        break;
    case CHANGE_SLOTS:
        own_entry(v, form)->slots = c->value;
        break;
    default:
        set_latency(v, own_entry(v, form), c->value);
        break;
    }
}

bool variant_change_forms(struct variant *v, const struct change *c, struct err *e)
{
    char pattern[FORM_SIZE];
    struct text known = {.arena = v->arena};
    int n, changed = 0;
    const struct form_count *forms = whatif_forms(&v->subject, &n);
    const bool sound = form_normalise(c->name, pattern);
    copy_machine(v, n);
    for (int i = 0; i < n; i++) {
        text_add(&known, "%s%s", i ? "; " : "", forms[i].form);
        if (sound && form_matches(pattern, forms[i].form)) {
            change_form(v, c, forms[i].form);
            changed++;
        }
    }
    return changed > 0 ||
           err_set(e, ERR_RANGE, LOC_NONE, "%s for %s has no instruction '%.60s'; it has: %.120s%s",
                   v->kernel.name, v->subject.isa, c->name, known.len ? known.data : "none",
                   known.len > 120 ? "..." : "");
}

void variant_change_core(struct variant *v, const struct change *c)
{
    memcpy((char *)&v->machine + whatif_core_field(c->name)->offset, &c->value, sizeof c->value);
}

/* --- one more port --- */

static void twin_uops(struct variant *v, struct machine_uop **uops, int n, int port, int twin)
{
    struct machine_uop *copy = arena_new(v->arena, struct machine_uop, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        copy[i] = (*uops)[i];
        copy[i].ports |= (copy[i].ports >> port & 1) << twin;
    }
    *uops = copy;
}

static void halve_uses(struct variant *v, struct machine_form *f, int resource)
{
    struct machine_use *copy = arena_new(v->arena, struct machine_use, (size_t)f->n_uses + 1);
    for (int i = 0; i < f->n_uses; i++) {
        copy[i] = f->uses[i];
        copy[i].cycles /= copy[i].resource == resource ? 2 : 1;
    }
    f->uses = copy;
}

/* Whatever a port takes its twin takes; of an abstract resource there is twice as much. */
bool variant_add_port(struct variant *v, int port, struct err *e)
{
    struct machine *m = &v->machine;
    const int twin = m->n_ports;
    const bool by_ports = twin > 0;
    if (twin == MACHINE_PORTS_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "there is no room for one more port than %d", twin);
    }
    copy_machine(v, 0);
    for (int i = 0; i < m->n_forms; i++) {
        if (by_ports) {
            twin_uops(v, &m->forms[i].uops, m->forms[i].n_uops, port, twin);
        } else {
            halve_uses(v, &m->forms[i], port);
        }
    }
    if (by_ports) {
        struct machine_fusion *fusions =
            arena_new(v->arena, struct machine_fusion, (size_t)m->n_fusions + 1);
        for (int i = 0; i < m->n_fusions; i++) {
            fusions[i] = m->fusions[i];
            twin_uops(v, &fusions[i].uops, fusions[i].n_uops, port, twin);
        }
        m->fusions = fusions;
        m->ports[m->n_ports++] = arena_format(v->arena, "%s'", m->ports[port]);
        m->load_ports |= (m->load_ports >> port & 1) << twin;
    }
    return true;
}
