#include "measure/reference.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Inputs repeat every PERIOD elements.  It is prime, so every lane of every vector sees every
 * value. BLOCK elements are filled or compared at a time. */
enum { PERIOD = 61, BLOCK = 16 * PERIOD, DEGREE = 32, TAPS = 7 };

enum element { FLOAT32, FLOAT64, INT32 };

static enum element element_of(const struct loop *l)
{
    const bool integer = l->data == DATA_READ_INT || l->data == DATA_XOR;
    return integer ? INT32 : l->element_bytes == 8 ? FLOAT64 : FLOAT32;
}

/* Sets element i of an array of bytes. */
static void element_put(enum element kind, double value, void *at, uint64_t i)
{
    const float f32 = (float)value;
    const int32_t i32 = kind == INT32 ? (int32_t)value : 0;
    char *const bytes = at;
    switch (kind) {
    case FLOAT32:
        memcpy(bytes + i * sizeof f32, &f32, sizeof f32);
        break;
    case FLOAT64:
        memcpy(bytes + i * sizeof value, &value, sizeof value);
        break;
    case INT32:
        memcpy(bytes + i * sizeof i32, &i32, sizeof i32);
        break;
    }
}

static double element_get(enum element kind, const void *at, uint64_t i)
{
    const char *const bytes = at;
    float f32 = 0;
    double f64 = 0;
    int32_t i32 = 0;
    switch (kind) {
    case FLOAT32:
        memcpy(&f32, bytes + i * sizeof f32, sizeof f32);
        return (double)f32;
    case FLOAT64:
        memcpy(&f64, bytes + i * sizeof f64, sizeof f64);
        return f64;
    case INT32:
        memcpy(&i32, bytes + i * sizeof i32, sizeof i32);
        return i32;
    }
    return (double)NAN;
}

static uint64_t elements_of(const struct loop_state *s)
{
    return s->loop->n_arrays > 0 ? s->args.bytes / (uint64_t)s->loop->element_bytes : 0;
}

/* Elements of each slice seen since the arrays were filled, every walk counted. */
static uint64_t visited_of(const struct loop_state *s)
{
    return s->iters * (s->loop->bytes_per_iter / (uint64_t)s->loop->element_bytes);
}

static int lanes_of(const struct loop *l)
{
    return isa_info[l->isa].vector_bytes / l->element_bytes;
}

/* Constants. */

/* A power of two between 1/8 and 1, of either sign: products keep the number of bits their other
 * factor has. */
static double scale_of(unsigned seed)
{
    return ldexp(seed & 1 ? -1 : 1, -(int)(seed / 2 % 4));
}

static double fill_of(unsigned seed)
{
    return 1 + seed % 1021;
}

static double factor_of(unsigned seed)
{
    return 2 + seed % 13;
} /* of triad */

static double addend_of(unsigned seed)
{
    return 1 + seed % 3;
} /* x of the chains, which is constant */

static double tap_of(unsigned seed, int k)
{
    return 1 + (seed + 5 * (unsigned)k) % 11;
}

/* Coefficient of x to the power k: multiples of 1/32 around 1, so that no p(x) is a small
 * difference of large terms. */
static double coefficient_of(unsigned seed, int k)
{
    return (16 + (seed + 7 * (unsigned)k) % 33) / 32.0;
}

static void coef_fill(enum element kind, double value, unsigned char *coef, size_t at)
{
    for (int i = 0; i < 64 / (kind == FLOAT64 ? 8 : 4); i++) {
        element_put(kind, value, coef + 64 * at, (uint64_t)i);
    }
}

/* Constant k of a loop fills the 64 bytes at 64 * k; the coefficients of the polynomials are single
 * floats from the highest power to the lowest. */
static void coefs_fill(struct loop_state *s)
{
    const enum element kind = element_of(s->loop);
    switch (s->loop->data) {
    case DATA_MUL:
    case DATA_UPDATE:
        coef_fill(kind, -1, s->coef, 0);
        break;
    case DATA_TRIAD:
        coef_fill(kind, factor_of(s->seed), s->coef, 0);
        break;
    case DATA_FILL:
        coef_fill(kind, fill_of(s->seed), s->coef, 0);
        break;
    case DATA_WRITE_UPDATE:
        coef_fill(kind, fill_of(s->seed), s->coef, 0);
        coef_fill(kind, -1, s->coef, 1);
        break;
    case DATA_STENCIL:
        for (int k = 0; k < TAPS; k++) {
            coef_fill(kind, tap_of(s->seed, k), s->coef, (size_t)k);
        }
        break;
    case DATA_POLY:
        for (int k = 0; k <= DEGREE; k++) {
            element_put(kind, coefficient_of(s->seed, DEGREE - k), s->coef, (uint64_t)k);
        }
        break;
    default:
        coef_fill(kind, scale_of(s->seed), s->coef, 0);
        coef_fill(kind, addend_of(s->seed), s->coef, 1);
    }
}

/* What an element holds. */

/* Before the loop runs.  The values of the arrays of one loop differ. */
static double input(enum loop_data data, int array, uint64_t i)
{
    const int k = (int)((i * (uint64_t)(1 + 16 * array) + 7 * (uint64_t)array) % PERIOD);
    if (data == DATA_POLY) {
        return (k - 30) / 32.0;
    }
    if (data == DATA_SAXPY && array == 0) {
        return k % 7 - 3; /* added up over many visits */
    }
    return k - 28; /* of mean 2, so that sums are not zero */
}

static bool is_written(const struct loop *l, int array)
{
    switch (l->data) {
    case DATA_COPY:
        return array > 0;
    case DATA_TRIAD:
    case DATA_SUM3:
    case DATA_STENCIL:
        return array == l->n_arrays - 1;
    case DATA_FILL:
        return true;
    case DATA_WRITE_UPDATE:
        return array == 0;
    default:
        return false;
    }
}

static bool is_updated(const struct loop *l, int array)
{
    switch (l->data) {
    case DATA_UPDATE:
        return true;
    case DATA_SAXPY:
    case DATA_XOR:
    case DATA_WRITE_UPDATE:
        return array == 1;
    default:
        return false;
    }
}

static double initial(const struct loop_state *s, int array, uint64_t i)
{
    return is_written(s->loop, array) ? -5000 - (double)((s->seed + i) % PERIOD)
                                      : input(s->loop->data, array, i);
}

static double stencil(unsigned seed, uint64_t i, uint64_t n)
{
    double sum = 0;
    for (int k = 0; k < TAPS; k++) {
        sum += tap_of(seed, k) * input(DATA_STENCIL, 0, (i + n + (uint64_t)k - 3) % n);
    }
    return sum;
}

/* Element i of an output array of n elements after the loop has come by `visits` times. */
static double output(const struct loop_state *s, int array, uint64_t i, uint64_t n, uint64_t visits)
{
    const enum loop_data data = s->loop->data;
    const double y = initial(s, array, i);
    if (visits == 0) {
        return y;
    }
    switch (data) {
    case DATA_COPY:
        return input(data, 0, i);
    case DATA_TRIAD:
        return input(data, 0, i) + factor_of(s->seed) * input(data, 1, i);
    case DATA_SUM3:
        return input(data, 0, i) + input(data, 1, i) + input(data, 2, i);
    case DATA_FILL:
        return fill_of(s->seed);
    case DATA_UPDATE:
        return visits % 2 ? -y : y;
    case DATA_WRITE_UPDATE:
        return array == 0 ? fill_of(s->seed) : visits % 2 ? -y : y;
    case DATA_XOR:
        return visits % 2 ? (int)y ^ (int)input(data, 0, i) : y;
    case DATA_SAXPY:
        return y + (double)visits * scale_of(s->seed) * input(data, 0, i);
    case DATA_STENCIL:
        return stencil(s->seed, i, n);
    default:
        return (double)NAN;
    }
}

static double polynomial(unsigned seed, double x)
{
    double p = 0;
    for (int k = DEGREE; k >= 0; k--) {
        p = p * x + coefficient_of(seed, k);
    }
    return p;
}

/* Filling. */

static void array_fill(const struct loop_state *s, int array)
{
    const enum element kind = element_of(s->loop);
    const uint64_t n = elements_of(s), bytes = (uint64_t)s->loop->element_bytes;
    char *const slice = s->args.array[array];
    double block[BLOCK]; /* large enough for every element */
    for (uint64_t i = 0; i < BLOCK; i++) {
        element_put(kind, initial(s, array, i), block, i);
    }
    for (uint64_t i = 0; i < n; i += BLOCK) {
        memcpy(slice + i * bytes, block, (n - i < BLOCK ? n - i : BLOCK) * bytes);
    }
    for (uint64_t i = 0; i < LOOP_PAD / bytes; i++) {
        element_put(kind, initial(s, array, i % n), slice + n * bytes, i);
        element_put(kind, initial(s, array, n - 1 - i % n), slice - bytes * (i + 1), 0);
    }
}

static bool sums_into_acc(const struct loop *l)
{
    return l->n_acc > 0 && l->data != DATA_MUL;
}

static void acc_fill(struct loop_state *s)
{
    memset(s->acc, 0, sizeof s->acc);
    if (s->loop->data == DATA_MUL) {
        for (int i = 0; i < s->loop->n_acc * lanes_of(s->loop); i++) {
            element_put(element_of(s->loop), i + 1, s->acc, (uint64_t)i);
        }
    }
}

static double acc_sum(const struct loop_state *s)
{
    const enum element kind = element_of(s->loop);
    double sum = 0;
    for (int i = 0; i < s->loop->n_acc * lanes_of(s->loop); i++) {
        sum += element_get(kind, s->acc, (uint64_t)i);
    }
    return sum;
}

static void fill(struct loop_state *s)
{
    for (int j = 0; j < s->loop->n_arrays; j++) {
        array_fill(s, j);
    }
    acc_fill(s);
    s->args.offset = 0;
    s->iters = 0;
    s->drained = 0;
}

void loop_state_init(struct loop_state *s, const struct loop *l, char *const slices[],
                     uint64_t bytes, unsigned seed)
{
    assert(l->n_arrays == 0 || (bytes > 0 && bytes % l->bytes_per_iter == 0));
    memset(s, 0, sizeof *s);
    s->loop = l;
    s->seed = seed;
    s->args.bytes = bytes;
    s->args.coef = s->coef;
    s->args.acc = s->acc;
    for (int j = 0; j < l->n_arrays; j++) {
        s->args.array[j] = slices[j];
    }
    coefs_fill(s);
    fill(s);
}

/* Running. */

uint64_t loop_iters_max(const struct loop *l, uint64_t bytes)
{
    /* y grows by at most 3 * a in a visit, from at most 32, and is a multiple of a >= 1/8: exact
     * while below 2^24 * a. */
    const uint64_t visits_max = ((1u << 24) - 8 * 32) / 3;
    return l->data == DATA_SAXPY ? visits_max * (bytes / l->bytes_per_iter) : UINT64_MAX;
}

void loop_state_prepare(struct loop_state *s, uint64_t n_iter)
{
    const uint64_t iters_max = loop_iters_max(s->loop, s->args.bytes);
    assert(n_iter <= iters_max);
    if (s->iters > iters_max - n_iter) {
        struct loop_check done;
        loop_state_check(s, &done);
        s->before = done;
        fill(s);
    }
}

void loop_state_run(struct loop_state *s, uint64_t n_iter)
{
    const bool sums = sums_into_acc(s->loop);
    s->iters += n_iter;
    while (n_iter > 0) {
        const uint64_t most = s->loop->iters_per_call_max;
        s->args.n_iter = n_iter < most ? n_iter : most;
        n_iter -= s->args.n_iter;
        s->loop->run(&s->args);
        if (sums) {
            s->drained += acc_sum(s);
            acc_fill(s);
        }
    }
}

/* Checking. */

/* Compares elements [begin, end) of an output with the formula. */
static void span_check(const struct loop_state *s, int array, uint64_t begin, uint64_t end,
                       uint64_t visits, struct loop_check *out)
{
    const enum element kind = element_of(s->loop);
    const uint64_t n = elements_of(s), bytes = (uint64_t)s->loop->element_bytes;
    const char *const slice = s->args.array[array];
    double table[BLOCK +
                 PERIOD]; /* what an endless array would hold; large enough for every element */
    double block_sum = 0;
    for (uint64_t i = 0; i < BLOCK + PERIOD; i++) {
        element_put(kind, output(s, array, i, PERIOD, visits), table, i);
        block_sum += i < BLOCK ? element_get(kind, table, i) : 0;
    }
    for (uint64_t at = begin, stop; at < end; at = stop) {
        stop = end - at < BLOCK ? end : at + BLOCK;
        const char *const expected = (const char *)table + at % PERIOD * bytes;
        if (stop - at == BLOCK && memcmp(slice + at * bytes, expected, BLOCK * bytes) == 0) {
            out->checksum += block_sum;
            out->reference += block_sum;
            continue;
        }
        for (uint64_t i = at; i < stop; i++) {
            const double got = element_get(kind, slice, i), want = output(s, array, i, n, visits);
            out->checksum += got;
            out->reference += want;
            out->wrong_elements += !(got == want);
        }
    }
}

/* How many of the first n indices are k modulo PERIOD. */
static uint64_t count_of(uint64_t n, uint64_t k)
{
    return n / PERIOD + (k < n % PERIOD);
}

/* x, or p(x), summed over all elements seen on walks over a slice. */
static double visited_sum(const struct loop_state *s, int array)
{
    const uint64_t n = elements_of(s), visited = visited_of(s);
    assert(n > 0);
    double sum = 0;
    for (uint64_t k = 0; k < PERIOD; k++) {
        const uint64_t times = visited / n * count_of(n, k) + count_of(visited % n, k);
        const double x = input(s->loop->data, array, k);
        sum += (double)times * (s->loop->data == DATA_POLY ? polynomial(s->seed, x) : x);
    }
    return sum;
}

/* What the accumulators must have summed up.  Every element loaded goes into several of them. */
static double acc_reference(const struct loop_state *s)
{
    const struct loop *const l = s->loop;
    const double scale = scale_of(s->seed);
    const double flops_per_element =
        l->n_arrays ? l->flops_per_iter * l->element_bytes / (double)l->bytes_per_iter : 0;
    switch (l->data) {
    case DATA_FMA:
        return flops_per_element / 2 * scale * visited_sum(s, 0);
    case DATA_ADD:
        return flops_per_element * visited_sum(s, 0);
    case DATA_FMA_ADD:
        return flops_per_element / 3 * (1 + scale) * visited_sum(s, 0);
    case DATA_POLY:
        return visited_sum(s, 0);
    case DATA_CHAIN:
        return (double)s->iters * l->flops_per_iter / 2 * scale * addend_of(s->seed);
    case DATA_MUL: { /* an odd number of sign changes per iteration; acc began as 1, 2, 3 ... */
        const double n = l->n_acc * lanes_of(l);
        return (s->iters % 2 ? -1 : 1) * n * (n + 1) / 2;
    }
    case DATA_READ:
    case DATA_READ_INT: {
        double sum = 0;
        for (int j = 0; j < l->n_arrays; j++) {
            sum += visited_sum(s, j);
        }
        return sum;
    }
    default:
        return (double)NAN;
    }
}

static bool is_right(const struct loop_check *c)
{
    return c->wrong_elements == 0 &&
           fabs(c->checksum - c->reference) <= c->tolerance * fabs(c->reference);
}

bool loop_state_check(const struct loop_state *s, struct loop_check *out)
{
    const struct loop *const l = s->loop;
    const uint64_t n = elements_of(s);
    *out = s->before;
    out->tolerance = l->data == DATA_POLY ? 1e-4 : 0;
    if (l->n_acc > 0) {
        out->checksum += sums_into_acc(l) ? s->drained : acc_sum(s);
        out->reference += acc_reference(s);
    }
    for (int j = 0; j < l->n_arrays; j++) {
        if (is_written(l, j) || is_updated(l, j)) {
            const uint64_t walks = visited_of(s) / n, rest = visited_of(s) % n;
            span_check(s, j, 0, rest, walks + 1, out);
            span_check(s, j, rest, n, walks, out);
        }
    }
    return is_right(out);
}
