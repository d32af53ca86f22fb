/* Aligned tables for a terminal. */
#include "compare/report.h"
#include "compare/summary.h"

bool report_terminal(const struct comparison *c, const struct report_options *o, struct text *out,
                     struct err *e)
{
    (void)e;
    struct document d = {.arena = out->arena};
    summary_write(c, &d);
    document_terminal(&d, o->color, out);
    return true;
}

bool batch_terminal(const struct batch *b, const struct report_options *o, struct text *out,
                    struct err *e)
{
    (void)e;
    struct document d = {.arena = out->arena};
    batch_write(b, &d);
    document_terminal(&d, o->color, out);
    return true;
}
