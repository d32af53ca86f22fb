#include "base/file.h"
#include "code/object.h"
#include "tests/tap.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

/* An object file of two sections of code, as small as they come. */
enum { NULL_, TEXT, HOT, SYMBOLS, STRINGS, SECTIONS };

static const char names[] = "\0sized\0open\0last\0undefined\0data\0hot\0b\001d";
enum { SIZED = 1, OPEN = 7, LAST = 12, UNDEFINED = 17, DATA = 27, HOT_NAME = 32, BAD_NAME = 36 };

struct image {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Sym symbols[8];
    char names[sizeof names];
    uint8_t text[16], hot[4];
};

#define AT(member) offsetof(struct image, member)
#define FUNCTION   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define SYMBOL(n, s, v, z)                                                                         \
    {                                                                                              \
        .st_name = (n), .st_info = FUNCTION, .st_shndx = (s), .st_value = (v), .st_size = (z)      \
    }

static const struct image good = {
    .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
               .e_type = ET_REL,
               .e_machine = EM_X86_64,
               .e_version = EV_CURRENT,
               .e_shoff = AT(sections),
               .e_ehsize = sizeof(Elf64_Ehdr),
               .e_shentsize = sizeof(Elf64_Shdr),
               .e_shnum = SECTIONS,
               .e_shstrndx = STRINGS},
    .sections = {[TEXT] = {.sh_type = SHT_PROGBITS,
                           .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                           .sh_offset = AT(text),
                           .sh_size = 16},
                 [HOT] = {.sh_type = SHT_PROGBITS,
                          .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                          .sh_addr = 0x1000,
                          .sh_offset = AT(hot),
                          .sh_size = 4},
                 [SYMBOLS] = {.sh_type = SHT_SYMTAB,
                              .sh_offset = AT(symbols),
                              .sh_size = sizeof good.symbols,
                              .sh_entsize = sizeof(Elf64_Sym),
                              .sh_link = STRINGS,
                              .sh_info = 1},
                 [STRINGS] = {.sh_type = SHT_STRTAB,
                              .sh_offset = AT(names),
                              .sh_size = sizeof names}},
    .symbols = {[1] = SYMBOL(LAST, TEXT, 12, 0),
                [2] = SYMBOL(OPEN, TEXT, 6, 0),
                [3] = SYMBOL(SIZED, TEXT, 1, 3),
                [4] = SYMBOL(UNDEFINED, SHN_UNDEF, 0, 0),
                [5] = {.st_name = DATA,
                       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                       .st_shndx = TEXT,
                       .st_size = 4},
                [6] = SYMBOL(HOT_NAME, HOT, 0x1001, 3),
                [7] = SYMBOL(BAD_NAME, HOT, 0x1003, 0)},
    .text = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    .hot = {20, 21, 22, 23},
};

static void out_of_memory(void *context)
{
    (void)context;
    exit(1);
}

static bool read_image(const void *image, size_t len, struct arena *a, struct object *o,
                       struct err *e)
{
    *e = (struct err){0};
    return object_read((struct bytes){image, len}, "x.o", a, o, e);
}

static void check_good(struct arena *a)
{
    static const struct {
        const char *name;
        uint64_t address;
        size_t len;
        uint8_t first;
    } want[] = {
        {"sized", 1, 3, 1},     {"open", 6, 6, 6},      {"last", 12, 4, 12},
        {"hot", 0x1001, 3, 21}, {"b?d", 0x1003, 1, 23},
    };
    struct image image = good;
    struct object o;
    struct err e;

    memcpy(image.names, names, sizeof names);
    if (!ok(read_image(&image, sizeof image, a, &o, &e), "an object file is read: %s", e.text)) {
        return;
    }
    ok(o.arch == ARCH_X86_64 && o.n == 5, "machine and number of functions");
    for (int k = 0; k < o.n && k < 5; k++) {
        const struct object_function *f = &o.functions[k];
        is_text(f->name, want[k].name, "order: section, address");
        ok(f->address == want[k].address && f->len == want[k].len && f->code[0] == want[k].first,
           "%s: address, length, bytes", f->name);
    }
    ok(object_find(&o, "open") == &o.functions[1] && !object_find(&o, "data"), "by name");
    image.header.e_machine = EM_AARCH64;
    ok(read_image(&image, sizeof image, a, &o, &e) && o.arch == ARCH_AARCH64, "AArch64");
}

/* One 16-bit or larger field of a good image changed. */
static const struct {
    const char *what;
    size_t offset, size;
    uint64_t value;
    enum err_code code;
    const char *text;
} changes[] = {
    {"another machine", AT(header.e_machine), 2, EM_386, ERR_RANGE,
     "ELF for another machine (number 3): x86-64 and AArch64 are known"},
    {"a core dump", AT(header.e_type), 2, ET_CORE, ERR_RANGE,
     "ELF of type 4: an object file or a program is needed"},
    {"no magic number", AT(header), 2, 0, ERR_SYNTAX,
     "not an ELF file: an object file or a program is needed"},
    {"code past the end", AT(sections[TEXT].sh_size), 8, 1 << 20, ERR_SYNTAX,
     "damaged ELF file: a section of code reaches past the end of the file"},
    {"code far past the end", AT(sections[TEXT].sh_offset), 8, UINT64_MAX - 4, ERR_SYNTAX,
     "damaged ELF file: a section of code reaches past the end of the file"},
    {"a function past its section", AT(symbols[3].st_size), 8, 16, ERR_SYNTAX,
     "damaged ELF file: function 'sized' is not inside its section"},
    {"a function after its section", AT(symbols[3].st_value), 8, 16, ERR_SYNTAX,
     "damaged ELF file: function 'sized' is not inside its section"},
    {"a function before its section", AT(symbols[6].st_value), 8, 0xfff, ERR_SYNTAX,
     "damaged ELF file: function 'hot' is not inside its section"},
    {"a section that is not there", AT(symbols[3].st_shndx), 2, 99, ERR_SYNTAX,
     "damaged ELF file: a symbol's section is missing"},
    {"a name that is not there", AT(symbols[3].st_name), 4, 9999, ERR_SYNTAX,
     "damaged ELF file: a symbol's name is not in the string table"},
    {"names that are not there", AT(sections[SYMBOLS].sh_link), 4, 77, ERR_SYNTAX,
     "damaged ELF file: a symbol table or its names cannot be read"},
};

static void check_changes(struct arena *a)
{
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct image image = good;
        struct object o;
        struct err e;
        memcpy(image.names, names, sizeof names);
        memcpy((char *)&image + changes[k].offset, &changes[k].value, changes[k].size);
        const bool read = read_image(&image, sizeof image, a, &o, &e);
        is_text(read ? "read" : e.text, changes[k].text, changes[k].what);
        ok(e.code == changes[k].code && e.loc.file && strcmp(e.loc.file, "x.o") == 0,
           "%s: kind and file", changes[k].what);
    }
}

/* Without functions the labels of assembly serve, without these the sections; but not in a
 * program. */
static void check_untyped(struct arena *a)
{
    struct image image = good;
    struct object o;
    struct err e;

    memcpy(image.names, names, sizeof names);
    for (size_t k = 0; k < sizeof image.symbols / sizeof *image.symbols; k++) {
        if (ELF64_ST_TYPE(image.symbols[k].st_info) == STT_FUNC) {
            image.symbols[k].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
        }
    }
    ok(read_image(&image, sizeof image, a, &o, &e) && o.n == 5 &&
           strcmp(o.functions[0].name, "sized") == 0 && o.functions[1].len == 6,
       "global labels of an object file serve as functions: %s", e.text);
    image.sections[SYMBOLS].sh_type = SHT_NOTE;
    ok(read_image(&image, sizeof image, a, &o, &e) && o.n == 2 && o.functions[0].len == 16,
       "without any its sections of code do: %s", e.text);
    image.header.e_type = ET_DYN;
    ok(!read_image(&image, sizeof image, a, &o, &e) && e.code == ERR_RANGE, "a program needs some");
    is_text(e.text, "no function in this file: its symbols were stripped, or it has none",
            "and it is said");
}

/* A file cut off anywhere, or with any byte changed, is read or refused. */
static void check_damage(struct arena *a)
{
    struct image image = good;
    struct object o;
    struct err e;
    size_t cut = 0, changed = 0;

    memcpy(image.names, names, sizeof names);
    for (; cut < sizeof image; cut++) {
        char *copy = malloc(cut + 1);
        if (!copy) {
            break;
        }
        memcpy(copy, &image, cut);
        if (!read_image(copy, cut, a, &o, &e) && !e.text[0]) {
            break;
        }
        free(copy);
    }
    ok(cut == sizeof image, "cut off at any byte");
    for (; changed < 16 * sizeof image; changed++) {
        struct image copy = image;
        ((unsigned char *)&copy)[changed / 16] ^= (unsigned char)(1 + 17 * (changed % 16));
        if (!read_image(&copy, sizeof copy, a, &o, &e) && !e.text[0]) {
            break;
        }
    }
    ok(changed == 16 * sizeof image, "any byte changed");
}

/* This program itself: a real file, whose code is at hand. */
static void check_self(struct arena *a)
{
    struct bytes self;
    struct object o;
    struct err e = {0};

    if (!ok(file_read("/proc/self/exe", a, &self, &e) &&
                object_read(self, "/proc/self/exe", a, &o, &e),
            "this program is read: %s", e.text)) {
        return;
    }
    const struct object_function *f = object_find(&o, "object_find");
    ok(f && memcmp(f->code, (const void *)(uintptr_t)object_find, f->len) == 0,
       "its code is what runs");
}

int main(void)
{
    struct arena *a = arena_create((size_t)1 << 30, out_of_memory, NULL);

    check_good(a);
    check_changes(a);
    check_untyped(a);
    check_damage(a);
    check_self(a);
    arena_release(a);
    return tap_done();
}
