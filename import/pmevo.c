#include "import/collect.h"
#include "import/foreign.h"

#include <ctype.h>
#include <string.h>

/* An instruction is its name and, after the first '_', operands with ',' between them, '_' for
 * blanks:
 *     ADD_((REG:RW:G:64)),_qword_ptr_[((MEM:64))_+_((MIMM:16))]       x86-64, Intel order
 *     _fmla_((REG:W:F:VEC)).4s,_((REG:R:F:VEC)).4s,_((REG:R:F:VEC)).s[1]       AArch64 REG has how
 * it is accessed, a class (G general, V or F vector) and bits; DIV is a general register. */

struct piece {
    const char *text;
    size_t len;
};

static bool begins(struct piece p, const char *start)
{
    return p.len >= strlen(start) && memcmp(p.text, start, strlen(start)) == 0;
}

/* Up to the next comma outside of brackets; blanks at both ends go. */
static struct piece next_operand(const char **rest)
{
    int depth = 0;
    const char *at = *rest;
    while (*at == '_') {
        at++;
    }
    const char *start = at;
    for (; *at && (*at != ',' || depth > 0); at++) {
        depth += (*at == '[') - (*at == ']');
    }
    struct piece p = {start, (size_t)(at - start)};
    while (p.len && p.text[p.len - 1] == '_') {
        p.len--;
    }
    *rest = *at ? at + 1 : at;
    return p;
}

/* "((REG:RW:G:64))": what the class table calls it, "G:64"; the text behind it is *after. */
static const char *const *read_register(struct piece p, bool a64, struct arena *a,
                                        struct piece *after)
{
    const char *end = memmem(p.text, p.len, "))", 2);
    const char *class = p.text + strlen("((REG:");
    if (!end || end < class) {
        return NULL;
    }
    const char *colon = memchr(class, ':', (size_t)(end - class));
    if (!colon) {
        return NULL;
    }
    *after = (struct piece){end + 2, p.len - (size_t)(end + 2 - p.text)};
    const char *word =
        arena_format(a, "%s%.*s", a64 ? "A:" : "", (int)(end - colon - 1), colon + 1);
    return notation_kinds(NOTATION_PMEVO, word, strlen(word));
}

static const char *const *one_kind(struct arena *a, const char *kind)
{
    const char **kinds = arena_new(a, const char *, 2);
    kinds[0] = kind;
    return kinds;
}

static const char *const *read_x86(struct piece p, struct arena *a)
{
    struct piece after;
    if (begins(p, "((REG:")) {
        return read_register(p, false, a, &after);
    }
    if (begins(p, "((DIV:")) {
        const char *end = memmem(p.text, p.len, "))", 2);
        const char *word =
            end ? arena_format(a, "G:%.*s", (int)(end - p.text - 6), p.text + 6) : "";
        return notation_kinds(NOTATION_PMEVO, word, strlen(word));
    }
    if (begins(p, "((IMM:")) {
        return notation_kinds(NOTATION_PMEVO, "immediate", 9);
    }
    if (begins(p, "[")) {
        return notation_kinds(NOTATION_PMEVO, "address", 7);
    }
    const char *bracket = memmem(p.text, p.len, "_[", 2);
    return bracket ? notation_kinds(NOTATION_PMEVO, p.text, (size_t)(bracket - p.text)) : NULL;
}

/* A vector register has its lanes behind it; shifts and extensions are written out. */
static const char *const *read_a64(struct piece p, struct arena *a)
{
    struct piece after = {"", 0};
    if (begins(p, "((REG:")) {
        const char *const *kinds = read_register(p, true, a, &after);
        const bool vector = memmem(p.text, p.len, ":F:VEC))", 8) != NULL &&
                            memmem(p.text, p.len, "))", 2) != NULL && after.len > 1;
        return vector ? one_kind(a, arena_format(a, "v%.*s", (int)after.len, after.text)) : kinds;
    }
    if (begins(p, "[")) {
        return notation_kinds(NOTATION_PMEVO, "memory", 6);
    }
    size_t word = 0; /* of a shift, without its amount */
    while (word < p.len && isalpha((unsigned char)p.text[word])) {
        word++;
    }
    const char *const *shift = notation_kinds(NOTATION_SHIFT, p.text, word);
    if (shift) {
        return shift;
    }
    const bool number =
        p.len && (*p.text == '#' || *p.text == '-' || isdigit((unsigned char)*p.text));
    return number ? notation_kinds(NOTATION_PMEVO, "immediate", 9) : NULL;
}

static bool read_name(struct collect *c, const char *name, bool a64, struct notation *row)
{
    const char *start = name + (a64 && *name == '_');
    const size_t mnemonic = strcspn(start, "_");
    const char *rest = start + mnemonic;
    *row = (struct notation){.arch = a64 ? ARCH_AARCH64 : ARCH_X86_64};
    row->mnemonic = arena_copy(c->arena, start, mnemonic);
    while (*rest) {
        const struct piece p = next_operand(&rest);
        if (row->n == NOTATION_OPERANDS_MAX) {
            return false;
        }
        struct notation_operand *o = &row->operands[row->n++];
        o->kinds = a64 ? read_a64(p, c->arena) : read_x86(p, c->arena);
        if (!o->kinds) {
            return false;
        }
    }
    return true;
}

/* A list of ports as a set; 0 and *e. */
static uint32_t read_ports(struct collect *c, const struct yml *list, struct err *e)
{
    uint32_t ports = 0;
    if (!yml_is(list, YML_LIST, e)) {
        return 0;
    }
    for (const struct yml *node = list->child; node; node = node->next) {
        const char *name;
        if (!yml_text(node, &name, e)) {
            return 0;
        }
        const uint32_t bit = collect_port_bit(c, name, strlen(name));
        if (!bit) {
            err_set(e, ERR_SCHEMA, node->loc, "port '%.40s' is not among arch.ports", name);
            return 0;
        }
        ports |= bit;
    }
    return ports ? ports : (err_set(e, ERR_SCHEMA, list->loc, "a uop without a port"), (uint32_t)0);
}

/* Mapping3: a list of uops, each a list of ports.  Mapping2: one uop, so a list of ports. */
static bool read_uops(struct collect *c, const struct yml *node, bool three,
                      struct machine_form *out, struct err *e)
{
    out->has_uops = true;
    out->slots = 1;
    if (!yml_is(node, YML_LIST, e)) {
        return false;
    }
    for (const struct yml *uop = three ? node->child : node; uop; uop = uop->next) {
        const uint32_t ports = read_ports(c, uop, e);
        if (!ports) {
            return false;
        }
        collect_uop(c, out, 1, ports);
        if (!three) {
            break;
        }
    }
    return true;
}

static bool read_assignment(struct collect *c, const struct yml *map, bool a64, bool three,
                            struct err *e)
{
    for (const struct yml *node = map->child; node; node = node->next) {
        struct machine_form like = {0};
        struct notation row;
        collect_begin(c, node->key_loc, node->key);
        if (!read_uops(c, node, three, &like, e)) {
            return false;
        }
        if (like.n_uops == 0) {
            collect_leave_out(c, "its list of uops is empty, which may mean unknown");
        } else if (!read_name(c, node->key, a64, &row)) {
            collect_leave_out(c, "an operand of it is of no known class");
        } else {
            collect_row(c, &row, &like);
        }
        collect_end(c);
    }
    return true;
}

/* Instructions that the architecture lists and the mapping does not assign. */
static bool remark_unassigned(struct collect *c, const struct yml *insns, const struct yml *map,
                              struct err *e)
{
    struct names assigned = {.arena = c->arena};
    if (insns && !yml_is(insns, YML_LIST, e)) {
        return false;
    }
    for (const struct yml *node = map->child; node; node = node->next) {
        names_add(&assigned, NULL, node->key, node);
    }
    for (const struct yml *node = insns ? insns->child : NULL; node; node = node->next) {
        if (node->kind == YML_SCALAR && !names_find(&assigned, NULL, node->text)) {
            collect_begin(c, node->loc, node->text);
            collect_leave_out(c, "it is listed, and assigned to no port");
            collect_end(c);
        }
    }
    return true;
}

bool import_pmevo(struct collect *c, struct bytes input, struct err *e)
{
    static const char *const kinds[] = {"Mapping2", "Mapping3", NULL};
    struct yml_foreign foreign = {.language = "JSON"};
    const struct yml *root = yml_read_foreign(input, c->wish->file, &foreign, c->arena, e);
    const int kind = root ? yml_choice(yml_need(root, "kind", e), kinds, e) : -1;
    const struct yml *arch = kind >= 0 ? foreign_need(root, "arch", YML_MAP, e) : NULL;
    const struct yml *ports = arch ? foreign_need(arch, "ports", YML_LIST, e) : NULL;
    const struct yml *map = ports ? foreign_need(root, "assignment", YML_MAP, e) : NULL;
    if (!map) {
        return false;
    }
    const struct yml *named = yml_find(arch, "name");
    const char *name = foreign_text(arch, "name");
    const bool a64 = map->child && map->child->key[0] == '_';
    name = name && *name ? name : "unnamed";
    if (!collect_arch(c, name, named ? named->loc : arch->loc, e)) {
        return false;
    }
    collect_name(c, "PMEvo port mapping", name, a64 ? "aarch64" : "x86-64");
    for (const struct yml *node = ports->child; node; node = node->next) {
        const char *port;
        if (!yml_text(node, &port, e) || collect_port(c, port, strlen(port), node->loc, e) < 0) {
            return false;
        }
    }
    collect_remark(c, root->loc, "", "PMEvo infers ports without a front end: no dispatch_width");
    collect_remark(c, root->loc, "", "PMEvo's mapping has no latencies");
    return read_assignment(c, map, a64, kind == 1, e) &&
           remark_unassigned(c, yml_find(arch, "insns"), map, e);
}
