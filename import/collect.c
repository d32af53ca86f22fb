#include "import/collect.h"

#include "base/items.h"
#include "formats/machine_fields.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- names --------------------------------------------------------------------------------------
 */

/* Lower case, letters, digits and '-': a name for --machine. */
static char *simple_name(struct arena *a, const char *text)
{
    char *name = arena_copy(a, text, strlen(text));
    for (char *c = name; *c; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    }
    return name;
}

void collect_name(struct collect *c, const char *tool, const char *arch, const char *isa)
{
    struct machine *m = c->machine;
    const char *base = strrchr(c->wish->file, '/');
    c->out->tool = tool;
    m->isa = isa;
    m->name = arena_format(c->arena, "%s-%s", simple_name(c->arena, arch), c->out->format);
    c->source = arena_format(c->arena, "%s, %s (%s), imported %s", tool, arch,
                             base ? base + 1 : c->wish->file, c->wish->date);
    m->core_source = c->source;
    collect_note(c, "imported_from", arena_format(c->arena, "%s, %s", tool, arch));
    collect_note(c, "file", base ? base + 1 : c->wish->file);
    collect_note(c, "date", c->wish->date);
}

bool collect_arch(const struct collect *c, const char *has, struct loc loc, struct err *e)
{
    return !c->wish->arch || strcasecmp(c->wish->arch, has) == 0 ||
           err_set(e, ERR_RANGE, loc, "--arch: the file describes '%.40s', not '%.40s'", has,
                   c->wish->arch);
}

void collect_note(struct collect *c, const char *key, const char *text)
{
    struct machine *m = c->machine;
    m->provenance = arena_grow(c->arena, m->provenance, (size_t)m->n_provenance, &c->notes_capacity,
                               sizeof *m->provenance);
    m->provenance[m->n_provenance++] = (struct machine_note){key, *text ? text : "unknown"};
}

/* Port names have letters, digits, '_' and '.'; llvm-mca 14 numbers units by a character of that
 * value. */
static const char *port_name(struct arena *a, const char *name, size_t len)
{
    struct text t = {.arena = a};
    for (size_t i = 0; i < len; i++) {
        const unsigned char ch = (unsigned char)name[i];
        if (ch < 32) {
            text_add(&t, "%u", ch);
        } else {
            text_add(&t, "%c", isalnum(ch) || ch == '.' ? ch : '_');
        }
    }
    return t.data ? t.data : "_";
}

int collect_port(struct collect *c, const char *name, size_t len, struct loc loc, struct err *e)
{
    struct machine *m = c->machine;
    const char *own = port_name(c->arena, name, len);
    int *index = arena_new(c->arena, int, 1);
    *index = m->n_ports;
    const int *before = names_find(&c->seen, &m->ports, own);
    if (before) {
        return *before;
    }
    if (m->n_ports == MACHINE_PORTS_MAX) {
        err_set(e, ERR_RANGE, loc, "more than %d ports", MACHINE_PORTS_MAX);
        return -1;
    }
    names_add(&c->seen, &m->ports, own, index);
    m->ports[m->n_ports++] = own;
    return *index;
}

uint32_t collect_port_bit(const struct collect *c, const char *name, size_t len)
{
    const int *port = names_find(&c->seen, &c->machine->ports, port_name(c->arena, name, len));
    return port ? (uint32_t)1 << *port : 0;
}

int collect_resource(struct collect *c, const char *name, struct loc loc, struct err *e)
{
    struct machine *m = c->machine;
    const int *before = names_find(&c->seen, &m->resources, name);
    if (before) {
        return *before;
    }
    if (m->n_resources == MACHINE_RESOURCES_MAX || *name == '\0') {
        err_set(e, ERR_RANGE, loc, *name ? "more than %d resources" : "a resource without a name",
                MACHINE_RESOURCES_MAX);
        return -1;
    }
    m->resources = arena_grow(c->arena, (void *)m->resources, (size_t)m->n_resources,
                              &c->resources_capacity, sizeof *m->resources);
    int *index = arena_new(c->arena, int, 1);
    *index = m->n_resources;
    names_add(&c->seen, &m->resources, name, index);
    m->resources[m->n_resources++] = name;
    return *index;
}

/* --- remarks ------------------------------------------------------------------------------------
 */

static void add_remark(struct collect *c, struct import_remark remark)
{
    struct imported *o = c->out;
    o->remarks =
        arena_grow(c->arena, o->remarks, o->n_remarks, &c->remarks_capacity, sizeof *o->remarks);
    o->remarks[o->n_remarks++] = remark;
}

void collect_remark(struct collect *c, struct loc loc, const char *what, const char *why)
{
    add_remark(c, (struct import_remark){loc, false, what, why});
}

void collect_part(struct collect *c, const char *why)
{
    add_remark(c, (struct import_remark){c->loc, false, c->what, why});
}

void collect_leave_out(struct collect *c, const char *why)
{
    if (!c->left_out) {
        c->left_out = true;
        c->out->n_left_out++;
        add_remark(c, (struct import_remark){c->loc, true, c->what, why});
    }
}

/* --- entries ------------------------------------------------------------------------------------
 */

void collect_begin(struct collect *c, struct loc loc, const char *what)
{
    c->loc = loc;
    c->what = what;
    c->n_new = c->n_same = c->n_other = 0;
    c->other = NULL;
    c->left_out = false;
    c->out->n_entries++;
}

static bool same_uops(const struct machine_form *a, const struct machine_form *b)
{
    bool same = a->n_uops == b->n_uops && a->n_uses == b->n_uses && a->slots == b->slots;
    for (int i = 0; i < a->n_uops && same; i++) {
        same = a->uops[i].count == b->uops[i].count && a->uops[i].ports == b->uops[i].ports;
    }
    for (int i = 0; i < a->n_uses && same; i++) {
        same = a->uses[i].resource == b->uses[i].resource && a->uses[i].cycles == b->uses[i].cycles;
    }
    return same;
}

void collect_form(struct collect *c, const char *form, const struct machine_form *like)
{
    struct machine *m = c->machine;
    const int *known = names_find(&c->seen, &m->forms, form);
    const struct machine_form *before = known ? &m->forms[*known] : NULL;
    if (before) {
        const bool same = same_uops(before, like);
        c->n_same += same;
        c->n_other += !same;
        c->other = same ? c->other : before;
        return;
    }
    int *index = arena_new(c->arena, int, 1);
    *index = m->n_forms;
    m->forms =
        arena_grow(c->arena, m->forms, (size_t)m->n_forms, &c->forms_capacity, sizeof *m->forms);
    struct machine_form *f = &m->forms[m->n_forms++];
    *f = *like;
    f->form = form;
    f->source = c->source;
    f->doubt = NAN;
    f->loc = c->loc;
    names_add(&c->seen, &m->forms, form, index);
    c->n_new++;
}

/* The ranges of a machine file (formats/machine.c), which sums of the source's figures may
 * leave. */
static bool is_sane(const struct machine_form *f)
{
    bool sane = f->slots >= 0 && f->slots <= 256;
    for (int i = 0; i < f->n_uops; i++) {
        sane &= f->uops[i].count > 0 && f->uops[i].count <= 1e4;
    }
    for (int i = 0; i < f->n_uses; i++) {
        sane &= f->uses[i].cycles >= 0 && f->uses[i].cycles <= 1e6;
    }
    return sane;
}

void collect_row(struct collect *c, const struct notation *row, const struct machine_form *like)
{
    struct notation_forms forms = {0};
    const enum notation_failure failure = notation_expand(row, c->arena, &forms);
    if (!is_sane(like)) {
        collect_leave_out(c, "its uops or cycles are more than can be right");
        return;
    }
    if (failure) {
        collect_leave_out(c, notation_failures[failure]);
    }
    for (int i = 0; i < forms.n; i++) {
        collect_form(c, forms.list[i], like);
    }
}

void collect_end(struct collect *c)
{
    if (c->n_new == 0 && c->n_other > 0 && !c->left_out) {
        c->what = arena_format(c->arena, "%s (line %u)", c->what, c->other->loc.line);
        collect_leave_out(c, "an earlier entry says something else of its forms");
    }
}

/* --- uops ---------------------------------------------------------------------------------------
 */

void collect_uop(struct collect *c, struct machine_form *f, double count, uint32_t ports)
{
    for (int i = 0; i < f->n_uops; i++) {
        if (f->uops[i].ports == ports) {
            f->uops[i].count += count;
            return;
        }
    }
    struct machine_uop *more = arena_new(c->arena, struct machine_uop, (size_t)f->n_uops + 1);
    items_copy(more, f->uops, (size_t)f->n_uops, sizeof *more);
    more[f->n_uops++] = (struct machine_uop){count, ports};
    f->uops = more;
}

double collect_cycles(const struct machine_form *f)
{
    double most = 0;
    const int n = f->n_uops < 10 ? f->n_uops : 10; /* all unions of ten sets are a thousand */
    for (unsigned chosen = 1; chosen < 1u << n; chosen++) {
        uint32_t ports = 0;
        double load = 0;
        for (int i = 0; i < n; i++) {
            ports |= chosen >> i & 1 ? f->uops[i].ports : 0;
        }
        for (int i = 0; i < f->n_uops; i++) {
            load += (f->uops[i].ports & ~ports) == 0 ? f->uops[i].count : 0;
        }
        const double cycles = load / __builtin_popcount(ports);
        most = cycles > most ? cycles : most;
    }
    return most;
}
