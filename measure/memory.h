/* memory.h - the memory the arrays of one thread lie in: one region, cut into slices for each case.
 *
 * Regions are mapped once a run, because the first touch is slow, and huge pages are asked for.
 * Pages are not touched here: the thread that uses a region writes it first, so that they lie near
 * it.  Guard pages stand on both sides.
 *
 * Units: bytes.
 */
#ifndef GAMBREL_MEASURE_MEMORY_H
#define GAMBREL_MEASURE_MEMORY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct memory {
    char *base; /* aligned to 2 MiB; NULL: nothing is mapped */
    size_t bytes;
    char *mapping;
    size_t mapping_bytes;
};

/* ERR_HOST says how much was asked for. */
bool memory_map(struct memory *m, size_t bytes, struct err *e);
void memory_release(struct memory *m); /* nothing mapped is fine */

/* A part of m that is not to be released. */
struct memory memory_part(const struct memory *m, size_t offset, size_t bytes);

/* Of what is mapped and touched in these regions, the part in huge pages; NaN: the system does not
 * say. */
double memory_huge_fraction(const struct memory *regions, int n);

/* What memory_slices needs for n slices. */
size_t memory_slices_bytes(int n, size_t slice_bytes);

/* Cuts n slices: aligned to 64 bytes, with `pad` bytes (a multiple of 64, at most MEMORY_PAD_MAX)
 * of their own before and after, each at another offset in its 4 KiB page, since a load that
 * follows a store at the same page offset waits for it (4K aliasing). */
#define MEMORY_PAD_MAX 256
void memory_slices(const struct memory *m, int n, size_t slice_bytes, size_t pad, char *slices[]);

#endif
