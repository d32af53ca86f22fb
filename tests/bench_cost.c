/* bench_cost - blocks a second of processor time: from the forms of random blocks of ten to their
 * ceilings, on a few machine files.  The limit that the project set itself: a million. */
#include "base/file.h"
#include "model/ceiling.h"
#include "tests/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 4096, FORMS = 10, ROUNDS = 50 };

static struct form_count *random_blocks(const struct machine *m, struct arena *a)
{
    struct form_count *forms = arena_new(a, struct form_count, (size_t)BLOCKS * FORMS);
    srand(1);
    for (int i = 0; i < BLOCKS * FORMS; i++) {
        forms[i] = (struct form_count){m->forms[rand() % m->n_forms].form, 1 + rand() % 3};
    }
    return forms;
}

static double seconds_per_block(struct cost_table *t, const struct form_count *forms, double *sum)
{
    struct cost c = cost_new(t);
    struct ceiling_bound bound;
    struct err e = {0};
    const double start = cpu_s();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            cost_clear(&c);
            cost_add_block(&c, forms + (size_t)i * FORMS, FORMS);
            *sum += ceiling_of_cost(&c, &bound, &e) ? bound.cycles : 0;
        }
    }
    return (cpu_s() - start) / ((double)BLOCKS * ROUNDS);
}

static void run(const char *file)
{
    struct arena *a = arena_create((size_t)1 << 28, oom, NULL);
    struct bytes bytes;
    struct err e = {0};
    char text[512];
    double sum = 0;

    const struct machine *m =
        file_read(file, a, &bytes, &e) ? machine_read(bytes, file, a, &e) : NULL;
    struct cost_table *t = m && m->n_ports > 0 ? cost_compile(m, COST_PORTS, a, &e) : NULL;
    if (t) {
        const double seconds = seconds_per_block(t, random_blocks(m, a), &sum);
        printf("%-32s %8.3f us a block  %6.2f million blocks a second\n", m->name, seconds * 1e6,
               1e-6 / seconds);
    } else if (e.code != ERR_NONE) {
        printf("%s\n", err_describe(&e, text, sizeof text));
    }
    arena_release(a);
}

int main(void)
{
    static const char *const files[] = {"machines/zen5-server.yaml", "machines/skylake-sp.yaml",
                                        "machines/sapphire-rapids.yaml",
                                        "machines/neoverse-v2.yaml", "machines/apple-m1.yaml"};
    printf("ceilings of blocks of %d forms\n", FORMS);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        run(files[i]);
    }
    return 0;
}
