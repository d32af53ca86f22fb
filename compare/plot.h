/* plot.h - the roofline plot of one instruction set and thread count, as a gnuplot script with its
 * data.
 *
 * Both axes are logarithmic.  Drawn: memory roofs of the levels by stream mix, compute roofs, ridge
 * points, one dot for each kernel and level with a bar from its slowest to its fastest pass, and a
 * tick where the roofline puts it.  Labels are placed here, in pixels, so that they hide nothing.
 */
#ifndef GAMBREL_COMPARE_PLOT_H
#define GAMBREL_COMPARE_PLOT_H

#include "compare/report.h"

#define PLOT_KEYS_MAX 16

/* The plots of a comparison, by instruction set and threads; returns how many there are. */
int plot_keys(const struct comparison *c, struct plot_key keys[PLOT_KEYS_MAX]);

/* ERR_MODEL: there is neither a compute roof nor a kernel to draw for this key. */
bool plot_script(const struct comparison *c, const struct plot_key *key, struct text *out,
                 struct err *e);

#endif
