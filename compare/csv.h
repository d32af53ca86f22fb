/* csv.h - fields of a CSV line as RFC 4180 has them.
 */
#ifndef GAMBREL_COMPARE_CSV_H
#define GAMBREL_COMPARE_CSV_H

#include "base/text.h"

/* Begins a line where `out` is empty or ends with a line. */
void csv_field(struct text *out, const char *value);
void csv_number(struct text *out, double value); /* in base units; empty for what is not known */

#endif
