#include "formats/machine_fields.h"

#include "formats/machine.h"

#include <limits.h>

/* Rows below: key, kind, place, range.  Upper limits are far above anything built, and far below
 * the sentinels (9.2e18) that tables of other tools are filled with. */
#define IN(type, member) .offset = offsetof(struct type, member)
#define NEEDED           .needed = true
#define RANGE(low, high) .min = (low), .max = (high)
#define OTHER            .kind = FIELD_OTHER
#define NUMBER           .kind = FIELD_NUMBER
#define TEXT             .kind = FIELD_TEXT
#define INT              .kind = FIELD_INT

static const char *const isas[] = {"x86-64", "aarch64", NULL};

const char *const machine_source_groups[] = {"caches",       "elimination", "fusion",
                                             "instructions", "resources",   "resource_ports",
                                             "roofs",        "chain_curve", NULL};

const struct field machine_fields[] = {
    {"format", OTHER, NEEDED},
    {"name", TEXT, NEEDED, IN(machine, name)},
    {"isa", .kind = FIELD_CHOICE, NEEDED, IN(machine, isa), .names = isas},
    {"description", TEXT, IN(machine, description)},
    {"match", OTHER},
    {"clock_hz", OTHER},
    {"caches", OTHER},
    {"core", OTHER},
    {"sources", OTHER},
    {"zero_idioms", OTHER},
    {"eliminated_moves", OTHER},
    {"fusion", OTHER},
    {"instructions", OTHER},
    {"resource_names", OTHER},
    {"resources", OTHER},
    {"resource_ports", OTHER},
    {"roofs", OTHER},
    {"chain_curve", OTHER},
    {"provenance", OTHER},
    {.key = NULL},
};

const struct field machine_match_x86_fields[] = {
    {"vendor", TEXT, NEEDED, IN(machine_match, vendor)},
    {"family", .kind = FIELD_LONG, NEEDED, IN(machine_match, family), RANGE(0, 511)},
    {"models", OTHER, NEEDED},
    {.key = NULL},
};

const struct field machine_match_aarch64_fields[] = {
    {"implementer", .kind = FIELD_LONG, NEEDED, IN(machine_match, implementer), RANGE(0, 255)},
    {"part", .kind = FIELD_LONG, NEEDED, IN(machine_match, part), RANGE(0, 4095)},
    {.key = NULL},
};

/* The lower limit refuses 4.2 where 4.2e9 is meant. */
const struct field machine_clock_fields[] = {
    {"one_core", NUMBER, IN(machine, clock_one_core_hz), RANGE(1e6, 1e11)},
    {"all_cores", NUMBER, IN(machine, clock_all_cores_hz), RANGE(1e6, 1e11)},
    {"source", TEXT, NEEDED, IN(machine, clock_source)},
    {.key = NULL},
};

const struct field machine_cache_fields[] = {
    {"name", .kind = FIELD_CHOICE, NEEDED, IN(machine_cache, name), .names = field_levels},
    {"size_bytes", NUMBER, NEEDED, IN(machine_cache, size_bytes), RANGE(1, 1e13)},
    {"line_bytes", NUMBER, IN(machine_cache, line_bytes), RANGE(1, 65536)},
    {"shared_by_cores", NUMBER, IN(machine_cache, shared_by_cores), RANGE(1, 65536)},
    {"source", .kind = FIELD_SOURCE, IN(machine_cache, source)},
    {.key = NULL},
};

const struct field machine_core_fields[] = {
    {"dispatch_width", NUMBER, IN(machine, dispatch_width), RANGE(0.25, 64)},
    {"retire_width", NUMBER, IN(machine, retire_width), RANGE(0.25, 64)},
    {"rob_entries", NUMBER, IN(machine, rob_entries), RANGE(1, 65536)},
    {"taken_branches_per_cycle", NUMBER, IN(machine, taken_branches_per_cycle), RANGE(0.01, 16)},
    {"ports", OTHER},
    {"load_ports", OTHER},
    {"line_crossing_load_slots", NUMBER, IN(machine, line_crossing_load_slots), RANGE(1, 64)},
    {"line_crossing_load_slots_512", NUMBER, IN(machine, line_crossing_load_slots_512),
     RANGE(1, 64)},
    {"fetch_slots", NUMBER, IN(machine, fetch_slots), RANGE(1, 64)},
    {"indexed_operand_slots", NUMBER, IN(machine, indexed_operand_slots), RANGE(1, 8)},
    {"indexed_operand_places", NUMBER, IN(machine, indexed_operand_places), RANGE(1, 64)},
    {"indexed_operands_per_cycle", NUMBER, IN(machine, indexed_operands_per_cycle), RANGE(1, 64)},
    {"store_line_cycles", NUMBER, IN(machine, store_line_cycles), RANGE(0, 64)},
    {"line_crossing_store_cycles", NUMBER, IN(machine, line_crossing_store_cycles), RANGE(0, 64)},
    {"line_crossing_bytes", NUMBER, IN(machine, line_crossing_bytes), RANGE(1, 65536)},
    {"store_forward_cycles", NUMBER, IN(machine, store_forward_cycles), RANGE(0, 256)},
    {"store_forward_256_cycles", NUMBER, IN(machine, store_forward_256_cycles), RANGE(0, 256)},
    {"store_forward_512_cycles", NUMBER, IN(machine, store_forward_512_cycles), RANGE(0, 256)},
    {"store_forward_renamed_cycles", NUMBER, IN(machine, store_forward_renamed_cycles),
     RANGE(0, 256)},
    {"compose_memory_operands", .kind = FIELD_BOOL, IN(machine, compose_memory_operands)},
    {"write_allocate", OTHER},
    {"source", TEXT, NEEDED, IN(machine, core_source)},
    {.key = NULL},
};

const struct field machine_instruction_fields[] = {
    {"form", TEXT, NEEDED, IN(machine_form, form)},
    {"uops", OTHER},
    {"latency_cycles", OTHER},
    {"slots", .kind = FIELD_NUMBER_OR, IN(machine_form, slots), RANGE(0, 256), .absent = 1},
    {"others_wait_cycles", .kind = FIELD_NUMBER_OR, IN(machine_form, others_wait_cycles),
     RANGE(0, 64), .absent = 0},
    {"source", .kind = FIELD_SOURCE, IN(machine_form, source)},
    {.key = NULL},
};

const struct field machine_resource_fields[] = {
    {"form", TEXT, NEEDED, IN(machine_form, form)},
    {"uses", OTHER, NEEDED},
    {"doubt", NUMBER, IN(machine_form, doubt), RANGE(0, 1e3)},
    {"source", .kind = FIELD_SOURCE, IN(machine_form, source)},
    {.key = NULL},
};

const struct field machine_meaning_fields[] = {
    {"resource", TEXT, NEEDED, IN(machine_meaning, resource)},
    {"ports", TEXT, NEEDED, IN(machine_meaning, ports)},
    {"match", NUMBER, NEEDED, IN(machine_meaning, match), RANGE(0, 1)},
    {"blocked_by", TEXT, IN(machine_meaning, blocked_by)},
    {"source", .kind = FIELD_SOURCE, IN(machine_meaning, source)},
    {.key = NULL},
};

const struct field machine_latency_fields[] = {
    {"from", INT, NEEDED, IN(machine_latency, source), RANGE(0, 8)},
    {"to", INT, NEEDED, IN(machine_latency, destination), RANGE(0, 8)},
    {"cycles", NUMBER, NEEDED, IN(machine_latency, cycles), RANGE(0, MACHINE_LATENCY_MAX)},
    {"from_name", TEXT, IN(machine_latency, source_name)},
    {"to_name", TEXT, IN(machine_latency, destination_name)},
    {"least_cycles", NUMBER, IN(machine_latency, least_cycles), RANGE(0, MACHINE_LATENCY_MAX)},
    {"most_cycles", NUMBER, IN(machine_latency, most_cycles), RANGE(0, MACHINE_LATENCY_MAX)},
    {"fast_cycles", NUMBER, IN(machine_latency, fast_cycles), RANGE(0, MACHINE_LATENCY_MAX)},
    {"same_register_cycles", NUMBER, IN(machine_latency, same_register_cycles),
     RANGE(0, MACHINE_LATENCY_MAX)},
    {"spread", NUMBER, IN(machine_latency, spread), RANGE(0, 10)},
    {"n", INT, IN(machine_latency, n), RANGE(0, INT_MAX)},
    {.key = NULL},
};

const struct field machine_fusion_fields[] = {
    {"first", TEXT, NEEDED, IN(machine_fusion, first)},
    {"second", TEXT, NEEDED, IN(machine_fusion, second)},
    {"uops", OTHER, NEEDED},
    {"source", .kind = FIELD_SOURCE, IN(machine_fusion, source)},
    {.key = NULL},
};

const struct field machine_roof_fields[] = {
    {"name", TEXT, NEEDED, IN(roof, name)},
    {"isa", .kind = FIELD_CHOICE, NEEDED, IN(roof, isa), .names = field_isas},
    {"level", .kind = FIELD_CHOICE, NEEDED, IN(roof, level), .names = field_levels},
    {"threads", INT, NEEDED, IN(roof, threads), RANGE(1, 65536)},
    {"unit", .kind = FIELD_UNIT, NEEDED, IN(roof, unit)},
    {"rate", NUMBER, NEEDED, IN(roof, rate), RANGE(1, 1e18)},
    {"cv", NUMBER, IN(roof, cv), RANGE(0, 10)},
    {"n", INT, IN(roof, n), RANGE(0, INT_MAX)},
    {"other", NUMBER, IN(roof, other), RANGE(1, 1e18)},
    {"disturbed", .kind = FIELD_BOOL, IN(roof, disturbed)},
    {"source", .kind = FIELD_SOURCE, IN(roof, source)},
    {.key = NULL},
};

const struct field machine_chain_fields[] = {
    {"isa", .kind = FIELD_CHOICE, NEEDED, IN(machine_chain_point, isa), .names = field_isas},
    {"chains", INT, NEEDED, IN(machine_chain_point, chains), RANGE(1, 256)},
    {"fraction", NUMBER, NEEDED, IN(machine_chain_point, fraction), RANGE(1e-6, 1.5)},
    {"source", .kind = FIELD_SOURCE, IN(machine_chain_point, source)},
    {.key = NULL},
};
