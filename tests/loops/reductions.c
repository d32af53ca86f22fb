/* Sums and extremes, in order (which no compiler may change) and as the pragma allows.  See
 * elementwise.c. */
#include <stddef.h>

/* loop sum: T* */
T sum(size_t n, const T *x)
{
    T s = 0;
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}
/* loop dot: T*, T* */
T dot(size_t n, const T *x, const T *y)
{
    T s = 0;
    for (size_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
/* loop product: T* */
T product(size_t n, const T *x)
{
    T s = 1;
    for (size_t i = 0; i < n; i++)
        s *= x[i];
    return s;
}
/* loop sum_simd: T* */
T sum_simd(size_t n, const T *x)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}
/* loop dot_simd: T*, T* */
T dot_simd(size_t n, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
/* loop norm_simd: T* */
T norm_simd(size_t n, const T *x)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i] * x[i];
    return s;
}
/* loop weighted_simd: T*, T*, T* */
T weighted_simd(size_t n, const T *w, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += w[i] * x[i] * y[i];
    return s;
}
/* loop distance_simd: T*, T* */
T distance_simd(size_t n, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += (x[i] - y[i]) * (x[i] - y[i]);
    return s;
}
/* loop absolute_sum_simd: T* */
T absolute_sum_simd(size_t n, const T *x)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++)
        s += x[i] < 0 ? -x[i] : x[i];
    return s;
}
/* loop largest: T* */
T largest(size_t n, const T *x)
{
    T s = x[0];
    for (size_t i = 0; i < n; i++)
        s = x[i] > s ? x[i] : s;
    return s;
}
/* loop smallest_simd: T* */
T smallest_simd(size_t n, const T *x)
{
    T s = x[0];
#pragma omp simd reduction(min : s)
    for (size_t i = 0; i < n; i++)
        s = x[i] < s ? x[i] : s;
    return s;
}
/* loop four_sums: T*; 4 */
T four_sums(size_t n, const T *x)
{
    T s = 0, t = 0, u = 0, v = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[4 * i];
        t += x[4 * i + 1];
        u += x[4 * i + 2];
        v += x[4 * i + 3];
    }
    return (s + t) + (u + v);
}
/* loop two_moments_simd: T* */
T two_moments_simd(size_t n, const T *x)
{
    T s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
    for (size_t i = 0; i < n; i++) {
        s += x[i];
        t += x[i] * x[i];
    }
    return t - s * s;
}
