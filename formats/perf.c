/* perf.c - profile.h's reader of perf.data.
 *
 * A header says where the attributes of the events and the records are.  Every record begins with
 * its type (4 bytes), flags (2) and size (2).  All numbers are little-endian.
 */
#include "base/items.h"
#include "formats/profile.h"

#include <stdlib.h>
#include <string.h>

enum record_type { RECORD_MMAP = 1, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10 };
#define RECORD_COMPRESSED  81 /* and COMPRESSED2: 83 */
#define RECORD_COMPRESSED2 83

enum { SAMPLE_IP = 1 << 0, SAMPLE_TID = 1 << 1, SAMPLE_IDENTIFIER = 1 << 16 };
#define SAMPLE_LAYOUT ((uint64_t)(SAMPLE_IP | SAMPLE_TID | SAMPLE_IDENTIFIER))

enum { TYPE_SOFTWARE = 1, CONFIG_DUMMY = 9 };

/* Forks that lead from a process to the one that mapped a file, at most: damaged files may go
 * round. */
#define GENERATIONS_MAX 64

struct map {
    uint32_t pid;
    size_t order;                /* of writing */
    uint64_t start, len, offset; /* in memory, and of its first byte in the file */
    const char *file;            /* base name */
};

struct sample {
    uint32_t pid;
    uint64_t ip;
};

struct fork {
    uint32_t pid, parent;
    size_t order;
};

struct reader {
    struct bytes in;
    const char *file;
    struct arena *arena;
    uint64_t layout; /* SAMPLE_LAYOUT of every event */
    struct map *maps;
    size_t n_maps, maps_capacity;
    struct sample *samples;
    size_t n_samples, samples_capacity;
    struct fork *forks;
    size_t n_forks, forks_capacity;
    int n_events;
};

static bool fail(const struct reader *r, enum err_code code, uint64_t at, const char *what,
                 struct err *e)
{
    return err_set(e, code, (struct loc){r->file, 1, (unsigned)at + 1}, "%s", what);
}

static uint64_t number(const struct reader *r, uint64_t at, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes - 1; k >= 0; k--) {
        value = value << 8 | (unsigned char)r->in.data[at + (uint64_t)k];
    }
    return value;
}

/* Are bytes [at, at + len) in the file? */
static bool inside(const struct reader *r, uint64_t at, uint64_t len)
{
    return at <= r->in.len && len <= r->in.len - at;
}

/* --- header --- */

struct header {
    uint64_t attr_size, attrs, attrs_size, data, data_size;
};

static bool read_header(const struct reader *r, struct header *h, struct err *e)
{
    enum { HEADER = 104, PIPE_HEADER = 16 };
    if (!inside(r, 0, 16) || memcmp(r->in.data, "PERFILE2", 8) != 0) {
        return fail(r, ERR_SYNTAX, 0, "not a perf.data file of version 2, little-endian", e);
    }
    if (number(r, 8, 8) == PIPE_HEADER) {
        return fail(r, ERR_RANGE, 8,
                    "written to a pipe; perf record -o FILE writes what can be read here", e);
    }
    if (!inside(r, 0, HEADER) || number(r, 8, 8) < HEADER) {
        return fail(r, ERR_SYNTAX, 8, "damaged perf.data: the header is cut off", e);
    }
    *h = (struct header){.attr_size = number(r, 16, 8),
                         .attrs = number(r, 24, 8),
                         .attrs_size = number(r, 32, 8),
                         .data = number(r, 40, 8),
                         .data_size = number(r, 48, 8)};
    if (!inside(r, h->attrs, h->attrs_size) || !inside(r, h->data, h->data_size)) {
        return fail(r, ERR_SYNTAX, 24, "damaged perf.data: a section reaches past the end", e);
    }
    if (h->data_size == 0) {
        return fail(r, ERR_SYNTAX, 48, "no data: was perf record stopped before its end?", e);
    }
    return true;
}

/* An event's type (4 bytes), size (4), config (8), period (8) and sample_type (8) stand first. */
static bool read_attr(struct reader *r, uint64_t at, struct err *e)
{
    const uint64_t layout = number(r, at + 24, 8) & SAMPLE_LAYOUT;
    if (number(r, at, 4) == TYPE_SOFTWARE && number(r, at + 8, 8) == CONFIG_DUMMY) {
        return true; /* without samples: for the records of mappings alone */
    }
    if (!(layout & SAMPLE_IP) || !(layout & SAMPLE_TID)) {
        return fail(r, ERR_RANGE, at + 24, "samples without address or process", e);
    }
    if (r->n_events > 0 && layout != r->layout) {
        return fail(r, ERR_RANGE, at + 24,
                    "events with samples of different layout; record one event", e);
    }
    r->layout = layout;
    r->n_events++;
    return true;
}

static bool read_attrs(struct reader *r, const struct header *h, struct err *e)
{
    enum { ATTR_SIZE_MIN = 64 };
    if (h->attr_size < ATTR_SIZE_MIN || h->attrs_size % h->attr_size != 0) {
        return fail(r, ERR_SYNTAX, 16, "damaged perf.data: events of a size that cannot be", e);
    }
    for (uint64_t at = 0; at < h->attrs_size; at += h->attr_size) {
        if (!read_attr(r, h->attrs + at, e)) {
            return false;
        }
    }
    return r->n_events > 0 || fail(r, ERR_RANGE, 32, "no event that has samples", e);
}

/* --- records --- */

static const char *base_name(const char *path, size_t len, struct arena *a)
{
    const char *slash = memrchr(path, '/', len);
    const size_t skipped = slash ? (size_t)(slash + 1 - path) : 0;
    return arena_copy(a, path + skipped, len - skipped);
}

/* pid 4, tid 4, start 8, length 8, offset 8, of MMAP2 32 bytes more, and the name of the file. */
static bool read_map(struct reader *r, uint64_t at, uint64_t end, uint64_t name, struct err *e)
{
    if (end - at < name) {
        return fail(r, ERR_SYNTAX, at, "damaged perf.data: a mapping is cut off", e);
    }
    const char *text = r->in.data + at + name;
    r->maps = arena_grow(r->arena, r->maps, r->n_maps, &r->maps_capacity, sizeof *r->maps);
    r->maps[r->n_maps] = (struct map){
        .pid = (uint32_t)number(r, at + 8, 4),
        .order = r->n_maps,
        .start = number(r, at + 16, 8),
        .len = number(r, at + 24, 8),
        .offset = number(r, at + 32, 8),
        .file = base_name(text, strnlen(text, end - at - name), r->arena),
    };
    r->n_maps++;
    return true;
}

/* pid 4, ppid 4: a child begins with what its parent has mapped; a thread is no process. */
static bool read_fork(struct reader *r, uint64_t at, uint64_t end, struct err *e)
{
    if (end - at < 16) {
        return fail(r, ERR_SYNTAX, at, "damaged perf.data: a fork is cut off", e);
    }
    const struct fork f = {(uint32_t)number(r, at + 8, 4), (uint32_t)number(r, at + 12, 4),
                           r->n_forks};
    if (f.pid != f.parent) {
        r->forks = arena_grow(r->arena, r->forks, r->n_forks, &r->forks_capacity, sizeof f);
        r->forks[r->n_forks++] = f;
    }
    return true;
}

/* identifier 8 if there is one, ip 8, pid 4, tid 4, and what is of no use here. */
static bool read_sample(struct reader *r, uint64_t at, uint64_t end, struct err *e)
{
    const uint64_t ip = at + 8 + (r->layout & SAMPLE_IDENTIFIER ? 8 : 0);
    if (end < ip + 16) {
        return fail(r, ERR_SYNTAX, at, "damaged perf.data: a sample is cut off", e);
    }
    r->samples =
        arena_grow(r->arena, r->samples, r->n_samples, &r->samples_capacity, sizeof *r->samples);
    r->samples[r->n_samples++] = (struct sample){(uint32_t)number(r, ip + 8, 4), number(r, ip, 8)};
    return true;
}

static bool read_record(struct reader *r, uint64_t at, uint64_t end, struct err *e)
{
    switch (number(r, at, 4)) {
    case RECORD_MMAP:
        return read_map(r, at, end, 40, e);
    case RECORD_MMAP2:
        return read_map(r, at, end, 72, e);
    case RECORD_FORK:
        return read_fork(r, at, end, e);
    case RECORD_SAMPLE:
        return read_sample(r, at, end, e);
    case RECORD_COMPRESSED:
    case RECORD_COMPRESSED2:
        return fail(r, ERR_RANGE, at, "compressed; perf record without -z writes what can be read",
                    e);
    default:
        return true;
    }
}

static bool read_records(struct reader *r, const struct header *h, struct err *e)
{
    const uint64_t end = h->data + h->data_size;
    for (uint64_t at = h->data; at < end;) {
        const uint64_t size = end - at < 8 ? 0 : number(r, at + 6, 2);
        if (size < 8 || size > end - at) {
            return fail(r, ERR_SYNTAX, at, "damaged perf.data: a record is cut off", e);
        }
        if (!read_record(r, at, at + size, e)) {
            return false;
        }
        at += size;
    }
    return true;
}

/* --- samples to spots --- */

static int by_owner(const void *left, const void *right)
{
    const struct map *a = left, *b = right;
    if (a->pid != b->pid) {
        return a->pid < b->pid ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static int by_child(const void *left, const void *right)
{
    const struct fork *a = left, *b = right;
    if (a->pid != b->pid) {
        return a->pid < b->pid ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

/* How many of the sorted maps belong to processes up to this one. */
static size_t maps_through(const struct reader *r, uint32_t pid)
{
    size_t low = 0, high = r->n_maps;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->maps[middle].pid <= pid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const struct fork *fork_of(const struct reader *r, uint32_t pid)
{
    size_t low = 0, high = r->n_forks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->forks[middle].pid <= pid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && r->forks[low - 1].pid == pid ? &r->forks[low - 1] : NULL;
}

/* The last mapping of the process there, or of the one it was forked from. */
static const struct map *map_of(const struct reader *r, const struct sample *s)
{
    uint32_t pid = s->pid;
    for (int generation = 0; generation < GENERATIONS_MAX; generation++) {
        for (size_t k = maps_through(r, pid); k-- > 0 && r->maps[k].pid == pid;) {
            const struct map *m = &r->maps[k];
            if (s->ip >= m->start && s->ip - m->start < m->len) {
                return m;
            }
        }
        const struct fork *f = fork_of(r, pid);
        if (!f) {
            return NULL;
        }
        pid = f->parent;
    }
    return NULL;
}

static int by_place(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    if (a->pid != b->pid) {
        return a->pid < b->pid ? -1 : 1;
    }
    return (a->ip > b->ip) - (a->ip < b->ip);
}

/* Equal samples are one spot; so is its mapping looked for once. */
static void take_spots(struct reader *r, struct profile *out)
{
    items_sort(r->maps, r->n_maps, sizeof *r->maps, by_owner);
    items_sort(r->forks, r->n_forks, sizeof *r->forks, by_child);
    items_sort(r->samples, r->n_samples, sizeof *r->samples, by_place);
    for (size_t k = 0, next; k < r->n_samples; k = next) {
        const struct sample *s = &r->samples[k];
        for (next = k + 1; next < r->n_samples && by_place(s, &r->samples[next]) == 0;) {
            next++;
        }
        const struct map *m = map_of(r, s);
        if (!m) {
            out->elsewhere += (double)(next - k);
            continue;
        }
        out->spots = arena_grow(r->arena, out->spots, out->n, &out->capacity, sizeof *out->spots);
        out->spots[out->n++] = (struct profile_spot){.file = m->file,
                                                     .place = PROFILE_OFFSET,
                                                     .value = s->ip - m->start + m->offset,
                                                     .count = (double)(next - k)};
    }
}

bool profile_read_perf(struct bytes input, const char *file, struct arena *a, struct profile *out,
                       struct err *e)
{
    struct reader r = {.in = input, .file = file, .arena = a};
    struct header h = {0};
    *out = (struct profile){0};
    if (!read_header(&r, &h, e) || !read_attrs(&r, &h, e) || !read_records(&r, &h, e)) {
        return false;
    }
    take_spots(&r, out);
    out->n_events = r.n_events;
    return true;
}
