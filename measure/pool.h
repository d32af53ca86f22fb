/* pool.h - threads that live as long as the run, one pinned to each CPU.
 *
 * Between jobs they sleep, so that nothing spins beside a case that uses fewer threads.  Within a
 * job they meet at a barrier that spins, so that they start and end within a fraction of a
 * microsecond.
 */
#ifndef GAMBREL_MEASURE_POOL_H
#define GAMBREL_MEASURE_POOL_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>

struct pool;

/* One thread for each of cpus[0..n).  ERR_HOST: a CPU twice, or the system gives no thread. */
struct pool *pool_create(const int *cpus, int n, struct err *e);
void pool_release(struct pool *p); /* NULL is fine */

/* How many threads could not be pinned; they run where the system puts them. */
int pool_unpinned(const struct pool *p);

/* Runs job(context, i), 0 <= i < n, on threads first + i, and returns when all are done. */
typedef void pool_job(void *context, int thread);
void pool_run(struct pool *p, int first, int n, pool_job *job, void *context);

/* A barrier for n threads, to be used any number of times. */
struct barrier {
    _Alignas(64) atomic_int waiting;
    _Alignas(64) atomic_int generation;
    int n;
};
void barrier_init(struct barrier *b, int n);
void barrier_wait(struct barrier *b);

#endif
