/* Any bytes become a tree or an error with a place; a tree that is written reads back the same. */
#include "formats/yml.h"
#include "tests/fuzz/fuzz.h"

static void write_node(struct yml_out *o, const struct yml *node)
{
    if (node->kind == YML_SCALAR) {
        yml_out_text(o, node->text);
        return;
    }
    (node->kind == YML_MAP ? yml_out_map : yml_out_list)(o, node->n_children % 2);
    for (const struct yml *child = node->child; child; child = child->next) {
        if (node->kind == YML_MAP) {
            yml_out_key(o, child->key);
        }
        write_node(o, child);
    }
    yml_out_end(o);
}

static bool same(const struct yml *a, const struct yml *b)
{
    if (a->kind != b->kind || a->n_children != b->n_children || a->len != b->len ||
        (a->key && strcmp(a->key, b->key) != 0) ||
        (a->kind == YML_SCALAR && strcmp(a->text, b->text) != 0)) {
        return false;
    }
    const struct yml *y = b->child;
    for (const struct yml *x = a->child; x; x = x->next, y = y->next) {
        if (!same(x, y)) {
            return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = fuzz_arena();
    struct err e = {0};
    struct bytes out;
    const struct yml *root = yml_read(fuzz_bytes(data, size), "f", a, &e);
    fuzz_check(root != NULL, &e);
    if (root) {
        struct yml_out *o = yml_out_open(a);
        write_node(o, root);
        fuzz_demand(yml_out_close(o, &out, &e));
        const struct yml *back = yml_read(out, "f", a, &e);
        fuzz_demand(back && same(root, back));
    }
    arena_release(a);
    return 0;
}
