#include "cli/measure_blocks.h"

#include "base/names.h"
#include "code/decode.h"
#include "code/form.h"
#include "formats/blocks.h"
#include "measure/probe_stable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BATCH     500
#define COUNT_MAX 1e6 /* of one form; blocks have room for far fewer */

/* Forms are read once, by name; those that are none are refused with the reason. */
struct catalogue {
    struct arena *arena;
    struct decoder *decoder;
    struct names names;
};

struct job {
    struct catalogue forms;
    struct probe *probe;
    struct text out;
    int n_measured, n_failed;
};

static const struct probe_form *look_up(struct catalogue *c, const char *spelling)
{
    char name[FORM_SIZE];

    if (!form_normalise(spelling, name)) {
        snprintf(name, sizeof name, "%s", spelling); /* to be refused below */
    }
    const struct probe_form *known = names_find(&c->names, NULL, name);
    if (known) {
        return known;
    }
    struct probe_form *f = arena_new(c->arena, struct probe_form, 1);
    struct err why = {0};
    if (!probe_form_read(name, c->decoder, f, &why)) {
        f->refused = arena_copy(c->arena, why.text, strlen(why.text));
        snprintf(f->code.text, sizeof f->code.text, "%s", name);
    }
    names_add(&c->names, NULL, arena_copy(c->arena, name, strlen(name)), f);
    for (int k = 0; k < f->n_companions; k++) { /* which have none themselves */
        f->companions[k].form = look_up(c, f->companions[k].text);
    }
    return f;
}

/* false: a count that is not whole. */
static bool take_block(struct catalogue *c, const struct block *from, struct arena *a,
                       struct probe_block *out)
{
    *out = (struct probe_block){.items = arena_new(a, struct probe_item, (size_t)from->n_forms),
                                .n_items = from->n_forms};
    for (int k = 0; k < from->n_forms; k++) {
        const double count = from->forms[k].count;
        out->items[k] =
            (struct probe_item){look_up(c, from->forms[k].form), (int)fmin(count, COUNT_MAX)};
        if (count != floor(count)) {
            return false;
        }
    }
    return true;
}

static const char *write_block(const struct block *b, struct arena *a)
{
    struct text t = {.arena = a};
    char number[TEXT_NUMBER_SIZE];

    for (int k = 0; k < b->n_forms; k++) {
        text_add(&t, "%s%s %s", k ? "; " : "", text_number(b->forms[k].count, number),
                 b->forms[k].form);
    }
    return t.data;
}

static void report(struct job *j, const struct block *from, const struct probe_result *r,
                   struct arena *a)
{
    const char *block = write_block(from, a);

    if (r->failed) {
        fprintf(stderr, "gambrel: warning: %s:%u: %s: %s\n", from->loc.file, from->loc.line, block,
                r->failed);
        j->n_failed++;
        return;
    }
    text_add(&j->out, "%.5g,%.3g,%d,\"%s\"\n", r->cycles, r->spread, r->n, block);
    j->n_measured++;
}

static bool measure_batch(struct job *j, const struct block *blocks, int n, struct arena *a,
                          struct err *e)
{
    struct probe_block *wanted = arena_new(a, struct probe_block, (size_t)n);
    struct probe_result *results = arena_new(a, struct probe_result, (size_t)n);
    struct probe_result *read = arena_new(a, struct probe_result, (size_t)n);
    int *which = arena_new(a, int, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        if (take_block(&j->forms, &blocks[k], a, &wanted[m])) {
            which[m++] = k;
        } else {
            results[k].failed = "only whole counts can be measured";
        }
    }
    if (!probe_measure_stable(j->probe, wanted, m, read, a, e)) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        results[which[i]] = read[i];
    }
    for (int k = 0; k < n; k++) {
        report(j, &blocks[k], &results[k], a);
    }
    return true;
}

static bool measure_file(struct job *j, struct block_reader *r, struct err *e)
{
    struct block blocks[BATCH];
    bool more = true;

    while (more && !e->code) {
        struct arena *a = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
        int n = 0;
        while (n < BATCH && (more = blocks_next(r, a, &blocks[n], e))) {
            n++;
        }
        if (!e->code && n > 0) {
            measure_batch(j, blocks, n, a, e);
        }
        arena_release(a);
    }
    return !e->code;
}

int measure_blocks(struct cli *c, const char *path, const char *output)
{
    struct err e = {0};
    struct job j = {.forms = {.arena = c->arena, .names = {.arena = c->arena}},
                    .out = {.arena = c->arena}};
    struct block_reader *r = blocks_open(path, c->arena, &e);

    j.probe = r ? probe_open(&probe_defaults, c->arena, &e) : NULL;
    j.forms.decoder = j.probe ? decoder_open(ARCH_X86_64, &e) : NULL;
    text_add(&j.out, "cycles,spread,samples,block\n");
    const bool good = j.forms.decoder && measure_file(&j, r, &e);
    decoder_close(j.forms.decoder);
    if (!good) {
        return cli_fail(&e);
    }
    if (j.n_failed > 0) {
        fprintf(stderr, "gambrel: %d blocks measured, %d left out\n", j.n_measured, j.n_failed);
    }
    return cli_write(output ? output : "-", (struct bytes){j.out.data, j.out.len});
}
