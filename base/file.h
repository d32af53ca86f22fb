/* file.h - whole files in, whole files out.
 *
 * A file is written whole or not at all: to a temporary name beside it, fsync, rename.
 */
#ifndef GAMBREL_BASE_FILE_H
#define GAMBREL_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define FILE_BYTES_MAX ((size_t)64 << 20) /* larger inputs are refused */

struct bytes {
    const char *data;
    size_t len;
};

/* Reads a regular file or a pipe ("-" is standard input).  ERR_IO: missing, a folder, too large. */
bool file_read(const char *path, struct arena *a, struct bytes *out, struct err *e);
/* The same with a limit of its own, for the large files of other programs. */
bool file_read_most(const char *path, size_t bytes_max, struct arena *a, struct bytes *out,
                    struct err *e);

/* ERR_IO names the system's reason; nothing is left behind on failure. */
bool file_write_whole(const char *path, struct bytes content, struct err *e);

/* Could it be written?  Tries with an empty temporary file, and leaves what is there as it is: for
 * what takes long to find out.  ERR_IO as above. */
bool file_can_write(const char *path, struct err *e);

/* An empty file of a new name in $TMPDIR or the system's folder for such; the caller removes it.
 * NULL: ERR_IO names the system's reason. */
const char *file_temporary(struct arena *a, struct err *e);

/* Makes a folder and its parents; fine if it exists. */
bool file_make_folder(const char *path, struct err *e);

#endif
