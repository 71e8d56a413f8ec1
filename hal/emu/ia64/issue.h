/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock: the cycle in which an instruction is issued, and the reason for its delay
 * (7.4). */
#ifndef IA64_ISSUE_H
#define IA64_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dispersal.h"

/* Kinds of cycles: the four classes of section 7.4, divided as its events distinguish them. */
enum ia64_cycle_kind {
	CYCLE_ISSUE,		/* unstalled: a group of instructions is issued */
	CYCLE_FETCH,		/* unstalled: the fetch waits for the instruction cache */
	CYCLE_BREAK,		/* dependency: issues instructions that a stop or a lack of ports
				 * has delayed */
	CYCLE_SCOREBOARD, /* dependency: an operand is not ready; it is not the result of a load */
	CYCLE_DATA,		/* memory: an operand is not ready; it is the result of a load */
	CYCLE_RSE,		/* memory: a reference of the register stack engine */
	CYCLE_FLUSH,		/* flush: a misprediction, or another flush from the back end */
	CYCLE_BUBBLE, /* flush: the bubble of a taken branch that was predicted correctly */
};

/* When the value of a register is ready. */
struct ia64_ready {
	uint64_t cycle;		/* the first cycle in which an instruction can read it */
	bool loaded;		/* a load writes it */
	bool multimedia;	/* a multimedia operation of several cycles writes it */
};

struct ia64_issue {
	uint64_t now;		/* number of the present cycle */
	uint64_t bundle;	/* address of the bundle that was issued last */
	unsigned bundles;	/* number of bundles in this cycle */
	unsigned used[PORTS];	/* bit masks of the units that execute something in this cycle */
	bool ends;		/* no more instructions are issued in this cycle */
	bool early;		/* it ends with free slots: after a stop, or a bundle with
				 * branches */
	struct ia64_ready gr[128], fr[128];	/* by physical number */
};

struct machine;
struct op;

/* Decodes op->reads, op->writes and op->short_s3. */
void ia64_set_operands(struct op *op);

/* Issues an instruction of the bundle at `ip`, after the cycles for which it waits. `waits`: it
 * waits for its operands. `fetch`: cycles by which its fetch delays it. */
void ia64_issue(struct machine *m, const struct op *op, uint64_t ip, bool waits, unsigned fetch);

/* Begins a cycle for a reference of the register stack engine. */
void ia64_issue_stack_reference(struct machine *m);

/* Notes when the results of an executed instruction are ready: after its latency, or after `loaded`
 * cycles if it has loaded them. `loaded` is 0 if it loads nothing. */
void ia64_issued(struct machine *m, const struct op *op, unsigned loaded);

/* Passes cycles in which nothing is issued, before the next instruction. */
void ia64_lose(struct machine *m, enum ia64_cycle_kind why, unsigned cycles);

/* Delays the present group by the cycles for which its last references wait for a queue. */
void ia64_wait_for_queues(struct machine *m, enum ia64_cycle_kind why);

#endif
