#include "cli/hits.h"

#include "base/items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the byte of the file is in memory; false: not in a section of code. */
static bool address_of_offset(const struct hits_of *of, uint64_t offset, uint64_t *address)
{
    for (int k = 0; k < of->sections->n; k++) {
        const struct object_function *s = &of->sections->functions[k];
        const uint64_t start = (uint64_t)(s->code - of->sections->image);
        if (offset >= start && offset - start < s->len) {
            *address = s->address + (offset - start);
            return true;
        }
    }
    return false;
}

static bool address_of_symbol(const struct hits_of *of, const struct profile_spot *s,
                              const struct object *functions, uint64_t *address, struct err *e)
{
    const struct object_function *f = object_find(functions, s->symbol);
    if (!f || s->value >= f->len) {
        return err_set(e, ERR_RANGE, s->loc, "%s has no function '%.80s'%s", of->path, s->symbol,
                       f ? " as long as that" : "");
    }
    *address = f->address + s->value;
    return true;
}

static bool is_of(const struct hits_of *of, const struct profile_spot *s, struct err *e)
{
    if (!s->file && of->several) {
        return err_set(e, ERR_RANGE, s->loc,
                       "of which of the binaries? a column 'file' is needed to say");
    }
    return !s->file || strcmp(s->file, of->name) == 0;
}

static bool add(const struct hits_of *of, const struct profile_spot *s,
                const struct object *functions, struct arena *a, struct hits *out, struct err *e)
{
    uint64_t address = s->value;
    if (s->place == PROFILE_OFFSET && !address_of_offset(of, s->value, &address)) {
        return true;
    }
    if (s->place == PROFILE_SYMBOL && !address_of_symbol(of, s, functions, &address, e)) {
        return false;
    }
    out->list = arena_grow(a, out->list, out->n, &out->capacity, sizeof *out->list);
    out->list[out->n++] = (struct hit){address, s->count};
    return true;
}

static int by_address(const void *left, const void *right)
{
    const struct hit *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

bool hits_find(const struct hits_of *of, struct arena *a, struct hits *out, struct err *e)
{
    const struct profile *p = of->profile;
    struct object functions = {0};
    *out = (struct hits){.samples = p->n_events > 0};
    if (p->n > 0 && p->spots[0].place == PROFILE_SYMBOL &&
        !object_read(of->input, of->path, a, &functions, e)) {
        return false;
    }
    for (size_t k = 0; k < p->n && !e->code; k++) {
        if (is_of(of, &p->spots[k], e)) {
            add(of, &p->spots[k], &functions, a, out, e);
        }
    }
    items_sort(out->list, out->n, sizeof *out->list, by_address);
    return e->code == ERR_NONE;
}

double hits_in(const struct hits *h, uint64_t from, uint64_t to, double *taken)
{
    double sum = 0, most = 0;
    size_t low = 0, high = h->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (h->list[middle].address < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < h->n && h->list[low].address < to; low++) {
        sum += h->list[low].count;
        most = fmax(most, h->list[low].count);
    }
    *taken += sum;
    return h->samples ? sum : most;
}
