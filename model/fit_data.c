#include "model/fit_data.h"

#include "code/form.h"

#include <math.h>

struct fit_data *fit_data_new(struct arena *a)
{
    struct fit_data *d = arena_new(a, struct fit_data, 1);
    d->arena = a;
    d->names = arena_new(a, struct names, 1);
    d->names->arena = a;
    return d;
}

int fit_data_form(const struct fit_data *d, const char *form)
{
    char normal[FORM_SIZE];
    if (!form_normalise(form, normal)) {
        return -1;
    }
    const int *number = names_find(d->names, d, normal);
    return number ? *number : -1;
}

static const int *new_form(struct fit_data *d, const char *normal)
{
    int *number = arena_new(d->arena, int, 1);
    *number = d->n_forms;
    d->forms =
        arena_grow(d->arena, d->forms, (size_t)d->n_forms, &d->forms_capacity, sizeof *d->forms);
    d->forms[d->n_forms++] = (struct fit_form){
        .name = arena_format(d->arena, "%s", normal),
        .alone = HUGE_VAL,
    };
    names_add(d->names, d, d->forms[*number].name, number);
    return number;
}

static bool form_number(struct fit_data *d, const char *form, struct loc loc, int *out,
                        struct err *e)
{
    char normal[FORM_SIZE];
    if (!form_normalise(form, normal)) {
        return err_set(e, ERR_SYNTAX, loc, "'%.60s' is no form of at most %d characters", form,
                       FORM_SIZE - 1);
    }
    const int *known = names_find(d->names, d, normal);
    if (!known && d->n_forms == FIT_FORMS_MAX) {
        return err_set(e, ERR_RANGE, loc, "more than %d forms", FIT_FORMS_MAX);
    }
    *out = known ? *known : *new_form(d, normal);
    return true;
}

/* Spreads the bits of x over the whole word (the finaliser of MurmurHash3, public domain). */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

/* Of the name, not the number, so that a key does not depend on the order of blocks in a file. */
static uint64_t key_of(const char *form, double count)
{
    uint64_t hash = mixed((uint64_t)llround(count * 1000));
    for (const char *c = form; *c; c++) {
        hash = mixed(hash ^ (unsigned char)*c);
    }
    return hash;
}

/* Single precision holds what lies between, and what follows from it. */
#define CYCLES_MIN 1e-6
#define CYCLES_MAX 1e12

static bool block_can_be_used(const struct fit_data *d, const struct block *b, struct err *e)
{
    if (!(b->cycles >= CYCLES_MIN && b->cycles <= CYCLES_MAX)) {
        return err_set(e, ERR_RANGE, b->loc, "a block to fit to needs its cycles, in %g to %g",
                       CYCLES_MIN, CYCLES_MAX);
    }
    if (!(b->weight >= 0) || !isfinite(b->weight)) {
        return err_set(e, ERR_RANGE, b->loc, "a weight is a number that is not negative");
    }
    if (d->n_blocks == FIT_BLOCKS_MAX) {
        return err_set(e, ERR_RANGE, b->loc, "more than %d blocks", FIT_BLOCKS_MAX);
    }
    return true;
}

/* Lists the forms with a count above zero, forms that are spelled in two ways added up. */
static bool collect_items(struct fit_data *d, const struct block *b, struct fit_block *out,
                          struct err *e)
{
    struct fit_item *items = arena_new(d->arena, struct fit_item, (size_t)b->n_forms);
    int n = 0;
    for (int i = 0; i < b->n_forms; i++) {
        int form = -1, at = 0;
        if (!form_number(d, b->forms[i].form, b->loc, &form, e)) {
            return false;
        }
        while (at < n && items[at].form != form) {
            at++;
        }
        if (b->forms[i].count > 0) {
            items[at].form = form;
            items[at].count += (float)b->forms[i].count;
            n += at == n;
        }
    }
    out->items = items;
    out->n_items = n;
    return n > 0 || err_set(e, ERR_RANGE, b->loc, "a block without instructions");
}

/* The mean of what was measured alone, else the least bound seen. */
static void learn_alone(struct fit_data *d, const struct fit_block *b)
{
    for (int i = 0; i < b->n_items; i++) {
        struct fit_form *f = &d->forms[b->items[i].form];
        const double cycles = b->cycles / (double)b->items[i].count;
        if (fit_block_single(b)) {
            const double sum = f->times_alone ? f->alone * f->times_alone : 0;
            f->alone = (sum + cycles) / ++f->times_alone;
        } else {
            f->alone = f->times_alone ? f->alone : fmin(f->alone, cycles);
            f->blocks_with++;
        }
    }
}

bool fit_data_add(struct fit_data *d, const struct block *b, struct err *e)
{
    struct fit_block block = {.cycles = b->cycles, .weight = b->weight};
    if (!block_can_be_used(d, b, e) || !collect_items(d, b, &block, e)) {
        return false;
    }
    for (int i = 0; i < block.n_items; i++) {
        block.key += key_of(d->forms[block.items[i].form].name, (double)block.items[i].count);
    }
    block.key = mixed(block.key);
    learn_alone(d, &block);
    d->blocks = arena_grow(d->arena, d->blocks, (size_t)d->n_blocks, &d->blocks_capacity,
                           sizeof *d->blocks);
    d->blocks[d->n_blocks++] = block;
    return true;
}

bool fit_data_read(struct fit_data *d, const char *path, struct err *e)
{
    struct err failed = {0};
    struct block_reader *r = blocks_open(path, d->arena, e);
    struct block b;
    if (!r) {
        return false;
    }
    const int before = d->n_blocks;
    bool fine = true;
    while (fine && blocks_next(r, d->arena, &b, &failed)) {
        fine = fit_data_add(d, &b, &failed);
    }
    blocks_close(r);
    if (failed.code == ERR_NONE && d->n_blocks == before) {
        return err_set(e, ERR_RANGE, (struct loc){.file = path}, "no blocks below the header line");
    }
    return failed.code == ERR_NONE || err_set(e, failed.code, failed.loc, "%s", failed.text);
}
