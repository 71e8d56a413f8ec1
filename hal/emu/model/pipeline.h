/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline of a core that executes out of order: the cycles in which its micro-ops issue,
 * execute and retire.
 *
 *     fetch, decode ---> micro-op queue ---> issue ---> scheduler ---> ports ---> retire
 *     16 bytes, 4-1-1-1  or loop stream      4 a cycle  36 entries     0 to 5     4 a cycle,
 *                        detector (LSD)      |                                    in order
 *                                            +--> reorder, load and store buffers
 *
 * The caller passes instructions in program order, after they have executed. In each stage, an
 * earlier micro-op precedes a later one, so the model never changes an earlier decision. A cycle is
 * final when no later instruction can issue in it. */
#ifndef MODEL_PIPELINE_H
#define MODEL_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

#define PIPELINE_PORTS		6
#define PIPELINE_REGISTERS	64
#define PIPELINE_UOPS		24	/* micro-ops of an instruction, at most */
#define PIPELINE_REFERENCES	4	/* of an instruction, by kind; others take the last one's */
#define PIPELINE_WINDOW		65536	/* cycles whose activity is kept; 2^n */

/* A micro-op. In a set of registers, bit n is register n; the caller numbers the registers. */
struct pipeline_uop {
	enum {
		PIPELINE_COMPUTES, PIPELINE_LOADS, PIPELINE_STORE_ADDRESS, PIPELINE_STORE_DATA
	} kind;
	uint8_t ports;		/* set of ports that can execute it; 0: needs none */
	uint8_t latency;	/* cycles until its result can be used; of a load: in addition to
				 * that of the reference */
	uint8_t busy;		/* the divider accepts no other micro-op for so many cycles; 0: does
				 * not use the divider */
	bool fused;		/* issues and retires together with the previous micro-op */
	uint64_t reads, writes;	/* sets of registers */
};

/* An instruction. */
struct pipeline_instruction {
	uint8_t length;		/* bytes */
	uint8_t count;		/* micro-ops */
	uint8_t every;		/* the next instruction issues so many cycles later, at least */
	bool branch;
	bool fuses;		/* a branch that fuses with the compare before it: no micro-op */
	bool serializes;	/* starts after all before it, and before all after it */
	bool locks;		/* its load waits until all earlier stores are in the cache */
	bool unknown;		/* the processor's description lacks it: a guess */
	bool lcp;		/* a length-changing prefix delays the length decoder */
	struct pipeline_uop uop[PIPELINE_UOPS];
};

/* A memory reference of an executed instruction. */
struct pipeline_reference {
	uint64_t address;	/* linear */
	unsigned size;		/* bytes */
	unsigned latency;	/* cycles from the load to the use of its result; of a store: until
				 * the cache accepts it */
};

/* The execution of an instruction. */
struct pipeline_run {
	const struct pipeline_instruction *instruction;
	uint64_t address;	/* linear address of the instruction */
	uint64_t next;		/* linear address of its successor */
	unsigned fetch;		/* cycles by which its fetch was late */
	bool mispredicted;	/* the branch's direction or target was */
	unsigned loads, stores;	/* references */
	struct pipeline_reference load[PIPELINE_REFERENCES], store[PIPELINE_REFERENCES];
};

/* Reasons for which nothing could issue in a cycle, as bits. */
#define PIPELINE_ROB_FULL	(1u << 0)
#define PIPELINE_RS_FULL	(1u << 1)	/* the scheduler */
#define PIPELINE_LOADS_FULL	(1u << 2)
#define PIPELINE_STORES_FULL	(1u << 3)
#define PIPELINE_REGISTER_READ	(1u << 4)	/* too many reads of registers that have retired */
#define PIPELINE_SERIALIZED	(1u << 5)
/* Further states of a cycle. */
#define PIPELINE_LOOP		(1u << 6)	/* the LSD delivered micro-ops */
#define PIPELINE_DIVIDES	(1u << 7)	/* the divider was busy */

/* The activity of a cycle. */
struct pipeline_cycle {
	uint8_t issued;		/* micro-ops, fused ones as one */
	uint8_t pairs;		/* of these: fused ones */
	uint8_t executed;	/* set of ports to which a micro-op was dispatched */
	uint8_t retired;	/* micro-ops, fused ones as one */
	uint8_t instructions;	/* retired */
	uint8_t states;		/* PIPELINE_* */
	uint8_t aliases;	/* loads that wait for a store to the same place of another page */
};

struct pipeline_store {
	uint64_t address, ready, written;	/* cycles: data is ready; in the cache */
	unsigned size;
};

/* Initialize with pipeline_begin. All cycles count from 1. */
struct pipeline {
	const struct processor *processor;

	/* Fetch and decode. */
	uint64_t block;			/* 16-byte block of the last fetched byte;
					 * UINT64_MAX: none */
	uint64_t slow_block;		/* last block with a length-changing prefix */
	uint64_t next;			/* address of the next instruction */
	uint64_t fetched, decoded;	/* cycles of the last block, instruction */
	unsigned decoders;		/* free decoders in that cycle */
	uint64_t written[PROCESSOR_QUEUE];	/* by instruction: cycle in which it was decoded */
	uint64_t left[PROCESSOR_QUEUE];	/* by micro-op: cycle in which it left the micro-op queue */
	unsigned instructions, uops;	/* index of the next one, modulo their queues */

	/* The LSD: the last taken branch backward, micro-ops since its target. */
	uint64_t loop_from, loop_to;
	unsigned loop_uops;
	bool loops;

	/* Issue. */
	uint64_t now;			/* cycle of the last issue */
	unsigned slots;			/* free slots in that cycle */
	uint64_t read;			/* retired registers read in that cycle */
	uint64_t ready[PIPELINE_REGISTERS], retired_at[PIPELINE_REGISTERS];	/* by register */
	uint64_t barrier;		/* nothing issues before this cycle */

	/* Buffers: the cycle in which each entry becomes free; index of the next entry. */
	uint64_t rob[PROCESSOR_REORDER], loads[PROCESSOR_QUEUE];
	struct pipeline_store stores[PROCESSOR_QUEUE];
	unsigned rob_next, load_next, store_next;
	unsigned waiting;		/* micro-ops in the scheduler in cycle `counted` */
	uint64_t counted;

	/* Execution and retirement. */
	uint64_t divided;		/* first cycle in which the divider is free */
	uint64_t dispatched[PIPELINE_PORTS];	/* number of micro-ops by port */
	uint64_t complete;		/* cycle in which the last instruction was complete */
	uint64_t retired;		/* cycle of the last retirement */
	unsigned retiring;		/* free slots in that cycle */
	uint64_t stored;		/* last cycle in which the cache accepted a store */

	/* By cycle modulo PIPELINE_WINDOW, from `taken` + 1 on. `leaving`: micro-ops that leave
	 * the scheduler. */
	uint64_t taken;			/* last cycle that pipeline_take has returned */
	uint8_t leaving[PIPELINE_WINDOW];
	struct pipeline_cycle cycle[PIPELINE_WINDOW];
};

/* The entries of a .machine file that the pipeline needs, as sets (struct processor_needs). */
#define PIPELINE_LATENCIES (1u << LATENCY_L1D | 1u << LATENCY_FORWARD |	\
			    1u << LATENCY_FORWARD_FAILED | 1u << LATENCY_MISPREDICTED |	\
			    1u << LATENCY_LCP | 1u << LATENCY_TAKEN | 1u << LATENCY_LOOP)
#define PIPELINE_WIDTHS	(1u << WIDTH_ISSUE | 1u << WIDTH_RETIRE)
#define PIPELINE_QUEUES	(1u << QUEUE_REORDER | 1u << QUEUE_SCHEDULER | 1u << QUEUE_LOADS |	\
			 1u << QUEUE_STORES | 1u << QUEUE_INSTRUCTIONS | 1u << QUEUE_UOPS)

void pipeline_begin(struct pipeline *p, const struct processor *processor);

/* Adds the next instruction. Returns the cycle in which it retires. */
uint64_t pipeline_add(struct pipeline *p, const struct pipeline_run *run);

/* Returns the cycle in which the first load of the next instruction executes, at the earliest. */
uint64_t pipeline_executes_load(const struct pipeline *p, const struct pipeline_instruction *i);

/* The core waits until all instructions have retired, and nothing issues before cycle `until`: all
 * cycles before it become final. */
void pipeline_drain(struct pipeline *p, uint64_t until);

/* No instruction issues before cycle `until`. */
void pipeline_wait(struct pipeline *p, uint64_t until);

/* Continues in cycle `from`, after cycles of another core: they have no activity, and pipeline_take
 * omits them. Call it after pipeline_drain. */
void pipeline_skip(struct pipeline *p, uint64_t from);

/* Returns the number of issue slots of an instruction: fused micro-ops share one. */
unsigned pipeline_slots(const struct pipeline_instruction *i);

/* Returns the activity of the first final cycle that it has not returned yet, or NULL. Call it
 * until it returns NULL, at least once in 1,000 instructions. Valid until the next call. */
const struct pipeline_cycle *pipeline_take(struct pipeline *p);

/* Returns the number of final cycles that pipeline_take has not returned yet. */
static inline uint64_t pipeline_final(const struct pipeline *p)
{
	return p->taken + 1 < p->now ? p->now - 1 - p->taken : 0;
}

#endif
