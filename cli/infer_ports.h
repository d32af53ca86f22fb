/* infer_ports.h - the documented machine whose ports explain the resources of an inferred one. */
#ifndef GAMBREL_CLI_INFER_PORTS_H
#define GAMBREL_CLI_INFER_PORTS_H

#include "cli/cli.h"
#include "model/detect.h"

/* The machine named, or for NULL the one that comes along and describes this CPU (NULL: none is
 * looked for); *out is NULL where there is none.  ERR_MODEL: the one named has no ports. */
bool infer_ports_find(struct cli *c, const char *name, const struct identity *who,
                      const struct machine **out, struct err *e);

/* Adds to m what its resources stand for on the ports of the other, and a note of it. */
bool infer_ports_name(struct cli *c, const struct machine *ports, struct machine *m, struct err *e);

/* One more note of how the file was made. */
void infer_note(struct cli *c, struct machine *m, const char *key, const char *text);

#endif
