/* Backwards, every second, interleaved.  See elementwise.c. */
#include <stddef.h>

/* loop reversed_copy: T*, T* */
void reversed_copy(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[n - 1 - i] + 0;
}
/* loop backwards: T*, T*, T */
void backwards(size_t n, T *restrict a, const T *restrict b, T s)
{
    for (size_t i = n; i-- > 0;) a[i] = s * b[i];
}
/* loop every_second_read: T*, T*; 2 */
void every_second_read(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[2 * i] + 1;
}
/* loop every_second_write: T*, T*; 2 */
void every_second_write(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[2 * i] = b[i] + 1;
}
/* loop every_third_sum: T*; 3 */
T every_third_sum(size_t n, const T *x)
{
    T s = 0;
    for (size_t i = 0; i < n; i++) s += x[3 * i];
    return s;
}
/* loop interleave: T*, T*, T*; 2 */
void interleave(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) {
        a[2 * i] = b[i];
        a[2 * i + 1] = c[i];
    }
}
/* loop separate: T*, T*, T*; 2 */
void separate(size_t n, T *restrict a, T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = c[2 * i];
        b[i] = c[2 * i + 1];
    }
}
/* loop complex_multiply: T*, T*, T*; 2 */
void complex_multiply(size_t n, T *restrict a, const T *restrict b, const T *restrict c)
{
    for (size_t i = 0; i < n; i++) {
        a[2 * i] = b[2 * i] * c[2 * i] - b[2 * i + 1] * c[2 * i + 1];
        a[2 * i + 1] = b[2 * i] * c[2 * i + 1] + b[2 * i + 1] * c[2 * i];
    }
}
/* loop pair_sums: T*, T*; 2 */
void pair_sums(size_t n, T *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[2 * i] + b[2 * i + 1];
}
/* loop strided_update: T*, T; 4 */
void strided_update(size_t n, T *restrict a, T s)
{
    for (size_t i = 0; i < n; i++) a[4 * i] += s;
}
