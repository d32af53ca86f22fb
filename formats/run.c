#include "formats/run.h"

#include "base/stats.h"
#include "formats/fields.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define FORMAT "gambrel-run-1"

const char *const run_kind_names[] = {
    [RUN_ROOF] = "roof",     [RUN_CHAIN] = "chain", [RUN_SWEEP] = "sweep",
    [RUN_KERNEL] = "kernel", [RUN_KINDS] = NULL,
};

/* Rows below: key, kind, place, range. */
#define IN(type, member) .offset = offsetof(struct type, member)
#define NEEDED           .needed = true
#define RANGE(low, high) .min = (low), .max = (high)
#define ANY              .min = -1e300, .max = 1e300
#define OTHER            .kind = FIELD_OTHER
#define NUMBER           .kind = FIELD_NUMBER
#define INT              .kind = FIELD_INT
#define BOOL             .kind = FIELD_BOOL
#define TEXT             .kind = FIELD_TEXT
/* What the system may not tell. */
#define TEXT_OR_UNKNOWN   .kind = FIELD_TEXT, .absent_text = "unknown", .say_unknown = true
#define NUMBER_OR_UNKNOWN .kind = FIELD_NUMBER, .say_unknown = true

/* `complete` stands last: a file that was cut off between two lines is still YAML. */
static const struct field run_fields[] = {
    {"format", OTHER, NEEDED},
    {"command", TEXT_OR_UNKNOWN, IN(run, command)},
    {"date", TEXT_OR_UNKNOWN, IN(run, date)},
    {"version", TEXT_OR_UNKNOWN, IN(run, version)},
    {"source", TEXT, IN(run, source)},
    {"reps", NUMBER, IN(run, reps), RANGE(1, 1e9)},
    {"warmup_ms", NUMBER, IN(run, warmup_ms), RANGE(0, 1e9)},
    {"quick", BOOL, IN(run, quick)},
    {"host", OTHER, NEEDED},
    {"warnings", OTHER},
    {"cases", OTHER, NEEDED},
    {"loops", OTHER},
    {"complete", OTHER},
    {.key = NULL},
};

static const struct field host_fields[] = {
    {"cpu_name", TEXT_OR_UNKNOWN, IN(run_host, cpu_name)},
    {"vendor", TEXT_OR_UNKNOWN, IN(run_host, vendor)},
    {"isa", TEXT_OR_UNKNOWN, IN(run_host, isa)},
    {"family", NUMBER, IN(run_host, family), RANGE(0, 511)},
    {"model", NUMBER, IN(run_host, model), RANGE(0, 255)},
    {"stepping", NUMBER, IN(run_host, stepping), RANGE(0, 255)},
    {"implementer", NUMBER, IN(run_host, implementer), RANGE(0, 255)},
    {"part", NUMBER, IN(run_host, part), RANGE(0, 4095)},
    {"microcode", TEXT_OR_UNKNOWN, IN(run_host, microcode)},
    {"hypervisor", TEXT_OR_UNKNOWN, IN(run_host, hypervisor)},
    {"kernel", TEXT_OR_UNKNOWN, IN(run_host, kernel)},
    {"os", TEXT_OR_UNKNOWN, IN(run_host, os)},
    {"compiler", TEXT_OR_UNKNOWN, IN(run_host, compiler)},
    {"flags", TEXT_OR_UNKNOWN, IN(run_host, flags)},
    {"governor", TEXT_OR_UNKNOWN, IN(run_host, governor)},
    {"huge_pages", TEXT_OR_UNKNOWN, IN(run_host, huge_pages)},
    {"cpus_allowed", TEXT_OR_UNKNOWN, IN(run_host, cpus_allowed)},
    {"counters", TEXT_OR_UNKNOWN, IN(run_host, counters)},
    {"cpus_online", NUMBER_OR_UNKNOWN, IN(run_host, cpus_online), RANGE(1, 1e6)},
    {"cpus_used", NUMBER_OR_UNKNOWN, IN(run_host, cpus_used), RANGE(1, 1e6)},
    {"threads_per_core", NUMBER_OR_UNKNOWN, IN(run_host, threads_per_core), RANGE(1, 64)},
    {"cgroup_cpus", NUMBER_OR_UNKNOWN, IN(run_host, cgroup_cpus), RANGE(1e-6, 1e6)},
    {"memory_bytes", NUMBER_OR_UNKNOWN, IN(run_host, memory_bytes), RANGE(1, 1e16)},
    {"load_average", NUMBER_OR_UNKNOWN, IN(run_host, load_average), RANGE(0, 1e6)},
    {"clock_hz", NUMBER_OR_UNKNOWN, IN(run_host, clock_hz), RANGE(1e6, 1e11)},
    {"huge_page_fraction", NUMBER_OR_UNKNOWN, IN(run_host, huge_page_fraction), RANGE(0, 1)},
    {"caches", OTHER},
    {.key = NULL},
};

static const struct field cache_fields[] = {
    {"name", TEXT, NEEDED, IN(run_cache, name)},
    {"size_bytes", NUMBER_OR_UNKNOWN, IN(run_cache, size_bytes), RANGE(1, 1e13)},
    {"line_bytes", NUMBER_OR_UNKNOWN, IN(run_cache, line_bytes), RANGE(1, 65536)},
    {"shared_by_cpus", NUMBER_OR_UNKNOWN, IN(run_cache, shared_by_cpus), RANGE(1, 65536)},
    {"measured_bytes", NUMBER_OR_UNKNOWN, IN(run_cache, measured_bytes), RANGE(1, 1e13)},
    {.key = NULL},
};

static const struct field case_fields[] = {
    {"kind", OTHER, NEEDED},
    {"name", TEXT, NEEDED, IN(run_case, name)},
    {"isa", .kind = FIELD_CHOICE, NEEDED, IN(run_case, isa), .names = field_isas},
    {"level", .kind = FIELD_CHOICE, IN(run_case, level), .names = field_levels},
    {"threads", INT, NEEDED, IN(run_case, threads), RANGE(1, 65536)},
    {"chains", INT, IN(run_case, chains), RANGE(1, 256)},
    {"round", INT, IN(run_case, round), RANGE(1, 1e6), .absent = 1},
    {"unit", .kind = FIELD_UNIT, NEEDED, IN(run_case, unit)},
    {"array_bytes", NUMBER, IN(run_case, array_bytes), RANGE(0, 1e16)},
    {"work_per_pass", NUMBER, IN(run_case, work_per_pass), RANGE(1e-9, 1e24)},
    {"bytes_per_pass", NUMBER, IN(run_case, bytes_per_pass), RANGE(0, 1e24)},
    {"recorded_rate", NUMBER, IN(run_case, recorded_rate), RANGE(1, 1e18)},
    {"recorded_cv", NUMBER, IN(run_case, recorded_cv), RANGE(0, 10)},
    {"derived", BOOL, IN(run_case, derived)},
    {"source", TEXT, IN(run_case, source)},
    {"checksum", NUMBER, IN(run_case, checksum), ANY},
    {"reference", NUMBER, IN(run_case, reference), ANY},
    {"tolerance", NUMBER, IN(run_case, tolerance), RANGE(0, 1)},
    {"seconds", OTHER},
    {"clock_hz", OTHER},
    {"noise", OTHER},
    {.key = NULL},
};

/* The kernel's counter of stolen time has been seen to step back a little. */
static const struct field noise_fields[] = {
    {"stolen_s", NUMBER_OR_UNKNOWN, IN(run_noise, stolen_s), RANGE(-10, 1e9)},
    {"pressure_s", NUMBER_OR_UNKNOWN, IN(run_noise, pressure_s), RANGE(0, 1e9)},
    {"throttled_s", NUMBER_OR_UNKNOWN, IN(run_noise, throttled_s), RANGE(0, 1e9)},
    {"context_switches", NUMBER_OR_UNKNOWN, IN(run_noise, context_switches), RANGE(0, 1e12)},
    {"clock_spread", NUMBER_OR_UNKNOWN, IN(run_noise, clock_spread), RANGE(0, 1e3)},
    {"nop_cycles", NUMBER_OR_UNKNOWN, IN(run_noise, nop_cycles), RANGE(0, 1e6), .absent = NAN},
    {"discarded", INT, IN(run_noise, discarded), RANGE(0, INT_MAX)},
    {"repeats", INT, IN(run_noise, repeats), RANGE(0, INT_MAX)},
    {"disturbed", BOOL, IN(run_noise, disturbed)},
    {"why", TEXT, IN(run_noise, why), .absent_text = ""},
    {.key = NULL},
};

static const struct field loop_fields[] = {
    {"name", TEXT, NEEDED, IN(run_loop, name)},
    {"isa", .kind = FIELD_CHOICE, NEEDED, IN(run_loop, isa), .names = field_isas},
    {"elements_per_iter", NUMBER, IN(run_loop, elements_per_iter), RANGE(1, 1e6)},
    {"code", TEXT, NEEDED, IN(run_loop, code)},
    {.key = NULL},
};

struct reader {
    struct run *run;
    struct arena *a;
};

static bool read_second(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    return yml_number(node, 1e-12, 1e6, item, e);
}

static bool read_clock(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    return yml_number_or_unknown(node, 1e6, 1e11, item, e);
}

static bool read_samples(struct reader *r, const struct yml *node, struct run_case *c,
                         struct err *e)
{
    const struct yml *seconds = yml_find(node, "seconds"), *clocks = yml_find(node, "clock_hz");
    const struct field_list second = {sizeof *c->seconds, read_second, NULL};
    const struct field_list clock = {sizeof *c->clock_hz, read_clock, NULL};
    c->seconds = fields_list(seconds, second, r->a, &c->n, e);
    if (!c->seconds) {
        return false;
    }
    if (!clocks) {
        return true;
    }
    int n;
    c->clock_hz = fields_list(clocks, clock, r->a, &n, e);
    if (c->clock_hz && n != c->n) {
        return err_set(e, ERR_SCHEMA, clocks->loc,
                       "clock_hz: %d values for %d seconds; one each is needed", n, c->n);
    }
    return c->clock_hz != NULL;
}

/* Measured or recorded: one of the two, whole. */
static bool check_rate(const struct yml *node, const struct run_case *c, struct err *e)
{
    const bool recorded = !isnan(c->recorded_rate);
    if (recorded == (c->n > 0)) {
        return err_set(e, ERR_SCHEMA, node->loc,
                       "%s; a measured case has seconds, a recorded one has recorded_rate",
                       recorded ? "both seconds and recorded_rate" : "no seconds");
    }
    if (recorded && !c->source) {
        return err_set(e, ERR_SCHEMA, node->loc, "a recorded rate needs its source");
    }
    if (recorded && yml_find(node, "noise")) {
        return err_set(e, ERR_SCHEMA, node->loc, "key 'noise' belongs to measured cases");
    }
    return recorded || yml_need(node, "work_per_pass", e);
}

static bool check_case(const struct yml *node, const struct run_case *c, struct err *e)
{
    if ((c->kind == RUN_CHAIN) != (c->chains > 0)) {
        return err_set(e, ERR_SCHEMA, node->loc,
                       c->kind == RUN_CHAIN ? "key 'chains' is missing in a chain point"
                                            : "key 'chains' belongs to chain points only");
    }
    if (c->kind != RUN_SWEEP && !yml_need(node, "level", e)) {
        return false;
    }
    return check_rate(node, c, e);
}

static bool read_noise(const struct yml *node, struct run_noise *noise, struct err *e)
{
    if (node) {
        return fields_read(node, noise_fields, noise, e);
    }
    *noise = (struct run_noise){NAN, NAN, NAN, NAN, NAN, NAN, .why = ""};
    return true;
}

static bool read_case(const struct yml *node, void *item, void *context, struct err *e)
{
    struct run_case *c = item;
    c->loc = node->loc;
    if (!fields_read(node, case_fields, c, e)) {
        return false;
    }
    const int kind = yml_choice(yml_find(node, "kind"), run_kind_names, e);
    if (kind < 0) {
        return false;
    }
    c->kind = (enum run_kind)kind;
    return read_samples(context, node, c, e) && read_noise(yml_find(node, "noise"), &c->noise, e) &&
           check_case(node, c, e);
}

static bool read_cache(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    return fields_read(node, cache_fields, item, e);
}

static bool read_loop(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    struct run_loop *loop = item;
    if (!fields_read(node, loop_fields, loop, e)) {
        return false;
    }
    const size_t len = strlen(loop->code);
    return (len % 2 == 0 && strspn(loop->code, "0123456789abcdef") == len) ||
           err_set(e, ERR_SCHEMA, yml_find(node, "code")->loc,
                   "code: an even number of hexadecimal digits (0-9, a-f) is needed");
}

static bool read_host(struct reader *r, const struct yml *node, struct err *e)
{
    struct run_host *host = &r->run->host;
    const struct field_list what = {sizeof *host->caches, read_cache, NULL};
    if (!fields_read(node, host_fields, host, e)) {
        return false;
    }
    host->caches = fields_list(yml_find(node, "caches"), what, r->a, &host->n_caches, e);
    return host->caches != NULL;
}

static bool check_complete(const struct yml *root, struct err *e)
{
    const struct yml *node = yml_find(root, "complete");
    bool complete = false;
    if (!node) {
        return err_set(e, ERR_SCHEMA, root->end,
                       "ends without 'complete: true', the last line of a run: it was cut off");
    }
    if (!yml_bool(node, &complete, e)) {
        return false;
    }
    return (complete && !node->next) ||
           err_set(e, ERR_SCHEMA, node->key_loc, "complete: true is the last line of a run");
}

struct run *run_read(struct bytes input, const char *file, struct arena *a, struct err *e)
{
    const struct yml *root = yml_read(input, file, a, e);
    struct run *run = arena_new(a, struct run, 1);
    if (!root || !fields_format(root, FORMAT, e) || !check_complete(root, e) ||
        !fields_read(root, run_fields, run, e)) {
        return NULL;
    }
    struct reader r = {.run = run, .a = a};
    const struct field_list cases = {sizeof *run->cases, read_case, &r};
    const struct field_list loops = {sizeof *run->loops, read_loop, &r};
    const struct field_list warnings = {sizeof *run->warnings, fields_text_item, NULL};
    run->file = file;
    if (!read_host(&r, yml_find(root, "host"), e)) {
        return NULL;
    }
    run->cases = fields_list(yml_find(root, "cases"), cases, a, &run->n_cases, e);
    run->loops =
        run->cases ? fields_list(yml_find(root, "loops"), loops, a, &run->n_loops, e) : NULL;
    run->warnings = run->loops
                        ? fields_list(yml_find(root, "warnings"), warnings, a, &run->n_warnings, e)
                        : NULL;
    return run->warnings ? run : NULL;
}

/* --- writing ------------------------------------------------------------------------------------
 */

static void write_map(struct yml_out *o, const char *key, const struct field *fields,
                      const void *from)
{
    yml_out_key(o, key);
    yml_out_map(o, true);
    fields_write(o, fields, from);
    yml_out_end(o);
}

static void write_numbers(struct yml_out *o, const char *key, const double *x, int n)
{
    if (n == 0 || !x) {
        return;
    }
    yml_out_key(o, key);
    yml_out_list(o, true);
    for (int i = 0; i < n; i++) {
        yml_out_number(o, x[i]);
    }
    yml_out_end(o);
}

static void write_host(struct yml_out *o, const struct run_host *host)
{
    yml_out_key(o, "host");
    yml_out_map(o, false);
    fields_write(o, host_fields, host);
    if (host->n_caches > 0) {
        yml_out_key(o, "caches");
        yml_out_list(o, false);
        for (int i = 0; i < host->n_caches; i++) {
            yml_out_map(o, true);
            fields_write(o, cache_fields, &host->caches[i]);
            yml_out_end(o);
        }
        yml_out_end(o);
    }
    yml_out_end(o);
}

static void write_case(struct yml_out *o, const struct run_case *c)
{
    yml_out_map(o, false);
    yml_out_key(o, "kind");
    yml_out_text(o, run_kind_names[c->kind]);
    fields_write(o, case_fields, c);
    write_numbers(o, "seconds", c->seconds, c->n);
    write_numbers(o, "clock_hz", c->clock_hz, c->n);
    if (c->n > 0) {
        write_map(o, "noise", noise_fields, &c->noise);
    }
    yml_out_end(o);
}

static void write_cases(struct yml_out *o, const struct run *r)
{
    yml_out_key(o, "cases");
    yml_out_list(o, false);
    for (int i = 0; i < r->n_cases; i++) {
        write_case(o, &r->cases[i]);
    }
    yml_out_end(o);
}

static void write_loops(struct yml_out *o, const struct run *r)
{
    yml_out_key(o, "loops");
    yml_out_list(o, false);
    for (int i = 0; i < r->n_loops; i++) {
        yml_out_map(o, false);
        fields_write(o, loop_fields, &r->loops[i]);
        yml_out_end(o);
    }
    yml_out_end(o);
}

static void write_warnings(struct yml_out *o, const struct run *r)
{
    yml_out_key(o, "warnings");
    yml_out_list(o, false);
    for (int i = 0; i < r->n_warnings; i++) {
        yml_out_text(o, r->warnings[i]);
    }
    yml_out_end(o);
}

bool run_write(const struct run *r, struct arena *a, struct bytes *out, struct err *e)
{
    struct yml_out *o = yml_out_open(a);
    yml_out_map(o, false);
    yml_out_key(o, "format");
    yml_out_text(o, FORMAT);
    fields_write(o, run_fields, r);
    write_host(o, &r->host);
    write_warnings(o, r);
    write_cases(o, r);
    write_loops(o, r);
    yml_out_key(o, "complete");
    yml_out_bool(o, true);
    yml_out_end(o);
    return yml_out_close(o, out, e);
}

double run_case_rate(const struct run_case *c)
{
    return c->n > 0 ? c->work_per_pass / stats_median(c->seconds, c->n) : c->recorded_rate;
}
