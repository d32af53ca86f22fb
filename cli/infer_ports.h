/* infer_ports.h - the documented machine whose ports explain the resources of an inferred one. */
#ifndef GAMBREL_CLI_INFER_PORTS_H
#define GAMBREL_CLI_INFER_PORTS_H

#include "cli/choice.h"

/* The machine named, or for NULL and blocks that are `measured` here the one that comes along and
 * describes this CPU; *out is NULL where there is none.  ERR_MODEL: the one named has no ports;
 * ERR_RANGE: it is of another instruction set than the blocks, which is not known yet for NULL. */
bool infer_ports_find(struct cli *c, const char *name, bool measured, const char *isa,
                      const struct machine **out, struct err *e);

/* Adds to m what its resources stand for on the ports of the other, and a note of it.  ERR_RANGE:
 * the other is of another instruction set. */
bool infer_ports_name(struct cli *c, const struct machine *ports, struct machine *m, struct err *e);

/* One more note of how the file was made. */
void infer_note(struct cli *c, struct machine *m, const char *key, const char *text);

#endif
