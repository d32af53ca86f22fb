#include "formats/machine.h"
#include "tests/formats.h"
#include "tests/same.h"

static struct machine *read_file(const char *path, struct arena *a, struct err *e)
{
    return machine_read(test_file(path, a), path, a, e);
}

static void identity(const struct machine *m)
{
    is_text(m->name, "example", "name");
    is_text(m->isa, "x86-64", "isa");
    ok(m->n_matches == 2 && m->matches[1].family == 26 && m->matches[1].model_first == 64 &&
           m->matches[1].model_last == 79 && m->matches[1].part == -1,
       "matches, hexadecimal ones too");
    ok(m->clock_one_core_hz == 4.2e9 && isnan(m->clock_all_cores_hz), "clock, unknown is NaN");
    ok(m->n_caches == 2 && m->caches[1].size_bytes == 33554432, "caches");
    is_text(m->caches[0].source, "invented", "the group's source");
    is_text(m->caches[1].source, "elsewhere", "an entry's own source comes first");
    ok(m->caches[1].loc.line == 19, "a cache knows its line");
}

static void core(const struct machine *m)
{
    ok(m->dispatch_width == 8 && m->dispatch_width_loc.line == 21 &&
           m->dispatch_width_loc.column == 19,
       "dispatch width and its place");
    ok(m->n_ports == 8 && strcmp(m->ports[7], "DIV") == 0 && m->load_ports == 0x60, "ports");
    ok(m->write_allocate == 1 && m->line_crossing_store_cycles == 1.5 &&
           m->store_forward_cycles == 7.5 && m->store_forward_renamed_cycles == 0.5,
       "store facts");
    ok(m->compose_memory_operands, "memory operands may be composed");
    ok(m->n_zero_idioms == 2 && m->n_eliminated_moves == 1 && m->elimination_source,
       "eliminations");
    ok(m->n_fusions == 2 && m->fusions[0].n_uops == 1 && m->fusions[0].uops->ports == 0x10,
       "fusion");
}

static void forms(const struct machine *m)
{
    ok(m->n_forms == 10, "eight forms in instructions, two more in resources");
    const struct machine_form *f = m->forms;
    ok(f[0].n_uops == 1 && f[0].uops[0].ports == 3 && f[0].uops[0].count == 1 && f[0].slots == 1,
       "uops and ports; one slot unless said");
    ok(f[0].n_latencies == 1 && f[0].latencies[0].cycles == 4 && f[0].latencies[0].source == 0,
       "a plain latency");
    ok(f[1].n_latencies == 2 && f[1].latencies[1].source == 3 && f[1].latencies[1].cycles == 10,
       "latencies per operand pair");
    ok(f[2].uops[1].count == 2.5 && f[2].slots == 2, "occupancy and slots");
    ok(f[3].has_uops && f[3].n_uops == 0, "a form without uops");
    ok(f[4].has_uops && f[4].n_uses == 2, "a form of both kinds");
    ok(!f[5].has_uops && f[5].n_uses == 1 && f[5].n_latencies == 1, "latency here, uses there");
    const struct machine_latency *l = f[6].latencies;
    ok(l->same_register_cycles == 0.33 && l->spread == 0.01 && l->n == 22 &&
           isnan(l->least_cycles) && !l->source_name && isnan(f[0].latencies[0].fast_cycles),
       "what else is known of a latency, and what is not");
    l = f[7].latencies;
    ok(strcmp(l->source_name, "rax") == 0 && strcmp(l->destination_name, "rdx") == 0 &&
           l->least_cycles == 3 && l->most_cycles == 5 && l->fast_cycles == 3.5,
       "operands that the form does not write have names; bounds");
    ok(!f[8].has_uops && f[8].uses[0].resource == 2 && f[8].uses[0].cycles == 1, "uses alone");
    ok(m->n_resources == 3 && strcmp(m->resources[1], "R3") == 0,
       "resources count in order of appearance");
}

static void rates(const struct machine *m)
{
    const struct roof *fma = roof_find(m->roofs, m->n_roofs, "fma_f32", NULL, "L1", 1);
    ok(fma && fma->rate == 2.7e11 && fma->n == 21 && isnan(fma->other), "a roof of any isa");
    const struct roof *read = roof_find(m->roofs, m->n_roofs, "read", "avx512", "DRAM", 2);
    ok(read && read->disturbed && isnan(read->cv), "a roof of one isa");
    ok(!roof_find(m->roofs, m->n_roofs, "read", "avx512", "DRAM", 1), "thread counts differ");
    ok(!roof_find(m->roofs, m->n_roofs, "read", "avx2", "DRAM", 2), "isas differ");
    ok(m->n_chain_curve == 2 && m->chain_curve[1].fraction == 0.996, "chain curve");
    ok(m->n_provenance == 2 && strcmp(m->provenance[1].text, "2 %") == 0, "provenance");
}

static void round_trip(const char *path, struct arena *a)
{
    struct err e = {0};
    struct bytes first, second;
    const struct machine *m = read_file(path, a, &e);
    const struct machine *back =
        m && machine_write(m, a, &first, &e) ? machine_read(first, "written", a, &e) : NULL;
    if (!test_fine(&e, arena_format(a, "%s is written and read", path))) {
        return;
    }
    ok(same_machine(m, back), "%s comes back the same", path);
    ok(machine_write(back, a, &second, &e), "%s is written again", path);
    test_same_bytes(first, second, "as the same text");
}

static void without_source(const struct machine *m, struct arena *a)
{
    struct err e = {0};
    struct bytes out;
    struct machine copy = *m;
    struct roof roof = m->roofs[0];
    roof.source = NULL;
    copy.roofs = &roof;
    copy.n_roofs = 1;
    ok(!machine_write(&copy, a, &out, &e) && e.code == ERR_SCHEMA, "no source, no file");
    is_text(e.text, "roofs: number 1 has no source", "and the reason");
}

int main(void)
{
    struct arena *a = test_arena();
    struct err e = {0};
    const struct machine *m = read_file("tests/corpus/machine/whole.yaml", a, &e);
    if (test_fine(&e, "a whole machine is read")) {
        identity(m);
        core(m);
        forms(m);
        rates(m);
        without_source(m, a);
    }
    const struct machine *arm = read_file("tests/corpus/machine/aarch64.yaml", a, &e);
    if (test_fine(&e, "a machine of few words is read")) {
        ok(arm->matches[0].implementer == 0x41 && arm->matches[0].family == -1 &&
               !arm->matches[0].vendor,
           "MIDR match");
        ok(isnan(arm->rob_entries) && isnan(arm->clock_one_core_hz) && arm->write_allocate == -1 &&
               arm->n_forms == 0 && arm->n_roofs == 0,
           "what is left out is unknown");
    }
    round_trip("tests/corpus/machine/whole.yaml", a);
    round_trip("tests/corpus/machine/aarch64.yaml", a);
    round_trip("tests/corpus/machine/resources.yaml", a);
    arena_release(a);
    return tap_done();
}
