#include "base/tally.h"
#include "tests/tap.h"

#include <stdlib.h>

static void fail_oom(void *context)
{
    (void)context;
    abort();
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 20, fail_oom, NULL);
    struct text none = {.arena = a}, some = {.arena = a}, many = {.arena = a};
    struct tally t = {.n = 0};
    static char reasons[40][8];

    tally_write(&t, &none);
    ok(none.len == 0, "nothing of nothing");
    tally_add(&t, "too slow", "a");
    tally_add(&t, "bad address", "b");
    tally_add(&t, "too slow", "c");
    tally_write(&t, &some);
    is_text(some.data, "2 too slow ('a' first), 1 bad address ('b')", "by reason");
    for (int k = 0; k < 40; k++) {
        snprintf(reasons[k], sizeof reasons[k], "r%d", k);
        tally_add(&t, reasons[k], "d");
    }
    tally_write(&t, &many);
    ok(t.n == 43 && t.n_rows == TALLY_REASONS_MAX && strstr(many.data, "11 other reasons"),
       "more reasons than there is room for");
    arena_release(a);
    return tap_done();
}
