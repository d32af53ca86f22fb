#include "measure/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct worker {
    struct pool *pool;
    pthread_t id;
    int index, cpu;
    bool pinned;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pool_job *job;
    void *context;
    unsigned long ticket; /* counts jobs; a worker takes each once */
    int first, wanted, finished;
    bool stop;
    int n;
    struct worker workers[];
};

static void barrier_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void barrier_init(struct barrier *b, int n)
{
    atomic_init(&b->waiting, 0);
    atomic_init(&b->generation, 0);
    b->n = n;
}

void barrier_wait(struct barrier *b)
{
    const int generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->waiting, 1, memory_order_acq_rel) == b->n - 1) {
        atomic_store_explicit(&b->waiting, 0, memory_order_relaxed);
        atomic_store_explicit(&b->generation, generation + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&b->generation, memory_order_acquire) == generation) {
        barrier_relax();
    }
}

static bool pin(int cpu)
{
    const size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
    cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
    if (!set) {
        return false;
    }
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)cpu, bytes, set);
    const bool fine = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
    CPU_FREE(set);
    return fine;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    struct pool *p = w->pool;
    unsigned long taken = 0;
    const bool pinned = pin(w->cpu);
    pthread_mutex_lock(&p->lock);
    w->pinned = pinned;
    p->finished++;
    pthread_cond_signal(&p->done);
    for (;;) {
        while (!p->stop && p->ticket == taken) {
            pthread_cond_wait(&p->work, &p->lock);
        }
        if (p->stop) {
            break;
        }
        taken = p->ticket;
        const int thread = w->index - p->first;
        if (thread >= 0 && thread < p->wanted) {
            pthread_mutex_unlock(&p->lock);
            p->job(p->context, thread);
            pthread_mutex_lock(&p->lock);
            p->finished++;
            pthread_cond_signal(&p->done);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Waits, with the lock held, until n threads have said that they are done. */
static void wait_finished(struct pool *p, int n)
{
    while (p->finished < n) {
        pthread_cond_wait(&p->done, &p->lock);
    }
}

static bool distinct(const int *cpus, int n, struct err *e)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (cpus[i] == cpus[j]) {
                return err_set(
                    e, ERR_HOST, LOC_NONE,
                    "two threads would share CPU %d and halve each other's rate; ask for "
                    "fewer threads",
                    cpus[i]);
            }
        }
    }
    return true;
}

struct pool *pool_create(const int *cpus, int n, struct err *e)
{
    if (!distinct(cpus, n, e)) {
        return NULL;
    }
    struct pool *p = calloc(1, sizeof *p + (size_t)n * sizeof p->workers[0]);
    if (!p) {
        err_set(e, ERR_HOST, LOC_NONE, "no memory for %d threads", n);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    for (; p->n < n; p->n++) {
        struct worker *w = &p->workers[p->n];
        *w = (struct worker){.pool = p, .index = p->n, .cpu = cpus[p->n]};
        if (pthread_create(&w->id, NULL, work, w)) {
            err_set(e, ERR_HOST, LOC_NONE, "the system gives thread %d of %d no start", p->n + 1,
                    n);
            pool_release(p);
            return NULL;
        }
    }
    pthread_mutex_lock(&p->lock);
    wait_finished(p, n);
    pthread_mutex_unlock(&p->lock);
    return p;
}

void pool_release(struct pool *p)
{
    if (!p) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->n; i++) {
        pthread_join(p->workers[i].id, NULL);
    }
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int pool_unpinned(const struct pool *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        n += !p->workers[i].pinned;
    }
    return n;
}

void pool_run(struct pool *p, int first, int n, pool_job *job, void *context)
{
    pthread_mutex_lock(&p->lock);
    p->job = job;
    p->context = context;
    p->first = first;
    p->wanted = n;
    p->finished = 0;
    p->ticket++;
    pthread_cond_broadcast(&p->work);
    wait_finished(p, n);
    pthread_mutex_unlock(&p->lock);
}
