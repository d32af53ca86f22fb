#include "import/collect.h"
#include "import/foreign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* An instruction is its XED name and its operands with '_' between them:
 *     VADDPD_VR256f64x4_VR256f64x4_MEM64f64x4       CMPSD_XMM_VR128f64_VR128f64_IMMu8       CDQ
 * A register has its width and what it holds, memory the width of its address and what is
 * accessed. */

/* MEM64f64x4, MEM64u8: bits of the access, or 0. */
static int memory_bits(const char *word, size_t len)
{
    size_t at = 3;
    while (at < len && isdigit((unsigned char)word[at])) {
        at++;
    }
    while (at < len && isalpha((unsigned char)word[at])) {
        at++;
    }
    char *end;
    const long bits = at < len ? strtol(word + at, &end, 10) : 0;
    if (bits <= 0 || bits > 512) {
        return 0;
    }
    const long times = *end == 'x' ? strtol(end + 1, &end, 10) : 1;
    return end == word + len && times > 0 && times <= 64 ? (int)(bits * times) : 0;
}

static const char *const *read_operand(const char *word, size_t len)
{
    const bool memory = len > 3 && memcmp(word, "MEM", 3) == 0;
    return memory ? notation_memory(memory_bits(word, len))
                  : notation_kinds(NOTATION_PALMED, word, len);
}

static bool read_name(struct collect *c, const char *name, struct notation *row)
{
    size_t len = strcspn(name, "_");
    *row = (struct notation){.arch = ARCH_X86_64};
    row->mnemonic = arena_copy(c->arena, name, len);
    for (const char *at = name + len; *at; at += len) {
        at++;
        len = strcspn(at, "_");
        if (row->n == 0 && len == 3 && memcmp(at, "XMM", 3) == 0) {
            continue; /* CMPSD_XMM and MOVSD_XMM are not the string instructions */
        }
        if (row->n == NOTATION_OPERANDS_MAX) {
            return false;
        }
        row->operands[row->n].kinds = read_operand(at, len);
        if (!row->operands[row->n++].kinds) {
            return false;
        }
    }
    return true;
}

/* [[cycles, "resource"], ...]; the same resource twice adds up. */
static bool read_uses(struct collect *c, const struct yml *list, struct machine_form *out,
                      struct err *e)
{
    out->slots = 1;
    out->uses = arena_new(c->arena, struct machine_use, (size_t)list->n_children);
    for (const struct yml *node = list->child; node; node = node->next) {
        const char *name;
        double cycles;
        if (!yml_is(node, YML_LIST, e)) {
            return false;
        }
        if (node->n_children != 2) {
            return err_set(e, ERR_SCHEMA, node->loc, "[cycles, resource] is needed");
        }
        if (!yml_number(node->child, 0, 1e6, &cycles, e) ||
            !yml_text(node->child->next, &name, e)) {
            return false;
        }
        const int resource = collect_resource(c, name, node->loc, e);
        if (resource < 0) {
            return false;
        }
        int k = 0;
        while (k < out->n_uses && out->uses[k].resource != resource) {
            k++;
        }
        out->n_uses += k == out->n_uses;
        out->uses[k].resource = resource;
        out->uses[k].cycles += cycles;
    }
    return true;
}

/* The uses of a class, read when it is first asked for. */
static const struct machine_form *class_uses(struct collect *c, const struct yml *classes,
                                             struct names *known, const char *class, struct err *e)
{
    const struct machine_form *before = names_find(known, classes, class);
    const struct yml *node = before ? NULL : names_find(known, NULL, class);
    const struct yml *list = node ? foreign_need(node, "resource_use", YML_LIST, e) : NULL;
    struct machine_form *uses = list ? arena_new(c->arena, struct machine_form, 1) : NULL;
    if (!uses || !read_uses(c, list, uses, e)) {
        return before;
    }
    names_add(known, classes, class, uses);
    return uses;
}

static void read_instruction(struct collect *c, const struct yml *node,
                             const struct machine_form *uses)
{
    struct notation row;
    if (!uses) {
        collect_leave_out(c, "its class is not in class_to_resources");
    } else if (uses->n_uses == 0) {
        collect_leave_out(c, "its class uses no resource, which may mean unknown");
    } else if (!read_name(c, node->key, &row)) {
        collect_leave_out(c, "an operand of it is of no known class");
    } else {
        collect_row(c, &row, uses);
    }
}

bool import_palmed(struct collect *c, struct bytes input, struct err *e)
{
    struct yml_foreign foreign = {.language = "JSON"};
    struct names known = {.arena = c->arena};
    const struct yml *root = yml_read_foreign(input, c->wish->file, &foreign, c->arena, e);
    const struct yml *map = root ? foreign_need(root, "instr_to_class", YML_MAP, e) : NULL;
    const struct yml *classes = map ? foreign_need(root, "class_to_resources", YML_MAP, e) : NULL;
    if (!classes) {
        return false;
    }
    collect_name(c, "PALMED resource mapping", c->wish->arch ? c->wish->arch : "unnamed", "x86-64");
    collect_remark(c, root->loc, "", "PALMED's mapping has no latencies");
    for (const struct yml *node = classes->child; node; node = node->next) {
        names_add(&known, NULL, node->key, node);
    }
    for (const struct yml *node = map->child; node; node = node->next) {
        const char *class;
        if (!yml_text(node, &class, e)) {
            return false;
        }
        const struct machine_form *uses = class_uses(c, classes, &known, class, e);
        if (e->code) {
            return false;
        }
        collect_begin(c, node->key_loc, node->key);
        read_instruction(c, node, uses);
        collect_end(c);
    }
    return true;
}
