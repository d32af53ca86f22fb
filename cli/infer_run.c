#include "cli/infer_run.h"

#include "cli/infer_ports.h"
#include "compare/run_machine.h"
#include "measure/campaign.h"
#include "measure/plan.h"

#include <stdio.h>
#include <string.h>

#define REPS     7
#define WARMUP_S 0.01
#define SPIN_S   0.3

static bool same_cpu(const struct identity *a, const struct identity *b)
{
    const bool same_vendor =
        a->vendor && b->vendor ? strcmp(a->vendor, b->vendor) == 0 : a->vendor == b->vendor;
    return same_vendor && a->family == b->family && a->model == b->model &&
           a->implementer == b->implementer && a->part == b->part;
}

bool infer_run_read(struct cli *c, const char *path, const struct identity *who,
                    struct infer_run *out, struct err *e)
{
    char theirs[IDENTITY_SIZE], ours[IDENTITY_SIZE];
    const struct run *r = cli_run(c, path, e);
    if (!r) {
        return false;
    }
    const struct identity of_run = identity_of_host(&r->host);
    if (who && !same_cpu(&of_run, who)) {
        return err_set(e, ERR_RANGE, (struct loc){.file = path}, "measured on %s, but this is %s",
                       identity_words(&of_run, theirs), identity_words(who, ours));
    }
    const char *slash = strrchr(path, '/');
    *out = (struct infer_run){.run = r};
    out->source = arena_format(c->arena, "%s, measured %s on %s", slash ? slash + 1 : path, r->date,
                               r->host.cpu_name);
    return true;
}

static void show(void *context, int done, int total, const char *what)
{
    (void)context;
    fprintf(stderr, "\r\033[Kroofs: %d of %d, %s", done, total, what);
    fflush(stderr);
}

/* All but kernels. */
static const char **roof_names(struct cli *c, enum isa isa, int *n)
{
    const char **names = arena_new(c->arena, const char *, (size_t)n_loops_table);
    *n = 0;
    for (int i = 0; i < n_loops_table; i++) {
        if (loops_table[i].isa == isa && plan_classify(&loops_table[i]) != PLAN_KERNEL) {
            names[(*n)++] = loops_table[i].name;
        }
    }
    return names;
}

void infer_run_measure(struct cli *c, bool progress, struct infer_run *out)
{
    struct err e = {0};
    struct host *h = arena_new(c->arena, struct host, 1);
    struct run *r = arena_new(c->arena, struct run, 1);
    struct campaign_settings s = {.threads = 0,
                                  .reps = REPS,
                                  .warmup_s = WARMUP_S,
                                  .spin_s = SPIN_S,
                                  .quick = true,
                                  .isa = isa_widest(),
                                  .progress = progress ? show : NULL};
    s.names = roof_names(c, s.isa, &s.n_names);
    *out = (struct infer_run){.why_not = "not measured"};
    if (!host_describe(c->arena, h, &e) || !campaign_run(&s, h, c->arena, r, &e)) {
        out->why_not = arena_format(c->arena, "not measured: %s", e.text);
        return;
    }
    if (progress) {
        fprintf(stderr, "\r\033[K");
    }
    *out = (struct infer_run){.run = r, .source = "measured with the blocks, as measure --quick"};
}

void infer_run_describe(struct cli *c, const struct infer_run *from, struct machine *m)
{
    int n_disturbed = 0;
    if (!from->run) {
        infer_note(c, m, "roofs", from->why_not);
        return;
    }
    run_describe_machine(from->run, from->source, m, c->arena);
    for (int i = 0; i < m->n_roofs; i++) {
        n_disturbed += m->roofs[i].disturbed;
    }
    infer_note(c, m, "roofs",
               arena_format(c->arena,
                            "%d and %d points of the chain curve, %d of the roofs "
                            "disturbed by others; %s",
                            m->n_roofs, m->n_chain_curve, n_disturbed, from->source));
}
