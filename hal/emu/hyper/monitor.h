/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's state. */
#ifndef HYPER_MONITOR_H
#define HYPER_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"

/* An instruction that is reported to the PMU before its execution, because it raises the line. */
struct hyper_report {
	bool reported;
	bool trap_behind;	/* it is a next-to-commit one: its precise trap comes when it has been executed */
	uint64_t pc;
};

/* Where a handler that takes a trap out of user or privileged mode goes back to, by RETRY or by DONE. */
struct hyper_left {
	uint64_t pc, npc;
};

struct hyper_monitor {
	uint64_t htba, tba;	/* the guest's trap tables */

	/* Instructions the guest has executed, or could have in the time it has halted: its clock, of which %stick is
	 * 8/5. What the monitor has executed itself, and how often it was entered. */
	uint64_t guest, own, exits;
	uint64_t executed;	/* of `guest`, what was not carried out for it */
	uint64_t entered;	/* the machine's instructions when the guest was left */
	bool running;		/* the guest's clock goes */
	uint64_t slide;		/* no-operations on the last way out */

	unsigned level;		/* at which the guest executes; 3 and 1 change by traps only, 0 by going down */
	uint64_t quantum;		/* instructions until the alarm */

	/* Of each trap level: such an instruction may itself trap to a handler that has one of its own. */
	struct hyper_report reported[TRAP_LEVELS];
	unsigned trap_level;	/* at which the guest was resumed last, where it had trapped */
	bool reported_next;		/* the guest has been resumed with the instruction reported at that level */

	struct hyper_left left[TRAP_LEVELS];	/* at each trap level; 1, no address: it has gone back */
	bool leaving;			/* the guest's next instruction may lead from privileged to user mode */

	uint64_t interrupted_pc;	/* where the last disrupting trap was taken */

	bool stepping;		/* privileged code, with the interrupts on that are off in it */
	uint64_t kept_softint;	/* the guest's, meanwhile */
	bool woken;		/* a halt has ended by %stick_cmpr */
};

#define TICK_NPT (1ULL << 63)	/* of %tick and %stick: not part of the time */

/* Executed when a clock was at so many ticks, of which one instruction is 1.6. */
static inline uint64_t hyper_instructions(uint64_t ticks)
{
	return ((ticks & ~TICK_NPT) * 5 + 7) / 8;
}

extern struct hyper_monitor hyper_monitor;

#endif
