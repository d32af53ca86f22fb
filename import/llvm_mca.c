#include "import/collect.h"
#include "import/foreign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CodeRegions, each with the text of its Instructions, their InstructionInfoView and the
 * ResourcePressureView, in which InstructionIndex n is the sum over all; TargetInfo names the
 * resources.
 *
 * -instruction-tables spreads each uop evenly over the ports that take it: 1/2 and 1/2 are a uop on
 * two ports.  The port sets come back as follows.  Where exactly k ports are used by 1/k and no
 * other is used at all, that is a uop for those: such sets, the units of one resource, and single
 * ports are sure.  Any usage is put together of them, larger sets first; where there is more than
 * one way, the first is taken and a remark says so.  Where there is none, k ports used by 1/k count
 * as a set although others are used, too, which is remarked on: 1/2, 1, 1/2 would be two
 * overlapping pairs. */

enum { UNITS_MAX = MACHINE_PORTS_MAX, SETS_MAX = 256, UOPS_MAX = 64, TRIES_MAX = 20000 };

/* Cycles by which a usage may be off: llvm-mca prints them with few digits in some versions. */
#define ROUNDING 2e-3

struct usage {
    double cycles[UNITS_MAX];
};

struct sets {
    uint32_t ports[SETS_MAX]; /* the largest first */
    int n;
};

struct reader {
    struct collect *c;
    enum code_arch arch;
    bool says_arch;
    int n_units;
    int port[UNITS_MAX]; /* of a resource by its index */
    struct sets sure, all;
};

/* --- port sets ----------------------------------------------------------------------------------
 */

static void know_set(struct sets *s, uint32_t ports)
{
    int at = 0;
    while (at < s->n && s->ports[at] != ports) {
        at++;
    }
    if (at < s->n || s->n == SETS_MAX) {
        return;
    }
    const int size = __builtin_popcount(ports);
    for (at = s->n++; at > 0 && __builtin_popcount(s->ports[at - 1]) < size; at--) {
        s->ports[at] = s->ports[at - 1];
    }
    s->ports[at] = ports;
}

/* The ports that are used as much as this one. */
static uint32_t used_alike(const struct usage *u, int port)
{
    uint32_t ports = 0;
    for (int p = 0; p < UNITS_MAX; p++) {
        ports |= fabs(u->cycles[p] - u->cycles[port]) < ROUNDING ? (uint32_t)1 << p : 0;
    }
    return ports;
}

static bool is_plain(const struct usage *u, int port, uint32_t ports)
{
    return ports && fabs(u->cycles[port] * __builtin_popcount(ports) - 1) < ROUNDING * UNITS_MAX;
}

/* k ports that are used by 1/k, and no other. */
static void know_alone(const struct usage *u, struct sets *sure)
{
    uint32_t used = 0;
    int first = -1;
    for (int p = UNITS_MAX - 1; p >= 0; p--) {
        used |= u->cycles[p] > ROUNDING ? (uint32_t)1 << p : 0;
        first = u->cycles[p] > ROUNDING ? p : first;
    }
    if (first >= 0 && used_alike(u, first) == used && is_plain(u, first, used)) {
        know_set(sure, used);
    }
}

/* k ports that are used by 1/k beside others; or what is left of the ports used alike when sure
 * sets of several go off. */
static void know_by_sum(const struct usage *u, const struct sets *sure, struct sets *all)
{
    for (int p = 0; p < UNITS_MAX; p++) {
        const uint32_t alike = u->cycles[p] > ROUNDING ? used_alike(u, p) : 0;
        uint32_t rest = alike;
        for (int i = 0; i < sure->n && !is_plain(u, p, alike); i++) {
            const uint32_t set = sure->ports[i];
            const bool several = set & (set - 1);
            rest &= several && (set & ~alike) == 0 ? ~set : ~(uint32_t)0;
        }
        if (is_plain(u, p, rest)) {
            know_set(all, rest);
        }
    }
}

struct search {
    const struct sets *sets;
    struct usage left;
    uint32_t chosen[UOPS_MAX], found[UOPS_MAX];
    int n_chosen, n_found, n_solutions, tries;
};

static bool fits(const struct usage *u, uint32_t ports, double share)
{
    for (int p = 0; p < UNITS_MAX; p++) {
        if (ports >> p & 1 && u->cycles[p] < share - ROUNDING) {
            return false;
        }
    }
    return true;
}

static void take(struct usage *u, uint32_t ports, double share)
{
    for (int p = 0; p < UNITS_MAX; p++) {
        u->cycles[p] -= ports >> p & 1 ? share : 0;
    }
}

/* Ways to make up what is left until there are two, each port in turn and its sets in order, so
 * that none comes twice. */
static void search(struct search *s, int first_set)
{
    int port = 0;
    while (port < UNITS_MAX && s->left.cycles[port] < ROUNDING) {
        port++;
    }
    if (port == UNITS_MAX) {
        if (s->n_solutions++ == 0) {
            s->n_found = s->n_chosen;
            memcpy(s->found, s->chosen, sizeof s->found);
        }
        return;
    }
    for (int i = first_set; i < s->sets->n; i++) {
        const uint32_t ports = s->sets->ports[i];
        const double share = 1.0 / __builtin_popcount(ports);
        if (!(ports >> port & 1) || !fits(&s->left, ports, share) || s->n_chosen == UOPS_MAX ||
            s->n_solutions > 1 || ++s->tries > TRIES_MAX) {
            continue;
        }
        take(&s->left, ports, share);
        s->chosen[s->n_chosen++] = ports;
        search(s, s->left.cycles[port] < ROUNDING ? 0 : i);
        s->n_chosen--;
        take(&s->left, ports, -share);
    }
}

static bool is_whole(double cycles)
{
    return cycles > ROUNDING && fabs(cycles - round(cycles)) < ROUNDING;
}

/* A unit that no set of several has is busy for all its cycles; they need no search. */
static void cut_units(struct reader *r, struct usage *u, struct machine_form *out)
{
    uint32_t wide = 0;
    for (int i = 0; i < r->all.n; i++) {
        const uint32_t set = r->all.ports[i];
        wide |= set & (set - 1) ? set : 0;
    }
    for (int p = 0; p < UNITS_MAX; p++) {
        if (!(wide >> p & 1) && is_whole(u->cycles[p])) {
            collect_uop(r->c, out, round(u->cycles[p]), (uint32_t)1 << p);
            u->cycles[p] = 0;
        }
    }
}

/* 1 and 1 could also be two uops for either, of a set that no other instruction shows. */
static bool has_equal_units(const struct machine_form *f)
{
    for (int i = 0; i < f->n_uops; i++) {
        for (int k = 0; k < i; k++) {
            const uint32_t both[] = {f->uops[i].ports, f->uops[k].ports};
            const bool single = !(both[0] & (both[0] - 1)) && !(both[1] & (both[1] - 1));
            if (single && f->uops[i].count == f->uops[k].count) {
                return true;
            }
        }
    }
    return false;
}

/* Why the ports of a usage cannot be told, or NULL. */
static const char *read_uops(struct reader *r, struct usage u, struct machine_form *out)
{
    cut_units(r, &u, out);
    struct search sure = {.sets = &r->sure, .left = u}, all = {.sets = &r->all, .left = u};
    search(&sure, 0);
    const struct search *s = &sure;
    if (sure.n_solutions == 0) {
        search(&all, 0);
        s = &all;
    }
    if (s->n_solutions == 0 && s->tries > TRIES_MAX) {
        return "its usage could be too many sums of port sets to try them all";
    }
    if (s->n_solutions == 0) {
        return "its usage is not the sum of the port sets that other instructions show";
    }
    if (s == &all) {
        collect_part(r->c, "a port set of it is told by its sum alone");
    }
    if (s->n_solutions > 1 || s->tries > TRIES_MAX) {
        collect_part(r->c, "its usage is a sum of port sets in more than one way, or may be");
    }
    for (int i = 0; i < s->n_found; i++) {
        collect_uop(r->c, out, 1, s->found[i]);
    }
    if (has_equal_units(out)) {
        collect_part(r->c, "equal whole cycles on several ports are taken as those of each alone");
    }
    return NULL;
}

/* --- the views ----------------------------------------------------------------------------------
 */

/* InstructionList of a region, or the list itself: versions differ. */
static const struct yml *info_list(const struct yml *region)
{
    const struct yml *view = yml_find(region, "InstructionInfoView");
    return view && view->kind == YML_MAP ? yml_find(view, "InstructionList") : view;
}

/* Fills usage[n_instructions]. */
static bool read_pressure(const struct reader *r, const struct yml *region, long n,
                          struct usage *usage, struct err *e)
{
    const struct yml *view = foreign_need(region, "ResourcePressureView", YML_MAP, e);
    const struct yml *list = view ? foreign_need(view, "ResourcePressureInfo", YML_LIST, e) : NULL;
    for (const struct yml *node = list ? list->child : NULL; node; node = node->next) {
        long instruction, resource;
        double cycles;
        if (!yml_integer(yml_need(node, "InstructionIndex", e), 0, n, &instruction, e) ||
            !yml_integer(yml_need(node, "ResourceIndex", e), 0, r->n_units - 1, &resource, e) ||
            !yml_number(yml_need(node, "ResourceUsage", e), 0, 1e4, &cycles, e)) {
            return false;
        }
        if (instruction < n) {
            usage[instruction].cycles[r->port[resource]] += cycles;
        }
    }
    return list != NULL;
}

static bool is_memory(const struct notation_operand *o)
{
    return strcmp(o->kinds[0], "m?") == 0 || strstr(o->kinds[0], "bcst");
}

/* The time to the result counts from the address where memory is read; how much earlier registers
 * may come, the output does not say. */
static void read_latency(struct reader *r, const struct notation *row, double cycles,
                         struct machine_form *out)
{
    int memory = 0, registers = 0;
    for (int k = 0; k < row->n; k++) {
        const struct notation_operand *o = &row->operands[row->att ? row->n - 1 - k : k];
        memory = is_memory(o) ? k + 1 : memory;
        registers +=
            !is_memory(o) && strcmp(o->kinds[0], "imm") != 0 && strcmp(o->kinds[0], "rel") != 0;
    }
    const bool stores =
        memory == 1 || (row->arch == ARCH_AARCH64 && strncmp(row->mnemonic, "st", 2) == 0);
    if (isnan(cycles) || registers == 0 || stores) {
        return;
    }
    const int n = memory && row->arch == ARCH_AARCH64 ? memory - 1 : 1; /* a pair is two results */
    out->latencies = arena_new(r->c->arena, struct machine_latency, (size_t)n + 1);
    for (int k = 1; k <= n; k++) {
        out->latencies[out->n_latencies++] = machine_latency(memory, memory ? k : 0, cycles);
    }
}

static const char no_slots[] = "it does not say how many uops it is; one dispatch slot is assumed";

static void read_info(struct reader *r, const struct yml *info, struct notation *row,
                      struct machine_form *out)
{
    const double slots = foreign_number(info, "NumMicroOpcodes", 0, 256);
    const double cycles = foreign_number(info, "RThroughput", 0, 1e6);
    if (isnan(slots)) {
        collect_part(r->c, no_slots);
    }
    out->slots = isnan(slots) ? 1 : slots;
    read_latency(r, row, foreign_number(info, "Latency", 0, 1e4), out);
    if (cycles > collect_cycles(out) * 1.02 + 0.01) {
        collect_part(r->c, "its throughput is less than its ports give");
    }
}

static void read_instruction(struct reader *r, const struct yml *text, const struct yml *info,
                             const struct usage *usage)
{
    struct machine_form like = {.has_uops = true, .slots = 1};
    struct notation row;
    const char *operand = "";
    collect_begin(r->c, text->loc, text->text);
    const bool read = notation_read(text->text, r->arch, r->c->arena, &row, &operand);
    const char *why = read ? read_uops(r, *usage, &like) : "an operand of it is of no known class";
    if (why) {
        collect_leave_out(r->c, why);
    } else {
        if (info) {
            read_info(r, info, &row, &like);
        } else {
            collect_part(r->c, no_slots);
        }
        collect_row(r->c, &row, &like);
    }
    collect_end(r->c);
}

/* --- regions ------------------------------------------------------------------------------------
 */

struct region {
    const struct yml *instructions;
    const struct yml *info; /* its first element; NULL: there is none */
    struct usage *usage;
    long n;
};

static bool read_region(struct reader *r, const struct yml *node, struct region *out, struct err *e)
{
    if (yml_find(node, "SummaryView")) {
        return err_set(e, ERR_SCHEMA, yml_find(node, "SummaryView")->key_loc,
                       "the pressure of a simulation depends on all instructions at once; "
                       "llvm-mca -json -instruction-tables tells that of each");
    }
    out->instructions = foreign_need(node, "Instructions", YML_LIST, e);
    if (!out->instructions) {
        return false;
    }
    const struct yml *info = info_list(node);
    out->info = info && info->kind == YML_LIST ? info->child : NULL;
    out->n = out->instructions->n_children;
    out->usage = arena_new(r->c->arena, struct usage, (size_t)out->n + 1);
    if (!read_pressure(r, node, out->n, out->usage, e)) {
        return false;
    }
    for (long i = 0; i < out->n; i++) {
        know_alone(&out->usage[i], &r->sure);
    }
    return true;
}

static bool read_instructions(struct reader *r, const struct region *region, struct err *e)
{
    const struct yml *info = region->info;
    const struct usage *usage = region->usage;
    for (const struct yml *node = region->instructions->child; node; node = node->next) {
        const char *text;
        if (!yml_text(node, &text, e)) {
            return false;
        }
        read_instruction(r, node, info, usage++);
        info = info ? info->next : NULL;
    }
    return true;
}

static bool read_regions(struct reader *r, const struct yml *list, struct err *e)
{
    struct region *regions = arena_new(r->c->arena, struct region, (size_t)list->n_children + 1);
    int n = 0;
    for (const struct yml *node = list->child; node; node = node->next) {
        if (!yml_is(node, YML_MAP, e) || !read_region(r, node, &regions[n++], e)) {
            return false;
        }
    }
    r->all = r->sure;
    for (int i = 0; i < n; i++) {
        for (long k = 0; k < regions[i].n; k++) {
            know_by_sum(&regions[i].usage[k], &r->sure, &r->all);
        }
    }
    for (int i = 0; i < n; i++) {
        if (!read_instructions(r, &regions[i], e)) {
            return false;
        }
    }
    return true;
}

/* --- the file -----------------------------------------------------------------------------------
 */

/* "Zn3LSU.0" and "Zn3LSU.1" are units of one resource, and a uop for it goes to any. */
static void know_units(struct reader *r)
{
    const struct machine *m = r->c->machine;
    for (int p = 0; p < m->n_ports; p++) {
        uint32_t ports = 0;
        const char *dot = strrchr(m->ports[p], '.');
        const size_t stem = dot ? (size_t)(dot - m->ports[p]) + 1 : 0;
        for (int q = 0; q < m->n_ports && stem; q++) {
            ports |= strncmp(m->ports[q], m->ports[p], stem) == 0 ? (uint32_t)1 << q : 0;
        }
        ports |= ports ? 0 : (uint32_t)1 << p;
        know_set(&r->sure, (uint32_t)1 << p);
        know_set(&r->sure, ports);
    }
}

static bool read_resources(struct reader *r, const struct yml *target, struct err *e)
{
    const struct yml *list = foreign_need(target, "Resources", YML_LIST, e);
    for (const struct yml *node = list ? list->child : NULL; node; node = node->next) {
        const char *name;
        if (r->n_units == UNITS_MAX) {
            return err_set(e, ERR_RANGE, node->loc, "more than %d resources", UNITS_MAX);
        }
        if (!yml_text(node, &name, e)) {
            return false;
        }
        const int port = collect_port(r->c, name, node->len, node->loc, e);
        if (port < 0) {
            return false;
        }
        r->port[r->n_units++] = port;
    }
    know_units(r);
    return list != NULL;
}

static bool read_arch(struct reader *r, const struct yml *root, struct err *e)
{
    const struct yml *parameters = yml_find(root, "SimulationParameters");
    const struct yml *node = parameters ? yml_find(parameters, "-march") : NULL;
    const char *march = parameters ? foreign_text(parameters, "-march") : NULL;
    r->says_arch = march != NULL;
    r->arch = march && strncmp(march, "aarch64", 7) == 0 ? ARCH_AARCH64 : ARCH_X86_64;
    return !march || r->arch == ARCH_AARCH64 || strcmp(march, "x86_64") == 0 ||
           strcmp(march, "x86-64") == 0 ||
           err_set(e, ERR_RANGE, node->loc, "-march '%.40s' is not x86_64 or aarch64", march);
}

bool import_llvm_mca(struct collect *c, struct bytes input, struct err *e)
{
    struct yml_foreign foreign = {.language = "JSON"};
    struct reader r = {.c = c};
    const struct yml *root = yml_read_foreign(input, c->wish->file, &foreign, c->arena, e);
    const struct yml *list = root ? foreign_need(root, "CodeRegions", YML_LIST, e) : NULL;
    const struct yml *target = list ? foreign_need(root, "TargetInfo", YML_MAP, e) : NULL;
    const struct yml *cpu = target ? yml_need(target, "CPUName", e) : NULL;
    const char *name;
    if (!cpu || !yml_text(cpu, &name, e) || !read_arch(&r, root, e) ||
        !collect_arch(c, name, cpu->loc, e)) {
        return false;
    }
    collect_name(c, "llvm-mca", name, code_arch_names[r.arch]);
    if (!r.says_arch) {
        collect_remark(c, root->loc, "", "the file does not say -march; x86_64 is assumed");
    }
    collect_remark(c, root->loc, "", "instruction tables do not state a dispatch_width");
    return read_resources(&r, target, e) && read_regions(&r, list, e);
}
