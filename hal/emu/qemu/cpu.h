/* SPDX-License-Identifier: BSD-2-Clause */
/* A vCPU of QEMU and its PMU. */
#ifndef QEMU_CPU_H
#define QEMU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/inorder.h"
#include "x86/classify.h"
#include "predictions.h"
#include "signals.h"
#include "vpmu.h"

#define CPUS_MOST 64

/* A vCPU's execution without callbacks: block.h. */
#define BLOCK_LEVELS	4
#define BLOCK_SUMS	16
struct blocks {
	/* Written by translated code. room: by level, instructions that may still execute; sum:
	 * events raised; begun: instructions begun that may fetch a line or access memory; ended:
	 * last completed block; numbers: last completed block that used x87 or MMX. */
	uint64_t room[BLOCK_LEVELS];
	uint64_t sum[BLOCK_SUMS];
	uint64_t begun;
	const struct block *ended, *numbers;

	uint32_t given;			/* number of instructions allowed without a callback */
	uint8_t level;			/* privilege level for which they are allowed */
	const struct block *open;	/* block entered but not completed; NULL: none */

	/* The last instruction that fetched a line or accessed memory, and `begun` at that time. It
	 * owns the vCPU's `effects` and `load`, and may still fault. */
	const struct instruction *referring;
	uint64_t referred;
};

/* An instruction as translated by QEMU for one privilege level. The same translation serves all
 * linear addresses that map to the same memory. */
struct instruction {
	uint64_t translated_at;		/* linear address at which it was translated */
	uint8_t size;			/* bytes, 1 to 15 */
	uint8_t level;			/* privilege level, 0 to 3 */
	uint8_t access;			/* accesses the PMU: a code of the instruction set; 0:
					 * does not */
	bool traps;			/* QEMU executes it by raising an exception, after which
					 * it has retired */
	bool before_string;		/* the next instruction of its block is a repeated string */
	struct classes is;
	const struct pipeline_instruction *uops;	/* timed clock: its micro-ops */
	const struct pipeline_instruction *fused;	/* timed clock: a branch's, right after a
							 * compare that `leads`. NULL: the same */
	struct inorder_instruction stages;	/* threads.h: its way through the pipes */
	bool lacks_row;			/* threads.h: the description lacks it */

	/* SPARC only: */
	uint32_t code;			/* its encoding */
	uint8_t asi;			/* address space of a load or store */
	uint8_t slot;			/* branch: bytes of its delay slot; else 0 */
	bool commits;			/* next-to-commit instruction: an overflow traps after it */
	bool changes_level;		/* its cycle belongs to the new privilege level */
};

/* Effects of memory references in one cycle. When full, an effect is added to one of its kind. */
#define EFFECTS_MOST 64
struct effects {
	unsigned count;
	struct effect {
		uint16_t what;		/* enum cpu_event */
		uint16_t n;
		uint64_t address;	/* physical */
	} effect[EFFECTS_MOST];
};

/* A package: the PMU that its cores share. */
struct package_pmu {
	struct vpmu_package pmu;	/* model NULL: the package has no PMU */
	struct signals signals;
	struct effects effects;		/* of its next cycle */
	bool watched;			/* software has accessed its registers, so its
					 * always-enabled counters matter */
};

/* A core: the PMU model's state and its counters' selections. */
struct core {
	struct signals signals;
	struct package_pmu *package;
	const struct cpu *executes;	/* parallel vCPUs: the one whose signals are connected to
					 * the model */
	unsigned number;		/* in its package, from 0 */
	unsigned package_number;	/* from 0 */
	uint64_t ticks;			/* ticks of the machine's clock that the model has passed */
	struct effects arrived;		/* from other cores' references: for the core's next
					 * cycle */
};

/* A load of the current instruction; if there are several, the slowest. */
struct load {
	bool is;			/* there is a load */
	bool translated;		/* it missed the first-level TLB */
	enum cpu_event source;		/* source of the data */
	struct occurrence occurrence;	/* as the PMU would record it */
};

/* The last issued instruction, with which the next one may pair (issue.h). */
struct issued {
	struct pipes pipes;
	uint64_t access;		/* linear address of its first memory reference; 0: none */
};

struct cpu {
	unsigned number;		/* QEMU's number, from 0 */
	void *qemu;			/* QEMU's CPUState; NULL: not yet begun */
	uintptr_t here;			/* return address of the callback while the CPUState must
					 * be restored; else 0 */
	struct core *core;
	struct vpmu vpmu;		/* the core's model, with thread and package */

	struct blocks blocks;
	struct block *translated;	/* list of all its translated blocks */

	unsigned alone;			/* number of next instructions that need blocks of their
					 * own */

	/* The instruction that has begun and may not have retired, or NULL; and the number of
	 * exceptions since it began. */
	const struct instruction *current;
	uint64_t address;		/* linear address of the current instruction */
	uint64_t first_access;		/* linear address of its first memory reference; 0:
					 * unknown */
	unsigned exceptions;
	uint64_t fetched;		/* 1 + address fetched before the time slice ended; 0:
					 * none */
	uint64_t fetched_line;		/* 1 + address of the last fetched line; 0: unknown */
	uint64_t retired_at;		/* linear address of the last retired instruction */
	uint8_t next_level;		/* privilege level after the current instruction */

	struct instruction kept;	/* copy of the current instruction when its block is
					 * freed */

	/* Branch with a delay slot: whether it is taken, and its destination. */
	bool goes;
	uint64_t leads_to;

	/* The cycle of the instruction `prepared`, computed before it executes; NULL: none. */
	const struct instruction *prepared;
	struct cycle *cycle;

	/* Deferred instructions: they retired at vpmu.level, one cycle each, and the model does not
	 * know them yet. quiet_left: number that may follow before an output line of the model can
	 * change. */
	uint64_t quiet, quiet_left;

	/* Batching (batch.h): deferred instructions may raise counted events. `summed`: set of cpu
	 * events with a sum; `sum`: times raised. */
	bool batches;
	uint64_t summed;
	uint32_t sum[CPU_EVENT_COUNT];
	bool referred;			/* events outside the set also have sums */

	/* State for the next instruction: address after the last one and its kinds (CLASS_*); x87
	 * or MMX, which was used last; whether an interruption has occurred since, and the
	 * interrupted level. */
	uint64_t last_next;
	uint64_t last_numbers;
	uint16_t last_kinds;
	bool interrupted;
	uint8_t interrupted_level;
	struct issued issued;

	struct effects effects;		/* of the current instruction */
	struct load load;		/* of the current instruction */
	bool predicted;			/* its branch has been predicted, for all models that count
					 * the vCPU */
	struct prediction prediction;	/* of its branch; 0: it is none, or is not predicted */
	uint64_t referenced;		/* tick of the machine's clock up to which reference
					 * cycles have passed; 0: none */
	bool halts;			/* executes HLT, which stops reference cycles */
	uint64_t retired;		/* number of retired instructions */
	uint64_t iterations;		/* number of completed iterations of repeated
					 * instructions, except the last ones */

	/* Models that count the vCPU from outside (outside.h) form a list through `outside`. Each
	 * is a struct cpu whose `watched` is the counted vCPU; it is NULL in QEMU's own vCPUs. */
	struct cpu *outside, *watched;
	bool unwatched;			/* the current instruction's address space is not counted */
};

/* Returns the number of instructions and iterations that the vCPU has executed, except those in
 * blocks that are not yet added up. */
static inline uint64_t cpu_progress(const struct cpu *c)
{
	return c->retired + c->iterations;
}

extern struct cpu cpus[CPUS_MOST];
extern unsigned cpus_count;

/* The processor's description determines cycles (clock=timed); else each instruction takes one. Set
 * before the first vCPU begins. */
extern bool timed_is_used;

#endif
