/* Any bytes are an object whose functions can be read to their last byte, or an error with a
 * file. */
#include "code/object.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void out_of_memory(void *context)
{
    longjmp(*(jmp_buf *)context, 1);
}

static void check(const struct object *o, size_t size)
{
    volatile uint8_t sum = 0;

    for (int k = 0; k < o->n; k++) {
        const struct object_function *f = &o->functions[k];
        if (f->len < 1 || f->len > size || !f->name) {
            abort();
        }
        sum = (uint8_t)(sum + f->code[0] + f->code[f->len - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jmp_buf oom;
    struct arena *a = arena_create((size_t)1 << 26, out_of_memory, &oom);
    struct object o;
    struct err e = {0};

    if (a && !setjmp(oom)) {
        if (object_read((struct bytes){(const char *)data, size}, "f", a, &o, &e)) {
            check(&o, size);
        } else if (!e.text[0] || !e.loc.file) {
            abort();
        }
    }
    arena_release(a);
    return 0;
}
