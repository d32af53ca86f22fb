/* Conversions, and integers beside.  See elementwise.c. */
#include <stddef.h>
#include <stdint.h>

/* loop widen: double*, float* */
void widen(size_t n, double *restrict a, const float *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = b[i] * (T)2;
}
/* loop narrow: float*, double* */
void narrow(size_t n, float *restrict a, const double *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (float)(b[i] * (T)2);
}
/* loop from_int: T*, int32* */
void from_int(size_t n, T *restrict a, const int *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (T)b[i] * 2;
}
/* loop to_int: int32*, T* */
void to_int(size_t n, int *restrict a, const T *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (int)(b[i] * 100);
}
/* loop from_bytes: T*, uint8* */
void from_bytes(size_t n, T *restrict a, const uint8_t *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (T)b[i];
}
/* loop sum_in_double: T* */
double sum_in_double(size_t n, const T *x)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return s;
}
/* loop int_add: int32*, int32* */
void int_add(size_t n, int *restrict a, const int *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] += b[i];
}
/* loop int_multiply: int32*, int32* */
void int_multiply(size_t n, int *restrict a, const int *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] *= b[i];
}
/* loop int_sum: int32* */
int int_sum(size_t n, const int *x)
{
    int s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return s;
}
/* loop int_mix: int32*, int32* */
void int_mix(size_t n, int *restrict a, const int *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (b[i] << 3) ^ (b[i] >> 2) ^ a[i];
}
/* loop long_add: int64*, int64* */
void long_add(size_t n, int64_t *restrict a, const int64_t *restrict b)
{
    for (size_t i = 0; i < n; i++) a[i] = (a[i] & 255) + b[i];
}
/* loop hash: int32* */
uint32_t hash(size_t n, const uint32_t *x)
{
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < n; i++) h = (h ^ x[i]) * 16777619U;
    return h;
}
