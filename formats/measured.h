/* measured.h - a growing file of measured blocks, so that nothing is measured twice.
 *
 * CSV that formats/blocks.h reads, with the columns block, cycles, spread, samples, cpu.  Lines are
 * appended whole; a last line that was cut off is taken away when the file is opened again.  A
 * block is known by its text, so callers write equal blocks equally.
 */
#ifndef GAMBREL_FORMATS_MEASURED_H
#define GAMBREL_FORMATS_MEASURED_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct measured_row {
    const char *block; /* "1 add r64, imm; 2 mov r64, m64" */
    double cycles;     /* per execution; > 0 */
    double spread;     /* half the distance of the quartiles, over the cycles */
    int samples;
};

struct measured;

/* Opens the file, or begins one; NULL: nothing is kept.  Closed with the arena.  ERR_IO;
 * ERR_SCHEMA: another kind of file, or measured on another CPU; what blocks_next gives for a
 * damaged one. */
struct measured *measured_open(const char *path, const char *cpu, struct arena *a, struct err *e);

int measured_count(const struct measured *m);
const struct measured_row *measured_get(const struct measured *m, int k); /* in order of the file */
const struct measured_row *measured_find(const struct measured *m, const char *block); /* or NULL */

/* Appends to the file and to what is found.  ERR_IO: the file is as before, or one line longer and
 * cut off. */
bool measured_add(struct measured *m, const struct measured_row *row, struct err *e);

#endif
