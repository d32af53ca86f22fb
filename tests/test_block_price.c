/* The fast way of pricing blocks is the slow way, to the last bit: random blocks of each machine
 * file's forms, in many spellings, from a file that is read row by row. */
#include "base/random.h"
#include "compare/block_price.h"
#include "tests/formats.h"

#include <glob.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { BLOCKS = 400, TERMS_MAX = 14 };

/* A form as the file has it, or with capitals, blanks, or one letter wrong, so that it is
 * unknown. */
static void spell(struct random *r, const char *form, struct text *out)
{
    switch (random_below(r, 8)) {
    case 0:
        for (; *form; form++) {
            const char upper =
                (char)(*form >= 'a' && *form <= 'z' && *form != 'x' ? *form - 32 : *form);
            text_add_bytes(out, &upper, 1);
        }
        break;
    case 1:
        text_add(out, "  %s ", form);
        break;
    case 2:
        text_add(out, "q%s", form);
        break;
    default:
        text_add_text(out, form);
    }
}

static void write_blocks(const struct machine *m, struct random *r, struct text *out)
{
    static const char *const counts[] = {"", "1 ", "2 ", "3 ", "0.5 ", "1.25 ", "10 "};
    text_add_text(out, "block\n");
    for (int i = 0; i < BLOCKS; i++) {
        text_add_text(out, "\"");
        for (int k = 1 + random_below(r, TERMS_MAX); k > 0; k--) {
            text_add_text(out, counts[random_below(r, 7)]);
            spell(r, m->forms[random_below(r, m->n_forms)].form, out);
            text_add_text(out, k > 1 ? "; " : "\"\n");
        }
    }
}

/* Nothing is remembered from block to block, and every resource is added to. */
static void price_slowly(struct cost_table *t, const struct block *b, struct cost *cost,
                         double *dense)
{
    cost_clear(cost);
    cost_add_block(cost, b->forms, b->n_forms);
    for (int r = 0; r < cost_n_resources(t); r++) {
        dense[r] = 0;
        for (int i = 0; i < b->n_forms; i++) {
            dense[r] += b->forms[i].count * cost_of_form(t, b->forms[i].form)->cycles[r];
        }
    }
}

static bool equal(const struct cost *a, const struct cost *b, const double *dense)
{
    const size_t bytes = (size_t)cost_n_resources(a->table) * sizeof *dense;
    return a->slots == b->slots && a->n_unknown == b->n_unknown && a->n_items == b->n_items &&
           a->instructions == b->instructions && memcmp(a->cycles, b->cycles, bytes) == 0 &&
           memcmp(a->cycles, dense, bytes) == 0;
}

/* Which pairs fuse, tried one by one. */
static bool fuses(const struct machine *m, const char *first, const char *second)
{
    bool found = false;
    for (int i = 0; i < m->n_fusions; i++) {
        char one[FORM_SIZE], other[FORM_SIZE];
        found |= form_normalise(m->fusions[i].first, one) &&
                 form_normalise(m->fusions[i].second, other) && form_matches(one, first) &&
                 form_matches(other, second);
    }
    return found;
}

static void check_pairs(const struct machine *m, struct cost_table *t)
{
    static const char *const some[] = {"jnz rel", "jb rel",       "b.ne rel",          "cset r32",
                                       "jmp rel", "add r64, r64", "aesmc v.16b, v.16b"};
    int wrong = 0, n = 0;
    for (int f = 0; f < m->n_forms; f++) {
        char first[FORM_SIZE];
        for (size_t k = 0; form_normalise(m->forms[f].form, first) && k < COUNT(some); k++) {
            const bool want = fuses(m, first, some[k]);
            wrong += (cost_of_pair(t, first, some[k]) != NULL) != want;
            n += want;
        }
    }
    ok(wrong == 0, "  the %d pairs that fuse do, and no other", n);
}

static void check(const char *file, struct arena *a)
{
    struct random random = {42};
    struct text csv = {.arena = a};
    struct err e = {0};
    struct block b;
    char path[32];
    const struct machine *m = machine_read(test_file(file, a), file, a, &e);
    struct cost_table *fast = m ? cost_compile(m, cost_view_of(m), a, &e) : NULL;
    struct cost_table *slow = fast ? cost_compile(m, cost_view_of(m), a, &e) : NULL;
    if (!test_fine(&e, file)) {
        return;
    }
    check_pairs(m, slow);
    write_blocks(m, &random, &csv);
    const int fd = memfd_create("blocks", MFD_CLOEXEC);
    ok(write(fd, csv.data, csv.len) == (ssize_t)csv.len, "  blocks are written");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct block_reader *reader = blocks_open(path, a, &e);
    struct block_pricer p = block_pricer_open(fast, test_arena());
    struct cost cost = cost_new(slow);
    double *dense = arena_new(a, double, (size_t)cost_n_resources(slow));
    int n = 0, wrong = 0, known = 0;
    while (reader && blocks_next(reader, a, &b, &e)) {
        struct ceiling_bound one, other;
        struct text words = {.arena = a}, more = words;
        price_slowly(slow, &b, &cost, dense);
        const bool good = block_price(&p, &b, &one, &e) && ceiling_of_cost(&cost, &other, &e);
        ceiling_words(&p.cost, &one, &words);
        ceiling_words(&cost, &other, &more);
        wrong += !good || !equal(&p.cost, &cost, dense) || strcmp(words.data, more.data) != 0 ||
                 memcmp(&one.cycles, &other.cycles, sizeof one.cycles) != 0;
        known += cost.n_unknown == 0;
        n++;
    }
    ok(n == BLOCKS && wrong == 0, "  %d blocks cost the same either way (%d of known forms)", n,
       known);
    blocks_close(reader);
    arena_release(p.scratch);
    block_pricer_close(&p);
    close(fd);
}

int main(void)
{
    struct arena *a = test_arena();
    glob_t found;
    glob("machines/*.yaml", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check(found.gl_pathv[i], a);
    }
    ok(found.gl_pathc > 5, "machine files were found");
    globfree(&found);
    arena_release(a);
    return tap_done();
}
