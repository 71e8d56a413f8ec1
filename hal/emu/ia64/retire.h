/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that retired instructions raise. */
#ifndef IA64_RETIRE_H
#define IA64_RETIRE_H

#include "encoding.h"
#include "issue.h"
#include "references.h"

struct ia64_retiring {
	bool pending;		/* ia64_retire must be called for the executing instruction, with
				 * any traits */

	/* Effects of the executing instruction. */
	struct ia64_reference reference[REFERENCES];
	unsigned references;	/* length of `reference` */
	bool replaced;		/* it has replaced a valid entry of the ALAT */
	bool flushed;		/* it has flushed a tiny result to zero */
	struct occurrence context;	/* the context of its events: address, slot, encoding,
					 * privilege level */

	/* The branches of the present bundle so far, and the bundle's prediction. */
	struct occurrence bundle[BUNDLE_SLOTS];
	unsigned branches;	/* length of `bundle` */
	bool multiway;		/* the bundle has several B slots */
	bool overridden;	/* the third stage overrides a target address register */
	uint8_t stage, predicted_slot;	/* pipeline stage: 1 to 3; slot predicted taken: 0 to 2; 3:
					 * none */
	uint64_t predicted_target;	/* its predicted target */

	/* Timed clock: the cycles of a flush or bubble that follow the instruction; and the cycles
	 * that the page walker's reads have taken since the last instruction retired, for its fetch
	 * and for its data. */
	enum ia64_cycle_kind penalty;
	unsigned penalty_cycles;
	unsigned walked_code, walked_data;
	unsigned blocked;		/* cycles for which its references wait for a queue */
};

struct machine;
struct op;

/* Retires an instruction that may raise a selected event. `executed`: its predicate is true;
 * `taken`: it has branched. */
void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed,
		 bool taken);

/* The executing instruction has flushed a tiny result to zero, and will retire. */
void ia64_see_flush_to_zero(struct machine *m);

/* Passes the cycles of the register stack engine's references that fill the frame after a return.
 */
void ia64_pass_fills(struct machine *m);

/* Raises the executing instruction's events, and writes a register of the monitor for it. False:
 * the access faults. */
bool ia64_retire_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value);

#endif
