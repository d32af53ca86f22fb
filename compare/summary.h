/* summary.h - what a person is told of a comparison, before it is a terminal's or Markdown's.
 */
#ifndef GAMBREL_COMPARE_SUMMARY_H
#define GAMBREL_COMPARE_SUMMARY_H

#include "compare/document.h"
#include "compare/join.h"

void summary_write(const struct comparison *c, struct document *d);

#endif
