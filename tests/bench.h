/* bench.h - what the programs share that time our own code. */
#ifndef GAMBREL_TESTS_BENCH_H
#define GAMBREL_TESTS_BENCH_H

#include <stdlib.h>
#include <time.h>

/* Of this process. */
static inline double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline _Noreturn void oom(void *context)
{
    (void)context;
    exit(1);
}

#endif
