/* probe_cpu.h - which instruction sets this CPU and its system support, and which CPU it is. */
#ifndef GAMBREL_MEASURE_PROBE_CPU_H
#define GAMBREL_MEASURE_PROBE_CPU_H

#include <stdbool.h>

/* isa_set: as Zydis names it.  false for a name that is not known here. */
bool probe_cpu_has(const char *isa_set);

struct probe_cpu {
    char vendor[13]; /* "" off x86-64 */
    long family, model, stepping;
};
struct probe_cpu probe_cpu_identify(void);

#endif
