/* compose.h - a form with a memory source, taken apart: its register form and the load that feeds
 * it.
 *
 * vaddps zmm, zmm, m512 is vaddps zmm, zmm, zmm with a load of 512 bits.  Whether a core's cost of
 * the whole is that of the parts is for its machine file to say; this only finds the names.  x86
 * only: AArch64 has no such forms.
 */
#ifndef GAMBREL_MODEL_COMPOSE_H
#define GAMBREL_MODEL_COMPOSE_H

#include "code/form.h"

#include <stdbool.h>

#define COMPOSE_LOADS_MAX 12

struct compose_parts {
    char registers[FORM_SIZE];                /* the form with a register in place of the memory */
    char loads[COMPOSE_LOADS_MAX][FORM_SIZE]; /* forms of the load, the most usual first */
    int n_loads;
    int operand; /* the memory operand, counted from 1 */
};

/* `form` is normalised.  False if it has no single memory source: stores, read-modify-write forms,
 * moves, gathers. */
bool compose_take_apart(const char *form, struct compose_parts *out);

#endif
