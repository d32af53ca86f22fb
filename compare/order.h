/* order.h - the order in which a reader expects levels, kernels and roofs, and texts compared.
 */
#ifndef GAMBREL_COMPARE_ORDER_H
#define GAMBREL_COMPARE_ORDER_H

#include "formats/kernels.h"

#include <stdbool.h>

bool same_text(const char *a, const char *b); /* NULL is the same as NULL only */

/* L1, L2, L3, L4, DRAM, then what is neither. */
int level_rank(const char *level);

/* As in kernels.yaml; what is not described there comes last, by name.  < 0, 0, > 0. */
int description_order(const struct kernel *a, const char *a_name, const struct kernel *b,
                      const char *b_name);

#endif
