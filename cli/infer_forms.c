#include "cli/infer_forms.h"

#include "base/items.h"
#include "base/names.h"
#include "cli/cli.h"
#include "code/basic.h"
#include "code/form_list.h"
#include "code/object.h"
#include "compare/csv.h"

#include <stdlib.h>
#include <string.h>

#define FROM_FORMS_MAX 20000 /* forms of all files together: programs have some thousand */

struct weighed {
    const char *form;
    double weight;
    int order; /* of appearance, where weights are equal */
};

struct collection {
    struct arena *arena;
    struct decoder *decoder;
    struct names names;
    struct weighed **forms; /* [n] */
    int n;
    size_t capacity;
};

static bool count(struct collection *c, const char *form, double weight, struct loc loc,
                  struct err *e)
{
    struct weighed *known = (struct weighed *)names_find(&c->names, NULL, form);

    if (known) {
        known->weight += weight;
        return true;
    }
    if (c->n == FROM_FORMS_MAX) {
        return err_set(e, ERR_RANGE, loc, "more than %d different forms", FROM_FORMS_MAX);
    }
    struct weighed *new = arena_new(c->arena, struct weighed, 1);
    c->forms = arena_grow(c->arena, c->forms, (size_t)c->n, &c->capacity, sizeof(struct weighed *));
    *new = (struct weighed){arena_copy(c->arena, form, strlen(form)), weight, c->n};
    c->forms[c->n++] = new;
    names_add(&c->names, NULL, new->form, new);
    return true;
}

/* --- programs
 * -------------------------------------------------------------------------------------
 */

static bool count_block(struct collection *c, const struct basic_block *b, const char *path,
                        struct arena *a, struct err *e)
{
    struct insn *insns;
    struct err why = {0};
    int n;

    if (!basic_decode(c->decoder, b->code, b->len, a, &insns, &n, &why)) {
        return true; /* longer than any block that is measured */
    }
    for (int k = 0; k < n; k++) {
        if (!count(c, insns[k].form, basic_weight(b->depth), (struct loc){.file = path}, e)) {
            return false;
        }
    }
    return true;
}

static bool count_section(struct collection *c, const struct object_function *s, const char *path,
                          struct err *e)
{
    struct arena *a = arena_create((size_t)1 << 30, cli_out_of_memory, NULL);
    struct arena *block = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
    struct basic_block *blocks = NULL;
    int n = 0;

    if (!a || !block) {
        cli_out_of_memory(NULL);
    }
    bool good = basic_blocks(s->code, s->len, s->address, ARCH_X86_64, a, &blocks, &n, e);
    for (int k = 0; k < n && good; k++) {
        arena_clear(block);
        good = count_block(c, &blocks[k], path, block, e);
    }
    arena_release(block);
    arena_release(a);
    return good;
}

static bool count_program(struct collection *c, struct bytes input, const char *path,
                          struct arena *a, struct err *e)
{
    struct object object;

    if (!object_sections(input, path, a, &object, e)) {
        return false;
    }
    if (object.arch != ARCH_X86_64) {
        return err_set(e, ERR_RANGE, (struct loc){.file = path},
                       "not a program for x86-64, whose forms are measured");
    }
    bool good = true;
    for (int k = 0; k < object.n && good; k++) {
        good = count_section(c, &object.functions[k], path, e);
    }
    return good;
}

/* --- lists
 * ----------------------------------------------------------------------------------------
 */

static bool count_list(struct collection *c, struct bytes input, const char *path, struct arena *a,
                       struct err *e)
{
    const char *const *forms;
    int n = 0;
    bool good = form_list_read(input, path, a, &forms, &n, e);

    for (int k = 0; k < n && good; k++) {
        good = count(c, forms[k], 1, (struct loc){.file = path}, e);
    }
    return good;
}

static bool count_file(struct collection *c, const char *path, struct err *e)
{
    struct arena *a = arena_create((size_t)1 << 30, cli_out_of_memory, NULL);
    struct bytes input;

    if (!a) {
        cli_out_of_memory(NULL);
    }
    bool good = file_read(path, a, &input, e);
    if (good) {
        good = input.len >= 4 && memcmp(input.data, "\177ELF", 4) == 0
                   ? count_program(c, input, path, a, e)
                   : count_list(c, input, path, a, e);
    }
    arena_release(a);
    return good;
}

/* --- both together
 * --------------------------------------------------------------------------------
 */

static int heaviest_first(const void *x, const void *y)
{
    const struct weighed *a = *(struct weighed *const *)x, *b = *(struct weighed *const *)y;
    const int by_weight = (a->weight < b->weight) - (a->weight > b->weight);
    return by_weight ? by_weight : (a->order > b->order) - (a->order < b->order);
}

static void take_collected(struct collection *c, struct infer_forms *out)
{
    items_sort(c->forms, (size_t)c->n, sizeof(struct weighed *), heaviest_first);
    for (int k = 0; k < c->n; k++) {
        struct probe_form *f = &out->forms[out->n];
        struct err why = {0};
        out->weights[out->n++] = c->forms[k]->weight;
        if (!probe_form_read(c->forms[k]->form, c->decoder, f, &why)) {
            f->refused = arena_copy(c->arena, why.text, strlen(why.text));
            snprintf(f->code.text, sizeof f->code.text, "%s", c->forms[k]->form);
        }
    }
    out->n_first = out->n;
}

static bool collect(struct collection *c, const char *const *files, int n_files,
                    struct infer_forms *out, struct err *e)
{
    int n_listed;

    for (int k = 0; k < n_files; k++) {
        if (!count_file(c, files[k], e)) {
            return false;
        }
    }
    struct probe_form *listed = probe_forms_list(c->decoder, c->arena, &n_listed, e);
    if (!listed) {
        return false;
    }
    out->forms = arena_new(c->arena, struct probe_form, (size_t)(c->n + n_listed));
    out->weights = arena_new(c->arena, double, (size_t)(c->n + n_listed));
    take_collected(c, out);
    for (int k = 0; k < n_listed; k++) {
        if (!names_find(&c->names, NULL, listed[k].code.text)) {
            out->forms[out->n++] = listed[k];
        }
    }
    probe_forms_join(out->forms, out->n);
    return true;
}

bool infer_forms_find(const char *const *files, int n_files, struct infer_forms *out,
                      struct arena *a, struct err *e)
{
    struct collection *c = arena_new(a, struct collection, 1);

    *out = (struct infer_forms){0};
    c->arena = c->names.arena = a;
    c->decoder = decoder_open(ARCH_X86_64, e);
    const bool good = c->decoder && collect(c, files, n_files, out, e);
    decoder_close(c->decoder);
    return good;
}

void infer_forms_csv(const struct infer_forms *f, struct text *out)
{
    text_add(out, "form,weight,refused\n");
    for (int k = 0; k < f->n; k++) {
        csv_field(out, f->forms[k].code.text);
        csv_number(out, f->weights[k]);
        csv_field(out, f->forms[k].refused ? f->forms[k].refused : "");
        text_add(out, "\n");
    }
}
