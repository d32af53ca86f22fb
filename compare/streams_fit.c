#include "compare/evidence.h"
#include "compare/order.h"

#include <math.h>

static bool is_mix(const struct evidence *ev, int i)
{
    const struct kernel *k = ev->roof_details[i].described;
    return same_text(ev->roofs[i].unit, "byte/s") && !ev->roof_details[i].from_machine && k &&
           k->n_streams > 0 && k->element_bytes > 0 && ev->roofs[i].rate > 0 &&
           !same_text(ev->roofs[i].level, "L1");
}

static bool same_place(const struct roof *r, const struct stream_fit *f)
{
    return r->threads == f->threads && same_text(r->level, f->level) && same_text(r->isa, f->isa);
}

static struct stream_mix mix_of(const struct evidence *ev, int i)
{
    const struct kernel *k = ev->roof_details[i].described;
    struct stream_mix mix = {.name = k->name};
    streams_of_kernel(k, mix.lines);
    mix.seconds =
        STREAM_LINE_BYTES / k->element_bytes * kernel_bytes_counted(k) / ev->roofs[i].rate;
    return mix;
}

static void fit(const struct evidence *ev, struct stream_fit *f)
{
    struct err e = {0};
    f->mixes = arena_new(ev->arena, struct stream_mix, STREAM_MIXES_MAX);
    f->problem = "";
    for (int i = 0; i < ev->n_roofs && f->n_mixes < STREAM_MIXES_MAX; i++) {
        if (is_mix(ev, i) && same_place(&ev->roofs[i], f)) {
            f->mixes[f->n_mixes++] = mix_of(ev, i);
            f->disturbed |= ev->roofs[i].disturbed;
        }
    }
    if (!streams_fit(f->mixes, f->n_mixes, &f->map, &e)) {
        f->problem = arena_format(ev->arena, "%s", e.text);
    }
}

void evidence_fit_streams(struct evidence *ev)
{
    ev->streams = arena_new(ev->arena, struct stream_fit, (size_t)ev->n_roofs + 1);
    for (int i = 0; i < ev->n_roofs; i++) {
        const struct roof *r = &ev->roofs[i];
        if (is_mix(ev, i) && !evidence_streams(ev, r->level, r->isa, r->threads)) {
            struct stream_fit *f = &ev->streams[ev->n_streams++];
            *f = (struct stream_fit){.level = r->level, .isa = r->isa, .threads = r->threads};
            fit(ev, f);
        }
    }
}

const struct stream_fit *evidence_streams(const struct evidence *ev, const char *level,
                                          const char *isa, int threads)
{
    for (int i = 0; i < ev->n_streams; i++) {
        const struct stream_fit *f = &ev->streams[i];
        if (f->threads == threads && same_text(f->level, level) && same_text(f->isa, isa)) {
            return f;
        }
    }
    return NULL;
}
