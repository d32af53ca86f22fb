/* merge.h - what two measurements of one thing say together.
 *
 * Pure.  A kernel is visited twice and becomes one case with the samples of both; a roof is
 * measured before and after the kernels and stays two cases.  Medians that differ by more than
 * MERGE_DIFFER, though nothing in the machine moved, mean that something outside of it did.
 */
#ifndef GAMBREL_MEASURE_MERGE_H
#define GAMBREL_MEASURE_MERGE_H

#include "base/arena.h"
#include "formats/run.h"

#define MERGE_DIFFER 0.02 /* of the smaller median */

/* Appends the samples of `second`, made with as many iterations a pass; adds up the noise.
 * Disturbed if either was, or if their medians differ. */
void merge_visits(struct run_case *first, const struct run_case *second, struct arena *a);

/* Marks both rounds of every roof whose two rounds differ. */
void merge_rounds(struct run_case *cases, int n, struct arena *a);

/* Marks cases whose cores were shared (pulse.h), which those that began a run may not have
 * known. */
void merge_shared(struct run_case *cases, int n, double quietest, struct arena *a);

#endif
