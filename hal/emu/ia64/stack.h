/* SPDX-License-Identifier: BSD-2-Clause */
/* Register frames, rotation, and the register stack engine (manual, volume 2, chapter 6). Functions
 * that return bool spill or fill registers; they return false if that raised an interruption. */
#ifndef IA64_STACK_H
#define IA64_STACK_H

#include "machine.h"

/* The frame marker's format in PFS and IFS. */
uint64_t ia64_frame_pack(const struct ia64_frame *frame);
struct ia64_frame ia64_frame_unpack(uint64_t value);

/* Computes machine.map from the frame. */
void ia64_map(struct machine *m);
/* Sets the frame, and renames predicates by its rotation. */
void ia64_set_frame(struct machine *m, struct ia64_frame frame);
/* Rotates all register files by one. */
void ia64_rotate(struct machine *m);

/* Executes a call: the caller's output registers become the callee's frame. */
void ia64_call(struct machine *m);
/* Executes a return by `op` (br.ret or rfi) to a frame of which `preserved` registers lie below the
 * present frame. The frame may be incomplete afterwards. */
void ia64_return(struct machine *m, const struct op *op, struct ia64_frame frame,
		 unsigned preserved);
/* Fills an incomplete frame. */
bool ia64_complete(struct machine *m);

/* Execute alloc, cover, flushrs, loadrs. */
bool ia64_alloc(struct machine *m, unsigned sof, unsigned sol, unsigned sor);
void ia64_cover(struct machine *m);
bool ia64_flush(struct machine *m);
bool ia64_load(struct machine *m);

/* Reads and writes BSPSTORE. */
uint64_t ia64_bspstore(const struct machine *m);
void ia64_set_bspstore(struct machine *m, uint64_t address);
/* The backing store's address for a register `count` above the one at `address` (below it, if
 * negative). It skips the collections of NaT bits. */
uint64_t ia64_backing(uint64_t address, int count);

#endif
