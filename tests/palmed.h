/* palmed.h - the machine of PALMED's figure 1 (Derumigny et al., CGO 2022).  The divider's cycles
 * are not given there; 4 are taken. */
#ifndef GAMBREL_TESTS_PALMED_H
#define GAMBREL_TESTS_PALMED_H

/* `core`: what the core has besides its ports, "" or "dispatch_width: 2.5, ". */
#define PALMED_FIGURE_1(core)                                                                      \
    "format: gambrel-machine-1\n"                                                                  \
    "name: figure-1\n"                                                                             \
    "isa: x86-64\n"                                                                                \
    "core: {" core "ports: [P0, P1, P6], source: PALMED}\n"                                        \
    "sources: {instructions: PALMED}\n"                                                            \
    "instructions:\n"                                                                              \
    "  - {form: divps, uops: [4*P0]}\n"                                                            \
    "  - {form: bsr, uops: [1*P1]}\n"                                                              \
    "  - {form: jmp, uops: [1*P6]}\n"                                                              \
    "  - {form: jnle, uops: [1*P0|P6]}\n"                                                          \
    "  - {form: addss, uops: [1*P0|P1]}\n"

#endif
