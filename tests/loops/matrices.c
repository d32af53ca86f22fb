/* Inner loops of small products.  See elementwise.c. */
#include <stddef.h>

/* loop rank4: T*, T*, T*, T*, T*, T, T, T, T */
void rank4(size_t n, T *restrict c, const T *restrict b0, const T *restrict b1,
           const T *restrict b2, const T *restrict b3, T s, T t, T u, T v)
{
    for (size_t i = 0; i < n; i++) c[i] += s * b0[i] + t * b1[i] + u * b2[i] + v * b3[i];
}
/* loop two_rows: T*, T*, T*, T, T */
void two_rows(size_t n, T *restrict c0, T *restrict c1, const T *restrict b, T s, T t)
{
    for (size_t i = 0; i < n; i++) {
        c0[i] += s * b[i];
        c1[i] += t * b[i];
    }
}
/* loop matrix_vector2: T*, T*, T* */
T matrix_vector2(size_t n, const T *a0, const T *a1, const T *x)
{
    T s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
    for (size_t i = 0; i < n; i++) {
        s += a0[i] * x[i];
        t += a1[i] * x[i];
    }
    return s - t;
}
/* loop small2x2: T*, T*, T*; 4 */
void small2x2(size_t n, T *restrict c, const T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) {
        const T *x = a + 4 * i, *y = b + 4 * i;
        c[4 * i] = x[0] * y[0] + x[1] * y[2];
        c[4 * i + 1] = x[0] * y[1] + x[1] * y[3];
        c[4 * i + 2] = x[2] * y[0] + x[3] * y[2];
        c[4 * i + 3] = x[2] * y[1] + x[3] * y[3];
    }
}
/* loop rotate: T*, T*, T, T */
void rotate(size_t n, T *restrict x, T *restrict y, T c, T s)
{
    for (size_t i = 0; i < n; i++) {
        const T u = x[i], v = y[i];
        x[i] = c * u + s * v;
        y[i] = c * v - s * u;
    }
}
/* loop columns4: T*, T*; 4 */
void columns4(size_t n, T *restrict y, const T *restrict a)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (T)0.1 * a[4 * i] + (T)0.2 * a[4 * i + 1] + (T)0.3 * a[4 * i + 2] + (T)0.4 * a[4 * i + 3];
}
