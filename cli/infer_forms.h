/* infer_forms.h - which instruction forms an inference tries, and where they come from.
 *
 * Those of the given files come first, the most frequent before the others: programs and object
 * files, whose instructions count 10 for each loop around them (code/basic.h), or a list of forms
 * (code/form_list.h).  The list that comes with the program (measure/probe_forms.h) follows.
 */
#ifndef GAMBREL_CLI_INFER_FORMS_H
#define GAMBREL_CLI_INFER_FORMS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "measure/probe_forms.h"

struct infer_forms {
    struct probe_form *forms;
    double *weights; /* of each in the files; 0: of the list */
    int n;
    int n_first; /* from files */
};

/* ERR_IO: a file that cannot be read; ERR_RANGE: not x86-64; ERR_SYNTAX: a damaged program, or a
 * line that is no form, with its place.  A form that is known but cannot be encoded is refused, not
 * an error. */
bool infer_forms_find(const char *const *files, int n_files, struct infer_forms *out,
                      struct arena *a, struct err *e);

/* CSV: form, weight, refused: why it cannot be measured, or nothing. */
void infer_forms_csv(const struct infer_forms *f, struct text *out);

#endif
