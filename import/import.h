/* import.h - machine files of other tools, read into ours.
 *
 * The user's own copy is read; none is shipped, nothing is fetched.  What the source says of ports,
 * uops, dividers, latencies, widths and resources comes over as it is said; what it does not say
 * stays unknown.  Every entry that cannot be brought over is named with its place and the reason,
 * and so is every fact of an entry that had to stay behind, or whose reading is not certain.
 *
 *   osaca      OSACA's machine files (YAML), as its data folder held them in versions 0.3.3 to
 *   0.7.2
 *   uops-info  the XML of uops.info, as nanoBench's cpuBench.py wrote it (commit 04bfd842); one
 *              architecture of it
 *   pmevo      PMEvo's port mapping (JSON, kinds Mapping2 and Mapping3), artifact of PLDI 2020
 *   palmed     PALMED's conjunctive mapping (JSON: instr_to_class and class_to_resources), as
 *   pmtestbench
 *              extracts it from PALMED's own file, which is a memory image of its program and not
 *              read
 *   llvm-mca   `llvm-mca -json -instruction-tables`, versions 14 and later
 *
 * Sizes are bounded: 64 MiB, XML 512 MiB.
 */
#ifndef GAMBREL_IMPORT_IMPORT_H
#define GAMBREL_IMPORT_IMPORT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/machine.h"

#include <stdbool.h>
#include <stddef.h>

#define IMPORT_BYTES_MAX ((size_t)512 << 20)

/* osaca, uops-info, pmevo, palmed, llvm-mca; NULL-terminated. */
extern const char *const import_formats[];

struct import_wish {
    const char *file;   /* its name, for places and provenance */
    const char *format; /* one of import_formats; NULL: by the content */
    const char *arch;   /* which of several, or a check on the only one; NULL: whatever it is */
    const char *date;   /* of the import, for provenance */
};

struct import_remark {
    struct loc loc;
    bool left_out;    /* the whole entry; else a part of it */
    const char *what; /* the entry, as the source calls it; "" for the file itself */
    const char *why;  /* alike for alike reasons: they are counted by it */
};

struct imported {
    struct machine *machine;
    const char *format, *tool; /* one of import_formats; the tool with its version */
    struct import_remark *remarks;
    size_t n_remarks;
    size_t n_entries, n_left_out; /* of the source */
};

/* ERR_SYNTAX, ERR_SCHEMA, ERR_RANGE with the place: the file is not of the format, or nothing in it
 * could be brought over. */
bool import_read(struct bytes input, const struct import_wish *wish, struct arena *a,
                 struct imported *out, struct err *e);

/* The machine file; the remarks are comments at its top. */
bool import_write(const struct imported *i, struct arena *a, struct text *out, struct err *e);

/* The remarks counted by reason, each with its first places. */
void import_summary(const struct imported *i, struct text *out);

#endif
