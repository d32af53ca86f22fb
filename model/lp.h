/* lp.h - small linear programs, solved and certified: the one door to GLPK.
 *
 *     minimise c . x   subject to   row_low <= A x <= row_high,   col_low <= x <= col_high
 *
 * An answer is given only with a certificate that GLPK has no part in, computed from A, b, c, x and
 * the row duals y alone: primal feasible, dual feasible, equal objectives, each within LP_TOLERANCE
 * relative to the largest terms that were added.  Weak duality then makes both optimal.  If the
 * simplex method's answer fails, exact rational arithmetic (glp_exact) starts from its basis; if
 * that fails too, there is no answer.
 *
 * Solves on one thread at a time (GLPK's environment is global) and gives up after
 * LP_SECONDS_MAX.  Every function takes NULL for an lp: that is what lp_create gives when the
 * system has no memory, and lp_solve then says so.
 */
#ifndef GAMBREL_MODEL_LP_H
#define GAMBREL_MODEL_LP_H

#include "base/err.h"

#include <stdbool.h>

#define LP_TOLERANCE   1e-9
#define LP_SECONDS_MAX 60

struct lp;

struct lp *lp_create(int n_rows, int n_columns); /* objective 0, rows free, columns >= 0 */
void lp_release(struct lp *p);                   /* NULL is fine */

/* Rows and columns count from 0. */
void lp_objective(struct lp *p, int column, double cost);
void lp_row_bounds(struct lp *p, int row, double low, double high); /* +-HUGE_VAL: none */
void lp_column_bounds(struct lp *p, int column, double low, double high);
void lp_coefficient(struct lp *p, int row, int column, double value); /* each pair at most once */

struct lp_solution {
    double objective;
    const double *x;      /* [n_columns], owned by the lp */
    const double *prices; /* [n_rows]: change of the objective per unit of the row's active bound */
};

/* ERR_MODEL: infeasible, unbounded, numerically unsafe, or the certificate fails (which part, by
 * how much).  ERR_RANGE: NaN or an infinite coefficient in the data, low > high, a pair given
 * twice. ERR_HOST: no memory. */
bool lp_solve(struct lp *p, struct lp_solution *out, struct err *e);

#endif
