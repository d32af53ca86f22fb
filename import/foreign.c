#include "import/foreign.h"

#include <math.h>
#include <string.h>

bool foreign_is_null(const struct yml *node)
{
    return !node ||
           (node->kind == YML_SCALAR && !node->quoted &&
            (node->len == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0));
}

const char *foreign_text(const struct yml *map, const char *key)
{
    const struct yml *node = yml_find(map, key);
    return foreign_is_null(node) || node->kind != YML_SCALAR ? NULL : node->text;
}

double foreign_number(const struct yml *map, const char *key, double min, double max)
{
    const char *text = foreign_text(map, key);
    double value;
    return text && text_parse_number(text, strlen(text), &value) && value >= min && value <= max
               ? value
               : (double)NAN;
}

const struct yml *foreign_need(const struct yml *map, const char *key, enum yml_kind kind,
                               struct err *e)
{
    const struct yml *node = yml_need(map, key, e);
    return node && yml_is(node, kind, e) ? node : NULL;
}
