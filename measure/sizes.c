#include "measure/sizes.h"

#include <math.h>

#define MIB 1048576.0

#define L1_UNKNOWN   16384.0     /* half of 32 KiB, the least that current cores have */
#define DRAM_UNKNOWN (512 * MIB) /* as far as the sweep reads where it does not know a cache */
/* An array as large as the last level still hits it: on a Zen 5 guest with 32 MiB of L3, reads of
 * 32 MiB ran at 66 GB/s, of 64 to 256 MiB at 37 to 44. */
#define DRAM_ARRAY (128 * MIB)
#define L3_ENOUGH  (64 * MIB) /* larger arrays are no deeper in L3 and only take longer to fill */

const char *const level_names[LEVEL_COUNT] = {"L1", "L2", "L3", "DRAM"};

/* How many instances of the last level the threads reach. */
static int last_instances(const struct sizes_machine *m)
{
    int n = 1;
    for (int i = 0; i < SIZES_CACHES; i++) {
        n = isnan(m->bytes[i]) ? n : m->instances[i];
    }
    return n;
}

static double l1_of_thread(const struct sizes_machine *m)
{
    return isnan(m->bytes[LEVEL_L1]) ? L1_UNKNOWN : m->bytes[LEVEL_L1] / 2 / m->sharers[LEVEL_L1];
}

static double l2_of_thread(const struct sizes_machine *m)
{
    const double share = m->bytes[LEVEL_L2] / m->sharers[LEVEL_L2];
    const double before = m->bytes[LEVEL_L1] / m->sharers[LEVEL_L1];
    const double size = fmax(share / 2, 2 * before);
    return isnan(share) || size > 0.75 * share ? 0 : size;
}

static double l3_of_thread(const struct sizes_machine *m)
{
    const double l2 = m->bytes[LEVEL_L2] / m->sharers[LEVEL_L2];
    const double all_l3 = m->bytes[LEVEL_L3] * m->instances[LEVEL_L3];
    const double wanted = fmax(4 * l2 * m->threads, fmin(all_l3 / 4, L3_ENOUGH));
    /* Where threads are spread unevenly, the fullest instance decides. */
    const double room = m->bytes[LEVEL_L3] / 2 / m->sharers[LEVEL_L3];
    const double size = fmin(wanted / m->threads, room);
    return isnan(all_l3) || size < 2 * l2 ? 0 : size;
}

static double dram_of_thread(const struct sizes_machine *m, int n_arrays)
{
    const double caches = m->last_level_bytes * last_instances(m);
    const double all = isnan(caches) ? DRAM_UNKNOWN : m->dram_caches * caches;
    return fmax(all, DRAM_ARRAY * n_arrays) / m->threads;
}

double sizes_of_thread(const struct sizes_machine *m, enum level level, int n_arrays)
{
    switch (level) {
    case LEVEL_L1:
        return l1_of_thread(m);
    case LEVEL_L2:
        return l2_of_thread(m);
    case LEVEL_L3:
        return l3_of_thread(m);
    case LEVEL_DRAM:
        return dram_of_thread(m, n_arrays);
    case LEVEL_COUNT:
        break;
    }
    return 0;
}

bool sizes_fit(const struct sizes_machine *m, double regions)
{
    return !(regions > m->memory_usable_bytes / 2); /* unknown memory forbids nothing */
}

uint64_t sizes_slice(double all, int n_arrays, uint64_t bytes_per_iter)
{
    const uint64_t iters = (uint64_t)(all / n_arrays) / bytes_per_iter;
    return (iters ? iters : 1) * bytes_per_iter;
}
