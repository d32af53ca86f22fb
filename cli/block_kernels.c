#include "cli/block_kernels.h"

#include "base/text.h"
#include "code/form.h"
#include "measure/probe_forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX 1e6 /* of one form; blocks have room for far fewer */

bool block_kernels_open(struct block_kernels *k, struct arena *a, struct err *e)
{
    *k = (struct block_kernels){.arena = a, .names.arena = a};
    k->decoder = decoder_open(ARCH_X86_64, e);
    return k->decoder != NULL;
}

void block_kernels_close(struct block_kernels *k)
{
    decoder_close(k->decoder);
    k->decoder = NULL;
}

static const struct probe_form *look_up(struct block_kernels *k, const char *spelling)
{
    char name[FORM_SIZE];

    if (!form_normalise(spelling, name)) {
        snprintf(name, sizeof name, "%s", spelling); /* to be refused below */
    }
    const struct probe_form *known = names_find(&k->names, NULL, name);
    if (known) {
        return known;
    }
    struct probe_form *f = arena_new(k->arena, struct probe_form, 1);
    struct err why = {0};
    if (!probe_form_read(name, k->decoder, f, &why)) {
        f->refused = arena_copy(k->arena, why.text, strlen(why.text));
        snprintf(f->code.text, sizeof f->code.text, "%s", name);
    }
    names_add(&k->names, NULL, arena_copy(k->arena, name, strlen(name)), f);
    for (int i = 0; i < f->n_companions; i++) { /* which have none themselves */
        f->companions[i].form = look_up(k, f->companions[i].text);
    }
    return f;
}

bool block_kernels_take(struct block_kernels *k, const struct block *from, struct arena *a,
                        struct probe_block *out)
{
    *out = (struct probe_block){.items = arena_new(a, struct probe_item, (size_t)from->n_forms),
                                .n_items = from->n_forms};
    for (int i = 0; i < from->n_forms; i++) {
        const double count = from->forms[i].count;
        out->items[i] =
            (struct probe_item){look_up(k, from->forms[i].form), (int)fmin(count, COUNT_MAX)};
        if (count != floor(count)) {
            return false;
        }
    }
    return true;
}

const char *block_kernels_code(struct block_kernels *k, const struct block *from, struct arena *a,
                               int *copies)
{
    uint8_t code[PROBE_CODE_BYTES];
    struct probe_block block;
    struct probe_code shape;
    struct err why = {0};
    if (!k->coder) {
        k->coder = probe_coder_new(k->arena, &why);
    }
    if (!k->coder || !block_kernels_take(k, from, a, &block) ||
        !probe_code_emit(k->coder, &block, code, &shape, &why)) {
        return NULL;
    }
    *copies = shape.blocks_per_trip;
    return text_hex(code + shape.loop_start, shape.loop_end - shape.loop_start, a);
}
