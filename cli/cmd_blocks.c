#include "cli/cli.h"
#include "code/basic.h"
#include "code/object.h"
#include "compare/csv.h"

#include <stdio.h>
#include <string.h>

struct options {
    const char **files;
    int n_files;
    long least, most;
};

enum { KEY_LEAST = 256, KEY_MOST };

static const struct argp_option option_table[] = {
    {"least", KEY_LEAST, "N", 0, "leave out blocks of fewer instructions (1)", 0},
    {"most", KEY_MOST, "N", 0, "leave out blocks of more instructions (256)", 0},
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
        "code: nothing is run.",
};

static void csv_block(const char *file, const struct basic_block *b, const struct insn *insns,
                      struct text *out)
{
    struct form_count *forms = arena_new(out->arena, struct form_count, (size_t)b->n_insns);
    const int n = basic_forms(insns, b->n_insns, forms);
    text_add(out, "%s:0x%llx,%g,", file, (unsigned long long)b->address, basic_weight(b->depth));
    for (size_t k = 0; k < b->len; k++) {
        text_add(out, "%02x", b->code[k]);
    }
    text_add(out, ",\"");
    for (int k = 0; k < n; k++) {
        text_add(out, "%s%g %s", k ? "; " : "", forms[k].count, forms[k].form);
    }
    text_add(out, "\"\n");
}

/* Prints as it goes: memory is that of one section and one block. */
static int print_section(const char *file, const struct object_function *s, enum code_arch arch,
                         const struct options *o, struct arena *a)
{
    struct err e = {0};
    struct basic_block *blocks = NULL;
    int n = 0, status = EXIT_FINE;
    struct arena *row = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
    struct decoder *d = decoder_open(arch, &e);
    if (!row) {
        cli_out_of_memory(NULL);
    }
    if (d && basic_blocks(s->code, s->len, s->address, arch, a, &blocks, &n, &e)) {
        for (int k = 0; k < n && status == EXIT_FINE; k++) {
            struct insn *insns;
            struct text out = {.arena = row};
            int n_insns;
            arena_clear(row);
            if (blocks[k].n_insns < o->least || blocks[k].n_insns > o->most ||
                !basic_decode(d, blocks[k].code, blocks[k].len, row, &insns, &n_insns, &e)) {
                e = (struct err){0}; /* too long for one block */
                continue;
            }
            csv_block(file, &blocks[k], insns, &out);
            status = cli_print((struct bytes){out.data, out.len});
        }
    }
    decoder_close(d);
    arena_release(row);
    return e.code ? cli_fail(&e) : status;
}

static int print_file(const char *path, const struct options *o)
{
    struct err e = {0};
    struct bytes input;
    struct object object = {0};
    struct arena *a = arena_create((size_t)4 << 30, cli_out_of_memory, NULL);
    int status = EXIT_FINE;
    if (!a) {
        cli_out_of_memory(NULL);
    }
    const char *slash = strrchr(path, '/');
    if (!file_read(path, a, &input, &e) || !object_sections(input, path, a, &object, &e)) {
        status = cli_fail(&e);
    }
    for (int k = 0; status == EXIT_FINE && k < object.n; k++) {
        status = print_section(slash ? slash + 1 : path, &object.functions[k], object.arch, o, a);
    }
    arena_release(a);
    return status;
}

int cmd_blocks(struct cli *c, int argc, char **argv)
{
    struct options o = {.least = 1, .most = 256};
    (void)c;
    argp_parse(&argp_blocks, argc, argv, 0, NULL, &o);
    printf("name,weight,code,block\n");
    int status = EXIT_FINE;
    for (int i = 0; i < o.n_files && status == EXIT_FINE; i++) {
        status = print_file(o.files[i], &o);
    }
    return status;
}
