#include "model/lp.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 4, COLUMNS_MAX = 4 };

struct bounds {
    double low, high;
};

/* minimise cost . x; a zero coefficient is not entered. */
struct lp_case {
    const char *name;
    int n_rows, n_columns;
    double cost[COLUMNS_MAX];
    double a[ROWS_MAX][COLUMNS_MAX];
    struct bounds row[ROWS_MAX];
    struct bounds column[COLUMNS_MAX]; /* used where free_columns is set */
    bool given_columns;                /* else columns are >= 0 */
    enum err_code code;                /* ERR_NONE: an optimum */
    const char *says;                  /* part of the message */
    double objective;
    double prices[ROWS_MAX]; /* NaN: not unique or not of interest */
};

#define NONE HUGE_VAL
#define ANY  (double)NAN

static const struct lp_case cases[] = {
    {.name = "a corner",
     .n_rows = 2,
     .n_columns = 2,
     .cost = {-3, -5},
     .a = {{1, 2}, {3, 1}},
     .row = {{-NONE, 8}, {-NONE, 9}},
     .objective = -21,
     .prices = {-2.4, -0.2}},
    {.name = "an equation and an upper bound",
     .n_rows = 1,
     .n_columns = 2,
     .cost = {1, 2},
     .a = {{1, 1}},
     .row = {{10, 10}},
     .column = {{0, 4}, {0, NONE}},
     .given_columns = true,
     .objective = 16,
     .prices = {2}},
    {.name = "a free column",
     .n_rows = 2,
     .n_columns = 1,
     .cost = {1},
     .a = {{1}, {1}},
     .row = {{-7, NONE}, {-9, NONE}},
     .column = {{-NONE, NONE}},
     .given_columns = true,
     .objective = -7,
     .prices = {1, 0}},
    {.name = "infeasible",
     .n_rows = 2,
     .n_columns = 1,
     .cost = {1},
     .a = {{1}, {1}},
     .row = {{2, NONE}, {-NONE, 1}},
     .code = ERR_MODEL,
     .says = "infeasible"},
    {.name = "unbounded",
     .n_rows = 1,
     .n_columns = 2,
     .cost = {-1, -1},
     .a = {{1, -1}},
     .row = {{-NONE, 1}},
     .code = ERR_MODEL,
     .says = "unbounded"},
    {.name = "degenerate: four rows through one corner",
     .n_rows = 4,
     .n_columns = 2,
     .cost = {-1, -1},
     .a = {{1, 0}, {0, 1}, {1, 1}, {2, 1}},
     .row = {{-NONE, 1}, {-NONE, 1}, {-NONE, 2}, {-NONE, 3}},
     .objective = -2,
     .prices = {ANY, ANY, ANY, ANY}},
    {.name = "degenerate: Beale's example, on which simplex methods cycle",
     .n_rows = 3,
     .n_columns = 4,
     .cost = {-0.75, 150, -0.02, 6},
     .a = {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}},
     .row = {{-NONE, 0}, {-NONE, 0}, {-NONE, 1}},
     .objective = -0.05,
     .prices = {ANY, ANY, ANY}},
    {.name = "badly scaled: coefficients 1e-8 to 1e8",
     .n_rows = 2,
     .n_columns = 2,
     .cost = {1, 1},
     .a = {{1e-8, 1e8}, {1e8, 1e-8}},
     .row = {{1, NONE}, {1e8, NONE}},
     .objective = 1 + (1 - 1e-8) / 1e8,
     .prices = {1e-8, 1e-8}},
    {.name = "badly scaled: bounds 1e-8 and 1e8",
     .n_rows = 2,
     .n_columns = 2,
     .cost = {1e8, 1e-8},
     .a = {{1, 0}, {0, 1}},
     .row = {{1e-8, NONE}, {1e8, NONE}},
     .objective = 2,
     .prices = {1e8, 1e-8}},
    {.name = "badly scaled and just infeasible",
     .n_rows = 2,
     .n_columns = 1,
     .cost = {1},
     .a = {{1e8}, {1e-8}},
     .row = {{-NONE, 1e8}, {1.0001e-8, NONE}},
     .code = ERR_MODEL,
     .says = "infeasible"},
    {.name = "no rows", .n_rows = 0, .n_columns = 2, .cost = {1, 0}, .objective = 0},
    {.name = "no rows, unbounded",
     .n_rows = 0,
     .n_columns = 1,
     .cost = {-1},
     .code = ERR_MODEL,
     .says = "unbounded"},
    {.name = "no columns", .n_rows = 1, .n_columns = 0, .row = {{-1, 1}}, .objective = 0},
    {.name = "no columns, infeasible",
     .n_rows = 1,
     .n_columns = 0,
     .row = {{1, 2}},
     .code = ERR_MODEL,
     .says = "infeasible"},
    {.name = "nothing at all", .objective = 0},
    {.name = "NaN coefficient",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {1},
     .a = {{ANY}},
     .row = {{1, NONE}},
     .code = ERR_RANGE,
     .says = "[0, 0]"},
    {.name = "infinite coefficient",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {1},
     .a = {{NONE}},
     .row = {{1, NONE}},
     .code = ERR_RANGE,
     .says = "[0, 0]"},
    {.name = "NaN cost",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {ANY},
     .a = {{1}},
     .row = {{1, NONE}},
     .code = ERR_RANGE,
     .says = "column 0"},
    {.name = "NaN bound",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {1},
     .a = {{1}},
     .row = {{ANY, NONE}},
     .code = ERR_RANGE,
     .says = "row 0"},
    {.name = "low above high",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {1},
     .a = {{1}},
     .row = {{2, 1}},
     .code = ERR_RANGE,
     .says = "row 0"},
    {.name = "low infinite",
     .n_rows = 1,
     .n_columns = 1,
     .cost = {1},
     .a = {{1}},
     .row = {{NONE, NONE}},
     .code = ERR_RANGE,
     .says = "row 0"},
};

static struct lp *state(const struct lp_case *c)
{
    struct lp *p = lp_create(c->n_rows, c->n_columns);
    for (int j = 0; j < c->n_columns; j++) {
        lp_objective(p, j, c->cost[j]);
        if (c->given_columns) {
            lp_column_bounds(p, j, c->column[j].low, c->column[j].high);
        }
    }
    for (int i = 0; i < c->n_rows; i++) {
        lp_row_bounds(p, i, c->row[i].low, c->row[i].high);
        for (int j = 0; j < c->n_columns; j++) {
            lp_coefficient(p, i, j, c->a[i][j]);
        }
    }
    return p;
}

static void run(const struct lp_case *c)
{
    struct lp_solution s = {0};
    struct err e = {0};
    struct lp *p = state(c);
    const bool solved = lp_solve(p, &s, &e);

    if (c->code == ERR_NONE) {
        ok(solved, "%s: solved%s%s", c->name, solved ? "" : ": ", e.text);
        is_near(s.objective, c->objective, 1e-9, c->name);
        for (int i = 0; solved && i < c->n_rows; i++) {
            if (!isnan(c->prices[i])) {
                is_near(s.prices[i], c->prices[i], 1e-9, "  its price");
            }
        }
    } else {
        ok(!solved && e.code == c->code && strstr(e.text, c->says), "%s: %s", c->name, e.text);
    }
    lp_release(p);
}

static void test_twice(void)
{
    struct lp_solution s;
    struct err e = {0};
    struct lp *p = lp_create(1, 1);
    lp_coefficient(p, 0, 0, 1);
    lp_coefficient(p, 0, 0, 2);
    ok(!lp_solve(p, &s, &e) && e.code == ERR_RANGE, "a pair given twice: %s", e.text);
    lp_release(p);
}

static void test_no_memory(void)
{
    struct lp_solution s;
    struct err e = {0};
    lp_objective(NULL, 0, 1);
    lp_row_bounds(NULL, 0, 0, 1);
    lp_column_bounds(NULL, 0, 0, 1);
    lp_coefficient(NULL, 0, 0, 1);
    ok(!lp_solve(NULL, &s, &e) && e.code == ERR_HOST, "an lp that could not be made: %s", e.text);
    lp_release(NULL);
}

static double uniform(double low, double high)
{
    return low + (high - low) * rand() / (RAND_MAX + 1.0);
}

/* Problems made around a known optimum: x and prices first, then rows and costs that make them
 * optimal by complementary slackness.  Rows and columns are scaled by 1e-4 to 1e4 each, so that
 * coefficients span 1e-8 to 1e8. */
static bool random_problem_holds(void)
{
    enum { N = 6 };
    double row_scale[N], column_scale[N], x[N], y[N], slope[N], optimum = 0;
    struct lp *p = lp_create(N, N);

    for (int k = 0; k < N; k++) {
        row_scale[k] = pow(10, uniform(-4, 4));
        column_scale[k] = pow(10, uniform(-4, 4));
        const bool basic = rand() % 2;
        x[k] = basic ? uniform(0, 10) : 0;
        slope[k] = basic ? 0 : uniform(0, 10);
        y[k] = rand() % 2 ? uniform(0, 10) : 0;
    }
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            const double a = rand() % 3 ? uniform(-5, 10) : 0;
            lp_coefficient(p, i, j, a * row_scale[i] * column_scale[j]);
            sum += a * x[j];
            slope[j] += a * y[i];
        }
        const double low = y[i] > 0 ? sum : sum - uniform(0, 3);
        lp_row_bounds(p, i, low * row_scale[i], HUGE_VAL);
    }
    for (int j = 0; j < N; j++) {
        lp_objective(p, j, slope[j] * column_scale[j]);
        optimum += slope[j] * x[j];
    }
    struct lp_solution s;
    struct err e = {0};
    const bool solved = lp_solve(p, &s, &e);
    const bool holds = solved && fabs(s.objective - optimum) <= 1e-7 * (1 + fabs(optimum));
    if (!holds) {
        printf("# optimum %.12g, got %.12g %s\n", optimum, solved ? s.objective : (double)NAN,
               e.text);
    }
    lp_release(p);
    return holds;
}

static void test_random(void)
{
    enum { PROBLEMS = 2000, SEED = 20240611 };
    int held = 0;

    srand(SEED);
    for (int i = 0; i < PROBLEMS; i++) {
        held += random_problem_holds();
    }
    ok(held == PROBLEMS, "%d of %d badly scaled problems with known optimum (seed %d)", held,
       PROBLEMS, SEED);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(&cases[i]);
    }
    test_twice();
    test_no_memory();
    test_random();
    return tap_done();
}
