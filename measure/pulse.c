#include "measure/pulse.h"

#include "base/stats.h"
#include "measure/noise.h"

/* Each is run once and twice as long, and the difference counts: reading the time costs nothing then.
 * Together about ten microseconds. */
#define CHAIN_TRIPS UINT64_C(100)
#define CHAIN_ADDS  64
#define FLOOD_TRIPS UINT64_C(100)
#define FLOOD_NOPS  192
#define TOUCH_TRIPS UINT64_C(40) /* of the chain */
#define TOUCH_FLOOD UINT64_C(24)
#define QUIET       1.06 /* a flood may take so much longer than at the quietest */
#define PULSES      101
#define EVEN        0.03 /* distance of their quartiles over their median */

uint64_t pulse_ticks(void)
{
    uint64_t ticks;
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    ticks = (uint64_t)high << 32 | low;
#else
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
#endif
    return ticks;
}

static double chain_ticks(uint64_t trips)
{
    uint64_t sum = 0;
    const uint64_t step = 1;
    const uint64_t start = pulse_ticks();
#if defined(__x86_64__)
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "addq %2, %0\n\t"
                     ".endr\n\t"
                     "decq %1\n\t"
                     "jnz 1b"
                     : "+r"(sum), "+r"(trips)
                     : "r"(step)
                     : "cc");
#else
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0, %2\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(sum), "+r"(trips)
                     : "r"(step)
                     : "cc");
#endif
    return (double)(pulse_ticks() - start);
}

static double flood_ticks(uint64_t trips)
{
    const uint64_t start = pulse_ticks();
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 192\n\t"
                     "nop\n\t"
                     ".endr\n\t"
#if defined(__x86_64__)
                     "decq %0\n\t"
                     "jnz 1b"
#else
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
#endif
                     : "+r"(trips)
                     :
                     : "cc");
    return (double)(pulse_ticks() - start);
}

struct pulse pulse_feel(void)
{
    const double chain = chain_ticks(2 * CHAIN_TRIPS) - chain_ticks(CHAIN_TRIPS);
    const double flood = flood_ticks(2 * FLOOD_TRIPS) - flood_ticks(FLOOD_TRIPS);
    const double cycle = chain / (double)(CHAIN_TRIPS * CHAIN_ADDS);
    return (struct pulse){cycle, flood / cycle / (double)(FLOOD_TRIPS * FLOOD_NOPS)};
}

double pulse_overhead_ticks(void)
{
    double overhead[PULSES];
    for (int i = 0; i < PULSES; i++) {
        overhead[i] = 2 * chain_ticks(TOUCH_TRIPS) - chain_ticks(2 * TOUCH_TRIPS);
    }
    return stats_median(overhead, PULSES);
}

struct pulse pulse_touch(double overhead_ticks)
{
    const double chain = chain_ticks(TOUCH_TRIPS) - overhead_ticks;
    const double flood = flood_ticks(TOUCH_FLOOD) - overhead_ticks;
    const double cycle = chain / (double)(TOUCH_TRIPS * CHAIN_ADDS);
    return (struct pulse){cycle, flood / cycle / (double)(TOUCH_FLOOD * FLOOD_NOPS)};
}

struct pulse_summary pulse_listen(void)
{
    double crowd[PULSES];
    for (int i = 0; i < PULSES; i++) {
        crowd[i] = pulse_feel().crowd;
    }
    return (struct pulse_summary){stats_median(crowd, PULSES), noise_spread(crowd, PULSES) < EVEN};
}

bool pulse_is_quiet(struct pulse p, double quietest)
{
    /* Less than possible: the chain itself was disturbed, and its cycle is too long. */
    return p.crowd > quietest / QUIET && p.crowd < QUIET * quietest;
}
