/* json.h - JSON as text, key by key.  What is not known is null.
 */
#ifndef GAMBREL_COMPARE_JSON_H
#define GAMBREL_COMPARE_JSON_H

#include "base/text.h"

#include <stdbool.h>

void json_key(struct text *out, const char *name); /* with a comma unless it is the first */
void json_text(struct text *out, const char *s);   /* a value alone; NULL is null */
void json_number(struct text *out, const char *name, double value); /* NaN and infinities: null */
void json_string(struct text *out, const char *name, const char *value);
void json_boolean(struct text *out, const char *name, bool value);
void json_strings(struct text *out, const char *name, const char *const *list, int n);
/* Opens the next element of a list, one a line. */
void json_element(struct text *out, int i);

#endif
