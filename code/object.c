#include "code/object.h"

#include "base/items.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

/* A symbol before its size is settled. */
struct symbol {
    struct object_function f;
    size_t section;
    uint64_t section_end;
};

struct reader {
    const char *file;
    struct arena *arena;
    struct bytes image; /* lives as long as the arena */
    Elf *elf;
    const char *names; /* of the symbols, names_size bytes */
    size_t names_size;
    struct symbol *symbols;
    size_t n, capacity;
    bool labels; /* global labels without a type serve as functions */
};

static bool damaged(const struct reader *r, const char *part, struct err *e)
{
    return err_set(e, ERR_SYNTAX, (struct loc){.file = r->file}, "damaged ELF file: %s", part);
}

/* What file this is; refuses all but the kinds that can be read. */
static bool read_header(const struct reader *r, struct object *out, struct err *e)
{
    const struct loc loc = {.file = r->file};
    GElf_Ehdr h;

    if (elf_kind(r->elf) != ELF_K_ELF) {
        return err_set(e, ERR_SYNTAX, loc,
                       "not an ELF file: an object file or a program is needed");
    }
    if (!gelf_getehdr(r->elf, &h)) {
        return damaged(r, "no header", e);
    }
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
        (h.e_machine != EM_X86_64 && h.e_machine != EM_AARCH64)) {
        return err_set(e, ERR_RANGE, loc,
                       "ELF for another machine (number %u): x86-64 and AArch64 are known",
                       h.e_machine);
    }
    if (h.e_type != ET_REL && h.e_type != ET_EXEC && h.e_type != ET_DYN) {
        return err_set(e, ERR_RANGE, loc, "ELF of type %u: an object file or a program is needed",
                       h.e_type);
    }
    out->arch = h.e_machine == EM_X86_64 ? ARCH_X86_64 : ARCH_AARCH64;
    return true;
}

/* The bytes of a section of code; NULL and no error where the section holds none. */
static bool read_section(const struct reader *r, size_t index, GElf_Shdr *h, const char **bytes,
                         struct err *e)
{
    Elf_Scn *section = elf_getscn(r->elf, index);

    *bytes = NULL;
    if (!section || !gelf_getshdr(section, h)) {
        return damaged(r, "a symbol's section is missing", e);
    }
    if (h->sh_type != SHT_PROGBITS || !(h->sh_flags & SHF_EXECINSTR)) {
        return true;
    }
    if (h->sh_offset > r->image.len || h->sh_size > r->image.len - h->sh_offset) {
        return damaged(r, "a section of code reaches past the end of the file", e);
    }
    *bytes = r->image.data + h->sh_offset;
    return true;
}

/* A printable copy of the name at this offset of the string table, NULL where it is not in
 * there. */
static const char *copy_name(const struct reader *r, size_t offset)
{
    if (offset >= r->names_size || !memchr(r->names + offset, 0, r->names_size - offset)) {
        return NULL;
    }
    char *name = arena_copy(r->arena, r->names + offset, strlen(r->names + offset));
    for (char *c = name; *c; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    return name;
}

static bool is_function(const struct reader *r, const GElf_Sym *s)
{
    return r->labels
               ? GELF_ST_TYPE(s->st_info) == STT_NOTYPE && GELF_ST_BIND(s->st_info) == STB_GLOBAL
               : GELF_ST_TYPE(s->st_info) == STT_FUNC;
}

static bool read_symbol(struct reader *r, const GElf_Sym *s, struct err *e)
{
    GElf_Shdr h;
    const char *bytes;

    if (!is_function(r, s) || s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE) {
        return true;
    }
    if (!read_section(r, s->st_shndx, &h, &bytes, e)) {
        return false;
    }
    if (!bytes) {
        return true;
    }
    const char *name = copy_name(r, s->st_name);
    if (!name) {
        return damaged(r, "a symbol's name is not in the string table", e);
    }
    if (s->st_value < h.sh_addr || s->st_value - h.sh_addr >= h.sh_size ||
        s->st_size > h.sh_size - (s->st_value - h.sh_addr)) {
        return err_set(e, ERR_SYNTAX, (struct loc){.file = r->file},
                       "damaged ELF file: function '%.80s' is not inside its section", name);
    }
    r->symbols = arena_grow(r->arena, r->symbols, r->n, &r->capacity, sizeof *r->symbols);
    r->symbols[r->n++] = (struct symbol){
        .f = {.name = name,
              .address = s->st_value,
              .code = (const uint8_t *)bytes + (s->st_value - h.sh_addr),
              .len = s->st_size},
        .section = s->st_shndx,
        .section_end = h.sh_addr + h.sh_size,
    };
    return true;
}

static bool read_table(struct reader *r, Elf_Scn *section, const GElf_Shdr *h, struct err *e)
{
    Elf_Scn *strings = elf_getscn(r->elf, h->sh_link);
    Elf_Data *names = strings ? elf_rawdata(strings, NULL) : NULL;
    Elf_Data *data = elf_getdata(section, NULL);

    if (!names || !names->d_buf || !data || !data->d_buf) {
        return damaged(r, "a symbol table or its names cannot be read", e);
    }
    r->names = names->d_buf;
    r->names_size = names->d_size;
    const size_t n = data->d_size / sizeof(Elf64_Sym);
    for (size_t k = 0; k < n && k < INT32_MAX; k++) {
        GElf_Sym s;
        if (!gelf_getsym(data, (int)k, &s)) {
            return damaged(r, "a symbol cannot be read", e);
        }
        if (!read_symbol(r, &s, e)) {
            return false;
        }
    }
    return true;
}

static bool is_relocatable(const struct reader *r)
{
    GElf_Ehdr h;
    return gelf_getehdr(r->elf, &h) && h.e_type == ET_REL;
}

/* The symbol table, or where it was stripped the dynamic one, or in assembly by hand its labels. */
static bool read_symbols(struct reader *r, struct err *e)
{
    static const GElf_Word kinds[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_SYMTAB};
    const size_t n_kinds = is_relocatable(r) ? 3 : 2;

    for (size_t k = 0; k < n_kinds && r->n == 0; k++) {
        r->labels = k == 2;
        for (Elf_Scn *s = NULL; (s = elf_nextscn(r->elf, s)) != NULL;) {
            GElf_Shdr h;
            if (!gelf_getshdr(s, &h)) {
                return damaged(r, "a section has no header", e);
            }
            if (h.sh_type == kinds[k] && !read_table(r, s, &h, e)) {
                return false;
            }
        }
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->section != y->section) {
        return x->section < y->section ? -1 : 1;
    }
    if (x->f.address != y->f.address) {
        return x->f.address < y->f.address ? -1 : 1;
    }
    return strcmp(x->f.name, y->f.name);
}

/* The functions in order; those without a size end where the next one begins. */
static bool settle(struct reader *r, struct object *out, struct err *e)
{
    uint64_t end = 0;

    if (!r->symbols) {
        return err_set(e, ERR_RANGE, (struct loc){.file = r->file},
                       "no function in this file: its symbols were stripped, or it has none");
    }
    items_sort(r->symbols, r->n, sizeof *r->symbols, by_place);
    out->functions = arena_new(r->arena, struct object_function, r->n);
    out->n = (int)r->n;
    for (size_t k = r->n; k-- > 0;) {
        const struct symbol *s = &r->symbols[k], *next = k + 1 < r->n ? s + 1 : NULL;
        if (!next || next->section != s->section) {
            end = s->section_end;
        } else if (next->f.address > s->f.address) {
            end = next->f.address;
        }
        out->functions[k] = s->f;
        out->functions[k].len = s->f.len ? s->f.len : end - s->f.address;
    }
    return true;
}

/* Every section of code, as one function each. */
static bool read_sections(struct reader *r, struct object *out, struct err *e)
{
    size_t names = 0;
    if (elf_getshdrstrndx(r->elf, &names) != 0) {
        return damaged(r, "no names of sections", e);
    }
    for (Elf_Scn *s = NULL; (s = elf_nextscn(r->elf, s)) != NULL;) {
        GElf_Shdr h = {0};
        const char *bytes;
        if (!read_section(r, elf_ndxscn(s), &h, &bytes, e)) {
            return false;
        }
        const char *name = elf_strptr(r->elf, names, h.sh_name);
        if (bytes && h.sh_size > 0) {
            r->symbols = arena_grow(r->arena, r->symbols, r->n, &r->capacity, sizeof *r->symbols);
            r->symbols[r->n++] = (struct symbol){
                .f = {.name = name ? arena_copy(r->arena, name, strlen(name)) : "?",
                      .address = h.sh_addr,
                      .code = (const uint8_t *)bytes,
                      .len = h.sh_size},
                .section = elf_ndxscn(s),
                .section_end = h.sh_addr + h.sh_size,
            };
        }
    }
    return settle(r, out, e);
}

typedef bool read_functions(struct reader *r, struct object *out, struct err *e);

static bool read_named(struct reader *r, struct object *out, struct err *e)
{
    if (!read_symbols(r, e)) {
        return false;
    }
    return r->n == 0 && is_relocatable(r) ? read_sections(r, out, e) : settle(r, out, e);
}

static bool read_file(struct reader *r, read_functions *read, struct object *out, struct err *e)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return err_set(e, ERR_HOST, LOC_NONE, "libelf is too old for this header");
    }
    /* libelf wants to be able to write to the image it is given. */
    r->elf = elf_memory((char *)(uintptr_t)r->image.data, r->image.len);
    if (!r->elf) {
        return err_set(e, ERR_SYNTAX, (struct loc){.file = r->file},
                       "not an ELF file: an object file or a program is needed");
    }
    *out = (struct object){.image = (const uint8_t *)r->image.data};
    const bool fine = read_header(r, out, e) && read(r, out, e);
    elf_end(r->elf);
    return fine;
}

bool object_read(struct bytes input, const char *file, struct arena *a, struct object *out,
                 struct err *e)
{
    struct reader r = {
        .file = file, .arena = a, .image = {arena_copy(a, input.data, input.len), input.len}};
    return read_file(&r, read_named, out, e);
}

bool object_sections(struct bytes input, const char *file, struct arena *a, struct object *out,
                     struct err *e)
{
    struct reader r = {
        .file = file, .arena = a, .image = {arena_copy(a, input.data, input.len), input.len}};
    return read_file(&r, read_sections, out, e);
}

const struct object_function *object_find(const struct object *o, const char *name)
{
    for (int k = 0; k < o->n; k++) {
        if (strcmp(o->functions[k].name, name) == 0) {
            return &o->functions[k];
        }
    }
    return NULL;
}
