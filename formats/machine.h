/* machine.h - what a machine file says: identity, clock, caches, ports, instructions, roofs.
 *
 * Read from machines/NAME.yaml.  Nothing here is guessed or measured by this program unless the
 * file says so: every group of numbers carries its source, and a group without one does not load.
 * Every optional number that the file leaves out is NaN (unknown), never a default.
 *
 * Units: Hz, bytes, cycles, uops, flops/s, bytes/s.  A cycle is one of the core's.
 */
#ifndef GAMBREL_FORMATS_MACHINE_H
#define GAMBREL_FORMATS_MACHINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_PORTS_MAX 32 /* a port set is a bit mask */

/* How `machine detect` finds the file.  x86: vendor, family, models [first, last].
 * AArch64: MIDR implementer and part.  Unused fields are -1 or NULL. */
struct machine_match {
    const char *vendor;
    long family, model_first, model_last;
    long implementer, part;
};

struct machine_cache {
    const char *name; /* "L1", "L2", "L3" */
    double size_bytes, line_bytes;
    double shared_by_cores; /* NaN: unknown */
    const char *source;
    struct loc loc;
};

/* `count` uops (or cycles of an unpipelined unit: then fractional), each on one of the ports. */
struct machine_uop {
    double count;
    uint32_t ports; /* bit p: ports[p]; never 0 */
};

/* One latency from a source operand to a destination, 1-based as written in the form; 0 = any, or
 * what the form does not write.  A memory source counts from its address; to a memory destination
 * that only passes a register on, until a load of the same place has it. */
struct machine_latency {
    int source, destination;
    double cycles;
    /* Optional, of a measured latency: */
    const char *source_name, *destination_name; /* of operand 0: flags, carry, mask, rax; or NULL */
    double least_cycles, most_cycles;           /* what it may be as well; NaN: no doubt */
    double fast_cycles; /* for the operand values that are divided faster; NaN: no different */
    /* with one register as every source; below 1 it waits for none; NaN: no different, or
     * unknown */
    double same_register_cycles;
    double spread; /* half the distance of the quartiles over the median; NaN */
    int n;         /* samples; 0: not known */
};

struct machine_use { /* conjunctive: cycles of one abstract resource that a form takes */
    int resource;
    double cycles;
};

struct machine_form {
    const char *form;         /* the pattern as written, normalised; see code/form.h */
    struct machine_uop *uops; /* NULL and 0: executes on no port (eliminated, nop) */
    int n_uops;
    double slots; /* dispatch slots it takes; 1 unless the file says otherwise */
    /* key others_wait_cycles: an instruction that reads the result takes so much longer, unless it
     * has the key, too */
    double others_wait_cycles;
    struct machine_latency *latencies; /* one row {0, 0, x} for a plain number */
    int n_latencies;
    bool has_uops; /* false: this form is described by resources alone */
    struct machine_use *uses;
    int n_uses;
    /* key doubt, of resources that were fitted: how far the cycles of blocks with the form may be
     * off, as a fraction, for what the data leave open; NaN: not said */
    double doubt;
    const char *source; /* its own, or the one of the group */
    struct loc loc;
};

/* What an abstract resource stands for in the ports of a machine file that has ports. */
struct machine_meaning {
    const char *resource;
    const char *ports; /* "P0|P5", or "front end" */
    double match;      /* 0 to 1: how alike the two are; see model/meaning.h */
    const char
        *blocked_by;    /* a form that fills exactly these ports, and this resource; may be NULL */
    const char *source; /* the other file */
    struct loc loc;
};

/* A pair that decodes into one slot: `first` directly followed by `second`. */
struct machine_fusion {
    const char *first, *second; /* form patterns */
    struct machine_uop *uops;   /* of the fused pair */
    int n_uops;
    const char *source;
    struct loc loc;
};

/* A measured or documented ceiling. */
struct roof {
    const char *name; /* fma_f32, read, triad, ... */
    const char *isa;
    const char *level; /* L1, L2, L3, DRAM */
    const char *unit;  /* flop/s or byte/s */
    int threads;
    double rate, cv; /* cv NaN: not known */
    int n;           /* samples; 0: not known */
    double other;    /* the other measurement of the same run; NaN */
    bool disturbed;
    const char *source;
    struct loc loc;
};

struct machine_chain_point { /* FMA rate against independent chains */
    const char *isa;
    int chains;
    double fraction; /* of the rate with enough chains */
    const char *source;
};

struct machine_note { /* how an inferred file was made, in free words */
    const char *key, *text;
};

struct machine {
    const char *file;
    const char *name;
    const char *isa; /* x86-64 or aarch64 */
    const char *description;
    struct machine_match *matches;
    int n_matches;
    double clock_one_core_hz, clock_all_cores_hz; /* NaN: unknown */
    const char *clock_source;
    struct machine_cache *caches;
    int n_caches;

    /* core; n_ports 0 where the file describes no ports */
    double dispatch_width, retire_width, rob_entries, taken_branches_per_cycle;
    struct loc dispatch_width_loc;
    const char *ports[MACHINE_PORTS_MAX];
    int n_ports;
    uint32_t load_ports; /* ports whose slots a line-crossing load takes again; 0: unknown */
    double line_crossing_load_slots; /* slots a crossing load takes instead of 1; NaN: unknown */
    double line_crossing_load_slots_512; /* the same of a load of 512 bits; NaN: no different */
    /* key core.indexed_operand_slots: dispatch slots of a VEX or EVEX operation whose memory source
     * has an index register, which only decoded code shows; NaN: no different */
    double indexed_operand_slots;
    /* key core.indexed_operand_places: such an operation is renamed only as one of the first so
     * many of a cycle; NaN: anywhere */
    double indexed_operand_places;
    /* key core.indexed_operands_per_cycle: no more of them in a cycle; NaN: any number */
    double indexed_operands_per_cycle;
    /* key core.fetch_slots: the most that are fetched in a cycle, none from beyond a taken branch,
     * so that a trip takes whole cycles; NaN: no such bound is known */
    double fetch_slots;
    double line_crossing_store_cycles; /* NaN: unknown */
    /* key core.store_line_cycles: a store takes the L1 so long, two together that follow each other
     * into the same line; NaN: unknown */
    double store_line_cycles;
    double line_crossing_bytes;
    /* key core.store_forward_cycles: from a store's data to what a load of the same address gives;
     * NaN: unknown */
    double store_forward_cycles;
    /* keys core.store_forward_256_cycles, ..._512_cycles: the same at least so wide, in bits; NaN:
     * no different from what is narrower */
    double store_forward_256_cycles, store_forward_512_cycles;
    /* key core.store_forward_renamed_cycles: the same where the core renames memory, which is
     * between general registers through addresses without an index; NaN: no different */
    double store_forward_renamed_cycles;
    int write_allocate; /* 1 a store's line is fetched first, 0 not, -1 unknown */
    const char *core_source;
    /* key core.compose_memory_operands: a form with a memory source that is not listed may be taken
     * as its register form and the load of that width; false unless the file says so */
    bool compose_memory_operands;

    const char *
        *zero_idioms; /* patterns whose same-register form executes nowhere, breaks dependence */
    int n_zero_idioms;
    const char **eliminated_moves;
    int n_eliminated_moves;
    const char *elimination_source; /* of idioms and moves; NULL where there are none */
    struct machine_fusion *fusions;
    int n_fusions;

    const char **resources; /* names; n_resources 0 where there are none */
    int n_resources;
    struct machine_meaning *meanings; /* key resource_ports: of some resources, each once */
    int n_meanings;
    struct machine_form *forms;
    int n_forms;
    struct roof *roofs;
    int n_roofs;
    struct machine_chain_point *chain_curve;
    int n_chain_curve;
    struct machine_note *provenance;
    int n_provenance;
};

/* A machine of which nothing is known: no lists, no names, and every number that may be unknown
 * is. */
struct machine *machine_new(struct arena *a);

/* A latency of which nothing optional is known. */
struct machine_latency machine_latency(int source, int destination, double cycles);

/* Errors: ERR_SYNTAX, ERR_SCHEMA, ERR_RANGE with the place.  Strings live in the arena. */
struct machine *machine_read(struct bytes input, const char *file, struct arena *a, struct err *e);

/* The inverse; machine_read of it gives the same machine, with the forms that are described by
 * resources alone after the others.  ERR_SCHEMA: a group without a source. */
bool machine_write(const struct machine *m, struct arena *a, struct bytes *out, struct err *e);

/* What the resource of this name stands for, or NULL. */
const struct machine_meaning *machine_meaning_of(const struct machine *m, const char *resource);

/* The roof of this name, isa (NULL: any), level and thread count, or NULL. */
const struct roof *roof_find(const struct roof *roofs, int n, const char *name, const char *isa,
                             const char *level, int threads);

#endif
