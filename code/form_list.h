/* form_list.h - forms as text, one a line.
 *
 * Blank lines and lines that begin with # are left out.  A form may be written in any spelling
 * (form.h). x86-64 only: the mnemonic must be one that exists.
 */
#ifndef GAMBREL_CODE_FORM_LIST_H
#define GAMBREL_CODE_FORM_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#include <stdbool.h>

/* (*forms)[*n], normalised, in order, doubles kept; they live in the arena.  ERR_SYNTAX: a line
 * that is no form, with its place; ERR_RANGE: none at all. */
bool form_list_read(struct bytes input, const char *file, struct arena *a,
                    const char *const **forms, int *n, struct err *e);

#endif
