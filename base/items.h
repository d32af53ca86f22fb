/* items.h - what memcpy and qsort do, for lists that may be empty and then NULL, which these two
 * forbid (C11 7.1.4).
 */
#ifndef GAMBREL_BASE_ITEMS_H
#define GAMBREL_BASE_ITEMS_H

#include <stddef.h>

/* n items of `bytes` bytes each; the lists do not overlap. */
void items_copy(void *to, const void *from, size_t n, size_t bytes);

void items_sort(void *items, size_t n, size_t bytes, int (*order)(const void *, const void *));

#endif
