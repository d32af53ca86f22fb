#include "measure/host.h"

#include <hwloc.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "measure/proc.h"

/* What this program runs on, whatever the system tells of it. */
#if defined(__x86_64__)
#define BUILD_ISA "x86-64"
#else
#define BUILD_ISA "aarch64"
#endif

#define TEXT_BYTES    256
#define LOAD_BUSY     0.5 /* processes; above, somebody else is at work */
#define CAPACITY_FAST 0.9 /* of the largest Linux capacity: still a fast core */

#ifndef GAMBREL_FLAGS
#define GAMBREL_FLAGS "unknown"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void warn(struct host *h, const char *text)
{
    if (h->n_warnings < HOST_WARNINGS_MAX) {
        h->warnings[h->n_warnings++] = text;
    }
}

static const char *text_or_unknown(struct arena *a, const char *text)
{
    return text[0] ? arena_copy(a, text, strlen(text)) : "unknown";
}

static const char *line_of(const char *root, const char *path, struct arena *a)
{
    char line[TEXT_BYTES];
    proc_line(root, path, line, sizeof line);
    return text_or_unknown(a, line);
}

static const char *field_of(const char *text, const char *key, struct arena *a)
{
    char value[TEXT_BYTES];
    proc_field(text, key, value, sizeof value);
    return text_or_unknown(a, value);
}

/* "always [madvise] never": what is in brackets is in force. */
static const char *huge_pages(const char *root, struct arena *a)
{
    char line[TEXT_BYTES];
    proc_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    return close ? arena_copy(a, open + 1, (size_t)(close - open - 1)) : "unknown";
}

/* Main ID register, ARM ARM D17.2.95: implementer in bits 31:24, part number in bits 15:4. */
static void read_midr(const char *root, const char *cpuinfo, struct run_host *f)
{
    const double midr =
        proc_number(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
    if (isnan(midr)) {
        f->implementer = proc_field_number(cpuinfo, "CPU implementer");
        f->part = proc_field_number(cpuinfo, "CPU part");
        return;
    }
    f->implementer = (double)((unsigned long)midr >> 24 & 0xff);
    f->part = (double)((unsigned long)midr >> 4 & 0xfff);
}

#if defined(__x86_64__)
/* CPUID leaf 40000000h, which hypervisors fill by convention with twelve letters of their own. */
static const char *hypervisor(struct arena *a)
{
    static const struct {
        const char *signature, *name;
    } known[] = {{"KVMKVMKVM", "KVM"},    {"Microsoft Hv", "Hyper-V"}, {"VMwareVMware", "VMware"},
                 {"XenVMMXenVMM", "Xen"}, {"TCGTCGTCGTCG", "QEMU"},    {"bhyve bhyve ", "bhyve"}};
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        return "unknown";
    }
    if (!(ecx & 1U << 31)) {
        return "none";
    }
    char signature[13] = "";
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    memcpy(signature, &ebx, 4);
    memcpy(signature + 4, &ecx, 4);
    memcpy(signature + 8, &edx, 4);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(signature, known[i].signature) == 0) {
            return known[i].name;
        }
    }
    return text_or_unknown(a, signature);
}
#else
static const char *hypervisor(struct arena *a)
{
    (void)a;
    return "unknown";
}
#endif

/* What /proc/cpuinfo can tell of a recorded machine: a guest's flags name no hypervisor. */
static const char *hypervisor_recorded(const char *cpuinfo)
{
    char *flags = malloc(PROC_BYTES_MAX);
    const char *answer = "unknown";
    if (flags && proc_field(cpuinfo, "flags", flags, PROC_BYTES_MAX) &&
        !strstr(flags, " hypervisor")) {
        answer = "none";
    }
    free(flags);
    return answer;
}

static double count_online(const char *root)
{
    char line[TEXT_BYTES];
    int cpus[HOST_CPUS_MAX];
    const int n = proc_line(root, "/sys/devices/system/cpu/online", line, sizeof line)
                      ? proc_cpu_list(line, cpus, HOST_CPUS_MAX)
                      : 0;
    return n ? n : (double)NAN;
}

static void read_system(const struct host_source *s, struct arena *a, struct run_host *f)
{
    char *os = proc_text(s->root, "/etc/os-release");
    char *load = proc_text(s->root, "/proc/loadavg");
    f->os = field_of(os, "PRETTY_NAME", a);
    f->load_average = load ? strtod(load, NULL) : (double)NAN;
    f->kernel = line_of(s->root, "/proc/sys/kernel/osrelease", a);
    f->governor = line_of(s->root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", a);
    f->huge_pages = huge_pages(s->root, a);
    f->cpus_online = count_online(s->root);
    f->compiler = COMPILER;
    f->flags = GAMBREL_FLAGS;
    f->counters = "unknown";
    f->cpus_used = f->clock_hz = f->huge_page_fraction = (double)NAN;
    free(os);
    free(load);
}

/* A whole number that CPUID can give; whatever else an emulator writes there tells nothing. */
static double identity_field(const char *cpuinfo, const char *key, double max)
{
    const double value = proc_field_number(cpuinfo, key);
    return value >= 0 && value <= max && value == floor(value) ? value : (double)NAN;
}

static void read_cpuinfo(const struct host_source *s, struct arena *a, struct run_host *f)
{
    char *cpuinfo = proc_text(s->root, "/proc/cpuinfo");
    f->cpu_name = field_of(cpuinfo, "model name", a);
    f->vendor = field_of(cpuinfo, "vendor_id", a);
    f->microcode = field_of(cpuinfo, "microcode", a);
    f->family = identity_field(cpuinfo, "cpu family", 511);
    f->model = identity_field(cpuinfo, "model", 255);
    f->stepping = identity_field(cpuinfo, "stepping", 255);
    read_midr(s->root, cpuinfo, f);
    f->isa = s->root[0] == '\0'       ? BUILD_ISA
             : !isnan(f->implementer) ? "aarch64"
             : !isnan(f->family)      ? "x86-64"
                                      : "unknown";
    f->hypervisor = s->root[0] ? hypervisor_recorded(cpuinfo) : hypervisor(a);
    free(cpuinfo);
}

static void read_memory(const struct host_source *s, struct host *h)
{
    char *meminfo = proc_text(s->root, "/proc/meminfo");
    const double free_bytes = 1024 * proc_field_number(meminfo, "MemAvailable");
    h->facts.memory_bytes = 1024 * proc_field_number(meminfo, "MemTotal");
    h->memory_usable_bytes = fmin(free_bytes, h->cgroup.memory_bytes); /* NaN loses */
    free(meminfo);
}

static bool allowed_cpus(const struct host_source *s, hwloc_bitmap_t out)
{
    int cpus[HOST_CPUS_MAX];
    if (s->cpus) {
        const int n = proc_cpu_list(s->cpus, cpus, HOST_CPUS_MAX);
        for (int i = 0; i < n; i++) {
            hwloc_bitmap_set(out, (unsigned)cpus[i]);
        }
        return n > 0;
    }
    const size_t bytes = CPU_ALLOC_SIZE(HOST_CPUS_MAX);
    cpu_set_t *set = CPU_ALLOC(HOST_CPUS_MAX);
    const bool fine = set && sched_getaffinity(0, bytes, set) == 0;
    for (unsigned cpu = 0; fine && cpu < HOST_CPUS_MAX; cpu++) {
        if (CPU_ISSET_S(cpu, bytes, set)) {
            hwloc_bitmap_set(out, cpu);
        }
    }
    CPU_FREE(set);
    return fine;
}

static const char *kind_info(const struct hwloc_info_s *infos, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            return infos[i].value;
        }
    }
    return NULL;
}

/* Kinds that differ by frequency alone are favoured cores or a guest's accident (hwloc#444, #690),
 * so only a core type or a Linux capacity counts, and each is compared with that of the best
 * kind. */
static bool kind_is_fast(const struct hwloc_info_s *infos, unsigned n,
                         const struct hwloc_info_s *best, unsigned n_best)
{
    const char *type = kind_info(infos, n, "CoreType");
    const char *best_type = kind_info(best, n_best, "CoreType");
    if (type && best_type) {
        return strcmp(type, best_type) == 0;
    }
    const char *capacity = kind_info(infos, n, "LinuxCapacity");
    const char *best_capacity = kind_info(best, n_best, "LinuxCapacity");
    return !capacity || !best_capacity ||
           strtod(capacity, NULL) >= CAPACITY_FAST * strtod(best_capacity, NULL);
}

/* Takes the slow cores of a hybrid processor out of `allowed`. */
static void keep_fast_cores(hwloc_topology_t t, hwloc_bitmap_t allowed, struct arena *a,
                            struct host *h)
{
    const int n_kinds = hwloc_cpukinds_get_nr(t, 0);
    struct hwloc_info_s *best, *infos;
    unsigned n_best, n_infos;
    int efficiency;
    if (n_kinds < 2 ||
        hwloc_cpukinds_get_info(t, (unsigned)n_kinds - 1, NULL, &efficiency, &n_best, &best, 0)) {
        return;
    }
    hwloc_bitmap_t kind = hwloc_bitmap_alloc(), slow = hwloc_bitmap_alloc();
    for (int k = 0; k < n_kinds - 1; k++) {
        hwloc_cpukinds_get_info(t, (unsigned)k, kind, NULL, &n_infos, &infos, 0);
        if (!kind_is_fast(infos, n_infos, best, n_best)) {
            hwloc_bitmap_or(slow, slow, kind);
        }
    }
    hwloc_bitmap_and(slow, slow, allowed);
    const int n_slow = hwloc_bitmap_weight(slow), n_allowed = hwloc_bitmap_weight(allowed);
    const bool guest =
        strcmp(h->facts.hypervisor, "none") != 0 && strcmp(h->facts.hypervisor, "unknown") != 0;
    if (n_slow > 0 && (efficiency < 0 || guest)) {
        warn(h, "the system reports kinds of cores that cannot be trusted here (a guest, or kinds "
                "without rank); all are used, so compare one-thread and all-thread clocks");
    } else if (n_slow > 0 && n_slow < n_allowed) {
        hwloc_bitmap_andnot(allowed, allowed, slow);
        warn(h, arena_format(a,
                             "%d of %d allowed CPUs are slow cores of a hybrid processor; only "
                             "the fast ones are measured",
                             n_slow, n_allowed));
    }
    hwloc_bitmap_free(kind);
    hwloc_bitmap_free(slow);
}

/* The first allowed logical CPU of every core. */
static void choose_cpus(hwloc_topology_t t, hwloc_const_bitmap_t allowed, struct host *h)
{
    const int n_cores = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
    const hwloc_obj_type_t type = n_cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    const int n = hwloc_get_nbobjs_by_type(t, type);
    hwloc_bitmap_t here = hwloc_bitmap_alloc();
    int most = 0;
    for (int i = 0; i < n && h->n_cpus < HOST_CPUS_MAX; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(t, type, (unsigned)i);
        const int pus = hwloc_bitmap_weight(core->cpuset);
        most = pus > most ? pus : most;
        hwloc_bitmap_and(here, core->cpuset, allowed);
        if (!hwloc_bitmap_iszero(here)) {
            h->cpus[h->n_cpus++] = hwloc_bitmap_first(here);
        }
    }
    h->facts.threads_per_core = n_cores > 0 ? most : (double)NAN;
    hwloc_bitmap_free(here);
}

/* Where the cores differ, the smallest cache holds for all. */
static void read_level(hwloc_topology_t t, int level, struct arena *a, struct host *h)
{
    static const struct {
        hwloc_obj_type_t type;
        const char *name;
    } levels[HOST_LEVELS_MAX] = {
        {HWLOC_OBJ_L1CACHE, "L1"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}};
    struct host_level *l = &h->levels[level];
    l->bytes = (double)NAN;
    hwloc_obj_t smallest = NULL;
    for (int i = 0; i < h->n_cpus; i++) {
        hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, (unsigned)h->cpus[i]);
        hwloc_obj_t cache = pu ? hwloc_get_ancestor_obj_by_type(t, levels[level].type, pu) : NULL;
        l->instance[i] = cache ? (int)cache->logical_index : -1;
        if (cache && cache->attr->cache.size > 0 &&
            (!smallest || cache->attr->cache.size < smallest->attr->cache.size)) {
            smallest = cache;
        }
    }
    if (!smallest) {
        return;
    }
    struct run_host *f = &h->facts;
    const unsigned line = smallest->attr->cache.linesize;
    l->bytes = h->last_level_bytes = (double)smallest->attr->cache.size;
    h->last_level = levels[level].name;
    f->caches = f->caches ? f->caches : arena_new(a, struct run_cache, HOST_LEVELS_MAX);
    f->caches[f->n_caches++] = (struct run_cache){
        .name = levels[level].name,
        .size_bytes = l->bytes,
        .line_bytes = line ? line : (double)NAN,
        .shared_by_cpus = hwloc_bitmap_weight(smallest->cpuset),
        .measured_bytes = (double)NAN,
    };
}

static hwloc_topology_t load_topology(const struct host_source *s, struct err *e)
{
    hwloc_topology_t t;
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* what it cannot find is said here, as unknown */
    if (hwloc_topology_init(&t)) {
        err_set(e, ERR_HOST, LOC_NONE, "hwloc cannot start");
        return NULL;
    }
    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
    if ((s->topology && hwloc_topology_set_xml(t, s->topology)) || hwloc_topology_load(t)) {
        err_set(e, ERR_HOST, LOC_NONE, "hwloc cannot read the topology of %s",
                s->topology ? s->topology : "this machine");
        hwloc_topology_destroy(t);
        return NULL;
    }
    return t;
}

static bool read_topology(const struct host_source *s, struct arena *a, struct host *h,
                          struct err *e)
{
    hwloc_topology_t t = load_topology(s, e);
    if (!t) {
        return false;
    }
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    const bool known = allowed_cpus(s, allowed);
    hwloc_bitmap_and(allowed, allowed, hwloc_topology_get_allowed_cpuset(t));
    char *list = NULL;
    hwloc_bitmap_list_asprintf(&list, allowed);
    h->facts.cpus_allowed = known && list ? text_or_unknown(a, list) : "unknown";
    free(list);
    keep_fast_cores(t, allowed, a, h);
    choose_cpus(t, allowed, h);
    for (int level = 0; level < HOST_LEVELS_MAX; level++) {
        read_level(t, level, a, h);
    }
    h->numa_nodes = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
    h->l1_bytes = h->levels[0].bytes;
    h->l2_bytes = h->levels[1].bytes;
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(t);
    return h->n_cpus > 0 || err_set(e, ERR_HOST, LOC_NONE,
                                    "none of the CPUs this process may use (%s) is in the topology",
                                    h->facts.cpus_allowed);
}

/* More threads than the quota pays for would be stopped for part of every period. */
static void apply_quota(struct arena *a, struct host *h)
{
    const double quota = h->facts.cgroup_cpus = h->cgroup.cpus;
    if (isnan(quota) || quota >= h->n_cpus) {
        return;
    }
    const int n = quota >= 1 ? (int)quota : 1;
    warn(h, quota < 1 ? arena_format(a,
                                     "the control group allows %.2f of one CPU: every pass is "
                                     "throttled and rates are too low; raise the quota",
                                     quota)
                      : arena_format(a,
                                     "the control group allows %.2f CPUs: %d of %d cores are "
                                     "used, because more threads would be throttled",
                                     quota, n, h->n_cpus));
    h->n_cpus = n;
}

bool host_describe_from(const struct host_source *source, struct arena *a, struct host *out,
                        struct err *e)
{
    memset(out, 0, sizeof *out);
    out->root = source->root;
    out->last_level = "unknown";
    out->last_level_bytes = (double)NAN;
    read_system(source, a, &out->facts);
    read_cpuinfo(source, a, &out->facts);
    cgroup_read(source->root, &out->cgroup);
    read_memory(source, out);
    if (!read_topology(source, a, out, e)) {
        return false;
    }
    apply_quota(a, out);
    if (out->facts.n_caches == 0) {
        warn(out, "the system reports no caches: sizes come from the measured sweep where it shows "
                  "clear steps");
    }
    if (out->facts.load_average > LOAD_BUSY) {
        warn(out, arena_format(a,
                               "load average %.2f before the run: other programs take CPU time "
                               "and memory bandwidth; stop them and measure again",
                               out->facts.load_average));
    }
    return true;
}

bool host_describe(struct arena *a, struct host *out, struct err *e)
{
    return host_describe_from(&(struct host_source){.root = ""}, a, out, e);
}

int host_level_sharers(const struct host_level *l, int threads)
{
    int most = 1;
    for (int i = 0; i < threads; i++) {
        int n = 0;
        for (int j = 0; j < threads; j++) {
            n += l->instance[j] >= 0 && l->instance[j] == l->instance[i];
        }
        most = n > most ? n : most;
    }
    return most;
}

int host_level_instances(const struct host_level *l, int threads)
{
    int n = 0;
    for (int i = 0; i < threads; i++) {
        bool first = l->instance[i] >= 0;
        for (int j = 0; j < i; j++) {
            first = first && l->instance[j] != l->instance[i];
        }
        n += first;
    }
    return n > 0 ? n : 1;
}

void host_noise_read(const struct host *h, int first, int n, struct host_noise *out)
{
    char *stat = proc_text(h->root, "/proc/stat");
    char *pressure = proc_text(h->root, "/proc/pressure/cpu");
    out->stolen_s = proc_stolen_s(stat, h->cpus + first, n, (double)sysconf(_SC_CLK_TCK));
    out->pressure_s = proc_pressure_s(pressure);
    out->throttled_s = cgroup_throttled_s(h->root, &h->cgroup);
    free(stat);
    free(pressure);
}
