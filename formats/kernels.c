#include "formats/kernels.h"

#include "base/names.h"
#include "base/text.h"
#include "formats/fields.h"

#include <math.h>
#include <string.h>

#define FORMAT "gambrel-kernels-1"

const char *const stream_names[] = {
    [STREAM_READ] = "read",         [STREAM_WRITE] = "write", [STREAM_UPDATE] = "update",
    [STREAM_WRITE_NT] = "write_nt", [STREAM_KINDS] = NULL,
};

/* How often a stream moves an element, as the formula names it and as the memory sees it where a
 * line is fetched before it is overwritten. */
static const struct {
    double counted, with_fetch;
} stream_moves[STREAM_KINDS] = {
    [STREAM_READ] = {1, 1},
    [STREAM_WRITE] = {1, 2},
    [STREAM_UPDATE] = {2, 2},
    [STREAM_WRITE_NT] = {1, 1},
};

#define AT(type, member) .offset = offsetof(struct type, member)

static const struct field file_fields[] = {
    {"format", .kind = FIELD_OTHER, .needed = true},
    {"roofs", .kind = FIELD_OTHER},
    {"kernels", .kind = FIELD_OTHER},
    {.key = NULL},
};

/* Roofs and kernels; what only one of them may or must have is checked afterwards. */
static const struct field kernel_fields[] = {
    {"name", .kind = FIELD_TEXT, .needed = true, AT(kernel, name)},
    {"formula", .kind = FIELD_TEXT, .needed = true, AT(kernel, formula)},
    {"element_bytes", .kind = FIELD_NUMBER, AT(kernel, element_bytes), .min = 1, .max = 64},
    {"flops_per_element", .kind = FIELD_NUMBER, .needed = true, AT(kernel, flops_per_element),
     .min = 0, .max = 1e6},
    {"streams", .kind = FIELD_OTHER},
    {"roof", .kind = FIELD_TEXT, AT(kernel, roof)},
    {"compute_roof", .kind = FIELD_TEXT, AT(kernel, compute_roof)},
    {"unit", .kind = FIELD_UNIT, .needed = true, AT(kernel, unit)},
    {"intensity", .kind = FIELD_NUMBER, AT(kernel, intensity), .min = 0, .max = 1e9},
    {"hand_fixed", .kind = FIELD_BOOL, AT(kernel, hand_fixed)},
    {"body", .kind = FIELD_OTHER, .needed = true},
    {.key = NULL},
};

static const struct field body_fields[] = {
    {"elements_per_iter", .kind = FIELD_NUMBER, .needed = true, AT(kernel_body, elements_per_iter),
     .min = 1, .max = 1e6},
    {"instructions", .kind = FIELD_OTHER, .needed = true},
    {"inner", .kind = FIELD_OTHER},
    {"loads", .kind = FIELD_NUMBER, AT(kernel_body, loads_per_iter), .min = 0, .max = 1e6},
    {"stores", .kind = FIELD_NUMBER, AT(kernel_body, stores_per_iter), .min = 0, .max = 1e6},
    {"flops", .kind = FIELD_NUMBER, AT(kernel_body, flops_per_iter), .min = 0, .max = 1e9},
    {"crossing_loads", .kind = FIELD_NUMBER_OR, AT(kernel_body, crossing_loads_per_iter), .min = 0,
     .max = 1e6},
    {"crossing_stores", .kind = FIELD_NUMBER_OR, AT(kernel_body, crossing_stores_per_iter),
     .min = 0, .max = 1e6},
    {"chains", .kind = FIELD_NUMBER, AT(kernel_body, independent_chains), .min = 1, .max = 256},
    {"code", .kind = FIELD_TEXT, AT(kernel_body, code)},
    {.key = NULL},
};

static const struct field inner_fields[] = {
    {"trips", .kind = FIELD_NUMBER, .needed = true, AT(kernel_body, inner_trips), .min = 1,
     .max = 1e6},
    {"instructions", .kind = FIELD_OTHER, .needed = true},
    {.key = NULL},
};

struct reader {
    struct kernels *k;
    struct arena *a;
    struct names seen; /* scope: NULL for all names, the roofs for theirs */
};

static bool read_streams(struct reader *r, const struct yml *map, struct kernel *k, struct err *e)
{
    if (!map) {
        return true;
    }
    if (!yml_is(map, YML_MAP, e)) {
        return false;
    }
    k->streams = arena_new(r->a, struct kernel_stream, (size_t)map->n_children);
    for (const struct yml *node = map->child; node; node = node->next) {
        const int kind = yml_choice(node, stream_names, e);
        if (kind < 0) {
            return false;
        }
        k->streams[k->n_streams++] = (struct kernel_stream){node->key, (enum stream_kind)kind};
    }
    return true;
}

/* {form: count, ...}; NULL on failure. */
static struct form_count *read_counts(struct reader *r, const struct yml *map, int *n,
                                      struct err *e)
{
    if (!yml_is(map, YML_MAP, e)) {
        return NULL;
    }
    struct form_count *counts = arena_new(r->a, struct form_count, (size_t)map->n_children);
    for (const struct yml *node = map->child; node; node = node->next) {
        counts[*n].form = node->key;
        if (!yml_number(node, 1e-6, 1e6, &counts[*n].count, e)) {
            return NULL;
        }
        ++*n;
    }
    return counts;
}

static bool read_inner(struct reader *r, const struct yml *node, struct kernel_body *body,
                       struct err *e)
{
    if (!node) {
        return true;
    }
    if (!fields_read(node, inner_fields, body, e)) {
        return false;
    }
    body->inner = read_counts(r, yml_find(node, "instructions"), &body->n_inner, e);
    return body->inner != NULL;
}

static bool read_body(struct reader *r, const struct yml *node, struct kernel_body *body,
                      struct err *e)
{
    int isa = 0;
    while (field_isas[isa] && strcmp(field_isas[isa], node->key) != 0) {
        isa++;
    }
    if (!field_isas[isa]) {
        char list[80];
        return err_set(e, ERR_SCHEMA, node->key_loc, "isa '%.40s' is not one of %s", node->key,
                       text_join(field_isas, list, sizeof list));
    }
    body->isa = field_isas[isa];
    body->loc = node->key_loc;
    if (!fields_read(node, body_fields, body, e)) {
        return false;
    }
    body->forms = read_counts(r, yml_find(node, "instructions"), &body->n_forms, e);
    return body->forms && read_inner(r, yml_find(node, "inner"), body, e);
}

static bool read_bodies(struct reader *r, const struct yml *map, struct kernel *k, struct err *e)
{
    if (!yml_is(map, YML_MAP, e)) {
        return false;
    }
    if (map->n_children == 0) {
        return err_set(e, ERR_SCHEMA, map->loc, "body: at least one isa is needed");
    }
    k->bodies = arena_new(r->a, struct kernel_body, (size_t)map->n_children);
    for (const struct yml *node = map->child; node; node = node->next) {
        if (!read_body(r, node, &k->bodies[k->n_bodies++], e)) {
            return false;
        }
    }
    return true;
}

/* Computes the intensity; a stated one must agree. */
static bool check_intensity(const struct yml *node, struct kernel *k, struct err *e)
{
    const double bytes = kernel_bytes_counted(k);
    const double stated = k->intensity;
    k->intensity = bytes > 0 ? k->flops_per_element / bytes : (double)NAN;
    if (isnan(stated) || fabs(stated - k->intensity) <= 0.005 * fabs(k->intensity)) {
        return true;
    }
    char said[TEXT_NUMBER_SIZE], computed[TEXT_NUMBER_SIZE], counted[TEXT_NUMBER_SIZE];
    return err_set(
        e, ERR_RANGE, yml_find(node, "intensity")->loc,
        "intensity: %s is stated, but flops_per_element over the streams' %s bytes is %s",
        text_number(stated, said), text_number(bytes, counted),
        text_number(k->intensity, computed));
}

static bool check_streams(const struct yml *node, const struct kernel *k, struct err *e)
{
    if (k->n_streams > 0 && isnan(k->element_bytes)) {
        return err_set(e, ERR_SCHEMA, node->loc, "element_bytes is needed where there are streams");
    }
    if (k->n_streams == 0 && k->flops_per_element == 0 && !k->bodies[0].code) {
        return err_set(e, ERR_SCHEMA, node->loc,
                       "streams or flops_per_element are needed: it moves and computes nothing");
    }
    if (strcmp(k->unit, "flop/s") == 0 && k->flops_per_element == 0 && !k->bodies[0].code) {
        return err_set(
            e, ERR_RANGE, yml_find(node, "flops_per_element")->loc,
            "a rate in flop/s needs flops_per_element above 0; without flops the unit is "
            "byte/s");
    }
    return true;
}

static bool read_kernel(const struct yml *node, void *item, void *context, struct err *e)
{
    struct reader *r = context;
    struct kernel *k = item;
    k->loc = node->loc;
    if (!fields_read(node, kernel_fields, k, e) ||
        !read_streams(r, yml_find(node, "streams"), k, e) ||
        !read_bodies(r, yml_find(node, "body"), k, e) || !check_streams(node, k, e) ||
        !check_intensity(node, k, e)) {
        return false;
    }
    const struct kernel *before = names_add(&r->seen, NULL, k->name, k);
    if (!r->k->roofs) { /* they are read first, so this is one of them */
        names_add(&r->seen, &r->k->roofs, k->name, k);
    }
    return !before ||
           err_set(e, ERR_SCHEMA, node->loc, "name '%.80s' given twice; first on line %u", k->name,
                   before->loc.line);
}

/* `key` of a kernel must name one of the file's roofs, where the file has any. */
static bool check_roof_name(const struct reader *r, const struct yml *node, const char *key,
                            struct err *e)
{
    const char *name;
    const struct yml *value = yml_need(node, key, e);
    if (!yml_text(value, &name, e)) {
        return false;
    }
    return names_find(&r->seen, &r->k->roofs, name) ||
           err_set(e, ERR_SCHEMA, value->loc, "%s: no roof of this file is named '%.60s'", key,
                   name);
}

/* A kernel names its roofs; a roof is one. */
static bool check_roofs(const struct reader *r, const struct yml *root, struct err *e)
{
    const struct yml *roofs = yml_find(root, "roofs"), *kernels = yml_find(root, "kernels");
    for (const struct yml *node = roofs ? roofs->child : NULL; node; node = node->next) {
        const struct yml *roof = yml_find(node, "roof");
        const struct yml *wrong = roof ? roof : yml_find(node, "compute_roof");
        if (wrong) {
            return err_set(e, ERR_SCHEMA, wrong->key_loc,
                           "key '%s' belongs to kernels, not to roofs", wrong->key);
        }
    }
    for (const struct yml *node = roofs && kernels ? kernels->child : NULL; node;
         node = node->next) {
        if (!check_roof_name(r, node, "roof", e) || !check_roof_name(r, node, "compute_roof", e)) {
            return false;
        }
    }
    return true;
}

struct kernels *kernels_read(struct bytes input, const char *file, struct arena *a, struct err *e)
{
    const struct yml *root = yml_read(input, file, a, e);
    struct kernels *k = arena_new(a, struct kernels, 1);
    if (!root || !fields_format(root, FORMAT, e) || !fields_read(root, file_fields, k, e)) {
        return NULL;
    }
    struct reader r = {.k = k, .a = a, .seen = {.arena = a}};
    const struct field_list what = {sizeof(struct kernel), read_kernel, &r};
    k->file = file;
    k->roofs = fields_list(yml_find(root, "roofs"), what, a, &k->n_roofs, e);
    k->kernels =
        k->roofs ? fields_list(yml_find(root, "kernels"), what, a, &k->n_kernels, e) : NULL;
    return k->kernels && check_roofs(&r, root, e) ? k : NULL;
}

static bool is_roof_of(const struct kernels *k, const char *name)
{
    for (int i = 0; i < k->n_roofs; i++) {
        if (strcmp(k->roofs[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool kernels_take_roofs(struct kernels *k, const struct kernels *from, struct err *e)
{
    if (k->n_roofs > 0) {
        return true;
    }
    k->roofs = from->roofs;
    k->n_roofs = from->n_roofs;
    for (int i = 0; i < k->n_kernels; i++) {
        const struct kernel *one = &k->kernels[i];
        const char *const names[] = {one->roof, one->compute_roof};
        for (size_t r = 0; r < sizeof names / sizeof *names; r++) {
            if (names[r] && !is_roof_of(k, names[r])) {
                return err_set(
                    e, ERR_SCHEMA, one->loc,
                    "%.60s: %s: no roof is named '%.60s'; gambrel kernel list shows them",
                    one->name, r ? "compute_roof" : "roof", names[r]);
            }
        }
    }
    return true;
}

static void write_counts(struct yml_out *o, const char *key, const struct form_count *counts, int n)
{
    yml_out_key(o, key);
    yml_out_map(o, false);
    for (int i = 0; i < n; i++) {
        yml_out_key(o, counts[i].form);
        yml_out_number(o, counts[i].count);
    }
    yml_out_end(o);
}

static void write_body(struct yml_out *o, const struct kernel_body *b)
{
    yml_out_key(o, b->isa);
    yml_out_map(o, false);
    fields_write(o, body_fields, b);
    write_counts(o, "instructions", b->forms, b->n_forms);
    if (b->n_inner > 0) {
        yml_out_key(o, "inner");
        yml_out_map(o, false);
        fields_write(o, inner_fields, b);
        write_counts(o, "instructions", b->inner, b->n_inner);
        yml_out_end(o);
    }
    yml_out_end(o);
}

static void write_kernel(struct yml_out *o, const struct kernel *k)
{
    yml_out_map(o, false);
    fields_write(o, kernel_fields, k);
    if (k->n_streams > 0) {
        yml_out_key(o, "streams");
        yml_out_map(o, true);
        for (int i = 0; i < k->n_streams; i++) {
            yml_out_key(o, k->streams[i].array);
            yml_out_text(o, stream_names[k->streams[i].kind]);
        }
        yml_out_end(o);
    }
    yml_out_key(o, "body");
    yml_out_map(o, false);
    for (int i = 0; i < k->n_bodies; i++) {
        write_body(o, &k->bodies[i]);
    }
    yml_out_end(o);
    yml_out_end(o);
}

static void write_list(struct yml_out *o, const char *key, const struct kernel *kernels, int n)
{
    if (n > 0) {
        yml_out_key(o, key);
        yml_out_list(o, false);
        for (int i = 0; i < n; i++) {
            write_kernel(o, &kernels[i]);
        }
        yml_out_end(o);
    }
}

bool kernels_write(const struct kernels *k, struct arena *a, struct bytes *out, struct err *e)
{
    struct yml_out *o = yml_out_open(a);
    yml_out_map(o, false);
    yml_out_key(o, "format");
    yml_out_text(o, FORMAT);
    write_list(o, "roofs", k->roofs, k->n_roofs);
    write_list(o, "kernels", k->kernels, k->n_kernels);
    yml_out_end(o);
    return yml_out_close(o, out, e);
}

const struct kernel *kernels_find(const struct kernels *k, const char *name)
{
    for (int i = 0; i < k->n_kernels + k->n_roofs; i++) {
        const struct kernel *one = i < k->n_kernels ? &k->kernels[i] : &k->roofs[i - k->n_kernels];
        if (strcmp(one->name, name) == 0) {
            return one;
        }
    }
    return NULL;
}

const struct kernel_body *kernel_body(const struct kernel *k, const char *isa)
{
    for (int i = 0; i < k->n_bodies; i++) {
        if (strcmp(k->bodies[i].isa, isa) == 0) {
            return &k->bodies[i];
        }
    }
    return NULL;
}

double kernel_bytes_counted(const struct kernel *k)
{
    double moves = 0;
    for (int i = 0; i < k->n_streams; i++) {
        moves += stream_moves[k->streams[i].kind].counted;
    }
    return moves > 0 ? moves * k->element_bytes : 0;
}

double kernel_bytes_with_fetch(const struct kernel *k)
{
    double moves = 0;
    for (int i = 0; i < k->n_streams; i++) {
        moves += stream_moves[k->streams[i].kind].with_fetch;
    }
    return moves > 0 ? moves * k->element_bytes : 0;
}

double kernel_work_per_element(const struct kernel *k)
{
    return k->flops_per_element > 0 ? k->flops_per_element : kernel_bytes_counted(k);
}
