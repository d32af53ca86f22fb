#include "base/file.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void no_memory(void *context)
{
    (void)context;
    abort();
}

static const char *in_folder(struct arena *a, const char *folder, const char *name)
{
    return arena_format(a, "%s/%s", folder, name);
}

static void reading(struct arena *a, const char *folder)
{
    struct bytes got;
    struct err e = {0};
    char line[512];
    ok(!file_read("no/such/file", a, &got, &e) && e.code == ERR_IO, "a missing file is ERR_IO");
    is_text(err_describe(&e, line, sizeof line),
            "no/such/file: cannot open: No such file or directory", "and says so");
    e = (struct err){0};
    ok(!file_read(folder, a, &got, &e) && e.code == ERR_IO, "a folder is ERR_IO");
    is_text(e.text, "is a folder; a file is needed", "and says so");

    const char *large = in_folder(a, folder, "large");
    FILE *f = fopen(large, "w");
    ok(f && ftruncate(fileno(f), (long)FILE_BYTES_MAX + 1) == 0 && fclose(f) == 0, "a large file");
    e = (struct err){0};
    ok(!file_read(large, a, &got, &e) && e.code == ERR_IO, "is ERR_IO");
    is_text(e.text, "larger than 64 MiB, the most that is read", "and says so");
    e = (struct err){0};
    ok(!file_read("/dev/zero", a, &got, &e) && e.code == ERR_IO, "an endless device is ERR_IO");
    unlink(large);

    e = (struct err){0};
    ok(file_read("/dev/null", a, &got, &e) && got.len == 0, "an empty file is read");
}

static void writing(struct arena *a, const char *folder)
{
    const char *path = in_folder(a, folder, "out");
    struct err e = {0};
    struct bytes got;
    ok(file_write_whole(path, (struct bytes){"first", 5}, &e) &&
           file_write_whole(path, (struct bytes){"2\0d", 3}, &e),
       "write, and write over");
    ok(file_read(path, a, &got, &e) && got.len == 3 && memcmp(got.data, "2\0d", 3) == 0,
       "the bytes come back");
    ok(got.data[3] == '\0', "and are followed by a NUL");

    ok(!file_write_whole("/dev/full", (struct bytes){"x", 1}, &e) && e.code == ERR_IO,
       "a full device is ERR_IO");
    is_text(e.text, "cannot write: No space left on device", "and says so");
    e = (struct err){0};
    ok(!file_write_whole(in_folder(a, folder, "no/out"), (struct bytes){"x", 1}, &e),
       "a missing folder is an error");
    e = (struct err){0};
    ok(!file_write_whole(folder, (struct bytes){"x", 1}, &e), "a folder cannot be written to");
    e = (struct err){0};
    ok(!file_can_write(folder, &e) && e.code == ERR_IO, "and that is known before");
    e = (struct err){0};
    ok(!file_can_write(in_folder(a, folder, "no/out"), &e), "as is a missing folder");
    e = (struct err){0};
    ok(!file_can_write(in_folder(a, folder, "no/"), &e), "a name that ends in a slash");
    e = (struct err){0};
    ok(!file_can_write("", &e), "no name");
    e = (struct err){0};
    ok(file_can_write(path, &e) && file_read(path, a, &got, &e) && got.len == 3,
       "a file that can be written over stays as it is");
    ok(file_can_write(in_folder(a, folder, "new"), &e) && file_can_write("/dev/null", &e),
       "a new file and a device can be written");
    unlink(path);
    ok(rmdir(folder) == 0 && mkdir(folder, 0777) == 0, "nothing else is left behind");
}

static void limits(struct arena *a, const char *folder)
{
    struct err e = {0};
    struct bytes content = {0};
    const char *path = in_folder(a, folder, "ten");
    file_write_whole(path, (struct bytes){"0123456789", 10}, &e);
    ok(file_read_most(path, 10, a, &content, &e) && content.len == 10, "as large as the limit");
    ok(!file_read_most(path, 9, a, &content, &e) && e.code == ERR_IO, "and larger");
    is_text(e.text, "larger than 0 MiB, the most that is read", "which is said");
    unlink(path);
}

static void folders(struct arena *a, const char *folder)
{
    struct err e = {0};
    struct stat s;
    const char *deep = in_folder(a, folder, "a/b/c");
    ok(file_make_folder(deep, &e) && stat(deep, &s) == 0 && S_ISDIR(s.st_mode), "parents are made");
    ok(file_make_folder(deep, &e), "fine if it exists");
    const char *file = in_folder(a, folder, "a/file");
    file_write_whole(file, (struct bytes){"", 0}, &e);
    ok(!file_make_folder(file, &e) && e.code == ERR_IO, "a file in its place is ERR_IO");
    e = (struct err){0};
    ok(!file_make_folder(in_folder(a, folder, "a/file/d"), &e), "or on its way");
    e = (struct err){0};
    ok(!file_make_folder("", &e), "no name is an error");
    unlink(file);
    rmdir(deep);
    rmdir(in_folder(a, folder, "a/b"));
    rmdir(in_folder(a, folder, "a"));
}

int main(void)
{
    char folder[] = "/tmp/gambrel-test-XXXXXX";
    struct arena *a = arena_create((size_t)1 << 30, no_memory, NULL);
    if (!mkdtemp(folder)) {
        ok(false, "a folder to work in");
        return tap_done();
    }
    reading(a, folder);
    writing(a, folder);
    limits(a, folder);
    folders(a, folder);
    rmdir(folder);
    arena_release(a);
    return tap_done();
}
