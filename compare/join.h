/* join.h - a run and the descriptions of its kernels, side by side: everything a report says.
 *
 * Reads a run as the types of a file, so it cannot tell a fresh one from a recorded one.  Computes
 * once what every report format prints.  Nothing here is formatted.
 */
#ifndef GAMBREL_COMPARE_JOIN_H
#define GAMBREL_COMPARE_JOIN_H

#include "base/arena.h"
#include "compare/accuracy.h"
#include "compare/evidence.h"
#include "compare/ladder.h"
#include "compare/measured.h"
#include "compare/models.h"
#include "compare/verdict.h"
#include "formats/kernels.h"
#include "formats/machine.h"
#include "formats/run.h"

struct row { /* one kernel at one level on some threads */
    const char *name, *isa, *level, *unit;
    int threads;
    const struct kernel *kernel; /* NULL: not described, so nothing is predicted */
    struct measured measured;
    struct ceiling ceilings[MODELS_MAX]; /* by models[] */
    struct verdict verdicts[MODELS_MAX];
    struct ladder ladder;
    double over_l1;            /* measured / the same from L1; NaN for L1 rows */
    double traffic;            /* byte/s that the measured rate means, as counted; NaN */
    double traffic_with_fetch; /* with the fetch of overwritten lines; NaN */
};

struct sweep_point {
    const char *name, *isa;
    int threads;
    struct measured measured; /* array_bytes is its size */
};

struct comparison {
    const struct run *run;
    const struct kernels *kernels;
    const struct machine *machine; /* NULL */
    const struct evidence *evidence;

    struct roof *roofs; /* compute roofs first; by threads, level outwards, order of kernels.yaml */
    struct measured *roofs_measured;  /* [n_roofs] */
    struct roof_detail *roof_details; /* [n_roofs] */
    int n_roofs;
    struct row *rows; /* by kernel as in kernels.yaml, threads, level from L1 outwards */
    int n_rows;
    struct accuracy accuracy[MODELS_MAX];       /* by models[], over all rows */
    struct accuracy accuracy_quiet[MODELS_MAX]; /* over the undisturbed ones   */
    struct accuracies {                         /* over the rows from L1, and from further out */
        struct accuracy of[MODELS_MAX];
    } accuracy_l1, accuracy_l1_quiet, accuracy_beyond, accuracy_beyond_quiet;
    struct chain_point *chains; /* ascending */
    int n_chains;
    struct sweep_point *sweep; /* ascending */
    int n_sweep;

    int write_allocates; /* 1 yes, 0 no, -1 unknown */
    const char *write_allocates_why;
    struct note { /* what a reader must know, one sentence each */
        const char *text;
        bool violated; /* a bound is: to be said loudly */
    } * notes;
    int n_notes;
    int n_violated;  /* rows above some ceiling, nothing disturbed */
    int n_disturbed; /* rows whose measurement was disturbed */
};

/* `machine` may be NULL; its roofs serve where the run has none, and never instead of the run's.
 * Everything lives in `a` and points into run, kernels and machine. */
struct comparison *comparison_join(const struct run *run, const struct kernels *kernels,
                                   const struct machine *machine, struct arena *a);

/* The rung that explains a row; NULL: none. */
const struct rung *row_explanation(const struct row *row);
/* The model it belongs to; -1: none. */
int row_explained_by(const struct row *row);

/* What the explanation says of the row, and why the roofline or the ports are missing.  (That
 * nothing is known of the core is said once, in the notes.) */
void row_words(const struct comparison *c, const struct row *row, struct text *out);
/* "roofline" or "ports", whichever ceiling is lower; "both" within VERDICT_TOLERANCE; "unknown". */
const char *row_tighter(const struct row *row);

/* Whether the memory roof that a described row is held against walks as many streams of each
 * kind. */
bool row_same_mix(const struct comparison *c, const struct row *row);

/* Which rows an accuracy is taken over. */
enum rows_from { FROM_ANYWHERE, FROM_L1, FROM_BEYOND };
bool row_is_from(const struct row *row, enum rows_from from);

/* What the parts of comparison_join share. */
void comparison_note(struct comparison *c, bool violated, const char *text);
/* What a loop's promise and its code differ in: the lines as one. */
const char *differences_words(const char *lines, struct arena *a);
const char *threads_words(int threads, struct arena *a); /* "1 thread", "2 threads" */

#endif
