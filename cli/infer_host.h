/* infer_host.h - blocks for an inference, measured on this machine.
 *
 * Forms alone, quadratic pairs, random mixes, then mixes about which two fits to what is there so
 * far disagree most; until there are enough or half the time is over (the rest is the fit's).
 * After the fit, fresh mixes tell how well it predicts.  Speaks of its progress on stderr.
 */
#ifndef GAMBREL_CLI_INFER_HOST_H
#define GAMBREL_CLI_INFER_HOST_H

#include "cli/cli.h"
#include "cli/infer_forms.h"
#include "compare/accuracy.h"
#include "model/detect.h"
#include "model/fit_data.h"
#include "model/resources.h"

#define INFER_HOST_ISA "x86-64" /* no other is measured */

struct infer_host_options {
    const char *data; /* file of measurements to go on with; NULL: none is kept */
    double seconds;
    uint64_t seed;
    int forms;                      /* at most so many, and what these need before them */
    const struct infer_forms *from; /* which there are */
    bool progress;                  /* on a terminal */
};

struct infer_host;

/* ERR_HOST: not a machine that is measured here; errors of measured_open. */
struct infer_host *infer_host_open(const struct infer_host_options *o, struct arena *a,
                                   struct err *e);
const char *infer_host_source(const struct infer_host *h); /* the CPU, the kind of kernels */

const struct identity *infer_host_identity(const struct infer_host *h);

/* The time there is for all of it, and what is left; negative when it is over. */
double infer_host_seconds(const struct infer_host *h);
double infer_host_seconds_left(const struct infer_host *h);

/* Adds what was measured, now or before, to d, which the check uses again. */
bool infer_host_gather(struct infer_host *h, struct fit_data *d, struct err *e);

/* What was measured and what was not, with the reason, in words. */
const char *infer_host_account(const struct infer_host *h);

/* Forms that were chosen and are not in the file, in words with the reason; "" where there are
 * none. */
const char *infer_host_left_out(const struct infer_host *h);

/* How a quiet core was known, in words. */
const char *infer_host_quiet(const struct infer_host *h);

/* Adds which CPU it is, the latencies of the forms, store forwarding, and which do not wait for a
 * source. */
void infer_host_describe(struct infer_host *h, struct machine *m);

/* Which divisions and square roots are faster for short significands, in words; NULL: none was
 * measured. */
bool infer_host_values(struct infer_host *h, const char **words, struct err *e);

/* Measures mixes of 3 to 12 instructions that no fit has seen, as many as there is time for, and
 * compares instructions a cycle with the map's.  to (may be NULL): a CSV file for the blocks with
 * cycles and prediction. */
bool infer_host_check(struct infer_host *h, const struct resource_map *map, struct text *to,
                      struct accuracy *out, struct err *e);

#endif
