/* probe_cpu.h - which instruction sets this CPU and its system support, and which CPU it is. */
#ifndef GAMBREL_MEASURE_PROBE_CPU_H
#define GAMBREL_MEASURE_PROBE_CPU_H

#include <stdbool.h>

/* isa_set: as Zydis names it.  false for a name that is not known here. */
bool probe_cpu_has(const char *isa_set);

/* "GenuineIntel-6-207-2": vendor, family, model, stepping; "unknown" off x86-64. */
#define PROBE_CPU_NAME_SIZE 48
const char *probe_cpu_name(char buffer[PROBE_CPU_NAME_SIZE]);

#endif
