#include "measure/cgroup.h"

#include "measure/proc.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 says "no memory limit" by a number near 2^63, rounded down to a page. */
#define V1_UNLIMITED_BYTES 4.6e18

static bool has_word(const char *list, const char *word)
{
    const size_t len = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, len) == 0 && (at[len] == ',' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

/* A line of /proc/self/cgroup is "id:controllers:path"; version 2 is "0::path". */
static bool find_path(const char *self_cgroup, const char *controller, char *path)
{
    for (const char *line = self_cgroup; line && *line;) {
        char text[CGROUP_PATH_BYTES + 64];
        const size_t len = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)len, line);
        line += len + (line[len] == '\n');
        char *controllers = strchr(text, ':');
        char *rest = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!rest) {
            continue;
        }
        *rest = '\0';
        controllers++;
        if (controller ? has_word(controllers, controller) : *controllers == '\0') {
            snprintf(path, CGROUP_PATH_BYTES, "%.*s", CGROUP_PATH_BYTES - 1, rest + 1);
            return true;
        }
    }
    return false;
}

/* A line of /proc/self/mountinfo: id parent device root mount options [fields] - type source
 * super. */
static bool find_mount(const char *mountinfo, const char *controller, char *root, char *mount)
{
    for (const char *line = mountinfo; line && *line;) {
        const size_t len = strcspn(line, "\n");
        char text[2 * CGROUP_PATH_BYTES + 512], type[32] = "", super[256] = "";
        snprintf(text, sizeof text, "%.*s", (int)len, line);
        line += len + (line[len] == '\n');
        const char *dash = strstr(text, " - ");
        if (!dash || sscanf(dash, " - %31s %*s %255s", type, super) < 1) {
            continue;
        }
        const bool ours = controller ? strcmp(type, "cgroup") == 0 && has_word(super, controller)
                                     : strcmp(type, "cgroup2") == 0;
        if (ours && sscanf(text, "%*s %*s %*s %511s %511s", root, mount) == 2) {
            return true;
        }
    }
    return false;
}

int cgroup_folder(const char *mountinfo, const char *self_cgroup, const char *controller,
                  char *mount, char *folder)
{
    char path[CGROUP_PATH_BYTES], root[CGROUP_PATH_BYTES];
    if (!find_path(self_cgroup, controller, path) ||
        !find_mount(mountinfo, controller, root, mount)) {
        return 0;
    }
    /* In a container the mount shows only the part of the tree below `root`.  A path outside of it
     * ("/..") cannot be followed; what is at the mount point then holds. */
    const size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const bool below = strncmp(path, root, len) == 0 && (path[len] == '/' || path[len] == '\0') &&
                       !strstr(path, "/..");
    snprintf(folder, CGROUP_PATH_BYTES, "%s", below ? path + len : "");
    if (strcmp(folder, "/") == 0) {
        folder[0] = '\0';
    }
    return 1;
}

static double least(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

/* "max 100000" or "50000 100000" in version 2, two files in version 1. */
static double quota_cpus(const char *root, const char *group, bool v2)
{
    char path[2 * CGROUP_PATH_BYTES + 32], line[64];
    double quota, period;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", group);
        char *end = line;
        quota = proc_line(root, path, line, sizeof line) ? strtod(line, &end) : 0;
        period = end != line ? strtod(end, NULL) : 0; /* "max" is no number */
        return quota > 0 && period > 0 ? quota / period : (double)NAN;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", group);
    quota = proc_number(root, path);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", group);
    period = proc_number(root, path);
    return quota > 0 && period > 0 ? quota / period : (double)NAN;
}

static double memory_limit(const char *root, const char *group, bool v2)
{
    char path[2 * CGROUP_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", group, v2 ? "memory.max" : "memory.limit_in_bytes");
    const double bytes = proc_number(root, path); /* "max" is no number */
    return bytes > 0 && bytes < V1_UNLIMITED_BYTES ? bytes : (double)NAN;
}

/* Calls for the group itself and every parent up to the mount point. */
static void walk(const char *root, const char *mount, char *folder, bool v2, bool cpu,
                 struct cgroup *out)
{
    for (;;) {
        char group[2 * CGROUP_PATH_BYTES];
        snprintf(group, sizeof group, "%s%s", mount, folder);
        if (cpu) {
            const double cpus = quota_cpus(root, group, v2);
            out->cpus = least(out->cpus, cpus);
            if (!isnan(cpus) && out->n_stat_files < CGROUP_LEVELS_MAX &&
                strlen(group) + sizeof "/cpu.stat" <= CGROUP_PATH_BYTES) {
                char *file = out->stat_files[out->n_stat_files++];
                snprintf(file, CGROUP_PATH_BYTES, "%.*s/cpu.stat", CGROUP_PATH_BYTES - 10, group);
            }
        }
        if (!cpu || v2) {
            out->memory_bytes = least(out->memory_bytes, memory_limit(root, group, v2));
        }
        char *slash = strrchr(folder, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

void cgroup_read(const char *root, struct cgroup *out)
{
    static const struct {
        const char *controller; /* NULL: version 2 */
        bool cpu;
    } trees[] = {{"cpu", true}, {"memory", false}, {NULL, true}};
    *out = (struct cgroup){.cpus = (double)NAN, .memory_bytes = (double)NAN};
    char *mountinfo = proc_text(root, "/proc/self/mountinfo");
    char *self = proc_text(root, "/proc/self/cgroup");
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        char mount[CGROUP_PATH_BYTES], folder[CGROUP_PATH_BYTES];
        if (cgroup_folder(mountinfo, self, trees[i].controller, mount, folder)) {
            walk(root, mount, folder, !trees[i].controller, trees[i].cpu, out);
        }
    }
    free(mountinfo);
    free(self);
}

/* Version 2 writes "throttled_usec N", version 1 "throttled_time N" in nanoseconds. */
static double throttled_s(const char *stat)
{
    const char *at = strstr(stat, "throttled_usec ");
    if (at) {
        return 1e-6 * strtod(at + strlen("throttled_usec "), NULL);
    }
    at = strstr(stat, "throttled_time ");
    return at ? 1e-9 * strtod(at + strlen("throttled_time "), NULL) : (double)NAN;
}

double cgroup_throttled_s(const char *root, const struct cgroup *g)
{
    double sum = g->n_stat_files ? 0 : (double)NAN;
    for (int i = 0; i < g->n_stat_files; i++) {
        char *stat = proc_text(root, g->stat_files[i]);
        sum += stat ? throttled_s(stat) : (double)NAN;
        free(stat);
    }
    return sum;
}
