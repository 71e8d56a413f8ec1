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
 * final when no later instruction can issue in it. Fetch and decode run ahead of issue: their
 * cycles are final later. */
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
	/* The unit that computes it. A result needs more cycles to reach another unit. ANY: memory
	 * references and others without a unit. */
	enum { PIPELINE_ANY, PIPELINE_INTEGER, PIPELINE_VECTOR, PIPELINE_FLOAT } unit;
	uint8_t ports;		/* set of ports that can execute it; 0: needs none */
	uint8_t latency;	/* cycles until its result can be used; of a load: in addition to
				 * that of the reference */
	uint8_t busy;		/* the divider accepts no other micro-op for so many cycles; 0: does
				 * not use the divider */
	bool fused;		/* issues and retires together with the previous micro-op */
	uint64_t reads, writes;	/* sets of registers */
};

/* Flags, as bits. */
#define PIPELINE_FLAGS		0x3F

/* An instruction. */
struct pipeline_instruction {
	uint8_t length;		/* bytes */
	uint8_t count;		/* micro-ops */
	uint8_t every;		/* the next instruction issues so many cycles later, at least */
	bool branch;
	bool leads;		/* a compare that fuses with the branch after it */
	bool fuses;		/* a branch that fuses with the compare before it: no micro-op */
	bool serializes;	/* starts after all before it, and before all after it */
	bool locks;		/* its load waits until all earlier stores are in the cache */
	bool unknown;		/* the processor's description lacks it: a guess */
	bool lcp;		/* a length-changing prefix delays the length decoder */
	bool repeats;		/* a repeated string; each iteration is an instruction */
	bool folds;		/* the stack engine moves the stack pointer */
	uint8_t flags_read, flags_written;	/* sets of flags (PIPELINE_FLAGS) */
	uint16_t delays;	/* PIPELINE_*: reason for which the next instruction waits */
	/* Sets of general registers. */
	uint64_t stack, stack_set;	/* the stack pointer, if the instruction reads it; writes
					 * it. Not by the stack engine */
	uint64_t part_8, part_16;	/* the instruction writes 8 bits of them; 16 bits */
	uint64_t read_16, read_32;	/* it reads 16 bits of them; 32 or more */
	uint64_t whole, zero;		/* it writes all of them; it sets them to 0 */
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
	bool redirected;	/* the decoder has found the branch, or its target */
	bool clears;		/* it stores into code that may be in the pipeline */
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
#define PIPELINE_PARTIAL_FLAGS	(1u << 6)	/* flags of several instructions are read */
#define PIPELINE_PARTIAL	(1u << 7)	/* more than a register's written part is read */
#define PIPELINE_CONTROL_WORD	(1u << 8)	/* FLDCW */
#define PIPELINE_MXCSR		(1u << 9)	/* LDMXCSR */
/* Further states of a cycle. */
#define PIPELINE_LOOP		(1u << 10)	/* the LSD delivered micro-ops */
#define PIPELINE_DIVIDES	(1u << 11)	/* the divider was busy */
#define PIPELINE_CLEARS		(1u << 12)	/* a machine clear empties the pipeline */

/* The activity of a cycle. */
struct pipeline_cycle {
	uint8_t issued;		/* micro-ops, fused ones as one */
	uint8_t pairs;		/* of these: fused ones */
	uint8_t executed;	/* set of ports to which a micro-op was dispatched */
	uint8_t retired;	/* micro-ops, fused ones as one */
	uint8_t instructions;	/* retired */
	uint8_t blocked;	/* loads that wait for a store */
	uint8_t aliases;	/* of these: for a store to the same place of another page */
	uint8_t states[2];	/* PIPELINE_*: bits 7:0, bits 15:8 */
};

static inline unsigned pipeline_states(const struct pipeline_cycle *c)
{
	return c->states[0] | (unsigned)c->states[1] << 8;
}

/* The activity of fetch and decode in a cycle. Each event has a number:
 *	WRITTEN		instructions that enter the instruction queue
 *	WRITES		1 if some do
 *	DECODED		instructions decoded, a fused pair as one
 *	PAIRED		of these: fused pairs
 *	FIRST		of these: only the first decoder can decode them
 *	TWO		of these: two micro-ops, fused ones as one
 *	UOPS		micro-ops that enter their queue from the decoders, fused ones as one
 *	MICROCODED	and from the microcode sequencer
 *	FOLDED		instructions whose change of the stack pointer needs no micro-op
 *	SYNCED		micro-ops that set the stack pointer to the stack engine's value
 *	LCP, FULL	1 if the length decoder waits for a length-changing prefix; because the
 *			instruction queue is full
 *	LATE		1 if fetch waits for a line or a translation
 *	REPLAYS, LONG	loops that the LSD begins to repeat; that are too long for it */
#define PIPELINE_FRONT_EVENTS(E) \
	E(WRITTEN) E(WRITES) E(DECODED) E(PAIRED) E(FIRST) E(TWO) E(UOPS) E(MICROCODED) E(FOLDED) \
	E(SYNCED) E(LCP) E(FULL) E(LATE) E(REPLAYS) E(LONG)
#define PIPELINE_ENUM_FRONT(name) FRONT_##name,
enum pipeline_front_event { PIPELINE_FRONT_EVENTS(PIPELINE_ENUM_FRONT) FRONT_EVENTS };

struct pipeline_front {
	uint8_t n[FRONT_EVENTS];
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
	unsigned lengths;		/* instructions that entered their queue in `fetched` */
	unsigned decoders;		/* free decoders in `decoded` */
	bool repeating;			/* the next instruction is another iteration */
	uint64_t written[PROCESSOR_QUEUE];	/* by instruction: cycle in which it was decoded */
	uint64_t left[PROCESSOR_QUEUE];	/* by micro-op: cycle in which it left the micro-op queue */
	unsigned instructions, uops;	/* index of the next one, modulo their queues */

	/* The LSD: the last taken branch backward, micro-ops since its target. */
	uint64_t loop_from, loop_to;
	unsigned loop_uops;
	bool loops, too_long;

	/* Issue. */
	uint64_t now;			/* cycle of the last issue */
	unsigned slots;			/* free slots in that cycle */
	uint64_t read;			/* retired registers read in that cycle */
	uint64_t ready[PIPELINE_REGISTERS], retired_at[PIPELINE_REGISTERS];	/* by register */
	uint8_t unit[PIPELINE_REGISTERS];	/* by register: where it was computed */
	uint64_t barrier;		/* nothing issues before this cycle */
	uint16_t delays;		/* for this reason; 0: another one */
	unsigned inserted;		/* micro-ops inserted before the last instruction's own */

	/* Renaming. */
	bool stack_moved;		/* the stack engine has moved the stack pointer since its
					 * last micro-op */
	uint8_t flags;			/* flags that their last writer wrote */
	uint64_t flags_retire;		/* cycle in which that instruction retires */
	uint64_t part_8, part_16;	/* registers with a separate part: of 8 bits; of 16 */
	uint64_t zero;			/* registers whose last whole write set them to 0 */

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

	/* The same for fetch and decode, while `follows_front`. */
	bool follows_front;
	uint64_t front_taken;
	struct pipeline_front front[PIPELINE_WINDOW];
};

/* The entries of a .machine file that the pipeline needs, as sets (struct processor_needs). */
#define PIPELINE_LATENCIES (1ull << LATENCY_L1D | 1ull << LATENCY_FORWARD |		\
			    1ull << LATENCY_FORWARD_FAILED |				\
			    1ull << LATENCY_MISPREDICTED | 1ull << LATENCY_LCP |	\
			    1ull << LATENCY_TAKEN | 1ull << LATENCY_LOOP |		\
			    1ull << LATENCY_REDIRECTED | 1ull << LATENCY_PARTIAL_FLAGS | \
			    1ull << LATENCY_PARTIAL | 1ull << LATENCY_BYPASS |		\
			    1ull << LATENCY_TO_FLOAT | 1ull << LATENCY_FROM_FLOAT)
#define PIPELINE_WIDTHS	(1u << WIDTH_ISSUE | 1u << WIDTH_RETIRE | 1u << WIDTH_LENGTHS)
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

/* Returns the number of issue slots of an instruction: fused micro-ops share one. Micro-ops that
 * the pipeline inserts (struct pipeline, inserted) are not included. */
unsigned pipeline_slots(const struct pipeline_instruction *i);

/* Returns the activity of the first final cycle that it has not returned yet, or NULL. Call it
 * until it returns NULL, at least once in 1,000 instructions. Valid until the next call. */
const struct pipeline_cycle *pipeline_take(struct pipeline *p);

/* Returns the number of final cycles that pipeline_take has not returned yet. */
static inline uint64_t pipeline_final(const struct pipeline *p)
{
	return p->taken + 1 < p->now ? p->now - 1 - p->taken : 0;
}

/* Follows fetch and decode from the next cycle on, or no longer. Call it after pipeline_drain. */
void pipeline_follow_front(struct pipeline *p, bool follow);

/* Like pipeline_take, for the activity of fetch and decode; NULL while it is not followed. After
 * pipeline_drain it returns the cycles that pipeline_take returns. */
const struct pipeline_front *pipeline_take_front(struct pipeline *p);

#endif
