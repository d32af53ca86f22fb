#include "model/fit_machine.h"

#include "base/items.h"
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 16

/* A form is less sure than most if its error or its doubt is so many times the mean, or if
 * it was in fewer blocks. */
#define TIMES_MEAN 2.0
#define BLOCKS_FEW 3

/* Blocks that must run as many instructions a cycle, and how near to a whole number. */
#define WIDTH_BLOCKS 8
#define WIDTH_NEAR   0.05

static const char *const x86_words[] = {"lea",  "movzx",  "movsx",  "imul",  "test",  "xor", "inc",
                                        "push", "vaddps", "vpaddd", "addss", "mulss", NULL};
static const char *const a64_words[] = {"ldr",  "str",  "ldp",  "fadd", "fmla", "eor", "orr",
                                        "subs", "adds", "movk", "fmul", "madd", NULL};

static bool has_mnemonic(const struct fit_data *d, const char *word)
{
    const size_t len = strlen(word);
    for (int i = 0; i < d->n_forms; i++) {
        const char *form = d->forms[i].name + strspn(d->forms[i].name, "_");
        if (strncmp(form, word, len) == 0 && !isalnum((unsigned char)form[len])) {
            return true;
        }
    }
    return false;
}

static int count_words(const struct fit_data *d, const char *const *words)
{
    int n = 0;
    for (; *words; words++) {
        n += has_mnemonic(d, *words);
    }
    return n;
}

const char *fit_isa(const struct fit_data *d)
{
    const int x86 = count_words(d, x86_words), a64 = count_words(d, a64_words);
    return x86 > a64 ? "x86-64" : a64 > x86 ? "aarch64" : NULL;
}

struct writer {
    const struct fit_data *d;
    const struct fit_result *r;
    struct machine *m;
    struct arena *arena;
};

static bool less_sure(const struct writer *w, int form)
{
    const struct fit_form_doubt *doubt = &w->r->forms[form];
    return doubt->bad || w->d->forms[form].blocks_with < BLOCKS_FEW ||
           doubt->residual > TIMES_MEAN * w->r->fitted_mape ||
           doubt->doubt > TIMES_MEAN * w->r->doubt;
}

static const char *source_of(const struct writer *w, int form)
{
    const struct fit_form_doubt *doubt = &w->r->forms[form];
    const struct fit_form *f = &w->d->forms[form];
    if (!less_sure(w, form)) {
        return "inferred from times of blocks, see provenance; as sure as most forms";
    }
    if (!f->blocks_with) {
        return "inferred from its time alone: what it shares with other forms is unknown";
    }
    struct text t = {.arena = w->arena};
    text_add(&t, "inferred from %d blocks%s: error %.1f %%, doubt %.1f %%", f->blocks_with,
             f->times_alone ? " and alone" : ", never alone", 100 * doubt->residual,
             100 * doubt->doubt);
    if (doubt->bad) {
        text_add(&t, "; fits badly: its time depends on more than what runs beside it");
    }
    return t.data;
}

static void add_form(struct writer *w, int form)
{
    const struct resource_map *map = &w->r->map;
    struct machine_form *f = &w->m->forms[w->m->n_forms++];
    *f = (struct machine_form){.form = w->d->forms[form].name,
                               .slots = 1,
                               .doubt = rint(w->r->forms[form].doubt * 1e4) / 1e4};
    f->source = source_of(w, form);
    f->uses = arena_new(w->arena, struct machine_use, (size_t)map->n_resources);
    for (int r = 0; r < map->n_resources; r++) {
        const double cycles = map->rho[form * map->n_resources + r];
        if (cycles > 0) {
            /* Four digits are more than the data hold, and what a person can read. */
            f->uses[f->n_uses++] = (struct machine_use){r, rint(cycles * 1e4) / 1e4};
        }
    }
}

static void note(struct writer *w, const char *key, const char *text)
{
    w->m->provenance[w->m->n_provenance++] = (struct machine_note){key, text};
}

/* "unknown" for NaN. */
static const char *percent(double part, const char *of, struct arena *a)
{
    return isnan(part) ? "unknown" : arena_format(a, "%.2f %%%s", 100 * part, of);
}

static const char *check_words(const struct fit_result *r, struct arena *a)
{
    if (isnan(r->check_mape)) {
        return arena_format(a, "unknown: %d blocks of several forms are too few to hold any back",
                            r->n_several);
    }
    return arena_format(
        a,
        "%.2f %% mean, %.2f %% RMS on %d blocks that decided nothing (95 %% interval "
        "of the mean %.2f to %.2f); they were fitted to afterwards, in the map below",
        100 * r->check_mape, 100 * r->check_rms, r->n_check, 100 * r->check_low,
        100 * r->check_high);
}

static const char *plainness_words(const struct fit_result *r, struct arena *a)
{
    const struct fit_complexity c = r->complexity;
    return arena_format(a, "%s; %d weights of 1/n, %d of m/n, %d others",
                        r->plainness > 0
                            ? arena_format(a,
                                           "price %g of a weight over the mean "
                                           "error of a block, the highest that held-out "
                                           "blocks cannot tell",
                                           r->plainness)
                            : "as fitted",
                        c.n_unit, c.n_fraction, c.n_other);
}

static void add_notes(struct writer *w, const struct fit_origin *from)
{
    const struct fit_result *r = w->r;
    w->m->provenance = arena_new(w->arena, struct machine_note, NOTES_MAX);
    note(w, "method", "conjunctive resource mapping fitted to times of dependency-free blocks");
    note(w, "blocks",
         arena_format(w->arena, "%s: %d of one form, %d of several, %d forms", from->blocks,
                      r->n_single, r->n_several, w->d->n_forms));
    note(w, "seed", arena_format(w->arena, "%" PRIu64, from->seed));
    note(w, "fit",
         arena_format(w->arena, "%d resources, ridge %.3g, %s%s", r->settings.n_resources,
                      r->settings.ridge,
                      r->distilled ? "several fits joined" : "best of several fits",
                      r->refitted ? ", refitted by linear programs" : ""));
    if (r->hurried) {
        note(w, "hurried", "the time was short: fewer fits than usual");
    }
    note(w, "plainness", plainness_words(r, w->arena));
    note(w, "error_on_held_out_blocks", check_words(r, w->arena));
    note(w, "error_on_fitted_blocks", percent(r->fitted_mape, "", w->arena));
    note(w, "doubt",
         percent(r->doubt,
                 " on the mean over forms: standard deviation of cycles between fits to resampled "
                 "blocks, in made-up blocks with the form",
                 w->arena));
    note(w, "forms_that_fit_badly",
         r->n_bad ? arena_format(w->arena, "%d, marked below", r->n_bad) : "none");
}

static void add_resources(struct writer *w)
{
    const int n = w->r->map.n_resources;
    w->m->resources = arena_alloc(w->arena, (size_t)n, sizeof *w->m->resources);
    for (int r = 0; r < n; r++) {
        w->m->resources[r] = arena_format(w->arena, "R%d", r);
    }
    w->m->n_resources = n;
}

static int by_rate(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* The most instructions a cycle that several blocks come near, if that is a whole number: what the
 * front end lets through.  NaN: it is not, or nothing comes near. */
static double width_seen(const struct writer *w, double *most)
{
    const struct fit_data *d = w->d;
    double *rates = arena_new(w->arena, double, (size_t)d->n_blocks);
    for (int b = 0; b < d->n_blocks; b++) {
        for (int k = 0; k < d->blocks[b].n_items; k++) {
            rates[b] += (double)d->blocks[b].items[k].count / d->blocks[b].cycles;
        }
    }
    items_sort(rates, (size_t)d->n_blocks, sizeof *rates, by_rate);
    *most = d->n_blocks >= WIDTH_BLOCKS ? rates[WIDTH_BLOCKS - 1] : (double)NAN;
    const double width = rint(*most);
    return width >= 1 && fabs(*most / width - 1) <= WIDTH_NEAR ? width : (double)NAN;
}

static void add_width(struct writer *w)
{
    double most;
    const double width = width_seen(w, &most);
    if (!isnan(width)) {
        w->m->dispatch_width = width;
        w->m->core_source = arena_format(
            w->arena,
            "%d of the blocks measured run %.2f instructions a cycle or more, and none "
            "many more: the width of the front end, to a whole number",
            WIDTH_BLOCKS, most);
    }
}

struct machine *fit_machine(const struct fit_data *d, const struct fit_result *r,
                            const struct fit_origin *from, struct arena *a)
{
    struct writer w = {.d = d, .r = r, .arena = a, .m = machine_new(a)};
    w.m->name = from->name;
    w.m->isa = from->isa;
    w.m->description = "inferred from timings alone";
    add_resources(&w);
    add_width(&w);
    add_notes(&w, from);
    w.m->forms = arena_new(a, struct machine_form, (size_t)d->n_forms);
    for (int later = 0; later < 2; later++) {
        for (int i = 0; i < d->n_forms; i++) {
            if (less_sure(&w, i) == (later == 1)) {
                add_form(&w, i);
            }
        }
    }
    return w.m;
}
