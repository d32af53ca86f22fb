/* What compilers turn into masks and blends.  See elementwise.c. */
#include <stddef.h>

/* loop choose: T*, T*, T* */
void choose(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] > c[i] ? b[i] : c[i];
}
/* loop clamp: T*, T*, T, T */
void clamp(size_t n, T *restrict a, const T *restrict b, T low, T high)
{
    for (size_t i = 0; i < n; i++) {
        const T x = b[i] < low ? low : b[i];
        a[i] = x > high ? high : x;
    }
}
/* loop rectify: T*, T* */
void rectify(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] > 1 ? b[i] - 1 : 0;
}
/* loop store_where: T*, T* */
void store_where(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) {
        if (b[i] > 1) a[i] = b[i];
    }
}
/* loop add_where: T*, T*, T* */
void add_where(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) {
        if (b[i] > 1) a[i] += c[i];
    }
}
/* loop either: T*, T*, T* */
void either(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] > 1 ? b[i] * c[i] : b[i] + c[i];
}
/* loop sign: T*, T* */
void sign(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] > 1 ? (T)1 : (T)-1;
}
/* loop sum_where_simd: T*, T* */
T sum_where_simd(size_t n, const T *x, const T *y)
{
    T s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = 0; i < n; i++) s += x[i] > 1 ? y[i] : 0;
    return s;
}
/* loop count_where: T* */
int count_where(size_t n, const T *x)
{
    int s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] > 1;
    return s;
}
/* loop flags: int32*, T* */
void flags(size_t n, int *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] > 1;
}
