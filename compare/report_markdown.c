/* The same document as Markdown with pipe tables. */
#include "compare/report.h"
#include "compare/summary.h"

bool report_markdown(const struct comparison *c, const struct report_options *o, struct text *out,
                     struct err *e)
{
    (void)o;
    (void)e;
    struct document d = {.arena = out->arena};
    summary_write(c, &d);
    document_markdown(&d, out);
    return true;
}

bool batch_markdown(const struct batch *b, const struct report_options *o, struct text *out,
                    struct err *e)
{
    (void)o;
    (void)e;
    struct document d = {.arena = out->arena};
    batch_write(b, &d);
    document_markdown(&d, out);
    return true;
}
