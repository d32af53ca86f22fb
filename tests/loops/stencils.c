/* Neighbours, in a row and in rows above and below.  See elementwise.c. */
#include <stddef.h>

/* loop three_points: T*, T* */
void three_points(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (T)0.25 * b[i] + (T)0.5 * b[i + 1] + (T)0.25 * b[i + 2];
}
/* loop five_points: T*, T* */
void five_points(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (T)0.1 * (b[i] + b[i + 4]) + (T)0.2 * (b[i + 1] + b[i + 3]) + (T)0.4 * b[i + 2];
}
/* loop difference: T*, T* */
void difference(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i + 1] - b[i];
}
/* loop jacobi2d: T*, T*, T*, T* */
void jacobi2d(size_t n, T *restrict a, const T *restrict up, const T *restrict row,
              const T *restrict down)
{
    for (size_t i = 1; i <= n; i++) a[i] = (T)0.2 * (row[i] + row[i - 1] + row[i + 1] + up[i] + down[i]);
}
/* loop nine_points: T*, T*, T*, T* */
void nine_points(size_t n, T *restrict a, const T *restrict up, const T *restrict row,
                 const T *restrict down)
{
    for (size_t i = 1; i <= n; i++)
        a[i] = (T)0.5 * row[i] + (T)0.125 * (row[i - 1] + row[i + 1] + up[i] + down[i]) +
               (T)0.03 * (up[i - 1] + up[i + 1] + down[i - 1] + down[i + 1]);
}
/* loop heat3d: T*, T*, T*, T*, T*, T* */
void heat3d(size_t n, T *restrict a, const T *restrict row, const T *restrict up,
            const T *restrict down, const T *restrict front, const T *restrict back)
{
    for (size_t i = 1; i <= n; i++)
        a[i] = row[i] + (T)0.125 * (up[i] - 2 * row[i] + down[i]) +
               (T)0.125 * (front[i] - 2 * row[i] + back[i]) +
               (T)0.125 * (row[i - 1] - 2 * row[i] + row[i + 1]);
}
/* loop seidel: T*, T*, T* */
void seidel(size_t n, T *restrict a, const T *restrict up, const T *restrict down)
{
    for (size_t i = 1; i <= n; i++) a[i] = (T)0.25 * (a[i - 1] + a[i + 1] + up[i] + down[i]);
}
