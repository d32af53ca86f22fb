/* same.h - are two machines, or two runs, the same in every field?  Numbers bit for bit (NaN equals
 * NaN); places in files and file names do not count. */
#ifndef GAMBREL_TESTS_SAME_H
#define GAMBREL_TESTS_SAME_H

#include "formats/machine.h"
#include "formats/run.h"

#include <math.h>
#include <string.h>

static inline bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static inline bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Both structs' fields by name, so that a line here is a field there. */
#define TEXT(field)   same_text(a->field, b->field)
#define NUMBER(field) same_number(a->field, b->field)
#define EQUAL(field)  (a->field == b->field)

/* Calls `same` for each element of two arrays of one length. */
#define EACH(n, array, same)                                                                       \
    for (int i = 0; i < a->n; i++) {                                                               \
        if (!same(&a->array[i], &b->array[i])) {                                                   \
            return false;                                                                          \
        }                                                                                          \
    }

static inline bool same_uop(const struct machine_uop *a, const struct machine_uop *b)
{
    return NUMBER(count) && EQUAL(ports);
}

static inline bool same_latency(const struct machine_latency *a, const struct machine_latency *b)
{
    return EQUAL(source) && EQUAL(destination) && NUMBER(cycles) && TEXT(source_name) &&
           TEXT(destination_name) && NUMBER(least_cycles) && NUMBER(most_cycles) &&
           NUMBER(fast_cycles) && NUMBER(same_register_cycles) && NUMBER(spread) && EQUAL(n);
}

static inline bool same_use(const struct machine_use *a, const struct machine_use *b)
{
    return EQUAL(resource) && NUMBER(cycles);
}

static inline bool same_form(const struct machine_form *a, const struct machine_form *b)
{
    if (!(TEXT(form) && EQUAL(n_uops) && NUMBER(slots) && NUMBER(others_wait_cycles) &&
          EQUAL(n_latencies) && EQUAL(has_uops) && EQUAL(n_uses) && NUMBER(doubt) &&
          TEXT(source))) {
        return false;
    }
    EACH(n_uops, uops, same_uop)
    EACH(n_latencies, latencies, same_latency)
    EACH(n_uses, uses, same_use)
    return true;
}

static inline bool same_fusion(const struct machine_fusion *a, const struct machine_fusion *b)
{
    if (!(TEXT(first) && TEXT(second) && EQUAL(n_uops) && TEXT(source))) {
        return false;
    }
    EACH(n_uops, uops, same_uop)
    return true;
}

static inline bool same_match(const struct machine_match *a, const struct machine_match *b)
{
    return TEXT(vendor) && EQUAL(family) && EQUAL(model_first) && EQUAL(model_last) &&
           EQUAL(implementer) && EQUAL(part);
}

static inline bool same_cache(const struct machine_cache *a, const struct machine_cache *b)
{
    return TEXT(name) && NUMBER(size_bytes) && NUMBER(line_bytes) && NUMBER(shared_by_cores) &&
           TEXT(source);
}

static inline bool same_roof(const struct roof *a, const struct roof *b)
{
    return TEXT(name) && TEXT(isa) && TEXT(level) && TEXT(unit) && EQUAL(threads) && NUMBER(rate) &&
           NUMBER(cv) && EQUAL(n) && NUMBER(other) && EQUAL(disturbed) && TEXT(source);
}

static inline bool same_point(const struct machine_chain_point *a,
                              const struct machine_chain_point *b)
{
    return TEXT(isa) && EQUAL(chains) && NUMBER(fraction) && TEXT(source);
}

static inline bool same_meaning(const struct machine_meaning *a, const struct machine_meaning *b)
{
    return TEXT(resource) && TEXT(ports) && NUMBER(match) && TEXT(blocked_by) && TEXT(source);
}

static inline bool same_note(const struct machine_note *a, const struct machine_note *b)
{
    return TEXT(key) && TEXT(text);
}

static inline bool same_line(const char *const *a, const char *const *b)
{
    return same_text(*a, *b);
}

static inline bool same_core(const struct machine *a, const struct machine *b)
{
    return NUMBER(dispatch_width) && NUMBER(retire_width) && NUMBER(rob_entries) &&
           NUMBER(taken_branches_per_cycle) && EQUAL(load_ports) &&
           NUMBER(line_crossing_load_slots) && NUMBER(line_crossing_load_slots_512) &&
           NUMBER(indexed_operand_slots) && NUMBER(indexed_operand_places) &&
           NUMBER(indexed_operands_per_cycle) && NUMBER(fetch_slots) && NUMBER(store_line_cycles) &&
           NUMBER(line_crossing_store_cycles) && NUMBER(line_crossing_bytes) &&
           NUMBER(store_forward_cycles) && NUMBER(store_forward_256_cycles) &&
           NUMBER(store_forward_512_cycles) && NUMBER(store_forward_renamed_cycles) &&
           EQUAL(compose_memory_operands) && EQUAL(write_allocate) && TEXT(core_source);
}

static inline bool same_machine(const struct machine *a, const struct machine *b)
{
    if (!(TEXT(name) && TEXT(isa) && TEXT(description) && EQUAL(n_matches) &&
          NUMBER(clock_one_core_hz) && NUMBER(clock_all_cores_hz) && TEXT(clock_source) &&
          EQUAL(n_caches) && same_core(a, b) && EQUAL(n_ports) && EQUAL(n_zero_idioms) &&
          EQUAL(n_eliminated_moves) && TEXT(elimination_source) && EQUAL(n_fusions) &&
          EQUAL(n_resources) && EQUAL(n_forms) && EQUAL(n_meanings) && EQUAL(n_roofs) &&
          EQUAL(n_chain_curve) && EQUAL(n_provenance))) {
        return false;
    }
    EACH(n_matches, matches, same_match)
    EACH(n_caches, caches, same_cache)
    EACH(n_ports, ports, same_line)
    EACH(n_zero_idioms, zero_idioms, same_line)
    EACH(n_eliminated_moves, eliminated_moves, same_line)
    EACH(n_fusions, fusions, same_fusion)
    EACH(n_resources, resources, same_line)
    EACH(n_meanings, meanings, same_meaning)
    EACH(n_forms, forms, same_form)
    EACH(n_roofs, roofs, same_roof)
    EACH(n_chain_curve, chain_curve, same_point)
    EACH(n_provenance, provenance, same_note)
    return true;
}

static inline bool same_noise(const struct run_noise *a, const struct run_noise *b)
{
    return NUMBER(stolen_s) && NUMBER(pressure_s) && NUMBER(throttled_s) &&
           NUMBER(context_switches) && NUMBER(clock_spread) && NUMBER(nop_cycles) &&
           EQUAL(discarded) && EQUAL(repeats) && EQUAL(disturbed) && TEXT(why);
}

static inline bool same_samples(const struct run_case *a, const struct run_case *b)
{
    for (int i = 0; i < a->n; i++) {
        const double clock_a = a->clock_hz ? a->clock_hz[i] : (double)NAN;
        const double clock_b = b->clock_hz ? b->clock_hz[i] : (double)NAN;
        if (!NUMBER(seconds[i]) || !same_number(clock_a, clock_b)) {
            return false;
        }
    }
    return true;
}

static inline bool same_case(const struct run_case *a, const struct run_case *b)
{
    return EQUAL(kind) && TEXT(name) && TEXT(isa) && TEXT(level) && EQUAL(threads) &&
           EQUAL(chains) && EQUAL(round) && TEXT(unit) && NUMBER(array_bytes) &&
           NUMBER(work_per_pass) && NUMBER(bytes_per_pass) && EQUAL(n) && NUMBER(recorded_rate) &&
           NUMBER(recorded_cv) && EQUAL(derived) && TEXT(source) && NUMBER(checksum) &&
           NUMBER(reference) && NUMBER(tolerance) && same_noise(&a->noise, &b->noise) &&
           same_samples(a, b);
}

static inline bool same_run_cache(const struct run_cache *a, const struct run_cache *b)
{
    return TEXT(name) && NUMBER(size_bytes) && NUMBER(line_bytes) && NUMBER(shared_by_cpus) &&
           NUMBER(measured_bytes);
}

static inline bool same_host(const struct run_host *a, const struct run_host *b)
{
    if (!(TEXT(cpu_name) && TEXT(vendor) && TEXT(isa) && NUMBER(family) && NUMBER(model) &&
          NUMBER(stepping) && NUMBER(implementer) && NUMBER(part) && TEXT(microcode) &&
          TEXT(hypervisor) && TEXT(kernel) && TEXT(os) && TEXT(compiler) && TEXT(flags) &&
          TEXT(governor) && TEXT(huge_pages) && TEXT(cpus_allowed) && NUMBER(cpus_online) &&
          NUMBER(cpus_used) && NUMBER(threads_per_core) && NUMBER(cgroup_cpus) &&
          NUMBER(memory_bytes) && NUMBER(load_average) && NUMBER(clock_hz) &&
          NUMBER(huge_page_fraction) && TEXT(counters) && EQUAL(n_caches))) {
        return false;
    }
    EACH(n_caches, caches, same_run_cache)
    return true;
}

static inline bool same_loop(const struct run_loop *a, const struct run_loop *b)
{
    return TEXT(name) && TEXT(isa) && TEXT(code) && NUMBER(elements_per_iter);
}

static inline bool same_run(const struct run *a, const struct run *b)
{
    if (!(TEXT(command) && TEXT(date) && TEXT(version) && TEXT(source) && NUMBER(reps) &&
          NUMBER(warmup_ms) && EQUAL(quick) && same_host(&a->host, &b->host) && EQUAL(n_cases) &&
          EQUAL(n_loops) && EQUAL(n_warnings))) {
        return false;
    }
    EACH(n_cases, cases, same_case)
    EACH(n_loops, loops, same_loop)
    EACH(n_warnings, warnings, same_line)
    return true;
}

#undef TEXT
#undef NUMBER
#undef EQUAL
#undef EACH

#endif
