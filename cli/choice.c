#include "cli/choice.h"

#include "measure/host.h"

#include <stdio.h>

enum { THREADS_MAX = 1024 };

bool choice_option(int key, const char *arg, struct choice *c, struct err *e)
{
    switch (key) {
    case 'm':
        c->machine = arg;
        return true;
    case 'M':
        c->machines = arg;
        return true;
    case 'k':
        c->kernels = arg;
        return true;
    case 'i':
        c->isa = arg;
        return true;
    case 't':
        cli_integer("--threads", arg, 1, THREADS_MAX, &c->threads, e);
        return true;
    default:
        return false;
    }
}

bool machine_source_open(struct cli *c, const struct choice *o, struct machine_source *out,
                         struct err *e)
{
    *out = (struct machine_source){0};
    if (o->machine) {
        out->named = cli_machine(c, o->machines, o->machine, e);
        return out->named != NULL;
    }
    out->all = (const struct machine *const *)cli_machines(c, o->machines, &out->n, e);
    return out->all != NULL;
}

const struct machine *machine_source_find(const struct machine_source *s, const struct run_host *h,
                                          const char *whose, struct err *e)
{
    if (s->named) {
        return cli_same_isa(s->named, h->isa, whose, e) ? s->named : NULL;
    }
    const struct identity who = identity_of_host(h);
    const struct detection d = machine_detect(&who, s->all, s->n);
    return d.match < 0 ? NULL : s->all[d.match];
}

static void detect(const struct run_host *h, struct machine_here *out)
{
    out->host = h;
    out->who = identity_of_host(h);
    out->found = machine_detect(&out->who, out->from.all, out->from.n);
}

bool machine_here_find(struct cli *c, const char *folder, struct machine_here *out, struct err *e)
{
    const struct choice any = {.machines = folder};
    struct host *h = arena_new(c->arena, struct host, 1);
    if (!machine_source_open(c, &any, &out->from, e) || !host_describe(c->arena, h, e)) {
        return false;
    }
    detect(&h->facts, out);
    return true;
}

const struct machine *choice_machine(struct cli *c, const struct choice *o, const struct run *r,
                                     struct err *e)
{
    const char *const whose = r ? "the run's processor" : "this CPU";
    struct machine_here m;
    char words[IDENTITY_SIZE];
    if (o->machine) {
        return cli_machine(c, o->machines, o->machine, e);
    }
    if (!(r ? machine_source_open(c, o, &m.from, e) : machine_here_find(c, o->machines, &m, e))) {
        return NULL;
    }
    if (r) {
        detect(&r->host, &m);
    }
    if (m.found.match < 0) {
        err_set(e, r ? ERR_RANGE : ERR_HOST, LOC_NONE,
                "no machine file describes %s (%s); --machine=FILE, or a name of gambrel machine "
                "list",
                whose, identity_words(&m.who, words));
        return NULL;
    }
    const struct machine *found = m.from.all[m.found.match];
    fprintf(stderr, "gambrel: %s (%s) describes %s\n", found->name, found->file, whose);
    return found;
}
