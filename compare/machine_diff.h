/* machine_diff.h - what two machine files say differently, and what that does to predictions.
 *
 * Two things that are no difference by themselves are not compared: where numbers come from
 * (sources, provenance), and what resources are called, since an inferred file's have no names of
 * their own, but what they stand for in ports where both files say so.  What mappings differ by
 * shows in cycles: of each form alone, and of random blocks of forms that both files know.
 *
 * A pattern of either file stands for one form of each width, and one of its condition.  Numbers
 * are different if they are further apart than the tolerance, relatively to the larger one.
 *
 * Units: those of machine.h; cycles per instruction, cycles per block.
 */
#ifndef GAMBREL_COMPARE_MACHINE_DIFF_H
#define GAMBREL_COMPARE_MACHINE_DIFF_H

#include "compare/block_set.h"
#include "formats/machine.h"

enum difference_kind {
    DIFFERENCE_FACT,    /* of the core, clock, caches, idioms, pairs that fuse */
    DIFFERENCE_ROOF,    /* roofs and the chain curve                           */
    DIFFERENCE_PORTS,   /* that a resource stands for in one file and none in the other */
    DIFFERENCE_FORM,    /* that one file does not know                         */
    DIFFERENCE_CYCLES,  /* that a form takes alone                             */
    DIFFERENCE_LATENCY, /* from one operand of a form to another               */
};
#define DIFFERENCE_KINDS 6
extern const char *const difference_names[DIFFERENCE_KINDS];

struct difference {
    enum difference_kind kind;
    const char *what;
    const char *left, *right;       /* as words; NULL: the file does not say */
    double left_value, right_value; /* NaN where it is no number */
    double ratio;                   /* right / left; NaN where either is no number, or zero */
};

struct machine_diff_options {
    double tolerance; /* >= 0; 0.03 for three percent */
    uint64_t seed;
    int n_blocks; /* 0: none */
};

struct machine_diff {
    const struct machine *left, *right;
    struct machine_diff_options o;
    struct difference *list; /* by kind; numbers the furthest apart first, then what one lacks */
    size_t n, capacity;
    int n_of_kind[DIFFERENCE_KINDS];
    int n_common;            /* forms that both know */
    int n_drawn_from;        /* of these: forms that take time in both, at most 20 cycles */
    struct block_set blocks; /* measured: by the left file; predicted: by the right one */
    struct block_score score;
    double worst; /* largest |right / left - 1| of a block; 0 for no blocks */
    int n_apart;  /* blocks that differ by more than the tolerance */
};

/* The resources that stand for these ports, "R0 (0.93), R4 (0.71)"; NULL: none does. */
const char *machine_diff_resources(const struct machine *m, const char *ports, struct arena *a);

/* Whether anything differs that the options count. */
bool machine_diff_found(const struct machine_diff *d);

/* ERR_RANGE: a tolerance or number of blocks that cannot be; ERR_SCHEMA: a file that does not
 * compile (cost_table.h). */
bool machine_diff(const struct machine *left, const struct machine *right,
                  const struct machine_diff_options *o, struct arena *a, struct machine_diff *out,
                  struct err *e);

struct document;
/* For people: the first of each kind, and how many more there are. */
void machine_diff_words(const struct machine_diff *d, struct document *out);
/* kind,what,left,right: every difference, then the predictions. */
void machine_diff_csv(const struct machine_diff *d, struct text *out);
/* {"format": "gambrel-machine-diff-1", ...} */
void machine_diff_json(const struct machine_diff *d, struct text *out);

#endif
