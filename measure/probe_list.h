/* probe_list.h - the forms that are tried, as patterns (code/form.h). */
#ifndef GAMBREL_MEASURE_PROBE_LIST_H
#define GAMBREL_MEASURE_PROBE_LIST_H

extern const char *const probe_list[];
extern const int probe_list_n;

#endif
