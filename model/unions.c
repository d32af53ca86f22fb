#include "model/unions.h"

bool unions_add(struct unions *u, uint32_t set)
{
    uint32_t at = (set * UINT32_C(2654435769)) >> 16 & u->table_mask;
    while (u->table[at] != 0) {
        if (u->set[u->table[at] - 1] == set) {
            return true;
        }
        at = (at + 1) & u->table_mask;
    }
    if (u->n == u->n_max) {
        return false;
    }
    u->set[u->n++] = set;
    u->table[at] = (uint16_t)u->n;
    return true;
}

bool unions_close(struct unions *u)
{
    const int n_members = u->n;
    for (int i = 0; i < u->n; i++) { /* u->n grows meanwhile */
        for (int j = 0; j < n_members; j++) {
            const bool touches = (u->set[i] & u->set[j]) != 0;
            const bool adds = (u->set[j] & ~u->set[i]) != 0;
            if (touches && adds && !unions_add(u, u->set[i] | u->set[j])) {
                return false;
            }
        }
    }
    return true;
}
