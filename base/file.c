#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct loc at(const char *path)
{
    return (struct loc){.file = path};
}

static bool fail(const char *path, const char *what, struct err *e)
{
    return err_set(e, ERR_IO, at(path), "cannot %s: %s", what, strerror(errno));
}

static bool too_large(const char *path, size_t bytes_max, struct err *e)
{
    return err_set(e, ERR_IO, at(path), "larger than %zu MiB, the most that is read",
                   bytes_max >> 20);
}

struct file_size {
    size_t expected, bytes_max;
};

/* Reads to the end; the buffer grows, since a pipe does not know its length. */
static bool read_all(int fd, const char *path, struct file_size size, struct arena *a,
                     struct bytes *out, struct err *e)
{
    size_t capacity = size.expected + 1, len = 0;
    char *data = arena_alloc(a, capacity, 1);
    for (;;) {
        data = arena_grow(a, data, len, &capacity, 1);
        const ssize_t got = read(fd, data + len, capacity - len);
        if (got == 0) {
            *out = (struct bytes){data, len};
            return true;
        }
        if (got < 0 && errno != EINTR) {
            return fail(path, "read", e);
        }
        len += got > 0 ? (size_t)got : 0;
        if (len > size.bytes_max) {
            return too_large(path, size.bytes_max, e);
        }
    }
}

static void close_fd(void *fd)
{
    if (*(int *)fd > STDERR_FILENO) {
        close(*(int *)fd);
    }
    *(int *)fd = -1;
}

bool file_read(const char *path, struct arena *a, struct bytes *out, struct err *e)
{
    return file_read_most(path, FILE_BYTES_MAX, a, out, e);
}

bool file_read_most(const char *path, size_t bytes_max, struct arena *a, struct bytes *out,
                    struct err *e)
{
    int *fd = arena_new(a, int, 1);
    arena_on_release(a, close_fd, fd); /* in case memory runs out while reading */
    *fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (*fd < 0 || fstat(*fd, &s) != 0) {
        return fail(path, "open", e);
    }
    bool done = false;
    if (S_ISDIR(s.st_mode)) {
        err_set(e, ERR_IO, at(path), "is a folder; a file is needed");
    } else if (S_ISREG(s.st_mode) && (size_t)s.st_size > bytes_max) {
        too_large(path, bytes_max, e);
    } else {
        const size_t expected = S_ISREG(s.st_mode) ? (size_t)s.st_size : (size_t)64 << 10;
        done = read_all(*fd, path, (struct file_size){expected, bytes_max}, a, out, e);
    }
    close_fd(fd);
    return done;
}

static bool write_all(int fd, struct bytes content)
{
    while (content.len > 0) {
        const ssize_t put = write(fd, content.data, content.len);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        content.data += put > 0 ? put : 0;
        content.len -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* A device or a pipe cannot be replaced, only written to. */
static bool write_through(const char *path, struct bytes content, struct err *e)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail(path, "open", e);
    }
    bool done = write_all(fd, content) || fail(path, "write", e);
    if (close(fd) != 0 && done) {
        done = fail(path, "write", e);
    }
    return done;
}

/* What cannot be replaced; a folder among it fails to open for writing, and says so. */
static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Opens a new file beside `path`; -1 and *e if that cannot be. */
static int open_temporary(const char *path, char temporary[PATH_MAX], struct err *e)
{
    const size_t path_len = strlen(path);
    if (path_len == 0 || path[path_len - 1] == '/') {
        err_set(e, ERR_IO, at(path), "cannot write: the name of a file is needed");
        return -1;
    }
    const int len = snprintf(temporary, PATH_MAX, "%s.%ld.tmp", path, (long)getpid());
    if (len < 0 || len >= PATH_MAX) {
        errno = ENAMETOOLONG;
        fail(path, "write", e);
        return -1;
    }
    unlink(temporary); /* left by a process of this number that died */
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        fail(path, "write", e);
    }
    return fd;
}

bool file_can_write(const char *path, struct err *e)
{
    if (is_folder(path)) {
        return err_set(e, ERR_IO, at(path), "is a folder; the name of a file is needed");
    }
    if (is_special(path)) { /* opening a pipe would wait for its reader */
        return access(path, W_OK) == 0 || fail(path, "write", e);
    }
    char temporary[PATH_MAX];
    const int fd = open_temporary(path, temporary, e);
    if (fd < 0) {
        return false;
    }
    close(fd);
    unlink(temporary);
    return true;
}

bool file_write_whole(const char *path, struct bytes content, struct err *e)
{
    if (is_special(path)) {
        return write_through(path, content, e);
    }
    char temporary[PATH_MAX];
    const int fd = open_temporary(path, temporary, e);
    if (fd < 0) {
        return false;
    }
    bool done = (write_all(fd, content) && fsync(fd) == 0) || fail(path, "write", e);
    if (close(fd) != 0 && done) {
        done = fail(path, "write", e);
    }
    if (done && rename(temporary, path) != 0) {
        done = fail(path, "write", e);
    }
    if (!done) {
        unlink(temporary);
    }
    return done;
}

bool file_make_folder(const char *path, struct err *e)
{
    char part[PATH_MAX];
    const size_t len = strlen(path);
    if (len == 0 || len >= sizeof part) {
        errno = len == 0 ? ENOENT : ENAMETOOLONG;
        return fail(path, "make the folder", e);
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return fail(path, "make the folder", e);
        }
        part[i] = path[i];
    }
    if (!is_folder(path)) {
        return err_set(e, ERR_IO, at(path), "exists and is not a folder");
    }
    return true;
}

const char *file_temporary(struct arena *a, struct err *e)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_format(a, "%s/gambrel-XXXXXX", folder && *folder ? folder : P_tmpdir);
    const int fd = mkstemp(path);
    if (fd < 0) {
        err_set(e, ERR_IO, LOC_NONE, "no temporary file '%s': %s", path, strerror(errno));
        return NULL;
    }
    close(fd);
    return path;
}
