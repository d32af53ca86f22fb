/* block_set.h - measured blocks beside the predictions of several tools: how good each is, and why
 * not.
 *
 *     MAPE      mean of |predicted / measured - 1|, of cycles
 *     RMS       root of the weighted mean of (measured / predicted - 1)^2, which is the relative
 *     error of
 *               instructions per cycle, weighted by how often each block is executed (PALMED, CGO
 *               2022)
 *     tau       Kendall's tau-b of cycles, and of cycles per instruction, since that of cycles is
 *               flattered by blocks of many sizes
 *     coverage  blocks predicted, of those measured
 *
 * Units: cycles per block; shares are fractions.
 */
#ifndef GAMBREL_COMPARE_BLOCK_SET_H
#define GAMBREL_COMPARE_BLOCK_SET_H

#include "base/text.h"
#include "formats/blocks.h"

#define BLOCK_TOOLS_MAX 16
#define BLOCK_SIZES     5
#define BLOCK_SHOWN_MAX 10

struct block_row {
    const char *name; /* or its number */
    double cycles, weight, instructions;
    const struct form_count *forms;
    int n_forms;
};

struct block_tool {
    const char *name;
    double *cycles; /* [n] NaN: not predicted */
};

struct block_set {
    struct block_row *rows;
    int n;
    struct block_tool tools[BLOCK_TOOLS_MAX];
    int n_tools;
};

/* Sizes are in classes: 1 to 2, 3 to 5, 6 to 10, 11 to 20, and more instructions. */
extern const char *const block_size_names[BLOCK_SIZES];

struct block_culprit { /* a form, and how far off the blocks are that hold it */
    const char *form;
    double error; /* mean magnitude of their error */
    double bias;  /* mean error */
    int n;
};

struct block_score {
    int n; /* predicted and measured */
    double mape, rms, tau, tau_per_instruction, coverage;
    double over, under; /* shares of blocks predicted more than 5 % too slow, too fast */
    double size_mape[BLOCK_SIZES];
    int size_n[BLOCK_SIZES];
    int worst[BLOCK_SHOWN_MAX]; /* rows, the farthest off first */
    int n_worst;
    /* the largest error first, of forms in 3 blocks or more */
    struct block_culprit culprits[BLOCK_SHOWN_MAX];
    int n_culprits;
};

/* Blocks without a measured time do not count. */
void block_score_of(const struct block_set *s, int tool, struct arena *a, struct block_score *out);

/* "key": [the culprits]. */
void block_score_json_culprits(const struct block_score *k, const char *key, struct text *out);

/* For people, as {"format": "gambrel-blocks-1", ...}, and as CSV with a line for each tool. */
void block_set_text(const struct block_set *s, struct text *out);
void block_set_json(const struct block_set *s, struct text *out);
void block_set_csv(const struct block_set *s, struct text *out);

/* PALMED's heat map of one tool: predicted over measured instructions per cycle against measured
 * ones, the darker the more weight; as SVG. */
void block_set_heat_map(const struct block_set *s, int tool, struct text *out);

#endif
