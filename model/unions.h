/* unions.h - the connected unions of a family of port sets.
 *
 * A union is connected if its members can be added one by one so that each shares a port with those
 * before it.  The bottleneck of a port mapping is always such a union: the mass of a disconnected
 * one over its size lies between those of its parts (the mediant).
 */
#ifndef GAMBREL_MODEL_UNIONS_H
#define GAMBREL_MODEL_UNIONS_H

#include <stdbool.h>
#include <stdint.h>

struct unions {
    int n, n_max;
    uint32_t *set;       /* [n_max], filled from 0 to n */
    uint16_t *table;     /* [n_table], zero at first: hash of set to index + 1 */
    uint32_t table_mask; /* n_table - 1; n_table is a power of two and at least 2 * n_max */
};

/* Adds the port set if it is new; false if there is no room. */
bool unions_add(struct unions *u, uint32_t set);

/* Replaces the family of distinct sets in u, in order of discovery, by all its connected unions
 * (the family's members first); false if there is no room. */
bool unions_close(struct unions *u);

#endif
