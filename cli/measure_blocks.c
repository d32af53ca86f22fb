#include "cli/measure_blocks.h"

#include "cli/block_kernels.h"
#include "compare/csv.h"
#include "measure/probe_stable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BATCH 500

struct job {
    struct block_kernels kernels;
    bool named, weighted; /* what is measured has these columns, too */
    struct probe *probe;
    struct text out;
    int n_measured, n_failed;
};

static const char *write_block(const struct block *b, struct arena *a)
{
    struct text t = {.arena = a};
    char number[TEXT_NUMBER_SIZE];

    if (b->n_forms == 0) {
        return b->code;
    }
    for (int k = 0; k < b->n_forms; k++) {
        text_add(&t, "%s%s %s", k ? "; " : "", text_number(b->forms[k].count, number),
                 b->forms[k].form);
    }
    return t.data;
}

static void report(struct job *j, const struct block *from, const struct probe_result *r,
                   struct arena *a)
{
    const char *block = write_block(from, a);
    char weight[TEXT_NUMBER_SIZE];

    if (r->failed) {
        fprintf(stderr, "gambrel: warning: %s:%u: %s: %s\n", from->loc.file, from->loc.line, block,
                r->failed);
        j->n_failed++;
        return;
    }
    if (j->named) {
        csv_field(&j->out, from->name);
    }
    if (j->weighted) {
        csv_field(&j->out, text_number(from->weight, weight));
    }
    text_add(&j->out, "%s%.5g,%.3g,%d,\"%s\"\n", j->named || j->weighted ? "," : "", r->cycles,
             r->spread, r->n, block);
    j->n_measured++;
}

static bool measure_batch(struct job *j, const struct block *blocks, int n, struct arena *a,
                          struct err *e)
{
    struct probe_block *wanted = arena_new(a, struct probe_block, (size_t)n);
    struct probe_result *results = arena_new(a, struct probe_result, (size_t)n);
    struct probe_result *read = arena_new(a, struct probe_result, (size_t)n);
    int *which = arena_new(a, int, (size_t)n);
    int m = 0;

    for (int k = 0; k < n; k++) {
        if (blocks[k].n_forms == 0) {
            results[k].failed = "bytes are not measured, only forms, in a column 'block'";
        } else if (block_kernels_take(&j->kernels, &blocks[k], a, &wanted[m])) {
            which[m++] = k;
        } else {
            results[k].failed = "only whole counts can be measured";
        }
    }
    if (!probe_measure_stable(j->probe, wanted, m, read, a, e)) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        results[which[i]] = read[i];
    }
    for (int k = 0; k < n; k++) {
        report(j, &blocks[k], &results[k], a);
    }
    return true;
}

static bool measure_file(struct job *j, struct block_reader *r, struct err *e)
{
    struct block blocks[BATCH];
    bool more = true;

    while (more && !e->code) {
        struct arena *a = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
        int n = 0;
        while (n < BATCH && (more = blocks_next(r, a, &blocks[n], e))) {
            n++;
        }
        if (!e->code && n > 0) {
            measure_batch(j, blocks, n, a, e);
        }
        arena_release(a);
    }
    return !e->code;
}

static void write_header(struct job *j)
{
    text_add(&j->out, "%s%scycles,spread,samples,block\n", j->named ? "name," : "",
             j->weighted ? "weight," : "");
}

int measure_blocks(struct cli *c, const char *path, const char *output)
{
    struct err e = {0};
    struct job j = {.out = {.arena = c->arena}};
    struct block_reader *r = blocks_open(path, c->arena, &e);

    if (!r) {
        return cli_fail(&e);
    }
    j.named = blocks_are_named(r);
    j.weighted = blocks_are_weighted(r);
    j.probe = probe_open(&probe_defaults, c->arena, &e);
    write_header(&j);
    const bool good =
        j.probe && block_kernels_open(&j.kernels, c->arena, &e) && measure_file(&j, r, &e);
    block_kernels_close(&j.kernels);
    blocks_close(r);
    if (!good) {
        return cli_fail(&e);
    }
    if (j.n_failed > 0) {
        fprintf(stderr, "gambrel: %d blocks measured, %d left out\n", j.n_measured, j.n_failed);
    }
    return cli_write(output ? output : "-", (struct bytes){j.out.data, j.out.len});
}
