/* CSV as RFC 4180 has it, one line for each roof and each kernel.  Base units; what is not known is
 * empty. */
#include "compare/csv.h"
#include "compare/report.h"

#include <math.h>
#include <string.h>

static void add_where(struct text *out, const char *kind, const char *name, const char *isa,
                      const char *level, int threads)
{
    csv_field(out, kind);
    csv_field(out, name);
    csv_field(out, isa);
    csv_field(out, level);
    csv_number(out, threads);
}

static void add_measured(struct text *out, const struct measured *m, const char *unit)
{
    csv_number(out, m->rate);
    csv_field(out, unit);
    csv_number(out, m->low);
    csv_number(out, m->high);
    csv_number(out, m->cv);
    csv_number(out, m->n);
    csv_number(out, m->other);
    csv_field(out, m->disturbed ? "1" : "0");
    csv_number(out, m->array_bytes);
}

static void add_roof(struct text *out, const struct comparison *c, int i)
{
    const struct roof *r = &c->roofs[i];
    const bool memory = strcmp(r->unit, "byte/s") == 0;
    add_where(out, "roof", r->name, r->isa, r->level, r->threads);
    add_measured(out, &c->roofs_measured[i], r->unit);
    csv_number(out, memory ? r->rate : (double)NAN);
    csv_number(out, c->roof_details[i].rate_with_fetch);
    for (int m = 0; m < 5 + n_models; m++) {
        csv_field(out, "");
    }
    text_add(out, "\n");
}

/* What the models say of a row, to the end of the line. */
static void add_judgement(struct text *out, const struct comparison *c, const struct row *row)
{
    struct text verdict = {.arena = out->arena};
    for (int m = 0; m < n_models; m++) {
        csv_number(out, row->ceilings[m].rate);
    }
    const int best = row_explained_by(row);
    csv_field(out, best < 0 ? "" : models[best].name);
    csv_number(out, row->ladder.unexplained);
    row_words(c, row, &verdict);
    csv_field(out, verdict.data);
    text_add(out, "\n");
}

static void add_row(struct text *out, const struct comparison *c, const struct row *row)
{
    add_where(out, "kernel", row->name, row->isa, row->level, row->threads);
    add_measured(out, &row->measured, row->unit);
    csv_number(out, row->traffic);
    csv_number(out, row->traffic_with_fetch);
    csv_number(out, row->kernel ? row->kernel->intensity : (double)NAN);
    csv_number(out, row->over_l1);
    add_judgement(out, c, row);
}

bool report_csv(const struct comparison *c, const struct report_options *o, struct text *out,
                struct err *e)
{
    (void)o;
    (void)e;
    text_add(out, "kind,name,isa,level,threads,measured,unit,low,high,cv,n,other,disturbed,"
                  "array_bytes,traffic,traffic_with_fetch,intensity,over_l1");
    for (int m = 0; m < n_models; m++) {
        csv_field(out, models[m].name);
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

bool batch_csv(const struct batch *b, const struct report_options *o, struct text *out,
               struct err *e)
{
    (void)o;
    (void)e;
    text_add(out, "run,machine,kernel,isa,level,threads,measured,unit,cv,n,disturbed");
    for (int m = 0; m < n_models; m++) {
        csv_field(out, models[m].name);
    }
    text_add(out, ",explained_by,unexplained,verdict\n");
    for (int i = 0; i < b->n; i++) {
        for (int r = 0; r < b->runs[i]->n_rows; r++) {
            const struct row *row = &b->runs[i]->rows[r];
            csv_field(out, b->runs[i]->run->file);
            csv_field(out, b->runs[i]->machine ? b->runs[i]->machine->name : "");
            csv_field(out, row->name);
            csv_field(out, row->isa);
            csv_field(out, row->level);
            csv_number(out, row->threads);
            csv_number(out, row->measured.rate);
            csv_field(out, row->unit);
            csv_number(out, row->measured.cv);
            csv_number(out, row->measured.n);
            csv_field(out, row->measured.disturbed ? "1" : "0");
            add_judgement(out, b->runs[i], row);
        }
    }
    return true;
}
