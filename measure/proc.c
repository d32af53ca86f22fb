#include "measure/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* Reads until the end: files in /proc have no length of their own. */
static char *read_all(int fd)
{
    size_t capacity = 4096, len = 0;
    char *text = malloc(capacity);
    while (text) {
        const ssize_t got = read(fd, text + len, capacity - len - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 || len >= PROC_BYTES_MAX) {
            break;
        }
        if (got == 0) {
            text[len] = '\0';
            return text;
        }
        len += (size_t)got;
        if (capacity - len < 2) {
            char *larger = realloc(text, capacity *= 2);
            if (!larger) {
                break;
            }
            text = larger;
        }
    }
    free(text);
    return NULL;
}

char *proc_text(const char *root, const char *path)
{
    char full[PATH_BYTES];
    const int len = snprintf(full, sizeof full, "%s%s", root, path);
    if (len < 0 || (size_t)len >= sizeof full) {
        return NULL;
    }
    const int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    char *text = read_all(fd);
    close(fd);
    return text;
}

/* Copies text[0..len) without blanks and quotes at its ends; longer text is cut off. */
static void copy_trimmed(const char *text, size_t len, char *out, size_t size)
{
    while (len > 0 && (isspace((unsigned char)text[0]) || text[0] == '"')) {
        text++;
        len--;
    }
    while (len > 0 && (isspace((unsigned char)text[len - 1]) || text[len - 1] == '"')) {
        len--;
    }
    const size_t n = len < size - 1 ? len : size - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

bool proc_line(const char *root, const char *path, char *out, size_t size)
{
    char *text = proc_text(root, path);
    out[0] = '\0';
    if (text) {
        copy_trimmed(text, strcspn(text, "\n"), out, size);
        free(text);
    }
    return out[0] != '\0';
}

double proc_number(const char *root, const char *path)
{
    char line[64], *end;
    if (!proc_line(root, path, line, sizeof line)) {
        return (double)NAN;
    }
    const bool hexadecimal = strncmp(line, "0x", 2) == 0;
    const double value = hexadecimal ? (double)strtoull(line, &end, 16) : strtod(line, &end);
    return end != line && *end == '\0' ? value : (double)NAN;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* What follows "key", blanks and a colon or an equals sign; NULL if the line is another's. */
static const char *value_of(const char *line, const char *key)
{
    const size_t len = strlen(key);
    if (strncmp(line, key, len) != 0) {
        return NULL;
    }
    const char *at = line + len + strspn(line + len, " \t");
    return *at == ':' || *at == '=' ? at + 1 : NULL;
}

bool proc_field(const char *text, const char *key, char *out, size_t size)
{
    out[0] = '\0';
    for (const char *line = text; line && *line; line = next_line(line)) {
        const char *value = value_of(line, key);
        if (value) {
            copy_trimmed(value, strcspn(value, "\n"), out, size);
            return out[0] != '\0';
        }
    }
    return false;
}

double proc_field_number(const char *text, const char *key)
{
    char value[64], *end;
    if (!proc_field(text, key, value, sizeof value)) {
        return (double)NAN;
    }
    const bool hexadecimal = strncmp(value, "0x", 2) == 0;
    const double number = hexadecimal ? (double)strtoull(value, &end, 16) : strtod(value, &end);
    return end != value ? number : (double)NAN;
}

int proc_cpu_list(const char *text, int *cpus, int max)
{
    int n = 0;
    for (const char *at = text; at && *at && *at != '\n';) {
        char *end;
        const long first = strtol(at, &end, 10);
        if (end == at || first < 0) {
            return 0;
        }
        long last = first;
        if (*end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            if (end == at || last < first) {
                return 0;
            }
        }
        for (long cpu = first; cpu <= last && n < max; cpu++) {
            cpus[n++] = (int)cpu;
        }
        if (*end != ',' && *end != '\n' && *end != '\0') {
            return 0;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

void proc_cpu_list_text(const int *cpus, int n, char *out, size_t size)
{
    size_t len = 0;
    out[0] = '\0';
    for (int i = 0; i < n;) {
        int last = i;
        while (last + 1 < n && cpus[last + 1] == cpus[last] + 1) {
            last++;
        }
        const char *comma = i ? "," : "";
        const int wrote =
            last > i ? snprintf(out + len, size - len, "%s%d-%d", comma, cpus[i], cpus[last])
                     : snprintf(out + len, size - len, "%s%d", comma, cpus[i]);
        if (wrote < 0 || (size_t)wrote >= size - len) {
            return;
        }
        len += (size_t)wrote;
        i = last + 1;
    }
}

/* The number in the n-th field of a line, counted from 0 and parted by blanks; NaN: there is
 * none. */
static double field_number(const char *line, int n)
{
    const char *at = line + strspn(line, " ");
    for (int i = 0; i < n; i++) {
        at += strcspn(at, " \n");
        at += strspn(at, " ");
    }
    char *end;
    const double value = strtod(at, &end);
    return end != at ? value : (double)NAN;
}

double proc_stolen_s(const char *stat, const int *cpus, int n, double ticks_per_s)
{
    double ticks = 0;
    int found = 0;
    for (const char *line = stat; line && *line; line = next_line(line)) {
        char *end = NULL;
        const long cpu = strncmp(line, "cpu", 3) == 0 ? strtol(line + 3, &end, 10) : -1;
        if (cpu < 0 || end == line + 3) {
            continue; /* another line, or "cpu " of all together */
        }
        for (int i = 0; i < n; i++) {
            if (cpus[i] == cpu) {
                ticks += field_number(line, 8); /* cpuN user nice system idle iowait irq softirq */
                found++;
            }
        }
    }
    return found == n && n > 0 ? ticks / ticks_per_s : (double)NAN;
}

double proc_pressure_s(const char *pressure)
{
    for (const char *line = pressure; line && *line; line = next_line(line)) {
        const char *total = strncmp(line, "some ", 5) == 0 ? strstr(line, "total=") : NULL;
        if (total) {
            return 1e-6 * field_number(total + strlen("total="), 0);
        }
    }
    return (double)NAN;
}

double proc_waited_s(const char *schedstat)
{
    return schedstat ? 1e-9 * field_number(schedstat, 1) : (double)NAN;
}

/* "first-end permissions ..." of a mapping; false for the lines that describe it. */
static bool mapping_of(const char *line, uintmax_t *first, uintmax_t *end)
{
    char *after;
    *first = strtoumax(line, &after, 16);
    if (after == line || *after != '-') {
        return false;
    }
    *end = strtoumax(after + 1, &after, 16);
    return *after == ' ';
}

bool proc_huge_bytes(const char *smaps, const void *address, double *resident, double *huge)
{
    const uintmax_t wanted = (uintptr_t)address;
    bool inside = false;
    for (const char *line = smaps; line && *line; line = next_line(line)) {
        uintmax_t first, end;
        const char *value;
        if (mapping_of(line, &first, &end)) {
            inside = first <= wanted && wanted < end;
        } else if (inside && (value = value_of(line, "Rss"))) {
            *resident = 1024 * field_number(value, 0);
        } else if (inside && (value = value_of(line, "AnonHugePages"))) {
            *huge = 1024 * field_number(value, 0);
            return true;
        }
    }
    return false;
}
