/* Every loop of every instruction set this CPU has, against the formulas.
 * With an argument, without the runs that are long: for an emulator. */
#include "measure/loops.h"
#include "measure/reference.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { ITERS_MAX = 150 }; /* iterations of the longest slice here */

struct memory {
    char *block[LOOP_ARRAYS_MAX], *slice[LOOP_ARRAYS_MAX];
    size_t bytes;
};

static struct memory memory_init(size_t bytes)
{
    struct memory m = {.bytes = bytes + (size_t)2 * LOOP_PAD};
    for (int j = 0; j < LOOP_ARRAYS_MAX; j++) {
        m.block[j] = aligned_alloc(64, m.bytes);
        m.slice[j] = m.block[j] + LOOP_PAD;
    }
    return m;
}

static void memory_release(struct memory *m)
{
    for (int j = 0; j < LOOP_ARRAYS_MAX; j++) {
        free(m->block[j]);
    }
}

/* Iterations a slice is long, and a run's number of iterations, three runs in a row. */
static const uint64_t lengths[] = {1, 2, 3, 5, 61, 128, ITERS_MAX};
static const uint64_t runs[][3] = {
    {1, 0, 0}, {1, 1, 1}, {2, 5, 1}, {61, 60, 7}, {149, 150, 151}, {400, 1, 399},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool pads_hold(const struct loop_state *s, char (*pads)[2 * LOOP_PAD], bool save)
{
    bool same = true;
    for (int j = 0; j < s->loop->n_arrays; j++) {
        char *const before = s->args.array[j] - LOOP_PAD, *const after =
                                                              s->args.array[j] + s->args.bytes;
        if (save) {
            memcpy(pads[j], before, LOOP_PAD);
            memcpy(pads[j] + LOOP_PAD, after, LOOP_PAD);
        }
        same &= memcmp(pads[j], before, LOOP_PAD) == 0;
        same &= memcmp(pads[j] + LOOP_PAD, after, LOOP_PAD) == 0;
    }
    return same;
}

/* One slice length and one list of runs; true if everything is right. */
static bool shape_is_right(struct loop_state *s, const struct loop *l, struct memory *m,
                           uint64_t length, const uint64_t n_iter[3])
{
    char pads[LOOP_ARRAYS_MAX][2 * LOOP_PAD];
    struct loop_check check;
    uint64_t total = 0;
    loop_state_init(s, l, m->slice, length * l->bytes_per_iter, (unsigned)(length + n_iter[0]));
    pads_hold(s, pads, true);
    for (int k = 0; k < 3; k++) {
        loop_state_prepare(s, n_iter[k]);
        loop_state_run(s, n_iter[k]);
        total += n_iter[k];
        const bool right = loop_state_check(s, &check);
        const bool stopped = s->args.offset == total % length * l->bytes_per_iter;
        const bool kept = pads_hold(s, pads, false);
        if (!right || !stopped || !kept) {
            printf("# slice of %llu iterations, after %llu: checksum %.17g, reference %.17g, "
                   "%llu wrong elements, offset %llu%s\n",
                   (unsigned long long)length, (unsigned long long)total, check.checksum,
                   check.reference, (unsigned long long)check.wrong_elements,
                   (unsigned long long)s->args.offset, kept ? "" : ", pads overwritten");
            return false;
        }
    }
    return true;
}

static void test_results(struct loop_state *s, const struct loop *l, struct memory *m)
{
    bool right = true;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        for (size_t k = 0; k < COUNT(runs); k++) {
            right = right && shape_is_right(s, l, m, lengths[i], runs[k]);
        }
    }
    ok(right, "%s %s: right for all lengths and runs", isa_info[l->isa].name, l->name);
}

static void do_nothing(struct loop_args *args)
{
    (void)args;
}

static bool passes(const struct loop_state *s)
{
    struct loop_check check;
    return loop_state_check(s, &check);
}

/* Whatever could go wrong must be seen: a loop that does nothing, an iteration left out, one
 * element changed, constants of another case. */
static void test_detection(struct loop_state *s, const struct loop *l, struct memory *m)
{
    const char *const isa = isa_info[l->isa].name;
    const uint64_t bytes = 50 * l->bytes_per_iter;
    struct loop idle = *l;
    idle.run = do_nothing;
    loop_state_init(s, &idle, m->slice, bytes, 3);
    loop_state_run(s, 31);
    ok(!passes(s), "%s %s: doing nothing is seen", isa, l->name);

    loop_state_init(s, l, m->slice, bytes, 3);
    loop_state_run(s, 31);
    s->iters++;
    ok(!passes(s), "%s %s: a missing iteration is seen", isa, l->name);
    s->iters--;
    ok(passes(s), "%s %s: the same with all of them is right", isa, l->name);

    if (l->n_acc == 0) {
        char *const element = m->slice[l->n_arrays - 1] + 17 * l->bytes_per_iter + 4;
        *element = (char)(*element ^ 1);
        ok(!passes(s), "%s %s: a changed element is seen", isa, l->name);
    }
    if (l->data != DATA_READ && l->data != DATA_READ_INT && l->data != DATA_ADD &&
        l->data != DATA_MUL && l->data != DATA_COPY && l->data != DATA_SUM3 &&
        l->data != DATA_UPDATE && l->data != DATA_XOR) {
        loop_state_init(s, l, m->slice, bytes, 5);
        unsigned char coef[LOOP_COEF_BYTES];
        memcpy(coef, s->coef, sizeof coef);
        loop_state_init(s, l, m->slice, bytes, 6);
        memcpy(s->coef, coef, sizeof coef);
        loop_state_run(s, 31);
        ok(!passes(s), "%s %s: constants of another case are seen", isa, l->name);
    }
}

/* Calls are split, and arrays filled again, when sums would no longer be exact. */
static void test_long_runs(struct loop_state *s, const struct loop *l, struct memory *m)
{
    const uint64_t most = loop_iters_max(l, l->bytes_per_iter);
    const uint64_t n_iter = most < UINT64_MAX                  ? most
                            : l->iters_per_call_max < 1u << 18 ? 2 * l->iters_per_call_max + 1
                                                               : 0;
    if (n_iter == 0) {
        return;
    }
    loop_state_init(s, l, m->slice, l->bytes_per_iter, 7);
    for (int k = 0; k < 2; k++) {
        loop_state_prepare(s, n_iter);
        loop_state_run(s, n_iter);
    }
    ok(passes(s), "%s %s: right after twice %llu iterations", isa_info[l->isa].name, l->name,
       (unsigned long long)n_iter);
}

/* What the calling convention leaves to the caller survives: with sixteen values alive across the
 * call the compiler has some of them in every such register. */
static void test_registers(struct loop_state *s, const struct loop *l, struct memory *m)
{
    volatile double in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    volatile uint64_t iin[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    loop_state_init(s, l, m->slice, 4 * l->bytes_per_iter, 1);
    s->args.n_iter = 5;
    const double a = in[0], b = in[1], c = in[2], d = in[3];
    const double e = in[4], f = in[5], g = in[6], h = in[7];
    const uint64_t i = iin[0], j = iin[1], k = iin[2], n = iin[3], o = iin[4], p = iin[5];
    l->run(&s->args);
    ok(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 && i == 1 &&
           j == 2 && k == 3 && n == 4 && o == 5 && p == 6,
       "%s %s: the caller's registers survive", isa_info[l->isa].name, l->name);
}

static void test_table(void)
{
    enum isa isa;
    ok(isa_supported(isa_widest()), "the widest instruction set is supported");
    ok(!isa_from_name("mmx", &isa), "an unknown instruction set is refused");
    for (int i = 0; i < ISA_COUNT; i++) {
        ok(isa_from_name(isa_info[i].name, &isa) && isa == (enum isa)i, "%s has its name",
           isa_info[i].name);
        ok(loop_named("triad", isa) && !loop_named("quadriad", isa), "%s: loops by name",
           isa_info[i].name);
    }
    bool fits = true, aligned = true, unique = true;
    for (int i = 0; i < n_loops_table; i++) {
        const struct loop *const l = &loops_table[i];
        const int vector_bytes = isa_info[l->isa].vector_bytes;
        fits &= l->n_acc * vector_bytes <= LOOP_ACC_BYTES && l->n_arrays <= LOOP_ARRAYS_MAX;
        fits &= !l->in_registers || l->n_arrays == 0 || LOOP_BUFFER_BYTES % l->bytes_per_iter == 0;
        fits &= (l->unit == UNIT_FLOPS ? l->flops_per_iter : l->bytes_counted_per_iter) > 0;
        aligned &= l->n_arrays == 0 || l->bytes_per_iter % 64 == 0;
        unique &= loop_named(l->name, l->isa) == l;
    }
    ok(fits, "accumulators, arrays and the buffer fit");
    ok(aligned, "iterations end at lines");
    ok(unique, "no name is given twice");
}

int main(int argc, char **argv)
{
    (void)argv;
    struct loop_state *const s = aligned_alloc(64, sizeof *s);
    struct memory m = memory_init(ITERS_MAX * (size_t)16 * 64);
    test_table();
    for (int i = 0; i < n_loops_table; i++) {
        if (isa_supported(loops_table[i].isa)) {
            test_results(s, &loops_table[i], &m);
            test_detection(s, &loops_table[i], &m);
            test_registers(s, &loops_table[i], &m);
            if (argc == 1) {
                test_long_runs(s, &loops_table[i], &m);
            }
        }
    }
    memory_release(&m);
    free(s);
    return tap_done();
}
