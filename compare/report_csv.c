/* CSV as RFC 4180 has it, one line for each roof and each kernel.  Base units; what is not known is
 * empty. */
#include "compare/report.h"

#include <math.h>
#include <string.h>

static void field(struct text *out, const char *value)
{
    const bool first = out->len == 0 || out->data[out->len - 1] == '\n';
    text_add(out, "%s", first ? "" : ",");
    if (!strpbrk(value, ",\"\r\n")) {
        text_add(out, "%s", value);
        return;
    }
    text_add(out, "\"");
    for (; *value; value++) {
        text_add(out, "%s", *value == '"' ? "\"" : "");
        text_add_bytes(out, value, 1);
    }
    text_add(out, "\"");
}

static void number(struct text *out, double value)
{
    char digits[TEXT_NUMBER_SIZE];
    field(out, isfinite(value) ? report_number(value, digits) : "");
}

static void add_where(struct text *out, const char *kind, const char *name, const char *isa,
                      const char *level, int threads)
{
    field(out, kind);
    field(out, name);
    field(out, isa);
    field(out, level);
    number(out, threads);
}

static void add_measured(struct text *out, const struct measured *m, const char *unit)
{
    number(out, m->rate);
    field(out, unit);
    number(out, m->low);
    number(out, m->high);
    number(out, m->cv);
    number(out, m->n);
    number(out, m->other);
    field(out, m->disturbed ? "1" : "0");
    number(out, m->array_bytes);
}

static void add_roof(struct text *out, const struct comparison *c, int i)
{
    const struct roof *r = &c->roofs[i];
    const bool memory = strcmp(r->unit, "byte/s") == 0;
    add_where(out, "roof", r->name, r->isa, r->level, r->threads);
    add_measured(out, &c->roofs_measured[i], r->unit);
    number(out, memory ? r->rate : (double)NAN);
    number(out, c->roof_details[i].rate_with_fetch);
    for (int m = 0; m < 5 + n_models; m++) {
        field(out, "");
    }
    text_add(out, "\n");
}

static void add_row(struct text *out, const struct comparison *c, const struct row *row)
{
    struct text verdict = {.arena = out->arena};
    add_where(out, "kernel", row->name, row->isa, row->level, row->threads);
    add_measured(out, &row->measured, row->unit);
    number(out, row->traffic);
    number(out, row->traffic_with_fetch);
    number(out, row->kernel ? row->kernel->intensity : (double)NAN);
    number(out, row->over_l1);
    for (int m = 0; m < n_models; m++) {
        number(out, row->ceilings[m].rate);
    }
    const int best = row_explained_by(row);
    field(out, best < 0 ? "" : models[best].name);
    number(out, row->ladder.unexplained);
    row_words(c, row, &verdict);
    field(out, verdict.data);
    text_add(out, "\n");
}

bool report_csv(const struct comparison *c, const struct report_options *o, struct text *out,
                struct err *e)
{
    (void)o;
    (void)e;
    text_add(out, "kind,name,isa,level,threads,measured,unit,low,high,cv,n,other,disturbed,"
                  "array_bytes,traffic,traffic_with_fetch,intensity,over_l1");
    for (int m = 0; m < n_models; m++) {
        field(out, models[m].name);
    }
    text_add(out, ",explained_by,unexplained,verdict\n");
    for (int i = 0; i < c->n_roofs; i++) {
        add_roof(out, c, i);
    }
    for (int i = 0; i < c->n_rows; i++) {
        add_row(out, c, &c->rows[i]);
    }
    return true;
}
