/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock: in which cycle an instruction is issued, and why not in an earlier one (7.4). */
#ifndef IA64_ISSUE_H
#define IA64_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

/* What a cycle is. The four classes of section 7.4, taken apart by what its events tell apart. */
enum ia64_cycle {
	CYCLE_ISSUE,		/* unstalled: a group of instructions is issued */
	CYCLE_FETCH,		/* unstalled: waits for the instruction cache */
	CYCLE_BREAK,		/* dependency: issues what a stop or a lack of ports has kept back */
	CYCLE_SCOREBOARD,	/* dependency: waits for a result that is not a load's */
	CYCLE_DATA,		/* memory: waits for a load's */
	CYCLE_RSE,		/* memory: the register stack engine's reference */
	CYCLE_FLUSH,		/* flush from the back end */
	CYCLE_BUBBLE,		/* flush: a taken branch that was predicted */
};

/* When a register can be read, and whether a load writes it. */
struct ia64_ready {
	uint64_t cycle;
	bool loaded;
};

struct ia64_issue {
	uint64_t now;		/* the present cycle */
	uint64_t bundle;	/* that was looked at last */
	unsigned bundles;	/* in this cycle */
	unsigned used[4];	/* ports in this cycle: M, I, F, B */
	bool ends;		/* nothing more is issued in this cycle, */
	bool early;		/* although there is room: a stop, or a bundle with branches */
	struct ia64_ready gr[128], fr[128];	/* by physical numbers; f registers with their rotation */
};

struct machine;
struct op;

/* An instruction of a bundle is issued, so many cycles behind a fetch that missed: cycles pass up to its own. */
void ia64_issue(struct machine *m, const struct op *op, uint64_t ip, bool executed, unsigned fetch);

/* It has read memory, which took so many cycles, or none; it has branched, or was followed by a flush or a bubble. */
void ia64_issued(struct machine *m, const struct op *op, unsigned loaded);
void ia64_lose(struct machine *m, enum ia64_cycle why, unsigned cycles);
void ia64_issue_alone(struct machine *m);

#endif
