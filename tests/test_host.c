/* What the system's files say, of recorded machines and of text made up for the purpose. */
#include "measure/cgroup.h"
#include "measure/counters.h"
#include "measure/host.h"
#include "measure/proc.h"
#include "tests/tap.h"

#include <errno.h>
#include <stdlib.h>

#define RECORDED "tests/recorded/host/"
#define UNKNOWN  ((double)NAN)

static void oom(void *context)
{
    (void)context;
    abort();
}

static const char stat_text[] = "cpu  10 0 10 100 1 0 1 33 0 0\n"
                                "cpu0 5 0 5 50 1 0 1 11 0 0\n"
                                "cpu1 5 0 5 50 0 0 0 22 0 0\n"
                                "cpu10 5 0 5 50 0 0 0 700 0 0\n"
                                "intr 1 2 3\n";

static void test_lists(void)
{
    static const struct {
        const char *text;
        int n, last;
        const char *back;
    } cases[] = {
        {"0-3,8", 5, 8, "0-3,8"},
        {"0\n", 1, 0, "0"},
        {"1,3,5-6", 4, 6, "1,3,5-6"},
        {"", 0, 0, ""},
        {"3-1", 0, 0, ""},
        {"-1", 0, 0, ""},
        {"a", 0, 0, ""},
        {"0-", 0, 0, ""},
        {"0;1", 0, 0, ""},
        {"0-99999999", 8, 7, "0-7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int cpus[8] = {0};
        char back[64];
        const int n = proc_cpu_list(cases[i].text, cpus, 8);
        proc_cpu_list_text(cpus, n, back, sizeof back);
        ok(n == cases[i].n && (n == 0 || cpus[n - 1] == cases[i].last), "CPU list '%s'",
           cases[i].text);
        is_text(back, cases[i].back, "and back");
    }
}

static void test_fields(void)
{
    static const char text[] = "model\t\t: 151\nmodel name\t: Some CPU\nstepping:\nNAME=\"A B\"\n"
                               "CPU part\t: 0xd0c\n";
    char value[8];
    ok(proc_field(text, "NAME", value, sizeof value) && strcmp(value, "A B") == 0, "quotes go");
    ok(proc_field(text, "model name", value, sizeof value) && strcmp(value, "Some CP") == 0,
       "a value longer than its room is cut off");
    ok(!proc_field(text, "stepping", value, sizeof value) && !value[0], "an empty value is none");
    ok(!proc_field(text, "mode", value, sizeof value), "a key is not a prefix");
    ok(!proc_field(NULL, "model", value, sizeof value), "no text, no value");
    is_near(proc_field_number(text, "model"), 151, 0, "a number");
    is_near(proc_field_number(text, "CPU part"), 0xd0c, 0, "a hexadecimal number");
    is_near(proc_field_number(text, "NAME"), UNKNOWN, 0, "text is no number");
}

static void test_noise_files(void)
{
    static const char pressure[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1829000\n"
                                   "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
    static const char smaps[] = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0\n"
                                "Rss:                4096 kB\nAnonHugePages:      2048 kB\n"
                                "7f0000500000-7f0000600000 rw-p 00000000 00:00 0\n"
                                "Rss:                   8 kB\nAnonHugePages:         0 kB\n";
    const int cpus[] = {1, 0, 3};
    double resident = 0, huge = 0;
    is_near(proc_stolen_s(stat_text, cpus, 2, 100), 0.33, 1e-12, "steal of two CPUs, not of all");
    is_near(proc_stolen_s(stat_text, cpus, 3, 100), UNKNOWN, 0, "a CPU that is missing: unknown");
    is_near(proc_stolen_s(NULL, cpus, 1, 100), UNKNOWN, 0, "no /proc/stat: unknown");
    is_near(proc_pressure_s(pressure), 1.829, 1e-12, "pressure: some, in microseconds");
    is_near(proc_pressure_s(NULL), UNKNOWN, 0, "no pressure file: unknown");
    is_near(proc_waited_s("66490 98392000 2\n"), 0.098392, 1e-12, "time on the run queue");
    is_near(proc_waited_s(NULL), UNKNOWN, 0, "no schedstat: unknown");
    ok(proc_huge_bytes(smaps, (const void *)0x7f0000300000, &resident, &huge) &&
           resident == 4194304 && huge == 2097152,
       "huge pages of the mapping that holds an address");
    ok(!proc_huge_bytes(smaps, (const void *)0x7f0000480000, &resident, &huge),
       "an address between mappings");
}

static void test_cgroup_folder(void)
{
    static const char mountinfo[] =
        "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "41 31 0:38 /docker/abc /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    static const struct {
        const char *self, *controller, *folder; /* folder NULL: there is none */
        const char *name;
    } cases[] = {
        {"3:cpu,cpuacct:/a/b\n0::/x\n", "cpu", "/a/b", "version 1, among several controllers"},
        {"3:cpu,cpuacct:/\n", "cpu", "", "version 1, the root"},
        {"3:cpuset:/a\n", "cpu", NULL, "a controller whose name begins alike"},
        {"3:memory:/a\n", "memory", NULL, "a controller that is not mounted"},
        {"0::/docker/abc/in\n", NULL, "/in", "version 2 below the part that is mounted"},
        {"0::/docker/abcd\n", NULL, "", "version 2 beside it"},
        {"0::/docker/abc/../other\n", NULL, "", "version 2 outside of the name space"},
        {"rubbish\n", NULL, NULL, "a line that is none"},
        {"", NULL, NULL, "an empty file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char mount[CGROUP_PATH_BYTES], folder[CGROUP_PATH_BYTES] = "";
        const int found =
            cgroup_folder(mountinfo, cases[i].self, cases[i].controller, mount, folder);
        ok(found == (cases[i].folder != NULL) && (!found || strcmp(folder, cases[i].folder) == 0),
           "cgroup: %s", cases[i].name);
    }
}

static struct host *describe(const char *name, const char *cpus, struct arena *a)
{
    char root[128], topology[160];
    struct host *h = arena_new(a, struct host, 1);
    struct err e = {0};
    snprintf(root, sizeof root, RECORDED "%s", name);
    snprintf(topology, sizeof topology, "%s/topology.xml", root);
    const struct host_source source = {
        .root = arena_format(a, "%s", root), .topology = topology, .cpus = cpus};
    ok(host_describe_from(&source, a, h, &e), "%s with CPUs %s: %s", name, cpus,
       e.code ? e.text : "described");
    return h;
}

static void test_kvm(struct arena *a)
{
    const struct host *h = describe("kvm-cgroup-v1", "0-1", a);
    const struct run_host *f = &h->facts;
    is_text(f->cpu_name, "Intel(R) Xeon(R) Processor", "name");
    is_text(f->vendor, "GenuineIntel", "vendor");
    is_text(f->isa, "x86-64", "isa");
    ok(f->family == 6 && f->model == 207 && f->stepping == 2, "family, model, stepping");
    is_text(f->microcode, "0x1", "microcode");
    is_text(f->hypervisor, "unknown", "the flag of a guest does not name the hypervisor");
    is_text(f->governor, "unknown", "no governor in this guest");
    is_text(f->huge_pages, "madvise", "huge pages");
    is_text(f->cpus_allowed, "0-1", "allowed CPUs");
    is_near(f->cgroup_cpus, UNKNOWN, 0, "a quota of -1 is none");
    is_near(h->memory_usable_bytes, 24245508 * 1024.0, 0, "an unlimited group: what is available");
    ok(h->n_cpus == 2 && h->cpus[0] == 0 && h->cpus[1] == 1, "two cores to pin to");
    ok(f->n_caches == 3 && h->l1_bytes == 49152 && h->l2_bytes == 2097152 &&
           h->last_level_bytes == 272629760,
       "caches");
    is_text(h->last_level, "L3", "last level");
    ok(host_level_sharers(&h->levels[0], 2) == 1 && host_level_sharers(&h->levels[2], 2) == 2 &&
           host_level_instances(&h->levels[0], 2) == 2 &&
           host_level_instances(&h->levels[2], 2) == 1,
       "an L1 each, one L3 for both");
    struct host_noise noise;
    host_noise_read(h, 0, 2, &noise);
    ok(noise.stolen_s >= 0 && noise.pressure_s > 0 && isnan(noise.throttled_s),
       "steal and pressure can be read, throttling has no quota to come from");
}

static void test_arm(struct arena *a)
{
    const struct host *h = describe("arm-container-v2", "0-3", a);
    is_text(h->facts.isa, "aarch64", "isa");
    ok(h->facts.implementer == 0x41 && h->facts.part == 0xd0c, "implementer and part from MIDR");
    is_near(h->facts.family, UNKNOWN, 0, "no family");
    is_text(h->facts.vendor, "unknown", "no vendor");
    is_near(h->facts.cgroup_cpus, 1.5, 1e-12, "the quota of the outer group holds");
    ok(h->n_cpus == 1, "1.5 CPUs pay for one thread");
    ok(h->n_warnings == 1 && strstr(h->warnings[0], "1.50 CPUs"), "and a warning says so");
    is_near(h->memory_usable_bytes, 1073741824, 0, "the least memory limit of both groups");
    struct host_noise noise;
    host_noise_read(h, 0, 1, &noise);
    is_near(noise.throttled_s, 2.75, 1e-12, "throttled time of the group with the quota");
    is_near(noise.stolen_s, UNKNOWN, 0, "no /proc/stat: steal is unknown");
}

static void test_hybrid(struct arena *a)
{
    const struct host *h = describe("hybrid", "0-11", a);
    is_text(h->facts.hypervisor, "none", "no hypervisor flag");
    is_text(h->facts.governor, "powersave", "governor");
    ok(h->facts.threads_per_core == 2, "two threads a core");
    is_near(h->facts.cgroup_cpus, 0.5, 1e-12, "half a CPU");
    ok(h->n_cpus == 1 && h->cpus[0] == 0, "one thread, though it will be throttled");
    ok(h->n_warnings == 2 && strstr(h->warnings[0], "4 of 12") && strstr(h->warnings[1], "0.50"),
       "slow cores and quota are warned of");
    struct host_noise noise;
    host_noise_read(h, 0, 1, &noise);
    is_near(noise.throttled_s, 2.75, 1e-12, "version 1 counts nanoseconds");
    const struct host *slow = describe("hybrid", "8-11", a);
    ok(slow->n_cpus == 1 && slow->cpus[0] == 8, "where only slow cores are allowed they are used");
    const struct host *second = describe("hybrid", "1,5", a);
    ok(second->cpus[0] == 1, "the first allowed thread of a core, not the first");
}

static void test_bare(struct arena *a)
{
    const struct host *h = describe("bare", "1", a);
    const struct run_host *f = &h->facts;
    const char *const texts[] = {f->cpu_name, f->vendor,   f->isa,        f->microcode, f->kernel,
                                 f->os,       f->governor, f->huge_pages, f->hypervisor};
    const double numbers[] = {f->family,       f->model,       f->stepping,    f->implementer,
                              f->part,         f->cpus_online, f->cgroup_cpus, f->memory_bytes,
                              f->load_average, h->l1_bytes,    h->l2_bytes,    h->last_level_bytes};
    bool unknown = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        unknown = unknown && strcmp(texts[i], "unknown") == 0;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unknown = unknown && isnan(numbers[i]);
    }
    ok(unknown, "what no file says is unknown");
    ok(h->n_cpus == 1 && h->cpus[0] == 1, "one of two cores is allowed");
    ok(h->n_warnings == 1 && strstr(h->warnings[0], "no caches"), "and the caches are missed");
}

/* A results file takes only what a CPU can say of itself, and must load back. */
static void test_odd(struct arena *a)
{
    const struct run_host *f = &describe("odd", "0-1", a)->facts;
    is_text(f->vendor, "Odd: \"One\" [#", "a vendor is any text");
    ok(isnan(f->family) && isnan(f->model) && isnan(f->stepping),
       "family, model and stepping that no CPUID gives are unknown");
}

static void test_refusals(struct arena *a)
{
    struct host *h = arena_new(a, struct host, 1);
    const struct host_source none = {
        .root = RECORDED "bare", .topology = RECORDED "bare/topology.xml", .cpus = "7"};
    const struct host_source lost = {.root = "", .topology = RECORDED "absent.xml", .cpus = "0"};
    struct err e = {0};
    ok(!host_describe_from(&none, a, h, &e) && e.code == ERR_HOST, "no allowed CPU: %s", e.text);
    e = (struct err){0};
    ok(!host_describe_from(&lost, a, h, &e) && e.code == ERR_HOST, "no topology: %s", e.text);
}

static void test_this_machine(struct arena *a)
{
    struct host *h = arena_new(a, struct host, 1);
    struct err e = {0};
    if (ok(host_describe(a, h, &e), "this machine is described %s", e.text)) {
        ok(h->n_cpus >= 1 && h->facts.cpu_name && h->facts.compiler, "and has a CPU to run on");
    }
    ok(counters_describe(a) != NULL, "counters or not, there is a line about them");
    ok(strncmp(counters_reason(ENOENT, 2, a), "none: this machine", 18) == 0, "no counters");
    ok(strstr(counters_reason(EACCES, 4, a), "perf_event_paranoid is 4"), "forbidden counters");
}

int main(void)
{
    struct arena *a = arena_create((size_t)16 << 20, oom, NULL);
    test_lists();
    test_fields();
    test_noise_files();
    test_cgroup_folder();
    test_kvm(a);
    test_arm(a);
    test_hybrid(a);
    test_bare(a);
    test_odd(a);
    test_refusals(a);
    test_this_machine(a);
    arena_release(a);
    return tap_done();
}
