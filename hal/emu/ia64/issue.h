/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock: in which cycle an instruction is issued, and why not in an earlier one (7.4). */
#ifndef IA64_ISSUE_H
#define IA64_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dispersal.h"

/* Kinds of cycles: the four classes of section 7.4, divided as its events distinguish them. */
enum ia64_cycle_kind {
	CYCLE_ISSUE,		/* unstalled: a group of instructions is issued */
	CYCLE_FETCH,		/* unstalled: waits for the instruction cache */
	CYCLE_BREAK,		/* dependency: issues instructions that a stop or a lack of ports has delayed */
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
	unsigned used[PORTS];	/* units in this cycle, by bits */
	bool ends;		/* nothing more is issued in this cycle, */
	bool early;		/* although there is room: a stop, or a bundle with branches */
	struct ia64_ready gr[128], fr[128];	/* by physical numbers; f registers with their rotation */
};

struct machine;
struct op;

/* Decodes op->reads, op->writes and op->short_s3. */
void ia64_set_operands(struct op *op);

/* Issues an instruction of the bundle at `ip`. Cycles pass up to its own. `waits`: it waits for its operands. `fetch`:
 * cycles for which its fetch delays it. */
void ia64_issue(struct machine *m, const struct op *op, uint64_t ip, bool waits, unsigned fetch);

/* A reference of the register stack engine takes the next cycle. */
void ia64_issue_stack_reference(struct machine *m);

/* The instruction has executed: its results are ready after its latency, or after `loaded` cycles if it has loaded them
 * (0: it has not). */
void ia64_issued(struct machine *m, const struct op *op, unsigned loaded);

/* Cycles of a flush or a bubble follow the instruction. */
void ia64_lose(struct machine *m, enum ia64_cycle_kind why, unsigned cycles);

#endif
