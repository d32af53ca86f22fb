/* err.h - one failure, said once, with the place in the input that caused it.
 *
 * A function that can fail takes `struct err *e` last and returns bool or a pointer.  On success *e
 * is untouched, so calls chain with &&; on failure the first message wins.  Nothing below cli/
 * prints or exits: cli/ alone turns an err into text and an exit status.
 */
#ifndef GAMBREL_BASE_ERR_H
#define GAMBREL_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum err_code {
    ERR_NONE = 0,
    ERR_IO,     /* a file could not be read or written               */
    ERR_SYNTAX, /* not YAML, not CSV, not an instruction             */
    ERR_SCHEMA, /* well-formed, but a key is missing, unknown, twice */
    ERR_RANGE,  /* a value that cannot be right                      */
    ERR_MODEL,  /* a linear program without a certified optimum      */
    ERR_HOST,   /* this machine cannot do what was asked             */
};

/* Line and column count from 1; 0 means unknown.  The file name is borrowed. */
struct loc {
    const char *file;
    unsigned line, column;
};

struct err {
    enum err_code code;
    struct loc loc;
    char text[256]; /* what is wrong and what would be right; no newline */
};

/* Records a failure unless one is there already.  Always false, for `return err_set(...)`. */
bool err_set(struct err *e, enum err_code code, struct loc loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "file:line:column: text" without the parts that are unknown; returns buffer. */
const char *err_describe(const struct err *e, char *buffer, size_t size);

/* Where nothing in an input is to blame. */
#define LOC_NONE ((struct loc){0})

#endif
