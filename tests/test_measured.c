#include "formats/blocks.h"
#include "formats/measured.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <unistd.h>

static void fail_oom(void *context)
{
    (void)context;
    abort();
}

struct fixture {
    struct arena *a;
    char path[64];
};

static void write_file(const struct fixture *f, const char *content, size_t len)
{
    FILE *file = fopen(f->path, "w");
    fwrite(content, 1, len, file);
    fclose(file);
}

static size_t read_file(const struct fixture *f, char *content, size_t size)
{
    FILE *file = fopen(f->path, "r");
    const size_t len = fread(content, 1, size - 1, file);
    fclose(file);
    content[len] = '\0';
    return len;
}

static const char whole[] = "block,cycles,spread,samples,cpu\n"
                            "\"1 add r64, r64\",0.2018,0.001,11,Some-6-1-2\n"
                            "\"2 add r64, r64; 1 mov r64, m64\",0.61,0,9,Some-6-1-2\n";

static void test_grows(const struct fixture *f)
{
    struct err e = {0};
    char content[512];
    struct measured *m = measured_open(f->path, "Some-6-1-2", f->a, &e);

    ok(m && measured_count(m) == 0, "a file begins empty");
    ok(measured_add(m, &(struct measured_row){"1 add r64, r64", 0.2018, 0.001, 11}, &e) &&
           measured_add(m, &(struct measured_row){"2 add r64, r64; 1 mov r64, m64", 0.61, 0, 9},
                        &e),
       "and grows");
    read_file(f, content, sizeof content);
    is_text(content, whole, "line by line");
    const struct measured_row *row = measured_find(m, "1 add r64, r64");
    ok(row && row->cycles == 0.2018 && row->samples == 11, "what was added is found");
    ok(!measured_find(m, "1 sub r64, r64"), "and nothing else");
    m = measured_open(f->path, "Some-6-1-2", f->a, &e);
    ok(m && measured_count(m) == 2 && measured_get(m, 1)->cycles == 0.61 &&
           measured_find(m, "2 add r64, r64; 1 mov r64, m64") == measured_get(m, 1),
       "so it is when the file is opened again");
    ok(!measured_add(m, &(struct measured_row){"1 nop", NAN, 0, 1}, &e) && e.code == ERR_RANGE,
       "what is no time is refused");
}

static void test_read_as_blocks(const struct fixture *f)
{
    struct err e = {0};
    struct block b;
    int n = 0;

    write_file(f, whole, sizeof whole - 1);
    struct block_reader *r = blocks_open(f->path, f->a, &e);
    while (r && blocks_next(r, f->a, &b, &e)) {
        n += b.cycles > 0;
    }
    ok(n == 2 && !e.code, "it is a file of blocks, too");
}

/* Wherever a process was stopped, the next one goes on with all that is whole. */
static void test_cut_off(const struct fixture *f)
{
    int wrong = 0;

    for (size_t len = 0; len < sizeof whole; len++) {
        struct err e = {0};
        char content[512];
        int lines = 0;
        write_file(f, whole, len);
        struct measured *m = measured_open(f->path, "Some-6-1-2", f->a, &e);
        for (size_t k = 0; k < len; k++) {
            lines += whole[k] == '\n';
        }
        const int kept = lines > 1 ? lines - 1 : 0;
        if (!m || measured_count(m) != kept ||
            !measured_add(m, &(struct measured_row){"1 nop", 0.25, 0, 5}, &e)) {
            wrong++;
            continue;
        }
        const size_t end = read_file(f, content, sizeof content);
        m = measured_open(f->path, "Some-6-1-2", f->a, &e);
        wrong += !m || measured_count(m) != kept + 1 || content[end - 1] != '\n';
    }
    ok(wrong == 0, "a file cut off anywhere loses its last line only");
}

static void test_bad(const struct fixture *f)
{
    static const struct {
        const char *content;
        enum err_code code;
        unsigned line;
    } rows[] = {
        {"block,cycles\n\"1 nop\",1\n", ERR_SCHEMA, 1},
        {"block,cycles,spread,samples,cpu\n\"1 nop\",1,0,3,Other-6-1-2\n", ERR_SCHEMA, 2},
        {"block,cycles,spread,samples,cpu\n\"1 nop\",0,0,3,Some-6-1-2\n", ERR_RANGE, 2},
        {"block,cycles,spread,samples,cpu\n\"1 nop\",inf,0,3,Some-6-1-2\n", ERR_SYNTAX, 2},
        {"block,cycles,spread,samples,cpu\n\"1 nop,1,0,3,Some-6-1-2\n", ERR_SYNTAX, 2},
        {"block,cycles,spread,samples,cpu\n1 nop,1,0,3,Some-6-1-2\n", ERR_SYNTAX, 2},
        {"block,cycles,spread,samples,cpu\n\n", ERR_SYNTAX, 2},
        {"block,cycles,spread,samples,cpu\n\"\n", ERR_SYNTAX, 2},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct err e = {0};
        char content[512];
        write_file(f, rows[k].content, strlen(rows[k].content));
        ok(!measured_open(f->path, "Some-6-1-2", f->a, &e) && e.code == rows[k].code &&
               e.loc.line == rows[k].line,
           "refused in line %u: %s", rows[k].line, e.text);
        read_file(f, content, sizeof content);
        ok(strcmp(content, rows[k].content) == 0, "and left as it was");
    }
    struct err e = {0};
    ok(!measured_open("/nowhere/at/all.csv", "x", f->a, &e) && e.code == ERR_IO,
       "a place that is not there: %s", e.text);
    e = (struct err){0};
    struct measured *m = measured_open(NULL, "x", f->a, &e);
    ok(m && measured_add(m, &(struct measured_row){"1 nop", 0.25, 0, 5}, &e) &&
           measured_find(m, "1 nop"),
       "without a file it is remembered");
}

int main(void)
{
    struct fixture f = {.a = arena_create((size_t)1 << 26, fail_oom, NULL)};
    const char *folder = getenv("TMPDIR");

    snprintf(f.path, sizeof f.path, "%s/measured.XXXXXX", folder ? folder : "/tmp");
    close(mkstemp(f.path));
    test_grows(&f);
    test_read_as_blocks(&f);
    test_cut_off(&f);
    test_bad(&f);
    arena_release(f.a);
    unlink(f.path);
    return tap_done();
}
