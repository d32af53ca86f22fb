/* proc.h - what the system's text files say: /proc, /sys and /etc below a root.
 *
 * Every function that opens a file takes the folder that stands for "/": "" on this machine, a
 * folder of recorded files in a test.  Every parser takes text.  What is absent or not understood
 * is NaN, false or 0, never a guess.
 *
 * Units: seconds, bytes.
 * Source: proc(5) and Documentation/{accounting/psi,admin-guide/cgroup-v2} of the Linux kernel.
 */
#ifndef GAMBREL_MEASURE_PROC_H
#define GAMBREL_MEASURE_PROC_H

#include <stdbool.h>
#include <stddef.h>

#define PROC_BYTES_MAX ((size_t)4 << 20)

/* The whole file, NUL-terminated, to be freed by the caller; NULL if it cannot be read. */
char *proc_text(const char *root, const char *path);

/* The first line of a file without its end; false (and "") if there is none. */
bool proc_line(const char *root, const char *path, char *out, size_t size);

/* A file that holds one decimal or 0x number. */
double proc_number(const char *root, const char *path);

/* The value in the first line "key : value" or "key=value"; quotes around the value are dropped. */
bool proc_field(const char *text, const char *key, char *out, size_t size);
double proc_field_number(const char *text, const char *key); /* the number the value begins with */

/* CPU lists as in "0-3,8".  Returns how many there are, at most max; 0 for text that is no list. */
int proc_cpu_list(const char *text, int *cpus, int max);
/* The inverse for ascending CPUs; cut off at size. */
void proc_cpu_list_text(const int *cpus, int n, char *out, size_t size);

/* Steal time of the given CPUs together, from /proc/stat. */
double proc_stolen_s(const char *stat, const int *cpus, int n, double ticks_per_s);

/* Time at least one runnable task waited for a CPU, from /proc/pressure/cpu.  The kernel brings the
 * number up to date every two seconds. */
#define PROC_PRESSURE_PERIOD_S 2.0
double proc_pressure_s(const char *pressure);

/* Time a thread waited on a run queue, from /proc/thread-self/schedstat. */
double proc_waited_s(const char *schedstat);

/* Resident bytes of the mapping that holds `address`, and how many of them huge pages back, from
 * /proc/self/smaps; false if it is not there. */
bool proc_huge_bytes(const char *smaps, const void *address, double *resident, double *huge);

#endif
