#include "compare/gnuplot.h"

#include "base/child.h"

#include <string.h>

bool gnuplot_run(struct bytes script, double seconds_max, struct text *out, struct err *e)
{
    static const char *const command[] = {"gnuplot", NULL};
    const struct child_program gnuplot = {command, script, seconds_max};
    struct text errors = {.arena = out->arena};
    struct child_end end;
    struct err why = {0};
    char line[160], words[CHILD_WORDS_BYTES];
    const size_t before = out->len;

    if (!child_run(&gnuplot, out, &errors, &end, &why)) {
        return err_set(e, why.code, LOC_NONE,
                       strstr(why.text, "not installed")
                           ? "%s and draws the plots: apt-get install gnuplot-nox, or take another "
                             "format"
                           : "%s",
                       why.text);
    }
    if (end.timed_out || end.signal) {
        return err_set(e, ERR_HOST, LOC_NONE, "gnuplot %s", child_words(&end, seconds_max, words));
    }
    child_complaint(&errors, line, sizeof line);
    return (end.status == 0 && out->len > before) ||
           err_set(e, ERR_HOST, LOC_NONE, "gnuplot failed: %s", line[0] ? line : "it drew nothing");
}
