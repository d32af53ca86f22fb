#include "model/lp.h"

#include <assert.h>
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

struct range {
    double low, high;
};

struct lp {
    int n_rows, n_columns;
    struct range *rows, *columns;
    double *costs;
    int n_entries, capacity;
    int *entry_row, *entry_column; /* from 1, with an unused element 0: what GLPK reads */
    double *entry;
    double *x, *prices;
    double *row_sum, *row_scale;         /* scratch of the certificate */
    double *column_slope, *column_scale; /* likewise */
    bool out_of_memory;
};

static bool lp_allocate(struct lp *p)
{
    const size_t m = (size_t)p->n_rows + 1, n = (size_t)p->n_columns + 1;

    p->rows = calloc(m, sizeof *p->rows);
    p->columns = calloc(n, sizeof *p->columns);
    p->costs = calloc(n, sizeof *p->costs);
    p->x = calloc(n, sizeof *p->x);
    p->prices = calloc(m, sizeof *p->prices);
    p->row_sum = calloc(m, sizeof *p->row_sum);
    p->row_scale = calloc(m, sizeof *p->row_scale);
    p->column_slope = calloc(n, sizeof *p->column_slope);
    p->column_scale = calloc(n, sizeof *p->column_scale);
    return p->rows && p->columns && p->costs && p->x && p->prices && p->row_sum && p->row_scale &&
           p->column_slope && p->column_scale;
}

struct lp *lp_create(int n_rows, int n_columns)
{
    assert(n_rows >= 0 && n_columns >= 0);
    struct lp *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->n_rows = n_rows;
    p->n_columns = n_columns;
    if (!lp_allocate(p)) {
        lp_release(p);
        return NULL;
    }
    for (int i = 0; i < n_rows; i++) {
        p->rows[i] = (struct range){-HUGE_VAL, HUGE_VAL};
    }
    for (int j = 0; j < n_columns; j++) {
        p->columns[j] = (struct range){0, HUGE_VAL};
    }
    return p;
}

void lp_release(struct lp *p)
{
    if (!p) {
        return;
    }
    free(p->rows);
    free(p->columns);
    free(p->costs);
    free(p->entry_row);
    free(p->entry_column);
    free(p->entry);
    free(p->x);
    free(p->prices);
    free(p->row_sum);
    free(p->row_scale);
    free(p->column_slope);
    free(p->column_scale);
    free(p);
}

void lp_objective(struct lp *p, int column, double cost)
{
    if (p) {
        assert(column >= 0 && column < p->n_columns);
        p->costs[column] = cost;
    }
}

void lp_row_bounds(struct lp *p, int row, double low, double high)
{
    if (p) {
        assert(row >= 0 && row < p->n_rows);
        p->rows[row] = (struct range){low, high};
    }
}

void lp_column_bounds(struct lp *p, int column, double low, double high)
{
    if (p) {
        assert(column >= 0 && column < p->n_columns);
        p->columns[column] = (struct range){low, high};
    }
}

/* A larger copy of an array; on failure the old one stays and the lp is marked. */
static void *grown(struct lp *p, void *array, size_t n, size_t size)
{
    void *larger = realloc(array, n * size);
    p->out_of_memory |= !larger;
    return larger ? larger : array;
}

static bool room_for_entry(struct lp *p)
{
    if (p->n_entries + 1 < p->capacity) {
        return true;
    }
    const int wanted = p->capacity ? 2 * p->capacity : 64;
    p->entry_row = grown(p, p->entry_row, (size_t)wanted, sizeof *p->entry_row);
    p->entry_column = grown(p, p->entry_column, (size_t)wanted, sizeof *p->entry_column);
    p->entry = grown(p, p->entry, (size_t)wanted, sizeof *p->entry);
    if (!p->out_of_memory) {
        p->capacity = wanted;
    }
    return !p->out_of_memory;
}

void lp_coefficient(struct lp *p, int row, int column, double value)
{
    if (!p || value == 0 || !room_for_entry(p)) {
        return;
    }
    assert(row >= 0 && row < p->n_rows && column >= 0 && column < p->n_columns);
    const int k = ++p->n_entries;
    p->entry_row[k] = row + 1;
    p->entry_column[k] = column + 1;
    p->entry[k] = value;
}

static bool range_is_sound(struct range r)
{
    return r.low <= r.high && r.low < HUGE_VAL && r.high > -HUGE_VAL; /* false for NaN */
}

/* GLPK aborts on what it was told wrongly, so everything is checked before it sees any of it. */
static bool check_data(const struct lp *p, struct err *e)
{
    for (int i = 0; i < p->n_rows; i++) {
        if (!range_is_sound(p->rows[i])) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "row %d of the linear program has bounds %g .. %g", i, p->rows[i].low,
                           p->rows[i].high);
        }
    }
    for (int j = 0; j < p->n_columns; j++) {
        if (!range_is_sound(p->columns[j]) || !isfinite(p->costs[j])) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "column %d of the linear program has bounds %g .. %g and cost %g", j,
                           p->columns[j].low, p->columns[j].high, p->costs[j]);
        }
    }
    for (int k = 1; k <= p->n_entries; k++) {
        if (!isfinite(p->entry[k])) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "coefficient [%d, %d] of the linear program is %g", p->entry_row[k] - 1,
                           p->entry_column[k] - 1, p->entry[k]);
        }
    }
    const int twice = p->n_entries == 0 ? 0
                                        : glp_check_dup(p->n_rows, p->n_columns, p->n_entries,
                                                        p->entry_row, p->entry_column);
    if (twice != 0) {
        const int k = abs(twice);
        return err_set(e, ERR_RANGE, LOC_NONE,
                       "coefficient [%d, %d] of the linear program given twice",
                       p->entry_row[k] - 1, p->entry_column[k] - 1);
    }
    return true;
}

static int bound_kind(struct range r)
{
    if (r.low == r.high) {
        return GLP_FX;
    }
    if (isfinite(r.low)) {
        return isfinite(r.high) ? GLP_DB : GLP_LO;
    }
    return isfinite(r.high) ? GLP_UP : GLP_FR;
}

static void load(glp_prob *g, const struct lp *p)
{
    if (p->n_rows > 0) { /* adding none is an error to GLPK */
        glp_add_rows(g, p->n_rows);
    }
    if (p->n_columns > 0) {
        glp_add_cols(g, p->n_columns);
    }
    for (int i = 0; i < p->n_rows; i++) {
        glp_set_row_bnds(g, i + 1, bound_kind(p->rows[i]), p->rows[i].low, p->rows[i].high);
    }
    for (int j = 0; j < p->n_columns; j++) {
        const struct range r = p->columns[j];
        glp_set_col_bnds(g, j + 1, bound_kind(r), r.low, r.high);
        glp_set_obj_coef(g, j + 1, p->costs[j]);
    }
    if (p->n_entries > 0) {
        glp_load_matrix(g, p->n_entries, p->entry_row, p->entry_column, p->entry);
    }
}

/* A value that rounding alone may leave where an exact solution has zero. */
static double rounding_floor(const double *x, int n)
{
    double largest = 0;
    for (int j = 0; j < n; j++) {
        largest = fmax(largest, fabs(x[j]));
    }
    return largest * 1e-3; /* times LP_TOLERANCE: 1e-12 of the largest value */
}

/* How far x lies outside of r, relative to the larger of the bound it passes and scale. */
static double excess(struct range r, double x, double scale)
{
    const double outside = fmax(r.low - x, x - r.high);
    const double passed = x < r.low ? r.low : r.high;
    return outside > 0 ? outside / fmax(fabs(passed), scale) : 0;
}

static double primal_error(struct lp *p)
{
    const double tiny_x = rounding_floor(p->x, p->n_columns);
    double worst = 0;

    for (int i = 0; i < p->n_rows; i++) {
        p->row_sum[i] = p->row_scale[i] = 0;
    }
    for (int k = 1; k <= p->n_entries; k++) {
        const int i = p->entry_row[k] - 1, j = p->entry_column[k] - 1;
        p->row_sum[i] += p->entry[k] * p->x[j];
        p->row_scale[i] = fmax(p->row_scale[i], fabs(p->entry[k]) * fmax(fabs(p->x[j]), tiny_x));
    }
    for (int i = 0; i < p->n_rows; i++) {
        worst = fmax(worst, excess(p->rows[i], p->row_sum[i], p->row_scale[i]));
    }
    for (int j = 0; j < p->n_columns; j++) {
        worst = fmax(worst, excess(p->columns[j], p->x[j], fmax(fabs(p->x[j]), tiny_x)));
    }
    return worst;
}

/* The bound that a multiplier of this sign leans on; infinite if there is none. */
static double leaned_on(struct range r, double multiplier)
{
    return multiplier > 0 ? r.low : r.high;
}

/* Columns' slopes c - y A with their scales.  A price on a side that is open is set to zero first:
 * it is rounding, and if it is not, the slopes show it. */
static double dual_error(struct lp *p)
{
    double worst = 0;

    for (int i = 0; i < p->n_rows; i++) {
        p->prices[i] = isfinite(leaned_on(p->rows[i], p->prices[i])) ? p->prices[i] : 0;
    }
    const double tiny_price = rounding_floor(p->prices, p->n_rows);
    for (int j = 0; j < p->n_columns; j++) {
        p->column_slope[j] = p->costs[j];
        p->column_scale[j] = fabs(p->costs[j]);
    }
    for (int k = 1; k <= p->n_entries; k++) {
        const int j = p->entry_column[k] - 1;
        const double y = p->prices[p->entry_row[k] - 1], a = p->entry[k];
        p->column_slope[j] -= y * a;
        p->column_scale[j] = fmax(p->column_scale[j], fabs(a) * fmax(fabs(y), tiny_price));
    }
    for (int j = 0; j < p->n_columns; j++) {
        if (p->column_slope[j] != 0 && !isfinite(leaned_on(p->columns[j], p->column_slope[j]))) {
            worst = fmax(worst, fabs(p->column_slope[j]) / p->column_scale[j]);
            p->column_slope[j] = 0;
        }
    }
    return worst;
}

/* Relative distance of the two objectives; needs the slopes of dual_error. */
static double gap(const struct lp *p, double *objective)
{
    double primal = 0, dual = 0, scale = 0;

    for (int j = 0; j < p->n_columns; j++) {
        primal += p->costs[j] * p->x[j];
        scale = fmax(scale, fabs(p->costs[j] * p->x[j]));
        if (p->column_slope[j] != 0) {
            const double term = p->column_slope[j] * leaned_on(p->columns[j], p->column_slope[j]);
            dual += term;
            scale = fmax(scale, fabs(term));
        }
    }
    for (int i = 0; i < p->n_rows; i++) {
        if (p->prices[i] != 0) {
            const double term = p->prices[i] * leaned_on(p->rows[i], p->prices[i]);
            dual += term;
            scale = fmax(scale, fabs(term));
        }
    }
    *objective = primal;
    const double distance = fabs(primal - dual);
    return distance > 0 ? distance / scale : 0;
}

static bool certify(struct lp *p, double *objective, struct err *e)
{
    const double primal = primal_error(p), dual = dual_error(p), apart = gap(p, objective);
    if (primal <= LP_TOLERANCE && dual <= LP_TOLERANCE && apart <= LP_TOLERANCE) {
        return true;
    }
    return err_set(
        e, ERR_MODEL, LOC_NONE,
        "the linear program's answer is not certain: primal error %.1e, dual error %.1e, "
        "objectives apart %.1e, allowed %.0e",
        primal, dual, apart, LP_TOLERANCE);
}

/* False if a value is not finite, which no certificate could judge. */
static bool fetch(glp_prob *g, struct lp *p)
{
    bool finite = true;
    for (int j = 0; j < p->n_columns; j++) {
        p->x[j] = glp_get_col_prim(g, j + 1);
        finite &= isfinite(p->x[j]) != 0;
    }
    for (int i = 0; i < p->n_rows; i++) {
        p->prices[i] = glp_get_row_dual(g, i + 1);
        finite &= isfinite(p->prices[i]) != 0;
    }
    return finite;
}

/* What GLPK says instead of an optimum. */
static bool no_optimum(int failure, int status, struct err *e)
{
    const char *why = "numerically unsafe";
    if (failure == GLP_ETMLIM || failure == GLP_EITLIM) {
        why = "not solved within its time";
    } else if (status == GLP_NOFEAS || status == GLP_INFEAS) {
        why = "infeasible";
    } else if (status == GLP_UNBND) {
        why = "unbounded";
    }
    return err_set(e, ERR_MODEL, LOC_NONE, "the linear program is %s", why);
}

static bool attempt(int method(glp_prob *, const glp_smcp *), glp_prob *g, struct lp *p,
                    double *objective, struct err *e)
{
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_OFF; /* so that duals are those of the rows as given */
    how.tol_bnd = how.tol_dj = LP_TOLERANCE;
    how.tm_lim = LP_SECONDS_MAX * 1000;

    const int failure = method(g, &how);
    const int status = glp_get_status(g);
    if (failure != 0 || status != GLP_OPT || !fetch(g, p)) {
        return no_optimum(failure, status, e);
    }
    return certify(p, objective, e);
}

static bool solve_with_glpk(glp_prob *g, struct lp *p, double *objective, struct err *e)
{
    const bool trivial = p->n_rows == 0 || p->n_columns == 0; /* which glp_exact refuses */
    struct err doubt = {0};

    load(g, p);
    glp_scale_prob(g, GLP_SF_AUTO);
    return attempt(glp_simplex, g, p, objective, trivial ? e : &doubt) ||
           (!trivial && attempt(glp_exact, g, p, objective, e));
}

static int swallow(void *unused, const char *text)
{
    (void)unused;
    (void)text;
    return 1;
}

static void leap(void *place)
{
    longjmp(*(jmp_buf *)place, 1);
}

bool lp_solve(struct lp *p, struct lp_solution *out, struct err *e)
{
    if (!p || p->out_of_memory) {
        return err_set(e, ERR_HOST, LOC_NONE, "no memory for the linear program");
    }
    if (!check_data(p, e)) {
        return false;
    }
    /* GLPK's own way to fail is to abort after this hook; leaving it by a jump leaves its
     * environment unusable but for glp_free_env. */
    jmp_buf place;
    glp_term_hook(swallow, NULL);
    glp_error_hook(leap, &place);
    if (setjmp(place) != 0) {
        glp_free_env();
        return err_set(e, ERR_MODEL, LOC_NONE, "GLPK gave up on the linear program");
    }
    double objective;
    glp_prob *g = glp_create_prob();
    const bool solved = solve_with_glpk(g, p, &objective, e);
    glp_delete_prob(g);
    glp_error_hook(NULL, NULL);
    if (solved) {
        *out = (struct lp_solution){.objective = objective, .x = p->x, .prices = p->prices};
    }
    return solved;
}
