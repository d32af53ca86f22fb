#include "measure/probe_cpu.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum cpuid_register { EAX, EBX, ECX, EDX };

/* What the system must save on a switch, bits of XCR0: SSE and AVX; with them masks and ZMM. */
#define XCR0_AVX    0x06u
#define XCR0_AVX512 0xe6u

/* Bits from Intel, "Software Developer's Manual", volume 2, CPUID; AMD's manual, volume 3, appendix
 * E, agrees where it has them. */
static const struct feature {
    const char *isa_set; /* of an AVX512 family without its width */
    uint32_t leaf, subleaf;
    enum cpuid_register in;
    int bit;
    uint32_t xcr0;
} features[] = {
    {"SSE3", 1, 0, ECX, 0, 0},
    {"PCLMULQDQ", 1, 0, ECX, 1, 0},
    {"SSSE3", 1, 0, ECX, 9, 0},
    {"FMA", 1, 0, ECX, 12, XCR0_AVX},
    {"SSE4", 1, 0, ECX, 19, 0},
    {"SSE42", 1, 0, ECX, 20, 0},
    {"MOVBE", 1, 0, ECX, 22, 0},
    {"POPCNT", 1, 0, ECX, 23, 0},
    {"AES", 1, 0, ECX, 25, 0},
    {"AVXAES", 1, 0, ECX, 25, XCR0_AVX},
    {"AVX", 1, 0, ECX, 28, XCR0_AVX},
    {"F16C", 1, 0, ECX, 29, XCR0_AVX},
    {"BMI1", 7, 0, EBX, 3, 0},
    {"AVX2", 7, 0, EBX, 5, XCR0_AVX},
    {"AVX2GATHER", 7, 0, EBX, 5, XCR0_AVX},
    {"BMI2", 7, 0, EBX, 8, 0},
    {"ADOX_ADCX", 7, 0, EBX, 19, 0},
    {"SHA", 7, 0, EBX, 29, 0},
    {"GFNI", 7, 0, ECX, 8, 0},
    {"AVX_GFNI", 7, 0, ECX, 8, XCR0_AVX},
    {"VAES", 7, 0, ECX, 9, XCR0_AVX},
    {"VPCLMULQDQ", 7, 0, ECX, 10, XCR0_AVX},
    {"AVX_VNNI", 7, 1, EAX, 4, XCR0_AVX},
    {"LZCNT", 0x80000001, 0, ECX, 5, 0},
    {"RDTSCP", 0x80000001, 0, EDX, 27, 0},
    {"AVX512F", 7, 0, EBX, 16, XCR0_AVX512},
    {"AVX512DQ", 7, 0, EBX, 17, XCR0_AVX512},
    {"AVX512_IFMA", 7, 0, EBX, 21, XCR0_AVX512},
    {"AVX512CD", 7, 0, EBX, 28, XCR0_AVX512},
    {"AVX512BW", 7, 0, EBX, 30, XCR0_AVX512},
    {"AVX512VL", 7, 0, EBX, 31, XCR0_AVX512},
    {"AVX512_VBMI", 7, 0, ECX, 1, XCR0_AVX512},
    {"AVX512_VBMI2", 7, 0, ECX, 6, XCR0_AVX512},
    {"AVX512_GFNI", 7, 0, ECX, 8, XCR0_AVX512},
    {"AVX512_VAES", 7, 0, ECX, 9, XCR0_AVX512},
    {"AVX512_VPCLMULQDQ", 7, 0, ECX, 10, XCR0_AVX512},
    {"AVX512_VNNI", 7, 0, ECX, 11, XCR0_AVX512},
    {"AVX512_BITALG", 7, 0, ECX, 12, XCR0_AVX512},
    {"AVX512_VPOPCNTDQ", 7, 0, ECX, 14, XCR0_AVX512},
    {"AVX512_FP16", 7, 0, EDX, 23, XCR0_AVX512},
    {"AVX512_BF16", 7, 1, EAX, 5, XCR0_AVX512},
};

/* Every x86-64 CPU has these. */
static const char *const baseline[] = {
    "I86",   "I186",   "I386",  "I486",         "I486REAL", "PENTIUMREAL",   "PPRO",
    "CMOV",  "SSE",    "SSE2",  "SSEMXCSR",     "LONGMODE", "FAT_NOP",       "PREFETCH_NOP",
    "PAUSE", "FXSAVE", "CLFSH", "SSE_PREFETCH", "I286REAL", "I286PROTECTED",
};

static uint32_t xcr0(void)
{
    uint32_t a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) { /* OSXSAVE */
        return 0;
    }
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a;
}

static bool has_feature(const char *name, size_t len)
{
    for (size_t k = 0; k < sizeof features / sizeof *features; k++) {
        const struct feature *f = &features[k];
        uint32_t r[4];
        if (strlen(f->isa_set) == len && memcmp(f->isa_set, name, len) == 0) {
            return __get_cpuid_count(f->leaf, f->subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) &&
                   (r[f->in] >> f->bit & 1) && (f->xcr0 & xcr0()) == f->xcr0;
        }
    }
    return false;
}

bool probe_cpu_has(const char *isa_set)
{
    const char *width = strrchr(isa_set, '_');

    for (size_t k = 0; k < sizeof baseline / sizeof *baseline; k++) {
        if (strcmp(isa_set, baseline[k]) == 0) {
            return true;
        }
    }
    if (strncmp(isa_set, "AVX512", 6) != 0 || !width) {
        return has_feature(isa_set, strlen(isa_set));
    }
    /* _128 and _256 need vector lengths; _128N (movd and the like), _SCALAR, _KOP and _512 do
     * not. */
    const bool short_vectors = strcmp(width, "_128") == 0 || strcmp(width, "_256") == 0;
    return has_feature(isa_set, (size_t)(width - isa_set)) &&
           (!short_vectors || has_feature("AVX512VL", 8));
}

struct probe_cpu probe_cpu_identify(void)
{
    struct probe_cpu cpu = {.vendor = ""};
    uint32_t a = 0, b, c, d;

    if (__get_cpuid(0, &a, &b, &c, &d)) {
        memcpy(cpu.vendor, &b, 4);
        memcpy(cpu.vendor + 4, &d, 4);
        memcpy(cpu.vendor + 8, &c, 4);
    }
    __get_cpuid(1, &a, &b, &c, &d);
    cpu.family = a >> 8 & 15;
    cpu.model = a >> 4 & 15;
    cpu.stepping = a & 15;
    cpu.model += cpu.family == 6 || cpu.family == 15 ? (long)(a >> 16 & 15) * 16 : 0;
    cpu.family += cpu.family == 15 ? (long)(a >> 20 & 255) : 0;
    return cpu;
}

#else

bool probe_cpu_has(const char *isa_set)
{
    (void)isa_set;
    return false;
}

struct probe_cpu probe_cpu_identify(void)
{
    return (struct probe_cpu){.vendor = ""};
}

#endif
