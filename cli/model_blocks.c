#include "cli/model_blocks.h"

#include "compare/block_price.h"
#include "compare/csv.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The times of blocks are few distinct numbers, and to write one with all its digits takes longer
 * than to find it. */
enum { NUMBERS = 1024 };

struct written_number {
    double value;
    char text[TEXT_NUMBER_SIZE]; /* "": a free place */
};

struct printer {
    struct block_pricer pricer;
    struct text out, words;         /* what is not written yet; of the block in hand */
    struct written_number *numbers; /* [NUMBERS], by hash */
};

static const char *number_text(struct printer *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct written_number *n = &p->numbers[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (!*n->text || n->value != value) {
        n->value = value;
        text_number(value, n->text);
    }
    return n->text;
}

static void begin(struct cli *c, struct cost_table *t, struct printer *p)
{
    struct arena *scratch = arena_create((size_t)1 << 28, cli_out_of_memory, NULL);
    if (!scratch) {
        cli_out_of_memory(NULL);
    }
    *p = (struct printer){.pricer = block_pricer_open(t, scratch),
                          .out.arena = c->arena,
                          .words.arena = c->arena,
                          .numbers = arena_new(c->arena, struct written_number, NUMBERS)};
    text_add_text(&p->out, "block,cycles_per_block,binds,unknown_forms\n");
}

static void end(struct cli *c, struct printer *p)
{
    const struct machine *m = cost_machine(p->pricer.cost.table);
    cli_warn(block_signs_doubt(&p->pricer.signs, m, c->arena));
    struct arena *scratch = p->pricer.scratch;
    block_pricer_close(&p->pricer);
    arena_release(scratch);
}

/* Prints what there is, and begins anew in the same memory. */
static int flush(struct printer *p)
{
    const struct bytes ready = {p->out.data, p->out.len};
    p->out.len = 0;
    return cli_print(ready);
}

static bool add_block(struct printer *p, const struct block *b, size_t number, struct err *e)
{
    const struct cost *cost = &p->pricer.cost;
    struct ceiling_bound bound;
    if (!block_price(&p->pricer, b, &bound, e)) {
        return false;
    }
    const bool known = cost->n_unknown == 0;
    p->words.len = 0;
    text_add_bytes(&p->words, "", 0);
    if (known) {
        ceiling_words(cost, &bound, &p->words);
    } else {
        cost_name_unknown(cost, &p->words);
    }
    if (b->name) {
        csv_field(&p->out, b->name);
    } else {
        text_add_count(&p->out, number);
    }
    csv_field(&p->out, known ? number_text(p, bound.cycles) : "");
    csv_field(&p->out, known ? p->words.data : "");
    csv_field(&p->out, known ? "" : p->words.data);
    text_add_bytes(&p->out, "\n", 1);
    return true;
}

int model_blocks(struct cli *c, struct cost_table *t, const char *path)
{
    enum { FLUSH_BYTES = 1 << 16 };
    struct printer p;
    struct err e = {0};
    struct block b;
    struct arena *row = arena_create((size_t)1 << 30, cli_out_of_memory, NULL);
    if (!row) {
        cli_out_of_memory(NULL);
    }
    begin(c, t, &p);
    struct block_reader *reader = blocks_open(path, c->arena, &e);
    int status = EXIT_FINE;
    for (size_t n = 1; reader && status == EXIT_FINE && blocks_next(reader, row, &b, &e); n++) {
        if (!add_block(&p, &b, n, &e)) {
            break;
        }
        arena_clear(row);
        status = p.out.len > FLUSH_BYTES ? flush(&p) : EXIT_FINE;
    }
    blocks_close(reader);
    if (status == EXIT_FINE) {
        status = e.code ? cli_fail(&e) : flush(&p);
    }
    end(c, &p);
    arena_release(row);
    return status;
}

bool model_block_parse(struct cli *c, const char *text, struct block *out, struct err *e)
{
    return block_parse(text, (struct loc){.file = "--block", .line = 1, .column = 1}, c->arena, out,
                       e);
}

int model_block_csv(struct cli *c, struct cost_table *t, const char *text)
{
    struct printer p;
    struct err e = {0};
    struct block b;
    begin(c, t, &p);
    const bool fine = model_block_parse(c, text, &b, &e) && add_block(&p, &b, 1, &e);
    const bool known = p.pricer.cost.n_unknown == 0;
    end(c, &p);
    const int status = fine ? flush(&p) : cli_fail(&e);
    return status ? status : known ? EXIT_FINE : EXIT_FINDING;
}
