#include "measure/pulse.h"

#include "base/stats.h"
#include "measure/clock.h"
#include "measure/noise.h"

#include <math.h>

#define CHAIN_ADDS  64
#define FLOOD_NOPS  192
#define TOUCH_TRIPS UINT64_C(40) /* of the chain: 0.9 microseconds at 3 GHz */
#define TOUCH_FLOOD UINT64_C(24)
#define TOUCH_TICKS 200.0        /* at least, so that one more or less is 0.5 % */
#define TOUCH_MAX   UINT64_C(64) /* times as long, at most */
#define HZ_TRIPS    UINT64_C(1000)
#define HZ_TRIES    3
#define QUIET       1.06 /* a flood may take so much longer than at the quietest */
#define TOUCHES     15
#define PULSES      31
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

/* The operand is a register: Golden Cove and later cores add small immediates while renaming, at no
 * latency (measured on family 6 model 207: `add r64, imm` 12 to 16 a ns, `add r64, r64` 2.97).  64
 * adds a trip: the loop's own two instructions run beside the chain and cost it nothing. */
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

static double overhead_ticks(uint64_t trips)
{
    double overhead[PULSES];
    for (int i = 0; i < PULSES; i++) {
        overhead[i] = 2 * chain_ticks(trips) - chain_ticks(2 * trips);
    }
    return stats_median(overhead, PULSES);
}

struct pulse_gauge pulse_gauge(void)
{
    uint64_t longer = 1;
    while (longer < TOUCH_MAX && chain_ticks(longer * TOUCH_TRIPS) < TOUCH_TICKS) {
        longer *= 2;
    }
    const uint64_t trips = longer * TOUCH_TRIPS;
    return (struct pulse_gauge){overhead_ticks(trips), trips, longer * TOUCH_FLOOD};
}

struct pulse pulse_touch(const struct pulse_gauge *g)
{
    /* A loop over much memory may have driven this code out of the caches. */
    (void)chain_ticks(1);
    (void)flood_ticks(1);
    /* Under an emulator either may take no time at all. */
    const double chain = fmax(chain_ticks(g->chain_trips) - g->overhead_ticks, 1);
    const double flood = fmax(flood_ticks(g->flood_trips) - g->overhead_ticks, 1);
    const double cycle = chain / (double)(g->chain_trips * CHAIN_ADDS);
    return (struct pulse){cycle, flood / cycle / (double)(g->flood_trips * FLOOD_NOPS)};
}

double pulse_clock_hz(void)
{
    double largest = 0;
    for (int i = 0; i < HZ_TRIES; i++) {
        const double start = clock_seconds();
        (void)chain_ticks(HZ_TRIPS);
        const double hz = (double)(HZ_TRIPS * CHAIN_ADDS) / (clock_seconds() - start);
        largest = hz > largest ? hz : largest;
    }
    return largest;
}

double pulse_crowd(const struct pulse_gauge *g)
{
    double crowd[TOUCHES];
    for (int i = 0; i < TOUCHES; i++) {
        crowd[i] = pulse_touch(g).crowd;
    }
    return stats_median(crowd, TOUCHES);
}

struct pulse_summary pulse_listen(const struct pulse_gauge *g)
{
    double crowd[PULSES];
    for (int i = 0; i < PULSES; i++) {
        crowd[i] = pulse_crowd(g);
    }
    return (struct pulse_summary){stats_median(crowd, PULSES), noise_spread(crowd, PULSES) < EVEN};
}

bool pulse_is_quiet(double crowd, double quietest)
{
    return crowd < QUIET * quietest;
}
