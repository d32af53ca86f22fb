/* Which of the shipped machine files describes a host, and which of several made-up ones. */
#include "base/file.h"
#include "model/detect.h"
#include "tests/tap.h"

#include <stdlib.h>

#define X86(vendor, family, model)                                                                 \
    {                                                                                              \
        vendor, family, model, -1, -1                                                              \
    }
#define ARM(implementer, part)                                                                     \
    {                                                                                              \
        NULL, -1, -1, implementer, part                                                            \
    }
#define MATCH(vendor, family, first, last)                                                         \
    {                                                                                              \
        vendor, family, first, last, -1, -1                                                        \
    }
#define MIDR(implementer, part)                                                                    \
    {                                                                                              \
        NULL, -1, -1, -1, implementer, part                                                        \
    }
#define UNKNOWN   ((double)NAN)
#define LIST(...) ((struct machine_match[]){__VA_ARGS__})

static const char *const shipped[] = {
    "a64fx",       "apple-m1",    "apple-m4-pro",    "icelake-sp", "neoverse-n1",
    "neoverse-v1", "neoverse-v2", "sapphire-rapids", "skylake-sp", "zen2",
    "zen3",        "zen4",        "zen5-server",
};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

/* Processors by their own account; NULL: none of the files. */
static const struct {
    const char *what;
    struct identity who;
    const char *match, *nearest;
} hosts[] = {
    {"EPYC 9755 (Turin)", X86("AuthenticAMD", 26, 2), "zen5-server", NULL},
    {"Ryzen 9950X", X86("AuthenticAMD", 26, 68), NULL, "zen5-server"},
    {"EPYC 9654 (Genoa)", X86("AuthenticAMD", 25, 17), "zen4", NULL},
    {"Ryzen 7950X", X86("AuthenticAMD", 25, 97), "zen4", NULL},
    {"EPYC 7763 (Milan)", X86("AuthenticAMD", 25, 1), "zen3", NULL},
    {"Ryzen 5800X", X86("AuthenticAMD", 25, 33), "zen3", NULL},
    {"EPYC 7742 (Rome)", X86("AuthenticAMD", 23, 49), "zen2", NULL},
    {"EPYC 7601 (Naples, Zen 1)", X86("AuthenticAMD", 23, 1), NULL, "zen2"},
    {"Opteron of family 21", X86("AuthenticAMD", 21, 2), NULL, NULL},
    {"Xeon 8160", X86("GenuineIntel", 6, 85), "skylake-sp", NULL},
    {"Xeon 8380", X86("GenuineIntel", 6, 106), "icelake-sp", NULL},
    {"Sapphire Rapids", X86("GenuineIntel", 6, 143), "sapphire-rapids", NULL},
    {"Emerald Rapids", X86("GenuineIntel", 6, 207), "sapphire-rapids", NULL},
    {"Granite Rapids", X86("GenuineIntel", 6, 173), NULL, "sapphire-rapids"},
    {"an Intel of unknown model", X86("GenuineIntel", 6, -1), NULL, NULL},
    {"Graviton2", ARM(0x41, 0xd0c), "neoverse-n1", NULL},
    {"Graviton3", ARM(0x41, 0xd40), "neoverse-v1", NULL},
    {"Graviton4", ARM(0x41, 0xd4f), "neoverse-v2", NULL},
    {"Neoverse N2", ARM(0x41, 0xd49), NULL, "neoverse-v2"},
    {"A64FX", ARM(0x46, 0x001), "a64fx", NULL},
    {"M1 P-core", ARM(0x61, 0x023), "apple-m1", NULL},
    {"M1 Max P-core", ARM(0x61, 0x029), "apple-m1", NULL},
    {"M4 Pro P-core", ARM(0x61, 0x055), "apple-m4-pro", NULL},
    {"part 1 of another implementer", ARM(0x50, 0x001), NULL, NULL},
    {"nobody", {NULL, -1, -1, -1, -1}, NULL, NULL},
};

static const struct machine_made {
    struct machine_match *matches;
    int n;
} made[] = {
    {LIST(MATCH("V", 6, 0, 255)), 1}, {LIST(MATCH("V", 6, 10, 20), MATCH("W", 6, 10, 10)), 2},
    {LIST(MATCH("V", 6, 15, 25)), 1}, {LIST(MIDR(65, 7)), 1},
    {LIST(MIDR(65, 7)), 1},           {NULL, 0},
};
enum { MADE = sizeof made / sizeof *made };

static const struct {
    const char *what;
    struct identity who;
    struct detection want;
} choices[] = {
    {"only the widest", X86("V", 6, 99), {0, -1, -1}},
    {"a narrower range wins", X86("V", 6, 12), {1, -1, -1}},
    {"two alike", X86("V", 6, 17), {1, 2, -1}},
    {"the second entry of a file", X86("W", 6, 10), {1, -1, -1}},
    {"near the second entry of a file", X86("W", 6, 11), {-1, -1, 1}},
    {"another family is not near", X86("V", 7, 12), {-1, -1, -1}},
    {"two files for one part", ARM(65, 7), {3, 4, -1}},
    {"no model of an x86 host is a part", ARM(65, 12), {-1, -1, 3}},
};

static void out_of_memory(void *context)
{
    (void)context;
    abort();
}

static const struct machine *read_shipped(const char *name, struct arena *a)
{
    struct err e = {0};
    struct bytes input;
    const char *path = arena_format(a, "machines/%s.yaml", name);
    const struct machine *m =
        file_read(path, a, &input, &e) ? machine_read(input, path, a, &e) : NULL;

    ok(m != NULL, "%s reads", path);
    return m;
}

static const char *name_at(int i)
{
    return i < 0 ? "none" : shipped[i];
}

static void test_shipped(struct arena *a)
{
    const struct machine *machines[SHIPPED];
    char name[200];

    for (int i = 0; i < SHIPPED; i++) {
        machines[i] = read_shipped(shipped[i], a);
        if (!machines[i]) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const struct detection d = machine_detect(&hosts[i].who, machines, SHIPPED);
        snprintf(name, sizeof name, "%s: match", hosts[i].what);
        is_text(name_at(d.match), hosts[i].match ? hosts[i].match : "none", name);
        snprintf(name, sizeof name, "%s: nearest", hosts[i].what);
        is_text(name_at(d.nearest), hosts[i].nearest ? hosts[i].nearest : "none", name);
        ok(d.rival == -1, "%s: no rival", hosts[i].what);
    }
}

static void test_choices(void)
{
    struct machine machines[MADE] = {0};
    const struct machine *list[MADE];

    for (int i = 0; i < MADE; i++) {
        machines[i].matches = made[i].matches;
        machines[i].n_matches = made[i].n;
        list[i] = &machines[i];
    }
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct detection d = machine_detect(&choices[i].who, list, MADE);
        const struct detection want = choices[i].want;
        ok(d.match == want.match && d.rival == want.rival && d.nearest == want.nearest,
           "%s: %d, %d, %d", choices[i].what, d.match, d.rival, d.nearest);
    }
    const struct detection none = machine_detect(&choices[0].who, list, 0);
    ok(none.match == -1 && none.nearest == -1, "no files, no match");
}

static void test_words(void)
{
    const struct run_host amd = {.isa = "x86-64",
                                 .vendor = "AuthenticAMD",
                                 .family = 26,
                                 .model = 2,
                                 .implementer = UNKNOWN,
                                 .part = UNKNOWN};
    const struct run_host arm = {.isa = "aarch64",
                                 .vendor = "unknown",
                                 .family = UNKNOWN,
                                 .model = UNKNOWN,
                                 .implementer = 0x41,
                                 .part = 0xd0c};
    const struct run_host nobody = {
        .isa = "x86-64", .vendor = "unknown", .family = UNKNOWN, .model = UNKNOWN};
    char buffer[IDENTITY_SIZE];
    struct identity who = identity_of_host(&amd);

    is_text(identity_words(&who, buffer), "AuthenticAMD family 26 model 2", "an x86 host");
    who = identity_of_host(&arm);
    is_text(identity_words(&who, buffer), "implementer 0x41 part 0xd0c", "an AArch64 host");
    ok(who.vendor == NULL && who.family == -1, "an AArch64 host has no vendor");
    who = identity_of_host(&nobody);
    is_text(identity_words(&who, buffer), "an unknown processor", "a host that tells nothing");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 26, out_of_memory, NULL);

    test_shipped(a);
    test_choices();
    test_words();
    arena_release(a);
    return tap_done();
}
