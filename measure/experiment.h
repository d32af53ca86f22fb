/* experiment.h - which blocks to measure, so that a resource mapping can be fitted to them.
 *
 * Nothing is measured here: forms and what is known of them go in, blocks come out, the same for
 * the same random state.
 */
#ifndef GAMBREL_MEASURE_EXPERIMENT_H
#define GAMBREL_MEASURE_EXPERIMENT_H

#include "base/arena.h"
#include "base/random.h"
#include "measure/probe_code.h"

#include <stdbool.h>

/* Which of the forms that are not refused are taken: of the first n_first as many as are wanted, in
 * order; of the rest so that each kind has a share, spread evenly over the list of each kind; and
 * on top, the companions of all these.  Indices in order into chosen[n_forms]; returns how many. */
int experiment_choose(const struct probe_form *forms, int n_forms, int n_first, int wanted,
                      int *chosen, struct arena *a);

/* Whole counts in the ratio a : b, as small as possible with the ratio within EXPERIMENT_ROUNDING
 * and at most `most` together; the closest there are if none is.  a, b > 0. */
#define EXPERIMENT_ROUNDING 0.05
struct experiment_counts {
    int a, b;
};
struct experiment_counts experiment_round(double a, double b, int most);

/* Adds so many of the form, and of what it needs before each, to a block's items, which have room
 * for the form and its companions; returns how many items there are then. */
int experiment_add(struct probe_item *items, int n_items, const struct probe_form *f, int count);

/* The form and what it needs before it. */
struct probe_block experiment_alone(const struct probe_form *f, struct arena *arena);

/* PALMED's quadratic benchmark a^abar b^bbar: as many of each as it executes in the same time. */
struct probe_block experiment_pair(const struct probe_form *a, double a_cycles,
                                   const struct probe_form *b, double b_cycles,
                                   struct arena *arena);

bool experiment_mixes(const struct probe_form *a, const struct probe_form *b);

/* A block of `size` instructions (1 .. PROBE_BLOCK_MAX) of one kind and of no kind, each form as
 * likely as any other; the kind by how many forms it has. */
struct probe_block experiment_mix(const struct probe_form *const *forms, int n_forms, int size,
                                  struct random *r, struct arena *a);

/* "1 add r64, imm; 2 mov r64, m64": forms in alphabetical order, so that equal blocks are equal. */
const char *experiment_text(const struct probe_block *b, struct arena *a);

/* The other way round: forms by name.  NULL where one is not among them (*missing says which). */
struct block;
bool experiment_block(const struct block *from, const struct probe_form *forms, int n_forms,
                      struct arena *a, struct probe_block *out, const char **missing);

#endif
