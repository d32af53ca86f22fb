#include "model/detect.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long known(double value)
{
    return isnan(value) ? -1 : (long)value;
}

struct identity identity_of_host(const struct run_host *h)
{
    const bool x86 = h->isa && strcmp(h->isa, "x86-64") == 0;

    return (struct identity){
        .vendor = x86 ? h->vendor : NULL,
        .family = x86 ? known(h->family) : -1,
        .model = x86 ? known(h->model) : -1,
        .implementer = x86 ? -1 : known(h->implementer),
        .part = x86 ? -1 : known(h->part),
    };
}

const char *identity_words(const struct identity *who, char buffer[IDENTITY_SIZE])
{
    if (who->vendor && who->family >= 0 && who->model >= 0) {
        snprintf(buffer, IDENTITY_SIZE, "%.32s family %ld model %ld", who->vendor, who->family,
                 who->model);
    } else if (who->implementer >= 0 && who->part >= 0) {
        snprintf(buffer, IDENTITY_SIZE, "implementer 0x%lx part 0x%03lx",
                 (unsigned long)who->implementer, (unsigned long)who->part);
    } else {
        snprintf(buffer, IDENTITY_SIZE, "an unknown processor");
    }
    return buffer;
}

/* How far a host is from an entry of the same kind: 0 inside it; LONG_MAX for another kind. */
static long distance(const struct identity *who, const struct machine_match *m)
{
    if (m->vendor) {
        if (!who->vendor || strcmp(who->vendor, m->vendor) != 0 || who->family != m->family ||
            who->model < 0) {
            return LONG_MAX;
        }
        return who->model < m->model_first  ? m->model_first - who->model
               : who->model > m->model_last ? who->model - m->model_last
                                            : 0;
    }
    if (who->implementer < 0 || who->implementer != m->implementer || who->part < 0) {
        return LONG_MAX;
    }
    return labs(who->part - m->part);
}

/* Models that an entry stands for beside the first. */
static long breadth(const struct machine_match *m)
{
    return m->vendor ? m->model_last - m->model_first : 0;
}

struct detection machine_detect(const struct identity *who, const struct machine *const *machines,
                                int n)
{
    struct detection d = {-1, -1, -1};
    long least_breadth = LONG_MAX, least_distance = LONG_MAX;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < machines[i]->n_matches; k++) {
            const struct machine_match *m = &machines[i]->matches[k];
            const long away = distance(who, m);
            if (away == 0 && breadth(m) < least_breadth) {
                least_breadth = breadth(m);
                d.match = i;
                d.rival = -1;
            } else if (away == 0 && breadth(m) == least_breadth && i != d.match && d.rival < 0) {
                d.rival = i;
            }
            if (away < least_distance) {
                least_distance = away;
                d.nearest = i;
            }
        }
    }
    if (d.match >= 0) {
        d.nearest = -1;
    }
    return d;
}
