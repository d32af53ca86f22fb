#include "formats/machine.h"

#include "base/items.h"
#include "base/names.h"
#include "base/text.h"
#include "formats/machine_fields.h"

#include <math.h>
#include <string.h>

/* What the parts of a file need of each other while they are read. */
struct reader {
    struct machine *m;
    struct arena *a;
    const struct yml *root, *sources;
    struct names seen;       /* scope: the array that must not hold a thing twice */
    bool collects_resources; /* no resource_names: names count as they appear */
    size_t resources_capacity;
};

/* --- sources ------------------------------------------------------------------------------------
 */

/* An entry's own source, or that of its group; every number has one. */
static bool need_source(const struct reader *r, const struct yml *entry, const char *group,
                        const char **source, struct err *e)
{
    if (*source) {
        return true;
    }
    const struct yml *node = r->sources ? yml_find(r->sources, group) : NULL;
    return node ? yml_text(node, source, e)
                : err_set(e, ERR_SCHEMA, entry->loc,
                          "a source is needed: here, or at the top as sources: {%s: ...}", group);
}

static bool read_sources(struct reader *r, struct err *e)
{
    r->sources = yml_find(r->root, "sources");
    return !r->sources || yml_done(r->sources, machine_source_groups, e);
}

/* --- identity -----------------------------------------------------------------------------------
 */

static bool read_models(const struct yml *node, struct machine_match *match, struct err *e)
{
    if (!yml_is(node, YML_LIST, e)) {
        return false;
    }
    if (node->n_children != 2) {
        return err_set(e, ERR_SCHEMA, node->loc, "models: [first, last] is needed");
    }
    return yml_integer(node->child, 0, 255, &match->model_first, e) &&
           yml_integer(node->child->next, match->model_first, 255, &match->model_last, e);
}

static bool read_match(const struct yml *node, void *item, void *context, struct err *e)
{
    const struct reader *r = context;
    struct machine_match *match = item;
    const bool x86 = strcmp(r->m->isa, "x86-64") == 0;
    *match = (struct machine_match){NULL, -1, -1, -1, -1, -1};
    return fields_read(node, x86 ? machine_match_x86_fields : machine_match_aarch64_fields, match,
                       e) &&
           (!x86 || read_models(yml_find(node, "models"), match, e));
}

/* One map or a list of them. */
static bool read_matches(struct reader *r, struct err *e)
{
    struct machine *m = r->m;
    const struct yml *node = yml_find(r->root, "match");
    if (node && node->kind == YML_MAP) {
        m->matches = arena_new(r->a, struct machine_match, 1);
        m->n_matches = 1;
        return read_match(node, m->matches, r, e);
    }
    const struct field_list what = {sizeof *m->matches, read_match, r};
    m->matches = fields_list(node, what, r->a, &m->n_matches, e);
    return m->matches != NULL;
}

static bool read_clock(struct reader *r, struct err *e)
{
    const struct yml *node = yml_find(r->root, "clock_hz");
    return !node || fields_read(node, machine_clock_fields, r->m, e);
}

static bool read_cache(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct machine_cache *cache = item;
    cache->loc = node->loc;
    if (!fields_read(node, machine_cache_fields, cache, e)) {
        return false;
    }
    return names_add(&r->seen, &r->m->caches, cache->name, cache)
               ? err_set(e, ERR_SCHEMA, node->loc, "cache '%.20s' given twice", cache->name)
               : need_source(r, node, "caches", &cache->source, e);
}

/* --- core ---------------------------------------------------------------------------------------
 */

static bool is_port_name(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
           strlen(text);
}

/* Index of a port, or -1. */
static int port_named(const struct machine *m, const char *name, size_t len)
{
    for (int i = 0; i < m->n_ports; i++) {
        if (strlen(m->ports[i]) == len && memcmp(m->ports[i], name, len) == 0) {
            return i;
        }
    }
    return -1;
}

static bool unknown_port(const struct machine *m, struct loc loc, const char *name, size_t len,
                         struct err *e)
{
    const char *names[MACHINE_PORTS_MAX + 1] = {NULL};
    char list[140];
    items_copy(names, m->ports, (size_t)m->n_ports, sizeof *names);
    return err_set(e, ERR_SCHEMA, loc, "unknown port '%.*s'; %s%s", (int)(len < 30 ? len : 30),
                   name, m->n_ports ? "the ports are " : "core has no ports",
                   text_join(names, list, sizeof list));
}

static bool read_ports(struct reader *r, const struct yml *list, struct err *e)
{
    struct machine *m = r->m;
    if (!list) {
        return true;
    }
    if (!yml_is(list, YML_LIST, e)) {
        return false;
    }
    for (const struct yml *node = list->child; node; node = node->next) {
        const char *name;
        if (!yml_text(node, &name, e)) {
            return false;
        }
        if (m->n_ports == MACHINE_PORTS_MAX) {
            return err_set(e, ERR_RANGE, node->loc, "more than %d ports", MACHINE_PORTS_MAX);
        }
        if (!is_port_name(name)) {
            return err_set(e, ERR_SCHEMA, node->loc,
                           "'%.30s' is no port name; letters, digits, _ and . are fine", name);
        }
        if (port_named(m, name, strlen(name)) >= 0) {
            return err_set(e, ERR_SCHEMA, node->loc, "port '%.30s' given twice", name);
        }
        m->ports[m->n_ports++] = name;
    }
    return true;
}

static bool read_load_ports(struct reader *r, const struct yml *list, struct err *e)
{
    if (list && !yml_is(list, YML_LIST, e)) {
        return false;
    }
    for (const struct yml *node = list ? list->child : NULL; node; node = node->next) {
        const char *name;
        if (!yml_text(node, &name, e)) {
            return false;
        }
        const int port = port_named(r->m, name, strlen(name));
        if (port < 0) {
            return unknown_port(r->m, node->loc, name, strlen(name), e);
        }
        r->m->load_ports |= (uint32_t)1 << port;
    }
    return true;
}

static bool read_write_allocate(struct reader *r, const struct yml *node, struct err *e)
{
    static const char *const names[] = {"false", "true", "unknown", NULL};
    r->m->write_allocate = -1;
    if (!node) {
        return true;
    }
    const int i = yml_choice(node, names, e);
    r->m->write_allocate = i == 2 ? -1 : i;
    return i >= 0;
}

static bool read_core(struct reader *r, struct err *e)
{
    struct machine *m = r->m;
    const struct yml *core = yml_find(r->root, "core");
    if (!core) {
        return true;
    }
    if (!fields_read(core, machine_core_fields, m, e)) {
        return false;
    }
    const struct yml *width = yml_find(core, "dispatch_width");
    m->dispatch_width_loc = width ? width->loc : core->loc;
    return read_ports(r, yml_find(core, "ports"), e) &&
           read_load_ports(r, yml_find(core, "load_ports"), e) &&
           read_write_allocate(r, yml_find(core, "write_allocate"), e);
}

static bool read_eliminations(struct reader *r, struct err *e)
{
    struct machine *m = r->m;
    const struct field_list what = {sizeof *m->zero_idioms, fields_text_item, NULL};
    const struct yml *idioms = yml_find(r->root, "zero_idioms");
    const struct yml *moves = yml_find(r->root, "eliminated_moves");
    m->zero_idioms = fields_list(idioms, what, r->a, &m->n_zero_idioms, e);
    if (!m->zero_idioms) {
        return false;
    }
    m->eliminated_moves = fields_list(moves, what, r->a, &m->n_eliminated_moves, e);
    if (!m->eliminated_moves) {
        return false;
    }
    return (m->n_zero_idioms == 0 && m->n_eliminated_moves == 0) ||
           need_source(r, idioms ? idioms : moves, "elimination", &m->elimination_source, e);
}

/* --- instructions -------------------------------------------------------------------------------
 */

/* The port set after the '*' of "1*FP0|FP1". */
static bool read_port_set(const struct machine *m, const struct yml *node, const char *text,
                          uint32_t *ports, struct err *e)
{
    for (;;) {
        const size_t len = strcspn(text, "|");
        const int port = port_named(m, text, len);
        if (port < 0) {
            return unknown_port(m, node->loc, text, len, e);
        }
        const uint32_t bit = (uint32_t)1 << port;
        if (*ports & bit) {
            return err_set(e, ERR_SCHEMA, node->loc, "port '%.30s' twice in one set",
                           m->ports[port]);
        }
        *ports |= bit;
        if (text[len] == '\0') {
            return true;
        }
        text += len + 1;
    }
}

static bool read_uop(const struct yml *node, void *item, void *context, struct err *e)
{
    const struct reader *r = context;
    struct machine_uop *uop = item;
    const char *text;
    if (!yml_text(node, &text, e)) {
        return false;
    }
    const char *star = strchr(text, '*');
    if (!star || !text_parse_number(text, (size_t)(star - text), &uop->count)) {
        return err_set(e, ERR_SCHEMA, node->loc,
                       "'%.60s' is not COUNT*PORT|PORT, as 1*P0|P1 or 2.5*DIV", text);
    }
    if (!(uop->count > 0 && uop->count <= 1e4)) {
        return err_set(e, ERR_RANGE, node->loc, "%.60s: a count is more than 0, at most 10000",
                       text);
    }
    return read_port_set(r->m, node, star + 1, &uop->ports, e);
}

struct machine_latency machine_latency(int source, int destination, double cycles)
{
    return (struct machine_latency){.source = source,
                                    .destination = destination,
                                    .cycles = cycles,
                                    .least_cycles = NAN,
                                    .most_cycles = NAN,
                                    .fast_cycles = NAN,
                                    .same_register_cycles = NAN,
                                    .spread = NAN};
}

static bool read_latency(const struct yml *node, void *item, void *context, struct err *e)
{
    (void)context;
    return fields_read(node, machine_latency_fields, item, e);
}

/* A number for every pair of operands, or a list of {from, to, cycles}. */
static bool read_latencies(struct reader *r, const struct yml *node, struct machine_form *form,
                           struct err *e)
{
    if (node && node->kind == YML_SCALAR) {
        form->latencies = arena_new(r->a, struct machine_latency, 1);
        form->n_latencies = 1;
        *form->latencies = machine_latency(0, 0, 0);
        return yml_number(node, 0, MACHINE_LATENCY_MAX, &form->latencies->cycles, e);
    }
    const struct field_list what = {sizeof *form->latencies, read_latency, NULL};
    form->latencies = fields_list(node, what, r->a, &form->n_latencies, e);
    return form->latencies != NULL;
}

static bool is_form(const struct yml *node, const char *form, struct err *e)
{
    return strlen(form) <= MACHINE_FORM_LEN_MAX ||
           err_set(e, ERR_RANGE, node->loc, "form: longer than %d characters",
                   MACHINE_FORM_LEN_MAX);
}

static bool given_twice(const struct yml *node, const char *form, struct loc first, struct err *e)
{
    return err_set(e, ERR_SCHEMA, node->loc, "form '%.90s' given twice; first on line %u", form,
                   first.line);
}

static bool read_instruction(struct reader *r, const struct yml *node, struct machine_form *form,
                             struct err *e)
{
    form->loc = node->loc;
    form->doubt = (double)NAN;
    if (!fields_read(node, machine_instruction_fields, form, e) || !is_form(node, form->form, e) ||
        !need_source(r, node, "instructions", &form->source, e)) {
        return false;
    }
    const struct machine_form *before = names_add(&r->seen, &r->m->forms, form->form, form);
    if (before) {
        return given_twice(node, form->form, before->loc, e);
    }
    const struct yml *uops = yml_find(node, "uops");
    const struct field_list what = {sizeof *form->uops, read_uop, r};
    form->has_uops = uops != NULL;
    form->uops = fields_list(uops, what, r->a, &form->n_uops, e);
    if (!form->uops || !read_latencies(r, yml_find(node, "latency_cycles"), form, e)) {
        return false;
    }
    const bool by_resources = yml_find(r->root, "resources") != NULL;
    const bool says_more = form->n_latencies > 0 || form->slots != 1;
    return form->has_uops || (by_resources && says_more) ||
           err_set(e, ERR_SCHEMA, node->loc,
                   "key 'uops' is missing; [] where the form executes on no port");
}

static bool read_fusion(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct machine_fusion *fusion = item;
    fusion->loc = node->loc;
    if (!fields_read(node, machine_fusion_fields, fusion, e) ||
        !need_source(r, node, "fusion", &fusion->source, e)) {
        return false;
    }
    const struct field_list what = {sizeof *fusion->uops, read_uop, r};
    fusion->uops = fields_list(yml_find(node, "uops"), what, r->a, &fusion->n_uops, e);
    return fusion->uops != NULL;
}

/* --- resources ----------------------------------------------------------------------------------
 */

/* Index of a resource, new names counted as they come where the file has no list of them. */
static int resource_named(struct reader *r, const struct yml *node, const char *name, bool may_add,
                          struct err *e)
{
    struct machine *m = r->m;
    const int *known = names_find(&r->seen, &m->resources, name);
    if (known) {
        return *known;
    }
    if (!may_add) {
        err_set(e, ERR_SCHEMA, node->key_loc, "resource '%.60s' is not among resource_names", name);
        return -1;
    }
    if (m->n_resources == MACHINE_RESOURCES_MAX) {
        err_set(e, ERR_RANGE, node->loc, "more than %d resources", MACHINE_RESOURCES_MAX);
        return -1;
    }
    m->resources = arena_grow(r->a, (void *)m->resources, (size_t)m->n_resources,
                              &r->resources_capacity, sizeof *m->resources);
    m->resources[m->n_resources] = name;
    int *index = arena_new(r->a, int, 1);
    *index = m->n_resources++;
    names_add(&r->seen, &m->resources, name, index);
    return *index;
}

static bool read_resource_names(struct reader *r, struct err *e)
{
    const struct yml *list = yml_find(r->root, "resource_names");
    r->collects_resources = !list;
    if (!list) {
        return true;
    }
    if (!yml_is(list, YML_LIST, e)) {
        return false;
    }
    for (const struct yml *node = list->child; node; node = node->next) {
        const char *name;
        const int n = r->m->n_resources;
        if (!yml_text(node, &name, e) || resource_named(r, node, name, true, e) < 0) {
            return false;
        }
        if (r->m->n_resources == n) {
            return err_set(e, ERR_SCHEMA, node->loc, "resource '%.60s' given twice", name);
        }
    }
    return true;
}

static bool read_uses(struct reader *r, const struct yml *map, struct machine_form *form,
                      struct err *e)
{
    if (!yml_is(map, YML_MAP, e)) {
        return false;
    }
    form->uses = arena_new(r->a, struct machine_use, (size_t)map->n_children);
    for (const struct yml *node = map->child; node; node = node->next) {
        struct machine_use *use = &form->uses[form->n_uses++];
        use->resource = resource_named(r, node, node->key, r->collects_resources, e);
        if (use->resource < 0 || !yml_number(node, 0, 1e6, &use->cycles, e)) {
            return false;
        }
    }
    return true;
}

/* Adds the uses of one entry to the form the instructions gave already, or as a form of its own. */
static bool read_resource_form(struct reader *r, const struct yml *node, struct err *e)
{
    struct machine *m = r->m;
    struct machine_form *form = &m->forms[m->n_forms];
    if (!fields_read(node, machine_resource_fields, form, e) || !is_form(node, form->form, e) ||
        !need_source(r, node, "resources", &form->source, e)) {
        return false;
    }
    const struct yml *before = names_add(&r->seen, &m->n_resources, form->form, node);
    if (before) {
        return given_twice(node, form->form, before->loc, e);
    }
    const struct machine_form *given = names_find(&r->seen, &m->forms, form->form);
    if (given) {
        const double doubt = form->doubt;
        form = &m->forms[given - m->forms];
        form->doubt = doubt;
    } else {
        m->n_forms++;
        form->slots = 1;
        form->loc = node->loc;
    }
    return read_uses(r, yml_find(node, "uses"), form, e);
}

static bool read_forms(struct reader *r, struct err *e)
{
    const struct yml *instructions = yml_find(r->root, "instructions");
    const struct yml *resources = yml_find(r->root, "resources");
    if ((instructions && !yml_is(instructions, YML_LIST, e)) ||
        (resources && !yml_is(resources, YML_LIST, e)) || !read_resource_names(r, e)) {
        return false;
    }
    const int most =
        (instructions ? instructions->n_children : 0) + (resources ? resources->n_children : 0);
    r->m->forms = arena_new(r->a, struct machine_form, (size_t)most);
    for (const struct yml *n = instructions ? instructions->child : NULL; n; n = n->next) {
        if (!read_instruction(r, n, &r->m->forms[r->m->n_forms++], e)) {
            return false;
        }
    }
    for (const struct yml *n = resources ? resources->child : NULL; n; n = n->next) {
        if (!read_resource_form(r, n, e)) {
            return false;
        }
    }
    return true;
}

static bool read_meaning(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct machine_meaning *meaning = item;
    meaning->loc = node->loc;
    if (!fields_read(node, machine_meaning_fields, meaning, e) ||
        !need_source(r, node, "resource_ports", &meaning->source, e)) {
        return false;
    }
    if (!names_find(&r->seen, &r->m->resources, meaning->resource)) {
        return err_set(e, ERR_SCHEMA, yml_find(node, "resource")->loc,
                       "'%.60s' is none of the resources", meaning->resource);
    }
    return !names_add(&r->seen, &r->m->meanings, meaning->resource, meaning) ||
           err_set(e, ERR_SCHEMA, node->loc, "resource '%.60s' explained twice", meaning->resource);
}

/* After the forms, which may be what names the resources. */
static bool read_meanings(struct reader *r, struct err *e)
{
    const struct field_list what = {sizeof *r->m->meanings, read_meaning, r};
    r->m->meanings =
        fields_list(yml_find(r->root, "resource_ports"), what, r->a, &r->m->n_meanings, e);
    return r->m->meanings != NULL;
}

/* --- rates --------------------------------------------------------------------------------------
 */

static bool read_roof(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct roof *roof = item;
    roof->loc = node->loc;
    if (!fields_read(node, machine_roof_fields, roof, e) ||
        !need_source(r, node, "roofs", &roof->source, e)) {
        return false;
    }
    const char *key =
        arena_format(r->a, "%s|%s|%s|%d", roof->name, roof->isa, roof->level, roof->threads);
    const struct roof *before = names_add(&r->seen, &r->m->roofs, key, roof);
    return !before ||
           err_set(e, ERR_SCHEMA, node->loc,
                   "roof '%.40s' for this isa, level and thread count given twice; first "
                   "on line %u",
                   roof->name, before->loc.line);
}

static bool read_chain_point(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct machine_chain_point *point = item;
    if (!fields_read(node, machine_chain_fields, point, e) ||
        !need_source(r, node, "chain_curve", &point->source, e)) {
        return false;
    }
    const char *key = arena_format(r->a, "%s|%d", point->isa, point->chains);
    return !names_add(&r->seen, &r->m->chain_curve, key, point) ||
           err_set(e, ERR_SCHEMA, node->loc, "%s with %d chains given twice", point->isa,
                   point->chains);
}

static bool read_lists(struct reader *r, struct err *e)
{
    struct machine *m = r->m;
    const struct field_list caches = {sizeof *m->caches, read_cache, r};
    const struct field_list fusions = {sizeof *m->fusions, read_fusion, r};
    const struct field_list roofs = {sizeof *m->roofs, read_roof, r};
    const struct field_list points = {sizeof *m->chain_curve, read_chain_point, r};
    m->caches = fields_list(yml_find(r->root, "caches"), caches, r->a, &m->n_caches, e);
    if (!m->caches) {
        return false;
    }
    m->fusions = fields_list(yml_find(r->root, "fusion"), fusions, r->a, &m->n_fusions, e);
    if (!m->fusions) {
        return false;
    }
    m->roofs = fields_list(yml_find(r->root, "roofs"), roofs, r->a, &m->n_roofs, e);
    if (!m->roofs) {
        return false;
    }
    const struct yml *curve = yml_find(r->root, "chain_curve");
    m->chain_curve = fields_list(curve, points, r->a, &m->n_chain_curve, e);
    return m->chain_curve != NULL;
}

static bool read_provenance(struct reader *r, struct err *e)
{
    const struct yml *map = yml_find(r->root, "provenance");
    if (!map) {
        return true;
    }
    if (!yml_is(map, YML_MAP, e)) {
        return false;
    }
    r->m->provenance = arena_new(r->a, struct machine_note, (size_t)map->n_children);
    for (const struct yml *node = map->child; node; node = node->next) {
        struct machine_note *note = &r->m->provenance[r->m->n_provenance++];
        note->key = node->key;
        if (!yml_text(node, &note->text, e)) {
            return false;
        }
    }
    return true;
}

struct machine *machine_new(struct arena *a)
{
    struct machine *m = arena_new(a, struct machine, 1);
    *m = (struct machine){
        .clock_one_core_hz = NAN,
        .clock_all_cores_hz = NAN,
        .dispatch_width = NAN,
        .retire_width = NAN,
        .rob_entries = NAN,
        .taken_branches_per_cycle = NAN,
        .line_crossing_load_slots = NAN,
        .line_crossing_load_slots_512 = NAN,
        .fetch_slots = NAN,
        .indexed_operand_slots = NAN,
        .indexed_operand_places = NAN,
        .indexed_operands_per_cycle = NAN,
        .store_line_cycles = NAN,
        .line_crossing_store_cycles = NAN,
        .line_crossing_bytes = NAN,
        .store_forward_cycles = NAN,
        .store_forward_256_cycles = NAN,
        .store_forward_512_cycles = NAN,
        .store_forward_renamed_cycles = NAN,
        .write_allocate = -1,
    };
    return m;
}

struct machine *machine_read(struct bytes input, const char *file, struct arena *a, struct err *e)
{
    const struct yml *root = yml_read(input, file, a, e);
    if (!root || !fields_format(root, MACHINE_FORMAT, e)) {
        return NULL;
    }
    struct reader r = {.m = machine_new(a), .a = a, .root = root};
    r.seen.arena = a;
    r.m->file = file;
    const bool good = fields_read(root, machine_fields, r.m, e) && read_sources(&r, e) &&
                      read_matches(&r, e) && read_clock(&r, e) && read_core(&r, e) &&
                      read_eliminations(&r, e) && read_forms(&r, e) && read_meanings(&r, e) &&
                      read_lists(&r, e) && read_provenance(&r, e);
    return good ? r.m : NULL;
}

const struct machine_meaning *machine_meaning_of(const struct machine *m, const char *resource)
{
    for (int i = 0; i < m->n_meanings; i++) {
        if (strcmp(m->meanings[i].resource, resource) == 0) {
            return &m->meanings[i];
        }
    }
    return NULL;
}

const struct roof *roof_find(const struct roof *roofs, int n, const char *name, const char *isa,
                             const char *level, int threads)
{
    for (const struct roof *r = roofs; r < roofs + n; r++) {
        if (strcmp(r->name, name) == 0 && (!isa || strcmp(r->isa, isa) == 0) &&
            strcmp(r->level, level) == 0 && r->threads == threads) {
            return r;
        }
    }
    return NULL;
}
