/* Places that come from data.  See elementwise.c. */
#include <stddef.h>

/* loop gather: T*, int32*, T* */
void gather(size_t n, T *restrict a, const int *restrict at, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[at[i]] + 1;
}
/* loop gather_axpy: T*, int32*, T*, T */
void gather_axpy(size_t n, T *restrict a, const int *restrict at, const T *restrict b, T s)
{
    for (size_t i = 0; i < n; i++) a[i] += s * b[at[i]];
}
/* loop gather_dot: int32*, T*, T* */
T gather_dot(size_t n, const int *at, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++) s += x[i] * y[at[i]];
    return s;
}
/* loop scatter: T*, int32*, T* */
void scatter(size_t n, T *restrict a, const int *restrict at, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[at[i]] = b[i] + 1;
}
