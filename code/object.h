/* object.h - the functions of an object file or program: name, address, machine code.
 *
 * The one door to libelf.  Reads 64-bit little-endian ELF files (relocatable, executable or shared)
 * for x86-64 and AArch64.  A function is a symbol of type FUNC that is defined in a section of
 * code; one without a size ends where the next begins, or with its section.  In a relocatable file
 * that has none, as assembled by hand, every global label in code is one, or else every section of
 * code. There addresses count from the section's start, and bytes that a relocation fills in are as
 * stored.
 */
#ifndef GAMBREL_CODE_OBJECT_H
#define GAMBREL_CODE_OBJECT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "code/decode.h"

struct object_function {
    const char *name; /* printable: other bytes are shown as '?' */
    uint64_t address;
    const uint8_t *code;
    size_t len; /* >= 1 */
};

struct object {
    enum code_arch arch;
    const uint8_t *image;              /* the whole file; all code lies in it */
    struct object_function *functions; /* by section, then address, then name */
    int n;
};

/* Names and code live in the arena.  ERR_SYNTAX: not ELF, or damaged (which part is said);
 * ERR_RANGE: ELF of another kind or machine, or without a function. */
bool object_read(struct bytes input, const char *file, struct arena *a, struct object *out,
                 struct err *e);

/* The same with every section of code as one function of its name: for files without symbols. */
bool object_sections(struct bytes input, const char *file, struct arena *a, struct object *out,
                     struct err *e);

/* The first function of this name, or NULL. */
const struct object_function *object_find(const struct object *o, const char *name);

#endif
