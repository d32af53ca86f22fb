#include "cli/block_sample.h"
#include "cli/cli.h"
#include "cli/hits.h"
#include "code/basic.h"
#include "code/object.h"
#include "compare/csv.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BINARY_BYTES_MAX ((size_t)1 << 30)

struct options {
    const char **files;
    int n_files;
    const char *counts, *perf;
    long least, most, sample;
};

enum { KEY_LEAST = 256, KEY_MOST, KEY_SAMPLE, KEY_COUNTS, KEY_PERF };

static const struct argp_option option_table[] = {
    {"least", KEY_LEAST, "N", 0, "leave out blocks of fewer instructions (1)", 0},
    {"most", KEY_MOST, "N", 0, "leave out blocks of more instructions (256)", 0},
    {"sample", KEY_SAMPLE, "N", 0,
     "N different blocks of all, as good as drawn at random, the same every time (all blocks)", 0},
    {"counts", KEY_COUNTS, "FILE", 0,
     "weights: CSV with count, how often an instruction is executed, and its address, offset in "
     "the "
     "file, or symbol",
     0},
    {"perf", KEY_PERF, "FILE", 0, "weights: the samples in a file that perf record has written", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err e = {0};
    switch (key) {
    case KEY_LEAST:
        cli_integer("--least", arg, 1, BASIC_INSNS_MAX, &o->least, &e);
        break;
    case KEY_MOST:
        cli_integer("--most", arg, 1, BASIC_INSNS_MAX, &o->most, &e);
        break;
    case KEY_SAMPLE:
        cli_integer("--sample", arg, 1, 1000000, &o->sample, &e);
        break;
    case KEY_COUNTS:
        o->counts = arg;
        break;
    case KEY_PERF:
        o->perf = arg;
        break;
    case ARGP_KEY_END:
        if (o->counts && o->perf) {
            argp_error(state, "--counts or --perf: one of them at a time");
        }
        break;
    case ARGP_KEY_ARGS:
        o->files = (const char **)(state->argv + state->next);
        o->n_files = state->argc - state->next;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which binaries? gambrel blocks BINARY...");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (e.code) {
        argp_error(state, "%s", e.text);
    }
    return 0;
}

const struct argp argp_blocks = {
    .options = option_table,
    .parser = parse,
    .args_doc = "BINARY...",
    .doc =
        "Extracts the basic blocks of programs and object files, as CSV with the columns name, "
        "weight, code and block: to give to model --blocks, or to measure.  Branches, calls and "
        "returns are left out.  The weight is 10 for each loop around a block, by its place in the "
        "code: nothing is run.  With --counts it is how often the block is executed, the most of "
        "its "
        "instructions, with --perf how many samples it has, which is time; blocks without any are "
        "then "
        "left out.  Of several files those that are no such programs, as scripts, are "
        "left out.",
};

/* What goes on from file to file. */
struct extraction {
    const struct options *o;
    struct block_sample *sample;   /* NULL: every block is printed */
    const struct profile *profile; /* NULL: none */
    struct hits hits;              /* of the file in hand */
    double taken;                  /* counts of the profile that fell into a block */
    struct text out;               /* what is not printed yet */
    int status;
    int n_other; /* files that are not ELF */
    const char *other;
};

static void print_block(struct extraction *x, const struct sampled_block *b)
{
    enum { FLUSH_BYTES = 1 << 16 };
    char weight[TEXT_NUMBER_SIZE];
    csv_field(&x->out, b->name);
    csv_field(&x->out, text_number(b->weight, weight));
    csv_field(&x->out, b->code);
    text_add_text(&x->out, ",\"");
    text_add_text(&x->out, b->forms);
    text_add_text(&x->out, "\"\n");
    if (x->out.len > FLUSH_BYTES && x->status == EXIT_FINE) {
        x->status = cli_print((struct bytes){x->out.data, x->out.len});
        x->out.len = 0;
    }
}

static const char *forms_text(const struct insn *insns, int n_insns, struct arena *a)
{
    struct form_count *forms = arena_new(a, struct form_count, (size_t)n_insns);
    struct text t = {.arena = a};
    const int n = basic_forms(insns, n_insns, forms);
    for (int k = 0; k < n; k++) {
        text_add_text(&t, k ? "; " : "");
        text_add_g(&t, forms[k].count);
        text_add_text(&t, " ");
        text_add_text(&t, forms[k].form);
    }
    return t.data;
}

static void take_block(struct extraction *x, const char *file, const struct basic_block *b,
                       const struct insn *insns, struct arena *row)
{
    const double weight = x->profile
                              ? hits_in(&x->hits, b->address, b->address + b->span, &x->taken)
                              : basic_weight(b->depth);
    if (weight == 0) {
        return;
    }
    const struct sampled_block block = {
        .weight = weight,
        .name = arena_format(row, "%s:0x%llx", file, (unsigned long long)b->address),
        .code = text_hex(b->code, b->len, row),
        .forms = forms_text(insns, b->n_insns, row),
    };
    if (x->sample) {
        block_sample_add(x->sample, &block);
    } else {
        print_block(x, &block);
    }
}

/* As it goes: memory is that of one section and one block. */
static bool take_section(struct extraction *x, const char *file, const struct object_function *s,
                         enum code_arch arch, struct arena *a, struct err *e)
{
    struct basic_block *blocks = NULL;
    int n = 0;
    struct arena *row = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
    struct decoder *d = decoder_open(arch, e);
    if (!row) {
        cli_out_of_memory(NULL);
    }
    if (d && basic_blocks(s->code, s->len, s->address, arch, a, &blocks, &n, e)) {
        for (int k = 0; k < n && x->status == EXIT_FINE; k++) {
            struct insn *insns;
            struct err too_long = {0};
            int n_insns;
            arena_clear(row);
            if (blocks[k].n_insns >= x->o->least && blocks[k].n_insns <= x->o->most &&
                basic_decode(d, blocks[k].code, blocks[k].len, row, &insns, &n_insns, &too_long)) {
                take_block(x, file, &blocks[k], insns, row);
            }
        }
    }
    decoder_close(d);
    arena_release(row);
    return e->code == ERR_NONE;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Of several files, what is no program that can be read here is left out and counted. */
static bool read_object(struct extraction *x, const char *path, struct arena *a,
                        struct bytes *input, struct object *out, struct err *e)
{
    struct err unread = {0};
    const bool several = x->o->n_files > 1;
    const bool folder = several && is_folder(path);
    if (!folder && !file_read_most(path, BINARY_BYTES_MAX, a, input, e)) {
        return false;
    }
    if (!folder && object_sections(*input, path, a, out, &unread)) {
        return true;
    }
    if (!several) {
        *e = unread;
        return false;
    }
    *out = (struct object){0};
    x->n_other++;
    x->other = x->other ? x->other : path;
    return true;
}

static bool take_file(struct extraction *x, const char *path, struct err *e)
{
    struct bytes input = {0};
    struct object object = {0};
    struct arena *a = arena_create((size_t)4 << 30, cli_out_of_memory, NULL);
    if (!a) {
        cli_out_of_memory(NULL);
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    bool fine = read_object(x, path, a, &input, &object, e);
    if (fine && x->profile) {
        const struct hits_of of = {x->profile, name, x->o->n_files > 1, input, path, &object};
        fine = hits_find(&of, a, &x->hits, e);
    }
    for (int k = 0; fine && k < object.n && x->status == EXIT_FINE; k++) {
        fine = take_section(x, name, &object.functions[k], object.arch, a, e);
    }
    arena_release(a);
    return fine;
}

static void warn_of_others(const struct extraction *x)
{
    if (x->n_other > 0) {
        fprintf(stderr,
                "gambrel: warning: %d of %d files are no 64-bit ELF files of x86-64 or AArch64 and "
                "left out, %s first\n",
                x->n_other, x->o->n_files, x->other);
    }
}

/* The file of counts or of perf; nothing for neither. */
static bool read_profile(struct cli *c, const struct options *o, struct profile *out, struct err *e)
{
    struct bytes input;
    if (o->counts) {
        return profile_read_counts(o->counts, c->arena, out, e);
    }
    return !o->perf || (file_read_most(o->perf, BINARY_BYTES_MAX, c->arena, &input, e) &&
                        profile_read_perf(input, o->perf, c->arena, out, e));
}

/* What of the profile is not in the blocks. */
static void say_profile(const struct profile *p, double taken)
{
    double all = p->elsewhere;
    for (size_t k = 0; k < p->n; k++) {
        all += p->spots[k].count;
    }
    if (all > taken) {
        fprintf(stderr, "gambrel: warning: %.3g of %.6g %s are in no block that was taken\n",
                all - taken, all, p->n_events ? "samples" : "counts");
    }
    if (p->n_events > 1) {
        cli_warn("samples of several events are added up; perf record -e of one tells them apart");
    }
}

static int print_sample(struct extraction *x)
{
    for (size_t i = 0; x->sample && i < x->sample->n; i++) {
        print_block(x, &x->sample->blocks[i]);
    }
    return x->status ? x->status : cli_print((struct bytes){x->out.data, x->out.len});
}

int cmd_blocks(struct cli *c, int argc, char **argv)
{
    struct options o = {.least = 1, .most = 256};
    struct block_sample sample = {0};
    struct profile profile = {0};
    struct err e = {0};
    argp_parse(&argp_blocks, argc, argv, 0, NULL, &o);
    struct extraction x = {.o = &o,
                           .sample = o.sample ? &sample : NULL,
                           .profile = o.counts || o.perf ? &profile : NULL,
                           .out.arena = c->arena};
    if (!read_profile(c, &o, &profile, &e)) {
        return cli_fail(&e);
    }
    if (o.sample) {
        block_sample_open(&sample, (size_t)o.sample);
    }
    text_add_text(&x.out, "name,weight,code,block\n");
    for (int i = 0; i < o.n_files && x.status == EXIT_FINE && !e.code; i++) {
        take_file(&x, o.files[i], &e);
    }
    if (o.sample) {
        block_sample_finish(&sample);
    }
    warn_of_others(&x);
    if (x.profile && !e.code) {
        say_profile(x.profile, x.taken);
    }
    const int status = e.code ? cli_fail(&e) : print_sample(&x);
    if (o.sample) {
        block_sample_close(&sample);
    }
    return status;
}
