/* detect.h - which machine file describes a host, by what the processor says of itself.
 *
 * x86: vendor, family and model of CPUID.  AArch64: implementer and part of MIDR_EL1.  Nothing is
 * read here: the host is described by the caller.
 */
#ifndef GAMBREL_MODEL_DETECT_H
#define GAMBREL_MODEL_DETECT_H

#include "formats/machine.h"
#include "formats/run.h"

struct identity {
    const char *vendor; /* NULL: not x86, or unknown */
    long family, model; /* -1: unknown */
    long implementer, part;
};

/* What a run's host says of itself; numbers nobody knows are -1. */
struct identity identity_of_host(const struct run_host *h);

/* "AuthenticAMD family 26 model 2", "implementer 0x41 part 0xd0c", "an unknown processor". */
#define IDENTITY_SIZE 96
const char *identity_words(const struct identity *who, char buffer[IDENTITY_SIZE]);

struct detection {
    int match;   /* index of the machine; -1: none */
    int rival;   /* another that matches as closely; -1: none */
    int nearest; /* no match: the machine of the same vendor and family, or implementer, whose
                  * model or part is nearest; -1: none */
};

/* Of several machines that match, the one with the fewest models in its range wins, the first of
 * those that tie. */
struct detection machine_detect(const struct identity *who, const struct machine *const *machines,
                                int n);

#endif
