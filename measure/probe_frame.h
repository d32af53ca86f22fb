/* probe_frame.h - what every microkernel stands in: registers set on entry, a loop, registers
 * restored.
 *
 * For the makers of kernels (probe_code.c, probe_chain.c) alone.  A kernel is a function of the
 * x86-64 ABI, void (uint64_t trips, void *memory).  Its own stack begins FRAME_STACK_BYTES below
 * its caller's, so that what a trip pushes or pops meets nothing of others.
 */
#ifndef GAMBREL_MEASURE_PROBE_FRAME_H
#define GAMBREL_MEASURE_PROBE_FRAME_H

#include "measure/probe_code.h"

#define FRAME_REGISTERS   16
#define FRAME_STACK_BYTES 4096

/* Numbers of general registers that have a role in every kernel. */
enum { REG_RAX = 0, REG_RCX = 1, REG_RDX = 2, REG_RSP = 4, REG_MEMORY = 14, REG_TRIPS = 15 };

/* One of probe_aids (probe_chain.h). */
const struct encode_form *frame_aid(const struct probe_coder *c, const char *aid);

struct emitter {
    const struct probe_coder *coder;
    uint8_t *out; /* [PROBE_CODE_BYTES] */
    size_t len;
    struct err *e;
};

/* Each false with *e: ERR_RANGE where there is no room or no encoding. */
bool frame_put(struct emitter *m, const struct encode_form *f, const struct encode_registers *r);

/* General registers hold what frame_constant says, vectors and (with_masks) masks what memory
 * does. */
bool frame_enter(struct emitter *m, enum probe_kind kind, bool with_masks);
int64_t frame_constant(int number);
/* The vector register, as wide as the kind's are, from memory. */
bool frame_load(struct emitter *m, enum probe_kind kind, int number, int displacement);
#define FRAME_VECTOR_BYTES 64 /* of memory, for each vector register and mask in order */

/* Begins and ends the loop.  pushed: bytes that a trip has moved the stack pointer down by. */
bool frame_begin(struct emitter *m, struct probe_code *shape);
bool frame_end(struct emitter *m, int pushed, struct probe_code *shape);

bool frame_leave(struct emitter *m, enum probe_kind kind);

#endif
