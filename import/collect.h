/* collect.h - what the readers of other tools' files share: a machine that grows entry by entry,
 * and the account of what could not be brought over.
 *
 * An entry of the source stands for one form or several.  Of entries that say different things of
 * one form the first counts, as in the tools themselves; an entry none of whose forms was new and
 * that disagrees is remarked on.
 */
#ifndef GAMBREL_IMPORT_COLLECT_H
#define GAMBREL_IMPORT_COLLECT_H

#include "base/names.h"
#include "import/import.h"
#include "import/notation.h"

struct collect {
    struct arena *arena;
    const struct import_wish *wish;
    struct imported *out;
    struct machine *machine; /* out->machine */
    const char *source;      /* of every number: tool, version, file */
    struct names seen;       /* forms, ports, resources; scope: the array */
    size_t forms_capacity, remarks_capacity, resources_capacity, notes_capacity;

    struct loc loc; /* of the entry in hand */
    const char *what;
    int n_new, n_same, n_other;
    const struct machine_form *other; /* that disagrees with the entry */
    bool left_out;
};

/* Reads a tree or a stream into c->machine.  c->out->tool and the machine's isa, name and source
 * are the reader's to set, through collect_name. */
typedef bool import_reader(struct collect *c, struct bytes input, struct err *e);

import_reader import_osaca, import_uops_info, import_pmevo, import_palmed, import_llvm_mca;

/* The machine is called ARCH-FORMAT, and every number's source "TOOL (FILE), imported DATE". */
void collect_name(struct collect *c, const char *tool, const char *arch, const char *isa);

/* The wish for an architecture against what the file has.  ERR_RANGE says what it has. */
bool collect_arch(const struct collect *c, const char *has, struct loc loc, struct err *e);

/* Index of a port or a resource, which is added if it is new; -1: there are too many.  Characters
 * that no port name has become '_'. */
int collect_port(struct collect *c, const char *name, size_t len, struct loc loc, struct err *e);
int collect_resource(struct collect *c, const char *name, struct loc loc, struct err *e);

/* The port with this name as a bit; 0: there is none. */
uint32_t collect_port_bit(const struct collect *c, const char *name, size_t len);

void collect_note(struct collect *c, const char *key, const char *text); /* provenance */

/* A remark on the file itself, or on a place in it that is no entry. */
void collect_remark(struct collect *c, struct loc loc, const char *what, const char *why);

void collect_begin(struct collect *c, struct loc loc, const char *what);
/* The entry is left out, or (collect_part) loses a fact; the first reason to leave it out
 * counts. */
void collect_leave_out(struct collect *c, const char *why);
void collect_part(struct collect *c, const char *why);
/* One form of the entry.  `like` has everything but form, source and place. */
void collect_form(struct collect *c, const char *form, const struct machine_form *like);
/* All forms of the row that the entry is. */
void collect_row(struct collect *c, const struct notation *row, const struct machine_form *like);
void collect_end(struct collect *c);

/* Adds so many uops on these ports, to those that go there already. */
void collect_uop(struct collect *c, struct machine_form *f, double count, uint32_t ports);

/* Least cycles of one such form after the other: the largest load of any set of ports. */
double collect_cycles(const struct machine_form *f);

#endif
