#include "cli/choice.h"

#include "cli/cli.h"

enum { THREADS_MAX = 1024 };

bool choice_option(int key, const char *arg, struct choice *c, struct err *e)
{
    switch (key) {
    case 'm':
        c->machine = arg;
        return true;
    case 'M':
        c->machines = arg;
        return true;
    case 'k':
        c->kernels = arg;
        return true;
    case 'i':
        c->isa = arg;
        return true;
    case 't':
        cli_integer("--threads", arg, 1, THREADS_MAX, &c->threads, e);
        return true;
    default:
        return false;
    }
}
