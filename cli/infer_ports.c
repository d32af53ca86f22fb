#include "cli/infer_ports.h"

#include "model/cost_table.h"
#include "model/meaning.h"

#include <stdio.h>

bool infer_ports_find(struct cli *c, const char *name, const struct identity *who,
                      const struct machine **out, struct err *e)
{
    int n;
    *out = NULL;
    if (name) {
        const struct machine *m = cli_machine(c, name, e);
        *out = m;
        return m && (cost_view_of(m) == COST_PORTS ||
                     err_set(e, ERR_MODEL, (struct loc){.file = m->file},
                             "no ports to name resources by"));
    }
    if (!who) {
        return true;
    }
    const struct machine *const *all = (const struct machine *const *)cli_machines(c, NULL, &n, e);
    if (!all) {
        return false;
    }
    const struct detection d = machine_detect(who, all, n);
    *out = d.match >= 0 && cost_view_of(all[d.match]) == COST_PORTS ? all[d.match] : NULL;
    return true;
}

void infer_note(struct cli *c, struct machine *m, const char *key, const char *text)
{
    const size_t n = (size_t)m->n_provenance;
    struct machine_note *notes = arena_new(c->arena, struct machine_note, n + 1);
    for (size_t k = 0; k < n; k++) {
        notes[k] = m->provenance[k];
    }
    notes[n] = (struct machine_note){key, text};
    m->provenance = notes;
    m->n_provenance++;
}

bool infer_ports_name(struct cli *c, const struct machine *ports, struct machine *m, struct err *e)
{
    struct meanings found;
    if (!meanings_find(m, ports, c->arena, &found, e)) {
        return false;
    }
    m->meanings = found.list;
    m->n_meanings = found.n;
    const char *words = arena_format(
        c->arena, "%d of %d resources stand for ports of %s, by %d of %d forms that it knows too",
        found.n, m->n_resources, ports->name, found.n_common, m->n_forms);
    infer_note(c, m, "ports", words);
    fprintf(stderr, "gambrel: %s\n", words);
    return true;
}
