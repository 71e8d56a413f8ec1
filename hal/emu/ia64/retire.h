/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that retired instructions raise. */
#ifndef IA64_RETIRE_H
#define IA64_RETIRE_H

#include "encoding.h"
#include "issue.h"
#include "references.h"

struct ia64_retiring {
	bool pending;		/* the executing instruction raises something, whatever its traits are */

	/* Effects of the executing instruction. */
	struct ia64_reference reference[REFERENCES];
	unsigned references;
	bool replaced;		/* an ALAT entry that was valid */
	bool flushed;		/* a tiny result to zero */
	struct occurrence context;

	/* The branches of the present bundle so far; the bundle's prediction. */
	struct occurrence bundle[BUNDLE_SLOTS];
	unsigned branches;
	bool multiway;
	bool overridden;	/* a target address register, by the third stage */
	uint8_t stage, predicted_slot;	/* predicted_slot: 3, none is taken */
	uint64_t predicted_target;

	/* Timed clock: cycles that follow the instruction; how long the walker has taken for code and data of
	 * instructions that have not retired. */
	enum ia64_cycle_kind penalty;
	unsigned penalty_cycles;
	unsigned walked_code, walked_data;
};

struct machine;
struct op;

/* An instruction retires that may raise a selected event. `executed`: its predicate is true; `taken`: it has
 * branched. */
void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed, bool taken);

/* The executing instruction, which retires, has flushed a tiny result to zero. */
void ia64_see_flush_to_zero(struct machine *m);

/* The register stack engine has filled the frame that a return has left incomplete. */
void ia64_pass_fills(struct machine *m);

/* The executing instruction writes a register of the monitor, and retires. False: the access faults. */
bool ia64_retire_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value);

#endif
