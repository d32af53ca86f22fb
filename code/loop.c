#include "code/loop.h"

#include "base/text.h"
#include "code/form.h"

#include <math.h>
#include <string.h>

/* A function: its bytes, and its instructions through its end. */
struct function {
    const uint8_t *code;
    size_t len;
    uint64_t address;
    struct insn *insns;
    size_t n, capacity;
};

static bool decode_function(struct decoder *d, struct function *f, struct arena *a, struct err *e)
{
    uint64_t furthest = f->address; /* that a branch seen so far goes to */

    for (size_t at = 0; at < f->len;) {
        f->insns = arena_grow(a, f->insns, f->n, &f->capacity, sizeof *f->insns);
        struct insn *i = &f->insns[f->n];
        if (!decode_insn(d, f->code + at, f->len - at, f->address + at, i, e)) {
            return false;
        }
        f->n++;
        at += (size_t)i->length;
        if (i->branch && i->target < f->address + f->len && i->target > furthest) {
            furthest = i->target;
        }
        if (i->returns && furthest <= i->address) {
            return true;
        }
    }
    return err_set(e, ERR_RANGE, LOC_NONE, "no return within the %zu bytes of the function",
                   f->len);
}

/* Index of the instruction at an address, -1 where none begins there. */
static int index_at(const struct function *f, uint64_t address)
{
    size_t low = 0, high = f->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->insns[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < f->n && f->insns[low].address == address ? (int)low : -1;
}

struct range {
    int first, last;
};

struct ranges {
    struct range *at;
    size_t n, capacity;
};

/* The loop with this head, made if there is none yet. */
static struct range *range_of(struct ranges *ranges, int head, struct arena *a)
{
    for (size_t k = 0; k < ranges->n; k++) {
        if (ranges->at[k].first == head) {
            return &ranges->at[k];
        }
    }
    ranges->at = arena_grow(a, ranges->at, ranges->n, &ranges->capacity, sizeof *ranges->at);
    ranges->at[ranges->n].first = head;
    return &ranges->at[ranges->n++];
}

/* Every loop of the function, one a head: branches back to the same head are one loop, which ends
 * with the last of them. */
static bool find_ranges(const struct function *f, struct arena *a, struct ranges *ranges,
                        struct err *e)
{
    for (size_t k = 0; k < f->n; k++) {
        const struct insn *i = &f->insns[k];
        if (!i->branch || i->target > i->address || i->target < f->address) {
            continue;
        }
        const int head = index_at(f, i->target);
        if (head < 0) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "the branch at 0x%llx goes into the middle of an instruction",
                           (unsigned long long)i->address);
        }
        range_of(ranges, head, a)->last = (int)k;
    }
    return true;
}

/* The outermost of the ranges and the one inside it; all others are errors. */
static bool nest(const struct function *f, const struct ranges *ranges, struct range *outer,
                 struct range *inner, struct err *e)
{
    if (!ranges->at) {
        return err_set(e, ERR_RANGE, LOC_NONE, "no loop: no branch goes backwards");
    }
    *outer = ranges->at[0];
    *inner = (struct range){-1, -1};
    for (size_t k = 1; k < ranges->n; k++) {
        const struct range r = ranges->at[k];
        *outer = r.first <= outer->first && r.last >= outer->last ? r : *outer;
    }
    for (size_t k = 0; k < ranges->n; k++) {
        const struct range r = ranges->at[k];
        if (r.first == outer->first) {
            continue;
        }
        if (r.first < outer->first || r.last > outer->last) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "loops at 0x%llx and 0x%llx are not one inside the other",
                           (unsigned long long)f->insns[outer->first].address,
                           (unsigned long long)f->insns[r.first].address);
        }
        if (inner->first >= 0) {
            return err_set(e, ERR_RANGE, LOC_NONE,
                           "more than one loop inside the outermost: at 0x%llx and 0x%llx",
                           (unsigned long long)f->insns[inner->first].address,
                           (unsigned long long)f->insns[r.first].address);
        }
        *inner = r;
    }
    return true;
}

/* Seven arguments, four of which say where the code is.
 * NOLINTNEXTLINE(readability-function-size) */
bool loop_find(const uint8_t *code, size_t len, uint64_t address, enum code_arch arch,
               struct arena *a, struct code_loop *out, struct err *e)
{
    struct function f = {.code = code, .len = len, .address = address};
    struct ranges ranges = {0};
    struct range outer = {-1, -1}, inner = outer;
    struct decoder *d = decoder_open(arch, e);

    if (!d) {
        return false;
    }
    const bool decoded = decode_function(d, &f, a, e);
    decoder_close(d);
    if (!decoded || !find_ranges(&f, a, &ranges, e) || !nest(&f, &ranges, &outer, &inner, e)) {
        return false;
    }
    *out = (struct code_loop){
        .arch = arch,
        .insns = f.insns + outer.first,
        .n = outer.last - outer.first + 1,
        .inner_first = inner.first < 0 ? -1 : inner.first - outer.first,
        .inner_last = inner.first < 0 ? -1 : inner.last - outer.first,
    };
    return true;
}

static void add_form(struct form_count *forms, int *n, const char *form, double count)
{
    for (int k = 0; k < *n; k++) {
        if (strcmp(forms[k].form, form) == 0) {
            forms[k].count += count;
            return;
        }
    }
    forms[(*n)++] = (struct form_count){.form = form, .count = count};
}

static bool in_inner(const struct code_loop *l, int k)
{
    return l->inner_first >= 0 && k >= l->inner_first && k <= l->inner_last;
}

/* Of a register and itself always zeros, or always ones: x86 cores do not wait for it. */
static bool is_constant(const struct insn *i)
{
    static const char *const idioms[] = {"pxor",    "pxord",   "pxorq",   "xorps",   "xorpd",
                                         "psubb",   "psubw",   "psubd",   "psubq",   "pcmpeqb",
                                         "pcmpeqw", "pcmpeqd", "pcmpeqq", "pcmpgtb", "pcmpgtw",
                                         "pcmpgtd", "pcmpgtq"};
    const char *name = i->form + (i->form[0] == 'v');
    const size_t len = strcspn(name, " ");
    for (size_t k = 0; i->same_sources && k < sizeof idioms / sizeof *idioms; k++) {
        if (strlen(idioms[k]) == len && strncmp(name, idioms[k], len) == 0) {
            return true;
        }
    }
    return false;
}

/* Vector registers of the innermost loop that are read before they are written, and written. */
static int count_chains(const struct code_loop *l)
{
    bool handed_on[CODE_REGS_MAX] = {false}, written[CODE_REGS_MAX] = {false};
    int n = 0;

    for (int k = 0; k < l->n; k++) {
        const struct insn *i = &l->insns[k];
        if (l->inner_first >= 0 && !in_inner(l, k)) {
            continue;
        }
        for (int r = 0; r < i->n_reads && !is_constant(i); r++) {
            handed_on[i->reads[r]] |= !written[i->reads[r]];
        }
        for (int w = 0; w < i->n_writes; w++) {
            written[i->writes[w]] = true;
        }
    }
    for (code_reg r = 0; r < CODE_REGS_MAX; r++) {
        n += handed_on[r] && written[r] && code_reg_is_vector(l->arch, r);
    }
    return n;
}

bool loop_count(const struct code_loop *l, double inner_trips, struct arena *a,
                struct loop_counts *out, struct err *e)
{
    if (!(inner_trips >= 0) || isinf(inner_trips)) {
        return err_set(e, ERR_RANGE, LOC_NONE, "trips of the inner loop must be 0 or more");
    }
    *out = (struct loop_counts){
        .forms = arena_new(a, struct form_count, (size_t)l->n),
        .inner = arena_new(a, struct form_count, (size_t)l->n),
    };
    for (int k = 0; k < l->n; k++) {
        const struct insn *i = &l->insns[k];
        const bool inside = in_inner(l, k);
        const double trips = !inside ? 1 : inner_trips > 0 ? inner_trips : (double)NAN;
        if (inside) {
            add_form(out->inner, &out->n_inner, i->form, 1);
        } else {
            add_form(out->forms, &out->n_forms, i->form, 1);
        }
        out->loads_per_iter += trips * i->loads;
        out->stores_per_iter += trips * i->stores;
        out->flops_per_iter += trips * i->flops;
    }
    out->chains = count_chains(l);
    return true;
}

#define LINE_BYTES 64

/* The part of all positions of the registers, `step` apart, at which this access crosses a line. */
static double crossing_part(const struct insn_mem *m, unsigned step)
{
    unsigned crossing = 0;

    for (unsigned at = 0; at < LINE_BYTES; at += step) {
        const unsigned in_line = (unsigned)((uint64_t)m->displacement + at) % LINE_BYTES;
        crossing += in_line + (unsigned)m->bytes > LINE_BYTES;
    }
    return (double)crossing * step / LINE_BYTES;
}

struct loop_crossing loop_crossing(const struct code_loop *l, double inner_trips,
                                   uint64_t step_bytes)
{
    struct loop_crossing out = {0};
    unsigned step = LINE_BYTES; /* the greatest power of two that divides both */

    while (step_bytes % step) {
        step /= 2;
    }
    for (int k = 0; k < l->n; k++) {
        for (int m = 0; m < l->insns[k].n_mem; m++) {
            const struct insn_mem *mem = &l->insns[k].mem[m];
            const double n = crossing_part(mem, step) * (in_inner(l, k) ? inner_trips : 1);
            out.loads += mem->read ? n : 0;
            out.stores += mem->write ? n : 0;
        }
    }
    return out;
}

/* Text for a difference in one number; 1 if there is one.  NaN stated: nothing was promised. */
static int compare_number(const char *what, double stated, double found, struct text *out)
{
    if (isnan(stated) || fabs(stated - found) <= 1e-9 * fabs(stated)) {
        return 0;
    }
    if (isnan(found)) {
        text_add(out, "    %s: stated %g, unknown in the code\n", what, stated);
    } else {
        text_add(out, "    %s: stated %g, the code has %g\n", what, stated, found);
    }
    return 1;
}

/* Differences between stated forms (patterns are allowed) and those found in one part of a loop. */
static int compare_forms(const char *part, const struct form_count *stated, int n_stated,
                         const struct form_count *found, int n_found, struct text *out)
{
    char pattern[FORM_SIZE];
    int n = 0;

    for (int s = 0; s < n_stated; s++) {
        double count = 0;
        for (int k = 0; form_normalise(stated[s].form, pattern) && k < n_found; k++) {
            count += form_matches(pattern, found[k].form) ? found[k].count : 0;
        }
        if (fabs(count - stated[s].count) > 0) {
            text_add(out, "    %s%s: stated %g, the code has %g\n", part, stated[s].form,
                     stated[s].count, count);
            n++;
        }
    }
    for (int k = 0; k < n_found; k++) {
        bool named = false;
        for (int s = 0; s < n_stated && !named; s++) {
            named = form_normalise(stated[s].form, pattern) && form_matches(pattern, found[k].form);
        }
        if (!named) {
            text_add(out, "    %s%s: not stated, the code has %g\n", part, found[k].form,
                     found[k].count);
            n++;
        }
    }
    return n;
}

int loop_compare(const struct kernel_body *stated, double flops_per_element,
                 const struct loop_counts *found, struct text *out)
{
    const double flops = isnan(stated->flops_per_iter)
                             ? flops_per_element * stated->elements_per_iter
                             : stated->flops_per_iter;
    int n = compare_forms("", stated->forms, stated->n_forms, found->forms, found->n_forms, out) +
            compare_forms("inner loop, ", stated->inner, stated->n_inner, found->inner,
                          found->n_inner, out);

    if (stated->inner_trips > 0 && found->n_inner == 0) {
        text_add(out, "    inner loop: stated %g trips, the code has none\n", stated->inner_trips);
        n++;
    }
    return n + compare_number("loads", stated->loads_per_iter, found->loads_per_iter, out) +
           compare_number("stores", stated->stores_per_iter, found->stores_per_iter, out) +
           compare_number("flops", flops, found->flops_per_iter, out) +
           compare_number("independent chains", stated->independent_chains, found->chains, out);
}

int loop_compare_crossing(const struct kernel_body *stated, struct loop_crossing found,
                          struct text *out)
{
    return compare_number("loads that cross a line", stated->crossing_loads_per_iter, found.loads,
                          out) +
           compare_number("stores that cross a line", stated->crossing_stores_per_iter,
                          found.stores, out);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool code_from_hex(const char *hex, struct loc loc, struct arena *a, uint8_t **code, size_t *len,
                   struct err *e)
{
    const size_t digits = strlen(hex);
    uint8_t *bytes = arena_new(a, uint8_t, digits / 2 + 1);

    for (size_t k = 0; k < digits; k++) {
        const int digit = hex_digit(hex[k]);
        if (digit < 0) {
            loc.column += loc.column ? (unsigned)k : 0;
            return err_set(e, ERR_SYNTAX, loc, "'%c' in machine code: only hexadecimal digits",
                           hex[k] >= ' ' && hex[k] <= '~' ? hex[k] : '?');
        }
        bytes[k / 2] = (uint8_t)(bytes[k / 2] << 4 | digit);
    }
    if (digits % 2 || !digits) {
        return err_set(e, ERR_SYNTAX, loc, "machine code of %zu digits: two make a byte", digits);
    }
    *code = bytes;
    *len = digits / 2;
    return true;
}
