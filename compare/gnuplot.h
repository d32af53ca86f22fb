/* gnuplot.h - gnuplot as a child program: a script in, what it draws out.
 */
#ifndef GAMBREL_COMPARE_GNUPLOT_H
#define GAMBREL_COMPARE_GNUPLOT_H

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>

/* ERR_HOST: not installed (what to install), still busy after seconds_max, or its own first
 * complaint; ERR_IO: no temporary file. */
bool gnuplot_run(struct bytes script, double seconds_max, struct text *out, struct err *e);

#endif
