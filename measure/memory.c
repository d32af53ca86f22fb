#include "measure/memory.h"

#include "measure/proc.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define PAGE      ((size_t)4096)
/* Each slice starts 1088 bytes further within its page than the one before: of four, no two are
 * within 832 bytes of one another, and no two start in the same set of an L1 of 64 sets of 64
 * bytes. */
#define STAGGER ((size_t)1024 + 64)

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

bool memory_map(struct memory *m, size_t bytes, struct err *e)
{
    const size_t inside = round_up(bytes, HUGE_PAGE);
    const size_t all = inside + 3 * HUGE_PAGE;
    char *mapping =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *m = (struct memory){0};
    if (mapping == MAP_FAILED) {
        return err_set(e, ERR_HOST, LOC_NONE,
                       "the system gives no %.0f MiB for the arrays of one thread; free memory or "
                       "raise the limit",
                       (double)all / 1048576);
    }
    const uintptr_t first = round_up((uintptr_t)mapping + PAGE, HUGE_PAGE);
    m->mapping = mapping;
    m->mapping_bytes = all;
    m->base = mapping + (first - (uintptr_t)mapping);
    m->bytes = inside;
    /* Both calls only help: a guard that is missing and pages that stay small are no failure. */
    (void)mprotect(m->base - PAGE, PAGE, PROT_NONE);
    (void)mprotect(m->base + inside, PAGE, PROT_NONE);
    (void)madvise(m->base, inside, MADV_HUGEPAGE);
    return true;
}

void memory_release(struct memory *m)
{
    if (m->mapping) {
        munmap(m->mapping, m->mapping_bytes);
    }
    *m = (struct memory){0};
}

struct memory memory_part(const struct memory *m, size_t offset, size_t bytes)
{
    assert(offset % 64 == 0 && offset + bytes <= m->bytes);
    return (struct memory){.base = m->base + offset, .bytes = bytes};
}

double memory_huge_fraction(const struct memory *regions, int n)
{
    char *smaps = proc_text("", "/proc/self/smaps");
    double touched = 0, huge = 0;
    for (int i = 0; i < n; i++) {
        double rss, in_huge;
        if (proc_huge_bytes(smaps, regions[i].base, &rss, &in_huge)) {
            touched += rss;
            huge += in_huge;
        }
    }
    free(smaps);
    return touched > 0 ? huge / touched : (double)NAN;
}

static size_t slice_pitch(size_t slice_bytes)
{
    return round_up(slice_bytes + (size_t)2 * MEMORY_PAD_MAX, PAGE) + STAGGER;
}

size_t memory_slices_bytes(int n, size_t slice_bytes)
{
    return (size_t)n * slice_pitch(slice_bytes);
}

void memory_slices(const struct memory *m, int n, size_t slice_bytes, size_t pad, char *slices[])
{
    assert(pad <= MEMORY_PAD_MAX && pad % 64 == 0);
    assert(memory_slices_bytes(n, slice_bytes) <= m->bytes);
    for (int i = 0; i < n; i++) {
        slices[i] = m->base + (size_t)i * slice_pitch(slice_bytes) + pad;
    }
}
