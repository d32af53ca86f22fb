/* probe_chain.h - microkernels in which each execution of a form waits for the one before, on one
 * path.
 *
 * A link of the chain is the form and, where what it writes is not what the path begins with,
 * partners that lead back: from vectors to general registers, from there to flags, an address and
 * so on.  Their latencies are to be subtracted.  Whatever else the form reads and writes, something
 * outside of the chain sets before each link.  Divisions and square roots get their values back
 * each time, by an and with zero and an or.
 */
#ifndef GAMBREL_MEASURE_PROBE_CHAIN_H
#define GAMBREL_MEASURE_PROBE_CHAIN_H

#include "measure/probe_code.h"

/* The least instructions in a loop; one execution of the form is a block of it. */
#define PROBE_CHAIN_INSNS_MIN 100

/* ERR_RANGE: no encoding with these registers, or a path that nothing leads back to. */
bool probe_chain_emit(const struct probe_coder *c, const struct probe_form *f,
                      const struct probe_path *p, uint8_t out[PROBE_CODE_BYTES],
                      struct probe_code *shape, struct err *e);

/* Partners of one link, in order, by form; at most PROBE_PARTNERS_MAX.  -1: there is no such
 * chain. */
#define PROBE_PARTNERS_MAX 8
int probe_chain_partners(const struct probe_form *f, const struct probe_path *p,
                         const char *partners[PROBE_PARTNERS_MAX]);

/* All forms that links are made with, beside the measured one. */
extern const char *const probe_aids[];
extern const int probe_aids_n;

#endif
