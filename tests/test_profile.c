#include "formats/profile.h"
#include "tests/formats.h"

static const struct profile_spot *spot_at(const struct profile *p, const char *file, uint64_t value)
{
    for (size_t k = 0; k < p->n; k++) {
        if (p->spots[k].value == value && strcmp(p->spots[k].file, file) == 0) {
            return &p->spots[k];
        }
    }
    return NULL;
}

static struct profile perf(const char *path, struct arena *a)
{
    struct err e = {0};
    struct profile p;
    profile_read_perf(test_file(path, a), path, a, &p, &e);
    test_fine(&e, path);
    return p;
}

static void samples(struct arena *a)
{
    struct profile p = perf("tests/corpus/perf/whole", a);
    const struct profile_spot *one = spot_at(&p, "hot", 0x1010),
                              *child = spot_at(&p, "hot", 0x1020);
    ok(one && one->count == 2 && one->place == PROFILE_OFFSET, "two samples at one place");
    ok(child && child->count == 1, "a child has what its parent had mapped");
    ok(p.n == 2 && p.elsewhere == 2, "another process and the kernel are elsewhere");
    ok(p.n_events == 1, "an event that has no samples is none");

    p = perf("tests/corpus/perf/remapped", a);
    ok(p.n == 1 && spot_at(&p, "b", 0x2004), "of two mappings the last one");
    p = perf("tests/corpus/perf/circle", a);
    ok(p.n == 0 && p.elsewhere == 1, "processes that are each other's parents end, too");
    p = perf("tests/corpus/perf/two-events", a);
    ok(p.n_events == 2, "two events are counted");
}

static void counts(struct arena *a)
{
    struct err e = {0};
    struct profile p;
    profile_read_counts("tests/corpus/counts/symbols.csv", a, &p, &e);
    if (!test_fine(&e, "counts by symbol") || !ok(p.n == 3, "three of them")) {
        return;
    }
    is_text(p.spots[0].symbol, "main", "a symbol alone");
    is_text(p.spots[0].file, "hot", "the name of its file without folders");
    is_text(p.spots[1].symbol, "std::operator+(int)", "a symbol with a plus of its own");
    ok(p.spots[1].value == 0x1c && p.spots[1].count == 2.5, "and what is behind the last plus");
    is_text(p.spots[2].symbol, "operator+", "or all of it, where no number is");
    ok(p.spots[2].loc.line == 4 && p.spots[2].loc.column == 1, "its place");

    profile_read_counts("tests/corpus/counts/addresses.csv", a, &p, &e);
    ok(p.n == 2 && p.spots[0].value == 0x401000 && p.spots[0].count == 1e6 && !p.spots[0].file &&
           p.spots[1].value == 4096 && p.n_events == 0,
       "counts by address, decimal and hexadecimal");
    profile_read_counts("tests/corpus/counts/none.csv", a, &p, &e);
    ok(p.n == 0, "a header alone");
    test_fine(&e, "is no error");
}

int main(void)
{
    struct arena *a = test_arena();
    samples(a);
    counts(a);
    arena_release(a);
    return tap_done();
}
