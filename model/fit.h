/* fit.h - inference: a resource mapping from measured blocks, with how far to trust it.
 *
 * Blocks of two and more forms are dealt into ten parts by a hash of their content and the seed, so
 * that equal blocks stay together.  One part is the check: it decides nothing and gives the error
 * that is reported.  Two parts are the validation: they decide how many resources, how strong a
 * ridge, and whether linear programs refit the map; where blocks are few, parts take turns at being
 * the validation.  Forms alone are always in the fit.
 *
 *   choose   a descent per candidate on seven parts, judged on the validation; then how plain the
 *   map
 *            may be: the plainest whose error there is within one standard error of the best
 *   check    the chosen fit on nine parts: a panel, one map from it; its error on the check
 *   final    the same on all ten: the map that is given, so that no measurement is wasted
 *   doubt    fits to all blocks with random weights (the Bayesian bootstrap: Rubin, Annals of
 *            Statistics 9, 1981) from random starts: where they differ the data do not decide
 *
 * With fewer than FIT_BLOCKS_TO_SPLIT such blocks there is nothing to spare: no choice, no check,
 * and the errors are NaN.
 *
 * Deterministic for the same blocks in the same order and the same seed; one thread.
 */
#ifndef GAMBREL_MODEL_FIT_H
#define GAMBREL_MODEL_FIT_H

#include "model/fit_panel.h"
#include "model/fit_plain.h"

#define FIT_BLOCKS_TO_SPLIT 100

struct fit_options {
    uint64_t seed;
    int n_resources; /* at most so many; 0: chosen by the validation */
    int n_members;   /* fits that are compared and joined; 0: six */
    /* Called between descents; may be NULL. */
    void (*progress)(void *context, int done, int total, const char *what);
    /* Asked between descents whether time is short: then what is left is done with fewer fits, and
     * the result says so, but is no longer the same for the same data and seed.  May be NULL. */
    bool (*hurry)(void *context);
    void *context;
};

struct fit_form_doubt {
    double residual; /* mean error of the blocks fitted to that hold it, weighted by its share */
    double doubt;    /* what the data leave open: standard deviation over mean of the cycles that
                        fits to resampled data give blocks made up around it */
    bool bad;        /* no resource mapping explains its blocks: see fit.c */
};

struct fit_result {
    struct resource_map map;
    const struct fit_panel *panel; /* the fits behind it: where they differ, measure next */
    struct fit_settings settings;  /* as chosen */
    bool distilled, refitted;
    bool hurried; /* fewer fits than there would be with more time */
    /* price of complexity (fit_plain.h) over the mean error of a block; 0: none */
    double plainness;
    struct fit_complexity complexity; /* of the map */
    int n_single, n_several;          /* blocks */
    int n_validation, n_check;        /* of n_several; validation: in one turn */
    double fitted_mape;               /* of the final map on all blocks of several forms */
    double validation_mape;           /* of the chosen settings while choosing, mean of the turns */
    double check_mape, check_low, check_high; /* mean |t / measured - 1| and its 95 % interval */
    double check_rms;
    double doubt;                 /* mean over forms */
    struct fit_form_doubt *forms; /* [n_forms] */
    int n_bad;
};

/* ERR_RANGE: no blocks, or all of weight 0; n_resources or n_members out of range. */
bool fit_infer(const struct fit_data *d, const struct fit_options *o, struct arena *a,
               struct fit_result *out, struct err *e);

#endif
