#include "base/names.h"
#include "compare/csv.h"
#include "compare/document.h"
#include "compare/json.h"
#include "compare/machine_diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define SHOWN       15 /* rows of a kind, for people */
#define NAMED       8  /* forms that one file lacks */

/* --- for people ---------------------------------------------------------------------------------
 */

static const char *const headings[DIFFERENCE_KINDS] = {
    [DIFFERENCE_FACT] = "Facts",
    [DIFFERENCE_ROOF] = "Roofs",
    [DIFFERENCE_FORM] = "Forms that one of them does not know",
    [DIFFERENCE_CYCLES] = "Cycles of a form alone",
    [DIFFERENCE_LATENCY] = "Latencies, in cycles",
};

static const struct difference *first_of(const struct machine_diff *d, enum difference_kind kind)
{
    const struct difference *at = d->list;
    while (at->kind != kind) {
        at++;
    }
    return at;
}

/* People read four digits; the other formats have them all. */
static void add_side(struct table *t, const char *words, double value)
{
    char number[32] = "-";
    if (!isnan(value)) {
        snprintf(number, sizeof number, rint(value) == value && value < 1e9 ? "%.0f" : "%.4g",
                 value);
    }
    table_cell(t, TONE_PLAIN, "%s", isnan(value) && words ? words : number);
}

static void add_change(struct table *t, const struct difference *one)
{
    if (isnan(one->ratio)) {
        table_cell(t, TONE_PLAIN, "%s", "");
    } else {
        table_cell(t, TONE_PLAIN, "%+.1f %%", 100 * (one->ratio - 1));
    }
}

static void words_table(const struct machine_diff *d, enum difference_kind kind,
                        struct document *out)
{
    static const char *const titles[] = {"", ">A", ">B", ">B against A"};
    struct table *t = table_new(out->arena, titles, COUNT(titles));
    const struct difference *list = first_of(d, kind);
    const int n = d->n_of_kind[kind];
    for (int i = 0; i < n && i < SHOWN; i++) {
        table_cell(t, TONE_PLAIN, "%s", list[i].what);
        add_side(t, list[i].left, list[i].left_value);
        add_side(t, list[i].right, list[i].right_value);
        add_change(t, &list[i]);
    }
    document_table(out, t);
    if (n > SHOWN) {
        document_add(out, BLOCK_SENTENCE, TONE_PLAIN, "%d more; --csv and --json have them all.",
                     n - SHOWN);
    }
}

/* "A alone knows 12: add r64, r64; ...". */
static void words_lacking(const struct machine_diff *d, bool left, struct document *out)
{
    struct text names = {.arena = out->arena};
    const struct difference *list = first_of(d, DIFFERENCE_FORM);
    int n = 0;
    for (int i = 0; i < d->n_of_kind[DIFFERENCE_FORM]; i++) {
        if ((list[i].left != NULL) == left && n++ < NAMED) {
            text_add(&names, "%s%s", n > 1 ? "; " : "", list[i].what);
        }
    }
    if (n > 0) {
        document_add(out, BLOCK_ITEM, TONE_PLAIN, "%s alone knows %d: %s%s", left ? "A" : "B", n,
                     names.data, n > NAMED ? "; ..." : "");
    }
}

static void words_culprits(const struct machine_diff *d, struct document *out)
{
    static const char *const titles[] = {"most off, in blocks with", ">B against A", ">off by",
                                         ">blocks"};
    struct table *t = table_new(out->arena, titles, COUNT(titles));
    for (int i = 0; i < d->score.n_culprits; i++) {
        const struct block_culprit *c = &d->score.culprits[i];
        table_cell(t, TONE_PLAIN, "%s", c->form);
        table_cell(t, TONE_PLAIN, "%+.1f %%", 100 * c->bias);
        table_cell(t, TONE_PLAIN, "%.1f %%", 100 * c->error);
        table_cell(t, TONE_PLAIN, "%d", c->n);
    }
    document_table(out, t);
}

/* Every port set that some resource of either stands for. */
static void words_meanings(const struct machine_diff *d, struct document *out)
{
    static const char *const titles[] = {"", "A", "B"};
    const struct machine *sides[] = {d->left, d->right};
    struct names seen = {.arena = out->arena};
    struct table *t = table_new(out->arena, titles, COUNT(titles));
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < sides[s]->n_meanings; i++) {
            const char *ports = sides[s]->meanings[i].ports;
            if (names_add(&seen, NULL, ports, ports)) {
                continue;
            }
            table_cell(t, TONE_PLAIN, "%s", ports);
            for (int k = 0; k < 2; k++) {
                const char *names = machine_diff_resources(sides[k], ports, out->arena);
                table_cell(t, TONE_PLAIN, "%s", names ? names : "-");
            }
        }
    }
    if (table_rows(t) > 0) {
        document_add(out, BLOCK_HEADING, TONE_PLAIN, "Resources by the ports they stand for");
        document_table(out, t);
    }
}

static void words_predictions(const struct machine_diff *d, struct document *out)
{
    if (d->o.n_blocks == 0) {
        return;
    }
    document_add(out, BLOCK_HEADING, TONE_PLAIN, "Predictions");
    if (d->score.n == 0) {
        document_add(out, BLOCK_SENTENCE, TONE_PLAIN,
                     "No form takes time in both files: there is no block to predict.");
        return;
    }
    document_add(out, BLOCK_SENTENCE, TONE_PLAIN,
                 "Cycles of %d random blocks, drawn from %d forms that both know: B differs from A "
                 "by %.2f %% "
                 "on the mean, by %.1f %% at most, Kendall's tau %.3f.",
                 d->score.n, d->n_drawn_from, 100 * d->score.mape, 100 * d->worst, d->score.tau);
    if (d->n_apart > 0) {
        words_culprits(d, out);
    }
}

void machine_diff_words(const struct machine_diff *d, struct document *out)
{
    document_add(out, BLOCK_SENTENCE, TONE_PLAIN, "A is %s (%s), B is %s (%s); %d forms in both.",
                 d->left->name, d->left->file, d->right->name, d->right->file, d->n_common);
    for (int kind = 0; kind < DIFFERENCE_KINDS; kind++) {
        if (kind == DIFFERENCE_PORTS) {
            words_meanings(d, out);
            continue;
        }
        if (d->n_of_kind[kind] == 0) {
            continue;
        }
        document_add(out, BLOCK_HEADING, TONE_PLAIN, "%s", headings[kind]);
        if (kind == DIFFERENCE_FORM) {
            words_lacking(d, true, out);
            words_lacking(d, false, out);
        } else {
            words_table(d, (enum difference_kind)kind, out);
        }
    }
    words_predictions(d, out);
    if (!machine_diff_found(d)) {
        document_add(out, BLOCK_SENTENCE, TONE_GOOD, "No difference.");
    }
}

/* --- for programs -------------------------------------------------------------------------------
 */

static void csv_line(struct text *out, const char *kind, const char *what, const char *left,
                     const char *right)
{
    csv_field(out, kind);
    csv_field(out, what);
    csv_field(out, left ? left : "");
    csv_field(out, right ? right : "");
    text_add(out, "\n");
}

static void csv_prediction(struct text *out, const char *what, double value)
{
    csv_field(out, "prediction");
    csv_field(out, what);
    csv_field(out, "");
    csv_number(out, value);
    text_add(out, "\n");
}

void machine_diff_csv(const struct machine_diff *d, struct text *out)
{
    csv_line(out, "kind", "what", "left", "right");
    for (size_t i = 0; i < d->n; i++) {
        const struct difference *one = &d->list[i];
        csv_line(out, difference_names[one->kind], one->what, one->left, one->right);
    }
    csv_prediction(out, "blocks", d->score.n);
    if (d->score.n > 0) {
        csv_prediction(out, "mape", d->score.mape);
        csv_prediction(out, "worst", d->worst);
        csv_prediction(out, "apart", d->n_apart);
        csv_prediction(out, "kendall_tau", d->score.tau);
    }
    for (int i = 0; i < d->score.n_culprits && d->n_apart > 0; i++) {
        csv_field(out, "culprit");
        csv_field(out, d->score.culprits[i].form);
        csv_field(out, "");
        csv_number(out, d->score.culprits[i].error);
        text_add(out, "\n");
    }
}

static void json_machine(struct text *out, const char *key, const struct machine *m)
{
    json_key(out, key);
    text_add(out, "{");
    json_string(out, "name", m->name);
    json_string(out, "file", m->file);
    text_add(out, "}");
}

static void json_predictions(const struct machine_diff *d, struct text *out)
{
    const bool any = d->score.n > 0;
    json_key(out, "predictions");
    text_add(out, "{");
    json_number(out, "seed", (double)d->o.seed);
    json_number(out, "blocks", d->score.n);
    json_number(out, "forms", d->n_drawn_from);
    json_number(out, "mape", any ? d->score.mape : (double)NAN);
    json_number(out, "worst", any ? d->worst : (double)NAN);
    json_number(out, "apart", d->n_apart);
    json_number(out, "kendall_tau", any ? d->score.tau : (double)NAN);
    block_score_json_culprits(&d->score, "culprits", out);
    text_add(out, "}");
}

void machine_diff_json(const struct machine_diff *d, struct text *out)
{
    text_add(out, "{");
    json_string(out, "format", "gambrel-machine-diff-1");
    json_machine(out, "left", d->left);
    json_machine(out, "right", d->right);
    json_boolean(out, "differ", machine_diff_found(d));
    json_number(out, "tolerance", d->o.tolerance);
    json_number(out, "common_forms", d->n_common);
    json_key(out, "differences");
    text_add(out, "[");
    for (size_t i = 0; i < d->n; i++) {
        const struct difference *one = &d->list[i];
        json_element(out, (int)i);
        json_string(out, "kind", difference_names[one->kind]);
        json_string(out, "what", one->what);
        json_string(out, "left", one->left);
        json_string(out, "right", one->right);
        json_number(out, "ratio", one->ratio);
        text_add(out, "}");
    }
    text_add(out, "]");
    json_predictions(d, out);
    text_add(out, "}\n");
}
