#include "measure/campaign_parts.h"
#include "measure/merge.h"

#include <math.h>
#include <string.h>

#define PASS_S       0.005
#define PASS_QUICK_S 0.002
#define REPEATS_MAX  2
/* On a machine that is always disturbed repeating everything would only take longer. */
#define REPEATED_SHARE 0.15
#define REPEATED_MIN   6
#define SEEDS_PER_CASE 4096u /* each thread has its own */

void campaign_add(struct campaign *c, const struct sampled *made)
{
    struct run *r = c->run;
    const size_t n = (size_t)r->n_cases;
    size_t capacity = c->cases_capacity;
    r->cases = arena_grow(c->arena, r->cases, n, &c->cases_capacity, sizeof *r->cases);
    c->n_iter = arena_grow(c->arena, c->n_iter, n, &capacity, sizeof *c->n_iter);
    r->cases[n] = made->run;
    c->n_iter[n] = made->n_iter;
    r->n_cases++;
}

bool campaign_measure(struct campaign *c, const struct sample_request *request, int repeats_max,
                      struct sampled *out)
{
    const struct sampled blank = *out;
    for (int try = 0; try <= repeats_max; try++) {
        struct sampled tried = blank;
        struct sample_request r = *request;
        r.seed = c->seed++ * SEEDS_PER_CASE;
        if (!sample_run(&c->sampler, &r, c->arena, &tried, c->e)) {
            return false;
        }
        if (try == 0 || tried.severity < out->severity) {
            *out = tried;
        }
        out->run.noise.repeats = try;
        if (out->severity <= 1 || (try < repeats_max && c->repeats_left-- <= 0)) {
            break;
        }
    }
    return true;
}

static struct run_case *find_first_visit(struct campaign *c, const struct plan_item *p)
{
    for (int i = 0; i < c->run->n_cases; i++) {
        struct run_case *k = &c->run->cases[i];
        if (k->kind == RUN_KERNEL && strcmp(k->name, p->loop->name) == 0 &&
            strcmp(k->level, level_names[p->level]) == 0 && k->threads == p->threads) {
            return k;
        }
    }
    return NULL;
}

/* Both visits to a kernel take together what a roof takes; further mixes are measured shortly.
 * `first`: the case of the first visit, whose length of a pass is kept. */
static struct protocol_rules rules_of(const struct campaign *c, const struct plan_item *p,
                                      const struct run_case *first)
{
    const struct campaign_settings *s = c->settings;
    const bool halved = p->class == PLAN_KERNEL && p->rounds == 2;
    const bool brief = p->class == PLAN_MIX;
    const double pass_s = s->pass_s > 0 ? s->pass_s : s->quick ? PASS_QUICK_S : PASS_S;
    return (struct protocol_rules){
        .pass_s = brief ? pass_s / 2 : pass_s,
        .warmup_s = brief || halved ? s->warmup_s / 2 : s->warmup_s,
        .reps = !halved         ? s->reps
                : p->round == 1 ? (s->reps + 1) / 2
                                : s->reps / 2,
        .n_iter_max = UINT64_MAX,
        .n_iter_fixed = first ? c->n_iter[first - c->run->cases] : 0,
    };
}

struct sampled campaign_blank(const struct loop *l, enum run_kind kind, const char *level,
                              int round)
{
    const struct run_case run = {
        .kind = kind,
        .name = l->name,
        .isa = isa_info[l->isa].name,
        .level = level,
        .chains = l->chains,
        .round = round,
        .unit = l->unit == UNIT_FLOPS ? "flop/s" : "byte/s",
        .recorded_rate = (double)NAN,
        .recorded_cv = (double)NAN,
    };
    return (struct sampled){.run = run};
}

static bool measure_item(struct campaign *c, const struct plan_item *p)
{
    static const enum run_kind kinds[PLAN_CLASSES] = {[PLAN_COMPUTE] = RUN_ROOF,
                                                      [PLAN_CHAIN] = RUN_CHAIN,
                                                      [PLAN_MEMORY] = RUN_ROOF,
                                                      [PLAN_MIX] = RUN_ROOF,
                                                      [PLAN_KERNEL] = RUN_KERNEL};
    const bool kernel = p->class == PLAN_KERNEL;
    struct run_case *first = kernel && p->round == 2 ? find_first_visit(c, p) : NULL;
    const struct sample_request r = {
        .loop = p->loop,
        .level = level_names[p->level],
        .slice_bytes = campaign_slice(c, p->loop, p->level, p->threads),
        .threads = p->threads,
        .rules = rules_of(c, p, first),
    };
    struct sampled made = campaign_blank(p->loop, kinds[p->class], r.level, kernel ? 1 : p->round);
    if (r.rules.reps == 0) {
        return true; /* one pass in all was made at the first visit */
    }
    if (!campaign_measure(c, &r, REPEATS_MAX, &made)) {
        return false;
    }
    if (first) {
        merge_visits(first, &made.run, c->arena);
        return true;
    }
    campaign_add(c, &made);
    return true;
}

bool campaign_cases(struct campaign *c)
{
    const struct campaign_settings *s = c->settings;
    const int allowed = (int)(REPEATED_SHARE * c->plan.n);
    c->repeats_left = allowed > REPEATED_MIN ? allowed : REPEATED_MIN;
    for (int i = 0; i < c->plan.n; i++) {
        const struct plan_item *p = &c->plan.items[i];
        if (s->progress) {
            s->progress(s->context, i, c->plan.n,
                        arena_format(c->arena, "%s at %s, %d thread%s", p->loop->name,
                                     level_names[p->level], p->threads,
                                     p->threads == 1 ? "" : "s"));
        }
        if (!measure_item(c, p)) {
            return false;
        }
    }
    if (s->progress) {
        s->progress(s->context, c->plan.n, c->plan.n, "done");
    }
    return true;
}
