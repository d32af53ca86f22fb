#include "compare/order.h"

#include <string.h>

bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

int level_rank(const char *level)
{
    static const char *const outwards[] = {"L1", "L2", "L3", "L4", "DRAM"};
    int rank = 0;
    while (rank < 5 && !same_text(outwards[rank], level)) {
        rank++;
    }
    return rank;
}

int description_order(const struct kernel *a, const char *a_name, const struct kernel *b,
                      const char *b_name)
{
    if (a && b) {
        return (a > b) - (a < b);
    }
    return a ? -1 : b ? 1 : strcmp(a_name, b_name);
}
