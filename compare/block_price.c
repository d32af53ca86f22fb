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
    decoder_close(p->other);
    p->d = p->other = NULL;
}

static enum code_arch arch_of(const struct machine *m)
{
    return strcmp(m->isa, code_arch_names[ARCH_AARCH64]) == 0 ? ARCH_AARCH64 : ARCH_X86_64;
}

static enum code_arch other_arch(const struct machine *m)
{
    return arch_of(m) == ARCH_AARCH64 ? ARCH_X86_64 : ARCH_AARCH64;
}

static bool open_decoder(struct decoder **d, enum code_arch arch, struct err *e)
{
    if (!*d) {
        *d = decoder_open(arch, e);
    }
    return *d != NULL;
}

static bool reads_as_other(struct block_pricer *p, const uint8_t *code, size_t len)
{
    struct insn *insns;
    struct err none = {0};
    int n;
    return open_decoder(&p->other, other_arch(cost_machine(p->cost.table)), &none) &&
           basic_decode(p->other, code, len, p->scratch, &insns, &n, &none);
}

/* As it stands, but it need not be a loop: no branch is taken. */
static bool add_code(struct block_pricer *p, const struct block *b, struct err *e)
{
    const struct machine *m = cost_machine(p->cost.table);
    struct code_loop l = {.inner_first = -1, .inner_last = -1};
    struct err inner = {0};
    uint8_t *code;
    size_t len;
    if (!open_decoder(&p->d, arch_of(m), e) ||
        !code_from_hex(b->code, b->code_loc, p->scratch, &code, &len, e)) {
        return false;
    }
    if (!basic_decode(p->d, code, len, p->scratch, &l.insns, &l.n, &inner)) {
        if (reads_as_other(p, code, len)) {
            return err_set(e, ERR_RANGE, b->code_loc, "this is %s machine code, and %s is of %s",
                           code_arch_names[other_arch(m)], m->file, m->isa);
        }
        cost_add(&p->cost, cost_of_form(p->cost.table, BLOCK_NO_INSTRUCTION), 1);
        return true;
    }
    cost_add_loop(&p->cost, &l, 1);
    p->cost.taken_branches = 0;
    p->signs.n_codes++;
    p->signs.code_fits =
        p->signs.code_fits || p->cost.n_unknown == 0 || !reads_as_other(p, code, len);
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
    p->signs.n_blocks++;
    p->signs.form_known = p->signs.form_known || cost_knows_any(&p->cost);
    return ceiling_of_cost(&p->cost, out, e);
}

const char *block_signs_doubt(const struct block_signs *s, const struct machine *m, struct arena *a)
{
    if (s->n_codes > 0 && s->n_codes == s->n_blocks && !s->code_fits) {
        return arena_format(a, "all of this code is %s machine code, too, and %s is of %s",
                            code_arch_names[other_arch(m)], m->file, m->isa);
    }
    if (s->n_blocks > 0 && !s->form_known) {
        return arena_format(a, "no form of %s is in %s, which is of %s",
                            s->n_blocks == 1 ? "this block" : "these blocks", m->file, m->isa);
    }
    return "";
}
