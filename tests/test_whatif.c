/* What-if on recorded runs: what a change must do to each rung, and must not. */
#include "compare/documented.h"
#include "compare/join.h"
#include "compare/link.h"
#include "compare/reliefs.h"
#include "tests/formats.h"

static const char fmla[] = "fmla v.4s, v.4s, v.4s";

struct files {
    struct kernels *kernels;
    struct machine *apple, *zen5;
    struct run *article, *guest;
    struct arena *arena;
};

static bool read_files(struct files *f)
{
    static const char kernels[] = "kernels.yaml",
                      apple[] = "tests/recorded/machines/apple-m4-pro.yaml",
                      zen5[] = "tests/recorded/machines/zen5-server.yaml",
                      article[] = "results/apple-m4-pro-article.yaml",
                      guest[] = "tests/recorded/x86-guest.yaml";
    struct err e = {0};
    struct arena *a = f->arena = test_arena();
    f->kernels = kernels_read(test_file(kernels, a), kernels, a, &e);
    f->apple = machine_read(test_file(apple, a), apple, a, &e);
    f->zen5 = machine_read(test_file(zen5, a), zen5, a, &e);
    f->article = run_read(test_file(article, a), article, a, &e);
    f->guest = run_read(test_file(guest, a), guest, a, &e);
    return test_fine(&e, "the files are read");
}

static struct subject subject_of(const struct comparison *c, const char *kernel, const char *isa,
                                 const char *level, int threads)
{
    return (struct subject){.evidence = c->evidence,
                            .kernel = kernels_find(c->kernels, kernel),
                            .isa = isa,
                            .level = level,
                            .threads = threads};
}

static double rung_rate(const struct climb *c, int r)
{
    return c->ladder.rungs[r].ceiling.rate;
}

static double alone(const struct climb *c, int r)
{
    return c->ladder.rungs[r].own.rate;
}

/* The ladder after one change; a failure is shown. */
static struct climb after(const struct subject *s, struct change change, const char *name)
{
    struct err e = {0};
    struct climb c = {0};
    whatif_climb(s, &change, 1, &c, &e);
    test_fine(&e, name);
    return c;
}

/* Without a change it is the ladder of the report, whatever was changed before. */
static void check_unchanged(const struct comparison *c)
{
    bool same = true;
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        const struct subject s = subject_of(c, r->name, r->isa, r->level, r->threads);
        const struct change slow = {CHANGE_CORE, "dispatch_width", 1};
        struct climb now, ignored;
        struct err e = {0};
        whatif_climb(&s, &slow, 1, &ignored, &e);
        whatif_climb(&s, NULL, 0, &now, &e);
        for (int k = 0; k < RUNGS && e.code == ERR_NONE; k++) {
            const double want = r->ladder.rungs[k].ceiling.rate, got = rung_rate(&now, k);
            same &= got == want || (isnan(got) && isnan(want));
        }
        same &= e.code == ERR_NONE;
    }
    ok(same && c->n_rows > 0, "no change: the %d ladders of the report", c->n_rows);
}

/* Relieving a row of the core never lowers a ceiling. */
static void check_reliefs(const struct comparison *c)
{
    int n = 0, wrong = 0, unsorted = 0;
    for (int i = 0; i < c->n_rows; i++) {
        const struct row *r = &c->rows[i];
        const struct subject s = subject_of(c, r->name, r->isa, r->level, r->threads);
        struct climb now;
        struct err e = {0};
        whatif_climb(&s, NULL, 0, &now, &e);
        const struct reliefs reliefs = reliefs_of(&now);
        for (int k = 0; k < reliefs.n; k++) {
            const struct relief *relief = &reliefs.list[k];
            const bool another = relief->change.kind == CHANGE_ISA;
            n++;
            if (!another && relief->gain < -1e-6) {
                printf("# %s %s %s %d: %s: %g\n", r->name, r->isa, r->level, r->threads,
                       relief->what, relief->gain);
                wrong++;
            }
            unsorted += k > 0 && relief->gain > reliefs.list[k - 1].gain + 1e-8;
        }
    }
    ok(n > 0 && wrong == 0, "none of %d reliefs lowers a ceiling", n);
    ok(unsorted == 0, "the best one first");
}

static void check_core(const struct comparison *c)
{
    const struct subject s = subject_of(c, "poly", "neon", "L1", 1);
    struct err e = {0};
    struct climb now;
    whatif_climb(&s, NULL, 0, &now, &e);
    const double slots = now.mix.cost.slots;
    const struct climb six =
        after(&s, (struct change){CHANGE_CORE, "dispatch_width", 6}, "dispatch width 6");
    is_near(six.mix.cycles_per_iter, slots / 6, 1e-9, "slots over the width bind");
    is_near(alone(&six, RUNG_PORTS), alone(&now, RUNG_PORTS) * now.mix.cycles_per_iter * 6 / slots,
            1e-9, "and the ports rung falls as far");
    is_near(alone(&six, RUNG_COMPUTE), alone(&now, RUNG_COMPUTE), 0,
            "the compute roof, 88 slots in 20 cycles, stays");
    is_near(alone(&six, RUNG_CHAINS), alone(&now, RUNG_CHAINS), 0, "so do chains");
    const struct climb slower = after(
        &s, (struct change){CHANGE_CLOCK, "clock_hz.one_core", now.clock.hz / 2}, "half the clock");
    for (int r = 0; r < RUNG_STREAMS; r++) {
        is_near(alone(&slower, r), alone(&now, r) / 2, 1e-9, rung_names[r]);
    }
    const struct subject memory = subject_of(c, "saxpy", "neon", "DRAM", 1);
    struct climb before;
    whatif_climb(&memory, NULL, 0, &before, &e);
    const struct climb same = after(
        &memory, (struct change){CHANGE_CLOCK, "clock_hz.one_core", now.clock.hz / 2}, "from DRAM");
    is_near(alone(&same, RUNG_MEMORY), alone(&before, RUNG_MEMORY), 0, "memory keeps its rate");
}

static void check_ports(const struct comparison *c)
{
    const struct subject s = subject_of(c, "fma_stream", "neon", "L1", 1);
    const struct machine *m = c->machine;
    struct err e = {0};
    struct climb now;
    int fp0 = 0;
    while (strcmp(m->ports[fp0], "FP0") != 0) {
        fp0++;
    }
    whatif_climb(&s, NULL, 0, &now, &e);
    const struct climb five = after(&s, (struct change){CHANGE_PORT, "FP0", fp0}, "a fifth pipe");
    is_near(alone(&five, RUNG_PORTS), alone(&now, RUNG_PORTS) * 5 / 4, 1e-9,
            "80 fmla on five pipes");
    is_near(alone(&five, RUNG_COMPUTE), alone(&now, RUNG_COMPUTE) * 5 / 4, 1e-9,
            "the compute roof moves as its loop does");
    ok(alone(&five, RUNG_CHAINS) < alone(&five, RUNG_COMPUTE),
       "but twenty chains fill five pipes less well than four");
    ok(m->n_ports == c->machine->n_ports && now.mix.cycles_per_iter == 20,
       "the machine is as it was");
}

static void check_loop(const struct comparison *c)
{
    const struct subject s = subject_of(c, "poly", "neon", "L1", 1);
    struct err e = {0};
    struct climb now;
    struct chain_link link, slow_link;
    whatif_climb(&s, NULL, 0, &now, &e);
    const struct climb free_moves =
        after(&s, (struct change){CHANGE_DROP, "mov v.16b, v.16b", 0}, "moves cost nothing");
    is_near(free_moves.mix.cost.slots, now.mix.cost.slots - 396, 1e-9,
            "24 in 16 trips and 12 more");
    const struct climb twenty = after(&s, (struct change){CHANGE_CHAINS, "", 20}, "twenty chains");
    is_near(alone(&twenty, RUNG_CHAINS), alone(&now, RUNG_COMPUTE), 1e-9, "reach the compute roof");
    is_near(alone(&twenty, RUNG_PORTS), alone(&now, RUNG_PORTS), 0, "and leave ports alone");
    const struct climb slow = after(&s, (struct change){CHANGE_LATENCY, fmla, 4}, "latency 4");
    ok(chain_link_find(s.evidence, s.kernel, "neon", &link) && link.latency == 3 &&
           link.chains == 12,
       "chains of fmla, latency 3");
    ok(chain_link_find(slow.subject.evidence, s.kernel, "neon", &slow_link), "and then 4");
    is_near(chain_link_allows(&link, 12, link.latency), 1, 1e-9, "which allow 1.00");
    is_near(chain_link_allows(&slow_link, 12, slow_link.latency), 0.75, 1e-9, "and then 0.75");
    is_near(slow.subject.evidence->chain_worth, 0.75, 1e-9, "a chain is worth 3/4 on the curve");
    ok(alone(&slow, RUNG_CHAINS) < alone(&now, RUNG_CHAINS), "so the chains rung falls");
}

static void check_vector(const struct comparison *c)
{
    const struct subject s = subject_of(c, "stencil", "avx512", "L1", 1);
    struct err e = {0};
    struct climb now;
    whatif_climb(&s, NULL, 0, &now, &e);
    const struct climb half = after(&s, (struct change){CHANGE_ISA, "avx2", 0}, "256 bits");
    ok(strcmp(half.subject.isa, "avx2") == 0, "of another body");
    is_near(alone(&half, RUNG_COMPUTE), alone(&now, RUNG_COMPUTE) / 2, 1e-9,
            "half the compute roof, though none was measured");
    const struct climb free_lines =
        after(&s, (struct change){CHANGE_CROSSINGS, "", 0}, "no crossing");
    is_near(free_lines.mix.cycles_per_iter, 28, 1e-9, "56 loads on two ports");
    const struct change both[] = {{CHANGE_ISA, "avx2", 0}, {CHANGE_CROSSINGS, "", 0}};
    struct climb two;
    whatif_climb(&s, both, 2, &two, &e);
    is_near(two.mix.cycles_per_iter, 28, 1e-9, "two changes at once");
}

static void check_refused(const struct comparison *c)
{
    static const struct {
        struct change change;
        const char *says;
    } cases[] = {
        {{CHANGE_DROP, "vaddps V, V, V", 0}, "has no instruction 'vaddps V, V, V'; it has: ldp q"},
        {{CHANGE_LATENCY, "fdiv v.4s, v.4s, v.4s", 3}, "has no instruction"},
        {{CHANGE_ISA, "avx2", 0}, "no body for avx2 on this machine; it has: neon"},
    };
    const struct subject s = subject_of(c, "poly", "neon", "L1", 1);
    const struct subject no_chains = subject_of(c, "saxpy", "neon", "L1", 1);
    struct climb ignored;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        ok(!whatif_climb(&s, &cases[i].change, 1, &ignored, &e) && strstr(e.text, cases[i].says),
           "refused: %s", e.text);
    }
    struct err e = {0};
    const struct change twenty = {CHANGE_CHAINS, "", 20};
    ok(!whatif_climb(&no_chains, &twenty, 1, &ignored, &e), "refused: %s", e.text);
}

static void check_parse(struct arena *a)
{
    static const struct {
        const char *text;
        enum change_kind kind;
        const char *name;
        double value;
    } good[] = {
        {"core.dispatch_width=6", CHANGE_CORE, "dispatch_width", 6},
        {"clock_hz.all_cores=4.2e9", CHANGE_CLOCK, "clock_hz.all_cores", 4.2e9},
        {"fmla v.4s, v.4s, v.4s.latency_cycles=4", CHANGE_LATENCY, fmla, 4},
        {"JNE rel8.slots=0", CHANGE_SLOTS, "jnz rel", 0},
    };
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"core.dispatch_width", "KEY=NUMBER"},
        {"core.dispatch_width=six", "KEY=NUMBER"},
        {"core.dispatch_width=0", "0 is not from 0.25 to 64"},
        {"core.ports=3", "core.ports cannot be set; of core these can: dispatch_width"},
        {"frequency=1e9", "what can: core.KEY"},
        {"clock_hz.one_core=4", "4 is not from"},
        {"x.latency_cycles=-1", "-1 is not from 0"},
        {".slots=1", "cannot be set"},
        {"=1", "cannot be set"},
        {"add x,, x.slots=1", "is no form"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct change c = {0};
        struct err e = {0};
        ok(whatif_parse(good[i].text, a, &c, &e) && c.kind == good[i].kind &&
               strcmp(c.name, good[i].name) == 0 && c.value == good[i].value,
           "read: %s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct change c = {0};
        struct err e = {0};
        ok(!whatif_parse(bad[i].text, a, &c, &e) && strstr(e.text, bad[i].says), "refused: %s: %s",
           bad[i].text, e.text);
    }
}

/* Of a machine alone: four pipes of four floats, two flops each. */
static void check_documented(const struct files *f)
{
    struct err e = {0};
    const struct run *run = documented_run(f->apple, f->kernels, 1, f->arena, &e);
    if (!test_fine(&e, "a run of which nothing was measured")) {
        return;
    }
    const struct comparison *c = comparison_join(run, f->kernels, f->apple, f->arena);
    const struct subject s = subject_of(c, "fma_stream", "neon", "L1", 1);
    struct climb now;
    whatif_climb(&s, NULL, 0, &now, &e);
    is_near(alone(&now, RUNG_COMPUTE), 4 * 4 * 2 * f->apple->clock_one_core_hz, 1e-9,
            "the compute roof is what the ports say");
    ok(c->n_rows == 0 && now.ladder.explains < 0, "and nothing is judged");
}

int main(void)
{
    struct files f;
    if (!read_files(&f)) {
        return tap_done();
    }
    const struct comparison *article = comparison_join(f.article, f.kernels, f.apple, f.arena);
    const struct comparison *guest = comparison_join(f.guest, f.kernels, f.zen5, f.arena);
    check_unchanged(article);
    check_unchanged(guest);
    check_reliefs(article);
    check_reliefs(guest);
    check_core(article);
    check_ports(article);
    check_loop(article);
    check_vector(guest);
    check_refused(article);
    check_parse(f.arena);
    check_documented(&f);
    arena_release(f.arena);
    return tap_done();
}
