#include "compare/block_price.h"

#include "code/basic.h"
#include "code/loop.h"

#include <string.h>

struct block_pricer block_pricer_open(struct cost_table *t, struct arena *scratch)
{
    return (struct block_pricer){.cost = cost_new(t), .scratch = scratch};
}

void block_pricer_close(struct block_pricer *p)
{
    decoder_close(p->d);
    p->d = NULL;
}

static bool open_decoder(struct block_pricer *p, struct err *e)
{
    const bool a64 = strcmp(cost_machine(p->cost.table)->isa, "aarch64") == 0;
    if (!p->d) {
        p->d = decoder_open(a64 ? ARCH_AARCH64 : ARCH_X86_64, e);
    }
    return p->d != NULL;
}

/* As it stands, but it need not be a loop: no branch is taken. */
static bool add_code(struct block_pricer *p, const struct block *b, struct err *e)
{
    struct code_loop l = {.inner_first = -1, .inner_last = -1};
    struct err inner = {0};
    uint8_t *code;
    size_t len;
    if (!open_decoder(p, e) || !code_from_hex(b->code, b->code_loc, p->scratch, &code, &len, e)) {
        return false;
    }
    if (!basic_decode(p->d, code, len, p->scratch, &l.insns, &l.n, &inner)) {
        return err_set(e, inner.code, b->code_loc, "%s", inner.text);
    }
    cost_add_loop(&p->cost, &l, 1);
    p->cost.taken_branches = 0;
    return true;
}

/* A form is looked up once, however many blocks have it. */
static const struct cost_row *row_of(struct block_pricer *p, const char *form, size_t number)
{
    while (p->n_rows <= number) {
        p->rows = arena_grow(cost_arena(p->cost.table), p->rows, p->n_rows, &p->capacity,
                             sizeof(struct cost_row *));
        p->rows[p->n_rows++] = NULL;
    }
    if (!p->rows[number]) {
        p->rows[number] = cost_of_form(p->cost.table, form);
    }
    return p->rows[number];
}

static void add_forms(struct block_pricer *p, const struct block *b)
{
    for (int i = 0; i < b->n_forms; i++) {
        const struct form_count *f = &b->forms[i];
        cost_add(&p->cost,
                 b->form_numbers ? row_of(p, f->form, b->form_numbers[i])
                                 : cost_of_form(p->cost.table, f->form),
                 f->count);
    }
}

bool block_price(struct block_pricer *p, const struct block *b, struct ceiling_bound *out,
                 struct err *e)
{
    arena_clear(p->scratch);
    cost_clear(&p->cost);
    if (!b->code) {
        add_forms(p, b);
    } else if (!add_code(p, b, e)) {
        return false;
    }
    return ceiling_of_cost(&p->cost, out, e);
}
