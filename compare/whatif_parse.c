#include "code/form.h"
#include "compare/variant.h"
#include "formats/machine_fields.h"

#include <string.h>

static const char core_prefix[] = "core.";

static const struct {
    const char *key;
    enum change_kind kind;
    double min, max;
} form_keys[] = {
    {".latency_cycles", CHANGE_LATENCY, 0, 1000},
    {".slots", CHANGE_SLOTS, 0, 256},
};

const char *const whatif_clock_keys[2] = {"clock_hz.one_core", "clock_hz.all_cores"};

/* Numbers of the core that some rung reads. */
static const char *const core_keys[] = {
    "dispatch_width",
    "rob_entries",
    "taken_branches_per_cycle",
    "line_crossing_load_slots",
    "line_crossing_load_slots_512",
    "line_crossing_store_cycles",
    "store_line_cycles",
    "fetch_slots",
    "indexed_operand_slots",
    "indexed_operand_places",
    "indexed_operands_per_cycle",
    "store_forward_cycles",
    "store_forward_256_cycles",
    "store_forward_512_cycles",
    NULL,
};

static bool in_range(const char *key, double value, double min, double max, struct err *e)
{
    return (value >= min && value <= max) ||
           err_set(e, ERR_RANGE, LOC_NONE, "--set %s: %g is not from %g to %g", key, value, min,
                   max);
}

const struct field *whatif_core_field(const char *key)
{
    for (const struct field *f = machine_core_fields; f->key; f++) {
        if (strcmp(f->key, key) == 0) {
            return f;
        }
    }
    return NULL;
}

static bool parse_core(const char *key, double value, struct change *out, struct err *e)
{
    char known[400];
    for (int i = 0; core_keys[i]; i++) {
        if (strcmp(core_keys[i], key) == 0) {
            const struct field *f = whatif_core_field(core_keys[i]);
            *out = (struct change){CHANGE_CORE, core_keys[i], value};
            return in_range(key, value, f->min, f->max, e);
        }
    }
    return err_set(e, ERR_RANGE, LOC_NONE, "--set: core.%.20s cannot be set; of core these can: %s",
                   key, text_join(core_keys, known, sizeof known));
}

static bool parse_form(const char *key, double value, struct arena *a, struct change *out,
                       struct err *e)
{
    char normal[FORM_SIZE];
    const size_t len = strlen(key);
    for (size_t i = 0; i < sizeof form_keys / sizeof *form_keys; i++) {
        const size_t suffix = strlen(form_keys[i].key);
        if (len <= suffix || strcmp(key + len - suffix, form_keys[i].key) != 0) {
            continue;
        }
        const char *form = arena_copy(a, key, len - suffix);
        if (!form_normalise(form, normal)) {
            return err_set(e, ERR_SYNTAX, LOC_NONE, "--set: '%.80s' is no form", form);
        }
        *out = (struct change){form_keys[i].kind, arena_copy(a, normal, strlen(normal)), value};
        return in_range(key, value, form_keys[i].min, form_keys[i].max, e);
    }
    return false;
}

bool whatif_parse(const char *text, struct arena *a, struct change *out, struct err *e)
{
    const char *equals = strrchr(text, '=');
    double value;
    if (!equals || !text_parse_number(equals + 1, strlen(equals + 1), &value)) {
        return err_set(e, ERR_SYNTAX, LOC_NONE,
                       "--set takes KEY=NUMBER, as core.dispatch_width=6, not '%.60s'", text);
    }
    const char *key = arena_copy(a, text, (size_t)(equals - text));
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(key, whatif_clock_keys[i]) == 0) {
            *out = (struct change){CHANGE_CLOCK, whatif_clock_keys[i], value};
            return in_range(key, value, 1e8, 1e10, e);
        }
    }
    const size_t prefix = sizeof core_prefix - 1;
    if (strncmp(key, core_prefix, prefix) == 0) {
        return parse_core(key + prefix, value, out, e);
    }
    return parse_form(key, value, a, out, e) ||
           err_set(e, ERR_RANGE, LOC_NONE,
                   "--set: '%.60s' cannot be set; what can: core.KEY (as core.dispatch_width), %s, "
                   "%s, FORM%s, FORM%s",
                   key, whatif_clock_keys[0], whatif_clock_keys[1], form_keys[0].key,
                   form_keys[1].key);
}
