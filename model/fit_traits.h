/* fit_traits.h - what forms have in common, read from their text and their time alone.
 *
 * Where blocks are few, most of what is known of a form is known of forms like it.  Each form has a
 * list of traits: being itself, its mnemonic and parts of it, its operands and their kinds, whether
 * it loads or stores, its time alone; a fit gives weights to traits and a form is the sum of its
 * own.  A trait that is strong moves what all its forms share; one that is weak is for exceptions.
 */
#ifndef GAMBREL_MODEL_FIT_TRAITS_H
#define GAMBREL_MODEL_FIT_TRAITS_H

#include "model/fit_data.h"

#define FIT_TRAITS_OF_FORM_MAX 24

struct fit_trait {
    int number;
    float strength;
};

struct fit_traits {
    int n_traits;                                        /* in all */
    struct fit_trait (*of_form)[FIT_TRAITS_OF_FORM_MAX]; /* [n_forms] */
    int *n_of_form;                                      /* [n_forms] */
};

struct fit_traits *fit_traits_find(const struct fit_data *d, struct arena *a);

#endif
