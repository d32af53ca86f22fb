#include "model/fit.h"

#include "base/random.h"
#include "model/fit_polish.h"

#include <math.h>
#include <string.h>

enum part { PART_CHECK, PART_VALIDATION, PART_FIT };

#define STEPS         1500
#define TRIAL_STEPS   400 /* while choosing: more would leave the order of candidates as it is */
#define BATCHES       5 /* in which all blocks are seen: with fewer, scarce data are fitted too closely */
#define BATCH_MIN     128
#define BATCH_MAX     2048
#define TURNS         3    /* while choosing from few blocks, whose errors vary much */
#define MANY_BLOCKS   3000 /* from here on one turn is enough */
#define MEMBERS       6
#define RESAMPLES     6
#define RESAMPLE_SEED 0x646f756274u
#define MADE_UP_TIMES 4 /* blocks made up for each measured one */
#define MADE_UP_MIN   2000
#define MADE_UP_MAX   8000
#define BLOCKS_ENOUGH 10000 /* of which none need be made up */
#define REFIT_ROUNDS  6
#define PROBES        16 /* blocks made up around a form to see whether fits agree on it */
#define BETTER        0.99 /* a candidate replaces a simpler one if it leaves this much of the error */
#define AGREE         0.01 /* spread below which a panel has nothing to settle */
#define CLEAN         1e-3 /* error below which data without a validation are taken to be exact */

/* A form is bad if its blocks are worse than both: something other than what it shares with other
 * forms decides its time, such as the values a division divides. */
#define BAD_ERROR      0.08
#define BAD_TIMES_MEAN 3.0

/* The candidates: resources first, at the middle ridge, then ridges from there up and down. */
static const int candidate_resources[] = {8, 16, 24};
static const double candidate_plainness[] = {16, 8, 4, 2, 1, 0.5, 0.25, 0};
#define RIDGE_MIDDLE 0.3
#define RIDGE_STEP   3.0
#define RIDGE_STEPS  3 /* at most, either way */

struct inference {
    const struct fit_data *d;
    const struct fit_options *o;
    const struct fit_traits *traits;
    struct arena *arena;
    enum part *part; /* [n_blocks], in the current turn */
    int n_turns;     /* different validations over which a choice is judged */
    struct fit_result *out;
    int done, total; /* descents */
};

struct error_stats {
    double mean, low, high, rms, of_mean; /* of_mean: standard error of the mean */
    int n;
};

static int within(int x, int low, int high)
{
    return x > high ? high : x < low ? low : x;
}

static int members(const struct inference *f)
{
    return f->o->n_members ? f->o->n_members : MEMBERS;
}

static void tell(struct inference *f, const char *what)
{
    if (f->o->progress) {
        f->o->progress(f->o->context, f->done < f->total ? f->done : f->total, f->total, what);
    }
    f->done++;
}

/* No more than must be. */
static bool hurried(struct inference *f)
{
    f->out->hurried = f->out->hurried || (f->o->hurry && f->o->hurry(f->o->context));
    return f->out->hurried;
}

/* 1 for blocks of at least this part, 0 for the others. */
static struct fit_task task_from(const struct inference *f, enum part least)
{
    float *weights = arena_new(f->arena, float, (size_t)f->d->n_blocks);
    for (int b = 0; b < f->d->n_blocks; b++) {
        weights[b] = f->part[b] >= least ? 1 : 0;
    }
    return (struct fit_task){f->d, f->traits, weights};
}

/* Deals the blocks out: the check is the same in every turn, the validation is not. */
static void deal(struct inference *f, int turn)
{
    struct fit_result *out = f->out;
    out->n_validation = out->n_check = 0;
    for (int b = 0; b < f->d->n_blocks; b++) {
        struct random r = {f->d->blocks[b].key ^ f->o->seed};
        const int tenth = random_below(&r, 10);
        const bool validates = tenth == 1 + 2 * turn || tenth == 2 + 2 * turn;
        const bool fitted =
            fit_block_single(&f->d->blocks[b]) || out->n_several < FIT_BLOCKS_TO_SPLIT;
        f->part[b] = fitted       ? PART_FIT
                     : validates  ? PART_VALIDATION
                     : tenth == 0 ? PART_CHECK
                                  : PART_FIT;
        out->n_validation += f->part[b] == PART_VALIDATION;
        out->n_check += f->part[b] == PART_CHECK;
    }
}

static void count_blocks(struct inference *f)
{
    struct fit_result *out = f->out;
    for (int b = 0; b < f->d->n_blocks; b++) {
        out->n_single += fit_block_single(&f->d->blocks[b]);
    }
    out->n_several = f->d->n_blocks - out->n_single;
    f->n_turns = out->n_several < MANY_BLOCKS ? TURNS : 1;
}

/* Errors of blocks of several forms in one part. */
static struct error_stats errors_of(const struct inference *f, const struct resource_map *m,
                                    enum part first, enum part last)
{
    double sum = 0, squares = 0;
    struct error_stats s = {0};
    for (int b = 0; b < f->d->n_blocks; b++) {
        const struct fit_block *block = &f->d->blocks[b];
        if (f->part[b] >= first && f->part[b] <= last && !fit_block_single(block)) {
            const double error = fabs(fit_cycles(m, block) / block->cycles - 1);
            sum += error;
            squares += error * error;
            s.n++;
        }
    }
    s.mean = sum / s.n; /* NaN for no blocks */
    s.rms = sqrt(squares / s.n);
    s.of_mean = sqrt(fmax(0, squares / s.n - s.mean * s.mean) / s.n);
    s.low = s.mean - 1.96 * s.of_mean;
    s.high = s.mean + 1.96 * s.of_mean;
    return s;
}

static bool nothing_held_back(const struct inference *f)
{
    return f->out->n_validation == 0 || f->out->n_check == 0;
}

/* --- panels -------------------------------------------------------------------------------------
 */

static const struct fit_panel *make_panel(struct inference *f, const struct fit_task *task, int n)
{
    struct random random = {f->out->settings.seed};
    struct fit_panel *p = arena_new(f->arena, struct fit_panel, 1);
    while (p->n_members == 0 || (p->n_members < n && !hurried(f))) {
        struct fit_settings s = f->out->settings;
        s.seed = random_next(&random);
        tell(f, "fitting");
        p->members[p->n_members++] = fit_descend(task, &s, f->arena);
    }
    return p;
}

/* How far the panel's members lie apart in blocks made up around a form. */
static double spread_around(struct inference *f, const struct fit_panel *p, int form,
                            struct random *random)
{
    double sum = 0;
    for (int k = 0; k < PROBES; k++) {
        double spread;
        const struct fit_block b = fit_panel_block(p, f->d, form, random, f->arena);
        fit_panel_cycles(p, &b, &spread);
        sum += spread;
    }
    return sum / PROBES;
}

static double mean_spread(struct inference *f, const struct fit_panel *p)
{
    struct random random = {f->o->seed};
    double sum = 0;
    for (int i = 0; i < f->d->n_forms; i++) {
        sum += spread_around(f, p, i, &random);
    }
    return f->out->n_several ? sum / f->d->n_forms : (double)NAN;
}

static struct resource_map copy_of(const struct inference *f, const struct resource_map *m)
{
    struct resource_map copy = *m;
    const size_t n = (size_t)m->n_forms * (size_t)m->n_resources;
    copy.rho = arena_new(f->arena, double, n);
    memcpy(copy.rho, m->rho, n * sizeof *m->rho);
    return copy;
}

/* The member that fits best, after linear programs refitted each or as it is. */
static struct resource_map best_member(struct inference *f, const struct fit_panel *p,
                                       const struct fit_task *task, bool refit)
{
    struct resource_map best = p->members[0];
    double least = HUGE_VAL;
    for (int k = 0; k < p->n_members; k++) {
        struct resource_map m = copy_of(f, &p->members[k]);
        if (refit) {
            fit_refit(task, &m, REFIT_ROUNDS, f->arena);
        }
        const double error = fit_error(task, &m);
        best = error < least ? m : best;
        least = fmin(error, least);
    }
    return best;
}

/* --- one map of a panel -------------------------------------------------------------------------
 */

static struct fit_task widen(struct inference *f, const struct fit_panel *p,
                             const struct fit_task *task)
{
    const int n_several = f->out->n_several, few = MADE_UP_TIMES * n_several;
    const int n = within(few, MADE_UP_MIN, within(BLOCKS_ENOUGH - n_several, 0, MADE_UP_MAX));
    return fit_panel_widen(p, task, f->out->settings.seed, n, f->arena);
}

/* Pruned; as detailed as the fits are. */
static struct resource_map join_panel(struct inference *f, const struct fit_panel *panel,
                                      const struct fit_task *task)
{
    struct resource_map m;
    f->out->distilled = !f->out->refitted && mean_spread(f, panel) > AGREE;
    if (f->out->distilled) {
        const struct fit_task wide = widen(f, panel, task);
        struct fit_settings s = f->out->settings;
        s.batch =
            within((wide.data->n_blocks - task->data->n_blocks) / BATCHES, BATCH_MIN, BATCH_MAX);
        tell(f, "joining");
        m = fit_descend(&wide, &s, f->arena);
    } else {
        m = best_member(f, panel, task, f->out->refitted);
    }
    fit_prune(task, &m, f->arena);
    return m;
}

static void make_plain(struct inference *f, const struct fit_task *wide, struct resource_map *m,
                       double plainness)
{
    double blocks = 0;
    if (plainness == 0) {
        return;
    }
    for (int b = 0; b < wide->data->n_blocks; b++) {
        blocks += (double)wide->weights[b] * wide->data->blocks[b].weight;
    }
    fit_plain(wide, m, plainness * fit_error(wide, m) / blocks, f->arena);
}

/* --- choosing -----------------------------------------------------------------------------------
 */

struct choice {
    struct fit_settings settings;
    double error;
};

static double validation_error(const struct inference *f, const struct resource_map *m)
{
    return errors_of(f, m, PART_VALIDATION, PART_VALIDATION).mean;
}

static struct choice try_settings(struct inference *f, struct fit_settings s)
{
    struct choice c = {.settings = s};
    for (int turn = 0; turn < f->n_turns; turn++) {
        deal(f, turn);
        const struct fit_task task = task_from(f, PART_FIT);
        tell(f, "choosing");
        const struct resource_map m = fit_descend(&task, &s, f->arena);
        c.error += validation_error(f, &m) / f->n_turns;
    }
    return c;
}

static struct choice choose_ridge(struct inference *f, struct choice best, double factor)
{
    for (int k = 0; k < RIDGE_STEPS && !hurried(f); k++) {
        struct fit_settings s = best.settings;
        s.ridge *= factor;
        const struct choice next = try_settings(f, s);
        if (next.error > BETTER * best.error) {
            break;
        }
        best = next;
    }
    return best;
}

static struct choice choose_settings(struct inference *f, struct fit_settings s)
{
    struct choice best = {.error = HUGE_VAL};
    const int n = f->o->n_resources ? 1 : (int)(sizeof candidate_resources / sizeof(int));
    for (int k = 0; k < n && (k == 0 || !hurried(f)); k++) {
        s.n_resources = f->o->n_resources ? f->o->n_resources : candidate_resources[k];
        const struct choice next = try_settings(f, s);
        best = next.error < BETTER * best.error ? next : best;
    }
    const struct choice less = choose_ridge(f, best, 1 / RIDGE_STEP);
    return less.settings.ridge < best.settings.ridge ? less : choose_ridge(f, best, RIDGE_STEP);
}

static bool should_refit(struct inference *f, const struct fit_panel *panel,
                         const struct fit_task *task)
{
    const struct resource_map plain = best_member(f, panel, task, false);
    const struct resource_map refitted = best_member(f, panel, task, true);
    return validation_error(f, &refitted) < BETTER * validation_error(f, &plain);
}

enum { PRICES = sizeof candidate_plainness / sizeof(double) };

struct price_trial {
    double error, variance; /* of the mean error on the validation, summed over the turns */
};

static void try_prices(struct inference *f, const struct fit_panel *panel,
                       const struct fit_task *task, struct price_trial trials[PRICES])
{
    const struct resource_map map = join_panel(f, panel, task);
    const struct fit_task wide = widen(f, panel, task);
    for (int k = 0; k < PRICES; k++) {
        struct resource_map plainer = copy_of(f, &map);
        tell(f, "choosing");
        make_plain(f, &wide, &plainer, candidate_plainness[k]);
        const struct error_stats s = errors_of(f, &plainer, PART_VALIDATION, PART_VALIDATION);
        trials[k].error += s.mean;
        trials[k].variance += s.of_mean * s.of_mean;
    }
}

/* The highest price at which the error is within one standard error of the least there is at any
 * (Breiman et al., Classification and Regression Trees, 1984, section 3.4.3). */
static double cheapest_to_read(const struct price_trial trials[PRICES])
{
    int best = 0, k = 0;
    for (int i = 1; i < PRICES; i++) {
        best = trials[i].error < trials[best].error ? i : best;
    }
    while (trials[k].error > trials[best].error + sqrt(trials[best].variance)) {
        k++;
    }
    return candidate_plainness[k];
}

/* Linear programs, and how plain: by panels of half the members. */
static void choose_polish(struct inference *f)
{
    struct price_trial trials[PRICES] = {{0, 0}};
    for (int turn = 0; turn < f->n_turns && (turn == 0 || !hurried(f)); turn++) {
        deal(f, turn);
        const struct fit_task task = task_from(f, PART_FIT);
        const struct fit_panel *panel = make_panel(f, &task, (members(f) + 1) / 2);
        f->out->refitted = turn == 0 ? should_refit(f, panel, &task) : f->out->refitted;
        try_prices(f, panel, &task, trials);
    }
    deal(f, 0);
    f->out->plainness = cheapest_to_read(trials);
}

static void choose(struct inference *f)
{
    struct fit_result *out = f->out;
    out->settings = (struct fit_settings){
        .n_resources = f->o->n_resources ? f->o->n_resources : candidate_resources[1],
        .ridge = RIDGE_MIDDLE,
        .steps = TRIAL_STEPS,
        .batch = within(out->n_several / BATCHES, BATCH_MIN, BATCH_MAX),
        .seed = f->o->seed,
    };
    out->validation_mape = (double)NAN;
    if (nothing_held_back(f)) {
        out->settings.steps = STEPS;
        return;
    }
    const struct choice best = choose_settings(f, out->settings);
    out->settings = best.settings;
    out->settings.steps = STEPS;
    out->validation_mape = best.error;
    choose_polish(f);
}

/* --- fitting ------------------------------------------------------------------------------------
 */

/* The map of all blocks of at least this part. */
static struct resource_map fit_map(struct inference *f, enum part least)
{
    const struct fit_task task = task_from(f, least);
    const struct fit_panel *panel = make_panel(f, &task, members(f));
    f->out->panel = panel;
    struct resource_map m = join_panel(f, panel, &task);
    const struct fit_task wide = widen(f, panel, &task);
    make_plain(f, &wide, &m, f->out->plainness);
    return m;
}

/* Without a validation, linear programs may only finish what is exact already. */
static void refit_if_clean(struct inference *f)
{
    const struct fit_task task = task_from(f, PART_CHECK);
    struct resource_map exact = copy_of(f, &f->out->map);
    fit_refit(&task, &exact, REFIT_ROUNDS, f->arena);
    if (fit_error(&task, &exact) < CLEAN * f->d->n_blocks) {
        f->out->map = exact;
        f->out->refitted = true;
        fit_prune(&task, &f->out->map, f->arena);
    }
}

/* --- trust --------------------------------------------------------------------------------------
 */

/* Errors of blocks shared out among their forms by the cycles each would take alone. */
static void find_bad_forms(struct inference *f)
{
    const struct fit_data *d = f->d;
    double *share = arena_new(f->arena, double, (size_t)d->n_forms);
    for (int b = 0; b < d->n_blocks; b++) {
        const struct fit_block *block = &d->blocks[b];
        const double error = fabs(fit_cycles(&f->out->map, block) / block->cycles - 1);
        double alone = 0;
        for (int k = 0; k < block->n_items; k++) {
            alone += (double)block->items[k].count * d->forms[block->items[k].form].alone;
        }
        for (int k = 0; k < block->n_items; k++) {
            const int form = block->items[k].form;
            const double part = (double)block->items[k].count * d->forms[form].alone / alone;
            share[form] += part;
            f->out->forms[form].residual += part * error;
        }
    }
    for (int i = 0; i < d->n_forms; i++) {
        struct fit_form_doubt *form = &f->out->forms[i];
        form->residual /= share[i];
        form->bad =
            form->residual > BAD_ERROR && form->residual > BAD_TIMES_MEAN * f->out->fitted_mape;
        f->out->n_bad += form->bad;
    }
}

/* All blocks, some counting more and some less than they do, as if measured again. */
static struct fit_task resample(const struct inference *f, struct random *random)
{
    struct fit_task task = task_from(f, PART_CHECK);
    float *weights = arena_new(f->arena, float, (size_t)f->d->n_blocks);
    for (int b = 0; b < f->d->n_blocks; b++) {
        weights[b] = task.weights[b] * (float)-log(1 - random_uniform(random));
    }
    task.weights = weights;
    return task;
}

static void find_doubts(struct inference *f)
{
    struct random random = {f->o->seed ^ RESAMPLE_SEED};
    struct fit_settings s = f->out->settings;
    struct fit_panel *p = arena_new(f->arena, struct fit_panel, 1);
    for (; p->n_members < 2 || (p->n_members < RESAMPLES && !hurried(f)); p->n_members++) {
        const struct fit_task task = resample(f, &random);
        s.seed = random_next(&random);
        tell(f, "doubting");
        p->members[p->n_members] = fit_descend(&task, &s, f->arena);
    }
    f->out->doubt = 0;
    for (int i = 0; i < f->d->n_forms; i++) { /* forms alone say nothing of blocks */
        f->out->forms[i].doubt = f->out->n_several ? spread_around(f, p, i, &random) : (double)NAN;
        f->out->doubt += f->out->forms[i].doubt / f->d->n_forms;
    }
}

static void check(struct inference *f)
{
    struct fit_result *out = f->out;
    struct error_stats s = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    if (!nothing_held_back(f)) {
        const struct resource_map m = fit_map(f, PART_VALIDATION);
        s = errors_of(f, &m, PART_CHECK, PART_CHECK);
    }
    out->check_mape = s.mean;
    out->check_low = fmax(0, s.low);
    out->check_high = s.high;
    out->check_rms = s.rms;
}

static bool can_infer(const struct fit_data *d, const struct fit_options *o, struct err *e)
{
    double weights = 0;
    for (int b = 0; b < d->n_blocks; b++) {
        weights += d->blocks[b].weight;
    }
    if (!(weights > 0)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "no measured blocks with a weight to fit to");
    }
    if (o->n_resources < 0 || o->n_resources > FIT_RESOURCES_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "the number of resources lies in 1 to %d",
                       FIT_RESOURCES_MAX);
    }
    if (o->n_members < 0 || o->n_members > FIT_MEMBERS_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "the number of fits lies in 1 to %d",
                       FIT_MEMBERS_MAX);
    }
    return true;
}

bool fit_infer(const struct fit_data *d, const struct fit_options *o, struct arena *a,
               struct fit_result *out, struct err *e)
{
    struct inference f = {.d = d, .o = o, .arena = a, .out = out};
    if (!can_infer(d, o, e)) {
        return false;
    }
    *out = (struct fit_result){0};
    out->forms = arena_new(a, struct fit_form_doubt, (size_t)d->n_forms);
    f.traits = fit_traits_find(d, a);
    f.part = arena_new(a, enum part, (size_t)d->n_blocks);
    count_blocks(&f);
    f.total = f.n_turns * (6 + (members(&f) + 1) / 2 + PRICES) + 2 * (members(&f) + 1) +
              RESAMPLES; /* about */
    deal(&f, 0);
    choose(&f);
    check(&f);
    out->map = fit_map(&f, PART_CHECK);
    if (nothing_held_back(&f)) {
        refit_if_clean(&f);
    }
    out->fitted_mape = errors_of(&f, &out->map, PART_CHECK, PART_FIT).mean;
    out->complexity = fit_complexity_of(&out->map);
    find_bad_forms(&f);
    find_doubts(&f);
    return true;
}
