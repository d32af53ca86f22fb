/* probe_forms.h - which instruction forms are tried on a machine whose files are unknown.
 *
 * The list is what compilers emit, common ones first in each group, written as patterns
 * (code/form.h: V and MV are expanded to every width).  What this CPU lacks, or what cannot be
 * measured as part of a block without dependences, is refused with a reason.
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

/* What a form would hand on to its next execution, so that something must set it in between. */
enum probe_state { PROBE_FLAGS, PROBE_GENERAL, PROBE_OPERAND, PROBE_WRITE_MASK };

/* A form that stands directly before another, and sets what that one reads and writes without a
 * choice. */
struct probe_companion {
    enum probe_state sets;
    int number; /* the general register, or the operand, 1-based */
    char text[FORM_SIZE];
    const struct probe_form *form; /* NULL until probe_forms_join */
};
#define PROBE_COMPANIONS_MAX 3

enum { PROBE_CARRY = 1, PROBE_STATUS = 2 }; /* flags that are renamed apart (code/decode.h) */

struct probe_form {
    struct encode_form code;
    enum probe_kind kind;
    enum probe_role roles[ENCODE_OPERANDS_MAX];
    uint32_t implicit_reads, implicit_writes; /* bit n: general register n; rsp never */
    bool reads_first_vector;                  /* xmm0, as blendvps does */
    int flags_read, flags_written;            /* PROBE_CARRY, PROBE_STATUS */
    struct probe_companion companions[PROBE_COMPANIONS_MAX];
    int n_companions;
    int pushed_bytes; /* by which it lowers the stack pointer; less than 0: pops */
    /* Cycles that an update keeps its register busy: a guess by name until it is measured. */
    double latency;
    const char *refused; /* why it cannot be measured; NULL: it can */
};

/* A form by name.  false: not a form, or not encodable (e says why). */
bool probe_form_read(const char *text, struct decoder *d, struct probe_form *out, struct err *e);

/* The companion of f that sets this, or NULL. */
const struct probe_companion *probe_form_companion(const struct probe_form *f,
                                                   enum probe_state sets, int number);

/* Finds every form's companions among the forms; what lacks one is refused. */
void probe_forms_join(struct probe_form *forms, int n);

/* Every form of the list, at most FORM_WIDTHS times the patterns.  Refused ones are among them. */
struct probe_form *probe_forms_list(struct decoder *d, struct arena *a, int *n, struct err *e);

#endif
