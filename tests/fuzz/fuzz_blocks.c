/* Any bytes are rows of blocks until the end or an error with a place; blocks keep what they are
 * when others have been read, and a number is that of one form. */
#include "formats/blocks.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

enum { BLOCKS_MAX = 8192, FORMS_MAX = 8192 };

/* The bytes are either given in place of the forms, or beside them. */
static void check_block(const struct block *b, const char **form_of)
{
    fuzz_demand((b->n_forms > 0 || b->code) && b->weight > 0);
    fuzz_demand(isnan(b->cycles) || b->cycles > 0);
    for (int i = 0; i < b->n_forms; i++) {
        const size_t number = b->form_numbers[i];
        const char *form = b->forms[i].form;
        fuzz_demand(b->forms[i].count > 0 && form[0] != '\0' && number < FORMS_MAX);
        fuzz_demand(!form_of[number] || strcmp(form_of[number], form) == 0);
        form_of[number] = form;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_BYTES];
    const int fd = fuzz_file(data, size, path);
    if (fd < 0) {
        return 0;
    }
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct block *blocks = arena_new(a, struct block, BLOCKS_MAX);
    const char **form_of = arena_new(a, const char *, FORMS_MAX);
    int n = 0;
    struct block_reader *r = blocks_open(path, a, &e);
    while (r && n < BLOCKS_MAX && blocks_next(r, a, &blocks[n], &e)) {
        n++;
    }
    for (int i = 0; i < n; i++) {
        check_block(&blocks[i], form_of);
    }
    fuzz_check(e.code == ERR_NONE, &e);
    blocks_close(r);
    arena_release(a);
    close(fd);
    return 0;
}
