/* cgroup.h - what the control groups of this process allow it: CPUs by quota, memory.
 *
 * Both versions count, since both may be mounted at once: version 1's cpu and memory controllers,
 * version 2's single tree.  A limit on any group from the process's own up to the mount point
 * holds, so the least one is taken.
 *
 * Source: cgroups(7), Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst.
 */
#ifndef GAMBREL_MEASURE_CGROUP_H
#define GAMBREL_MEASURE_CGROUP_H

#include <stddef.h>

#define CGROUP_PATH_BYTES 512
#define CGROUP_LEVELS_MAX 16

struct cgroup {
    double cpus;         /* quota / period; NaN: no quota */
    double memory_bytes; /* NaN: no limit */
    /* cpu.stat of each group whose quota may throttle us, below the root. */
    char stat_files[CGROUP_LEVELS_MAX][CGROUP_PATH_BYTES];
    int n_stat_files;
};

void cgroup_read(const char *root, struct cgroup *out);

/* Time all of these groups were throttled since they were made; NaN: no such file. */
double cgroup_throttled_s(const char *root, const struct cgroup *g);

/* Where the tree of a controller is mounted and which folder in it is ours, as two texts of
 * CGROUP_PATH_BYTES; controller NULL: version 2.  0 if there is none. */
int cgroup_folder(const char *mountinfo, const char *self_cgroup, const char *controller,
                  char *mount, char *folder);

#endif
