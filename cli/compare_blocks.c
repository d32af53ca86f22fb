#include "cli/compare_blocks.h"

#include "base/names.h"
#include "cli/block_kernels.h"
#include "cli/choice.h"
#include "cli/mca.h"
#include "cli/osaca.h"
#include "code/basic.h"
#include "code/loop.h"
#include "compare/block_price.h"
#include "formats/predictions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct input {
    struct block *blocks;
    size_t n, capacity;
};

static bool read_blocks(struct cli *c, const char *path, struct input *in, struct err *e)
{
    struct block_reader *r = blocks_open(path, c->arena, e);
    if (r && !blocks_are_timed(r)) {
        err_set(e, ERR_SCHEMA, (struct loc){path, 1, 1},
                "the header has no column 'cycles': these blocks were not measured");
    }
    for (struct block b; r && !e->code && blocks_next(r, c->arena, &b, e);) {
        in->blocks = arena_grow(c->arena, in->blocks, in->n, &in->capacity, sizeof *in->blocks);
        in->blocks[in->n++] = b;
    }
    blocks_close(r);
    return e->code == ERR_NONE;
}

static double *unknown_cycles(struct cli *c, size_t n)
{
    double *cycles = arena_new(c->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        cycles[i] = (double)NAN;
    }
    return cycles;
}

/* --- machine files --- */

/* name: NULL for this CPU's. */
static bool add_machine(struct cli *c, const char *folder, const char *name, const struct input *in,
                        struct block_set *s, struct err *e)
{
    const struct choice one = {.machine = name, .machines = folder};
    const struct machine *m = choice_machine(c, &one, NULL, e);
    struct cost_table *t = m ? cost_compile(m, cost_view_of(m), c->arena, e) : NULL;
    struct arena *scratch = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
    if (!scratch) {
        cli_out_of_memory(NULL);
    }
    if (t) {
        struct block_pricer p = block_pricer_open(t, scratch);
        double *cycles = unknown_cycles(c, in->n);
        for (size_t i = 0; i < in->n; i++) {
            struct ceiling_bound bound;
            if (!block_price(&p, &in->blocks[i], &bound, e)) {
                break;
            }
            cycles[i] = p.cost.n_unknown == 0 ? bound.cycles : (double)NAN;
            s->rows[i].instructions = p.cost.instructions;
        }
        cli_warn(block_signs_doubt(&p.signs, m, c->arena));
        block_pricer_close(&p);
        s->tools[s->n_tools++] = (struct block_tool){m->name, cycles};
    }
    arena_release(scratch);
    return e->code == ERR_NONE;
}

/* --- predictions of others --- */

static bool same_order(const struct input *in, const struct predictions *theirs)
{
    bool same = theirs->n == in->n;
    for (size_t i = 0; same && i < in->n; i++) {
        same = !theirs->named || !in->blocks[i].name ||
               strcmp(theirs->rows[i].name, in->blocks[i].name) == 0;
    }
    return same;
}

/* Says which predictions are for no block. */
static void name_strangers(struct cli *c, const char *spec, const struct input *in,
                           const struct predictions *theirs)
{
    struct names measured = {.arena = c->arena};
    const char *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++) {
        names_add(&measured, NULL, in->blocks[i].name, &in->blocks[i]);
    }
    for (size_t i = 0; i < theirs->n; i++) {
        if (!names_find(&measured, NULL, theirs->rows[i].name)) {
            first = first ? first : theirs->rows[i].name;
            n++;
        }
    }
    if (n > 0) {
        cli_warn(arena_format(c->arena,
                              "--predictions %s: %zu of %zu are for blocks that were not "
                              "measured, the first for '%s'",
                              spec, n, theirs->n, first));
    }
}

static bool by_name(struct cli *c, const struct input *in, const struct predictions *theirs,
                    double *cycles, struct err *e)
{
    struct names names = {.arena = c->arena};
    for (size_t i = 0; i < theirs->n; i++) {
        const struct prediction *p = &theirs->rows[i];
        const struct prediction *first = names_add(&names, NULL, p->name, p);
        if (first && first->cycles != p->cycles && !(isnan(first->cycles) && isnan(p->cycles))) {
            return err_set(e, ERR_SCHEMA, p->loc, "'%.80s' has other cycles on line %u", p->name,
                           first->loc.line);
        }
    }
    for (size_t i = 0; i < in->n; i++) {
        const struct prediction *p = names_find(&names, NULL, in->blocks[i].name);
        cycles[i] = p ? p->cycles : (double)NAN;
    }
    return true;
}

/* "tool=FILE.csv": cycles in the order of the measured blocks, or named as they are. */
static bool add_predictions(struct cli *c, const char *spec, const struct input *in,
                            struct block_set *s, struct err *e)
{
    struct predictions theirs;
    const char *equals = strchr(spec, '=');
    if (!equals || equals == spec) {
        return err_set(e, ERR_RANGE, LOC_NONE, "--predictions: '%s' is not TOOL=FILE.csv", spec);
    }
    if (!predictions_read(equals + 1, c->arena, &theirs, e)) {
        return false;
    }
    double *cycles = unknown_cycles(c, in->n);
    const bool named = theirs.named && in->n > 0 && in->blocks[0].name;
    if (same_order(in, &theirs)) {
        for (size_t i = 0; i < in->n; i++) {
            cycles[i] = theirs.rows[i].cycles;
        }
    } else if (!named) {
        return err_set(e, ERR_RANGE, (struct loc){.file = equals + 1},
                       "%zu predictions without names for %zu blocks: give names, or as many",
                       theirs.n, in->n);
    } else if (!by_name(c, in, &theirs, cycles, e)) {
        return false;
    } else {
        name_strangers(c, spec, in, &theirs);
    }
    const char *name = arena_copy(c->arena, spec, (size_t)(equals - spec));
    s->tools[s->n_tools++] = (struct block_tool){name, cycles};
    return true;
}

static const char **codes_of(struct cli *c, const struct input *in)
{
    const char **codes = arena_new(c->arena, const char *, in->n + 1);
    for (size_t i = 0; i < in->n; i++) {
        codes[i] = in->blocks[i].code;
    }
    return codes;
}

/* A block's own code, or without any the loop that measure --blocks runs for its forms: which has a
 * hundred instructions and more, so that fewer trips of it do. */
static bool mca_codes_of(struct cli *c, const struct input *in, struct mca_codes *out,
                         struct err *e)
{
    struct mca_code *codes = arena_new(c->arena, struct mca_code, in->n + 1);
    struct block_kernels kernels;
    *out = (struct mca_codes){codes, in->n, 100};
    if (!block_kernels_open(&kernels, c->arena, e)) {
        return false;
    }
    for (size_t i = 0; i < in->n; i++) {
        codes[i] = (struct mca_code){in->blocks[i].code, 1};
        if (!codes[i].hex) {
            codes[i].hex = block_kernels_code(&kernels, &in->blocks[i], c->arena, &codes[i].copies);
            out->iterations = 40;
        }
    }
    block_kernels_close(&kernels);
    return true;
}

/* Blocks that a tool fails on count against its coverage; why it failed is said here. */
static void warn_of_gaps(struct cli *c, const struct block_tool *tool, int n, const char *complaint)
{
    int n_unknown = 0;
    for (int i = 0; i < n; i++) {
        n_unknown += isnan(tool->cycles[i]) != 0;
    }
    if (n_unknown > 0) {
        cli_warn(arena_format(c->arena, "%s predicts %d of %d blocks%s%s", tool->name,
                              n - n_unknown, n, complaint ? "; first complaint: " : "",
                              complaint ? complaint : ""));
    }
}

static bool add_mca(struct cli *c, const char *cpu, const struct input *in, struct block_set *s,
                    struct err *e)
{
    struct mca_codes codes;
    double *cycles = unknown_cycles(c, in->n);
    s->tools[s->n_tools++] =
        (struct block_tool){arena_format(c->arena, "llvm-mca %s", cpu), cycles};
    const char *complaint = NULL;
    if (!mca_codes_of(c, in, &codes, e) ||
        !mca_predict(&codes, cpu, c->arena, cycles, &complaint, e)) {
        return false;
    }
    warn_of_gaps(c, &s->tools[s->n_tools - 1], s->n, complaint);
    return true;
}

static bool add_osaca(struct cli *c, const char *arch, const struct input *in, struct block_set *s,
                      struct err *e)
{
    double *cycles = unknown_cycles(c, in->n);
    const char *name = *arch ? arena_format(c->arena, "osaca %s", arch) : "osaca";
    s->tools[s->n_tools++] = (struct block_tool){name, cycles};
    return osaca_predict(codes_of(c, in), in->n, *arch ? arch : NULL, c->arena, cycles, e);
}

/* --- the command --- */

/* The forms that bytes hold; none where they are no instructions of this architecture, which the
 * tools have to say. */
static void take_forms(struct cli *c, struct decoder *d, struct block *b)
{
    struct err none = {0};
    struct insn *insns;
    uint8_t *code;
    size_t len;
    int n;
    if (code_from_hex(b->code, b->code_loc, c->arena, &code, &len, &none) &&
        basic_decode(d, code, len, c->arena, &insns, &n, &none)) {
        b->forms = arena_new(c->arena, struct form_count, (size_t)n);
        b->n_forms = basic_forms(insns, n, b->forms);
    }
}

/* Blocks of which only the bytes are given get forms, to be counted and blamed. */
static bool decode_blocks(struct cli *c, const struct compare_blocks *o, struct input *in,
                          struct err *e)
{
    const struct choice first = {.machine = o->machines[0], .machines = o->folder};
    const struct machine *m = o->n_machines > 0 ? choice_machine(c, &first, NULL, e) : NULL;
    const bool a64 = m && strcmp(m->isa, "aarch64") == 0;
    struct decoder *d =
        e->code == ERR_NONE ? decoder_open(a64 ? ARCH_AARCH64 : ARCH_X86_64, e) : NULL;
    for (size_t i = 0; d && i < in->n; i++) {
        if (in->blocks[i].n_forms == 0 && in->blocks[i].code) {
            take_forms(c, d, &in->blocks[i]);
        }
    }
    decoder_close(d);
    return d != NULL;
}

static void take_rows(struct cli *c, const struct input *in, struct block_set *s)
{
    s->rows = arena_new(c->arena, struct block_row, in->n + 1);
    s->n = (int)in->n;
    for (size_t i = 0; i < in->n; i++) {
        const struct block *b = &in->blocks[i];
        double instructions = 0;
        for (int f = 0; f < b->n_forms; f++) {
            instructions += b->forms[f].count;
        }
        s->rows[i] = (struct block_row){
            .name = b->name ? b->name : arena_format(c->arena, "%zu", i + 1),
            .cycles = b->cycles,
            .weight = b->weight,
            .instructions = instructions,
            .forms = b->forms,
            .n_forms = b->n_forms,
        };
    }
}

static bool add_tools(struct cli *c, const struct compare_blocks *o, const struct input *in,
                      struct block_set *s, struct err *e)
{
    const int n_tools = o->n_machines + o->n_predictions + (o->mca != NULL) + (o->osaca != NULL);
    if (n_tools > BLOCK_TOOLS_MAX) {
        return err_set(e, ERR_RANGE, LOC_NONE, "at most %d tools", BLOCK_TOOLS_MAX);
    }
    for (int i = 0; i < o->n_machines; i++) {
        if (!add_machine(c, o->folder, o->machines[i], in, s, e)) {
            return false;
        }
    }
    if (n_tools == 0 && !add_machine(c, o->folder, NULL, in, s, e)) {
        return false;
    }
    for (int i = 0; i < o->n_predictions; i++) {
        if (!add_predictions(c, o->predictions[i], in, s, e)) {
            return false;
        }
    }
    return (!o->mca || add_mca(c, o->mca, in, s, e)) &&
           (!o->osaca || add_osaca(c, o->osaca, in, s, e));
}

static const struct block_format {
    const char *name;
    void (*write)(const struct block_set *s, struct text *out);
} formats[] = {
    {"terminal", block_set_text},
    {"json", block_set_json},
    {"csv", block_set_csv},
};

static const struct block_format *format_called(const char *name, struct err *e)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (!name || strcmp(formats[k].name, name) == 0) {
            return &formats[k];
        }
    }
    err_set(e, ERR_RANGE, LOC_NONE,
            "--blocks is reported as terminal, json or csv, not as %s; --heat-map draws", name);
    return NULL;
}

int compare_blocks(struct cli *c, const struct compare_blocks *o)
{
    struct err e = {0};
    struct input in = {0};
    struct block_set s = {0};
    struct text out = {.arena = c->arena}, map = {.arena = c->arena};
    const struct block_format *format = format_called(o->format, &e);
    if (!format || !read_blocks(c, o->blocks, &in, &e)) {
        return cli_fail(&e);
    }
    if (!decode_blocks(c, o, &in, &e)) {
        return cli_fail(&e);
    }
    take_rows(c, &in, &s);
    if (!add_tools(c, o, &in, &s, &e)) {
        return cli_fail(&e);
    }
    if (o->heat_map) {
        block_set_heat_map(&s, 0, &map);
        const int status = cli_write(o->heat_map, (struct bytes){map.data, map.len});
        if (status) {
            return status;
        }
    }
    format->write(&s, &out);
    return cli_print((struct bytes){out.data, out.len});
}
