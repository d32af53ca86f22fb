/* cost_table.h - what each instruction costs on a machine: from a form's text to its row.
 *
 * Compiled once from a machine file and a view of it; then a form costs one hash lookup.  How a
 * form finds its row in the file:
 *
 *   - of the patterns that match, the one with the most literal characters wins, so a form written
 *     out beats any pattern; two that match equally well are an error of the file, found when the
 *     table is compiled;
 *   - a form with a memory source that the file lacks is composed of its register form and the load
 *     of that width, if the file says it may be (compose_memory_operands); a composed form takes
 *     the
 *     slots of its register form;
 *   - whatever is left is unknown, never free.
 *
 * Register moves that the file calls eliminated take a slot and no port.  So do zero idioms, which
 * only decoded instructions show, because their registers are known.
 *
 * Ports are turned into resources once, by their exact dual (resources.h), so that a sum over a
 * block is a sum of short vectors in both views.
 *
 * Units: uops, dispatch slots, cycles.
 */
#ifndef GAMBREL_MODEL_COST_TABLE_H
#define GAMBREL_MODEL_COST_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "code/decode.h"
#include "formats/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum cost_view {
    COST_PORTS,     /* uops on ports, and the front end */
    COST_RESOURCES, /* abstract resources              */
};

enum cost_kind {
    COST_FORM,            /* as the machine file describes it              */
    COST_COMPOSED,        /* register form and load                        */
    COST_ELIMINATED,      /* a register move that executes nowhere         */
    COST_ZERO_IDIOM,      /* sets a register to zero and executes nowhere  */
    COST_FUSED,           /* two instructions in one slot                  */
    COST_CROSSING_LOAD,   /* what a load over two lines takes on top       */
    COST_CROSSING_STORE,  /* likewise a store                              */
    COST_INDEXED_OPERAND, /* what an index register takes on top          */
    COST_UNKNOWN,         /* the machine file does not say                 */
};

/* Ports where the file says what instructions do on them, else resources. */
enum cost_view cost_view_of(const struct machine *m);

struct cost_row {
    double slots;
    double instructions;  /* a fused pair is two, a crossing none */
    double store_cycles;  /* COST_CROSSING_STORE: of its unit; else 0 */
    const double *cycles; /* cost_vector: of each resource; 0 where unknown */
    enum cost_kind kind;
    const char *form;               /* normalised; both patterns for COST_FUSED */
    const struct machine_uop *uops; /* COST_PORTS */
    int n_uops;
    const struct machine_use *uses; /* COST_RESOURCES */
    int n_uses;
    const struct machine_form *described; /* the register form where composed; or NULL */
    const struct machine_form *load;      /* COST_COMPOSED */
    int load_operand;                     /* COST_COMPOSED: the memory operand, from 1 */
    struct loc loc;                       /* in the machine file */
};

struct cost_table;

/* ERR_SCHEMA: two patterns that match some form equally well (at the second), or one that is no
 * form; ERR_MODEL: the file has no ports, or no resources, whichever the view asks for; ERR_RANGE:
 * as resources_from_ports.  The table lives in `a` and grows by an entry with every new form it is
 * asked for. */
struct cost_table *cost_compile(const struct machine *m, enum cost_view view, struct arena *a,
                                struct err *e);

const struct machine *cost_machine(const struct cost_table *t);
enum cost_view cost_table_view(const struct cost_table *t);
struct arena *cost_arena(const struct cost_table *t);

/* Resources that cycles are counted in: the machine file's, or the dual of its ports. */
int cost_n_resources(const struct cost_table *t);
/* Zeros, one for each, and more up to a multiple of COST_STEP. */
#define COST_STEP 4
double *cost_vector(const struct cost_table *t);
/* COST_PORTS: what each of them stands for. */
struct cost_resource {
    uint32_t ports; /* 0: the front end */
    int n_ports;
};
const struct cost_resource *cost_resources(const struct cost_table *t);

/* The row of a form in any spelling. */
const struct cost_row *cost_of_form(struct cost_table *t, const char *form);
/* The same, with what a decoded instruction shows of its registers. */
const struct cost_row *cost_of_insn(struct cost_table *t, const struct insn *i);
/* The row of the fused pair, or NULL if the forms, normalised, do not fuse. */
const struct cost_row *cost_of_pair(struct cost_table *t, const char *first, const char *second);
/* More slots of an operation whose memory source has an index; NULL: the machine file says of
 * none. */
const struct cost_row *cost_of_indexed_operand(const struct cost_table *t);
const struct cost_row *cost_of_crossing_load(const struct cost_table *t, bool wide); /* 512 bits */
const struct cost_row *cost_of_crossing_store(const struct cost_table *t);

#endif
