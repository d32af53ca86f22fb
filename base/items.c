#include "base/items.h"

#include <stdlib.h>
#include <string.h>

void items_copy(void *to, const void *from, size_t n, size_t bytes)
{
    if (n > 0) {
        memcpy(to, from, n * bytes);
    }
}

void items_sort(void *items, size_t n, size_t bytes, int (*order)(const void *, const void *))
{
    if (n > 1) {
        qsort(items, n, bytes, order);
    }
}
