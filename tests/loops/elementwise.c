/* Element by element.  Each loop is announced to tests/bench_loops.sh by its arguments after n, and
 * how many elements of an array one n stands for where that is not one.  T is float or double. */
#include <math.h>
#include <stddef.h>

/* loop copy: T*, T* */
void copy(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + 0;
}
/* loop fill: T*, T */
void fill(size_t n, T *restrict a, T s)
{
    for (size_t i = 0; i < n; i++)
        a[i] = s;
}
/* loop add: T*, T*, T* */
void add(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + c[i];
}
/* loop subtract: T*, T* */
void subtract(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] -= b[i];
}
/* loop multiply: T*, T*, T* */
void multiply(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] * c[i];
}
/* loop divide: T*, T*, T* */
void divide(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] / c[i];
}
/* loop reciprocal: T*, T* */
void reciprocal(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = 1 / b[i];
}
/* loop root: T*, T* */
void root(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (T)__builtin_sqrt(b[i]);
}
/* loop scale: T*, T */
void scale(size_t n, T *restrict a, T s)
{
    for (size_t i = 0; i < n; i++)
        a[i] *= s;
}
/* loop axpy: T*, T*, T */
void axpy(size_t n, T *restrict y, const T *restrict x, T s)
{
    for (size_t i = 0; i < n; i++)
        y[i] += s * x[i];
}
/* loop axpy_may_alias: T*, T*, T */
void axpy_may_alias(size_t n, T *y, const T *x, T s)
{
    for (size_t i = 0; i < n; i++)
        y[i] += s * x[i];
}
/* loop triad: T*, T*, T*, T */
void triad(size_t n, T *restrict a, const T *restrict b, const T *restrict c, T s)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
/* loop axpby: T*, T*, T, T */
void axpby(size_t n, T *restrict y, const T *restrict x, T s, T t)
{
    for (size_t i = 0; i < n; i++)
        y[i] = s * x[i] + t * y[i];
}
/* loop negate: T*, T* */
void negate(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = -b[i];
}
/* loop absolute: T*, T* */
void absolute(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] < 0 ? -b[i] : b[i];
}
/* loop cube: T*, T* */
void cube(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] * b[i] * b[i];
}
/* loop polynomial: T*, T* */
void polynomial(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) {
        const T x = b[i];
        a[i] =
            ((((((T)0.1 * x + (T)0.2) * x + (T)0.3) * x + (T)0.4) * x + (T)0.5) * x + (T)0.6) * x +
            (T)0.7;
    }
}
/* loop rational: T*, T* */
void rational(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (b[i] * b[i] + 1) / (b[i] + 2);
}
/* loop fused3: T*, T*, T*, T* */
void fused3(size_t n, T *restrict d, const T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] * b[i] + c[i];
}
/* loop sum4: T*, T*, T*, T*, T* */
void sum4(size_t n, T *restrict e, const T *restrict a, const T *restrict b, const T *restrict c,
          const T *restrict d)
{
    for (size_t i = 0; i < n; i++)
        e[i] = (a[i] + b[i]) + (c[i] + d[i]);
}
/* loop two_stores: T*, T*, T*, T */
void two_stores(size_t n, T *restrict a, T *restrict b, const T *restrict c, T s)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = c[i] + s;
        b[i] = c[i] * s;
    }
}
/* loop interpolate: T*, T*, T*, T */
void interpolate(size_t n, T *restrict a, const T *restrict b, const T *restrict c, T s)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * (c[i] - b[i]);
}
/* loop length: T*, T*, T* */
void length(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (T)__builtin_sqrt(b[i] * b[i] + c[i] * c[i]);
}
/* loop swap: T*, T* */
void swap(size_t n, T *restrict a, T *restrict b)
{
    for (size_t i = 0; i < n; i++) {
        const T x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}
