/* probe_list.h - the forms that are tried, as patterns (code/form.h), x86-64. */
#ifndef GAMBREL_MEASURE_PROBE_LIST_H
#define GAMBREL_MEASURE_PROBE_LIST_H

/* How many there are. */
int probe_list_count(void);
/* Number k of them, 0 <= k < probe_list_count(): families in the order in which they are tried. */
const char *probe_list_pattern(int k);

#endif
