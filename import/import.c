#include "import/import.h"

#include "import/collect.h"

#include <string.h>

const char *const import_formats[] = {"osaca", "uops-info", "pmevo", "palmed", "llvm-mca", NULL};

/* A JSON file of one tool has a text that those of the others lack. */
static const struct {
    const char *format;
    import_reader *read;
    const char *sign; /* in the first bytes of the file */
} readers[] = {
    {"uops-info", import_uops_info, "<"},
    {"palmed", import_palmed, "\"instr_to_class\""},
    {"palmed", import_palmed, "\"class_to_resources\""},
    {"pmevo", import_pmevo, "\"Mapping3\""},
    {"pmevo", import_pmevo, "\"Mapping2\""},
    {"llvm-mca", import_llvm_mca, "\"CodeRegions\""},
    {"osaca", import_osaca, "osaca_version:"},
    {"osaca", import_osaca, "instruction_forms:"},
};
enum { N_READERS = sizeof readers / sizeof *readers, SIGN_BYTES = 1 << 16 };

static struct loc start_of(const struct import_wish *wish)
{
    return (struct loc){wish->file, 1, 1};
}

/* Index of the reader, or -1. */
static int find_reader(struct bytes input, const struct import_wish *wish, struct err *e)
{
    const struct bytes head = {input.data, input.len < SIGN_BYTES ? input.len : SIGN_BYTES};
    size_t blank = 0;
    while (blank < head.len && strchr(" \t\r\n\xef\xbb\xbf", head.data[blank])) {
        blank++;
    }
    const bool is_xml = blank < head.len && head.data[blank] == '<';
    for (int i = 0; i < N_READERS; i++) {
        const bool asked = wish->format && strcmp(wish->format, readers[i].format) == 0;
        const bool looks = *readers[i].sign == '<'
                               ? is_xml
                               : head.len && memmem(head.data, head.len, readers[i].sign,
                                                    strlen(readers[i].sign)) != NULL;
        if (asked || (!wish->format && looks && is_xml == (*readers[i].sign == '<'))) {
            return i;
        }
    }
    char list[80];
    err_set(e, wish->format ? ERR_RANGE : ERR_SYNTAX, wish->format ? LOC_NONE : start_of(wish),
            "%s%.40s%s%s",
            wish->format ? "--format: '"
                         : "this looks like no file that can be imported; --format ",
            wish->format ? wish->format : "says which it is: ", wish->format ? "' is none of " : "",
            text_join(import_formats, list, sizeof list));
    return -1;
}

bool import_read(struct bytes input, const struct import_wish *wish, struct arena *a,
                 struct imported *out, struct err *e)
{
    const int i = find_reader(input, wish, e);
    if (i < 0) {
        return false;
    }
    *out = (struct imported){.machine = machine_new(a), .format = readers[i].format};
    out->machine->file = wish->file;
    struct collect c = {.arena = a, .wish = wish, .out = out, .machine = out->machine};
    c.seen.arena = a;
    if (!readers[i].read(&c, input, e)) {
        return false;
    }
    collect_note(&c, "entries",
                 arena_format(a, "%zu, of which %zu were left out; %d forms", out->n_entries,
                              out->n_left_out, out->machine->n_forms));
    if (out->machine->n_forms > 0) {
        return true;
    }
    const struct import_remark *r = out->remarks;
    while (r < out->remarks + out->n_remarks && !r->left_out) {
        r++;
    }
    const bool found = r < out->remarks + out->n_remarks;
    return err_set(e, ERR_SCHEMA, found ? r->loc : start_of(wish),
                   "none of %zu entries can be imported%s%s", out->n_entries,
                   found ? "; the first: " : "", found ? r->why : "");
}

/* --- writing ------------------------------------------------------------------------------------
 */

/* A text of the source on one line of ours: what a reader could take for a line's end becomes
 * '?'. */
static void add_plain(struct text *out, const char *text)
{
    for (; *text; text++) {
        text_add(out, "%c", *text >= ' ' && *text <= '~' ? *text : *text == '\t' ? ' ' : '?');
    }
}

/* "file:line:column: what", as far as there is any of it. */
static void add_place(struct text *out, const struct import_remark *r)
{
    add_plain(out, r->loc.file ? r->loc.file : "");
    if (r->loc.line) {
        text_add(out, ":%u:%u", r->loc.line, r->loc.column);
    }
    text_add(out, "%s", *r->what && r->loc.file ? ": " : "");
    add_plain(out, r->what);
}

static void add_remarks(const struct imported *i, bool left_out, const char *title,
                        struct text *out)
{
    size_t n = 0;
    for (size_t k = 0; k < i->n_remarks; k++) {
        const struct import_remark *r = &i->remarks[k];
        if (r->left_out != left_out) {
            continue;
        }
        if (n++ == 0) {
            text_add(out, "# %s:\n", title);
        }
        text_add(out, "#   ");
        add_place(out, r);
        text_add(out, ": ");
        add_plain(out, r->why);
        text_add(out, "\n");
    }
}

bool import_write(const struct imported *i, struct arena *a, struct text *out, struct err *e)
{
    struct bytes yaml;
    if (!machine_write(i->machine, a, &yaml, e)) {
        return false;
    }
    text_add(out, "# Written by gambrel machine import from ");
    add_plain(out, i->tool);
    text_add(out,
             "; the rights to the numbers are their authors'.\n"
             "# %zu entries, %zu left out.\n",
             i->n_entries, i->n_left_out);
    add_remarks(i, true, "Left out", out);
    add_remarks(i, false, "Brought over in part", out);
    text_add_bytes(out, yaml.data, yaml.len);
    return true;
}

/* --- summary ------------------------------------------------------------------------------------
 */

enum { PLACES_SHOWN = 3 };

static bool alike(const struct import_remark *a, const struct import_remark *b)
{
    return a->left_out == b->left_out && strcmp(a->why, b->why) == 0;
}

static void summarise(const struct imported *i, size_t first, struct text *out)
{
    const struct import_remark *r = &i->remarks[first];
    size_t n = 0;
    for (size_t k = first; k < i->n_remarks; k++) {
        n += alike(r, &i->remarks[k]);
    }
    text_add(out, "  %5zu %s: %s\n", n, r->left_out ? "left out" : "in part ", r->why);
    size_t shown = 0;
    for (size_t k = first; k < i->n_remarks && shown < PLACES_SHOWN; k++) {
        if (alike(r, &i->remarks[k])) {
            text_add(out, "          ");
            add_place(out, &i->remarks[k]);
            text_add(out, "\n");
            shown++;
        }
    }
    if (n > shown) {
        text_add(out, "          and %zu more\n", n - shown);
    }
}

void import_summary(const struct imported *i, struct text *out)
{
    add_plain(out, i->tool);
    text_add(out, ": %zu entries, %zu left out; %d forms", i->n_entries, i->n_left_out,
             i->machine->n_forms);
    text_add(out, i->machine->n_ports ? " on %d ports\n" : "\n", i->machine->n_ports);
    for (int part = 0; part < 2; part++) {
        for (size_t k = 0; k < i->n_remarks; k++) {
            bool said = i->remarks[k].left_out == (part == 1);
            for (size_t before = 0; before < k && !said; before++) {
                said = alike(&i->remarks[before], &i->remarks[k]);
            }
            if (!said) {
                summarise(i, k, out);
            }
        }
    }
}
