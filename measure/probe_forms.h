/* probe_forms.h - which instruction forms are tried on a machine whose files are unknown.
 *
 * The list is what compilers emit, common ones first in each group, written as patterns (code/form.h:
 * V and MV are expanded to every width).  What this CPU lacks, or what cannot be measured as part of a
 * block without dependences, is refused with a reason.
 */
#ifndef GAMBREL_MEASURE_PROBE_FORMS_H
#define GAMBREL_MEASURE_PROBE_FORMS_H

#include "base/arena.h"
#include "base/err.h"
#include "code/decode.h"
#include "code/encode.h"

#include <stdbool.h>

/* What an instruction does with an operand. */
enum probe_role { PROBE_SOURCE, PROBE_RESULT, PROBE_UPDATE /* read and written */ };

/* Forms of different kinds but the first are never in one block: legacy SSE merges into registers
 * whose upper half AVX left dirty, and 512-bit instructions close a vector port of some cores to
 * narrower ones. */
enum probe_kind { PROBE_ANY, PROBE_SSE, PROBE_AVX, PROBE_AVX512, PROBE_KINDS };

struct probe_form {
    struct encode_form code;
    enum probe_kind kind;
    enum probe_role roles[ENCODE_OPERANDS_MAX];
    uint32_t implicit_reads, implicit_writes; /* bit n: general register n */
    bool reads_first_vector;                  /* xmm0, as blendvps does */
    bool reads_flags;
    /* Cycles that an update keeps its register busy: a guess by name until it is measured. */
    double latency;
    const char *refused; /* why it cannot be measured; NULL: it can */
};

/* A form by name.  false: not a form, or not encodable (e says why). */
bool probe_form_read(const char *text, struct decoder *d, struct probe_form *out, struct err *e);

/* Every form of the list, at most 3 times the patterns.  Refused ones are among them. */
struct probe_form *probe_forms_list(struct decoder *d, struct arena *a, int *n, struct err *e);

#endif
