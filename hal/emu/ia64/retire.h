/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that retired instructions raise. */
#ifndef IA64_RETIRE_H
#define IA64_RETIRE_H

#include "encoding.h"
#include "issue.h"
#include "references.h"

struct ia64_retiring {
	bool pending;		/* the executing instruction raises something, whatever its traits are */

	/* What the executing instruction has done. */
	struct ia64_reference reference[REFERENCES];
	unsigned references;
	bool replaced;		/* an ALAT entry that was valid */
	bool flushed;		/* a tiny result to zero */
	struct occurrence context;

	/* The branches of the present bundle so far; what was predicted of it. */
	struct occurrence bundle[BUNDLE_SLOTS];
	unsigned branches;
	bool multiway;
	bool overridden;	/* a target address register, by the third stage */
	uint8_t stage, predicted_slot;	/* predicted_slot: 3, none is taken */
	uint64_t predicted_target;

	/* Timed clock: cycles that follow the instruction; how long the walker has taken for code and data of
	 * instructions that have not retired. */
	enum ia64_cycle_kind penalty;
	uint8_t penalty_cycles;
	unsigned walked_code, walked_data;
};

struct machine;
struct op;

/* While something is selected: an instruction retires that may raise some of it. `executed`: its predicate is true;
 * `taken`: it has branched. */
void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed, bool taken);

/* The executing instruction, which retires, has flushed a tiny result to zero. */
void ia64_see_flush_to_zero(struct machine *m);

/* Between two instructions the register stack engine has filled a frame. */
void ia64_pass_fills(struct machine *m);

/* The executing instruction writes a register of the monitor, in its own cycle. False: the access faults. */
bool ia64_retire_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value);

/* prediction.c: an instruction of a bundle retires, a branch or another one. */
void ia64_see_branch(struct machine *m, const struct op *op, const struct occurrence *instruction, bool taken);

/* misses.c: an address is in no TLB, and who serves that; the walker reads the table's entry `at`; it inserts it; a
 * reference looks for its translation in the data TLB's first level. `access`: ISR's bits of it. */
enum ia64_served { SERVED_BY_SECOND = 1, SERVED_BY_WALKER, SERVED_BY_SOFTWARE };	/* tables 6-14, 6-20 */
struct ia64_translation;
void ia64_see_miss(struct machine *m, uint64_t address, uint64_t access, enum ia64_served by);
void ia64_see_walk(struct machine *m, uint64_t address, uint64_t access, uint64_t at);
void ia64_see_insertion(struct machine *m, uint64_t address, uint64_t access, struct ia64_translation *t);
void ia64_look_up(struct machine *m, const struct occurrence *o, const struct ia64_reference *r, bool is_of_stack);

/* tally.c: whether an event ever happens, as a counter with this unit mask counts it; prints the tally. */
bool ia64_event_happens(const struct machine *m, uint64_t code, uint64_t umask);
#include <stdio.h>
void ia64_print_tally(struct machine *m, FILE *to);

#endif
