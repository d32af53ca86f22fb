#include "measure/probe_path.h"

#include <string.h>

#define ENDS_MAX (ENCODE_OPERANDS_MAX + 8)

static bool is_register(enum encode_kind kind)
{
    return kind == ENCODE_GENERAL || kind == ENCODE_VECTOR || kind == ENCODE_MASK;
}

/* What stands in an operand and can be read, or -1: no place. */
static int read_place(const struct probe_form *f, int k)
{
    const enum probe_role role = f->roles[k];

    if (is_register(f->code.kinds[k])) {
        return role != PROBE_RESULT && !probe_form_companion(f, PROBE_OPERAND, k + 1)
                   ? PLACE_OPERAND
                   : -1;
    }
    return f->code.kinds[k] != ENCODE_MEMORY || role == PROBE_RESULT ? -1 : PLACE_ADDRESS;
}

static int find_sources(const struct probe_form *f, struct probe_end ends[ENDS_MAX])
{
    int n = 0;

    for (int k = 0; k < f->code.n_operands; k++) {
        const int place = read_place(f, k);
        if (place >= 0) {
            ends[n++] = (struct probe_end){(enum probe_place)place, k + 1, 0};
        }
        if (f->code.kinds[k] == ENCODE_MEMORY && f->roles[k] == PROBE_UPDATE) {
            ends[n++] = (struct probe_end){PLACE_VALUE, k + 1, 0};
        }
        if (f->code.kinds[k] == ENCODE_ADDRESS) {
            ends[n++] = (struct probe_end){PLACE_BASE, k + 1, 0};
            ends[n++] = (struct probe_end){PLACE_INDEX, k + 1, 0};
        }
        if (f->code.kinds[k] == ENCODE_CL) {
            ends[n++] = (struct probe_end){PLACE_GENERAL, k + 1, 1};
        }
    }
    const bool names_cl = n > 0 && ends[n - 1].place == PLACE_GENERAL;
    for (int r = 0; r < 16 && n < ENDS_MAX - 4; r++) {
        if (f->implicit_reads & 1u << r && !(names_cl && r == 1)) {
            ends[n++] = (struct probe_end){PLACE_GENERAL, 0, r};
        }
    }
    if (f->flags_read) {
        ends[n++] =
            (struct probe_end){f->flags_read & PROBE_STATUS ? PLACE_STATUS : PLACE_CARRY, 0, 0};
    }
    if (f->reads_first_vector) {
        ends[n++] = (struct probe_end){PLACE_FIRST_VECTOR, 0, 0};
    }
    if (f->code.masked && !probe_form_companion(f, PROBE_WRITE_MASK, 0)) {
        ends[n++] = (struct probe_end){PLACE_WRITE_MASK, 0, 0};
    }
    return n;
}

static int find_results(const struct probe_form *f, struct probe_end ends[ENDS_MAX])
{
    int n = 0;

    for (int k = 0; k < f->code.n_operands; k++) {
        if (f->roles[k] == PROBE_SOURCE || probe_form_companion(f, PROBE_OPERAND, k + 1)) {
            continue;
        }
        if (is_register(f->code.kinds[k])) {
            ends[n++] = (struct probe_end){PLACE_OPERAND, k + 1, 0};
        } else if (f->code.kinds[k] == ENCODE_MEMORY && !f->code.vector_index) {
            ends[n++] = (struct probe_end){PLACE_VALUE, k + 1, 0};
        }
    }
    for (int r = 0; r < 16 && n < ENDS_MAX - 1; r++) {
        if (f->implicit_writes & 1u << r) {
            ends[n++] = (struct probe_end){PLACE_GENERAL, 0, r};
        }
    }
    if (f->flags_written) { /* what reads the carry alone and writes it hands that on: adc */
        const bool carry = !(f->flags_written & PROBE_STATUS) ||
                           (f->flags_read == PROBE_CARRY && f->flags_written & PROBE_CARRY);
        ends[n++] = (struct probe_end){carry ? PLACE_CARRY : PLACE_STATUS, 0, 0};
    }
    return n;
}

bool probe_path_returns(const struct probe_path *p)
{
    return p->from.place == p->to.place && p->from.operand == p->to.operand &&
           p->from.number == p->to.number;
}

/* From the value in memory to elsewhere than there it is the load that counts; an address does not
 * become what is stored. */
static bool is_measurable(const struct probe_path *p)
{
    return p->from.place == PLACE_VALUE
               ? p->to.place == PLACE_VALUE
               : p->from.place != PLACE_ADDRESS || p->to.place != PLACE_VALUE;
}

static bool is_in_file(const struct probe_form *f, const struct probe_end *e,
                       const struct probe_end *other)
{
    return e->place == PLACE_OPERAND && other->place == PLACE_OPERAND &&
           f->code.kinds[e->operand - 1] == f->code.kinds[other->operand - 1];
}

static int count_sources(const struct probe_form *f, enum encode_kind kind)
{
    int n = 0;

    for (int k = 0; k < f->code.n_operands; k++) {
        n += f->code.kinds[k] == kind && f->roles[k] != PROBE_RESULT;
    }
    return n;
}

static void add(const struct probe_form *f, struct probe_path path, struct probe_path *paths,
                int *n)
{
    const bool to_memory = path.to.place == PLACE_VALUE;
    const bool changes = to_memory && path.from.place != PLACE_VALUE &&
                         f->roles[path.to.operand - 1] == PROBE_UPDATE;

    if (!changes &&
        *n < PROBE_PATHS_MAX) { /* or memory would be renamed, or not, as a store's is not */
        paths[(*n)++] = path;
    }
    if (probe_form_divides(f) && *n < PROBE_PATHS_MAX) {
        path.values = PROBE_SHORT;
        paths[(*n)++] = path;
    }
    path.values = PROBE_FULL;
    if (to_memory && *n < PROBE_PATHS_MAX) {
        path.indexed = true;
        paths[(*n)++] = path;
    }
}

int probe_paths(const struct probe_form *f, struct probe_path paths[PROBE_PATHS_MAX])
{
    struct probe_end sources[ENDS_MAX], results[ENDS_MAX];
    const bool none = f->refused || f->pushed_bytes;
    const int n_sources = none ? 0 : find_sources(f, sources), n_results = find_results(f, results);
    int n = 0;
    bool same_tried = false;

    for (int t = 0; t < n_results; t++) {
        for (int s = 0; s < n_sources; s++) {
            struct probe_path path = {.from = sources[s], .to = results[t]};
            if (!is_measurable(&path)) {
                continue;
            }
            add(f, path, paths, &n);
            if (!same_tried && is_in_file(f, &path.from, &path.to) &&
                count_sources(f, f->code.kinds[path.from.operand - 1]) > 1 && n < PROBE_PATHS_MAX) {
                path.same_source = same_tried = true;
                paths[n++] = path;
            }
        }
    }
    return n;
}

bool probe_form_divides(const struct probe_form *f)
{
    return strstr(f->code.text, "div") || strstr(f->code.text, "sqrt");
}

const char *probe_end_name(const struct probe_end *e)
{
    static const char *const general[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                            "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

    switch (e->place) {
    case PLACE_GENERAL:
        return e->operand ? NULL : general[e->number];
    case PLACE_CARRY:
        return "carry";
    case PLACE_STATUS:
        return "flags";
    case PLACE_FIRST_VECTOR:
        return "xmm0";
    case PLACE_WRITE_MASK:
        return "mask";
    default:
        return NULL;
    }
}
