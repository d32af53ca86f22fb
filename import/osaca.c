#include "import/collect.h"
#include "import/foreign.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A file has facts of the core, what loads and stores take by the register they fill or empty, and
 * a list of instruction_forms.  A port_pressure is a list of [cycles, ports], ports a text of
 * one-letter ports ('23') or a list of them (['2', '11']); a map of such lists offers alternatives.
 * Operands are in AT&T order on x86.  A memory form that is not listed is the register form and the
 * load. */

struct reader {
    struct collect *c;
    const struct yml *root;
    bool a64;
    const struct yml *load_latency;
};

static bool is_true(const struct yml *map, const char *key)
{
    const char *text = foreign_text(map, key);
    return text && strcasecmp(text, "true") == 0;
}

/* --- ports --------------------------------------------------------------------------------------
 */

/* A text names a port by each of its letters, a list by each of its items; 0: some port is
 * unknown. */
static uint32_t read_set(const struct reader *r, const struct yml *node)
{
    uint32_t ports = 0;
    for (size_t i = 0; node->kind == YML_SCALAR && i < node->len; i++) {
        const uint32_t bit = collect_port_bit(r->c, node->text + i, 1);
        ports |= bit;
        if (!bit) {
            return 0;
        }
    }
    for (const struct yml *item = node->child; node->kind == YML_LIST && item; item = item->next) {
        const uint32_t bit =
            item->kind == YML_SCALAR ? collect_port_bit(r->c, item->text, item->len) : 0;
        ports |= bit;
        if (!bit) {
            return 0;
        }
    }
    return ports;
}

/* Why a pressure cannot be read, or NULL. */
static const char *read_pressure(struct reader *r, const struct yml *list, struct machine_form *out)
{
    out->has_uops = true;
    out->slots = 1;
    if (list->kind == YML_MAP) { /* alternatives: what the tool takes where it does not choose */
        collect_part(r->c, "of several port_pressures only the first is read");
        list = list->child;
    }
    if (!list || list->kind != YML_LIST) {
        return "its port_pressure is not a list";
    }
    for (const struct yml *uop = list->child; uop; uop = uop->next) {
        double cycles;
        if (uop->kind != YML_LIST || uop->n_children != 2 || uop->child->kind != YML_SCALAR ||
            !text_parse_number(uop->child->text, uop->child->len, &cycles)) {
            return "its port_pressure is not a list of [cycles, ports]";
        }
        const uint32_t ports = read_set(r, uop->child->next);
        if (!ports) {
            return "its port_pressure names a port that the file does not have";
        }
        if (!(cycles >= 0 && cycles <= 1e4)) {
            return "its port_pressure has cycles that cannot be right";
        }
        if (cycles > 0) {
            collect_uop(r->c, out, cycles, ports);
        }
    }
    return NULL;
}

/* --- operands -----------------------------------------------------------------------------------
 */

static bool in_list(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) {
        list++;
    }
    return *list != NULL;
}

/* "gpr"; on AArch64 prefix and shape, "v.d". */
static const char *register_class(const struct reader *r, const struct yml *node)
{
    const char *name = foreign_text(node, r->a64 ? "prefix" : "name");
    const char *shape = r->a64 ? foreign_text(node, "shape") : NULL;
    const bool shaped = name && shape && (*name == 'v' || *name == 'z');
    return shaped ? arena_format(r->c->arena, "%s.%s", name, shape) : name;
}

/* Why an operand cannot be read, or NULL. */
static const char *read_operand(struct reader *r, const struct yml *node,
                                struct notation_operand *out)
{
    static const char *const known[] = {
        "class",        "name",        "prefix",      "shape",       "mask",
        "base",         "offset",      "index",       "scale",       "imd",
        "source",       "destination", "pre-indexed", "pre_indexed", "post-indexed",
        "post_indexed", "width",       "lanes",       "predication", "zeroing",
        "ccode",        "type",        "target",      "policy",      NULL};
    const char *class = node->kind == YML_MAP ? foreign_text(node, "class") : NULL;
    if (!class) {
        return "an operand of it has no class";
    }
    for (const struct yml *key = node->child; key; key = key->next) {
        if (!in_list(key->key, known)) {
            return "an operand of it has a key whose meaning is not known";
        }
    }
    const bool is_register = strcmp(class, "register") == 0;
    const char *word = is_register ? register_class(r, node) : class;
    if (is_register && yml_find(node, "index")) {
        return "a lane of a vector cannot be told from the vector";
    }
    out->kinds =
        word ? notation_kinds(r->a64 ? NOTATION_OSACA_A64 : NOTATION_OSACA_X86, word, strlen(word))
             : NULL;
    if (!out->kinds && word && !r->a64) {
        out->kinds = notation_kinds(NOTATION_TEXT, word, strlen(word));
    }
    if (is_true(node, "pre-indexed") || is_true(node, "pre_indexed")) {
        out->suffix = ", pre";
    } else if (is_true(node, "post-indexed") || is_true(node, "post_indexed")) {
        out->suffix = ", post";
    } else if (!r->a64 && is_true(node, "mask")) {
        out->suffix = "{k}";
    }
    return out->kinds ? NULL : "an operand of it is of no known class";
}

static const char *read_operands(struct reader *r, const struct yml *list, struct notation *row)
{
    *row = (struct notation){.arch = r->a64 ? ARCH_AARCH64 : ARCH_X86_64, .att = !r->a64};
    if (foreign_is_null(list)) {
        return NULL;
    }
    if (list->kind != YML_LIST) {
        return "its operands are not a list";
    }
    for (const struct yml *node = list->child; node; node = node->next) {
        if (row->n == NOTATION_OPERANDS_MAX) {
            return "it has more operands than any form";
        }
        const char *why = read_operand(r, node, &row->operands[row->n++]);
        if (why) {
            return why;
        }
    }
    return NULL;
}

/* --- latencies ----------------------------------------------------------------------------------
 */

static bool is_memory(const struct notation_operand *o)
{
    return strcmp(o->kinds[0], "m?") == 0;
}

static bool is_value(const struct notation_operand *o)
{
    return !is_memory(o) && strcmp(o->kinds[0], "imm") != 0 && strcmp(o->kinds[0], "rel") != 0;
}

/* Cycles of a load into a register of this kind; NaN: not said. */
static double load_cycles(const struct reader *r, const char *kind)
{
    char class[8] = {kind[0]};
    if (!r->a64) {
        snprintf(class, sizeof class, "%s", kind[0] == 'r' ? "gpr" : kind);
    }
    return r->load_latency ? foreign_number(r->load_latency, class, 0, 1e4) : (double)NAN;
}

static void add_latency(struct machine_form *out, int source, int destination, double cycles)
{
    out->latencies[out->n_latencies++] = machine_latency(source, destination, cycles);
}

/* Where the base is written back, that is another result, with a time of its own. */
static void read_written_back(struct reader *r, const struct notation *row, double cycles,
                              struct machine_form *out)
{
    const double base = foreign_number(r->root, "p_index_latency", 0, 1e4);
    out->latencies = arena_new(r->c->arena, struct machine_latency, NOTATION_OPERANDS_MAX);
    for (int k = 0; k < row->n; k++) {
        if (!is_memory(&row->operands[k]) && strncasecmp(row->mnemonic, "st", 2) != 0 &&
            !isnan(cycles)) {
            add_latency(out, 0, k + 1, cycles);
        } else if (is_memory(&row->operands[k]) && !isnan(base)) {
            add_latency(out, k + 1, k + 1, base);
        }
    }
}

static bool writes_back(const struct notation *row)
{
    bool found = false;
    for (int k = 0; k < row->n; k++) {
        found |= row->operands[k].suffix && row->operands[k].suffix[0] == ',';
    }
    return found;
}

/* A latency counts from the address where memory is read; what comes from registers is there when
 * the load is done, so for them the load's share goes off.  A store has no result. */
static void read_latency(struct reader *r, const struct notation *row, double cycles,
                         struct machine_form *out)
{
    int memory = 0, others = 0, values = 0;
    if (writes_back(row)) {
        read_written_back(r, row, cycles, out);
        return;
    }
    for (int k = 0; k < row->n; k++) {
        const struct notation_operand *o = &row->operands[row->att ? row->n - 1 - k : k];
        memory = is_memory(o) ? k + 1 : memory;
        values += is_value(o);
        others += k > 0 && is_value(o);
    }
    const bool stores = memory == 1 || (r->a64 && strncasecmp(row->mnemonic, "st", 2) == 0);
    if (isnan(cycles) || stores || values == 0) {
        return;
    }
    out->latencies = arena_new(r->c->arena, struct machine_latency, 2);
    if (!memory || !others || r->a64) {
        add_latency(out, 0, 0, cycles);
        return;
    }
    const struct notation_operand *first = &row->operands[row->att ? row->n - 1 : 0];
    const double load = load_cycles(r, first->kinds[0]);
    add_latency(out, memory, 1, cycles);
    if (!isnan(load)) {
        add_latency(out, 0, 1, cycles > load ? cycles - load : 0);
    }
}

/* --- instruction forms --------------------------------------------------------------------------
 */

static bool has_mask(const struct notation *row)
{
    bool mask = false;
    for (int k = 0; k < row->n; k++) {
        mask |= row->operands[k].suffix && row->operands[k].suffix[0] == '{';
    }
    return mask;
}

/* A mask may merge or clear. */
static void add_rows(struct reader *r, struct notation *row, const struct machine_form *like)
{
    const bool mask = has_mask(row);
    collect_row(r->c, row, like);
    for (int k = 0; k < row->n && mask && !r->c->left_out; k++) {
        if (row->operands[k].suffix && row->operands[k].suffix[0] == '{') {
            row->operands[k].suffix = "{k}{z}";
        }
    }
    struct notation_forms zeroing = {0};
    if (mask && !r->c->left_out && notation_expand(row, r->c->arena, &zeroing) == NOTATION_FINE) {
        for (int i = 0; i < zeroing.n; i++) {
            collect_form(r->c, zeroing.list[i], like);
        }
    }
}

static void remark_keys(struct reader *r, const struct yml *node)
{
    static const char *const known[] = {
        "name",       "operands",  "latency",         "port_pressure",
        "throughput", "uops",      "llvm_name",       "source",
        "comment",    "operation", "hidden_operands", "breaks_dependency_on_equal_operands",
        NULL};
    for (const struct yml *key = node->child; key; key = key->next) {
        if (!in_list(key->key, known)) {
            collect_part(r->c, "a key of it has no known meaning");
        }
    }
}

/* With one register for all it waits for none, and takes its ports all the same. */
static void break_on_equal(struct machine_form *f)
{
    for (int i = 0; i < f->n_latencies; i++) {
        f->latencies[i].same_register_cycles = 0;
    }
}

static void remark_throughput(struct reader *r, const struct machine_form *like, double cycles)
{
    if (cycles > collect_cycles(like) * 1.02 + 0.01) {
        collect_part(r->c, "its throughput is less than its ports give");
    }
}

static void read_named(struct reader *r, const struct yml *node, const char *name, struct loc loc)
{
    struct machine_form like = {0};
    struct notation row;
    const struct yml *pressure = yml_find(node, "port_pressure");
    const double throughput = foreign_number(node, "throughput", 0, 1e6);
    collect_begin(r->c, loc, name);
    const char *why =
        foreign_is_null(pressure) ? "it has no port_pressure" : read_pressure(r, pressure, &like);
    if (!why && like.n_uops == 0 && !(throughput == 0)) {
        why = "its port_pressure is empty, its throughput not 0: unknown rather than free";
    }
    why = why ? why : read_operands(r, yml_find(node, "operands"), &row);
    if (why) {
        collect_leave_out(r->c, why);
    } else {
        row.mnemonic = name;
        read_latency(r, &row, foreign_number(node, "latency", 0, 1e4), &like);
        if (is_true(node, "breaks_dependency_on_equal_operands")) {
            break_on_equal(&like);
        }
        add_rows(r, &row, &like);
    }
    if (r->c->n_new > 0) {
        remark_keys(r, node);
        remark_throughput(r, &like, throughput);
    }
    collect_end(r->c);
}

static void read_form(struct reader *r, const struct yml *node, bool lists)
{
    const struct yml *name = node->kind == YML_MAP ? yml_find(node, "name") : NULL;
    const bool is_list = name && name->kind == YML_LIST && name->child;
    const bool is_text = name && name->kind == YML_SCALAR;
    if (!lists && !is_list && !is_text) {
        collect_begin(r->c, node->loc, "entry");
        collect_leave_out(r->c, "it has no name");
        collect_end(r->c);
    } else if (!lists && is_text) {
        read_named(r, node, name->text, node->loc);
    }
    for (const struct yml *n = lists && is_list ? name->child : NULL; n; n = n->next) {
        read_named(r, node, n->kind == YML_SCALAR ? n->text : "entry", n->loc);
    }
}

/* The tool looks through the entries with one name first, then through those with a list of
 * names. */
static void read_forms(struct reader *r, const struct yml *list)
{
    for (int lists = 0; lists < 2; lists++) {
        for (const struct yml *node = list->child; node; node = node->next) {
            read_form(r, node, lists == 1);
        }
    }
}

/* --- loads and stores ---------------------------------------------------------------------------
 */

/* What fills or empties a register of each class; others are composed of these. */
static const struct {
    const char *class;
    const char *loads[6];
    const char *stores[6];
} moves[] = {
    {"gpr",
     {"mov r64, m64", "mov r32, m32", "mov r16, m16", "mov r8, m8"},
     {"mov m64, r64", "mov m32, r32", "mov m16, r16", "mov m8, r8"}},
    {"xmm",
     {"vmovups xmm, m128", "movups xmm, m128", "vmovsd xmm, m64", "movsd xmm, m64",
      "vmovss xmm, m32", "movss xmm, m32"},
     {"vmovups m128, xmm", "movups m128, xmm", "vmovsd m64, xmm", "movsd m64, xmm",
      "vmovss m32, xmm", "movss m32, xmm"}},
    {"ymm", {"vmovups ymm, m256"}, {"vmovups m256, ymm"}},
    {"zmm", {"vmovups zmm, m512"}, {"vmovups m512, zmm"}},
};

/* The first row for a class, or one for all. */
static const struct yml *throughput_row(const struct yml *list, const char *key, const char *class)
{
    for (const struct yml *row = list && list->kind == YML_LIST ? list->child : NULL; row;
         row = row->next) {
        const char *own = row->kind == YML_MAP ? foreign_text(row, key) : NULL;
        if (row->kind == YML_MAP && (!own || strcmp(own, class) == 0)) {
            return row;
        }
    }
    return NULL;
}

static void read_moves(struct reader *r, const char *key, const char *register_key)
{
    const bool load = *key == 'l';
    const struct yml *list = yml_find(r->root, key);
    const struct yml *rest = yml_find(r->root, arena_format(r->c->arena, "%s_default", key));
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct machine_form like = {0};
        const struct yml *row = throughput_row(list, register_key, moves[i].class);
        const struct yml *pressure = row ? yml_find(row, "port_pressure") : rest;
        if (foreign_is_null(pressure)) {
            continue;
        }
        collect_begin(r->c, pressure->loc,
                      arena_format(r->c->arena, "%s of %s", key, moves[i].class));
        const char *why = read_pressure(r, pressure, &like);
        if (why || like.n_uops == 0) {
            collect_leave_out(r->c, why ? why : "its port_pressure is empty");
        } else if (load) {
            like.latencies = arena_new(r->c->arena, struct machine_latency, 1);
            const double cycles = load_cycles(r, moves[i].class[0] == 'g' ? "r" : moves[i].class);
            *like.latencies = machine_latency(0, 0, cycles);
            like.n_latencies = !isnan(cycles);
        }
        for (int k = 0; k < 6 && !r->c->left_out && moves[i].loads[k]; k++) {
            collect_form(r->c, load ? moves[i].loads[k] : moves[i].stores[k], &like);
        }
        r->c->n_other = 0; /* the forms that are listed count, as in the tool */
        collect_end(r->c);
    }
}

/* --- the file -----------------------------------------------------------------------------------
 */

static void remark_key(struct reader *r, const char *key, const char *why)
{
    const struct yml *node = yml_find(r->root, key);
    if (!foreign_is_null(node)) {
        collect_remark(r->c, node->key_loc, key, why);
    }
}

static void remark_top(struct reader *r)
{
    static const char *const known[] = {"osaca_version",
                                        "micro_architecture",
                                        "arch_code",
                                        "isa",
                                        "ROB_size",
                                        "dispatched_uops_per_cycle",
                                        "retired_uOps_per_cycle",
                                        "scheduler_size",
                                        "hidden_loads",
                                        "load_latency",
                                        "load_throughput",
                                        "load_throughput_default",
                                        "store_throughput",
                                        "store_throughput_default",
                                        "ports",
                                        "port_model_scheme",
                                        "instruction_forms",
                                        "store_to_load_forward_latency",
                                        "load_throughput_multiplier",
                                        "p_index_latency",
                                        "internal_version",
                                        NULL};
    for (const struct yml *key = r->root->child; key; key = key->next) {
        if (!in_list(key->key, known)) {
            collect_remark(r->c, key->key_loc, key->key, "a key of the file has no known meaning");
        }
    }
    remark_key(r, "scheduler_size", "the size of the scheduler bounds nothing here");
    remark_key(r, "store_to_load_forward_latency",
               "what a forwarded store adds to a load is not the time of both");
    remark_key(r, "load_throughput_multiplier", "loads of wide registers are not multiplied");
    if (is_true(r->root, "hidden_loads")) {
        remark_key(r, "hidden_loads", "loads that hide behind stores are counted");
    }
    if (isnan(r->c->machine->dispatch_width)) {
        collect_remark(r->c, r->root->loc, "", "the file has no dispatched_uops_per_cycle");
    }
    collect_remark(r->c, r->root->loc, "uops",
                   "they are counted before fusion, so every form takes one dispatch slot");
}

static bool read_isa(struct reader *r, struct err *e)
{
    const struct yml *node = yml_need(r->root, "isa", e);
    const char *isa;
    if (!yml_text(node, &isa, e)) {
        return false;
    }
    r->a64 = strcasecmp(isa, "aarch64") == 0;
    return r->a64 || strcasecmp(isa, "x86") == 0 ||
           err_set(e, ERR_RANGE, node->loc, "isa: '%.40s' is not x86 or AArch64", isa);
}

static bool read_ports(struct reader *r, struct err *e)
{
    const struct yml *list = foreign_need(r->root, "ports", YML_LIST, e);
    for (const struct yml *node = list ? list->child : NULL; node; node = node->next) {
        const char *name;
        if (!yml_text(node, &name, e) || collect_port(r->c, name, strlen(name), node->loc, e) < 0) {
            return false;
        }
    }
    return list != NULL;
}

static void read_core(struct reader *r)
{
    struct machine *m = r->c->machine;
    const struct yml *latency = yml_find(r->root, "load_latency");
    m->rob_entries = foreign_number(r->root, "ROB_size", 1, 65536);
    m->retire_width = foreign_number(r->root, "retired_uOps_per_cycle", 0.25, 64);
    m->dispatch_width = foreign_number(r->root, "dispatched_uops_per_cycle", 0.25, 64);
    m->description = foreign_text(r->root, "micro_architecture");
    m->compose_memory_operands = !r->a64;
    r->load_latency = latency && latency->kind == YML_MAP ? latency : NULL;
}

bool import_osaca(struct collect *c, struct bytes input, struct err *e)
{
    struct yml_foreign foreign = {0};
    struct reader r = {.c = c};
    r.root = yml_read_foreign(input, c->wish->file, &foreign, c->arena, e);
    const struct yml *list = r.root ? foreign_need(r.root, "instruction_forms", YML_LIST, e) : NULL;
    if (!list || !read_isa(&r, e)) {
        return false;
    }
    const struct yml *arch = yml_find(r.root, "arch_code");
    const char *code = foreign_text(r.root, "arch_code"),
               *version = foreign_text(r.root, "osaca_version");
    code = code ? code : "unnamed";
    if (!collect_arch(c, code, arch ? arch->loc : r.root->loc, e)) {
        return false;
    }
    collect_name(c, arena_format(c->arena, "OSACA %s", version ? version : "of unknown version"),
                 code, r.a64 ? "aarch64" : "x86-64");
    if (!read_ports(&r, e)) {
        return false;
    }
    for (size_t i = 0; i < foreign.n_tags; i++) {
        static const char full[] = "tag:yaml.org,2002:"; /* what !! stands for */
        const char *tag = foreign.tags[i].tag;
        tag = strncmp(tag, full, sizeof full - 1) == 0
                  ? arena_format(c->arena, "!!%s", tag + sizeof full - 1)
                  : tag;
        collect_remark(c, foreign.tags[i].loc, tag, "a tag is passed over");
    }
    read_core(&r);
    remark_top(&r);
    read_forms(&r, list);
    if (!r.a64) {
        read_moves(&r, "load_throughput", "dst");
        read_moves(&r, "store_throughput", "src");
    }
    return true;
}
