#include "measure/probe_alone.h"

/* 0: all registers, which decides how a form fails. */
static const int lengths[PROBE_SEQUENCES] = {0, 1, 2, 4, 8};

struct probe_alone probe_alone_best(const struct probe_result results[PROBE_SEQUENCES])
{
    struct probe_alone out = {.best = results[0], .all_registers = results[0].cycles};

    for (int k = 1; k < PROBE_SEQUENCES; k++) {
        const bool faster =
            out.best.failed || results[k].cycles < out.best.cycles * (1 - PROBE_AGREE);
        if (!results[k].failed && faster) {
            out.best = results[k];
            out.registers = lengths[k];
        }
    }
    return out;
}

bool probe_measure_alone(struct probe *p, const struct probe_block *blocks, int n,
                         struct probe_alone *out, struct arena *a, struct err *e)
{
    const size_t most = (size_t)n * PROBE_SEQUENCES;
    struct probe_block *wanted = arena_new(a, struct probe_block, most);
    struct probe_result *results = arena_new(a, struct probe_result, most);

    for (int k = 0; k < n; k++) {
        for (int i = 0; i < PROBE_SEQUENCES; i++) {
            wanted[k * PROBE_SEQUENCES + i] = blocks[k];
            wanted[k * PROBE_SEQUENCES + i].registers = lengths[i];
        }
    }
    if (!probe_measure_patiently(p, wanted, (int)most, results, a, e)) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        out[k] = probe_alone_best(&results[(size_t)k * PROBE_SEQUENCES]);
    }
    return true;
}
