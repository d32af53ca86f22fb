#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/model_blocks.h"
#include "code/nest.h"
#include "compare/block_price.h"
#include "compare/csv.h"
#include "compare/join.h"
#include "formats/blocks.h"
#include "model/ceiling.h"
#include "model/chain.h"
#include "model/roof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct options {
    const char *block, *blocks, *run;
    struct choice choice;
    double clock_hz; /* NaN: the machine file's */
    bool csv;
    const char **names;
    int n_names;
};

enum { KEY_BLOCK = 256, KEY_BLOCKS, KEY_CSV, KEY_CLOCK };

static const struct argp_option option_table[] = {
    {"machine", 'm', "MACHINE", 0,
     "machine file or the name of one that comes along (default: the one that describes this CPU, "
     "or the processor of --run)",
     0},
    CHOICE_MACHINES_OPTION,
    {"isa", 'i', "ISA", 0, "only this instruction set", 0},
    {"threads", 't', "N", 0, "cores that run it (1); the clock of all cores from 2 on", 0},
    CHOICE_KERNELS_OPTION,
    {"block", KEY_BLOCK, "TEXT", 0, "a block typed by hand: \"2 addss xmm, xmm; 1 bsr r64, r64\"",
     0},
    {"clock", KEY_CLOCK, "HZ", 0, "of the cores, e.g. 3.2e9 (the machine file's)", 0},
    {"run", 'r', "RUN.yaml", 0,
     "measured results whose roofs serve the roofline (the machine file's)", 0},
    {"blocks", KEY_BLOCKS, "FILE", 0,
     "a file of blocks, a line each: CSV with a column block or code, or bare hexadecimal bytes; - "
     "for "
     "standard input",
     0},
    {"csv", KEY_CSV, NULL, 0, "comma-separated values instead of text", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct err e = {0};
    if (choice_option(key, arg, &o->choice, &e)) {
        if (e.code) {
            argp_error(state, "%s", e.text);
        }
        return 0;
    }
    switch (key) {
    case KEY_BLOCK:
        o->block = arg;
        return 0;
    case KEY_BLOCKS:
        o->blocks = arg;
        return 0;
    case 'r':
        o->run = arg;
        return 0;
    case KEY_CLOCK:
        if (!text_parse_number(arg, strlen(arg), &o->clock_hz) || o->clock_hz < 1e6 ||
            o->clock_hz > 1e11) {
            argp_error(state, "--clock takes Hz from 1e6 to 1e11, such as 3.2e9, not '%s'", arg);
        }
        return 0;
    case KEY_CSV:
        o->csv = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->names = (const char **)(state->argv + state->next);
        o->n_names = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!!o->block + !!o->blocks + !!o->n_names > 1) {
            argp_error(state, "kernels by name, --block or --blocks: one of them at a time");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp argp_model = {
    .options = option_table,
    .parser = parse,
    .args_doc = "[KERNEL...]",
    .doc =
        "Prints the ceilings of kernels or of blocks on a machine, with nothing measured: the "
        "roofline where the machine file carries roofs, the bound of the instruction mix, the "
        "schedule that attains it, what binds and what a unit more of it would gain. Exit status "
        "1 if an instruction is not in the machine file, so that there is no number.",
};

/* All digits of it, for programs. */
static void csv_whole_number(struct text *out, double value)
{
    char number[TEXT_NUMBER_SIZE];
    csv_field(out, isnan(value) ? "" : text_number(value, number));
}

/* As people write it: GFLOP/s, GB/s. */
static const char *unit_words(const struct kernel *k)
{
    return strcmp(k->unit, "flop/s") == 0 ? "FLOP/s" : "B/s";
}

/* What is modelled: results go to `out`, and what could not be given is counted. */
struct session {
    struct cost_table *table;
    const struct options *o;
    const struct roof *roofs;
    int n_roofs;
    double clock_hz; /* NaN: unknown */
    struct text *out;
    int n_shown, n_unknown; /* bodies or blocks; of these, with unknown forms */
};

/* Where what binds has no price of its own, others bind as tightly. */
static void show_ties(const struct kernel_ceiling *k, struct text *out)
{
    const struct machine *m = cost_machine(k->cost.table);
    double own = k->bound.binds == BINDS_FRONT_END ? k->schedule.front_end_price : 0;
    for (int p = 0; p < m->n_ports; p++) {
        own += (k->bound.ports >> p & 1) != 0 ? k->schedule.port_price[p] : 0;
    }
    if ((k->bound.binds == BINDS_PORTS || k->bound.binds == BINDS_FRONT_END) && own < 1e-9) {
        text_add(out, "    others bind as tightly, so more of these alone would gain nothing\n");
    }
}

/* Port by port, the cycles of work of one optimal schedule, as bars of twenty steps. */
static void show_schedule(const struct kernel_ceiling *k, struct text *out)
{
    const struct machine *m = cost_machine(k->cost.table);
    enum { BAR = 20 };
    if (cost_table_view(k->cost.table) != COST_PORTS || !(k->schedule.cycles > 0)) {
        return;
    }
    text_add(out, "    %-10s %8s  %-*s %s\n", "port", "cycles", BAR, "load", "price");
    for (int p = 0; p < m->n_ports; p++) {
        const double load = k->schedule.port_load[p];
        const int filled = (int)(load / k->schedule.cycles * BAR + 0.5);
        text_add(out, "    %-10s %8.3f  %.*s%.*s %.3f\n", m->ports[p], load, filled,
                 "####################", BAR - filled, "....................",
                 k->schedule.port_price[p]);
    }
    text_add(out, "    %-10s %8.3f  %*s %.3f\n", "front end", k->schedule.front_end_cycles, BAR, "",
             k->schedule.front_end_price);
    text_add(out, "    price: cycles gained for each cycle of its work that could go elsewhere\n");
    show_ties(k, out);
}

static void show_roofline(const struct session *s, const struct kernel *k, const char *isa)
{
    const int threads = (int)s->o->choice.threads;
    struct text *out = s->out;
    static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};
    struct err missing = {0}; /* the first, of L1, is said */
    bool any = false;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct roofline r;
        char rate[TEXT_SI_SIZE];
        if (roofline_bound(k, isa, levels[i], threads, s->roofs, s->n_roofs, &r, &missing)) {
            text_add(out, "    %-10s %-14s %s %s roof binds\n", levels[i],
                     text_si(r.bound, unit_words(k), rate), r.binds->level, r.binds->name);
            any = true;
        }
    }
    if (!any) {
        text_add(out, "    unknown: %s%s\n", missing.text,
                 s->o->run ? "" : "; --run gives the roofs of a measured run");
    }
}

static void show_kernel(const struct session *s, const struct kernel_ceiling *c,
                        const struct kernel *k, const struct kernel_body *b)
{
    const struct options *o = s->o;
    struct text *out = s->out;
    char rate[TEXT_SI_SIZE], clock[TEXT_SI_SIZE];
    text_add(out, "%s, %s, %ld thread%s, on %s: %s\n", k->name, b->isa, o->choice.threads,
             o->choice.threads == 1 ? "" : "s", cost_machine(s->table)->name, k->formula);
    text_add(out, "  roofline\n");
    show_roofline(s, k, b->isa);
    text_add(out, "  %s\n", c->model);
    if (isnan(c->cycles_per_iter)) {
        text_add(out, "    no number: %s\n", c->missing);
    } else {
        text_add(out, "    %.3f cycles per iteration of %g elements, %.4f per element\n",
                 c->cycles_per_iter, b->elements_per_iter, c->cycles_per_element);
        if (*c->missing) {
            text_add(out, "    no rate: %s; --clock gives it\n", c->missing);
        } else {
            text_add(out, "    %s at %s\n", text_si(c->rate, unit_words(k), rate),
                     text_si(s->clock_hz, "Hz", clock));
        }
        text_add(out, "    binds: %s", c->binds);
        if (c->loc.line) {
            text_add(out, " (%s:%u)", c->loc.file, c->loc.line);
        }
        text_add(out, "\n");
        show_schedule(c, out);
    }
    text_add(out, "\n");
}

static void csv_kernel(const struct kernel_ceiling *c, const struct kernel *k,
                       const struct kernel_body *b, const struct options *o, struct text *out)
{
    struct text unknown = {.arena = out->arena};
    cost_name_unknown(&c->cost, &unknown);
    csv_field(out, k->name);
    text_add(out, ",%s,%ld,%s", b->isa, o->choice.threads, c->model);
    csv_whole_number(out, c->cycles_per_iter);
    csv_whole_number(out, c->cycles_per_element);
    csv_whole_number(out, c->rate);
    csv_field(out, k->unit);
    csv_field(out, c->binds);
    csv_field(out, unknown.len ? unknown.data : "");
    text_add(out, "\n");
}

/* What a body's code says of its dependences, in the words and units of show_kernel and
 * csv_kernel. */
static void show_chains(const struct chain_bound *b, const struct code_loop *l,
                        const struct kernel_body *body, struct text *out)
{
    text_add(out, "  chains\n");
    if (*b->missing) {
        text_add(out, "    no number: latencies not in the machine file: %s\n", b->missing);
    } else if (!(b->cycles_per_iter > 0)) {
        text_add(out, "    no iteration waits for another\n");
    } else {
        text_add(out,
                 "    %.3f cycles per iteration, %.4f per element\n    binds: ", b->cycles_per_iter,
                 b->cycles_per_iter / body->elements_per_iter);
        chain_words(l, b->overlap_cycles > b->carried.cycles ? &b->path : &b->carried, out);
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

static void csv_chains(const struct chain_bound *b, const struct code_loop *l,
                       const struct kernel *k, const struct kernel_body *body,
                       const struct options *o, struct text *out)
{
    struct text words = {.arena = out->arena};
    csv_field(out, k->name);
    text_add(out, ",%s,%ld,chains", body->isa, o->choice.threads);
    csv_whole_number(out, b->cycles_per_iter);
    csv_whole_number(out, b->cycles_per_iter / body->elements_per_iter);
    text_add(out, ",,%s", k->unit);
    if (!*b->missing) {
        chain_words(l, b->overlap_cycles > b->carried.cycles ? &b->path : &b->carried, &words);
    }
    csv_field(out, words.len ? words.data : "");
    csv_field(out, b->missing);
    text_add(out, "\n");
}

/* The port bound of the loop in order, and the bound of its chains. */
static bool model_code(struct session *s, struct kernel_ceiling_input in, struct err *e)
{
    struct cost_table *t = s->table;
    struct text *out = s->out;
    struct nest_loop l;
    struct kernel_ceiling c;
    struct chain_bound chains;
    if (!nest_of_body(in.body, out->arena, &l, e)) {
        return false;
    }
    in.loop = &l.loop;
    if (!ceiling_of_kernel(t, &in, &c, e) || !chain_find(&l.loop, 1, t, &chains, e)) {
        return false;
    }
    s->n_unknown += c.cost.n_unknown > 0;
    if (s->o->csv) {
        csv_kernel(&c, in.kernel, in.body, s->o, out);
        csv_chains(&chains, &l.loop, in.kernel, in.body, s->o, out);
    } else {
        show_kernel(s, &c, in.kernel, in.body);
        show_chains(&chains, &l.loop, in.body, out);
    }
    return true;
}

/* The port bound of what the body states. */
static bool model_stated(struct session *s, const struct kernel_ceiling_input *in, struct err *e)
{
    struct kernel_ceiling c;
    if (!ceiling_of_kernel(s->table, in, &c, e)) {
        return false;
    }
    s->n_unknown += c.cost.n_unknown > 0;
    if (s->o->csv) {
        csv_kernel(&c, in->kernel, in->body, s->o, s->out);
    } else {
        show_kernel(s, &c, in->kernel, in->body);
    }
    return true;
}

static bool model_kernel(struct session *s, const struct kernel *k, struct err *e)
{
    const bool a64 = strcmp(cost_machine(s->table)->isa, "aarch64") == 0;
    for (int i = 0; i < k->n_bodies; i++) {
        const struct kernel_body *b = &k->bodies[i];
        const struct kernel_ceiling_input in = {
            .kernel = k, .body = b, .threads = (int)s->o->choice.threads, .clock_hz = s->clock_hz};
        if ((strcmp(b->isa, "neon") == 0) != a64 ||
            (s->o->choice.isa && strcmp(s->o->choice.isa, b->isa) != 0)) {
            continue;
        }
        s->n_shown++;
        if (!(b->code ? model_code(s, in, e) : model_stated(s, &in, e))) {
            return false;
        }
    }
    return true;
}

/* The roofs and the clock that serve: of the run given (not NULL), else of the machine file. */
static void begin_session(struct cli *c, const struct kernels *k, const struct run *r,
                          struct session *s)
{
    const struct machine *m = cost_machine(s->table);
    s->roofs = m->roofs;
    s->n_roofs = m->n_roofs;
    s->clock_hz = !isnan(s->o->clock_hz)      ? s->o->clock_hz
                  : s->o->choice.threads == 1 ? m->clock_one_core_hz
                                              : m->clock_all_cores_hz;
    if (r) {
        const struct comparison *cmp = comparison_join(r, k, m, c->arena);
        s->roofs = cmp->roofs;
        s->n_roofs = cmp->n_roofs;
        s->clock_hz = isnan(s->o->clock_hz) ? r->host.clock_hz : s->clock_hz;
    }
}

static int model_kernels(struct cli *c, struct cost_table *t, const struct run *r,
                         const struct options *o)
{
    struct err e = {0};
    struct text out = {.arena = c->arena};
    struct session s = {.table = t, .o = o, .out = &out};
    const struct kernels *k = cli_kernels(c, o->choice.kernels, &e);
    if (!k) {
        return cli_fail(&e);
    }
    begin_session(c, k, r, &s);
    if (o->csv) {
        text_add(&out,
                 "kernel,isa,threads,model,cycles_per_iter,cycles_per_element,rate,unit,binds,"
                 "unknown_forms\n");
    }
    for (int i = 0; i < (o->n_names ? o->n_names : k->n_kernels); i++) {
        const struct kernel *kernel = o->n_names ? kernels_find(k, o->names[i]) : &k->kernels[i];
        if (!kernel) {
            err_set(&e, ERR_RANGE, (struct loc){.file = k->file},
                    "no kernel or roof is called '%s'; gambrel kernel list shows them",
                    o->names[i]);
        }
        if (!kernel || !model_kernel(&s, kernel, &e)) {
            return cli_fail(&e);
        }
    }
    if (!s.n_shown) {
        err_set(&e, ERR_RANGE, (struct loc){.file = k->file},
                "nothing here has a body for %s%s%s; gambrel kernel show NAME lists them",
                cost_machine(t)->isa, o->choice.isa ? " and " : "",
                o->choice.isa ? o->choice.isa : "");
        return cli_fail(&e);
    }
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : s.n_unknown ? EXIT_FINDING : EXIT_FINE;
}

/* A block typed by hand, for people. */
static int model_block(struct cli *c, struct cost_table *t, const struct options *o)
{
    struct err e = {0};
    struct block b;
    struct kernel_ceiling k;
    struct text out = {.arena = c->arena};
    if (!model_block_parse(c, o->block, &b, &e) ||
        !ceiling_of_block(t, b.forms, b.n_forms, &k, &e)) {
        return cli_fail(&e);
    }
    if (*k.missing) {
        text_add(&out, "no number: %s\n", k.missing);
    }
    if (!isnan(k.cycles_per_iter)) {
        text_add(&out, "%.3f cycles per block, %.3f instructions per cycle on %s\n",
                 k.cycles_per_iter, k.cost.instructions / k.cycles_per_iter, cost_machine(t)->name);
        text_add(&out, "binds: %s\n", k.binds);
        show_schedule(&k, &out);
    }
    const struct block_signs signs = {.form_known = cost_knows_any(&k.cost), .n_blocks = 1};
    cli_warn(block_signs_doubt(&signs, cost_machine(t), c->arena));
    const int status = cli_print((struct bytes){out.data, out.len});
    return status ? status : k.cost.n_unknown ? EXIT_FINDING : EXIT_FINE;
}

static struct cost_table *compile(struct cli *c, const struct machine *m, struct err *e)
{
    if (!m->n_ports && !m->n_resources) {
        err_set(e, ERR_MODEL, (struct loc){.file = m->file},
                "this machine file has neither instructions on ports nor resources: nothing to "
                "model with; gambrel machine check says what is missing");
        return NULL;
    }
    return cost_compile(m, cost_view_of(m), c->arena, e);
}

int cmd_model(struct cli *c, int argc, char **argv)
{
    struct options o = {.choice.threads = 1, .clock_hz = nan("")};
    struct err e = {0};
    argp_parse(&argp_model, argc, argv, 0, NULL, &o);
    const struct run *r = o.run ? cli_run(c, o.run, &e) : NULL;
    const struct machine *m = e.code ? NULL : choice_machine(c, &o.choice, r, &e);
    struct cost_table *t = m ? compile(c, m, &e) : NULL;
    if (!t) {
        return cli_fail(&e);
    }
    return o.blocks           ? model_blocks(c, t, o.blocks)
           : o.block && o.csv ? model_block_csv(c, t, o.block)
           : o.block          ? model_block(c, t, &o)
                              : model_kernels(c, t, r, &o);
}
