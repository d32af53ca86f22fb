/* latency.h - latencies of machine files as static data: nothing optional is known of them. */
#ifndef GAMBREL_TESTS_LATENCY_H
#define GAMBREL_TESTS_LATENCY_H

#include "formats/machine.h"

#include <math.h>

#define LATENCY(from, to, number) SAME_LATENCY(from, to, number, (double)NAN)
#define SAME_LATENCY(from, to, number, same)                                                       \
    {                                                                                              \
        .source = (from), .destination = (to), .cycles = (number), .least_cycles = (double)NAN,    \
        .most_cycles = (double)NAN, .fast_cycles = (double)NAN, .same_register_cycles = (same),    \
        .spread = (double)NAN                                                                      \
    }

#endif
