/* bench_fit - how well and how fast mappings are inferred from published measurements.
 *
 * Needs GAMBREL_BLOCKS, a folder with the block files of PMEvo's artifact (Ritter and Hack, PLDI
 * 2020) as CSV: skylake_train, skylake_check, zenplus_train, cortex_a72_train.  Scarce data are
 * cross-validated: blocks of several forms in five folds, each predicted by a map inferred from the
 * other four and every form alone.
 */
#include "model/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FOLDS = 5 };

static _Noreturn void out_of_memory(void *context)
{
    (void)context;
    fprintf(stderr, "bench_fit: out of memory\n");
    exit(1);
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static _Noreturn void give_up(const struct err *e)
{
    char text[512];
    fprintf(stderr, "bench_fit: %s\n", err_describe(e, text, sizeof text));
    exit(1);
}

static struct fit_data *read_blocks(const char *folder, const char *name, struct arena *a)
{
    struct err e = {0};
    struct fit_data *d = fit_data_new(a);
    if (!fit_data_read(d, arena_format(a, "%s/%s.csv", folder, name), &e)) {
        give_up(&e);
    }
    return d;
}

/* The blocks of d that are, or are not, in the fold; forms alone are in none. */
static struct fit_data *select_fold(const struct fit_data *d, int fold, bool in, struct arena *a)
{
    struct err e = {0};
    struct fit_data *s = fit_data_new(a);
    for (int k = 0; k < d->n_blocks; k++) {
        const struct fit_block *b = &d->blocks[k];
        const bool held = !fit_block_single(b) && (int)(b->key % FOLDS) == fold;
        struct block copy = {.n_forms = b->n_items, .cycles = b->cycles, .weight = b->weight};
        copy.forms = arena_new(a, struct form_count, (size_t)b->n_items);
        for (int i = 0; i < b->n_items; i++) {
            copy.forms[i] =
                (struct form_count){d->forms[b->items[i].form].name, (double)b->items[i].count};
        }
        if (held == in && !fit_data_add(s, &copy, &e)) {
            give_up(&e);
        }
    }
    return s;
}

struct score {
    double sum, squares;
    int n;
};

static void add_scores(const struct resource_map *m, const struct fit_data *fitted,
                       const struct fit_data *unseen, struct score *s)
{
    for (int k = 0; k < unseen->n_blocks; k++) {
        struct fit_item items[64];
        struct fit_block b = unseen->blocks[k];
        for (int i = 0; i < b.n_items; i++) {
            const char *name = unseen->forms[b.items[i].form].name;
            items[i] = (struct fit_item){fit_data_form(fitted, name), b.items[i].count};
        }
        b.items = items;
        const double error = fit_cycles(m, &b) / b.cycles - 1;
        s->sum += fabs(error);
        s->squares += error * error;
        s->n++;
    }
}

static void report(const char *name, const struct fit_result *r, const struct score *s,
                   const char *published, double seconds)
{
    printf("%-16s %5d %9.2f %9.2f %9.2f %9d   %-14s %8.1f\n", name, r->map.n_resources,
           100 * s->sum / s->n, 100 * sqrt(s->squares / s->n), 100 * r->check_mape, s->n, published,
           seconds);
    fflush(stdout);
}

static void infer(const struct fit_data *d, struct arena *a, struct fit_result *r)
{
    struct err e = {0};
    const struct fit_options o = {.seed = 1};
    if (!fit_infer(d, &o, a, r, &e)) {
        give_up(&e);
    }
}

static void bench_given(const char *folder)
{
    struct arena *a = arena_create((size_t)2 << 30, out_of_memory, NULL);
    struct fit_data *train = read_blocks(folder, "skylake_train", a);
    struct fit_data *check = read_blocks(folder, "skylake_check", a);
    struct fit_result r;
    struct score s = {0};
    const double begin = cpu_seconds();
    infer(train, a, &r);
    const double seconds = cpu_seconds() - begin;
    add_scores(&r.map, train, check, &s);
    report("skylake", &r, &s, "IACA 7.91", seconds);
    arena_release(a);
}

static void bench_folds(const char *folder, const char *name, const char *published)
{
    struct score s = {0};
    struct fit_result r;
    const double begin = cpu_seconds();
    for (int fold = 0; fold < FOLDS; fold++) {
        struct arena *a = arena_create((size_t)2 << 30, out_of_memory, NULL);
        struct fit_data *d = read_blocks(folder, arena_format(a, "%s_train", name), a);
        struct fit_data *fitted = select_fold(d, fold, false, a);
        struct score one = {0};
        infer(fitted, a, &r);
        add_scores(&r.map, fitted, select_fold(d, fold, true, a), &one);
        printf("#   %s, fold %d: %.2f %% of %d blocks\n", name, fold + 1, 100 * one.sum / one.n,
               one.n);
        s.sum += one.sum;
        s.squares += one.squares;
        s.n += one.n;
        arena_release(a);
    }
    report(name, &r, &s, published, (cpu_seconds() - begin) / FOLDS);
}

int main(void)
{
    const char *folder = getenv("GAMBREL_BLOCKS");
    if (!folder) {
        printf("# inference: skipped, GAMBREL_BLOCKS names no folder of measured blocks\n");
        return 0;
    }
    printf(
        "# inference: errors on unseen blocks in percent; check: as the map itself reports it\n");
    printf("%-16s %5s %9s %9s %9s %9s   %-14s %8s\n", "blocks", "res.", "MAPE", "RMS", "check",
           "unseen", "published", "CPU s");
    bench_given(folder);
    bench_folds(folder, "zenplus", "PMEvo 13.65");
    bench_folds(folder, "cortex_a72", "PMEvo 21.31");
    return 0;
}
