/* child.h - work done in a process of its own: other programs, and code that may fault or hang.
 *
 * The one door to fork and exec.  A child gets a time limit and dies with its parent.
 */
#ifndef GAMBREL_BASE_CHILD_H
#define GAMBREL_BASE_CHILD_H

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct child_end {
    bool timed_out;
    int signal; /* that ended it; 0: none */
    int status; /* of its exit, where neither of the two */
    bool left;  /* child_call: the work called exit, instead of returning */
};

/* "was stopped after 2 s", "ended by signal 11 (Segmentation fault)", "called exit with status 0",
 * "exit status 1". */
#define CHILD_WORDS_BYTES 80
const char *child_words(const struct child_end *end, double seconds_max,
                        char out[CHILD_WORDS_BYTES]);

struct child_program {
    const char *const *command; /* NULL-terminated; the first is looked up in PATH */
    struct bytes input;         /* of standard input; {NULL, 0}: none */
    double seconds_max;
};

/* What it wrote is added to *out and *errors (both through files without a name, so that neither
 * side can block the other).  How it ended is in *end, and is no error here.
 * ERR_HOST: it cannot be started (not installed); ERR_IO: no temporary file. */
bool child_run(const struct child_program *p, struct text *out, struct text *errors,
               struct child_end *end, struct err *e);

/* The first line of what a program complained about that is not blank. */
const char *child_complaint(const struct text *errors, char *line, size_t size);

/* Runs work(context, result) in a copy of this process; result[0..bytes) starts as the caller's and
 * comes back as the child left it, however it ended.  Faults end the child by their signal, and it
 * leaves without the exit handlers of this process.  What the work prints is dropped; processes
 * that it starts end with it, unless they leave its group.  ERR_HOST: no process, or no memory. */
typedef void child_work(void *context, void *result);
struct child_call {
    child_work *work;
    void *context;
    void *result;
    size_t bytes;
    double seconds_max;
};
bool child_call(const struct child_call *c, struct child_end *end, struct err *e);

#endif
