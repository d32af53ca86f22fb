/* What inferred resources stand for: the dual of a port mapping, its names taken away, must get
 * them back. */
#include "code/form.h"
#include "model/cost_table.h"
#include "model/meaning.h"
#include "tests/formats.h"
#include "tests/palmed.h"

#include <math.h>
#include <string.h>

static struct machine *read_text(const char *text, struct arena *a)
{
    struct err e = {0};
    struct machine *m = machine_read((struct bytes){text, strlen(text)}, "test.yaml", a, &e);
    if (!m) {
        printf("Bail out! %s\n", e.text);
        exit(1);
    }
    return m;
}

/* With a front end. */
static const char figure_1[] =
    PALMED_FIGURE_1("dispatch_width: 2.5, ") "  - {form: nop, uops: []}\n";

#define INFERRED "format: gambrel-machine-1\nname: inferred\nisa: x86-64\nsources: {resources: r}\n"

static const struct machine_meaning *meaning(const struct meanings *found, const char *resource)
{
    for (int i = 0; i < found->n; i++) {
        if (strcmp(found->list[i].resource, resource) == 0) {
            return &found->list[i];
        }
    }
    return NULL;
}

static void test_figure_1(struct arena *a)
{
    static const char dual[] = INFERRED "resources:\n"
                                        "  - {form: divps, uses: {A: 4, D: 2, E: 2, G: 0.4}}\n"
                                        "  - {form: bsr, uses: {B: 1, D: 0.5, G: 0.4}}\n"
                                        "  - {form: jmp, uses: {C: 1, E: 0.5, G: 0.4}}\n"
                                        "  - {form: jnle, uses: {E: 0.5, G: 0.4}}\n"
                                        "  - {form: addss, uses: {D: 0.5, G: 0.4}}\n"
                                        "  - {form: nop, uses: {G: 0.4}}\n"
                                        "  - {form: frob, uses: {F: 1}}\n";
    static const struct {
        const char *resource, *ports, *blocked_by;
    } wanted[] = {{"A", "P0", "divps"},    {"B", "P1", "bsr"},     {"C", "P6", "jmp"},
                  {"D", "P0|P1", "addss"}, {"E", "P0|P6", "jnle"}, {"G", "front end", "nop"}};
    struct err e = {0};
    struct meanings found;
    const struct machine *m = read_text(dual, a);
    ok(meanings_find(m, read_text(figure_1, a), a, &found, &e), "explained");
    ok(found.n_common == 6, "by the forms that both know");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct machine_meaning *one = meaning(&found, wanted[i].resource);
        is_text(one ? one->ports : NULL, wanted[i].ports, wanted[i].resource);
        ok(one && one->match == 1, "an exact match");
        is_text(one ? one->blocked_by : NULL, wanted[i].blocked_by, "and what blocks it");
        is_text(one ? one->source : NULL, "figure-1", "and where the ports are documented");
    }
    ok(!meaning(&found, "F"), "a resource of forms that the other file lacks is not explained");
}

static void test_doubt(struct arena *a)
{
    /* R is P1 but for addss, which uses it all of its time; S is nothing that there is. */
    static const char blurred[] = INFERRED "resources:\n"
                                           "  - {form: bsr, uses: {R: 1}}\n"
                                           "  - {form: addss, uses: {R: 0.5}}\n"
                                           "  - {form: divps, uses: {T: 4, S: 0.4}}\n"
                                           "  - {form: jnle, uses: {U: 0.5, S: 0.1}}\n";
    struct err e = {0};
    struct meanings found;
    meanings_find(read_text(blurred, a), read_text(figure_1, a), a, &found, &e);
    const struct machine_meaning *r = meaning(&found, "R");
    ok(r && r->match < 1 && r->match >= MEANING_MATCH_MIN, "a blurred resource, and how alike");
    ok(!meaning(&found, "S"), "no name where nothing is alike");
}

/* Every shipped port file against its own dual. */
static void test_dual(const char *name, struct arena *a)
{
    struct err e = {0};
    struct meanings found;
    const char *path = arena_format(a, "machines/%s.yaml", name);
    const struct machine *m = machine_read(test_file(path, a), path, a, &e);
    struct cost_table *t = m ? cost_compile(m, COST_PORTS, a, &e) : NULL;
    struct machine *dual = machine_new(a);
    if (!t) {
        ok(false, "%s: %s", name, e.text);
        return;
    }
    const int n = cost_n_resources(t);
    dual->name = "dual";
    dual->isa = m->isa;
    dual->resources = arena_alloc(a, (size_t)n, sizeof *dual->resources);
    dual->forms = arena_new(a, struct machine_form, (size_t)m->n_forms);
    for (dual->n_resources = 0; dual->n_resources < n; dual->n_resources++) {
        dual->resources[dual->n_resources] = arena_format(a, "R%d", dual->n_resources);
    }
    for (int i = 0; i < m->n_forms; i++) {
        char form[FORM_SIZE];
        struct machine_form *f = &dual->forms[dual->n_forms];
        if (!m->forms[i].has_uops || !form_instance(m->forms[i].form, 0, form)) {
            continue;
        }
        const struct cost_row *row = cost_of_form(t, form);
        *f = (struct machine_form){
            .form = arena_format(a, "%s", form), .slots = 1, .source = "dual"};
        f->uses = arena_new(a, struct machine_use, (size_t)n);
        for (int r = 0; r < n; r++) {
            if (row->cycles[r] > 0) {
                f->uses[f->n_uses++] = (struct machine_use){r, row->cycles[r]};
            }
        }
        dual->n_forms += f->n_uses > 0;
    }
    ok(meanings_find(dual, m, a, &found, &e), "%s: explained by itself: %s", name, e.text);
    int exact = 0, right = 0;
    for (int i = 0; i < found.n; i++) {
        const int r = atoi(found.list[i].resource + 1);
        const bool front_end = strcmp(found.list[i].ports, "front end") == 0;
        exact += found.list[i].match > 0.999;
        right += front_end == (cost_resources(t)[r].ports == 0);
    }
    ok(found.n > 3 && exact == found.n && right == found.n, "%s: %d of %d resources, each exactly",
       name, found.n, n);
}

static void test_refused(struct arena *a)
{
    static const char dual[] = INFERRED "resources:\n  - {form: bsr, uses: {R: 1}}\n";
    struct err e = {0}, other = {0};
    struct meanings found;
    ok(!meanings_find(read_text(figure_1, a), read_text(figure_1, a), a, &found, &e) &&
           e.code == ERR_MODEL,
       "a file without resources has none to explain");
    ok(!meanings_find(read_text(dual, a), read_text(dual, a), a, &found, &other) &&
           other.code == ERR_MODEL,
       "a file without ports explains nothing");
}

int main(void)
{
    static const char *const machines[] = {"skylake-sp", "zen5-server", "neoverse-n1"};
    struct arena *a = test_arena();
    test_figure_1(a);
    test_doubt(a);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        test_dual(machines[i], a);
    }
    test_refused(a);
    arena_release(a);
    return tap_done();
}
