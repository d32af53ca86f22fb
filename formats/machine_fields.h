/* machine_fields.h - the keys of a machine file, shared by its reader and its writer. */
#ifndef GAMBREL_FORMATS_MACHINE_FIELDS_H
#define GAMBREL_FORMATS_MACHINE_FIELDS_H

#include "formats/fields.h"

#define MACHINE_FORMAT        "gambrel-machine-1"
#define MACHINE_FORM_LEN_MAX  127 /* code/form.h: FORM_SIZE with its NUL */
#define MACHINE_LATENCY_MAX   1e4
#define MACHINE_RESOURCES_MAX 4096

extern const struct field machine_fields[];               /* of struct machine */
extern const struct field machine_match_x86_fields[];     /* struct machine_match */
extern const struct field machine_match_aarch64_fields[]; /* struct machine_match */
extern const struct field machine_clock_fields[];         /* struct machine */
extern const struct field machine_cache_fields[];         /* struct machine_cache */
extern const struct field machine_core_fields[];          /* struct machine */
extern const struct field machine_instruction_fields[];   /* struct machine_form */
extern const struct field machine_resource_fields[];      /* struct machine_form */
extern const struct field machine_meaning_fields[];       /* struct machine_meaning */
extern const struct field machine_latency_fields[];       /* struct machine_latency */
extern const struct field machine_fusion_fields[];        /* struct machine_fusion */
extern const struct field machine_roof_fields[];          /* struct roof */
extern const struct field machine_chain_fields[];         /* struct machine_chain_point */

/* Groups whose entries may leave their source to the top-level map `sources`. */
extern const char *const machine_source_groups[];

#endif
