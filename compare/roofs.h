/* roofs.h - the roofs of a comparison: the run's, the machine file's where the run has none.
 *
 * Part of comparison_join; each function fills its own fields of the comparison.
 */
#ifndef GAMBREL_COMPARE_ROOFS_H
#define GAMBREL_COMPARE_ROOFS_H

#include "compare/join.h"

void roofs_join(struct comparison *c, struct arena *a);
void roofs_decide_write_allocate(struct comparison *c, struct arena *a);
void roofs_note(struct comparison *c, struct arena *a);

#endif
