/* markers.h - ranges that a person marked: IACA's and OSACA's bytes in machine code, and the
 * comments of OSACA and llvm-mca in assembly text.
 *
 * Bytes: `mov ebx, 111` and `mov ebx, 222`, each followed by 64 67 90 (IACA, and OSACA on x86);
 * `mov x1, #111` and `mov x1, #222`, each followed by d5 03 20 1f in either order (OSACA on
 * AArch64). Comments: `# LLVM-MCA-BEGIN name`, `# OSACA-BEGIN`, and -END, with # or //.
 */
#ifndef GAMBREL_CODE_MARKERS_H
#define GAMBREL_CODE_MARKERS_H

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "code/decode.h"

#include <stdbool.h>

struct marked {
    size_t first, end; /* bytes code[first..end) lie between the markers */
};

/* The next marked range at or after `from`; false if there is none. */
bool markers_next(const uint8_t *code, size_t len, enum code_arch arch, size_t from,
                  struct marked *out);

/* Assembly with each comment that marks turned into a function label that keeps its place through
 * the assembler: MARKERS_BEGIN and MARKERS_END, with the number of the range.  Returns how many
 * ranges begin. */
#define MARKERS_BEGIN "gambrel.marker.begin."
#define MARKERS_END   "gambrel.marker.end."
int markers_to_labels(struct bytes assembly, struct text *out);

#endif
