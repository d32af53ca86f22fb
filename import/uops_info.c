#include "base/items.h"
#include "formats/xml.h"
#include "import/collect.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* root/extension/instruction has operands and, for each architecture, a measurement:
 *
 *     <instruction asm="VADDPS" string="VADDPS (YMM, YMM, M256)" ...>
 *       <operand idx="1" type="reg" width="256" w="1">YMM0,YMM1,...</operand> ...
 *       <architecture name="SKL">
 *         <measurement TP_loop="0.50" uops="2" uops_retire_slots="1" ports="1*p01+1*p23" ...>
 *           <latency start_op="2" target_op="1" cycles="4"/> ...
 *
 * suppressed operands are implicit and no part of a form.  1*p01 is a uop for port 0 or 1; cores of
 * AMD have FP for p, and nothing said of their other ports. */

enum { OPERANDS_MAX = 24 };

struct operand {
    int idx;          /* as latencies name it */
    int position;     /* in the form, from 1; 0: no part of it */
    const char *name; /* of such a one: flags, mask, rax; else NULL */
    bool memory, reads;
};

struct reader {
    struct collect *c;
    bool any_arch;      /* the architecture was seen */
    bool any_to_memory; /* some latency is that of a store */
    const char *date;
    struct text archs; /* for an error: those the file has */
    struct names seen_archs;
};

struct instruction {
    struct operand operands[OPERANDS_MAX];
    int n;
    struct notation row;
};

/* --- numbers ------------------------------------------------------------------------------------
 */

/* NaN: not there, or no number.  Sentinels (-1, 9.2e18) are numbers here, and refused by
 * is_sane. */
static double number(const struct xml *element, const char *name)
{
    const char *text = xml_get(element, name);
    double value;
    return text && text_parse_number(text, strlen(text), &value) ? value : (double)NAN;
}

/* A small whole number; 0 where there is none. */
static int whole(const char *text)
{
    const long value = strtol(text, NULL, 10);
    return value > 0 && value <= 65536 ? (int)value : 0;
}

/* Why some attribute of a measurement cannot be right, or NULL. */
static const char *insane(const struct xml *measurement)
{
    static const char *const counted[] = {"TP", "uops", "div_cycles"};
    for (const struct xml_attribute *a = measurement->attributes; a->name; a++) {
        bool numeric = false;
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            numeric |= strncmp(a->name, counted[i], strlen(counted[i])) == 0;
        }
        double value;
        if (numeric && !text_parse_number(a->value, strlen(a->value), &value)) {
            return "a figure of its measurement is not a number";
        }
        if (numeric && !(value >= 0 && value <= 1e6)) {
            return "a figure of its measurement is a sentinel (-1, 9.2e18) or as wrong";
        }
    }
    return NULL;
}

/* --- operands -----------------------------------------------------------------------------------
 */

static const char *const *memory_kinds(const struct xml *element, struct arena *a)
{
    const char *suffix = xml_get(element, "memory-suffix"), *width = xml_get(element, "width");
    const int bits = width ? whole(width) : 0;
    if (suffix && strstr(suffix, "1to")) {
        const char **kinds = arena_new(a, const char *, 2);
        kinds[0] = arena_format(a, "m%dbcst", bits);
        return kinds;
    }
    if (xml_get(element, "VSIB")) { /* the width is of one element */
        static const char *const unsized[] = {"m?", NULL};
        return unsized;
    }
    return notation_memory(bits);
}

/* RAX, AL, R8D and so on: neither segments nor control, debug and bound registers. */
static bool is_general(const char *text)
{
    const size_t len = strcspn(text, ",");
    const bool segment = len == 2 && text[1] == 'S';
    const bool numbered = strncmp(text, "CR", 2) == 0 || strncmp(text, "DR", 2) == 0;
    return len >= 2 && strchr("ABCDERS", *text) && !segment && !numbered &&
           strncmp(text, "BND", 3) != 0;
}

static const char *const *operand_kinds(const struct xml *element, const char *type,
                                        struct arena *a)
{
    const char *text = element->text;
    if (strcmp(type, "mem") == 0) {
        return memory_kinds(element, a);
    }
    if (strcmp(type, "reg") != 0) {
        return notation_kinds(NOTATION_UOPS_INFO, type, strlen(type));
    }
    const char *const *kinds = notation_kinds(NOTATION_UOPS_INFO, text, strlen(text));
    if (!kinds && is_general(text)) {
        const char *width = xml_get(element, "width");
        const char *word = arena_format(a, "reg%s", width ? width : "");
        kinds = notation_kinds(NOTATION_UOPS_INFO, word, strlen(word));
    }
    return kinds;
}

static bool is_set(const struct xml *element, const char *name)
{
    const char *value = xml_get(element, name);
    return value && strcmp(value, "1") == 0;
}

/* An implicit general register by its whole: eax, al and ax are rax; others in lower case. */
static const char *implicit_name(const char *text, struct arena *a)
{
    static const struct {
        const char *ends, *whole;
    } names[] = {{"AX", "rax"}, {"AL", "rax"}, {"BX", "rbx"}, {"CX", "rcx"},
                 {"CL", "rcx"}, {"DX", "rdx"}, {"DL", "rdx"}, {"SI", "rsi"},
                 {"DI", "rdi"}, {"SP", "rsp"}, {"BP", "rbp"}};
    const size_t len = strlen(text);
    for (size_t i = 0; i < sizeof names / sizeof *names && len >= 2 && len <= 3; i++) {
        if (strcmp(text + len - 2, names[i].ends) == 0) {
            return names[i].whole;
        }
    }
    char *name = arena_copy(a, text, len);
    for (char *c = name; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return *name ? name : NULL;
}

/* Why an operand cannot be read, or NULL. */
static const char *add_operand(struct instruction *out, const struct xml *element,
                               const struct xml *instruction, struct arena *a)
{
    const char *type = xml_get(element, "type"), *idx = xml_get(element, "idx");
    if (!type || !idx || out->n == OPERANDS_MAX) {
        return "an operand of it has no type or no idx, or there are too many";
    }
    struct operand *o = &out->operands[out->n++];
    *o = (struct operand){.idx = whole(idx), .memory = strcmp(type, "mem") == 0};
    o->reads = is_set(element, "r");
    if (is_set(element, "opmask")) {
        o->name = "mask";
        if (out->row.n > 0) {
            out->row.operands[0].suffix = is_set(instruction, "zeroing") ? "{k}{z}" : "{k}";
        }
        return NULL;
    }
    if (is_set(element, "suppressed") || strcmp(type, "flags") == 0) {
        o->name = strcmp(type, "flags") == 0 ? "flags" : implicit_name(element->text, a);
        return NULL;
    }
    if (out->row.n == NOTATION_OPERANDS_MAX) {
        return "it has more operands than any form";
    }
    struct notation_operand *n = &out->row.operands[out->row.n++];
    n->kinds = operand_kinds(element, type, a);
    o->position = out->row.n;
    return n->kinds ? NULL : "an operand of it is of no known class";
}

/* "{load} MOV" is MOV; "REX CRC32" is CRC32. */
static const char *plain_mnemonic(const char *text)
{
    const char *brace = *text == '{' ? strchr(text, '}') : NULL;
    text = brace ? brace + 1 : text;
    text += strspn(text, " ");
    return strncmp(text, "REX ", 4) == 0 ? text + 4 : text;
}

static const char *read_operands(const struct xml *element, struct instruction *out,
                                 struct arena *a)
{
    const char *mnemonic = xml_get(element, "asm");
    *out = (struct instruction){.row = {.arch = ARCH_X86_64}};
    if (!mnemonic) {
        return "it has no asm";
    }
    out->row.mnemonic = plain_mnemonic(mnemonic);
    for (const struct xml *o = element->child; o; o = o->next) {
        const char *why = strcmp(o->name, "operand") == 0 ? add_operand(out, o, element, a) : NULL;
        if (why) {
            return why;
        }
    }
    return NULL;
}

/* --- ports --------------------------------------------------------------------------------------
 */

/* "p015": letters, then a port by each character; *end is behind it.  0 and *e where ports run
 * out. */
static uint32_t read_set(struct collect *c, const char *text, const char **end, struct err *e)
{
    uint32_t ports = 0;
    const char *letters = text;
    while (islower((unsigned char)*text) || (text == letters && strncmp(text, "FP", 2) == 0)) {
        text += *text == 'F' ? 2 : 1;
    }
    const size_t n = (size_t)(text - letters);
    for (; isalnum((unsigned char)*text); text++) {
        const char *name = arena_format(c->arena, "%s%c", n == 2 ? "FP" : "P", *text);
        const int port = n > 0 ? collect_port(c, name, strlen(name), c->loc, e) : -1;
        if (port < 0) {
            return 0;
        }
        ports |= (uint32_t)1 << port;
    }
    *end = text;
    return ports;
}

/* Why they cannot be read, or NULL. */
static const char *read_ports(struct collect *c, const char *text, struct machine_form *out,
                              struct err *e)
{
    for (;;) {
        char *star;
        const double count = strtod(text, &star);
        if (star == text || *star != '*' || !(count > 0 && count <= 1e4)) {
            return "its ports are not COUNT*PORTS+COUNT*PORTS";
        }
        const uint32_t ports = read_set(c, star + 1, &text, e);
        if (!ports) {
            return "its ports are not COUNT*PORTS+COUNT*PORTS";
        }
        collect_uop(c, out, count, ports);
        if (*text == '\0') {
            return NULL;
        }
        text++;
    }
}

/* Fused uops take a slot each; cores of AMD have only what they call uops. */
static double read_slots(struct collect *c, const struct xml *measurement)
{
    const double fused = number(measurement, "uops_retire_slots");
    const double uops = isnan(fused) ? number(measurement, "uops") : fused;
    if (isnan(uops)) {
        collect_part(c, "it does not say how many uops retire; one dispatch slot is assumed");
    }
    return isnan(uops) ? 1 : uops;
}

/* --- latencies ----------------------------------------------------------------------------------
 */

static const struct operand *find_operand(const struct instruction *in, const struct xml *latency,
                                          const char *name)
{
    const char *idx = xml_get(latency, name);
    for (int i = 0; i < in->n && idx; i++) {
        if (in->operands[i].idx == whole(idx)) {
            return &in->operands[i];
        }
    }
    return NULL;
}

/* What was measured of one pair of operands: from memory it counts from the address.  The least
 * counts, since a bound promises that nothing is faster, and the most is kept beside it.  cycles
 * NaN: nothing; *upper: only a limit of it. */
static struct machine_latency latency_of_pair(const struct xml *latency, bool memory, bool *upper,
                                              struct arena *a)
{
    static const char *const from_register[] = {"cycles", "min_cycles", "max_cycles", NULL},
                             *const from_address[] = {"cycles_addr",
                                                      "min_cycles_addr",
                                                      "max_cycles_addr",
                                                      "cycles_addr_index",
                                                      "min_cycles_addr_index",
                                                      "max_cycles_addr_index",
                                                      NULL};
    struct machine_latency l = machine_latency(0, 0, (double)NAN);
    double most = (double)NAN;
    for (const char *const *name = memory ? from_address : from_register; *name; name++) {
        const double cycles = number(latency, *name);
        const bool sane = cycles >= 0 && cycles <= 1e4;
        const bool is_upper = sane && is_set(latency, arena_format(a, "%s_is_upper_bound", *name));
        *upper |= is_upper;
        if (sane && !is_upper) {
            l.cycles = l.cycles <= cycles ? l.cycles : cycles;
            most = most >= cycles ? most : cycles;
        }
    }
    l.most_cycles = most > l.cycles ? most : (double)NAN;
    const double same = number(latency, "cycles_same_reg");
    l.same_register_cycles = same >= 0 && same <= 1e4 ? same : (double)NAN;
    return l;
}

static bool has_wrong_cycles(const struct xml *latency)
{
    for (const struct xml_attribute *a = latency->attributes; a->name; a++) {
        double cycles;
        const bool counts = strstr(a->name, "cycles") && !strstr(a->name, "upper_bound");
        const bool number = text_parse_number(a->value, strlen(a->value), &cycles);
        if (counts && !(number && cycles >= 0 && cycles <= 1e4)) {
            return true;
        }
    }
    return false;
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void add_latency(struct machine_form *out, struct machine_latency l)
{
    for (int i = 0; i < out->n_latencies; i++) {
        struct machine_latency *have = &out->latencies[i];
        if (have->source == l.source && have->destination == l.destination &&
            same_name(have->source_name, l.source_name) &&
            same_name(have->destination_name, l.destination_name)) {
            *have = l.cycles < have->cycles ? l : *have;
            return;
        }
    }
    out->latencies[out->n_latencies++] = l;
}

/* Why a latency is not brought over, or NULL. */
static const char *read_latency(struct reader *r, const struct xml *l, const struct instruction *in,
                                struct machine_form *out)
{
    const struct operand *from = find_operand(in, l, "start_op");
    const struct operand *to = find_operand(in, l, "target_op");
    bool upper = false;
    if (!from || !to) {
        return "a latency of it is between operands that it does not have";
    }
    if (to->memory) {
        r->any_to_memory = true;
        return NULL;
    }
    struct machine_latency pair = latency_of_pair(l, from->memory, &upper, r->c->arena);
    if (isnan(pair.cycles)) {
        return has_wrong_cycles(l) ? "a latency of it is a sentinel (-1, 9.2e18) or no number"
               : upper             ? "a latency of it is only an upper limit"
                                   : NULL;
    }
    pair.source = from->position;
    pair.destination = to->position;
    pair.source_name = from->name;
    pair.destination_name = to->name;
    add_latency(out, pair);
    return NULL;
}

static void read_latencies(struct reader *r, const struct xml *measurement,
                           const struct instruction *in, struct machine_form *out)
{
    int n = 0;
    const char *said = NULL;
    for (const struct xml *l = measurement->child; l; l = l->next) {
        n++;
    }
    out->latencies = arena_new(r->c->arena, struct machine_latency, (size_t)n + 1);
    for (const struct xml *l = measurement->child; l; l = l->next) {
        const char *why = strcmp(l->name, "latency") == 0 ? read_latency(r, l, in, out) : NULL;
        if (why && why != said) {
            collect_part(r->c, why);
            said = why;
        }
    }
}

/* --- instructions -------------------------------------------------------------------------------
 */

/* With one register for all operands it executes nowhere and depends on nothing. */
static void read_zero_idiom(struct collect *c, const struct xml *measurement,
                            const struct instruction *in, int first_form)
{
    struct machine *m = c->machine;
    int readers = 0;
    bool free_of_all =
        number(measurement, "uops_same_reg") == 0 && !xml_get(measurement, "ports_same_reg");
    for (int i = 0; i < in->n; i++) {
        readers += in->operands[i].position > 0 && in->operands[i].reads && !in->operands[i].memory;
    }
    for (const struct xml *l = measurement->child; l; l = l->next) {
        const double cycles = number(l, "cycles_same_reg");
        free_of_all &= isnan(cycles) || cycles == 0;
    }
    if (!free_of_all || readers < 2) {
        return;
    }
    for (int i = first_form; i < m->n_forms; i++) {
        const char **list = arena_new(c->arena, const char *, (size_t)m->n_zero_idioms + 1);
        items_copy(list, m->zero_idioms, (size_t)m->n_zero_idioms, sizeof *list);
        list[m->n_zero_idioms++] = m->forms[i].form;
        m->zero_idioms = list;
        m->elimination_source = c->source;
    }
}

/* The least cycles that one took after the other; NaN: not measured. */
static double measured_cycles(const struct xml *measurement)
{
    const double loop = number(measurement, "TP_loop"),
                 unrolled = number(measurement, "TP_unrolled");
    return unrolled < loop || isnan(loop) ? unrolled : loop;
}

/* The divider's time is counted apart, and is never more than all of the instruction took. */
static const char *read_divider(struct collect *c, const struct xml *measurement,
                                struct machine_form *out, struct err *e)
{
    const double counted = number(measurement, "div_cycles");
    const double measured = measured_cycles(measurement);
    const double cycles = measured < counted ? measured : counted;
    const int port = cycles > 0 ? collect_port(c, "DIV", 3, c->loc, e) : 0;
    if (cycles > 0 && port >= 0) {
        collect_uop(c, out, cycles, (uint32_t)1 << port);
    }
    return port < 0 ? "there are too many ports" : NULL;
}

static const char *read_measurement(struct collect *c, const struct xml *measurement,
                                    struct machine_form *out, struct err *e)
{
    const char *why = insane(measurement), *ports = xml_get(measurement, "ports");
    if (why || !ports) {
        return why ? why : "its measurement has no ports";
    }
    out->has_uops = true;
    out->slots = read_slots(c, measurement);
    why = *ports ? read_ports(c, ports, out, e) : NULL;
    if (!why && measured_cycles(measurement) < collect_cycles(out) * 0.95 - 0.01) {
        why = "it was measured faster than its ports allow";
    }
    return why ? why : read_divider(c, measurement, out, e);
}

static bool take(const struct xml *element, void *context, struct err *e)
{
    struct reader *r = context;
    struct collect *c = r->c;
    const struct xml *measurement = NULL;
    const char *name = xml_get(element, "string");
    bool has_arch = false;
    for (const struct xml *a = element->child; a; a = a->next) {
        if (strcmp(a->name, "architecture") == 0) {
            has_arch = true;
            for (const struct xml *m = a->child; m && !measurement; m = m->next) {
                measurement = strcmp(m->name, "measurement") == 0 ? m : NULL;
            }
        }
    }
    r->date = element->parent && element->parent->parent ? xml_get(element->parent->parent, "date")
                                                         : NULL;
    if (!has_arch) {
        return true; /* an instruction that the core does not have */
    }
    struct machine_form like = {0};
    struct instruction in;
    collect_begin(c, element->loc, name ? name : "instruction");
    const int before = c->machine->n_forms;
    const char *why =
        measurement ? read_measurement(c, measurement, &like, e) : "nothing was measured of it";
    why = why ? why : read_operands(element, &in, c->arena);
    if (why) {
        collect_leave_out(c, why);
    } else {
        read_latencies(r, measurement, &in, &like);
        collect_row(c, &in.row, &like);
        read_zero_idiom(c, measurement, &in, before);
    }
    collect_end(c);
    return e->code == ERR_NONE;
}

static bool keep(const struct xml *element, void *context)
{
    struct reader *r = context;
    if (strcmp(element->name, "architecture") != 0) {
        return true;
    }
    const char *name = xml_get(element, "name");
    if (name && !names_add(&r->seen_archs, NULL, name, name)) {
        text_add(&r->archs, "%s%s", r->archs.len ? ", " : "", name);
    }
    const bool wanted = name && strcmp(name, r->c->wish->arch) == 0;
    r->any_arch |= wanted;
    return wanted;
}

bool import_uops_info(struct collect *c, struct bytes input, struct err *e)
{
    struct reader r = {.c = c, .archs = {.arena = c->arena}, .seen_archs = {.arena = c->arena}};
    const struct import_wish *wish = c->wish;
    const struct import_wish any = {wish->file, wish->format, wish->arch ? wish->arch : "",
                                    wish->date};
    const struct xml_want want = {"instruction", take, keep, &r};
    size_t n;
    c->wish = &any;
    collect_name(c, "uops.info", any.arch, "x86-64");
    const bool read = xml_each(input, wish->file, &want, c->arena, &n, e);
    c->wish = wish;
    if (!read) {
        return false;
    }
    if (!r.any_arch) {
        return err_set(e, ERR_RANGE, (struct loc){wish->file, 1, 1}, "%s%.40s; the file has %.150s",
                       wish->arch ? "--arch: no " : "--arch is needed",
                       wish->arch ? wish->arch : "",
                       r.archs.len ? r.archs.data : "no architecture");
    }
    if (r.date) {
        collect_note(c, "file_date", r.date);
    }
    const struct loc start = {wish->file, 1, 1};
    collect_remark(c, start, "", "uops.info does not state a dispatch_width");
    if (r.any_to_memory) {
        collect_remark(c, start, "", "latencies to memory are not brought over");
    }
    return true;
}
