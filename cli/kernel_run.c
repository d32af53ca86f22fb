#include "cli/kernel_run.h"

#include "base/child.h"
#include "base/stats.h"
#include "cli/kernel_ran.h"
#include "measure/callee_lengths.h"
#include "measure/host.h"
#include "measure/noise.h"
#include "measure/sizes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUS_TRIED_MAX = 8, LINKER_SECONDS_MAX = 60, ROUNDS_DRAM = 7 };
#define CALL_S     2e-5 /* short, so that most timings lie between two disturbances */
#define PATIENCE_S 2.0  /* for better times, at each level */
#define WELL_EXPLAINED                                                                             \
    0.9 /* of the time by the best ceiling; below, the report says what is left */

bool kernel_run_option(int key, const char *arg, struct kernel_run *o, struct err *e)
{
    switch (key) {
    case KEY_ARGS:
        o->args = arg;
        return true;
    case KEY_LEVELS:
        o->levels = arg;
        return true;
    case 'm':
    case 'M':
        return choice_option(key, arg, &o->choice, e);
    case KEY_LINKER:
        o->linker = arg;
        return true;
    case KEY_ROUNDS:
        cli_integer("--rounds", arg, 3, CALLEE_ROUNDS_MAX, &o->rounds, e);
        return true;
    case KEY_TIMEOUT:
        cli_integer("--timeout", arg, 1, 86400, &o->timeout_s, e);
        return true;
    case KEY_ELEMENTS_PER_N:
        cli_integer("--elements-per-n", arg, 1, 4096, &o->elements_per_n, e);
        return true;
    case KEY_RUN_CSV:
        o->csv = true;
        return true;
    default:
        return false;
    }
}

/* --- measuring --- */

/* A shared object of the file, with its folder; *temporary says to remove it. */
static bool link_object(struct cli *c, const char *path, const struct kernel_run *o,
                        const char **library, bool *temporary, struct err *e)
{
    const size_t len = strlen(path);
    struct text out = {.arena = c->arena}, errors = out;
    struct child_end end;
    char words[CHILD_WORDS_BYTES], line[140];

    *temporary = false;
    if (len > 3 && strcmp(path + len - 3, ".so") == 0) {
        *library = *path == '/' ? path : arena_format(c->arena, "./%s", path);
        return true;
    }
    const char *made = file_temporary(c->arena, e);
    if (!made) {
        return false;
    }
    *temporary = true;
    *library = made;
    const char *command[] = {o->linker, "-shared", "-o", made, path, "-lm", NULL};
    const struct child_program ld = {command, {"", 0}, LINKER_SECONDS_MAX};
    if (!child_run(&ld, &out, &errors, &end, e)) {
        return false;
    }
    return (!end.timed_out && !end.signal && end.status == 0) ||
           err_set(e, ERR_HOST, (struct loc){.file = path},
                   "%s makes no shared object of it (%s; built with -fPIC?): %s", o->linker,
                   child_words(&end, LINKER_SECONDS_MAX, words),
                   child_complaint(&errors, line, sizeof line));
}

static void view_host(const struct host *h, struct sizes_machine *out)
{
    *out = (struct sizes_machine){.threads = 1,
                                  .dram_caches = SIZES_DRAM_CACHES_QUICK,
                                  .last_level_bytes = h->last_level_bytes,
                                  .memory_usable_bytes = h->memory_usable_bytes};
    for (int i = 0; i < SIZES_CACHES; i++) {
        out->bytes[i] = h->levels[i].bytes;
        out->sharers[i] = host_level_sharers(&h->levels[i], 1);
        out->instances[i] = host_level_instances(&h->levels[i], 1);
    }
}

struct measured {
    enum level level;
    struct summary cycles_per_n, call_cycles;
    double clock_hz, quiet_per_n;
    bool disturbed;
    char why[NOISE_WHY_BYTES];
};

static void judge(const struct host *h, const struct host_noise *before,
                  const struct callee_result *r, struct measured *out)
{
    struct host_noise after;
    host_noise_read(h, 0, 1, &after);
    const struct noise_seen seen = {
        .duration_s = r->duration_s,
        .threads = 1,
        .passes = r->n,
        .stolen_s = after.stolen_s - before->stolen_s,
        .throttled_s = after.throttled_s - before->throttled_s,
        /* A timing in which the thread was displaced was repeated: that spoils nothing. */
        .pressure_s = (double)NAN,
        .waited_s = (double)NAN,
        .context_switches = (double)NAN,
        .sample_spread = noise_spread(r->cycles_per_n, r->n),
    };
    out->disturbed = noise_judge(&seen, out->why) > 1;
    if (r->crowded) {
        out->disturbed = true;
        snprintf(out->why, sizeof out->why, "the core was never ours alone for long enough");
    }
}

static bool measure_level(const struct host *h, const struct callee_request *r,
                          struct measured *out, struct err *e)
{
    struct callee_result result;
    struct host_noise before;
    host_noise_read(h, 0, 1, &before);
    if (!callee_run(r, &result, e)) {
        return false;
    }
    out->cycles_per_n = summary_of(result.cycles_per_n, result.n);
    out->call_cycles = summary_of(result.call_cycles, result.n);
    out->clock_hz = result.clock_hz;
    out->quiet_per_n = result.quiet_per_n;
    judge(h, &before, &result, out);
    return true;
}

/* --- what is said --- */

static void rung(struct text *out, const char *name, double cycles, double measured,
                 const char *words)
{
    if (isnan(cycles)) {
        text_add(out, "    %-22s unknown\n", name);
    } else {
        char ratio[16] = "";
        if (!isnan(measured)) {
            snprintf(ratio, sizeof ratio, "%.2f", cycles / measured);
        }
        text_add(out, "    %-22s %10.3f %6s  %s\n", name, cycles, ratio, words);
    }
}

static const char *level_name(const struct measured *m)
{
    return m->level < LEVEL_COUNT ? level_names[m->level] : "none";
}

static void show_measured(const struct measured *m, const char *symbol, struct text *out)
{
    const struct summary *s = &m->cycles_per_n;
    char clock[TEXT_SI_SIZE];
    text_add(out,
             "%s, %s: %.4f cycles for one more n measured (%.4f to %.4f, cv %.1f %%; lowest decile "
             "%.4f) at %s%s%s\n",
             symbol, level_name(m), s->median, s->median_low, s->median_high, 100 * s->cv,
             m->quiet_per_n, text_si(m->clock_hz, "Hz", clock), m->disturbed ? "; disturbed: " : "",
             m->disturbed ? m->why : "");
}

static void show(const struct ran *r, const struct ran_ladder *l, const struct measured *m,
                 const char *symbol, struct text *out)
{
    const double per_iter = m->cycles_per_n.median * r->n_per_iter;
    if (m->level < LEVEL_COUNT) {
        show_measured(m, symbol, out);
    }
    text_add(out, "  %s runs %.4g times for one more n, %.0f %% of all instructions\n",
             r->loop->place, 1 / r->n_per_iter, 100 * r->share);
    if (m->level < LEVEL_COUNT) {
        text_add(out, "    %-22s %10.3f %6s  a call costs %.0f cycles besides\n",
                 "cycles per iteration", per_iter, "", m->call_cycles.median);
    }
    if (l->machine) {
        rung(out, "ports and front end", l->ports, per_iter, l->ports_words);
        rung(out, "chains", l->chains, per_iter, l->chains_words);
        rung(out, "best ceiling", l->best, per_iter, l->machine->name);
        if (l->best < WELL_EXPLAINED * per_iter) {
            text_add(
                out,
                "    %-22s %10.3f %6.2f  no model here accounts for it; what is known to be left "
                "out: doc/method.md, Someone's own loop\n",
                "left unexplained", per_iter - l->best, 1 - l->best / per_iter);
        }
    }
    if (l->machine && *l->unknown) {
        text_add(out, "    not in %s: %s\n", l->machine->file, l->unknown);
    }
}

static void add_number(struct text *out, double value)
{
    char number[TEXT_NUMBER_SIZE];
    text_add(out, ",%s", isnan(value) ? "" : text_number(value, number));
}

static const char csv_header[] =
    "function,first,end,level,cycles_per_n,low,high,quiet,n,cv,clock_hz,disturbed,n_per_iter,share,"
    "cycles_per_iter,ports,chains,best,unknown\n";

static void csv(const struct ran *r, const struct ran_ladder *l, const struct measured *m,
                const char *symbol, struct text *out)
{
    const struct summary *s = &m->cycles_per_n;
    const double numbers[] = {s->median, s->median_low, s->median_high, m->quiet_per_n,
                              s->n,      s->cv,         m->clock_hz};
    const double none = (double)NAN;
    const bool there = l->machine != NULL;
    const struct nest_loop *loop = &r->loop->loop;
    text_add(out, "%s,0x%llx,0x%llx,%s", symbol, (unsigned long long)loop->address,
             (unsigned long long)loop->address + loop->len, level_name(m));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        add_number(out, numbers[i]);
    }
    text_add(out, ",%d", m->disturbed);
    add_number(out, r->n_per_iter);
    add_number(out, r->share);
    add_number(out, s->median * r->n_per_iter);
    add_number(out, there ? l->ports : none);
    add_number(out, there ? l->chains : none);
    add_number(out, there ? l->best : none);
    text_add(out, ",\"%s\"\n", there ? l->unknown : "");
}

/* --- the command --- */

static bool choose_levels(const char *text, bool levels[LEVEL_COUNT], struct err *e)
{
    for (const char *at = strcmp(text, "none") == 0 ? "" : text; *at;) {
        const size_t len = strcspn(at, ",");
        int found = -1;
        for (int k = 0; k < LEVEL_COUNT; k++) {
            found =
                strlen(level_names[k]) == len && strncmp(level_names[k], at, len) == 0 ? k : found;
        }
        if (found < 0) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "--levels: '%.*s' is not one of L1, L2, L3, DRAM", (int)len, at);
        }
        levels[found] = true;
        at += len + (at[len] == ',');
    }
    return true;
}

struct job {
    struct cli *c;
    const struct kernel_from *from;
    const struct kernel_run *options;
    struct host *host;
    struct sizes_machine view;
    struct kernel_code code;
    struct callee_request request;
    struct ran ran;
    struct ran_ladder ladder;
};

static bool predict(struct job *j, struct err *e)
{
    struct kernel kernel;
    struct text notes = {.arena = j->c->arena};
    struct lift_wishes wishes = j->from->wishes;
    struct machine_source from;
    struct err none = {0};
    wishes.name = wishes.formula = "";
    wishes.elements_per_iter = 1;
    j->ladder.machine = machine_source_open(j->c, &j->options->choice, &from, e)
                            ? machine_source_find(&from, &j->host->facts, "this CPU", e)
                            : NULL;
    if (e->code) {
        return false;
    }
    j->request.nop_cycles = (double)NAN;
    if (!j->ladder.machine) {
        cli_warn("no machine file describes this CPU: there are no ceilings; --machine names one");
        return true;
    }
    /* Half a tenth more than the width says: the flood's own loop. */
    j->request.nop_cycles = 1.05 / j->ladder.machine->dispatch_width;
    return lift_kernel(&j->ran.loop->loop, &wishes, j->c->arena, &kernel, &notes, &none) &&
           ran_climb(j->c, &j->ran, kernel.bodies, &j->ladder, e);
}

static void say(const struct job *j, const struct measured *m, struct text *out)
{
    if (j->options->csv) {
        csv(&j->ran, &j->ladder, m, j->request.symbol, out);
    } else {
        show(&j->ran, &j->ladder, m, j->request.symbol, out);
    }
}

static bool measure_and_say(struct job *j, struct text *out, struct err *e)
{
    bool levels[LEVEL_COUNT] = {false};
    struct callee_request *r = &j->request;
    if (!choose_levels(j->options->levels, levels, e)) {
        return false;
    }
    if (j->options->csv) {
        text_add(out, "%s", csv_header);
    }
    int n = 0;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        struct measured m = {.level = (enum level)level};
        if (!levels[level]) {
            continue;
        }
        r->rounds = level == LEVEL_DRAM ? ROUNDS_DRAM : (int)j->options->rounds;
        if (!callee_lengths(&j->view, m.level, j->ran.n_per_iter, r, e) ||
            !measure_level(j->host, r, &m, e)) {
            return false;
        }
        say(j, &m, out);
        n++;
    }
    if (n == 0) {
        const struct measured nothing = {.level = LEVEL_COUNT,
                                         .cycles_per_n = summary_of(NULL, 0),
                                         .clock_hz = (double)NAN,
                                         .quiet_per_n = (double)NAN};
        say(j, &nothing, out);
    }
    return true;
}

static bool runs_here(const struct job *j, const char *path, struct err *e)
{
    const char *isa = code_arch_names[j->code.arch];
    return strcmp(isa, j->host->facts.isa) == 0 ||
           err_set(e, ERR_HOST, (struct loc){.file = path}, "this is %s code, and this CPU is %s",
                   isa, j->host->facts.isa);
}

static bool run(struct job *j, const char *path, struct text *out, struct err *e)
{
    struct callee_request *r = &j->request;
    *r = (struct callee_request){
        .symbol = j->from->symbol,
        .elements_per_n = (double)j->options->elements_per_n,
        .cpus = j->host->cpus,
        .n_cpus = j->host->n_cpus < CPUS_TRIED_MAX ? j->host->n_cpus : CPUS_TRIED_MAX,
        .rounds = 1,
        .call_s = CALL_S,
        .patience_s = PATIENCE_S,
        .seed = 1,
        .seconds_max = (double)j->options->timeout_s,
    };
    bool temporary = false;
    bool fine = callee_parse(j->options->args, &r->args, e) &&
                kernel_code_find(j->c, path, false, j->from, &j->code, e) &&
                runs_here(j, path, e) &&
                link_object(j->c, path, j->options, &r->library, &temporary, e) &&
                callee_lengths(&j->view, LEVEL_L1, (double)NAN, r, e) &&
                ran_find(j->c, &j->code, j->from->loop > 0, r, &j->ran, e) && predict(j, e) &&
                measure_and_say(j, out, e);
    if (temporary) {
        unlink(r->library);
    }
    return fine;
}

int kernel_run(struct cli *c, const char *path, const struct kernel_from *from,
               const struct kernel_run *o)
{
    struct err e = {0};
    struct text out = {.arena = c->arena};
    struct job j = {.c = c, .from = from, .options = o};
    if (!from->symbol) {
        err_set(&e, ERR_RANGE, LOC_NONE, "run needs --symbol, the function to call");
        return cli_fail(&e);
    }
    j.host = arena_new(c->arena, struct host, 1);
    if (!host_describe(c->arena, j.host, &e)) {
        return cli_fail(&e);
    }
    view_host(j.host, &j.view);
    if (!run(&j, path, &out, &e)) {
        return cli_fail(&e);
    }
    return cli_print((struct bytes){out.data, out.len});
}
