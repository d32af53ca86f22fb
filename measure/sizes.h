/* sizes.h - how long the slices of a case are, from the caches and the memory of the machine.
 *
 * Pure.  What lies in a level is well inside of it and well outside of the one before:
 *
 *     L1    half of the L1 data cache
 *     L2    half of the L2, but at least twice the L1
 *     L3    the larger of four L2 of all threads and the least of a quarter of the L3 and 64 MiB;
 *           at most half of the L3
 *     DRAM  dram_caches times the last level that the threads see, and 128 MiB for each array; the
 *           regions of all threads take at most half of the memory this process may use
 *
 * in all, over the arrays of a loop.  A cache that several threads share is divided among them.
 *
 * Units: bytes.
 */
#ifndef GAMBREL_MEASURE_SIZES_H
#define GAMBREL_MEASURE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_DRAM, LEVEL_COUNT };
extern const char *const level_names[LEVEL_COUNT];

#define SIZES_CACHES 3 /* L1 to L3 */

/* Filling arrays of 4 last levels takes most of a quick run where the last level is large. */
#define SIZES_DRAM_CACHES       4.0
#define SIZES_DRAM_CACHES_QUICK 2.0

struct sizes_machine { /* as seen by one number of threads */
    int threads;
    double bytes[SIZES_CACHES];  /* of one instance; NaN: unknown or not there */
    int sharers[SIZES_CACHES];   /* threads on one instance, >= 1 */
    int instances[SIZES_CACHES]; /* that the threads reach together, >= 1 */
    double dram_caches;          /* SIZES_DRAM_CACHES, or SIZES_DRAM_CACHES_QUICK */
    double last_level_bytes;     /* of one instance: the larger of reported and measured; NaN */
    double memory_usable_bytes;  /* NaN: unknown */
};

/* Bytes of all arrays of one thread, where the loop walks n_arrays; 0: there is no such level here,
 * or no size lies inside of it and outside of the one before.  Where no cache is known, L1 is
 * 16 KiB and DRAM 512 MiB over all threads. */
double sizes_of_thread(const struct sizes_machine *m, enum level level, int n_arrays);

/* Whether `regions` bytes, all threads together, leave half of the usable memory free. */
bool sizes_fit(const struct sizes_machine *m, double regions);

/* One slice: a positive multiple of bytes_per_iter that with the others fills at most `all`, or
 * bytes_per_iter if even that is more. */
uint64_t sizes_slice(double all, int n_arrays, uint64_t bytes_per_iter);

#endif
