#include "compare/block_set.h"

#include "base/items.h"
#include "base/names.h"
#include "compare/accuracy.h"
#include "compare/csv.h"
#include "compare/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const block_size_names[BLOCK_SIZES] = {"1-2", "3-5", "6-10", "11-20", "21+"};

#define OFF_MIN     0.05 /* an error that counts as too slow or too fast */
#define HOLDERS_MIN 3

static int size_class(double instructions)
{
    static const double last[BLOCK_SIZES - 1] = {2, 5, 10, 20};
    int k = 0;
    while (k < BLOCK_SIZES - 1 && instructions > last[k]) {
        k++;
    }
    return k;
}

static double error_of(const struct block_set *s, int tool, int row)
{
    const double measured = s->rows[row].cycles;
    return measured > 0 ? s->tools[tool].cycles[row] / measured - 1 : (double)NAN;
}

/* --- accuracy --- */

static void take_accuracy(const struct block_set *s, int tool, struct arena *a,
                          struct block_score *out)
{
    double *predicted = arena_new(a, double, (size_t)s->n);
    double *measured = arena_new(a, double, (size_t)s->n);
    for (int i = 0; i < s->n; i++) {
        measured[i] = s->rows[i].cycles;
    }
    const struct accuracy cycles = accuracy_of(s->tools[tool].cycles, measured, s->n, a);
    out->n = cycles.n;
    out->mape = cycles.mape;
    out->tau = cycles.kendall_tau;
    out->coverage = cycles.coverage;
    for (int i = 0; i < s->n; i++) {
        predicted[i] = s->tools[tool].cycles[i] / s->rows[i].instructions;
        measured[i] = s->rows[i].cycles / s->rows[i].instructions;
    }
    out->tau_per_instruction = accuracy_of(predicted, measured, s->n, a).kendall_tau;
}

static void take_errors(const struct block_set *s, int tool, struct block_score *out)
{
    double squares = 0, weights = 0;
    for (int i = 0; i < s->n; i++) {
        const double error = error_of(s, tool, i);
        if (isnan(error)) {
            continue;
        }
        const int k = size_class(s->rows[i].instructions);
        const double ipc_error = s->rows[i].cycles / s->tools[tool].cycles[i] - 1;
        squares += s->rows[i].weight * ipc_error * ipc_error;
        weights += s->rows[i].weight;
        out->over += error > OFF_MIN;
        out->under += error < -OFF_MIN;
        out->size_mape[k] += fabs(error);
        out->size_n[k]++;
    }
    out->rms = sqrt(squares / weights);
    out->over /= out->n;
    out->under /= out->n;
    for (int k = 0; k < BLOCK_SIZES; k++) {
        out->size_mape[k] /= out->size_n[k];
    }
}

static void take_worst(const struct block_set *s, int tool, struct block_score *out)
{
    for (int i = 0; i < s->n; i++) {
        const double error = fabs(error_of(s, tool, i));
        int at = out->n_worst;
        if (isnan(error)) {
            continue;
        }
        while (at > 0 && fabs(error_of(s, tool, out->worst[at - 1])) < error) {
            at--;
        }
        if (at == BLOCK_SHOWN_MAX) {
            continue;
        }
        out->n_worst += out->n_worst < BLOCK_SHOWN_MAX;
        for (int k = out->n_worst - 1; k > at; k--) {
            out->worst[k] = out->worst[k - 1];
        }
        out->worst[at] = i;
    }
}

/* --- which form is to blame --- */

static int by_error(const void *a, const void *b)
{
    const struct block_culprit *x = a, *y = b;
    return (y->error > x->error) - (y->error < x->error);
}

/* A form of a hundred right blocks and one wrong one is not to blame; one of three wrong ones may
 * be. */
static void take_culprits(const struct block_set *s, int tool, struct arena *a,
                          struct block_score *out)
{
    struct names seen = {.arena = a};
    struct block_culprit **all = NULL;
    size_t n = 0, capacity = 0, kept = 0;
    for (int i = 0; i < s->n; i++) {
        const double error = error_of(s, tool, i);
        for (int f = 0; !isnan(error) && f < s->rows[i].n_forms; f++) {
            const char *form = s->rows[i].forms[f].form;
            struct block_culprit *c =
                (struct block_culprit *)(uintptr_t)names_find(&seen, NULL, form);
            if (!c) {
                c = arena_new(a, struct block_culprit, 1);
                c->form = form;
                names_add(&seen, NULL, form, c);
                all = arena_grow(a, all, n, &capacity, sizeof(void *));
                all[n++] = c;
            }
            c->error += fabs(error);
            c->bias += error;
            c->n++;
        }
    }
    struct block_culprit *sorted = arena_new(a, struct block_culprit, n + 1);
    for (size_t k = 0; k < n; k++) {
        if (all[k]->n >= HOLDERS_MIN) {
            sorted[kept] = *all[k];
            sorted[kept].error /= all[k]->n;
            sorted[kept++].bias /= all[k]->n;
        }
    }
    items_sort(sorted, kept, sizeof *sorted, by_error);
    out->n_culprits = kept < BLOCK_SHOWN_MAX ? (int)kept : BLOCK_SHOWN_MAX;
    items_copy(out->culprits, sorted, (size_t)out->n_culprits, sizeof *sorted);
}

void block_score_of(const struct block_set *s, int tool, struct arena *a, struct block_score *out)
{
    *out = (struct block_score){0};
    take_accuracy(s, tool, a, out);
    take_errors(s, tool, out);
    take_worst(s, tool, out);
    take_culprits(s, tool, a, out);
}

/* --- for people --- */

static void percent(struct text *out, int width, double share)
{
    if (isnan(share)) {
        text_add(out, " %*s", width, "-");
    } else {
        text_add(out, " %*.1f", width, 100 * share);
    }
}

static void correlation(struct text *out, double tau)
{
    if (isnan(tau)) {
        text_add(out, " %7s", "-");
    } else {
        text_add(out, " %7.3f", tau);
    }
}

static void table_of_tools(const struct block_set *s, const struct block_score *scores,
                           struct text *out)
{
    text_add(out, "%-24s %7s %7s %7s %7s %7s %7s %7s %7s\n", "tool", "blocks", "MAPE %", "RMS %",
             "tau", "tau/ins", "cover %", "slow %", "fast %");
    for (int t = 0; t < s->n_tools; t++) {
        const struct block_score *k = &scores[t];
        text_add(out, "%-24s %7d", s->tools[t].name, k->n);
        percent(out, 7, k->mape);
        percent(out, 7, k->rms);
        correlation(out, k->tau);
        correlation(out, k->tau_per_instruction);
        percent(out, 7, k->coverage);
        percent(out, 7, k->over);
        percent(out, 7, k->under);
        text_add(out, "\n");
    }
}

static void table_of_sizes(const struct block_set *s, const struct block_score *scores,
                           struct text *out)
{
    text_add(out, "\n%-24s", "MAPE % by instructions");
    for (int k = 0; k < BLOCK_SIZES; k++) {
        text_add(out, " %7s", block_size_names[k]);
    }
    for (int t = 0; t < s->n_tools; t++) {
        text_add(out, "\n%-24s", s->tools[t].name);
        for (int k = 0; k < BLOCK_SIZES; k++) {
            percent(out, 7, scores[t].size_n[k] ? scores[t].size_mape[k] : (double)NAN);
        }
    }
    text_add(out, "\n");
}

static void say_block(const struct block_set *s, int tool, int row, struct text *out)
{
    const struct block_row *b = &s->rows[row];
    text_add(out, "  %+7.0f %%  %8.3f instead of %8.3f cycles  %s:", 100 * error_of(s, tool, row),
             s->tools[tool].cycles[row], b->cycles, b->name);
    for (int f = 0; f < b->n_forms; f++) {
        text_add(out, "%s %g %s", f ? ";" : "", b->forms[f].count, b->forms[f].form);
    }
    text_add(out, "\n");
}

void block_set_text(const struct block_set *s, struct text *out)
{
    struct block_score scores[BLOCK_TOOLS_MAX];
    for (int t = 0; t < s->n_tools; t++) {
        block_score_of(s, t, out->arena, &scores[t]);
    }
    table_of_tools(s, scores, out);
    table_of_sizes(s, scores, out);
    for (int t = 0; t < s->n_tools; t++) {
        text_add(out, "\n%s: farthest off\n", s->tools[t].name);
        for (int k = 0; k < scores[t].n_worst; k++) {
            say_block(s, t, scores[t].worst[k], out);
        }
        text_add(out, "%s: forms whose blocks are farthest off\n", s->tools[t].name);
        for (int k = 0; k < scores[t].n_culprits; k++) {
            const struct block_culprit *c = &scores[t].culprits[k];
            text_add(out, "  %6.1f %% (%+.1f %% on average) in %d blocks  %s\n", 100 * c->error,
                     100 * c->bias, c->n, c->form);
        }
    }
}

/* --- for programs --- */

static void json_sizes(const struct block_score *k, struct text *out)
{
    json_key(out, "mape_by_size");
    text_add(out, "{");
    for (int i = 0; i < BLOCK_SIZES; i++) {
        json_number(out, block_size_names[i], k->size_n[i] ? k->size_mape[i] : (double)NAN);
    }
    text_add(out, "}");
}

static void json_worst(const struct block_set *s, int tool, const struct block_score *k,
                       struct text *out)
{
    json_key(out, "worst");
    text_add(out, "[");
    for (int i = 0; i < k->n_worst; i++) {
        json_element(out, i);
        json_string(out, "block", s->rows[k->worst[i]].name);
        json_number(out, "measured", s->rows[k->worst[i]].cycles);
        json_number(out, "predicted", s->tools[tool].cycles[k->worst[i]]);
        text_add(out, "}");
    }
    text_add(out, "]");
}

void block_score_json_culprits(const struct block_score *k, const char *key, struct text *out)
{
    json_key(out, key);
    text_add(out, "[");
    for (int i = 0; i < k->n_culprits; i++) {
        json_element(out, i);
        json_string(out, "form", k->culprits[i].form);
        json_number(out, "error", k->culprits[i].error);
        json_number(out, "bias", k->culprits[i].bias);
        json_number(out, "blocks", k->culprits[i].n);
        text_add(out, "}");
    }
    text_add(out, "]");
}

void block_set_json(const struct block_set *s, struct text *out)
{
    text_add(out, "{");
    json_string(out, "format", "gambrel-blocks-1");
    json_number(out, "blocks", s->n);
    json_key(out, "tools");
    text_add(out, "[");
    for (int t = 0; t < s->n_tools; t++) {
        struct block_score k;
        block_score_of(s, t, out->arena, &k);
        json_element(out, t);
        json_string(out, "name", s->tools[t].name);
        json_number(out, "n", k.n);
        json_number(out, "mape", k.mape);
        json_number(out, "rms", k.rms);
        json_number(out, "kendall_tau", k.tau);
        json_number(out, "kendall_tau_per_instruction", k.tau_per_instruction);
        json_number(out, "coverage", k.coverage);
        json_number(out, "over", k.over);
        json_number(out, "under", k.under);
        json_sizes(&k, out);
        json_worst(s, t, &k, out);
        block_score_json_culprits(&k, "forms", out);
        text_add(out, "}");
    }
    text_add(out, "]}\n");
}

void block_set_csv(const struct block_set *s, struct text *out)
{
    text_add(out,
             "tool,blocks,mape,rms,kendall_tau,kendall_tau_per_instruction,coverage,over,under");
    for (int i = 0; i < BLOCK_SIZES; i++) {
        text_add(out, ",mape_%s", block_size_names[i]);
    }
    text_add(out, "\n");
    for (int t = 0; t < s->n_tools; t++) {
        struct block_score k;
        block_score_of(s, t, out->arena, &k);
        const double numbers[] = {k.n,        k.mape, k.rms,  k.tau, k.tau_per_instruction,
                                  k.coverage, k.over, k.under};
        csv_field(out, s->tools[t].name);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            csv_number(out, numbers[i]);
        }
        for (int i = 0; i < BLOCK_SIZES; i++) {
            csv_number(out, k.size_n[i] ? k.size_mape[i] : (double)NAN);
        }
        text_add(out, "\n");
    }
}

/* --- the heat map --- */

enum { COLUMNS = 40, ROWS = 40, CELL = 14, LEFT = 64, TOP = 40, BOTTOM = 48 };
#define RATIO_MOST 4.0 /* the map's top; its bottom is the inverse */
#define IPC_MOST   16  /* no core retires as many: a measured time that says so is wrong */

static int row_of(double ratio)
{
    const double at = (log(ratio) / log(RATIO_MOST) + 1) / 2 * ROWS;
    return at < 0 ? 0 : at >= ROWS ? ROWS - 1 : (int)at;
}

static double most_ipc(const struct block_set *s)
{
    double most = 1;
    for (int i = 0; i < s->n; i++) {
        if (s->rows[i].cycles > 0) {
            most = fmax(most, s->rows[i].instructions / s->rows[i].cycles);
        }
    }
    return fmin(ceil(most), IPC_MOST);
}

static int column_of(double ipc, double ipc_most)
{
    return ipc < ipc_most ? (int)(ipc / ipc_most * COLUMNS) : COLUMNS - 1;
}

/* XML has no control characters, however they are written. */
static void xml_text(struct text *out, const char *words)
{
    for (; *words; words++) {
        if (*words == '<' || *words == '&') {
            text_add_text(out, *words == '<' ? "&lt;" : "&amp;");
        } else {
            text_add_bytes(out, (unsigned char)*words < ' ' ? "?" : words, 1);
        }
    }
}

static void words_at(struct text *out, double x, double y, const char *anchor, const char *words)
{
    text_add(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">", x, y, anchor);
    xml_text(out, words);
    text_add_text(out, "</text>\n");
}

static void axes(struct text *out, double ipc_most, const char *tool)
{
    const double right = LEFT + COLUMNS * CELL, bottom = TOP + ROWS * CELL;
    static const double ratios[] = {0.25, 0.5, 1, 2, 4};
    char number[16];
    words_at(out, (LEFT + right) / 2, TOP - 16.0, "middle", tool);
    words_at(out, (LEFT + right) / 2, bottom + 38, "middle", "measured instructions per cycle");
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        const double y = bottom - (log(ratios[k]) / log(RATIO_MOST) + 1) / 2 * ROWS * CELL;
        snprintf(number, sizeof number, "%g", ratios[k]);
        words_at(out, LEFT - 8.0, y + 4, "end", number);
    }
    for (int ipc = 0; ipc <= (int)ipc_most; ipc++) {
        snprintf(number, sizeof number, "%d", ipc);
        words_at(out, LEFT + ipc / ipc_most * COLUMNS * CELL, bottom + 18, "middle", number);
    }
    text_add(out, "<line x1=\"%d\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"#c00\"/>\n", LEFT,
             TOP + ROWS * CELL / 2.0, right, TOP + ROWS * CELL / 2.0);
    text_add(out,
             "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#000\"/>\n",
             LEFT, TOP, COLUMNS * CELL, ROWS * CELL);
}

void block_set_heat_map(const struct block_set *s, int tool, struct text *out)
{
    double weight[COLUMNS][ROWS] = {{0}}, most = 0;
    const double ipc_most = most_ipc(s);
    for (int i = 0; i < s->n; i++) {
        const struct block_row *b = &s->rows[i];
        const double ratio = b->cycles / s->tools[tool].cycles[i]; /* of instructions per cycle */
        if (b->cycles > 0 && ratio > 0 && !isinf(ratio)) {
            const int x = column_of(b->instructions / b->cycles, ipc_most);
            double *cell = &weight[x][row_of(ratio)];
            *cell += b->weight;
            most = fmax(most, *cell);
        }
    }
    text_add(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" "
             "fill=\"#fff\"/>\n",
             LEFT + COLUMNS * CELL + 24, TOP + ROWS * CELL + BOTTOM);
    for (int x = 0; x < COLUMNS; x++) {
        for (int y = 0; y < ROWS; y++) {
            if (weight[x][y] > 0) {
                text_add(out,
                         "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#036\" "
                         "fill-opacity=\"%.3f\"/>\n",
                         LEFT + x * CELL, TOP + (ROWS - 1 - y) * CELL, CELL, CELL,
                         0.1 + 0.9 * log1p(weight[x][y]) / log1p(most));
            }
        }
    }
    axes(out, ipc_most, s->tools[tool].name);
    text_add(out, "</svg>\n");
}
