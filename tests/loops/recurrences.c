/* Each element from the one before.  See elementwise.c. */
#include <stddef.h>

/* loop prefix: T* */
void prefix(size_t n, T *x)
{
    T s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
        x[i] = s;
    }
}
/* loop through_memory: T* */
void through_memory(size_t n, volatile T *x)
{
    for (size_t i = 1; i <= n; i++) x[i] = x[i] + x[i - 1];
}
/* loop linear: T*, T*, T */
void linear(size_t n, T *restrict y, const T *restrict x, T s)
{
    T v = 0;
    for (size_t i = 0; i < n; i++) {
        v = s * v + x[i];
        y[i] = v;
    }
}
/* loop smooth: T*, T*, T */
void smooth(size_t n, T *restrict y, const T *restrict x, T s)
{
    T v = 0;
    for (size_t i = 0; i < n; i++) {
        v += s * (x[i] - v);
        y[i] = v;
    }
}
/* loop second_order: T*, T*, T, T */
void second_order(size_t n, T *restrict y, const T *restrict x, T s, T t)
{
    T v = 0, w = 0;
    for (size_t i = 0; i < n; i++) {
        const T u = x[i] - s * v - t * w;
        w = v;
        v = u;
        y[i] = u;
    }
}
/* loop tridiagonal: T*, T*, T*, T* */
void tridiagonal(size_t n, T *restrict x, const T *restrict a, const T *restrict b,
                 const T *restrict c)
{
    T v = 0;
    for (size_t i = 0; i < n; i++) {
        v = (b[i] - a[i] * v) * c[i];
        x[i] = v;
    }
}
/* loop continued_fraction: T* */
T continued_fraction(size_t n, const T *x)
{
    T v = 1;
    for (size_t i = 0; i < n; i++) v = x[i] + 1 / v;
    return v;
}
/* loop running_largest: T*, T* */
void running_largest(size_t n, T *restrict y, const T *restrict x)
{
    T v = x[0];
    for (size_t i = 0; i < n; i++) {
        v = x[i] > v ? x[i] : v;
        y[i] = v;
    }
}
/* loop horner: T*, T */
T horner(size_t n, const T *x, T s)
{
    T v = 0;
    for (size_t i = 0; i < n; i++) v = v * s + x[i];
    return v;
}
/* loop far: T*, T */
void far(size_t n, T *x, T s)
{
    for (size_t i = 16; i < n + 16; i++) x[i] = x[i - 16] * s;
}
