#include "measure/counters.h"

#include "measure/clock.h"
#include "measure/proc.h"
#include "measure/pulse.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN_S 0.001

/* A counter of this thread in user mode, running; negative: errno says why not. */
static int open_counter(uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = config,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

const char *counters_reason(int error, double paranoid, struct arena *a)
{
    switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return "none: this machine offers no cycle counter, as most virtual machines; the clock is "
               "estimated by dependent adds";
    case EACCES:
    case EPERM:
        return arena_format(a,
                            "none: the system forbids counters (perf_event_paranoid is %.0f, 2 or "
                            "less is needed); the clock is estimated by dependent adds",
                            paranoid);
    case ENOSYS:
        return "none: this kernel has no perf events; the clock is estimated by dependent adds";
    default:
        return arena_format(a, "none: %s; the clock is estimated by dependent adds",
                            strerror(error));
    }
}

static double counted_hz(int cycles)
{
    uint64_t before = 0, after = 0;
    const double start = clock_seconds();
    if (read(cycles, &before, sizeof before) != sizeof before) {
        return 0;
    }
    clock_spin(SPIN_S);
    if (read(cycles, &after, sizeof after) != sizeof after) {
        return 0;
    }
    return (double)(after - before) / (clock_seconds() - start);
}

const char *counters_describe(struct arena *a)
{
    const int cycles = open_counter(PERF_COUNT_HW_CPU_CYCLES);
    if (cycles < 0) {
        return counters_reason(errno, proc_number("", "/proc/sys/kernel/perf_event_paranoid"), a);
    }
    const int instructions = open_counter(PERF_COUNT_HW_INSTRUCTIONS);
    const double hz = counted_hz(cycles);
    const char *line =
        hz > 0 ? arena_format(a, "cycles%s; clock %.3g GHz by counter, %.3g by dependent adds",
                              instructions >= 0 ? ", instructions" : "", hz * 1e-9,
                              pulse_clock_hz() * 1e-9)
               : "none: the cycle counter does not count here; the clock is estimated by dependent "
                 "adds";
    close(cycles);
    if (instructions >= 0) {
        close(instructions);
    }
    return line;
}
