/* What every format makes of one comparison: nothing a file says breaks a format, what is unknown
 * stays unknown, and the plot's script is safe to run. */
#include "base/file.h"
#include "compare/gnuplot.h"
#include "compare/plot.h"
#include "compare/report.h"
#include "tests/compare_fixture.h"
#include "tests/tap.h"

#include <stdlib.h>

/* Names as an enemy or a careless writer would choose them. */
static const char bad_name[] = "a,\"b\"|<i>\n`id`'; \033[31m\\";

static double passes[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.01};

static struct run_case cases[16];
static int n_cases;

static void make_cases(void)
{
    const struct run_case all[] = {
        fixture_measured(fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9), passes, 7),
        fixture_measured(fixture_recorded(RUN_ROOF, "copy", "DRAM", 1, 20e9), passes, 7),
        fixture_recorded(RUN_ROOF, "triad", "DRAM", 1, 12e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 4e9),
        fixture_measured(fixture_recorded(RUN_KERNEL, "stencil", "DRAM", 1, 32.5e9), passes, 7),
        fixture_recorded(RUN_KERNEL, "poly", "L2", 10, 90e9),
        fixture_recorded(RUN_KERNEL, bad_name, "DRAM", 1, 1e9),
        fixture_recorded(RUN_CHAIN, "chain_4", "L1", 1, 50e9),
        fixture_recorded(RUN_SWEEP, "read", "L1", 1, 400e9),
    };
    n_cases = sizeof all / sizeof all[0];
    memcpy(cases, all, sizeof all);
    cases[4].noise.disturbed = true;
    cases[4].noise.why = "0.3 s stolen";
    cases[7].chains = 4;
    cases[8].array_bytes = 16384;
}

static struct text written(const struct comparison *c, const char *format, bool color,
                           struct arena *a)
{
    struct text out = {.arena = a};
    struct err e = {0};
    const struct report_format *f = report_format_find(format);
    const struct report_options o = {.color = color, .plot = {.isa = "neon", .threads = 1}};
    ok(f && f->write(c, &o, &out, &e), "%s: written %s", format, e.text);
    return out;
}

static bool has(const struct text *t, const char *part)
{
    return t->data && strstr(t->data, part) != NULL;
}

static int count(const struct text *t, char what)
{
    int n = 0;
    for (size_t i = 0; i < t->len; i++) {
        n += t->data[i] == what;
    }
    return n;
}

static int widest(const struct text *t)
{
    size_t most = 0;
    for (const char *line = t->data; *line;) {
        const size_t len = strcspn(line, "\n");
        most = len > most ? len : most;
        line += len + (line[len] == '\n');
    }
    return (int)most;
}

/* A violated bound says why where that can be told; a disturbed one is listed and no finding. */
static void check_violations(struct arena *a)
{
    struct run_case list[] = {
        fixture_recorded(RUN_ROOF, "fma_f32", "L1", 1, 100e9),
        fixture_recorded(RUN_ROOF, "triad", "DRAM", 1, 12e9),
        fixture_recorded(RUN_ROOF, "copy", "DRAM", 1, 12e9),
        fixture_recorded(RUN_KERNEL, "saxpy", "DRAM", 1, 4e9),
        fixture_recorded(RUN_KERNEL, "stencil", "DRAM", 1, 40e9),
    };
    const struct run run = fixture_run(list, 5);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    ok(c->n_violated == 2 && c->n_notes >= 2, "two bounds are violated");
    ok(strstr(c->notes[0].text, "Likely cause: the DRAM triad roof's mix differs: the loop updates "
                                "in place"),
       "another mix: %s", c->notes[0].text);
    ok(strstr(c->notes[1].text, "The roof's mix is the same"), "the same mix: %s",
       c->notes[1].text);

    list[3].noise.disturbed = list[4].noise.disturbed = true;
    c = comparison_join(&run, fixture_kernels(), NULL, a);
    ok(c->n_violated == 0 && !c->notes[0].violated, "disturbed: no finding");
    ok(strstr(c->notes[0].text, "Disturbed, above the bound") &&
           strstr(c->notes[0].text, "saxpy") && strstr(c->notes[0].text, "stencil"),
       "but said: %s", c->notes[0].text);
}

/* With names of a usual length. */
static void check_width(struct arena *a)
{
    struct run_case usual[16];
    int n = 0;
    for (int i = 0; i < n_cases; i++) {
        if (cases[i].name != bad_name) {
            usual[n++] = cases[i];
        }
    }
    const struct run run = fixture_run(usual, n);
    const struct text t =
        written(comparison_join(&run, fixture_kernels(), NULL, a), "terminal", false, a);
    ok(widest(&t) <= 114, "terminal: %d columns at most, no more than 114", widest(&t));
}

/* Remarks that differ in their numbers alone share one, with the range of each. */
static void check_footnotes(struct arena *a)
{
    static const char *const titles[] = {"a"};
    struct table *t = table_new(a, titles, 1);
    is_text(table_footnote(t, "moved by 5.5 % (limit 5)"), "[1]", "the first remark");
    is_text(table_footnote(t, "moved by 8.25 % (limit 5)"), "[1]", "the same with another number");
    is_text(table_footnote(t, "waited for 9.5 ms"), "[2]", "another remark");
    is_text(table_footnote(t, "waited for 1.14e+03 ms"), "[2]", "the same, much longer");
    is_text(table_footnote(t, "moved"), "[3]", "the beginning of a remark is another one");
    is_text(table_footnote_words(t, 0), "[1] moved by 5.5 to 8.25 % (limit 5)", "a range");
    is_text(table_footnote_words(t, 1), "[2] waited for 0.0095 to 1.14 s", "seconds");
}

static void check_terminal(const struct comparison *c, struct arena *a)
{
    const struct text plain = written(c, "terminal", false, a);
    const struct text colored = written(c, "terminal", true, a);
    ok(count(&plain, '\033') == 0, "terminal: no colour unless asked, none from a file");
    ok(has(&colored, "\033[1;31m"), "terminal: a violated bound is red");
    ok(has(&plain, "VIOLATED BOUND: saxpy"), "terminal: a violated bound is said");
    ok(has(&plain, "bound by the DRAM copy roof [1]") && has(&plain, "[1] disturbed: 0.3 s stolen"),
       "terminal: a disturbed row says why under the table");
    ok(has(&plain, "no roofline: no fma_f32 roof"), "terminal: a missing roof is named");
    ok(has(&plain, "not known") && has(&plain, "governor") && !has(&plain, "governor unknown"),
       "terminal: what is unknown stands in one line");
    ok(strstr(plain.data, "\nKernels") < strstr(plain.data, "\nMemory roofs"),
       "terminal: the kernels come first");
    ok(!has(&plain, " \n"), "terminal: no blanks at the ends of lines");
}

/* Every row of a table has as many bars as its head. */
static bool bars_agree(const struct text *t)
{
    int expected = 0;
    for (const char *line = t->data; line && *line; line += strcspn(line, "\n") + 1) {
        int bars = 0;
        for (const char *p = line; *p && *p != '\n'; p++) {
            bars += *p == '|' && (p == line || p[-1] != '\\');
        }
        if (line[0] != '|') {
            expected = 0;
        } else if (expected == 0) {
            expected = bars;
        } else if (bars != expected) {
            return false;
        }
        if (line[strcspn(line, "\n")] == 0) {
            break;
        }
    }
    return true;
}

static void check_markdown(const struct comparison *c, struct arena *a)
{
    const struct text t = written(c, "markdown", true, a);
    ok(bars_agree(&t), "markdown: no cell breaks its table");
    ok(has(&t, "\\|\\<i> \\`id\\`"), "markdown: markup in a name is escaped");
    ok(has(&t, "**violated by 100 % (DRAM triad roof)**"), "markdown: a violation is bold");
    ok(count(&t, '\033') == 0, "markdown: never a colour");
}

static void check_csv(const struct comparison *c, struct arena *a)
{
    const struct text t = written(c, "csv", true, a);
    ok(strncmp(t.data, "kind,name,isa,level,threads,measured,unit,", 42) == 0, "csv: header");
    ok(has(&t, "kernel,\"a,\"\"b\"\"|<i>\n`id`'; \033[31m\\\",neon"), "csv: a name is quoted");
    ok(has(&t, "\nroof,triad,neon,DRAM,1,12000000000,byte/s,,,,0,,0,,12000000000,16000000000,"),
       "csv: unknown is empty, both byte conventions are there");
}

static void check_json(const struct comparison *c, struct arena *a)
{
    const struct text t = written(c, "json", true, a);
    ok(has(&t, "{\"format\": \"gambrel-report-1\""), "json: format");
    ok(has(&t, "\"kernel\": \"a,\\\"b\\\"|<i>\\u000a`id`'; \\u001b[31m\\\\\""), "json: escapes");
    ok(!has(&t, "nan") && !has(&t, ": unknown") && !has(&t, ": inf"), "json: no NaN, no infinity");
    ok(count(&t, '{') == count(&t, '}') && count(&t, '[') - count(&t, ']') == 1,
       "json: what opens closes (one '[' stands in a name)");
    ok(has(&t, "\"kernel\": \"saxpy\", \"isa\": \"neon\", \"level\": \"DRAM\", \"threads\": 1, "
               "\"measured\": 4000000000, \"unit\": \"flop/s\", \"cv\": null, \"n\": 0"),
       "json: a row as the design has it");
    ok(has(&t, "\"ceilings\": {\"roofline\": 2000000000, \"ports\": null, \"chains\": null, "
               "\"streams\": null, \"all\": 2000000000}"),
       "json: ceilings by model");
    ok(has(&t,
           "\"binds\": \"DRAM triad roof\", \"explained_by\": \"roofline\", \"unexplained\": -1,"),
       "json: what binds");
    ok(has(&t, "\"governor\": null"), "json: an unknown text is null");
    ok(has(&t, "\"disturbed\": true, \"disturbed_by\": \"0.3 s stolen\""), "json: disturbance");
}

static void check_script(const struct comparison *c, struct arena *a)
{
    struct plot_key keys[PLOT_KEYS_MAX];
    ok(plot_keys(c, keys) == 2 && keys[0].threads == 1 && keys[1].threads == 10,
       "plot: one for each thread count");
    const struct text t = written(c, "gnuplot", false, a);
    ok(has(&t, "set label 'saxpy DRAM'") && has(&t, "set label 'stencil DRAM'"),
       "plot: kernels are named with their level");
    ok(has(&t, "'DRAM GB/s: triad 12, copy 20'"), "plot: roofs are labelled");
    ok(has(&t, "'ridge 5.00 to 8.33'"), "plot: ridge points are numbered");
    ok(has(&t, "fma_f32 100 GFLOP/s"), "plot: the compute roof is labelled");

    struct text none = {.arena = a};
    struct err e = {0};
    ok(!plot_script(c, &(struct plot_key){"avx2", 4}, &none, &e) && e.code == ERR_MODEL,
       "plot: nothing to draw is an error: %s", e.text);
}

static void check_hostile_script(struct arena *a)
{
    struct kernel_stream stream[] = {{"x", STREAM_READ}};
    struct kernel kernel[] = {{.name = bad_name,
                               .formula = "",
                               .element_bytes = 4,
                               .flops_per_element = 2,
                               .streams = stream,
                               .n_streams = 1,
                               .roof = "read",
                               .compute_roof = "fma_f32",
                               .unit = "flop/s",
                               .intensity = 0.5}};
    const struct kernels kernels = {.file = "k", .kernels = kernel, .n_kernels = 1};
    const struct run run = fixture_run(cases, n_cases);
    const struct comparison *c = comparison_join(&run, &kernels, NULL, a);
    const struct text t = written(c, "gnuplot", false, a);
    ok(has(&t, "set label 'a,\"b\"|<i>id''; [31m\\ DRAM' at"),
       "plot: quotes are doubled, backquotes and control characters left out");
}

static void run_script(const char *what, const char *script, double seconds, const char *complaint,
                       struct arena *a)
{
    struct text out = {.arena = a};
    struct err e = {0};
    ok(!gnuplot_run((struct bytes){script, strlen(script)}, seconds, &out, &e) &&
           e.code == ERR_HOST && strstr(e.text, complaint),
       "%s: %s", what, e.text);
}

static void check_gnuplot(const struct comparison *c, struct arena *a)
{
    const char *path = getenv("PATH");
    const char *before = path ? arena_format(a, "%s", path) : "";
    struct text svg = {.arena = a};
    struct err e = {0};
    const struct report_options o = {.plot = {.isa = "neon", .threads = 1}};
    if (report_svg(c, &o, &svg, &e)) {
        ok(has(&svg, "<svg") && has(&svg, "</svg>") && has(&svg, "saxpy"), "svg: a whole picture");
        run_script("a broken script", "set nonsense\n", 20, "gnuplot failed:", a);
        run_script("an empty script", "", 20, "it drew nothing", a);
        run_script("an endless script", "while (1) {\n}\n", 0.1, "still busy after 0.1 s", a);
    } else {
        ok(strstr(e.text, "apt-get install") != NULL, "# SKIP no gnuplot here: %s", e.text);
    }
    setenv("PATH", "/nowhere", 1);
    run_script("no gnuplot", "plot 1\n", 20, "apt-get install gnuplot-nox", a);
    setenv("PATH", before, 1);
}

int main(void)
{
    struct arena *a = fixture_arena();
    make_cases();
    const struct run run = fixture_run(cases, n_cases);
    const struct comparison *c = comparison_join(&run, fixture_kernels(), NULL, a);
    check_violations(a);
    check_footnotes(a);
    check_width(a);
    check_terminal(c, a);
    check_markdown(c, a);
    check_csv(c, a);
    check_json(c, a);
    check_script(c, a);
    check_hostile_script(a);
    check_gnuplot(c, a);
    arena_release(a);
    return tap_done();
}
