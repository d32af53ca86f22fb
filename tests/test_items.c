/* Lists that may be empty: under the sanitizers NULL must not reach memcpy or qsort. */
#include "base/items.h"
#include "tests/tap.h"

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    const int from[] = {3, 1, 2};
    int to[3] = {0};
    items_copy(to, from, 3, sizeof *to);
    ok(to[0] == 3 && to[1] == 1 && to[2] == 2, "three are copied");
    items_sort(to, 3, sizeof *to, ascending);
    ok(to[0] == 1 && to[1] == 2 && to[2] == 3, "and sorted");
    items_copy(to, NULL, 0, sizeof *to);
    items_copy(NULL, NULL, 0, sizeof *to);
    items_sort(NULL, 0, sizeof *to, ascending);
    ok(to[0] == 1, "none are, from nowhere");
    return tap_done();
}
