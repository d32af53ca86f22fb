/* callee.h - someone's own function `f(size_t n, ...)`, timed in a child process.
 *
 * What is wanted is the time that one more n takes, without what a call costs: entry, remainder
 * loops, the misprediction at the loop's end.  So each round calls the function at several lengths,
 * in shuffled order, and the slope of cycles over n, a median over their pairs, is one sample.
 * Around each timing the core's pulse is felt (pulse.h), which gives the clock and says whether the
 * core was ours alone; if it was not, or the thread was displaced, the timing does not count and
 * another is taken, while patience lasts, on another CPU if that is quieter.  Lengths are multiples
 * of a unit, so that all leave the same remainder, and a fence between calls keeps one from
 * beginning within the one before.  Where asked for, the calls of a timing are a mixture of lengths
 * around one and of the longest, which all timings have in common, so that the loop's end is
 * equally hard to predict for all.
 *
 * Arguments after n are arrays (integer registers) and scalars (vector registers), which the
 * calling conventions of x86-64 Linux and AArch64 number separately.  Floating-point arrays hold
 * numbers from 0.5 to 1.5, integer arrays places below the least length (so that they may index the
 * others), and denormal numbers are flushed to zero, because repeated calls may drive values there.
 *
 * Units: cycles, seconds, Hz; n as the function takes it.
 */
#ifndef GAMBREL_MEASURE_CALLEE_H
#define GAMBREL_MEASURE_CALLEE_H

#include "base/arena.h"
#include "base/child.h"
#include "base/err.h"
#include "measure/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLEE_UNIT_MIN    64  /* elements; most loops take them in groups that divide it */
#define CALLEE_UNIT_MAX    256 /* as one of eight vectors, unrolled four times */
#define CALLEE_ARRAYS_MAX  8
#define CALLEE_SCALARS_MAX 8
#define CALLEE_LENGTHS_MAX 8
#define CALLEE_ROUNDS_MAX  512
#define CALLEE_ROUNDS_MIN  3

enum callee_kind { CALLEE_F32, CALLEE_F64, CALLEE_I32, CALLEE_I64, CALLEE_U8, CALLEE_KINDS };
extern const char *const callee_kind_names[]; /* "float", "double", "int32", ..., NULL */
extern const size_t callee_kind_bytes[CALLEE_KINDS];

/* "float*, double*, double": pointers are arrays, the rest scalars (float or double). */
struct callee_args {
    enum callee_kind arrays[CALLEE_ARRAYS_MAX], scalars[CALLEE_SCALARS_MAX];
    int n_arrays, n_scalars;
    const char *text; /* as it was given, for messages */
};
bool callee_parse(const char *text, struct callee_args *out, struct err *e);

struct callee_request {
    const char *library, *symbol; /* a shared object, given with its folder */
    struct callee_args args;
    size_t unit; /* CALLEE_UNIT_MIN to _MAX, a power of two */
    /* At least two, ascending multiples of it from its double on; calls take one unit more and
     * less, too. */
    size_t lengths[CALLEE_LENGTHS_MAX];
    int n_lengths;
    bool mixed; /* a timing's calls are of several lengths; else of one, which suits loops whose end
                 * is predicted at all lengths or at none */
    double elements_per_n; /* elements of each array that n stands for; at least n of them */
    const int *cpus;       /* to run on, the quietest of them */
    int n_cpus;
    int rounds;        /* good timings of each length that are wanted, from 1 */
    double call_s;     /* the least that the calls of one length take in a round */
    double patience_s; /* how long all rounds together wait for better times */
    /* a nop takes on a core of its own, where that is known; NaN: to be learnt */
    double nop_cycles;
    unsigned seed;
    double seconds_max; /* of everything, then it is stopped */
};

struct callee_result {
    int n;                                                                  /* slopes */
    double cycles_per_n[CALLEE_ROUNDS_MAX], call_cycles[CALLEE_ROUNDS_MAX]; /* slope, intercept */
    /* slope through the lowest decile of each length's good timings: what others on the same
     * caches, whom no pulse shows, spoiled least; NaN: none was good */
    double quiet_per_n;
    double clock_hz; /* estimated after the last round */
    int rounds;      /* that were made */
    bool crowded;    /* fewer than CALLEE_ROUNDS_MIN good timings of a length: these are bad ones */
    double duration_s;
};

/* Bytes of all arrays at this length. */
double callee_bytes(const struct callee_args *args, double elements_per_n, size_t n);

/* ERR_HOST: it faults, takes too long, cannot be loaded, has no such symbol; what it was doing is
 * said. */
bool callee_run(const struct callee_request *r, struct callee_result *out, struct err *e);

/* What really runs, and where, whatever the compiler prepared, by single steps at the two least
 * lengths: by offset in the function, how often an instruction runs for one more n, and what the
 * general registers held when it was first about to run (in the order of their numbers: rax rcx rdx
 * rbx rsp rbp rsi rdi r8 ...), from which its address follows.  ERR_RANGE: more than
 * CALLEE_CODE_MAX bytes of code; ERR_HOST: as above, or not x86-64, where steps cannot be
 * counted. */
#define CALLEE_REGS 16
struct callee_steps {
    uint64_t first;                /* address of the function */
    double *per_n;                 /* [code_len] */
    double once_per_n;             /* what one run more at the greater length comes to */
    uint64_t (*regs)[CALLEE_REGS]; /* [code_len] */
};
#define CALLEE_CODE_MAX 65536
bool callee_count(const struct callee_request *r, size_t code_len, struct arena *a,
                  struct callee_steps *out, struct err *e);

#endif
