#include "cli/infer_ports.h"

#include "model/cost_table.h"
#include "model/meaning.h"

#include <stdio.h>

static const char of_blocks[] = "the blocks' instruction set";

bool infer_ports_find(struct cli *c, const char *name, bool measured, const char *isa,
                      const struct machine **out, struct err *e)
{
    struct machine_here here;
    *out = NULL;
    if (name) {
        const struct machine *m = cli_machine(c, NULL, name, e);
        *out = m;
        return m && (!isa || cli_same_isa(m, isa, of_blocks, e)) &&
               (cost_view_of(m) == COST_PORTS ||
                err_set(e, ERR_MODEL, (struct loc){.file = m->file},
                        "no ports to name resources by"));
    }
    if (!measured) {
        return true;
    }
    if (!machine_here_find(c, NULL, &here, e)) {
        return false;
    }
    const struct machine *m = here.found.match < 0 ? NULL : here.from.all[here.found.match];
    *out = m && cost_view_of(m) == COST_PORTS ? m : NULL;
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
    if (!cli_same_isa(ports, m->isa, of_blocks, e) ||
        !meanings_find(m, ports, c->arena, &found, e)) {
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
