/* fit_panel.h - several fits of the same blocks: what they agree on, and one map that says it.
 *
 * Members differ in their random start, so where they disagree the data do not decide.  Their mean
 * predicts better than any one of them, but it is no resource mapping; one is fitted to it on
 * blocks made up for the purpose, of which there are as many as wanted, next to the measured ones.
 * (With a bootstrap of the blocks on top, the mean is worse by a sixth on scarce data: 7.5 against
 * 6.5 % on held-out blocks of Zen+, 310 forms in 800 blocks.)
 */
#ifndef GAMBREL_MODEL_FIT_PANEL_H
#define GAMBREL_MODEL_FIT_PANEL_H

#include "base/random.h"
#include "model/fit_descent.h"

#define FIT_MEMBERS_MAX 32

struct fit_panel {
    struct resource_map members[FIT_MEMBERS_MAX];
    int n_members;
};

/* Mean of the members' cycles; *spread (may be NULL): their standard deviation over the mean. */
double fit_panel_cycles(const struct fit_panel *p, const struct fit_block *b, double *spread);

/* A block like those of d (sizes and counts of one, forms drawn anew), cycles by the panel.  Its
 * first form is the one given, or any for -1. */
struct fit_block fit_panel_block(const struct fit_panel *p, const struct fit_data *d, int form,
                                 struct random *r, struct arena *a);

/* The task with n made-up blocks behind its own: what the panel knows where blocks are few. */
struct fit_task fit_panel_widen(const struct fit_panel *p, const struct fit_task *t, uint64_t seed,
                                int n, struct arena *a);

#endif
