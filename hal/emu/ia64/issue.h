/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock: in which cycle an instruction is issued, and why not in an earlier one (7.4). */
#ifndef IA64_ISSUE_H
#define IA64_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

/* What a cycle is. The four classes of section 7.4, taken apart by what its events tell apart. */
enum ia64_cycle_kind {
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

/* Units of a kind are numbered from 0. */
enum ia64_port { PORT_M, PORT_I, PORT_F, PORT_B, PORTS };
#define NO_UNIT	~0U

/* How an instruction is dispersed. */
enum ia64_dispersal {
	DISPERSE_FIRST = 1 << 0,	/* only the first unit of its kind executes it */
	DISPERSE_THIRD = 1 << 1,	/* an I instruction in the third slot */
	DISPERSE_BEGINS = 1 << 2,	/* nothing is issued ahead of it, */
	DISPERSE_ENDS = 1 << 3,		/* or behind it, in its cycle */
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
struct bundle_template;

/* dispersal.c: sets how an instruction is dispersed; the unit that one of this bundle of the cycle (0, 1) would take,
 * or NO_UNIT. */
void ia64_set_dispersal(struct op *op, const struct bundle_template *bundle, unsigned slot);
unsigned ia64_find_unit(const struct machine *m, const struct op *op, enum ia64_port port, unsigned bundle);

/* issue.c: what an instruction reads and writes; its latency. */
struct processor;
void ia64_set_operands(struct op *op);
unsigned ia64_latency_of(const struct processor *processor, const struct op *op);

/* An instruction of a bundle is issued, `fetch` cycles after a fetch that missed: cycles pass up to its own. `waits`:
 * for its operands. */
void ia64_issue(struct machine *m, const struct op *op, uint64_t ip, bool waits, unsigned fetch);

/* A reference of the register stack engine takes the next cycle. */
void ia64_issue_stack_reference(struct machine *m);

/* It has read memory, which took so many cycles, or none; it has branched, or was followed by a flush or a bubble. */
void ia64_issued(struct machine *m, const struct op *op, unsigned loaded);
void ia64_lose(struct machine *m, enum ia64_cycle_kind why, unsigned cycles);

#endif
