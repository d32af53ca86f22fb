/* lp.h - small linear programs, solved and certified: the one door to GLPK.
 *
 *     minimise c . x   subject to   row_low <= A x <= row_high,   col_low <= x <= col_high
 *
 * An answer is given only with its certificate: primal feasible, dual feasible, equal objectives,
 * each within LP_TOLERANCE relative to the scale of the row.  Anything else is ERR_MODEL.  Solves on
 * one thread at a time (GLPK's environment is global).
 */
#ifndef GAMBREL_MODEL_LP_H
#define GAMBREL_MODEL_LP_H

#include <stdbool.h>

#include "base/err.h"

#define LP_TOLERANCE 1e-9

struct lp;

struct lp *lp_create(int n_rows, int n_columns); /* objective 0, rows free, columns >= 0 */
void lp_release(struct lp *p);                   /* NULL is fine */

void lp_objective(struct lp *p, int column, double cost);
void lp_row_bounds(struct lp *p, int row, double low, double high); /* +-INFINITY: none */
void lp_column_bounds(struct lp *p, int column, double low, double high);
void lp_coefficient(struct lp *p, int row, int column, double value); /* each pair at most once */

struct lp_solution {
    double objective;
    double *x;      /* [n_columns], owned by the lp */
    double *prices; /* [n_rows]: change of the objective per unit of the row's active bound */
};

/* ERR_MODEL: infeasible, unbounded, numerically unsafe, or the certificate fails (which part, by how
 * much).  ERR_RANGE: NaN in the data, low > high. */
bool lp_solve(struct lp *p, struct lp_solution *out, struct err *e);

#endif
