/* meaning.h - what the resources of an inferred mapping stand for in the ports of a documented one.
 *
 * Either mapping says how long each form keeps a resource busy: the inferred one rho[i,r], the
 * documented one, for every port set Q that can be a bottleneck, rho[i,Q] = (uops of i confined to
 * Q) / |Q|, and for the front end (resources.h).  Divided by the time the form takes alone in
 * either file these are shares s, so that two files that disagree about a form's time may still
 * agree about where it is spent:
 *
 *     match(r, Q) = sum over forms of s[i,r] s[i,Q] / sum over forms of max(s[i,r], s[i,Q])^2
 *
 * over the forms that both files know: 1 for the same resource, 0 for nothing in common.  (A sum of
 * the smaller shares over that of the larger, each weighted by the larger: what a form hardly uses
 * hardly ever decides, so it is hardly known.)  Each resource gets the Q it matches best, if that
 * is MEANING_MATCH_MIN or more.
 *
 * A form blocks Q if Q alone decides its time (uops.info: Abel, Reineke, ASPLOS 2019, section
 * 5.1.1): n of them and one of another form take n / |Q| cycles and what the other adds, which is
 * what it does on Q.  Where a form that blocks Q is decided by r as well, both say that r is Q, and
 * the form is named: the experiment that would show it.
 */
#ifndef GAMBREL_MODEL_MEANING_H
#define GAMBREL_MODEL_MEANING_H

#include "base/arena.h"
#include "base/err.h"
#include "formats/machine.h"

#define MEANING_MATCH_MIN 0.6 /* below, a blur of everything looks like the front end */

struct meanings {
    int n_common;                 /* forms of the inferred file that the documented one knows */
    struct machine_meaning *list; /* in the order of the resources; those without one left out */
    int n;
};

/* ERR_MODEL: `inferred` has no resources, or `documented` no ports; ERR_SCHEMA: as cost_compile.
 * The source of each is the name of the documented file. */
bool meanings_find(const struct machine *inferred, const struct machine *documented,
                   struct arena *a, struct meanings *out, struct err *e);

#endif
