/* report.h - a comparison as text: one format a row of the table, one file a format.
 *
 * Writers fill a struct text and touch nothing else; the caller writes files.
 */
#ifndef GAMBREL_COMPARE_REPORT_H
#define GAMBREL_COMPARE_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "compare/batch.h"
#include "compare/join.h"

#include <stdbool.h>

struct report_options {
    bool color;       /* terminal only */
    struct plot_key { /* plots only: which one, see plot_keys in plot.h */
        const char *isa;
        int threads;
    } plot;
};

typedef bool report_fn(const struct comparison *c, const struct report_options *o, struct text *out,
                       struct err *e);

typedef bool batch_fn(const struct batch *b, const struct report_options *o, struct text *out,
                      struct err *e);

struct report_format {
    const char *name;      /* as the command line says it */
    const char *extension; /* of a file that holds it, without the dot */
    const char *what;      /* one line */
    report_fn *write;
    batch_fn *write_batch; /* of several runs; NULL: one at a time */
    bool plot;             /* one file for each plot key */
};
extern const struct report_format report_formats[];
extern const int n_report_formats;

const struct report_format *report_format_find(const char *name); /* NULL */

/* As text_number, but whole numbers below 1e15 without an exponent, and rounded to REPORT_DIGITS
 * significant digits: more than any measurement has, and fewer than the order of a sum can
 * change. */
#define REPORT_DIGITS 12
const char *report_number(double value, char buffer[TEXT_NUMBER_SIZE]);

report_fn report_terminal, report_markdown, report_csv, report_json, report_svg, report_gnuplot;
batch_fn batch_terminal, batch_markdown, batch_csv, batch_json;

#endif
