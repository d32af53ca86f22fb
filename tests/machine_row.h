/* machine_row.h - a form of a made-up machine, "m.yaml", with the uops of an array and the line it
 * stands at. */
#ifndef GAMBREL_TESTS_MACHINE_ROW_H
#define GAMBREL_TESTS_MACHINE_ROW_H

#include "formats/machine.h"

#define ROW(pattern, list, at)                                                                     \
    {                                                                                              \
        .form = (pattern), .uops = (list), .n_uops = (int)(sizeof(list) / sizeof *(list)),         \
        .has_uops = true, .slots = 1, .loc = {                                                     \
            "m.yaml",                                                                              \
            (at),                                                                                  \
            5                                                                                      \
        }                                                                                          \
    }

#endif
