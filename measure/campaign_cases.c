#include "measure/campaign_parts.h"
#include "measure/merge.h"

#include <math.h>
#include <string.h>

/* So short that most passes see no tick of the timer (some 40 microseconds in a guest, 100 to 1000
 * times a second) and fit between two visits of a neighbour. */
#define PASS_S      0.0002
#define LEAD_S      0.00005
#define PATIENCE_S  0.1
#define SPARE       3 /* times reps: crowded passes that are made again at once */
#define REPEATS_MAX 2 /* of a case, when the others of its stage are done */
/* On a machine that is always disturbed repeating everything would only take longer. */
#define REPEATED_SHARE 0.25
#define REPEATED_MIN   3
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

bool campaign_measure(struct campaign *c, const struct sample_request *request, struct sampled *out)
{
    struct sample_request r = *request;
    r.seed = c->seed++ * SEEDS_PER_CASE;
    return sample_run(&c->sampler, &r, c->arena, out, c->e);
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
    const double pass_s = s->pass_s > 0 ? s->pass_s : PASS_S;
    const int reps = !halved ? s->reps : p->round == 1 ? (s->reps + 1) / 2 : s->reps / 2;
    return (struct protocol_rules){
        .pass_s = pass_s,
        .lead_s = LEAD_S,
        .warmup_s = s->warmup_s / (brief || halved ? 2 : 1),
        .reps = reps,
        .spare = SPARE * reps,
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

struct visit { /* one item of the plan, measured */
    struct sample_request request;
    struct sampled made;
    struct run_case *first; /* the earlier visit to this kernel, or NULL */
};

static bool is_kernel(const struct plan_item *p)
{
    return p->class == PLAN_KERNEL;
}

static void prepare(struct campaign *c, const struct plan_item *p, struct visit *v)
{
    static const enum run_kind kinds[PLAN_CLASSES] = {[PLAN_COMPUTE] = RUN_ROOF,
                                                      [PLAN_CHAIN] = RUN_CHAIN,
                                                      [PLAN_MEMORY] = RUN_ROOF,
                                                      [PLAN_MIX] = RUN_ROOF,
                                                      [PLAN_KERNEL] = RUN_KERNEL};
    const char *level = level_names[p->level];
    v->first = is_kernel(p) && p->round == 2 ? find_first_visit(c, p) : NULL;
    v->request = (struct sample_request){
        .loop = p->loop,
        .level = level,
        .slice_bytes = campaign_slice(c, p->loop, p->level, p->threads),
        .threads = p->threads,
        .patience_s = c->settings->quick ? 0 : PATIENCE_S,
        .rules = rules_of(c, p, v->first),
    };
    v->made = campaign_blank(p->loop, kinds[p->class], level, is_kernel(p) ? 1 : p->round);
}

static void tell(const struct campaign *c, int done, const struct visit *v, const char *again)
{
    const struct campaign_settings *s = c->settings;
    const struct sample_request *r = &v->request;
    if (s->progress) {
        s->progress(s->context, done, c->plan.n,
                    arena_format(c->arena, "%s at %s, %d thread%s%s", r->loop->name, r->level,
                                 r->threads, r->threads == 1 ? "" : "s", again));
    }
}

/* The less disturbed of what there is and another measurement. */
static bool measure_again(struct campaign *c, struct visit *v)
{
    struct sampled tried = v->made;
    if (!campaign_measure(c, &v->request, &tried)) {
        return false;
    }
    const int repeats = v->made.run.noise.repeats + 1;
    if (tried.severity < v->made.severity) {
        v->made = tried;
    }
    v->made.run.noise.repeats = repeats;
    return true;
}

/* What was disturbed is measured again when the others are done, since what disturbs often lasts
 * longer than a case. */
static bool repeat(struct campaign *c, int begin, int n, struct visit *visits)
{
    const int share = (int)(REPEATED_SHARE * n);
    int left = share > REPEATED_MIN ? share : REPEATED_MIN;
    for (int try = 0; try < REPEATS_MAX; try++) {
        for (int i = 0; i < n && left > 0; i++) {
            struct visit *v = &visits[i];
            if (v->made.severity <= 1) {
                continue;
            }
            tell(c, begin + n, v, ", again");
            left--;
            if (!measure_again(c, v)) {
                return false;
            }
        }
    }
    return true;
}

/* Items `begin` and on that are of one list and round, of which there are n. */
static bool measure_stage(struct campaign *c, int begin, int n)
{
    struct visit *visits = arena_new(c->arena, struct visit, (size_t)n);
    int made = 0;
    for (int i = 0; i < n; i++) {
        struct visit *v = &visits[made];
        prepare(c, &c->plan.items[begin + i], v);
        if (v->request.rules.reps == 0) {
            continue; /* one pass in all was made at the first visit */
        }
        tell(c, begin + i, v, "");
        if (!campaign_measure(c, &v->request, &v->made)) {
            return false;
        }
        made++;
    }
    if (!repeat(c, begin, made, visits)) {
        return false;
    }
    for (int i = 0; i < made; i++) {
        if (visits[i].first) {
            merge_visits(visits[i].first, &visits[i].made.run, c->arena);
        } else {
            campaign_add(c, &visits[i].made);
        }
    }
    return true;
}

bool campaign_cases(struct campaign *c)
{
    const struct campaign_settings *s = c->settings;
    const struct plan_item *items = c->plan.items;
    for (int begin = 0, end; begin < c->plan.n; begin = end) {
        for (end = begin + 1; end < c->plan.n && items[end].round == items[begin].round &&
                              is_kernel(&items[end]) == is_kernel(&items[begin]);) {
            end++;
        }
        if (!measure_stage(c, begin, end - begin)) {
            return false;
        }
    }
    if (s->progress) {
        s->progress(s->context, c->plan.n, c->plan.n, "done");
    }
    return true;
}
