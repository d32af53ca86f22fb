#include "model/fit_descent.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

/* Chosen by cross-validation on the data named in fit_traits.c; none is critical. */
#define CAP             1.02F   /* a form may take this much of its time alone on a resource */
#define BIAS            (-1.5F) /* most forms use most resources little */
#define START_SPREAD    0.7     /* standard deviation of the first weights */
#define SHARPNESS_FIRST 8.0
#define SHARPNESS_LAST  200.0
#define ROUNDED_OFF     0.02F /* |x| becomes sqrt(x^2 + this^2) */
#define RATE            0.05
#define WEIGHT_SINGLE   0.3F     /* of a form alone, against a block of several */
#define NEGLIGIBLE      (-15.0F) /* exp of it is left out of a sum with exp(0) */

/* Rows of numbers by resource are padded to whole vectors; what is in the padding is zero. */
#define LANES 8

struct descent {
    const struct fit_data *d;
    const struct fit_traits *t;
    const struct fit_settings *s;
    int n, stride; /* resources; length of a row by resource: n padded */
    float *weight; /* [n_blocks] of the error */
    double weight_sum;
    int *order, n_order, next;        /* blocks of several forms, shuffled, and where to go on */
    float *w, *mean, *square, *slope; /* [n_traits][n] weights, Adam's moments, gradient */
    float *rho, *rho_slope;           /* [n_forms][n] */
    float sharpness;
};

static float *floats(struct arena *a, int rows, int columns)
{
    return arena_new(a, float, (size_t)rows *(size_t)columns);
}

static float *row(const struct descent *g, float *table, int i)
{
    return table + (size_t)i * (size_t)g->stride;
}

static void shuffle(int *x, int n, struct random *r)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = random_below(r, i + 1), kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

static struct descent begin(const struct fit_task *task, const struct fit_settings *s,
                            struct arena *a)
{
    const struct fit_data *d = task->data;
    const struct fit_traits *t = task->traits;
    struct random random = {s->seed};
    struct descent g = {.d = d, .t = t, .s = s, .n = s->n_resources};
    g.stride = (g.n + LANES - 1) / LANES * LANES;
    g.weight = floats(a, d->n_blocks, 1);
    g.order = arena_new(a, int, (size_t)d->n_blocks);
    for (int b = 0; b < d->n_blocks; b++) {
        const bool single = fit_block_single(&d->blocks[b]);
        g.weight[b] = task->weights[b] * (float)d->blocks[b].weight * (single ? WEIGHT_SINGLE : 1);
        g.weight_sum += (double)g.weight[b];
        if (!single && g.weight[b] > 0) {
            g.order[g.n_order++] = b;
        }
    }
    g.weight_sum = g.weight_sum > 0 ? g.weight_sum : 1; /* nothing to fit to: the ridge alone */
    shuffle(g.order, g.n_order, &random);
    g.w = floats(a, t->n_traits, g.stride);
    g.mean = floats(a, t->n_traits, g.stride);
    g.square = floats(a, t->n_traits, g.stride);
    g.slope = floats(a, t->n_traits, g.stride);
    g.rho = floats(a, d->n_forms, g.stride);
    g.rho_slope = floats(a, d->n_forms, g.stride);
    for (int i = 0; i < t->n_traits * g.stride; i++) {
        g.w[i] = i % g.stride < g.n ? (float)(START_SPREAD * random_normal(&random)) : 0;
    }
    return g;
}

/* to += factor * from.  The inner loop has a fixed length, so that it becomes vector
 * instructions. */
static inline void add_times(float *restrict to, float factor, const float *restrict from,
                             int stride)
{
    for (int r = 0; r < stride; r += LANES) {
        for (int k = 0; k < LANES; k++) {
            to[r + k] += factor * from[r + k];
        }
    }
}

/* rho from the weights of the traits. */
static void set_rho(struct descent *g)
{
    for (int i = 0; i < g->d->n_forms; i++) {
        float *rho = row(g, g->rho, i);
        const float most = CAP * (float)g->d->forms[i].alone;
        for (int r = 0; r < g->n; r++) {
            rho[r] = BIAS;
        }
        for (int k = 0; k < g->t->n_of_form[i]; k++) {
            const struct fit_trait trait = g->t->of_form[i][k];
            const float *w = row(g, g->w, trait.number);
            add_times(rho, trait.strength, w, g->stride);
        }
        for (int r = 0; r < g->n; r++) {
            rho[r] = most / (1 + expf(-rho[r]));
        }
    }
}

/* Adds the gradient of one block's error with respect to rho. */
static void add_block(struct descent *g, int number, float scale)
{
    const struct fit_block *b = &g->d->blocks[number];
    const int n = g->n;
    const float per_cycle = (float)(1 / b->cycles);
    float load[FIT_RESOURCES_MAX + LANES] = {0}; /* of each resource over the measured cycles */
    float top = 0, sum = 0;

    for (int k = 0; k < b->n_items; k++) {
        const float *rho = row(g, g->rho, b->items[k].form);
        const float count = b->items[k].count * per_cycle;
        add_times(load, count, rho, g->stride);
    }
    for (int r = 0; r < n; r++) {
        top = load[r] > top ? load[r] : top;
    }
    for (int r = 0; r < n; r++) {
        const float below = g->sharpness * (load[r] - top);
        load[r] = below < NEGLIGIBLE ? 0 : expf(below);
        sum += load[r];
    }
    const float error = top + logf(sum) / g->sharpness - 1;
    const float sign = error / sqrtf(error * error + ROUNDED_OFF * ROUNDED_OFF);
    const float step = scale * g->weight[number] * sign / sum;
    for (int k = 0; k < b->n_items; k++) {
        float *slope = row(g, g->rho_slope, b->items[k].form);
        const float count = b->items[k].count * per_cycle * step;
        add_times(slope, count, load, g->stride);
    }
}

/* The gradient over a batch, scaled to all blocks. */
static void add_batch(struct descent *g)
{
    const int n = g->s->batch < g->n_order ? g->s->batch : g->n_order;
    memset(g->rho_slope, 0, sizeof(float) * (size_t)(g->d->n_forms * g->stride));
    for (int b = 0; b < g->d->n_blocks; b++) {
        if (g->weight[b] > 0 && fit_block_single(&g->d->blocks[b])) {
            add_block(g, b, 1);
        }
    }
    for (int k = 0; k < n; k++) {
        add_block(g, g->order[g->next], (float)g->n_order / (float)n);
        g->next = (g->next + 1) % g->n_order;
    }
}

/* From rho to the traits' weights, by the chain rule; with the ridge; over the sum of weights. */
static void set_slopes(struct descent *g)
{
    const float scale = (float)(1 / g->weight_sum);
    for (int i = 0; i < g->t->n_traits * g->stride; i++) {
        g->slope[i] = (float)g->s->ridge * scale * g->w[i];
    }
    for (int i = 0; i < g->d->n_forms; i++) {
        const float *rho = row(g, g->rho, i);
        float *rho_slope = row(g, g->rho_slope, i);
        const float most = CAP * (float)g->d->forms[i].alone;
        for (int r = 0; r < g->n; r++) {
            rho_slope[r] *= scale * rho[r] * (1 - rho[r] / most);
        }
        for (int k = 0; k < g->t->n_of_form[i]; k++) {
            const struct fit_trait trait = g->t->of_form[i][k];
            float *slope = row(g, g->slope, trait.number);
            add_times(slope, trait.strength, rho_slope, g->stride);
        }
    }
}

static void move_weights(struct descent *g, int step, float rate)
{
    const float keep_mean = 0.9F, keep_square = 0.99F;
    const float mean_seen = 1 - powf(keep_mean, (float)(step + 1));
    const float square_seen = 1 - powf(keep_square, (float)(step + 1));
    for (int i = 0; i < g->t->n_traits * g->stride; i++) {
        g->mean[i] += (1 - keep_mean) * (g->slope[i] - g->mean[i]);
        g->square[i] += (1 - keep_square) * (g->slope[i] * g->slope[i] - g->square[i]);
        g->w[i] -= rate * (g->mean[i] / mean_seen) / (sqrtf(g->square[i] / square_seen) + 1e-7F);
    }
}

/* Rises over the first tenth of the steps, falls over the second half. */
static double rate_at(double progress)
{
    return RATE * fmin(1, fmin(progress * 10, 2 * (1 - progress) + 0.01));
}

struct resource_map fit_descend(const struct fit_task *t, const struct fit_settings *s,
                                struct arena *a)
{
    struct descent g = begin(t, s, a);
    const int n_forms = t->data->n_forms;
    for (int step = 0; step < s->steps; step++) {
        const double progress = (double)step / s->steps;
        g.sharpness = (float)(SHARPNESS_FIRST * pow(SHARPNESS_LAST / SHARPNESS_FIRST, progress));
        set_rho(&g);
        add_batch(&g);
        set_slopes(&g);
        move_weights(&g, step, (float)rate_at(progress));
    }
    set_rho(&g);
    struct resource_map m = {.n_forms = n_forms, .n_resources = g.n};
    m.rho = arena_new(a, double, (size_t)n_forms *(size_t)g.n);
    for (int i = 0; i < n_forms * g.n; i++) {
        m.rho[i] = (double)g.rho[i / g.n * g.stride + i % g.n];
    }
    return m;
}

double fit_cycles(const struct resource_map *m, const struct fit_block *b)
{
    double cycles = 0;
    for (int r = 0; r < m->n_resources; r++) {
        double load = 0;
        for (int k = 0; k < b->n_items; k++) {
            load += (double)b->items[k].count * m->rho[b->items[k].form * m->n_resources + r];
        }
        cycles = load > cycles ? load : cycles;
    }
    return cycles;
}
