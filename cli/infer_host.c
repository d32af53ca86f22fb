#include "cli/infer_host.h"

#include "base/items.h"
#include "base/tally.h"
#include "formats/measured.h"
#include "measure/clock.h"
#include "measure/experiment.h"
#include "measure/probe_alone.h"
#include "measure/probe_cpu.h"
#include "measure/probe_rows.h"
#include "measure/pulse.h"
#include "model/fit_descent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH           200  /* blocks between two looks at the clock */
#define WAITING_SHARE   0.15 /* of the time for measuring, for quiet cores: twice */
#define FREE            0.9  /* share of its time a block's busiest register may be busy */
#define VALUES_MATTER   0.05
#define SLOWEST         20.0 /* cycles: one instruction in so many is too rare to matter in a block */
#define PAIRS_MAX       8000
#define MIXES_MAX       12000
#define MIX_MIN         2
#define MIX_MAX         15
#define ACTIVE_ROUNDS   3
#define ACTIVE_BLOCKS   1000 /* the most disputed of */
#define ACTIVE_DRAWN    20000
#define CHECK_BLOCKS    1000
#define CHECK_MIN       3
#define CHECK_MAX       12
#define CHECK_SEED      0x6672657368u /* so that the fit has not drawn the same */
#define MEASURING_SHARE 0.5
/* When each kind ends where time is short, of the time for measuring. */
#define LATENCIES_SHARE 0.3
#define ALONE_SHARE     0.8
#define PAIRS_SHARE     0.4
#define MIXES_SHARE     0.8
#define BLOCKS_LEAST    0.2 /* of all the time: for blocks of several forms, whatever came before */
#define CHUNK           16  /* forms between two looks at the clock */
#define TIME_IS_OVER    "there was no time left"

struct infer_host {
    struct infer_host_options o;
    struct arena *arena;
    struct probe_cpu cpu;
    struct identity who;
    const char *source; /* the CPU, and of what kind its kernels are */
    struct probe *probe;
    struct measured *measured;
    const struct fit_data *data; /* what was gathered into */
    struct probe_form *all;
    int n_all;
    const struct probe_form **forms; /* that were measured alone */
    double *cycles;                  /* of each alone */
    int n_forms;
    const int *chosen; /* of all, and what is known of their latencies */
    struct probe_latencies *latencies;
    int n_chosen;
    double start, end;              /* of measuring, by the clock */
    int dropped, chained, repeated; /* of blocks */
    int shorter;                    /* forms that were faster in a short sequence */
    const char *left_out;           /* forms that were chosen, and why */
    const char *unknown_latencies;  /* forms of which some are, and why */
    const char *account;
};

const char *infer_host_source(const struct infer_host *h)
{
    return h->source;
}

const struct identity *infer_host_identity(const struct infer_host *h)
{
    return &h->who;
}

struct infer_host *infer_host_open(const struct infer_host_options *o, struct arena *a,
                                   struct err *e)
{
    struct infer_host *h = arena_new(a, struct infer_host, 1);
    struct probe_settings settings = probe_defaults;

    *h = (struct infer_host){.o = *o, .arena = a, .start = clock_seconds()};
    h->end = h->start + MEASURING_SHARE * o->seconds;
    h->cpu = probe_cpu_identify();
    h->who = (struct identity){h->cpu.vendor, h->cpu.family, h->cpu.model, -1, -1};
    h->source = arena_format(a, "%s-%ld-%ld-%ld %s", h->cpu.vendor, h->cpu.family, h->cpu.model,
                             h->cpu.stepping, PROBE_KERNELS);
    settings.wait_s = WAITING_SHARE * (h->end - h->start);
    h->probe = probe_open(&settings, a, e);
    h->measured = h->probe ? measured_open(o->data, h->source, a, e) : NULL;
    h->all = o->from->forms;
    h->n_all = o->from->n;
    return h->measured ? h : NULL;
}

double infer_host_seconds(const struct infer_host *h)
{
    return h->o.seconds;
}

double infer_host_seconds_left(const struct infer_host *h)
{
    return h->start + h->o.seconds - clock_seconds();
}

static void show(const struct infer_host *h, const char *what, int done, int total)
{
    if (h->o.progress) {
        fprintf(stderr, "\r\033[K%s: %d of %d blocks, at most %.0f s left", what, done, total,
                fmax(0, infer_host_seconds_left(h)));
        fflush(stderr);
    }
}

/* Measures those that are not in the file yet, and writes them there. */
static bool measure(struct infer_host *h, const struct probe_block *blocks, int n, struct err *e)
{
    struct arena *a = arena_create((size_t)1 << 30, cli_out_of_memory, NULL);
    struct probe_block *wanted = arena_new(a, struct probe_block, (size_t)n);
    struct probe_result *results = arena_new(a, struct probe_result, (size_t)n);
    const char **texts = arena_new(a, const char *, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        const char *text = experiment_text(&blocks[k], a);
        if (!measured_find(h->measured, text)) {
            texts[m] = text;
            wanted[m++] = blocks[k];
        }
    }
    bool good = probe_measure_stable(h->probe, wanted, m, results, a, e);
    for (int k = 0; good && k < m; k++) {
        const bool chained = results[k].register_cycles > FREE * results[k].cycles;
        h->dropped += results[k].failed != NULL;
        h->chained += chained;
        h->repeated += results[k].readings > 2;
        if (!results[k].failed && !chained && !measured_find(h->measured, texts[k])) {
            good = measured_add(h->measured,
                                &(struct measured_row){.block = texts[k],
                                                       .cycles = results[k].cycles,
                                                       .spread = results[k].spread,
                                                       .samples = results[k].n},
                                e);
        }
    }
    arena_release(a);
    return good;
}

/* When this share of the time for measuring is over. */
static double when(const struct infer_host *h, double share)
{
    return h->start + share * (h->end - h->start);
}

/* The same in batches until this share of the time for measuring is over. */
static bool measure_all(struct infer_host *h, const struct probe_block *blocks, int n, double share,
                        const char *what, struct err *e)
{
    const double end = when(h, share);

    for (int k = 0; k < n && clock_seconds() < end; k += BATCH) {
        show(h, what, k, n);
        if (!measure(h, blocks + k, n - k < BATCH ? n - k : BATCH, e)) {
            return false;
        }
    }
    return true;
}

/* --- forms alone ---------------------------------------------------------------------------------
 */

/* How long updates keep a register busy, so that kernels share registers out by what is known. */
static void take_latency(struct probe_form *form, const struct probe_latencies *from)
{
    double longest = 0;

    for (int i = 0; i < from->n; i++) {
        const struct probe_latency *l = &from->pairs[i];
        const bool updates = l->from.place == PLACE_OPERAND && l->to.place == PLACE_OPERAND &&
                             l->from.operand == l->to.operand;
        longest = updates ? fmax(longest, l->cycles) : longest;
    }
    form->latency = longest > 0 ? longest : form->latency;
}

/* Of as many forms as there is time for. */
static bool gather_latencies(struct infer_host *h, const int *chosen, int n, struct err *e)
{
    const struct probe_form **forms = arena_new(h->arena, const struct probe_form *, (size_t)n);
    const double end = when(h, LATENCIES_SHARE);
    struct tally why_not = {.n = 0};
    struct text words = {.arena = h->arena};

    h->chosen = chosen;
    h->n_chosen = n;
    h->latencies = arena_new(h->arena, struct probe_latencies, (size_t)n);
    for (int k = 0; k < n; k++) {
        forms[k] = &h->all[chosen[k]];
        h->latencies[k].failed = TIME_IS_OVER;
    }
    for (int k = 0; k < n && (k == 0 || clock_seconds() < end); k += CHUNK) {
        const int m = n - k < CHUNK ? n - k : CHUNK;
        show(h, "latencies", k, n);
        if (!probe_latencies(h->probe, forms + k, m, h->latencies + k, h->arena, e)) {
            return false;
        }
    }
    for (int k = 0; k < n; k++) {
        take_latency(&h->all[chosen[k]], &h->latencies[k]);
        if (h->latencies[k].failed) {
            tally_add(&why_not, h->latencies[k].failed, forms[k]->code.text);
        }
    }
    tally_write(&why_not, &words);
    h->unknown_latencies = words.len ? words.data : "";
    return true;
}

static const struct measured_row *find(const struct infer_host *h, const struct probe_block *b)
{
    return measured_find(h->measured, experiment_text(b, h->arena));
}

static bool keep(struct infer_host *h, const struct probe_block *b, const struct probe_result *r,
                 struct err *e)
{
    return measured_add(h->measured,
                        &(struct measured_row){.block = experiment_text(b, h->arena),
                                               .cycles = r->cycles,
                                               .spread = r->spread,
                                               .samples = r->n},
                        e);
}

/* Those that are not in the file yet, each as the best of its sequences; why the others are not
 * kept. */
static bool measure_alone(struct infer_host *h, const struct probe_block *blocks, int n,
                          struct tally *why_not, struct err *e)
{
    struct probe_block *wanted = arena_new(h->arena, struct probe_block, (size_t)n);
    struct probe_alone *alone = arena_new(h->arena, struct probe_alone, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        if (!find(h, &blocks[k])) {
            wanted[m++] = blocks[k];
        }
    }
    const double end = when(h, ALONE_SHARE);
    bool good = true;
    int tried = 0;
    while (good && tried < m && (tried == 0 || clock_seconds() < end)) {
        const int some = m - tried < CHUNK ? m - tried : CHUNK;
        show(h, "forms alone", tried, m);
        good = probe_measure_alone(h->probe, wanted + tried, some, alone + tried, h->arena, e);
        tried += some;
    }
    for (int k = tried; k < m; k++) {
        tally_add(why_not, TIME_IS_OVER, wanted[k].items[0].form->code.text);
    }
    for (int k = 0; good && k < tried; k++) {
        const struct probe_result *r = &alone[k].best;
        const char *failed = r->failed ? r->failed
                             : r->register_cycles > FREE * r->cycles
                                 ? "bound by the registers that they update"
                                 : NULL;
        if (failed) {
            tally_add(why_not, failed, wanted[k].items[0].form->code.text);
            continue;
        }
        h->shorter += alone[k].registers > 0 && alone[k].all_registers > r->cycles;
        good = keep(h, &wanted[k], r, e);
    }
    return good;
}

static bool gather_alone(struct infer_host *h, struct err *e)
{
    int *chosen = arena_new(h->arena, int, (size_t)h->n_all);
    const int n =
        experiment_choose(h->all, h->n_all, h->o.from->n_first, h->o.forms, chosen, h->arena);
    struct probe_block *blocks = arena_new(h->arena, struct probe_block, (size_t)n);
    struct tally why_not = {.n = 0};
    struct text words = {.arena = h->arena};

    h->forms = arena_new(h->arena, const struct probe_form *, (size_t)n);
    h->cycles = arena_new(h->arena, double, (size_t)n);
    for (int k = 0; k < n; k++) {
        blocks[k] = experiment_alone(&h->all[chosen[k]], h->arena);
    }
    if (!gather_latencies(h, chosen, n, e)) {
        return false;
    }
    if (!measure_alone(h, blocks, n, &why_not, e)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        const struct measured_row *row = find(h, &blocks[k]);
        if (row && row->cycles < SLOWEST) {
            h->forms[h->n_forms] = blocks[k].items[0].form;
            h->cycles[h->n_forms++] = row->cycles;
        } else if (row) {
            tally_add(&why_not, "too slow to matter in a block",
                      blocks[k].items[0].form->code.text);
        }
    }
    tally_write(&why_not, &words);
    h->left_out = words.len ? words.data : "";
    return h->n_forms > 1 || err_set(e, ERR_HOST, LOC_NONE,
                                     "no form could be measured: %s; try again later", h->left_out);
}

/* --- pairs and mixes -----------------------------------------------------------------------------
 */

static bool gather_pairs(struct infer_host *h, struct random *r, struct err *e)
{
    struct probe_block *blocks =
        arena_new(h->arena, struct probe_block, (size_t)h->n_forms * (size_t)h->n_forms / 2);
    int n = 0;

    for (int i = 0; i < h->n_forms; i++) {
        for (int j = 0; j < i; j++) {
            if (experiment_mixes(h->forms[i], h->forms[j])) {
                blocks[n++] =
                    experiment_pair(h->forms[i], h->cycles[i], h->forms[j], h->cycles[j], h->arena);
            }
        }
    }
    for (int k = n - 1; k > 0; k--) { /* shuffled: where time ends, no form is favoured */
        const int j = random_below(r, k + 1);
        const struct probe_block other = blocks[j];
        blocks[j] = blocks[k];
        blocks[k] = other;
    }
    return measure_all(h, blocks, n < PAIRS_MAX ? n : PAIRS_MAX, PAIRS_SHARE, "pairs", e);
}

static struct probe_block draw(const struct infer_host *h, int least, int most, struct random *r)
{
    return experiment_mix(h->forms, h->n_forms, least + random_below(r, most - least + 1), r,
                          h->arena);
}

static bool gather_mixes(struct infer_host *h, struct random *r, struct err *e)
{
    struct probe_block *blocks = arena_new(h->arena, struct probe_block, MIXES_MAX);

    for (int k = 0; k < MIXES_MAX; k++) {
        blocks[k] = draw(h, MIX_MIN, MIX_MAX, r);
    }
    return measure_all(h, blocks, MIXES_MAX, MIXES_SHARE, "mixes", e);
}

/* --- what fits disagree about --------------------------------------------------------------------
 */

static bool add_rows(const struct infer_host *h, int first, struct fit_data *d, struct err *e)
{
    for (int k = first; k < measured_count(h->measured); k++) {
        const struct measured_row *row = measured_get(h->measured, k);
        struct block b;
        if (!block_parse(row->block, (struct loc){.file = h->o.data}, h->arena, &b, e)) {
            return false;
        }
        b.cycles = row->cycles;
        if (!fit_data_add(d, &b, e)) {
            return false;
        }
    }
    return true;
}

static struct fit_block as_fitted(const struct fit_data *d, const struct probe_block *b,
                                  struct arena *a)
{
    struct fit_item *items = arena_new(a, struct fit_item, (size_t)b->n_items);

    for (int k = 0; k < b->n_items; k++) {
        items[k] = (struct fit_item){.form = fit_data_form(d, b->items[k].form->code.text),
                                     .count = (float)b->items[k].count};
    }
    return (struct fit_block){.items = items, .n_items = b->n_items};
}

struct disputed {
    struct probe_block block;
    double doubt;
};

static int most_disputed_first(const void *x, const void *y)
{
    const struct disputed *a = x, *b = y;
    return (a->doubt < b->doubt) - (a->doubt > b->doubt);
}

/* Two descents that differ in their start, and the mixes that tell them apart. */
static bool gather_disputed(struct infer_host *h, const struct fit_data *d, struct random *r,
                            struct err *e)
{
    struct fit_settings settings = {
        .n_resources = 16, .ridge = 0.1, .steps = 1500, .batch = 1024, .seed = random_next(r)};
    struct arena *a = arena_create((size_t)1 << 30, cli_out_of_memory, NULL);
    const struct fit_traits *traits = fit_traits_find(d, a);
    float *weights = arena_new(a, float, (size_t)d->n_blocks);
    struct disputed *drawn = arena_new(a, struct disputed, ACTIVE_DRAWN);
    struct probe_block *blocks = arena_new(a, struct probe_block, ACTIVE_BLOCKS);

    for (int k = 0; k < d->n_blocks; k++) {
        weights[k] = 1;
    }
    const struct fit_task task = {.data = d, .traits = traits, .weights = weights};
    const struct resource_map one = fit_descend(&task, &settings, a);
    settings.seed++;
    const struct resource_map other = fit_descend(&task, &settings, a);
    for (int k = 0; k < ACTIVE_DRAWN; k++) {
        drawn[k].block = draw(h, MIX_MIN, MIX_MAX, r);
        const struct fit_block b = as_fitted(d, &drawn[k].block, a);
        drawn[k].doubt = fabs(log(fit_cycles(&one, &b) / fit_cycles(&other, &b)));
    }
    items_sort(drawn, ACTIVE_DRAWN, sizeof *drawn, most_disputed_first);
    for (int k = 0; k < ACTIVE_BLOCKS; k++) {
        blocks[k] = drawn[k].block;
    }
    const bool good = measure_all(h, blocks, ACTIVE_BLOCKS, 1, "mixes in dispute", e);
    arena_release(a);
    return good;
}

static bool gather_active(struct infer_host *h, struct fit_data *d, struct random *r, struct err *e)
{
    int known = 0;

    for (int round = 0; round < ACTIVE_ROUNDS && clock_seconds() < h->end; round++) {
        const int n = measured_count(h->measured);
        if (!add_rows(h, known, d, e) || !gather_disputed(h, d, r, e)) {
            return false;
        }
        known = n;
    }
    return add_rows(h, known, d, e);
}

const char *infer_host_account(const struct infer_host *h)
{
    return h->account;
}

const char *infer_host_left_out(const struct infer_host *h)
{
    return h->left_out;
}

const char *infer_host_quiet(const struct infer_host *h)
{
    return arena_format(h->arena,
                        "samples count where a nop takes %.3f cycles, the least seen; beside a "
                        "neighbour that never leaves it would be twice as much, as on a core of "
                        "half the width",
                        probe_quietest(h->probe));
}

/* Forms alone say nothing of what they share. */
static bool leave_time(struct infer_host *h)
{
    h->end = fmax(h->end, clock_seconds() + BLOCKS_LEAST * h->o.seconds);
    return true;
}

bool infer_host_gather(struct infer_host *h, struct fit_data *d, struct err *e)
{
    struct random r = {h->o.seed};
    h->data = d;
    const int before = measured_count(h->measured);
    const bool good = gather_alone(h, e) && leave_time(h) && gather_pairs(h, &r, e) &&
                      gather_mixes(h, &r, e) && gather_active(h, d, &r, e);

    if (h->o.progress) {
        fprintf(stderr, "\r\033[K");
    }
    if (good) {
        h->account = arena_format(
            h->arena,
            "%d forms alone (%d faster in a short sequence) and in %d blocks, %d measured now in "
            "%.0f s; %d read more than twice, %d dropped because no "
            "two readings agreed or the "
            "cores were "
            "never quiet, %d bound by their registers",
            h->n_forms, h->shorter, measured_count(h->measured) - h->n_forms,
            measured_count(h->measured) - before, clock_seconds() - h->start, h->repeated,
            h->dropped, h->chained);
        fprintf(stderr, "gambrel: %s\n", h->account);
    }
    if (good && *h->left_out) {
        fprintf(stderr, "gambrel: forms left out: %s\n", h->left_out);
    }
    if (good && *h->unknown_latencies) {
        fprintf(stderr, "gambrel: forms with unknown latencies: %s\n", h->unknown_latencies);
    }
    return good;
}

/* --- latencies -----------------------------------------------------------------------------------
 */

static struct machine_form *form_of(struct machine *m, const char *name)
{
    for (int k = 0; k < m->n_forms; k++) {
        if (strcmp(m->forms[k].form, name) == 0) {
            return &m->forms[k];
        }
    }
    return NULL;
}

void infer_host_describe(struct infer_host *h, struct machine *m)
{
    m->matches = arena_new(h->arena, struct machine_match, 1);
    m->n_matches = 1;
    *m->matches = (struct machine_match){.vendor = h->cpu.vendor,
                                         .family = h->cpu.family,
                                         .model_first = h->cpu.model,
                                         .model_last = h->cpu.model};
    m->clock_one_core_hz = pulse_clock_hz();
    m->clock_source = "a chain of dependent adds, measured after the blocks";
    m->zero_idioms = arena_new(h->arena, const char *, (size_t)h->n_chosen);
    m->eliminated_moves = arena_new(h->arena, const char *, (size_t)h->n_chosen);
    for (int k = 0; k < h->n_chosen; k++) {
        const struct probe_latencies *l = &h->latencies[k];
        struct machine_form *form = form_of(m, h->all[h->chosen[k]].code.text);
        if (!form) {
            continue;
        }
        probe_rows_describe(l, form, h->arena);
        probe_rows_forward(&h->all[h->chosen[k]], l, m);
        if (l->idiom) {
            m->zero_idioms[m->n_zero_idioms++] = form->form;
        }
        if (l->eliminated_move) {
            m->eliminated_moves[m->n_eliminated_moves++] = form->form;
        }
    }
    m->elimination_source =
        m->n_zero_idioms + m->n_eliminated_moves == 0
            ? NULL
            : "chains that take less than a cycle a link, measured on this machine";
}

static bool divides(const struct probe_form *f)
{
    return strstr(f->code.text, "div") || strstr(f->code.text, "sqrt");
}

bool infer_host_values(struct infer_host *h, const char **words, struct err *e)
{
    struct probe_settings settings = probe_defaults;
    struct probe_block *blocks = arena_new(h->arena, struct probe_block, (size_t)h->n_forms);
    struct probe_result *results = arena_new(h->arena, struct probe_result, (size_t)h->n_forms);
    struct text t = {.arena = h->arena};
    int n = 0;

    settings.values = PROBE_SHORT;
    struct probe *p = probe_open(&settings, h->arena, e);
    for (int k = 0; k < h->n_forms; k++) {
        if (divides(h->forms[k])) {
            blocks[n++] = experiment_alone(h->forms[k], h->arena);
        }
    }
    if (!p || !probe_measure_stable(p, blocks, n, results, h->arena, e)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        const double full = find(h, &blocks[k])->cycles;
        if (!results[k].failed && results[k].cycles < full * (1 - VALUES_MATTER)) {
            text_add(&t, "%s%s takes %.3g cycles instead of %.3g", t.len ? "; " : "",
                     blocks[k].items[0].form->code.text, results[k].cycles, full);
        }
    }
    *words = n == 0  ? NULL
             : t.len ? t.data
                     : arena_format(h->arena,
                                    "none of %d divisions and square roots is faster for short "
                                    "significands than for full ones",
                                    n);
    return true;
}

/* --- fresh blocks --------------------------------------------------------------------------------
 */

static double instructions(const struct probe_block *b)
{
    double n = 0;

    for (int k = 0; k < b->n_items; k++) {
        n += b->items[k].count;
    }
    return n;
}

static struct probe_block *draw_fresh(struct infer_host *h, int *n)
{
    struct probe_block *blocks = arena_new(h->arena, struct probe_block, CHECK_BLOCKS);
    struct random r = {h->o.seed ^ CHECK_SEED};

    for (*n = 0; *n < CHECK_BLOCKS;) {
        blocks[*n] = draw(h, CHECK_MIN, CHECK_MAX, &r);
        *n += find(h, &blocks[*n]) == NULL;
    }
    return blocks;
}

/* One batch after the other while there is time; returns how many were tried. */
static int measure_fresh(struct infer_host *h, const struct probe_block *blocks, int n,
                         struct probe_result *results, struct err *e)
{
    double longest = 0;
    int k = 0;

    while (k < n && !e->code && (k == 0 || infer_host_seconds_left(h) > longest)) {
        const double begin = clock_seconds();
        const int batch = n - k < BATCH ? n - k : BATCH;
        show(h, "fresh mixes", k, n);
        probe_measure_stable(h->probe, blocks + k, batch, results + k, h->arena, e);
        longest = fmax(longest, clock_seconds() - begin);
        k += batch;
    }
    if (h->o.progress) {
        fprintf(stderr, "\r\033[K");
    }
    return k;
}

bool infer_host_check(struct infer_host *h, const struct resource_map *map, struct text *to,
                      struct accuracy *out, struct err *e)
{
    int n, m = 0;
    const struct probe_block *blocks = draw_fresh(h, &n);
    struct probe_result *results = arena_new(h->arena, struct probe_result, (size_t)n);
    double *predicted = arena_new(h->arena, double, (size_t)n);
    double *measured = arena_new(h->arena, double, (size_t)n);

    n = measure_fresh(h, blocks, n, results, e);
    if (to) {
        text_add(to, "cycles,predicted,block\n");
    }
    for (int k = 0; k < n && !e->code; k++) {
        if (results[k].failed) {
            continue;
        }
        const struct fit_block b = as_fitted(h->data, &blocks[k], h->arena);
        const double cycles = fit_cycles(map, &b);
        predicted[m] = instructions(&blocks[k]) / cycles;
        measured[m++] = instructions(&blocks[k]) / results[k].cycles;
        if (to) {
            text_add(to, "%.5g,%.5g,\"%s\"\n", results[k].cycles, cycles,
                     experiment_text(&blocks[k], h->arena));
        }
    }
    *out = accuracy_of(predicted, measured, m, h->arena);
    return !e->code;
}
