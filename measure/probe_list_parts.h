/* probe_list_parts.h - the tables of forms that are tried, by family; probe_list.h puts them in
 * order. */
#ifndef GAMBREL_MEASURE_PROBE_LIST_PARTS_H
#define GAMBREL_MEASURE_PROBE_LIST_PARTS_H

struct probe_patterns {
    const char *const *text; /* [n] patterns (code/form.h), common ones first in each group */
    int n;
};
extern const struct probe_patterns probe_list_integer, probe_list_sse, probe_list_avx,
    probe_list_avx_integer;

#endif
